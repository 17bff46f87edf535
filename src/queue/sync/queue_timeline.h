/* SPDX-License-Identifier: MIT */
/*
 * Timelines: the part of a queue that others know, also when it is gone. The
 * epochs of a queue complete in order, and a timeline shows that in a signal.
 *
 * Counted: one signal for all epochs, counted down from AQ_TIMELINE_START;
 * epoch N is complete when it is below aq_queue_timeline_limit(N). Flagged: a
 * signal for each epoch in flight, 1 until it is complete; for devices that can
 * only wait for zero, and for queues whose operations are timed one by one.
 * They are used again when neither the queue nor a waiting one refers to them.
 *
 * Failure: when the queue's device stops, all signals are set as if everything
 * were complete, so that no wait lasts for ever, and `failed_from` is the
 * first epoch of which that is not true.
 *
 * Ownership: counted references. Thread rule: any thread; a reference of one's
 * own is needed.
 */
#ifndef AQ_QUEUE_SYNC_QUEUE_TIMELINE_H
#define AQ_QUEUE_SYNC_QUEUE_TIMELINE_H

#include "queue/sync/context_priv.h"
#include "queue/sync/frontier.h"

#define AQ_TIMELINE_START (INT64_C(1) << 62)
#define AQ_EPOCH_NEVER    UINT64_MAX

struct aq_epoch_signal {
  aq_signal signal;
  uint32_t refs;              /* atomic */
  aq_epoch_signal *next_free; /* of the sync domain */
  aq_epoch_signal *next;      /* of all */
};

typedef struct aq_queue aq_queue;

/* Retires the complete epochs of a queue: called with the retire lock of its
 * timeline, when a handler fires and when a host looks. */
typedef void aq_queue_timeline_retire(aq_queue *queue);

struct aq_queue_timeline {
  aq_sync_domain *sync_domain;
  aq_queue_timeline *next, **link; /* of the sync domain's list */
  uint32_t refs;                   /* atomic; an armed handler has one */
  uint32_t id;                     /* unique in the sync domain */
  aq_signal counter;               /* counted */
  uint64_t failed_from; /* atomic: epoch; AQ_EPOCH_NEVER: it has not */
  aq_status failed;     /* set before failed_from */
  aq_diag cause;
  pthread_mutex_t retire_lock; /* handlers use the queue with it */
  aq_queue *queue;             /* NULL: it is gone */
  aq_queue_timeline_retire *retire;
};

/* counted: with a signal for all of its epochs. */
aq_status aq_queue_timeline_create(aq_sync_domain *sync_domain, aq_queue *queue,
                                   aq_queue_timeline_retire *retire,
                                   bool counted, aq_queue_timeline **out,
                                   aq_diag *diag);
void aq_queue_timeline_release(aq_queue_timeline *timeline);
void aq_queue_timelines_free(
    aq_sync_domain *sync_domain); /* all that are left, and all flags */

static inline aq_queue_timeline *
aq_queue_timeline_retain(aq_queue_timeline *timeline)
{
  aq_refs_add(timeline->sync_domain, &timeline->refs);
  return timeline;
}

static inline int64_t aq_queue_timeline_limit(uint64_t epoch)
{
  return AQ_TIMELINE_START - (int64_t)epoch + 1;
}

static inline uint64_t
aq_queue_timeline_failed_from(const aq_queue_timeline *timeline)
{
  return __atomic_load_n(&timeline->failed_from, __ATOMIC_ACQUIRE);
}

/* The one behind `timeline` in the sync domain's list, the first for NULL, with
 * a reference; gives the one to `timeline` back. */
aq_queue_timeline *aq_queue_timeline_next(aq_sync_domain *sync_domain,
                                          aq_queue_timeline *timeline);

/* Drops the entries of complete epochs, which need no more waiting for. */
void aq_sync_domain_prune(aq_sync_domain *sync_domain, aq_frontier *frontier);

/* Retires its queue, if it has one that no other thread is retiring. */
void aq_queue_timeline_poll(aq_queue_timeline *timeline);

/* The same, but waits for that thread: in callbacks of the transport. */
void aq_queue_timeline_look(aq_queue_timeline *timeline);

/* A signal that is 1, with one reference; of the timeline' sync domain. */
aq_status aq_epoch_signal_acquire(aq_sync_domain *sync_domain,
                                  aq_epoch_signal **out, aq_diag *diag);
void aq_epoch_signal_release(aq_sync_domain *sync_domain,
                             aq_epoch_signal *flag);

static inline aq_epoch_signal *
aq_epoch_signal_retain(const aq_sync_domain *sync_domain, aq_epoch_signal *flag)
{
  aq_refs_add(sync_domain, &flag->refs);
  return flag;
}

/* An epoch that something waits for, with references of its own. */
typedef struct aq_epoch_ref {
  aq_queue_timeline *timeline;
  uint64_t epoch;
  aq_epoch_signal *flag; /* NULL: counted */
} aq_epoch_ref;

void aq_epoch_release(const aq_epoch_ref *edge);

/* What to look at: the epoch is complete when `signal` is below `limit`. */
static inline aq_wait_item aq_epoch_item(const aq_epoch_ref *edge)
{
  return edge->flag ? (aq_wait_item){edge->flag->signal, AQ_LT, 1}
                    : (aq_wait_item){edge->timeline->counter, AQ_LT,
                                     aq_queue_timeline_limit(edge->epoch)};
}

/* Lets the transport call back when the epoch is complete: the callback then
 * retires the queue. Without handlers, or without memory for one, waiting
 * hosts look on their own. */
void aq_epoch_arm(const aq_epoch_ref *edge);

#endif
