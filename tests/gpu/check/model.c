/* SPDX-License-Identifier: MIT */
/*
 * Kernels of the memory model: the cells of doc/tables/memory-model.md, as
 * clang compiles them for each processor. CELL(WHERE, NAME, VERDICT): 0 and 1
 * are two waves of one workgroup (group) or the first waves of two (grid);
 * VERDICT is the checker's verdict: silent, found, or unsure: at most possible,
 * since on some processors these atomics look like plain accesses. `x` is data
 * of each lane, `y` more of it, `f` and `g` words for atomics, zero at first.
 */
typedef unsigned u32;
#define GLOBAL __attribute__((address_space(1)))
#define LDS    __attribute__((address_space(3)))

#define CELL(where, name, verdict)                                             \
  __attribute__((amdgpu_kernel)) void where##_##name##_##verdict(              \
      GLOBAL u32 *x, GLOBAL u32 *y, GLOBAL u32 *f, GLOBAL u32 *g,              \
      GLOBAL u32 *out)
#define ARGUMENTS (void)x, (void)y, (void)f, (void)g, (void)out

#define T      (__builtin_amdgcn_workitem_id_x())
#define LANE   (T % LANES)
#define WAVE   (__builtin_amdgcn_readfirstlane(T / LANES))
#define GROUP  (__builtin_amdgcn_workgroup_id_x())
#define FIRST  (LANE == 0)
#define AGENT  __MEMORY_SCOPE_DEVICE
#define SYSTEM __MEMORY_SCOPE_SYSTEM
#define WGROUP __MEMORY_SCOPE_WRKGRP
#define RLX    __ATOMIC_RELAXED
#define ACQ    __ATOMIC_ACQUIRE
#define REL    __ATOMIC_RELEASE
#define AR     __ATOMIC_ACQ_REL

#define LOAD(p, order, scope)     __scoped_atomic_load_n(p, order, scope)
#define STORE(p, v, order, scope) __scoped_atomic_store_n(p, v, order, scope)
#define ADD(p, v, order, scope)   __scoped_atomic_fetch_add(p, v, order, scope)
#define FENCE(order, scope)       __builtin_amdgcn_fence(order, scope)

/* A wave that waits lets others run. */
#define AWAIT(p, v, order, scope)                                              \
  while (LOAD(p, order, scope) != (v))                                         \
  __builtin_amdgcn_s_sleep(1)

static inline void barrier(void)
{
  FENCE(REL, "workgroup");
  __builtin_amdgcn_s_barrier();
  FENCE(ACQ, "workgroup");
}

/* ---- plain accesses ---- */

#define TWO(where, me)                                                         \
  CELL(where, write_read, found)                                               \
  {                                                                            \
    ARGUMENTS;                                                                 \
    if (me == 0)                                                               \
      x[LANE] = 1;                                                             \
    else                                                                       \
      out[LANE] = x[LANE];                                                     \
  }                                                                            \
  CELL(where, read_write, found)                                               \
  {                                                                            \
    ARGUMENTS;                                                                 \
    if (me == 0)                                                               \
      out[LANE] = x[LANE];                                                     \
    else                                                                       \
      x[LANE] = 1;                                                             \
  }                                                                            \
  CELL(where, write_write, found)                                              \
  {                                                                            \
    ARGUMENTS;                                                                 \
    x[LANE] = me;                                                              \
  }                                                                            \
  CELL(where, read_read, silent)                                               \
  {                                                                            \
    ARGUMENTS;                                                                 \
    out[me * LANES + LANE] = x[LANE];                                          \
  }                                                                            \
  CELL(where, apart, silent)                                                   \
  {                                                                            \
    ARGUMENTS;                                                                 \
    x[me * LANES + LANE] = 1;                                                  \
    out[me * LANES + LANE] = x[me * LANES + LANE];                             \
  }
TWO(group, WAVE)
TWO(grid, GROUP)

CELL(group, barrier, silent)
{
  ARGUMENTS;
  if (WAVE == 0)
    x[LANE] = 1;
  barrier();
  if (WAVE == 1)
    out[LANE] = x[LANE];
}

