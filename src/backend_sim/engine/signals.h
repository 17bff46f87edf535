/* SPDX-License-Identifier: MIT */
/*
 * Signals: aq_amd_signal objects in memory, their watchers, and the
 * list of completions.
 *
 * A handle is the address of the signal, and its value lies at offset 8, as on
 * hardware. The pool owns the signals, except signals placed in memory of the
 * client; destroyed ones are used again. In live mode packets of clients may
 * name anything at all: aqsim_signal_named looks before it is touched. Watchers
 * are the caller's storage and are called for changes made through this header;
 * they may schedule events, but not change signals. Ordering: loads are
 * acquire, stores release, additions acquire-release.
 */
#ifndef AQSIM_SIGNALS_H
#define AQSIM_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend_sim/engine/page_probe.h"
#include "common/hsa_abi.h"
#include "common/slab.h"
#include "common/transport.h"

typedef struct aqsim_watcher aqsim_watcher;
struct aqsim_watcher {
  aqsim_watcher *next, *previous; /* NULL while it watches nothing */
  void (*changed)(aqsim_watcher *watcher, int64_t value);
};

typedef struct aqsim_signal {
  aq_amd_signal abi;     /* first: the handle points to it */
  aqsim_watcher zero;    /* list: told when the value becomes 0 */
  aqsim_watcher each;    /* list: told of every change */
  uint64_t user;         /* of signal_create */
  uint64_t number;       /* order of creation, names it in messages */
  uint32_t flags;        /* atomic: aq_signal_flag */
  bool polled;           /* a host that waits gets no interrupt */
  bool placed;           /* in memory of the client */
  uint32_t device;       /* whose ticks start_ts and end_ts are */
  uint32_t sleepers;     /* atomic: hosts that sleep until it changes (live) */
  uint32_t begun, ended; /* atomic: changes meanwhile, by calls */
  struct aqsim_signal *next; /* that is free, or placed */
} __attribute__((aligned(64))) aqsim_signal;

_Static_assert(sizeof(aqsim_signal) <= AQ_SIGNAL_PLACE_SIZE, "has its place");

typedef struct aqsim_signals {
  aq_slab slab;
  aqsim_signal *free;
  aqsim_signal *placed;
  uint64_t created;
  /* Completions that drain() has not handed out yet: a ring. */
  aq_completion *drained;
  size_t drain_first, drain_count, drain_capacity;
  bool failed;       /* out of memory: completions were lost */
  uint32_t drainers; /* atomic: hosts that sleep until one completes (live) */
  /* Wakes the hosts that sleep for some of `what`. Not NULL: live, other
   * threads change signals too. */
  void (*awake)(void *user, uint32_t what);
  void *awake_user;
  struct aq_allocations *allocations; /* where they are published, or NULL */
  bool trusts; /* pool memory in it stays until it is withdrawn */
} aqsim_signals;

void aqsim_signals_fini(aqsim_signals *signals);

/* Words the error in a description; `devices` is their number. */
aq_status aqsim_signal_check(const aq_signal_desc *desc, uint32_t devices,
                             aq_diag *diag);

/* NULL when out of memory. The description is a checked one. */
aqsim_signal *aqsim_signal_create(aqsim_signals *signals,
                                  const aq_signal_desc *desc);

/* Its remaining watchers are never called again. */
void aqsim_signal_destroy(aqsim_signals *signals, aqsim_signal *signal);

static inline aqsim_signal *aqsim_signal_from(aq_signal handle)
{
  return (aqsim_signal *)(uintptr_t)handle.handle;
}

static inline aq_signal aqsim_signal_handle(const aqsim_signal *signal)
{
  return (aq_signal){(uint64_t)(uintptr_t)signal};
}

/* Its bit of what hosts sleep for (futex.h): many share one. */
static inline uint32_t aqsim_signal_bit(const aqsim_signal *signal)
{
  return UINT32_C(1) << (signal->number & 31);
}

