/* SPDX-License-Identifier: MIT */
/*
 * Queues of the simulator at work: the way of packets from the ring to the
 * packet processor (notice, map, fetch) and of slots back to clients.
 */
#ifndef AQSIM_QUEUES_H
#define AQSIM_QUEUES_H

#include "backend_sim/core.h"
#include "backend_sim/packet/execution.h"
#include "backend_sim/packet/processor.h"

/* Copies the packet out of its slot. */
void aqsim_queue_read(const aqsim_queue *queue, uint64_t id, aq_packet *out);

/* Looks for published packets: their doorbell rings now. */
void aqsim_queue_notice(aqsim_queue *queue);

/* The same for every queue: packets and doorbells stored without a call. */
void aqsim_queues_notice(aqsim *sim);

/* Reads one batch now, if the fetch unit can be had. */
void aqsim_queue_fetch(aqsim_queue *queue);

/* What was decoded and not launched is forgotten, to be fetched again. */
void aqsim_queue_unfetch(aqsim_queue *queue);

/* Schedules the next fetch: for aqsim_queue_fetch_more. */
void aqsim_queue_fetch_schedule(aqsim_queue *queue);

/* Fetches on if there is something to fetch and room for it: whole batches
 * only, as long as there is a batch to read. */
static inline void aqsim_queue_fetch_more(aqsim_queue *queue)
{
  const aqsim_model *model = queue->device->model;
  uint64_t there = queue->noticed - queue->fetched;
  uint64_t batch = (uint64_t)model->fetch_batch;
  batch = there < batch ? there : batch;
  if (batch > 0 && !queue->fetch_pending &&
      queue->waiting + batch <= (uint64_t)model->fetch_window)
    aqsim_queue_fetch_schedule(queue);
}

/* Hands the slot of `id` back to the clients once all before it are. */
void aqsim_queue_retire(aqsim_queue *queue, uint64_t id);

/* Whether that would find something. */
bool aqsim_queues_have_news(const aqsim *sim);

/* Passes over packets that were taken off before they were read. */
void aqsim_queue_pass_evicted(aqsim_queue *queue);

/* Sets up what this header keeps of a queue. */
void aqsim_queue_begin(aqsim_queue *queue);

/* Nothing is published or in flight. */
bool aqsim_queue_is_idle(const aqsim_queue *queue);

/* Ignores what has not launched and all later packets. */
void aqsim_queue_stop(aqsim_queue *queue, aqsim_queue_state state);

/* Takes a flight, NULL when all are in use, and gives one back. */
static inline aqsim_flight *aqsim_flight_alloc(aqsim_queue *queue)
{
  aqsim_flight *flight = queue->free;
  if (flight) {
    queue->free = flight->next;
  } else if (queue->fresh < queue->ring.size) {
    flight = &queue->flights[queue->fresh++];
    flight->queue = queue;
    aqsim_flight_init(flight);
  } else {
    return NULL;
  }
  flight->in_use = true;
  return flight;
}

static inline void aqsim_flight_free(aqsim_flight *flight)
{
  if (__builtin_expect(flight->execution != NULL, false))
    aqsim_execution_end(flight);
  flight->in_use = false;
  flight->next = flight->queue->free;
  flight->queue->free = flight;
}

#endif
