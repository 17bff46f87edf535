/* SPDX-License-Identifier: MIT */
/*
 * Fetching: batches of packets that were noticed are read from the ring,
 * decoded, and put into the waiting line of their queue.
 */
#ifndef AQSIM_FETCH_H
#define AQSIM_FETCH_H

#include "backend_sim/queue_state.h"

/* Sets up what fetching keeps of a queue. */
void aqsim_fetch_init(aqsim_queue *queue);

/* Reads one batch now, if the fetch unit can be had. */
void aqsim_queue_fetch(aqsim_queue *queue);

/* Forgets decoded packets that have not launched; they are fetched again. */
void aqsim_queue_unfetch(aqsim_queue *queue);

/* Passes over packets that were taken off before they were read. */
void aqsim_queue_pass_evicted(aqsim_queue *queue);

/* Schedules the next fetch: for aqsim_queue_fetch_more. */
void aqsim_queue_fetch_schedule(aqsim_queue *queue);

/* Fetches on if there is something to fetch and room for it: whole batches
 * only, as long as there is a batch to read. */
static inline void aqsim_queue_fetch_more(aqsim_queue *queue)
{
  const uint64_t there =
      queue->fetch_state.noticed - queue->fetch_state.fetched;
  if (queue->fetch_state.pending || there == 0)
    return;
  const aqsim_model *model = queue->device->model;
  uint64_t batch = (uint64_t)model->fetch_batch;
  batch = there < batch ? there : batch;
  if (queue->line.waiting + batch <= (uint64_t)model->fetch_window)
    aqsim_queue_fetch_schedule(queue);
}

#endif