static inline int64_t aqsim_signal_load(const aqsim_signal *signal)
{
  return __atomic_load_n(&signal->abi.value, __ATOMIC_ACQUIRE);
}

/* The signal that a handle names, NULL when it is none of this pool. */
const aqsim_signal *aqsim_signals_find(const aqsim_signals *signals,
                                       aq_signal handle);

/* Whether a handle lies in the pool: then its memory stays, live or destroyed.
 * Any thread. */
static inline bool aqsim_signal_is_pooled(const aqsim_signals *signals,
                                          aq_signal handle)
{
  return aq_slab_has(&signals->slab, handle.handle, sizeof(aqsim_signal));
}

/* Whether memory of a client is there for sure: no system call has to ask. */
bool aqsim_signals_trust(const aqsim_signals *signals, uint64_t address,
                         uint64_t size);

typedef enum aqsim_named {
  AQSIM_NAMED_SIGNAL,    /* of the pool, or placed */
  AQSIM_NAMED_DESTROYED, /* it was one of the pool */
  AQSIM_NAMED_FOREIGN,   /* an amd_signal_t that the client made itself */
  AQSIM_NAMED_NOTHING,   /* memory that is unmapped or misaligned: *unmapped */
} aqsim_named;

/* Whether a handle that is not 0 names a signal of the simulator or a client's
 * own memory. Virtual time trusts its caller: there it is always a signal. Sets
 * `*unmapped` to the first unmapped byte. */
aqsim_named aqsim_signal_named(const aqsim_signals *signals, aq_signal handle,
                               aqsim_access access, uint64_t *unmapped);

/* ---- what every change does: inline, since every packet passes here ---- */

/* Another thread may add flags meanwhile. */
static inline bool aqsim_signal_has(const aqsim_signal *signal, uint32_t flag)
{
  return __atomic_load_n(&signal->flags, __ATOMIC_RELAXED) & flag;
}

static inline bool aqsim_signal_is_watched(const aqsim_signal *signal)
{
  return signal->zero.next != &signal->zero ||
         signal->each.next != &signal->each;
}

/* Calls the watchers of a list. */
void aqsim_watchers_notify(aqsim_watcher *list, int64_t value);

/* Whether other threads change signals too, and may sleep for a change. */
static inline bool aqsim_signals_are_live(const aqsim_signals *signals)
{
  return __builtin_expect(signals->awake != NULL, false);
}

/* Wakes the watchers and, `live`, the threads that sleep. */
__attribute__((always_inline)) static inline void
aqsim_signal_notify_in(const aqsim_signals *signals, aqsim_signal *signal,
                       int64_t value, bool live)
{
  if (live && __atomic_load_n(&signal->sleepers, __ATOMIC_SEQ_CST))
    signals->awake(signals->awake_user, aqsim_signal_bit(signal));
  if (value == 0 && signal->zero.next != &signal->zero)
    aqsim_watchers_notify(&signal->zero, value);
  if (signal->each.next != &signal->each)
    aqsim_watchers_notify(&signal->each, value);
}

static inline void aqsim_signal_notify(const aqsim_signals *signals,
                                       aqsim_signal *signal, int64_t value)
{
  aqsim_signal_notify_in(signals, signal, value,
                         aqsim_signals_are_live(signals));
}

/* Room for more completions; false when out of memory. */
bool aqsim_drain_grow(aqsim_signals *signals);

/* Live: hosts look at the number without the lock, before they sleep. */
void aqsim_drain_notify(aqsim_signals *signals, size_t count);

__attribute__((always_inline)) static inline void
aqsim_drain_count_set(aqsim_signals *signals, size_t count, bool live)
{
  if (live)
    aqsim_drain_notify(signals, count);
  else
    signals->drain_count = count;
}

/* Around a change while hosts sleep for it: the count shows a handler that
 * the value was stored again, although it is the same. */
