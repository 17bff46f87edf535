/* SPDX-License-Identifier: MIT */
/* The epochs of a queue: which are complete and which are in flight. */
#include "config.h"

#include <string.h>

#include "queue/core/queue_priv.h"

/* ---- completion ---- */

uint64_t aq_queue_completed(aq_queue *queue)
{
  if (!queue->flags)
    return (uint64_t)(AQ_TIMELINE_START -
                      queue->ops->signal_load(queue->transport,
                                              queue->timeline->counter,
                                              AQ_ACQUIRE));
  const uint64_t last = aq_queue_epoch(queue);
  uint64_t epoch = aq_queue_retired(queue);
  while (epoch < last) {
    const aq_epoch_signal *flag = __atomic_load_n(
        aq_queue_epoch_signal(queue, epoch + 1), __ATOMIC_ACQUIRE);
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
static aq_epoch_signal *epoch_signal_of(const aq_queue *queue, uint64_t epoch)
{
  aq_epoch_signal **place = aq_queue_epoch_signal(queue, epoch);
  aq_epoch_signal *flag = __atomic_load_n(place, __ATOMIC_ACQUIRE);
  if (!flag || !aq_refs_revive(&flag->refs))
    return NULL;
  if (__atomic_load_n(place, __ATOMIC_ACQUIRE) == flag)
    return flag;
  aq_epoch_signal_release(queue->sync_domain, flag);
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
  aq_epoch_signal *flag = NULL;
  if (queue->flags) {
    flag = epoch_signal_of(queue, epoch);
    if (!flag)
      return false;
  }
  *out = (aq_epoch_ref){aq_queue_timeline_retain(queue->timeline), epoch, flag};
  return true;
}

bool aq_queue_oldest(aq_queue *queue, aq_epoch_ref *out)
{
  return epoch_find(queue, 0, out);
}

void aq_queue_arm(aq_queue *queue, uint64_t epoch)
{
  aq_epoch_ref edge;
  if (!aq_sync_domain_has_handlers(queue->sync_domain) ||
      !epoch_find(queue, epoch, &edge))
    return;
  aq_epoch_arm(&edge);
  aq_epoch_release(&edge);
}

/* ---- frontiers ---- */

/* The sync domain's list has the newest timeline first, a frontier the oldest.
 */
void aq_sync_domain_prune(aq_sync_domain *sync_domain, aq_frontier *frontier)
{
  aq_frontier_entry *const end = frontier->entries + frontier->count;
  aq_frontier_entry *kept = end;
  aq_lock(sync_domain, &sync_domain->lock);
  const aq_queue_timeline *timeline = sync_domain->timelines;
  for (const aq_frontier_entry *entry = end; entry-- > frontier->entries;) {
    while (timeline && timeline->id > entry->axis)
      timeline = timeline->next;
    if (timeline && timeline->id == entry->axis && timeline->queue &&
        aq_queue_completed(timeline->queue) < entry->epoch)
      *--kept = *entry;
  }
  aq_unlock(sync_domain, &sync_domain->lock);
  frontier->count = (uint32_t)(end - kept);
  memmove(frontier->entries, kept, frontier->count * sizeof *kept);
}

/* ---- hosts that wait ---- */

void aq_queue_wake_waiters(aq_queue *queue)
{
  /* A write, so that it is ordered with earlier stores: a later listener looks
   * before it sleeps. */
  const uint32_t waiter_count =
      queue->sync_domain->live
          ? __atomic_fetch_add(&queue->waiter_count, 0, __ATOMIC_SEQ_CST)
          : queue->waiter_count;
  if (waiter_count > 0)
    aq_waiter_wake(queue->sync_domain, queue->waiter);
}

void aq_queue_wait_slots_returned(aq_queue *queue)
{
  queue->ops->queue_wait_space(queue->transport, queue->ring, queue->ring->size,
                               AQ_TIME_MAX, NULL);
}
