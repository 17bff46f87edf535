/* SPDX-License-Identifier: MIT */
/*
 * Axes: the part of a queue that others know, also when it is gone. The epochs
 * of a queue complete in order, and an axis shows that in a signal.
 *
 * Counted: one signal for all epochs, counted down from AQ_AXIS_START; epoch N
 * is complete when it is below aq_axis_limit(N). Flagged: a signal for each
 * epoch in flight, 1 until it is complete; for devices that can only wait for
 * zero, and for queues whose operations are timed one by one. They are used
 * again when neither the queue nor a waiting one refers to them.
 *
 * Failure: when the queue's device stops, all signals are set as if everything
 * were complete, so that no wait lasts for ever, and `failed_from` is the
 * first epoch of which that is not true.
 *
 * Ownership: counted references. Thread rule: any thread; a reference of one's
 * own is needed.
 */
#ifndef AQ_QUEUE_SYNC_AXIS_H
#define AQ_QUEUE_SYNC_AXIS_H

#include "queue/sync/context_priv.h"
#include "queue/sync/frontier.h"

#define AQ_AXIS_START  (INT64_C(1) << 62)
#define AQ_EPOCH_NEVER UINT64_MAX

struct aq_flag {
  aq_signal signal;
  uint32_t refs;      /* atomic */
  aq_flag *next_free; /* of the hub */
  aq_flag *next;      /* of all */
};

typedef struct aq_queue aq_queue;

/* Retires the complete epochs of a queue: called with the gate of its axis,
 * when a handler fires and when a host looks. */
typedef void aq_axis_retire(aq_queue *queue);

struct aq_axis {
  aq_hub *hub;
  aq_axis *next, **link; /* of the hub's list */
  uint32_t refs;         /* atomic; an armed handler has one */
  uint32_t id;           /* unique in the hub */
  aq_signal counter;     /* counted */
  uint64_t failed_from;  /* atomic: epoch; AQ_EPOCH_NEVER: it has not */
  aq_status failed;      /* set before failed_from */
  aq_diag cause;
  pthread_mutex_t gate; /* handlers use the queue with it */
  aq_queue *queue;      /* NULL: it is gone */
  aq_axis_retire *retire;
};

/* counted: with a signal for all of its epochs. */
aq_status aq_axis_create(aq_hub *hub, aq_queue *queue, aq_axis_retire *retire,
                         bool counted, aq_axis **out, aq_diag *diag);
void aq_axis_release(aq_axis *axis);
void aq_axes_free(aq_hub *hub); /* all that are left, and all flags */

static inline aq_axis *aq_axis_retain(aq_axis *axis)
{
  aq_refs_add(axis->hub, &axis->refs);
  return axis;
}

static inline int64_t aq_axis_limit(uint64_t epoch)
{
  return AQ_AXIS_START - (int64_t)epoch + 1;
}

static inline uint64_t aq_axis_failed_from(const aq_axis *axis)
{
  return __atomic_load_n(&axis->failed_from, __ATOMIC_ACQUIRE);
}

/* The one behind `axis` in the hub's list, the first for NULL, with a
 * reference; gives the one to `axis` back. */
aq_axis *aq_axis_next(aq_hub *hub, aq_axis *axis);

/* Drops the entries of complete epochs, which need no more waiting for. */
void aq_hub_prune(aq_hub *hub, aq_frontier *frontier);

/* Retires its queue, if it has one that no other thread is retiring. */
void aq_axis_poll(aq_axis *axis);

/* A signal that is 1, with one reference; of the axis' hub. */
aq_status aq_flag_take(aq_hub *hub, aq_flag **out, aq_diag *diag);
void aq_flag_release(aq_hub *hub, aq_flag *flag);

static inline aq_flag *aq_flag_retain(const aq_hub *hub, aq_flag *flag)
{
  aq_refs_add(hub, &flag->refs);
  return flag;
}

/* An epoch that something waits for, with references of its own. */
typedef struct aq_epoch_ref {
  aq_axis *axis;
  uint64_t epoch;
  aq_flag *flag; /* NULL: counted */
} aq_epoch_ref;

void aq_epoch_release(const aq_epoch_ref *edge);

/* What to look at: the epoch is complete when `signal` is below `limit`. */
static inline aq_wait_item aq_epoch_item(const aq_epoch_ref *edge)
{
  return edge->flag ? (aq_wait_item){edge->flag->signal, AQ_LT, 1}
                    : (aq_wait_item){edge->axis->counter, AQ_LT,
                                     aq_axis_limit(edge->epoch)};
}

/* Lets the transport call back when the epoch is complete: the callback then
 * retires the queue. Without handlers, or without memory for one, waiting
 * hosts look on their own. */
void aq_epoch_arm(const aq_epoch_ref *edge);

#endif