static inline bool aqsim_signal_change_begin(aqsim_signal *signal)
{
  if (__builtin_expect(
          __atomic_load_n(&signal->sleepers, __ATOMIC_SEQ_CST) == 0, true))
    return false;
  __atomic_fetch_add(&signal->begun, 1, __ATOMIC_SEQ_CST);
  return true;
}

static inline void aqsim_signal_change_end(aqsim_signal *signal, bool counted)
{
  if (counted)
    __atomic_fetch_add(&signal->ended, 1, __ATOMIC_SEQ_CST);
}

/* A drain signal was decremented at `now`. */
__attribute__((always_inline)) static inline void
aqsim_drain_note_in(aqsim_signals *signals, const aqsim_signal *signal,
                    aq_time now, bool live)
{
  const size_t count = signals->drain_count;
  if (__builtin_expect(count == signals->drain_capacity, false) &&
      !aqsim_drain_grow(signals)) {
    signals->failed = true;
    return;
  }
  aq_completion *at = &signals->drained[(signals->drain_first + count) &
                                        (signals->drain_capacity - 1)];
  at->signal = aqsim_signal_handle(signal);
  at->user = signal->user;
  at->time = now;
  aqsim_drain_count_set(signals, count + 1, live);
}

static inline void aqsim_drain_note(aqsim_signals *signals,
                                    const aqsim_signal *signal, aq_time now)
{
  aqsim_drain_note_in(signals, signal, now, aqsim_signals_are_live(signals));
}

/* Adds and returns the value before. A decrement of a drain signal is noted as
 * a completion at `now`. `live`: aqsim_signals_are_live. */
__attribute__((always_inline)) static inline int64_t
aqsim_signal_add_in(aqsim_signals *signals, aqsim_signal *signal, int64_t value,
                    aq_time now, bool live)
{
  int64_t before;
  if (live) {
    const bool counted = aqsim_signal_change_begin(signal);
    before = __atomic_fetch_add(&signal->abi.value, value, __ATOMIC_SEQ_CST);
    aqsim_signal_change_end(signal, counted);
  } else {
    /* One thread drives the transport, so no other writes in between. */
    before = aqsim_signal_load(signal);
    __atomic_store_n(&signal->abi.value, before + value, __ATOMIC_RELEASE);
  }
  if (value < 0 && aqsim_signal_has(signal, AQ_SIGNAL_DRAIN))
    aqsim_drain_note_in(signals, signal, now, live);
  aqsim_signal_notify_in(signals, signal, before + value, live);
  return before;
}

static inline int64_t aqsim_signal_add(aqsim_signals *signals,
                                       aqsim_signal *signal, int64_t value,
                                       aq_time now)
{
  return aqsim_signal_add_in(signals, signal, value, now,
                             aqsim_signals_are_live(signals));
}

/* ---- other changes ---- */

void aqsim_signal_store(aqsim_signals *signals, aqsim_signal *signal,
                        int64_t value);

/* Any update; returns the value before. A subtraction, or an addition of less
 * than 0, is a decrement. */
int64_t aqsim_signal_update(aqsim_signals *signals, aqsim_signal *signal,
                            aq_signal_op op, int64_t operand, int64_t expected,
                            aq_time now);

/* The same for the value alone, without watchers. Sequentially consistent. */
int64_t aqsim_signal_change(aqsim_signal *signal, aq_signal_op op,
                            int64_t operand, int64_t expected);

/* Starts and stops watching; stopping is allowed at any time, also twice. */
void aqsim_signal_watch(aqsim_watcher *list, aqsim_watcher *watcher);
void aqsim_signal_unwatch(aqsim_watcher *watcher);

/* Moves up to `capacity` completions out, in order. */
uint32_t aqsim_signals_drain(aqsim_signals *signals, aq_completion *out,
                             uint32_t capacity);

#endif
