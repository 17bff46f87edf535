/* SPDX-License-Identifier: MIT */
/* What queues know of semaphores; the rest of the world has semaphore.h. */
#ifndef AQ_QUEUE_SYNC_SEMAPHORE_PRIV_H
#define AQ_QUEUE_SYNC_SEMAPHORE_PRIV_H

#include "queue/semaphore.h"
#include "queue/sync/frontier.h"
#include "queue/sync/queue_timeline.h"

/* A value that an epoch of a queue is going to bring. Waits for values above
 * `after` up to `value` are waits for that epoch. */
typedef struct aq_pending_signal {
  uint64_t after, value;
  aq_queue_timeline
      *timeline; /* borrowed: a pending signal ends before its queue */
  uint64_t epoch;
  aq_epoch_signal *flag; /* borrowed, or NULL */
  bool host; /* the host has a part in it: devices cannot wait for it */
} aq_pending_signal;

enum { AQ_PENDING_SIGNALS = 4 };

/* A callback for when a value is reached or the semaphore fails. The
 * caller's storage; taken out of the list before the call. */
typedef struct aq_timepoint aq_timepoint;
struct aq_timepoint {
  aq_timepoint *next;
  uint64_t value;
  void (*reached)(aq_timepoint *timepoint, aq_status status, const char *cause);
  /* An epoch promises the value: called with the semaphore's lock, perhaps
   * repeatedly. Its owner looks at the epoch; NULL: a handler does.
   */
  void (*pending_signal)(aq_timepoint *timepoint);
};

struct aq_semaphore {
  aq_context *context;
  aq_sync_domain *sync_domain; /* of the context */
  uint32_t refs;               /* atomic */
  uint32_t flags;
  uint64_t value;       /* atomic; changed under the lock */
  uint32_t failed;      /* atomic: aq_status; changed under the lock */
  pthread_mutex_t lock; /* of the rest */
  aq_diag cause;
  uint64_t pending_signal; /* the highest promised value */
  aq_pending_signal
      pending_signals[AQ_PENDING_SIGNALS]; /* the last ones, a ring */
  uint32_t pending_signal_last, pending_signal_count;
  bool hosted;           /* some pending signal had a part of the host's */
  aq_frontier frontier;  /* the epochs before the last pending signal */
  aq_frontier producers; /* all epochs that ever promised */
  aq_timepoint *waiting; /* by value */
};

/* One of the queues' own, which no submit hooks see. */
aq_status aq_semaphore_make(aq_context *context, uint64_t value, uint32_t flags,
                            aq_semaphore **out, aq_diag *diag);

/* Reached: stores the value and calls the waiters. A smaller one is nothing. */
void aq_semaphore_advance(aq_semaphore *semaphore, uint64_t value);

/* Calls a timepoint, now or later. */
void aq_semaphore_add_timepoint(aq_semaphore *semaphore,
                                aq_timepoint *timepoint);

/* Cancels it; false: it was called, or is about to be. */
bool aq_semaphore_cancel_timepoint(aq_semaphore *semaphore,
                                   aq_timepoint *timepoint);

/* An epoch will bring a value. `frontier`: the epochs that complete before it,
 * NULL: not known. */
void aq_semaphore_add_pending_signal(aq_semaphore *semaphore,
                                     const aq_pending_signal *pending,
                                     const aq_frontier *frontier);

/* Promises in flight that are still known, 0 for the last one. */
static inline const aq_pending_signal *
aq_semaphore_pending_signal_at(const aq_semaphore *semaphore, uint32_t back)
{
  return &semaphore->pending_signals[(semaphore->pending_signal_last - back) %
                                     AQ_PENDING_SIGNALS];
}

/* The pending signal that covers a value, NULL: none is known. With the lock.
 */
const aq_pending_signal *
aq_semaphore_find_pending_signal(const aq_semaphore *semaphore, uint64_t value);

static inline uint64_t aq_semaphore_value(const aq_semaphore *semaphore)
{
  return __atomic_load_n(&semaphore->value, __ATOMIC_ACQUIRE);
}

static inline aq_status aq_semaphore_failed(const aq_semaphore *semaphore)
{
  return (aq_status)__atomic_load_n(&semaphore->failed, __ATOMIC_ACQUIRE);
}

/* The failure in its words. */
aq_status aq_semaphore_failure(const aq_semaphore *semaphore, aq_diag *diag);

#endif
