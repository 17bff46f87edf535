/* SPDX-License-Identifier: MIT */
/* Waits of an AQL queue: for signals of its own, as long as packets complete.
 */
#include "config.h"

#include "queue/ring/aql_queue_priv.h"

aq_time aq_aql_queue_deadline(const aq_aql_queue *queue)
{
  if (queue->options.patience == 0)
    return AQ_TIME_MAX;
  return queue->ops->now(queue->options.transport) + queue->options.patience;
}

aq_status aq_aql_queue_await(aq_aql_queue *queue, aq_signal signal,
                             aq_diag *diag)
{
  const aq_wait_item item = {signal, AQ_LT, 1};
  aq_wait_request request = {.items = &item, .count = 1, .mode = AQ_WAIT_ANY};
  aq_wait_result seen = {0};
  uint64_t before;
  aq_status status;
  do { /* as long as packets complete */
    before = aq_ring_read_index(queue->ring);
    request.deadline = aq_aql_queue_deadline(queue);
    status = queue->ops->wait(queue->options.transport, &request, &seen, diag);
  } while (status == AQ_ERR_TIMEOUT &&
           aq_ring_read_index(queue->ring) != before);
  if (status == AQ_OK && seen.value < 0)
    return aq_diag_set(diag, AQ_ERR_QUEUE, "queue %u has stopped",
                       queue->ring->id);
  return status;
}

aq_status aq_aql_queue_signal(aq_aql_queue *queue, aq_signal *signal,
                              aq_diag *diag)
{
  aq_signal made;
  if (signal->handle)
    return AQ_OK;
  aq_status status = queue->ops->signal_create(
      queue->options.transport, &(aq_signal_desc){.value = 1}, &made, diag);
  /* Release: a thread that reports an error may look for it. */
  if (status == AQ_OK)
    __atomic_store_n(&signal->handle, made.handle, __ATOMIC_RELEASE);
  return status;
}
