/* SPDX-License-Identifier: MIT */
/* The epochs of a queue: which are complete, which are in flight, and the end
 * of all of them when the device stops. */
#include "config.h"

#include "queue/queue_priv.h"

/* ---- completion ---- */

uint64_t aq_queue_completed(aq_queue *queue)
{
  if (!queue->flags)
    return (uint64_t)(AQ_AXIS_START -
                      queue->ops->signal_load(
                          queue->transport, queue->axis->counter, AQ_ACQUIRE));
  const uint64_t last = aq_queue_epoch(queue);
  uint64_t epoch = aq_queue_retired(queue);
  while (epoch < last) {
    const aq_flag *flag =
        __atomic_load_n(aq_queue_flag(queue, epoch + 1), __ATOMIC_ACQUIRE);
    if (!flag ||
        queue->ops->signal_load(queue->transport, flag->signal, AQ_ACQUIRE) > 0)
      break;
    epoch++;
  }
  return epoch;
}

/* An epoch in flight, 0 for the oldest, with references. */
static bool epoch_find(aq_queue *queue, uint64_t epoch, aq_epoch_ref *out)
{
  const uint64_t retired = aq_queue_retired(queue);
  if (epoch == 0)
    epoch = retired + 1;
  if (epoch <= retired || epoch > aq_queue_epoch(queue))
    return false;
  aq_flag *flag = NULL;
  if (queue->flags) {
    flag = __atomic_load_n(aq_queue_flag(queue, epoch), __ATOMIC_ACQUIRE);
    if (!flag)
      return false;
    aq_flag_retain(queue->hub, flag);
  }
  *out = (aq_epoch_ref){aq_axis_retain(queue->axis), epoch, flag};
  return true;
}

bool aq_queue_oldest(aq_queue *queue, aq_epoch_ref *out)
{
  return epoch_find(queue, 0, out);
}

void aq_queue_arm(aq_queue *queue, uint64_t epoch)
{
  aq_epoch_ref edge;
  if (!aq_hub_has_handlers(queue->hub) || !epoch_find(queue, epoch, &edge))
    return;
  aq_epoch_arm(&edge);
  aq_epoch_release(&edge);
}

/* ---- failure ---- */

/* All signals as if everything were complete, so that no wait hangs. */
static void signals_poison(aq_queue *queue)
{
  if (!queue->flags) {
    queue->ops->signal_store(queue->transport, queue->axis->counter, 0,
                             AQ_RELEASE);
    return;
  }
  for (uint32_t i = 0; i < queue->due.size; i++) {
    const aq_flag *flag = __atomic_load_n(&queue->flags[i], __ATOMIC_ACQUIRE);
    if (flag)
      queue->ops->signal_store(queue->transport, flag->signal, 0, AQ_RELEASE);
  }
}

void aq_queue_fail(aq_queue *queue, aq_status status, const char *cause)
{
  aq_axis *axis = queue->axis;
  const uint64_t done = aq_queue_completed(queue);
  aq_lock(queue->hub, &queue->fail_lock);
  const bool first = aq_axis_failed_from(axis) == AQ_EPOCH_NEVER;
  if (first) {
    aq_diag_set(&axis->cause, status, "%s", cause);
    axis->failed = status;
    __atomic_store_n(&axis->failed_from, done + 1, __ATOMIC_SEQ_CST);
  }
  aq_unlock(queue->hub, &queue->fail_lock);
  if (first)
    signals_poison(queue);
}

/* ---- hosts that wait ---- */

void aq_queue_tell(aq_queue *queue)
{
  /* A write, so that it is ordered with earlier stores: a later listener looks
   * before it sleeps. */
  const uint32_t listeners =
      queue->hub->live
          ? __atomic_fetch_add(&queue->listeners, 0, __ATOMIC_SEQ_CST)
          : queue->listeners;
  if (listeners > 0)
    aq_seat_ring(queue->hub, queue->seat);
}

void aq_queue_catch_up(aq_queue *queue)
{
  queue->ops->queue_wait_space(queue->transport, queue->ring, queue->ring->size,
                               AQ_TIME_MAX, NULL);
}