CELL(grid, barrier, found) /* which orders no other workgroup */
{
  ARGUMENTS;
  if (GROUP == 0)
    x[LANE] = 1;
  barrier();
  if (GROUP == 1)
    out[LANE] = x[LANE];
}

CELL(group, barrier_then_write, found)
{
  ARGUMENTS;
  barrier();
  if (WAVE == 0)
    x[LANE] = 1;
  else
    out[LANE] = x[LANE];
}

/* ---- a flag: orders and scopes ---- */

/* Wave 0 writes x and stores the flag; wave 1 waits for it and reads x. */
#define MESSAGE(where, me, name, verdict, order, scope, other, scope_other)    \
  CELL(where, flag_##name, verdict)                                            \
  {                                                                            \
    ARGUMENTS;                                                                 \
    if (me == 0) {                                                             \
      x[LANE] = 1;                                                             \
      if (FIRST)                                                               \
        STORE(f, 1, order, scope);                                             \
    } else {                                                                   \
      AWAIT(f, 1, other, scope_other);                                         \
      out[LANE] = x[LANE];                                                     \
    }                                                                          \
  }
MESSAGE(grid, GROUP, release_acquire, silent, REL, AGENT, ACQ, AGENT)
MESSAGE(grid, GROUP, system, silent, REL, SYSTEM, ACQ, SYSTEM)
MESSAGE(grid, GROUP, relaxed_acquire, found, RLX, AGENT, ACQ, AGENT)
MESSAGE(grid, GROUP, release_relaxed, found, REL, AGENT, RLX, AGENT)
MESSAGE(grid, GROUP, relaxed_relaxed, found, RLX, AGENT, RLX, AGENT)
MESSAGE(grid, GROUP, acquire_of_group, found, REL, AGENT, ACQ, WGROUP)
MESSAGE(group, WAVE, release_acquire, silent, REL, AGENT, ACQ, AGENT)
MESSAGE(group, WAVE, scope_of_group, silent, REL, WGROUP, ACQ, WGROUP)

CELL(grid, flag_before_data, found)
{
  ARGUMENTS;
  if (GROUP == 0) {
    if (FIRST)
      STORE(f, 1, REL, AGENT);
    x[LANE] = 1;
  } else {
    AWAIT(f, 1, ACQ, AGENT);
    out[LANE] = x[LANE];
  }
}

CELL(grid, acquire_of_another, found) /* of a word without a release */
{
  ARGUMENTS;
  if (GROUP == 0) {
    x[LANE] = 1;
    if (FIRST)
      STORE(f, 1, REL, AGENT);
  } else {
    const u32 first = LOAD(g, ACQ, AGENT);
    out[LANE] = x[LANE] + first;
  }
}

CELL(grid, flag_not_data, found) /* written behind the release */
{
  ARGUMENTS;
  if (GROUP == 0) {
    x[LANE] = 1;
    if (FIRST)
      STORE(f, 1, REL, AGENT);
    y[LANE] = 2;
  } else {
    AWAIT(f, 1, ACQ, AGENT);
    out[LANE] = x[LANE] + y[LANE];
  }
}

/* A flag of each lane, and one that the other wave does not wait for. */
#define FLAGS(name, verdict, flags, waits)                                     \
  CELL(group, flags_##name, verdict)                                           \
  {                                                                            \
    ARGUMENTS;                                                                 \
    if (WAVE == 0) {                                                           \
      x[LANE] = 1;                                                             \
      if (flags || FIRST)                                                      \
        STORE(f + (flags ? LANE : 0), 1, REL, WGROUP);                         \
    } else if (waits) {                                                        \
      AWAIT(f + (flags ? LANE : 0), 1, ACQ, WGROUP);                           \
      out[LANE] = x[LANE];                                                     \
    } else if (LOAD(f + (flags ? LANE : 0), ACQ, WGROUP) == 1) {               \
      out[LANE] = x[LANE];                                                     \
    }                                                                          \
  }
FLAGS(of_lanes, looks, 1, 1)
FLAGS(read_once, looks, 0, 0)

/* ---- fences ---- */

#define FENCED(where, me, name, verdict, scope, behind)                        \
  CELL(where, fence_##name, verdict)                                           \
  {                                                                            \
    ARGUMENTS;                                                                 \
    if (me == 0) {                                                             \
      x[LANE] = 1;                                                             \
      FENCE(REL, scope);                                                       \
      if (FIRST)                                                               \
        STORE(f, 1, RLX, AGENT);                                               \
    } else {                                                                   \
      if (!behind)                                                             \
        FENCE(ACQ, scope);                                                     \
      AWAIT(f, 1, RLX, AGENT);                                                 \
      if (behind)                                                              \
        FENCE(ACQ, scope);                                                     \
      out[LANE] = x[LANE];                                                     \
    }                                                                          \
  }
FENCED(grid, GROUP, pair, silent, "agent", 1)
FENCED(grid, GROUP, system, silent, "", 1)
FENCED(grid, GROUP, acquire_too_early, found, "agent", 0)
FENCED(group, WAVE, pair, silent, "workgroup", 1)

CELL(grid, fence_acquire_none, found)
{
  ARGUMENTS;
  if (GROUP == 0) {
    x[LANE] = 1;
    FENCE(REL, "agent");
    if (FIRST)
      STORE(f, 1, RLX, AGENT);
  } else {
    AWAIT(f, 1, RLX, AGENT);
    out[LANE] = x[LANE];
  }
}

CELL(grid, fence_more_between, silent)
{
  ARGUMENTS;
  if (GROUP == 0) {
    x[LANE] = 1;
    FENCE(REL, "agent");
    y[LANE] = 1; /* of its own */
    if (FIRST)
      STORE(f, 1, RLX, AGENT);
  } else {
    AWAIT(f, 1, RLX, AGENT);
    FENCE(ACQ, "agent");
    out[LANE] = x[LANE];
  }
}

/* ---- barriers and releases ---- */

/* Wave 1 of workgroup 0 writes, wave 0 releases: with a barrier between. */
#define BY_ANOTHER(name, verdict, between)                                     \
  CELL(both, name, verdict)                                                    \
  {                                                                            \
    ARGUMENTS;                                                                 \
    if (GROUP == 0) {                                                          \
      if (WAVE == 1)                                                           \
        x[LANE] = 1;                                                           \
      if (between)                                                             \
        barrier();                                                             \
      if (WAVE == 0 && FIRST)                                                  \
        STORE(f, 1, REL, AGENT);                                               \
    } else if (WAVE == 0) {                                                    \
      AWAIT(f, 1, ACQ, AGENT);                                                 \
      out[LANE] = x[LANE];                                                     \
    }                                                                          \
  }
BY_ANOTHER(release_behind_barrier, silent, 1)
BY_ANOTHER(release_without_barrier, found, 0)

/* Wave 0 of workgroup 1 acquires, wave 1 reads: with a barrier between. */
#define FOR_ANOTHER(name, verdict, between)                                    \
  CELL(both, name, verdict)                                                    \
  {                                                                            \
    ARGUMENTS;                                                                 \
    if (GROUP == 0) {                                                          \
      if (WAVE == 0) {                                                         \
        x[LANE] = 1;                                                           \
        if (FIRST)                                                             \
          STORE(f, 1, REL, AGENT);                                             \
      }                                                                        \
    } else {                                                                   \
      if (WAVE == 0)                                                           \
        AWAIT(f, 1, ACQ, AGENT);                                               \
      if (between)                                                             \
        barrier();                                                             \
      if (WAVE == 1)                                                           \
        out[LANE] = x[LANE];                                                   \
    }                                                                          \
  }
FOR_ANOTHER(acquire_before_barrier, silent, 1)
FOR_ANOTHER(acquire_without_barrier, found, 0)

/* ---- read-modify-writes ---- */

CELL(grid, counters, silent)
{
  ARGUMENTS;
  ADD(f + LANE % 4, 1, RLX, AGENT);
}

CELL(group, counters, silent)
{
  ARGUMENTS;
  ADD(f + LANE % 4, 1, RLX, WGROUP);
}

#define ZEROED(where, me, name, verdict, between)                              \
  CELL(where, zeroed_##name, verdict)                                          \
  {                                                                            \
    ARGUMENTS;                                                                 \
    if (me == 0)                                                               \
      f[LANE] = 0;                                                             \
    if (between)                                                               \
      barrier();                                                               \
    ADD(f + LANE, 1, RLX, AGENT);                                              \
  }
ZEROED(group, WAVE, with_barrier, silent, 1)
ZEROED(group, WAVE, without, found, 0)
ZEROED(grid, GROUP, without, found, 1)

CELL(group, counter_read_too_early, found)
{
  ARGUMENTS;
  ADD(f + LANE, 1, RLX, AGENT);
  out[WAVE * LANES + LANE] = f[LANE];
}

CELL(grid, counter_read_too_early, found)
{
  ARGUMENTS;
  ADD(f + LANE, 1, RLX, AGENT);
  out[GROUP * LANES + LANE] = f[LANE];
}

/* The other's counts lie behind the wave's own ones. */
#define REREAD(where, me, name, verdict, load)                                 \
  CELL(where, counter_##name, verdict)                                         \
  {                                                                            \
    ARGUMENTS;                                                                 \
    ADD(f + LANE, 1, RLX, AGENT);                                              \
    if (me == 1)                                                               \
      out[LANE] = load;                                                        \
  }
REREAD(grid, GROUP, reread, found, f[LANE])
REREAD(grid, GROUP, reread_by_atomics, silent, LOAD(f + LANE, RLX, AGENT))
REREAD(group, WAVE, reread, looks, f[LANE])

CELL(grid, counter_twice, found) /* no result has the order of the two */
{
  ARGUMENTS;
  if (GROUP == 0) {
    x[LANE] = 1;
    if (FIRST)
      ADD(f, 1, REL, AGENT);
  } else {
    if (FIRST) {
      ADD(f, 1, RLX, AGENT);
      ADD(f, 1, RLX, AGENT);
    }
    x[LANE] = 2;
  }
}

CELL(grid, loads_and_stores, silent) /* relaxed ones */
{
  ARGUMENTS;
  if (GROUP == 0)
    STORE(f + LANE, 1, RLX, AGENT);
  else
    out[LANE] = LOAD(f + LANE, RLX, AGENT);
}

CELL(grid, stores_and_loads, silent)
{
  ARGUMENTS;
  if (GROUP == 1)
    STORE(f + LANE, 1, RLX, AGENT);
  else
    out[LANE] = LOAD(f + LANE, RLX, AGENT);
}

/* The middle one of three takes part in a release sequence. */
#define CHAIN(name, verdict, first)                                            \
  CELL(three, chain_##name, verdict)                                           \
  {                                                                            \
    ARGUMENTS;                                                                 \
    if (GROUP == 0) {                                                          \
      x[LANE] = 1;                                                             \
      if (FIRST)                                                               \
        ADD(f, 1, first, AGENT);                                               \
    } else if (GROUP == 1) {                                                   \
      AWAIT(f, 1, RLX, AGENT);                                                 \
      if (FIRST)                                                               \
        ADD(f, 1, RLX, AGENT);                                                 \
    } else {                                                                   \
      AWAIT(f, 2, ACQ, AGENT);                                                 \
      out[LANE] = x[LANE];                                                     \
    }                                                                          \
  }
CHAIN(release, silent, REL)
CHAIN(relaxed, found, RLX)

/* The last workgroup adds up the words of the others. */
#define LAST(name, verdict, release, acquire)                                  \
  CELL(three, last_##name, verdict)                                            \
  {                                                                            \
    ARGUMENTS;                                                                 \
    u32 ticket = 0;                                                            \
    x[GROUP * LANES + LANE] = GROUP;                                           \
    if (release)                                                               \
      FENCE(REL, "agent");                                                     \
    if (FIRST)                                                                 \
      ticket = ADD(f, 1, RLX, AGENT);                                          \
    ticket = __builtin_amdgcn_readfirstlane(ticket);                           \
    if (ticket != 2)                                                           \
      return;                                                                  \
    if (acquire)                                                               \
      FENCE(ACQ, "agent");                                                     \
    out[LANE] = x[LANE] + x[LANES + LANE] + x[2 * LANES + LANE];               \
  }
LAST(fenced, silent, 1, 1)
LAST(not_released, found, 0, 1)
LAST(not_acquired, found, 1, 0)

/* ---- locks ---- */

static inline void lock(GLOBAL u32 *f)
{
  u32 none = 0;
  while (!__scoped_atomic_compare_exchange_n(f, &none, 1, 0, ACQ, RLX, AGENT)) {
    none = 0;
    __builtin_amdgcn_s_sleep(1);
  }
}

#define LOCKED(name, verdict, locks, which)                                    \
  CELL(three, lock_##name, verdict)                                            \
  {                                                                            \
    ARGUMENTS;                                                                 \
    if (!FIRST)                                                                \
      return;                                                                  \
    if (locks)                                                                 \
      lock(which);                                                             \
    x[0] += 1;                                                                 \
    if (locks)                                                                 \
      STORE(which, 0, REL, AGENT);                                             \
  }
LOCKED(taken, silent, 1, f)
LOCKED(taken_by_some, found, GROUP != 1, f)
LOCKED(taken_apart, found, 1, (GROUP == 1 ? f : g))

/* ---- a barrier of the dispatch, by atomics ---- */

static inline void barrier_of_grid(GLOBAL u32 *f, u32 count)
{
  FENCE(REL, "agent");
  if (FIRST) {
    ADD(f, 1, RLX, AGENT);
    AWAIT(f, count, RLX, AGENT);
  }
  FENCE(ACQ, "agent");
}

CELL(three, met, silent)
{
  ARGUMENTS;
  x[GROUP * LANES + LANE] = GROUP;
  barrier_of_grid(f, 3);
  out[GROUP * LANES + LANE] = x[(GROUP + 1) % 3 * LANES + LANE];
}

CELL(three, met_once_and_not_again, found)
{
  ARGUMENTS;
  x[GROUP * LANES + LANE] = GROUP;
  barrier_of_grid(f, 3);
  out[GROUP * LANES + LANE] = x[(GROUP + 1) % 3 * LANES + LANE];
  x[GROUP * LANES + LANE] = 7;
}

/* One of the waves of a workgroup, by atomics of its scope. */
CELL(group, met, silent)
{
  ARGUMENTS;
  x[WAVE * LANES + LANE] = WAVE;
  FENCE(REL, "workgroup");
  if (FIRST) {
    ADD(f, 1, RLX, WGROUP);
    AWAIT(f, 2, RLX, WGROUP);
  }
  FENCE(ACQ, "workgroup");
  out[WAVE * LANES + LANE] = x[(WAVE + 1) % 2 * LANES + LANE];
}

/* ---- the barrier of the device: up to gfx11 ---- */

#ifndef __GFX12__
#define MET(name, verdict, fences)                                             \
  CELL(gws, name, verdict)                                                     \
  {                                                                            \
    ARGUMENTS;                                                                 \
    x[GROUP * LANES + LANE] = GROUP;                                           \
    if (fences)                                                                \
      FENCE(__ATOMIC_SEQ_CST, "agent");                                        \
    __builtin_amdgcn_ds_gws_barrier(2, 0);                                     \
    if (fences)                                                                \
      FENCE(__ATOMIC_SEQ_CST, "agent");                                        \
    out[GROUP * LANES + LANE] = x[(GROUP + 1) % 3 * LANES + LANE];             \
  }
MET(fenced, silent, 1)
MET(unfenced, found, 0)

__attribute__((amdgpu_kernel)) void gws_init(void)
{
  __builtin_amdgcn_ds_gws_init(2, 0);
}
#endif

/* ---- barriers in two parts: gfx12 ---- */

#ifdef __GFX12__
static inline void arrive(void)
{
  FENCE(REL, "workgroup");
  __builtin_amdgcn_s_barrier_signal(-1);
}

static inline void await(void)
{
  __builtin_amdgcn_s_barrier_wait(-1);
  FENCE(ACQ, "workgroup");
}

CELL(group, split_write_before, silent)
{
  ARGUMENTS;
  if (WAVE == 0)
    x[LANE] = 1;
  arrive();
  y[WAVE * LANES + LANE] = 1; /* of its own */
  await();
  if (WAVE == 1)
    out[LANE] = x[LANE];
}

CELL(group, split_write_between, found)
{
  ARGUMENTS;
  arrive();
  if (WAVE == 0)
    x[LANE] = 1;
  await();
  if (WAVE == 1)
    out[LANE] = x[LANE];
}

/* Each atomic behind another access has a clock of its own. */
CELL(group, split_write_far_behind, found)
{
  ARGUMENTS;
  for (u32 i = 0; WAVE == 1 && FIRST && i < 200; i++)
    ADD(f, 1, RLX, WGROUP);
  arrive();
  if (WAVE == 0)
    x[LANE] = 1;
  await();
  if (WAVE == 1)
    out[LANE] = x[LANE];
}

CELL(group, split_read_between, found)
{
  ARGUMENTS;
  if (WAVE == 0)
    x[LANE] = 1;
  arrive();
  if (WAVE == 1)
    out[LANE] = x[LANE];
  await();
}

CELL(group, split_then_another, silent)
{
  ARGUMENTS;
  arrive();
  if (WAVE == 0)
    x[LANE] = 1;
  await();
  arrive();
  await();
  if (WAVE == 1)
    out[LANE] = x[LANE];
}
#endif

/* ---- LDS ---- */

static __attribute__((loader_uninitialized)) LDS u32 own[64], flag[64];

CELL(group, lds_met, silent) /* the same, of a counter in LDS */
{
  ARGUMENTS;
  if (WAVE == 0 && FIRST)
    flag[0] = 0;
  barrier();
  x[WAVE * LANES + LANE] = WAVE;
  FENCE(REL, "workgroup");
  if (FIRST) {
    ADD(flag, 1, RLX, WGROUP);
    AWAIT(flag, 2, RLX, WGROUP);
  }
  FENCE(ACQ, "workgroup");
  out[WAVE * LANES + LANE] = x[(WAVE + 1) % 2 * LANES + LANE];
}

CELL(group, lds_without_barrier, found)
{
  ARGUMENTS;
  if (WAVE == 0)
    own[LANE] = 1;
  else
    out[LANE] = own[LANE];
}

CELL(group, lds_with_barrier, silent)
{
  ARGUMENTS;
  if (WAVE == 0)
    own[LANE] = 1;
  barrier();
  if (WAVE == 1)
    out[LANE] = own[LANE];
}

CELL(group, lds_zeroed_without, found)
{
  ARGUMENTS;
  if (WAVE == 0)
    own[LANE] = 0;
  ADD(own + LANE, 1, RLX, WGROUP);
  barrier();
  out[LANE] = own[LANE];
}

CELL(group, lds_zeroed_with_barrier, silent)
{
  ARGUMENTS;
  if (WAVE == 0)
    own[LANE] = 0;
  barrier();
  ADD(own + LANE, 1, RLX, WGROUP);
  barrier();
  if (WAVE == 0)
    out[LANE] = own[LANE];
}

CELL(group, lds_ticket, silent) /* the last wave reads the words of the first */
{
  ARGUMENTS;
  u32 ticket = 0;
  if (WAVE == 0)
    flag[LANE] = 0;
  barrier();
  own[WAVE * (LANES / 2) + LANE % (LANES / 2)] = WAVE;
  FENCE(REL, "workgroup");
  if (FIRST)
    ticket = ADD(flag, 1, AR, WGROUP);
  ticket = __builtin_amdgcn_readfirstlane(ticket);
  FENCE(ACQ, "workgroup");
  if (ticket == 1)
    out[LANE] = own[LANE];
}
