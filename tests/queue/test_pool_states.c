/* SPDX-License-Identifier: MIT */
/*
 * The states of a pool's memory, all of them: three threads that each allocate
 * and free the same block on two queues, twice in the long run. A thread's work
 * with the pool's lock is one step, and so is each submission, refusal, end and
 * failure; every order of steps is tried, by breadth first search. The
 * transitions are alloca_pool.c's own (queue/alloca_states.h).
 *
 * Two states are one where they differ in nothing that a later step reads:
 * ended allocations that nothing names, waits of operations that have ended,
 * and which of two threads of a queue is where (world_reduce).
 *
 * In every state: no two allocations may be used, an idle block has no dealloca
 * under way, and some step is possible until all threads have done their work.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "queue/alloca_states.h"
#include "support/aqtest.h"

enum {
  THREADS = 3, /* at most */
  ALLOCATIONS = 6,
  QUEUES = 2, /* the operations of a thread go to one of them */
  NONE = 0xff,
};

typedef enum outcome { PENDING, GOOD, BAD } outcome;

/* Where a thread is in its operation. */
typedef enum phase { BEGINS, SUBMITS, ACCEPTS } phase;

/* A state: bytes, and no padding. */
typedef struct world {
  struct {
    unsigned char state, older, newer; /* NONE: it has not begun */
    unsigned char after;  /* the allocation whose `left` its alloca waits for */
    unsigned char before; /* that its dealloca waits for */
    unsigned char taken;  /* outcome of the alloca */
    unsigned char left;   /* outcome that the dealloca's semaphore shows */
    unsigned char ended;  /* outcome that the dealloca reported */
  } of[ALLOCATIONS];
  unsigned char newest, begun;
  struct {
    unsigned char done, phase, allocation;
  } threads[THREADS];
  struct {
    unsigned char count, told; /* the first end is reported, not signalled */
    unsigned char operations[2 * ALLOCATIONS]; /* allocation × 2 + free */
  } queues[QUEUES];
} world;

/* Of the search: threads, and operations of each: alloca, dealloca, … */
static int threads, operations;

/* ---- the code under test, on a world ---- */

static aq_allocation chain[ALLOCATIONS];

static aq_allocation *chain_at(unsigned char number)
{
  return number == NONE ? NULL : &chain[number];
}

static unsigned char number_of(const aq_allocation *allocation)
{
  return allocation ? (unsigned char)(allocation - chain) : NONE;
}

static aq_allocation *chain_load(const world *w)
{
  for (int i = 0; i < ALLOCATIONS; i++)
    chain[i] =
        (aq_allocation){chain_at(w->of[i].older), chain_at(w->of[i].newer),
                        (aq_allocation_state)w->of[i].state};
  return chain_at(w->newest);
}

static void chain_store(world *w, const aq_allocation *newest)
{
  for (int i = 0; i < w->begun; i++) {
    w->of[i].older = number_of(chain[i].older);
    w->of[i].newer = number_of(chain[i].newer);
    w->of[i].state = (unsigned char)chain[i].state;
  }
  w->newest = number_of(newest);
}

static void turn(world *w, unsigned char number, aq_allocation_event event)
{
  aq_allocation *newest = chain_load(w);
  ck_assert_int_ne(aq_allocation_next(chain[number].state, event),
                   AQ_ALLOCATION_STATES);
  aq_allocation_turn(&newest, &chain[number], event);
  chain_store(w, newest);
}

static aq_block_state block_of(const world *w)
{
  return aq_block_state_of(chain_load(w));
}

static void allocation_clear(world *w, int number)
{
  memset(&w->of[number], NONE, sizeof w->of[number]);
  w->of[number].taken = w->of[number].left = w->of[number].ended = PENDING;
}

/* ---- steps ---- */

static void queue_put(world *w, int thread, unsigned char operation)
{
  const int q = thread % QUEUES;
  w->queues[q].operations[w->queues[q].count++] = operation;
}

static void thread_goes_on(world *w, int t, int by)
{
  w->threads[t].done = (unsigned char)(w->threads[t].done + by);
  w->threads[t].phase = BEGINS;
}

