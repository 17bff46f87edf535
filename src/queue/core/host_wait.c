/* SPDX-License-Identifier: MIT */
/* Hosts that wait for a queue: for room in it, or for its end. */
#include "config.h"

#include <sched.h>

#include "queue/core/queue_priv.h"

/* Where handlers do not, it looks at the queues that this one waits for. */
static void queue_poll_own(aq_queue *queue)
{
  aq_queue_poll(queue);
  if (!aq_sync_domain_has_reliable_handlers(queue->sync_domain))
    aq_sync_domain_poll(queue->sync_domain);
}

enum { PROGRESS_EDGES = 8 };

/* The signals that a queue in progress may sleep on besides its waiter: its
 * oldest epoch and, where no handler looks at the waits of deferred operations,
 * the oldest of some queues: its own operations may wait for them, or its
 * oldest epoch for a value in memory that they change. */
static uint32_t edges_add(aq_queue *queue, aq_epoch_ref *edges,
                          aq_wait_item *items)
{
  aq_sync_domain *sync_domain = queue->sync_domain;
  uint32_t count = 0;
  if (aq_queue_oldest(queue, &edges[0])) {
    items[0] = aq_epoch_item(&edges[0]);
    count = 1;
  }
  if (aq_sync_domain_has_reliable_handlers(sync_domain))
    return count;
  for (aq_queue_timeline *timeline = aq_queue_timeline_next(sync_domain, NULL);
       timeline; timeline = aq_queue_timeline_next(sync_domain, timeline)) {
    /* Its holder retires, and may call a callback that waits for this thread.
     */
    if (sync_domain->live && pthread_mutex_trylock(&timeline->retire_lock) != 0)
      continue;
    if (count < PROGRESS_EDGES && timeline->queue && timeline->queue != queue &&
        aq_queue_oldest(timeline->queue, &edges[count])) {
      items[count] = aq_epoch_item(&edges[count]);
      count++;
    }
    aq_unlock(sync_domain, &timeline->retire_lock);
  }
  return count;
}

aq_status aq_queue_progress(aq_queue *queue, aq_time *deadline, aq_diag *diag)
{
  aq_sync_domain *sync_domain = queue->sync_domain;
  aq_epoch_ref edges[PROGRESS_EDGES];
  /* Orders with aq_queue_wake_waiters: either it sees us, or we see its stores.
   */
  __atomic_fetch_add(&queue->waiter_count, 1, __ATOMIC_SEQ_CST);
  aq_wait_item items[1 + PROGRESS_EDGES] = {
      aq_waiter_item(sync_domain, queue->waiter)};
  const uint64_t before = aq_queue_retired(queue);
  queue_poll_own(queue);
  aq_status status = AQ_OK;
  uint32_t count = edges_add(queue, edges, &items[1]);
  if (aq_queue_is_lagging(queue)) {
    aq_queue_wait_slots_returned(queue);
  } else if (aq_queue_retired(queue) == before &&
             (count > 0 ||
              __atomic_load_n(&queue->pending_count, __ATOMIC_ACQUIRE) > 0)) {
    /* With nothing in flight and nothing deferred no thread would ring: the
     * caller looks again, at the work that another thread is about to end. */
    aq_wait_request request = {
        .items = items, .count = 1 + count, .mode = AQ_WAIT_ANY};
    status = aq_sync_domain_sleep(sync_domain, &request, deadline, diag);
  }
  while (count > 0)
    aq_epoch_release(&edges[--count]);
  __atomic_fetch_sub(&queue->waiter_count, 1, __ATOMIC_SEQ_CST);
  if (status == AQ_OK && aq_queue_retired(queue) == before) {
    queue_poll_own(queue);
    if (aq_queue_retired(queue) == before)
      sched_yield(); /* another thread is retiring */
  }
  return status;
}
