/* SPDX-License-Identifier: MIT */
/* The epochs of a queue: which are complete, which are in flight, and the end
 * of all of them when the device stops. */
#include "config.h"

#include <string.h>

#include "queue/core/queue_priv.h"

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
    if (flag &&
        queue->ops->signal_load(queue->transport, flag->signal, AQ_ACQUIRE) > 0)
      break;
    epoch++; /* no flag: another thread retires it just now */
  }
  const uint64_t retired = aq_queue_retired(queue);
  return epoch > retired ? epoch : retired;
}

/* The flag of an epoch in flight, with a reference; NULL if the epoch has been
 * retired meanwhile: another queue may have the flag then. */
static aq_flag *flag_of(const aq_queue *queue, uint64_t epoch)
{
  aq_flag **place = aq_queue_flag(queue, epoch);
  aq_flag *flag = __atomic_load_n(place, __ATOMIC_ACQUIRE);
  if (!flag || !aq_refs_revive(&flag->refs))
    return NULL;
  if (__atomic_load_n(place, __ATOMIC_ACQUIRE) == flag)
    return flag;
  aq_flag_release(queue->hub, flag);
  return NULL;
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
    flag = flag_of(queue, epoch);
    if (!flag)
      return false;
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

/* All signals as if everything were complete, so that no wait hangs. A flag in
 * its place is not among the free ones, nor gets there, while the hub's lock is
 * held. */
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

void aq_queue_fail_locked(aq_queue *queue, aq_status status, const char *cause)
{
  aq_axis *axis = queue->axis;
  if (aq_axis_failed_from(axis) != AQ_EPOCH_NEVER)
    return; /* the first failure counts */
  aq_diag_set(&axis->cause, status, "%s", cause);
  axis->failed = status;
  __atomic_store_n(&axis->failed_from, aq_queue_completed(queue) + 1,
                   __ATOMIC_SEQ_CST);
  signals_poison(queue);
}

void aq_queue_fail(aq_queue *queue, aq_status status, const char *cause)
{
  aq_lock(queue->hub, &queue->hub->lock);
  aq_queue_fail_locked(queue, status, cause);
  aq_unlock(queue->hub, &queue->hub->lock);
}

void aq_epoch_fail(aq_queue *queue, uint64_t epoch, const aq_flag *flag)
{
  aq_lock(queue->hub, &queue->hub->lock);
  if (__atomic_load_n(aq_queue_flag(queue, epoch), __ATOMIC_ACQUIRE) == flag)
    queue->ops->signal_store(queue->transport, flag->signal, 0, AQ_RELEASE);
  aq_unlock(queue->hub, &queue->hub->lock);
}

/* ---- frontiers ---- */

/* The hub's list has the newest axis first, a frontier the oldest. */
void aq_hub_prune(aq_hub *hub, aq_frontier *frontier)
{
  aq_frontier_entry *const end = frontier->entries + frontier->count;
  aq_frontier_entry *kept = end;
  aq_lock(hub, &hub->lock);
  const aq_axis *axis = hub->axes;
  for (const aq_frontier_entry *entry = end; entry-- > frontier->entries;) {
    while (axis && axis->id > entry->axis)
      axis = axis->next;
    if (axis && axis->id == entry->axis && axis->queue &&
        aq_queue_completed(axis->queue) < entry->epoch)
      *--kept = *entry;
  }
  aq_unlock(hub, &hub->lock);
  frontier->count = (uint32_t)(end - kept);
  memmove(frontier->entries, kept, frontier->count * sizeof *kept);
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