static bool alloca_begin(world *w, int t)
{
  if (block_of(w) == AQ_BLOCK_ALLOCATED) { /* no memory, and nothing to free */
    thread_goes_on(w, t, 2);
    return true;
  }
  const unsigned char number = w->begun++;
  aq_allocation *newest = chain_load(w);
  w->of[number].after = number_of(newest);
  aq_allocation_begin(&newest, &chain[number]);
  chain_store(w, newest);
  w->threads[t].allocation = number;
  w->threads[t].phase = SUBMITS;
  return true;
}

static bool alloca_submit(world *w, int t, bool refused)
{
  const unsigned char number = w->threads[t].allocation;
  if (refused) {
    w->of[number].taken = BAD;
    turn(w, number, AQ_ALLOCA_FAILED);
  } else {
    queue_put(w, t, (unsigned char)(number * 2));
  }
  thread_goes_on(w, t, refused ? 2 : 1);
  return true;
}

static bool dealloca_begin(world *w, int t)
{
  const unsigned char number = w->threads[t].allocation;
  if (w->of[number].taken == BAD) { /* there is nothing to free */
    thread_goes_on(w, t, 1);
    return true;
  }
  ck_assert_uint_eq(w->newest, number);
  w->of[number].before = w->of[number].older;
  turn(w, number, AQ_DEALLOCA_REQUESTED);
  w->threads[t].phase = SUBMITS;
  return true;
}

static bool dealloca_submit(world *w, int t, bool refused)
{
  const unsigned char number = w->threads[t].allocation;
  if (refused) {
    turn(w, number, AQ_DEALLOCA_REFUSED);
    thread_goes_on(w, t, 1);
  } else {
    queue_put(w, t, (unsigned char)(number * 2 + 1));
    w->threads[t].phase = ACCEPTS;
  }
  return true;
}

static bool dealloca_accept(world *w, int t)
{
  const unsigned char number = w->threads[t].allocation;
  if (!w->of[number].ended)
    turn(w, number, AQ_DEALLOCA_ACCEPTED);
  thread_goes_on(w, t, 1);
  return true;
}

static bool thread_step(world *w, int t, bool refused)
{
  const bool frees = w->threads[t].done % 2;
  if (w->threads[t].done >= operations)
    return false;
  switch ((phase)w->threads[t].phase) {
  case BEGINS:
    return !refused && (frees ? dealloca_begin(w, t) : alloca_begin(w, t));
  case SUBMITS:
    return frees ? dealloca_submit(w, t, refused)
                 : alloca_submit(w, t, refused);
  case ACCEPTS:
    return !refused && dealloca_accept(w, t);
  }
  return false;
}

static outcome left_of(const world *w, unsigned char number)
{
  return number == NONE ? GOOD : (outcome)w->of[number].left;
}

/* Whether an operation can end so: it fails at any time, of its own, but is
 * complete only after all that it waits for. */
static bool may_end(const world *w, unsigned char number, bool frees, bool good)
{
  if (!good)
    return !frees || w->of[number].taken != PENDING;
  if (!frees)
    return left_of(w, w->of[number].after) == GOOD;
  return w->of[number].taken != PENDING &&
         left_of(w, w->of[number].before) == GOOD;
}

static void queue_pop(world *w, int q)
{
  w->queues[q].count--;
  w->queues[q].told = false;
  memmove(w->queues[q].operations, w->queues[q].operations + 1,
          w->queues[q].count);
  w->queues[q].operations[w->queues[q].count] = 0;
}

/* Whose memory may be used: the alloca is complete, the dealloca is not. */
static int owners_of(const world *w)
{
  int owners = 0;
  for (int i = 0; i < w->begun; i++)
    owners += w->of[i].taken == GOOD && w->of[i].ended != GOOD;
  return owners;
}

/* The first operation of a queue ends: it reports its end, then signals. */
static bool queue_step(world *w, int q, bool good)
{
  if (w->queues[q].count == 0)
    return false;
  const unsigned char operation = w->queues[q].operations[0];
  const unsigned char number = operation / 2;
  const bool frees = operation % 2;
  if (w->queues[q].told) {
    if (good != (w->queues[q].told == GOOD))
      return false;
    w->of[number].left = good ? GOOD : BAD;
    queue_pop(w, q);
    return true;
  }
  if (!may_end(w, number, frees, good))
    return false;
  if (frees) {
    w->of[number].ended = good ? GOOD : BAD;
    turn(w, number, good ? AQ_DEALLOCA_COMPLETE : AQ_DEALLOCA_FAILED);
    w->queues[q].told = good ? GOOD : BAD;
    return true;
  }
  w->of[number].taken = good ? GOOD : BAD;
  if (!good)
    turn(w, number, AQ_ALLOCA_FAILED);
  queue_pop(w, q);
  return true;
}

