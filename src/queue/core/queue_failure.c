/* SPDX-License-Identifier: MIT */
/*
 * How a queue fails, and where that is reported.
 *
 *   the device refuses a packet    aq_queue_error_handle: of the ring
 *   a system event, a memory fault aq_context_event: of every queue that it
 *                                  hits
 *   the queue is destroyed         aq_queue_destroy (queue.c)
 *
 * Each ends in aq_queue_fail_locked, where the first one counts: the cause,
 * then `failed_from`, the first epoch that does not complete, then all signals
 * as if they were complete. Users learn of it later and elsewhere: the retirer
 * (retire.c) fails the semaphores that the lost epochs were to signal,
 * pending.c refuses the deferred operations, submit.c the ones that come. The
 * first two happen when someone looks: a handler of an epoch in flight, or a
 * host that calls. A live transport reports errors on a thread of its own,
 * where no lock is held, so that thread looks too (failed_look): a queue that
 * has only deferred operations has no handler. In virtual time the simulator
 * reports an error in the middle of a step, and the driving thread calls again.
 */
#include "config.h"

#include "queue/core/queue_priv.h"

/* All signals as if everything were complete, so that no wait hangs. A flag in
 * its place is not among the free ones, nor gets there, while the sync domain's
 * lock is held; one of a failed queue stays in its place until the ring is
 * gone.
 *
 * Packets that the device had begun may end after this, and decrement 0 to -1,
 * which no barrier-AND packet takes for complete. So this is repeated: by the
 * retirer for flags that it finds below 0, which hosts that wait make look
 * (aq_sync_domain_sleep), and when the ring is gone. */
void aq_queue_poison(aq_queue *queue, int64_t below)
{
  if (!queue->flags) {
    queue->ops->signal_store(queue->transport, queue->timeline->counter, 0,
                             AQ_RELEASE);
    return;
  }
  for (uint32_t i = 0; i < queue->notify_ring.size; i++) {
    const aq_epoch_signal *flag =
        __atomic_load_n(&queue->flags[i], __ATOMIC_ACQUIRE);
    if (flag && queue->ops->signal_load(queue->transport, flag->signal,
                                        AQ_RELAXED) < below)
      queue->ops->signal_store(queue->transport, flag->signal, 0, AQ_RELEASE);
  }
}

void aq_queue_fail_locked(aq_queue *queue, aq_status status, const char *cause)
{
  aq_queue_timeline *timeline = queue->timeline;
  if (aq_queue_timeline_failed_from(timeline) != AQ_EPOCH_NEVER)
    return; /* the first failure counts */
  aq_diag_set(&timeline->cause, status, "%s", cause);
  timeline->failed = status;
  __atomic_store_n(&timeline->failed_from, aq_queue_completed(queue) + 1,
                   __ATOMIC_SEQ_CST);
  aq_queue_poison(queue, INT64_MAX);
  /* No handler looks at a queue without work in flight: waiting hosts have to,
   * for its deferred tasks and for its signals. */
  __atomic_store_n(&queue->sync_domain->handlers_failed, true,
                   __ATOMIC_RELEASE);
}

void aq_queue_fail(aq_queue *queue, aq_status status, const char *cause)
{
  aq_lock(queue->sync_domain, &queue->sync_domain->lock);
  aq_queue_fail_locked(queue, status, cause);
  aq_unlock(queue->sync_domain, &queue->sync_domain->lock);
}

void aq_epoch_fail(aq_queue *queue, uint64_t epoch, const aq_epoch_signal *flag)
{
  aq_lock(queue->sync_domain, &queue->sync_domain->lock);
  if (__atomic_load_n(aq_queue_epoch_signal(queue, epoch), __ATOMIC_ACQUIRE) ==
      flag)
    queue->ops->signal_store(queue->transport, flag->signal, 0, AQ_RELEASE);
  aq_unlock(queue->sync_domain, &queue->sync_domain->lock);
}

static void failed_look(aq_queue_timeline *timeline)
{
  if (timeline->sync_domain->live &&
      aq_queue_timeline_failed_from(timeline) != AQ_EPOCH_NEVER)
    aq_queue_timeline_look(timeline);
}

/* In virtual time on the thread that drives it: takes no lock that may be held
 * while time moves. */
void aq_queue_error_handle(const aq_queue_error *error, void *user)
{
  aq_queue *queue = user;
  aq_queue_timeline *timeline = aq_queue_timeline_retain(queue->timeline);
  aq_queue_fail(queue, AQ_ERR_QUEUE, error->text ? error->text : "queue error");
  failed_look(timeline);
  aq_queue_timeline_release(timeline);
}

/* An event without a queue may concern a copy of any queue of the device. */
static bool is_hit(const aq_queue *queue, const aq_system_event *event)
{
  const aq_ring *ring = __atomic_load_n(&queue->ring, __ATOMIC_ACQUIRE);
  if (!ring)
    return false;
  return event->queue == AQ_QUEUE_NONE ? queue->options.device == event->device
                                       : ring->id == event->queue;
}

/* On the thread that drives time, as aq_queue_error_handle: no other thread
 * calls the transport with the sync domain's lock. */
void aq_context_event(aq_context *context, const aq_system_event *event)
{
  aq_sync_domain *sync_domain = context->sync_domain;
  aq_lock(sync_domain, &sync_domain->lock);
  for (aq_queue_timeline *timeline = sync_domain->timelines; timeline;
       timeline = timeline->next)
    if (timeline->queue && is_hit(timeline->queue, event))
      aq_queue_fail_locked(timeline->queue, AQ_ERR_QUEUE, event->text);
  aq_unlock(sync_domain, &sync_domain->lock);
  aq_waiters_wake(sync_domain); /* before callbacks, which may take long */
  for (aq_queue_timeline *timeline = aq_queue_timeline_next(sync_domain, NULL);
       timeline; timeline = aq_queue_timeline_next(sync_domain, timeline))
    failed_look(timeline);
}
