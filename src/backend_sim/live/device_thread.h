/* SPDX-License-Identifier: MIT */
/*
 * The device of live mode: one thread that runs the calendar, the lock that it
 * shares with host threads, and the driver of time. device_thread.c has the
 * modes, the roles and the orders.
 *
 * Once the device thread drives, it polls write indices, doorbells, headers and
 * the memory that packets wait for. Idle, it spins first, then sleeps longer
 * and longer (doc/live.md); operations of the table wake it, raw stores wait
 * for its next look.
 *
 * The lock protects the whole simulator. Functions below take it where they do
 * not say otherwise.
 */
#ifndef AQSIM_DEVICE_THREAD_H
#define AQSIM_DEVICE_THREAD_H

#include <pthread.h>

#include "backend_sim/core.h"
#include "backend_sim/live/interrupt_delay.h"

typedef struct aqsim_live_handlers aqsim_live_handlers;

struct aqsim_live {
  aqsim *sim;
  pthread_t thread;
  pthread_mutex_t lock;
  bool started;

  /* Atomic words that both sides use. */
  uint32_t wanted;       /* host threads that want the lock */
  uint32_t served;       /* times that one got it */
  uint32_t device_waits; /* for the lock, which a host has: they give way */
  uintptr_t owner;       /* the thread that has the lock, or 0 */
  uint32_t bell;         /* futex: the device sleeps on it */
  uint32_t asleep;       /* the device sleeps, or is about to */
  uint32_t changed;      /* futex: hosts sleep on it */
  uint32_t stop;
  uint32_t free;       /* the device drives: lockstep has ended */
  uint32_t idle_turns; /* looks at everything that found nothing */
  uint32_t sleepers;   /* hosts that wait for a look like that */
  uint32_t failed;     /* aq_status of the record sink, or memory ran out */
  uint32_t hosts;      /* threads inside of an operation of the time group */
  uint32_t closing;    /* they have to leave */
  uintptr_t driver;    /* the thread whose event runs, or 0 */
  aq_time now;         /* virtual time as hosts see it */
  aqsim_leads leads;

  /* Under the lock. */
  uint32_t depth;         /* times that its owner took it */
  uintptr_t client;       /* the only thread so far, or 0 */
  uint64_t entries, seen; /* times it drove; when the device looked last */
  uint32_t patience;
  int64_t idle_since; /* wall ns, 0: busy */
  const aqsim_queue
      *host_functions; /* whose host function the driver runs, or NULL */
  pthread_cond_t back; /* it returned */

  /* Constant. */
  aq_pace pace;
  int64_t wall_origin;
  aq_time origin;

  aqsim_live_handlers *handlers; /* NULL until the first one */
};

/* Starts the thread; the simulator is complete. Closing stops it. */
aq_status aqsim_live_start(aqsim *sim, aq_pace pace, aq_diag *diag);
void aqsim_live_stop(aqsim *sim);

void aqsim_live_lock(aqsim_live *live);
void aqsim_live_unlock(aqsim_live *live);

/* Whether the caller has the lock: no other thread stores its id. */
static inline bool aqsim_live_is_locked(const aqsim_live *live)
{
  return __atomic_load_n(&live->owner, __ATOMIC_RELAXED) ==
         (uintptr_t)pthread_self();
}

/* Takes the lock for an operation of a host thread: a second one ends the
 * lockstep. */
void aqsim_live_enter(aqsim_live *live);

/* Takes the lock and returns true if the caller drives time: the lockstep holds
 * and no other thread is inside. Otherwise nothing is locked. */
bool aqsim_live_drive(aqsim_live *live);

/* The lock is held: the device thread drives from now on. */
void aqsim_live_end_lockstep(aqsim_live *live);

/* A host thread is inside of an operation of the time group; false: the
 * simulator closes, and must not be touched. The last thing that it touches is
 * the end. */
bool aqsim_live_host_begin(aqsim_live *live);
void aqsim_live_host_end(aqsim_live *live);

/* Sends host threads out of their waits, and lets no other in. */
void aqsim_live_hosts_leave(aqsim_live *live);

static inline bool aqsim_live_is_closing(const aqsim_live *live)
{
  return __atomic_load_n(&live->closing, __ATOMIC_SEQ_CST);
}

/* One whose timed waits end by CLOCK_MONOTONIC. */
void aqsim_live_cond_init(pthread_cond_t *condition);

/* The lock is held, once: waits until no host function of a queue runs. It may
 * itself wait for the caller, so a second is the most. A queue that is
 * destroyed then stays in memory, with its packets in flight, packets and ring,
 * until the event of the function has ended (aqsim_queues_sweep); the client
 * has to keep only the data that it gave the function. */
void aqsim_live_outside_wait(aqsim_live *live, const aqsim_queue *queue);

/* Whether the caller is a callback of an event. */
static inline bool aqsim_live_inside(const aqsim_live *live)
{
  return __atomic_load_n(&live->driver, __ATOMIC_RELAXED) ==
         (uintptr_t)pthread_self();
}

static inline bool aqsim_live_is_free(const aqsim_live *live)
{
  return __atomic_load_n(&live->free, __ATOMIC_ACQUIRE);
}

void aqsim_live_wake_device(aqsim_live *live);

/* The threads that sleep for some of `what` (futex.h). */
void aqsim_live_wake_hosts(aqsim_live *live, uint32_t what);

/* Lock-free: wakes the device if it sleeps. The caller stored the change before
 * this call, sequentially consistent. The first caller clears `asleep` and pays
 * for the wake-up; the device looks at everything when it wakes, so it also
 * finds the changes of the other callers. */
static inline void aqsim_live_ring(aqsim_live *live)
{
  if (__atomic_load_n(&live->asleep, __ATOMIC_SEQ_CST) &&
      __atomic_exchange_n(&live->asleep, 0, __ATOMIC_SEQ_CST))
    aqsim_live_wake_device(live);
}

/* Virtual time now, lock-free, and wall time for a stretch of virtual time. */
aq_time aqsim_live_now(const aqsim_live *live);
int64_t aqsim_live_wall(const aqsim_live *live, aq_time duration);

#endif