/* A failure that nothing makes happen: it is no way on. */
static bool is_luck(const world *w, int number)
{
  if (number < 2 * THREADS)
    return number % 2;
  const int q = (number - 2 * THREADS) / 2;
  if (number % 2 || w->queues[q].told)
    return false;
  const unsigned char operation = w->queues[q].operations[0];
  return left_of(w, operation % 2 ? w->of[operation / 2].before
                                  : w->of[operation / 2].after) != BAD;
}

enum { STEPS = 2 * THREADS + 2 * QUEUES };

static bool step(world *w, int number)
{
  if (number < 2 * THREADS)
    return number / 2 < threads && thread_step(w, number / 2, number % 2);
  number -= 2 * THREADS;
  return queue_step(w, number / 2, number % 2);
}

/* ---- states that are one ---- */

/* Marks the allocations whose alloca, or dealloca, has not ended. */
static void pending_of(const world *w, bool allocas[], bool deallocas[])
{
  for (int q = 0; q < QUEUES; q++)
    for (int i = 0; i < w->queues[q].count; i++) {
      const unsigned char operation = w->queues[q].operations[i];
      (operation % 2 ? deallocas : allocas)[operation / 2] = true;
    }
  for (int t = 0; t < threads; t++)
    if (w->threads[t].phase != BEGINS)
      (w->threads[t].done % 2 ? deallocas : allocas)[w->threads[t].allocation] =
          true;
}

/* Clears fields that no step reads any more, and marks the allocations that one
 * may read. */
static void world_forget(world *w, bool used[])
{
  bool allocas[ALLOCATIONS] = {false}, deallocas[ALLOCATIONS] = {false};
  pending_of(w, allocas, deallocas);
  for (int t = 0; t < threads; t++)
    if (w->threads[t].phase == BEGINS && w->threads[t].done % 2 == 0)
      w->threads[t].allocation = 0;
    else
      used[w->threads[t].allocation] = true;
  for (int i = 0; i < w->begun; i++) {
    if (!allocas[i])
      w->of[i].after = NONE;
    if (!deallocas[i])
      w->of[i].before = NONE;
    const bool over = w->of[i].state == AQ_ALLOCATION_ENDED;
    if (over)
      w->of[i].older = w->of[i].newer = NONE;
    used[i] |= allocas[i] || deallocas[i] || !over ||
               (w->of[i].taken == GOOD && w->of[i].ended != GOOD);
    if (w->of[i].after != NONE)
      used[w->of[i].after] = true;
    if (w->of[i].before != NONE)
      used[w->of[i].before] = true;
  }
}

/* Makes one state of all that behave alike from here on. */
static void world_reduce(world *w)
{
  bool used[ALLOCATIONS] = {false};
  unsigned char to[NONE + 1];
  world_forget(w, used);
  const int begun = w->begun;
  memset(to, NONE, sizeof to);
  w->begun = 0;
  for (int i = 0; i < begun; i++)
    if (used[i]) {
      to[i] = w->begun;
      w->of[w->begun++] = w->of[i];
    }
  for (int i = 0; i < w->begun; i++) {
    w->of[i].older = to[w->of[i].older];
    w->of[i].newer = to[w->of[i].newer];
    w->of[i].after = to[w->of[i].after];
    w->of[i].before = to[w->of[i].before];
  }
  for (int i = w->begun; i < ALLOCATIONS; i++)
    allocation_clear(w, i);
  w->newest = to[w->newest];
  for (int t = 0; t < threads; t++)
    if (used[w->threads[t].allocation]) /* or 0, of a thread that has none */
      w->threads[t].allocation = to[w->threads[t].allocation];
  for (int q = 0; q < QUEUES; q++)
    for (int i = 0; i < w->queues[q].count; i++) {
      unsigned char *operation = &w->queues[q].operations[i];
      *operation = (unsigned char)(to[*operation / 2] * 2 + *operation % 2);
    }
  /* Threads of one queue differ in nothing else. */
  for (int t = 0; t + QUEUES < threads; t++)
    if (memcmp(&w->threads[t], &w->threads[t + QUEUES], sizeof w->threads[t]) >
        0) {
      const world was = *w;
      w->threads[t] = was.threads[t + QUEUES];
      w->threads[t + QUEUES] = was.threads[t];
    }
}

