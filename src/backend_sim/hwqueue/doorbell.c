/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/hwqueue/doorbell.h"

#include <inttypes.h>
#include <stdio.h>

#include "backend_sim/completion.h"
#include "backend_sim/hwqueue/slots.h"
#include "backend_sim/packet/fetch.h"
#include "backend_sim/packet/ring.h"

enum { OVERRUN_LINE = 200 };

/* Live: a doorbell for a packet that the ring cannot hold so far. Its producer
 * did not wait for the read index; packets were overwritten, or will be. */
__attribute__((noinline, cold)) static void overrun_check(aqsim_queue *queue)
{
  const uint64_t rung = __atomic_load_n(queue->ring.doorbell, __ATOMIC_ACQUIRE);
  const uint64_t end = queue->fetch_state.read + queue->ring.size;
  char line[OVERRUN_LINE];
  if (queue->overrun || rung == UINT64_MAX || (int64_t)(rung - end) <= 0)
    return;
  queue->overrun = true;
  snprintf(line, sizeof line,
           "queue %" PRIu32 ": the doorbell rang for packet %" PRIu64
           ", but the ring has room up to packet %" PRIu64
           ": a producer has to wait for the read index",
           queue->ring.id, rung, end - 1);
  aqsim_launch_report(queue->sim, line);
}

void aqsim_queue_announce(aqsim_queue *queue, uint64_t id)
{
  uint64_t announced = __atomic_load_n(&queue->announced, __ATOMIC_RELAXED);
  /* Release: a reader sees the packets up to id. */
  while ((int64_t)(id + 1 - announced) > 0 &&
         !__atomic_compare_exchange_n(&queue->announced, &announced, id + 1,
                                      true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    ;
}

/* Doorbells that were stored without a call. */
static inline void cell_poll(aqsim_queue *queue)
{
  const uint64_t rung = __atomic_load_n(queue->ring.doorbell, __ATOMIC_ACQUIRE);
  if (__builtin_expect(rung == queue->seen, true))
    return;
  const uint64_t announced =
      __atomic_load_n(&queue->announced, __ATOMIC_ACQUIRE);
  if ((int64_t)(rung + 1 - announced) > 0)
    __atomic_store_n(&queue->stored, true, __ATOMIC_RELAXED);
  const uint64_t end = aqsim_ring_rung(queue);
  __atomic_store_n(&queue->seen, rung, __ATOMIC_RELAXED);
  aqsim_queue_announce(queue, end - 1);
}

static inline void queue_notice(aqsim_queue *queue)
{
  cell_poll(queue);
  uint64_t id = queue->fetch_state.noticed, end = aqsim_ring_end(queue);
  if (id >= end || queue->state != AQSIM_QUEUE_ACTIVE ||
      !aqsim_ring_has(queue, id))
    return;
  bool idle = aqsim_queue_is_idle(queue);
  uint64_t mask = queue->ring.size - 1;
  aq_time now = queue->sim->now;
  do
    queue->fetch_state.submitted[id++ & mask] = now;
  while (id < end && aqsim_ring_has(queue, id));
  queue->fetch_state.noticed = id;
  if (idle)
    aqsim_queue_map(queue);
  aqsim_queue_fetch_more(queue);
}

void aqsim_queue_notice(aqsim_queue *queue)
{
  queue_notice(queue);
}

void aqsim_queues_notice(aqsim *sim)
{
  for (aqsim_queue *q = sim->first_queue; q; q = q->next)
    if (aq_ring_write_index(&q->ring) != q->fetch_state.noticed &&
        q->state == AQSIM_QUEUE_ACTIVE) { /* not of one that others serve */
      queue_notice(q);
      if (sim->live && !q->overrun)
        overrun_check(q);
    }
}

bool aqsim_queues_have_changes(const aqsim *sim)
{
  for (const aqsim_queue *q = sim->first_queue; q; q = q->next) {
    /* Orders with a doorbell that looks whether the device sleeps. */
    __atomic_load_n(q->ring.doorbell, __ATOMIC_SEQ_CST);
    if (q->state == AQSIM_QUEUE_ACTIVE &&
        q->fetch_state.noticed < aqsim_ring_end(q) &&
        aqsim_ring_has(q, q->fetch_state.noticed))
      return true;
  }
  return false;
}
