/* SPDX-License-Identifier: MIT */
/* Hosts that wait for a queue: for room in it, or for its end. */
#include "config.h"

#include <sched.h>

#include "queue/core/queue_priv.h"

/* Without handlers no other code looks at the queues that this one waits for.
 */
static void queue_look(aq_queue *queue)
{
  if (aq_hub_has_handlers(queue->hub))
    aq_queue_poll(queue);
  else
    aq_hub_poll(queue->hub);
}

enum { PROGRESS_EDGES = 8 };

/* The signals that a queue in progress may sleep on besides its seat: its
 * oldest epoch or, where no handler looks at the waits of its parked
 * operations, the oldest of some queues. */
static uint32_t edges_add(aq_queue *queue, aq_epoch_ref *edges,
                          aq_wait_item *items)
{
  aq_hub *hub = queue->hub;
  uint32_t count = 0;
  if (aq_queue_oldest(queue, &edges[0])) {
    items[0] = aq_epoch_item(&edges[0]);
    return 1;
  }
  if (aq_hub_hears(hub))
    return 0;
  for (aq_axis *axis = aq_axis_next(hub, NULL); axis;
       axis = aq_axis_next(hub, axis)) {
    aq_lock(hub, &axis->gate);
    if (count < PROGRESS_EDGES && axis->queue && axis->queue != queue &&
        aq_queue_oldest(axis->queue, &edges[count])) {
      items[count] = aq_epoch_item(&edges[count]);
      count++;
    }
    aq_unlock(hub, &axis->gate);
  }
  return count;
}

aq_status aq_queue_progress(aq_queue *queue, aq_time deadline, aq_diag *diag)
{
  aq_hub *hub = queue->hub;
  aq_epoch_ref edges[PROGRESS_EDGES];
  /* Orders with aq_queue_tell: either it sees us, or we see its stores. */
  __atomic_fetch_add(&queue->listeners, 1, __ATOMIC_SEQ_CST);
  aq_wait_item items[1 + PROGRESS_EDGES] = {aq_seat_item(hub, queue->seat)};
  const uint64_t before = aq_queue_retired(queue);
  queue_look(queue);
  aq_status status = AQ_OK;
  uint32_t count = edges_add(queue, edges, &items[1]);
  if (aq_queue_is_lagging(queue)) {
    aq_queue_catch_up(queue);
  } else if (aq_queue_retired(queue) == before &&
             (count > 0 ||
              __atomic_load_n(&queue->parked_count, __ATOMIC_ACQUIRE) > 0)) {
    /* With nothing in flight and nothing parked no thread would ring: the
     * caller looks again, at the work that another thread is about to end. */
    const aq_wait_request request = {.items = items,
                                     .count = 1 + count,
                                     .mode = AQ_WAIT_ANY,
                                     .deadline = deadline};
    status = hub->ops->wait(hub->transport, &request, NULL, diag);
  }
  while (count > 0)
    aq_epoch_release(&edges[--count]);
  __atomic_fetch_sub(&queue->listeners, 1, __ATOMIC_SEQ_CST);
  if (status == AQ_OK && aq_queue_retired(queue) == before) {
    queue_look(queue);
    if (aq_queue_retired(queue) == before)
      sched_yield(); /* another thread is retiring */
  }
  return status;
}