/* ---- the search ---- */

typedef struct search {
  world *worlds; /* all that were found, in order */
  size_t count, room;
  uint32_t *table; /* number + 1 by hash, 0: none */
  size_t mask;
} search;

static size_t hash_of(const world *w)
{
  const unsigned char *at = (const unsigned char *)w;
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < sizeof *w; i++)
    hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
  return (size_t)(hash ^ hash >> 32);
}

static void table_grow(search *s)
{
  free(s->table);
  s->mask = s->mask * 2 + 1;
  s->table = calloc(s->mask + 1, sizeof *s->table);
  ck_assert_ptr_nonnull(s->table);
  for (size_t i = 0; i < s->count; i++) {
    size_t at = hash_of(&s->worlds[i]) & s->mask;
    while (s->table[at])
      at = (at + 1) & s->mask;
    s->table[at] = (uint32_t)i + 1;
  }
}

static void search_add(search *s, const world *w)
{
  size_t at = hash_of(w) & s->mask;
  for (; s->table[at]; at = (at + 1) & s->mask)
    if (memcmp(&s->worlds[s->table[at] - 1], w, sizeof *w) == 0)
      return;
  if (s->count == s->room) {
    s->room *= 2;
    s->worlds = realloc(s->worlds, s->room * sizeof *s->worlds);
    ck_assert_ptr_nonnull(s->worlds);
  }
  s->worlds[s->count++] = *w;
  s->table[at] = (uint32_t)s->count;
  if (s->count * 2 > s->mask)
    table_grow(s);
}

static bool is_over(const world *w)
{
  bool over = true;
  for (int t = 0; t < threads; t++)
    over &= w->threads[t].done >= operations;
  for (int q = 0; q < QUEUES; q++)
    over &= w->queues[q].count == 0;
  return over;
}

/* An idle block has no dealloca under way. */
static void idle_is_idle(const world *w)
{
  if (block_of(w) != AQ_BLOCK_FREE)
    return;
  for (int q = 0; q < QUEUES; q++)
    for (int i = w->queues[q].told ? 1 : 0; i < w->queues[q].count; i++)
      ck_assert_uint_eq(w->queues[q].operations[i] % 2, 0);
}

static void search_all(int of, int each)
{
  search s = {.room = 1 << 16, .mask = (1 << 17) - 1};
  size_t ends = 0;
  threads = of;
  operations = each;
  s.worlds = malloc(s.room * sizeof *s.worlds);
  s.table = calloc(s.mask + 1, sizeof *s.table);
  ck_assert(s.worlds && s.table);
  world first;
  memset(&first, 0, sizeof first);
  for (int i = 0; i < ALLOCATIONS; i++)
    allocation_clear(&first, i);
  first.newest = NONE;
  search_add(&s, &first);
  for (size_t i = 0; i < s.count; i++) {
    const world w = s.worlds[i];
    bool any = false;
    ck_assert_int_le(owners_of(&w), 1);
    idle_is_idle(&w);
    for (int n = 0; n < STEPS; n++) {
      world next = w;
      if (step(&next, n)) {
        any |= !is_luck(&w, n);
        world_reduce(&next);
        search_add(&s, &next);
      }
    }
    if (!any && !is_over(&w))
      ck_abort_msg("state %zu: no step is possible", i);
    if (!any)
      ck_assert_int_eq(block_of(&w) == AQ_BLOCK_ALLOCATED, owners_of(&w) == 1);
    ends += !any;
  }
  printf("# %d threads, %d operations each: %zu states, %zu of them final\n",
         of, each, s.count, ends);
  free(s.worlds);
  free(s.table);
}

START_TEST(memory_has_one_owner_in_every_order_of_events)
{
  search_all(3, 2);
  if (aqtest_is_long())
    search_all(3, 4);
}
END_TEST

AQ_TEST_MAIN("queue/test_pool_states",
             memory_has_one_owner_in_every_order_of_events)
