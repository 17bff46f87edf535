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

/* The packets from `id` on, before `end`, are noticed now. */
static inline void packets_note(aqsim_queue *queue, uint64_t id, uint64_t end)
{
  const bool idle = aqsim_queue_is_idle(queue);
  const uint64_t mask = queue->ring.size - 1;
  const aq_time now = queue->sim->now;
  while (id < end)
    queue->fetch_state.submitted[id++ & mask] = now;
  queue->fetch_state.noticed = end;
  if (idle)
    aqsim_queue_map(queue);
  aqsim_queue_fetch_more(queue);
}

static void queue_notice(aqsim_queue *queue)
{
  cell_poll(queue);
  const uint64_t first = queue->fetch_state.noticed;
  const uint64_t end = aqsim_ring_end(queue);
  uint64_t id = first;
  if (queue->state != AQSIM_QUEUE_ACTIVE)
    return;
  while (id < end && aqsim_ring_has(queue, id))
    id++;
  if (id > first)
    packets_note(queue, first, id);
}

/* Whether packet `id` is the next one in every count and nothing else happened
 * to the queue: then the look at memory has one answer. Virtual time only,
 * where no other thread writes in between. */
static inline bool is_next(const aqsim_queue *queue, uint64_t id)
{
  if (queue->sim->live || queue->fetch_state.noticed != id ||
      queue->announced != id || queue->seen != *queue->ring.doorbell ||
      *queue->ring.write_index != id + 1 ||
      queue->state != AQSIM_QUEUE_ACTIVE ||
      id - queue->fetch_state.read >= queue->ring.size)
    return false;
  const unsigned type = (unsigned)aq_header_type(
      aq_packet_load_header(aq_ring_slot(&queue->ring, id)));
  return type != AQ_PACKET_VENDOR && type != AQ_PACKET_INVALID;
}

void aqsim_queue_ring_bell(aqsim_queue *queue, uint64_t id)
{
  if (__builtin_expect(!is_next(queue, id), false)) {
    aqsim_queue_announce(queue, id);
    /* Release: a reader of the cell sees the packets up to id. */
    __atomic_store_n(queue->ring.doorbell, id, __ATOMIC_RELEASE);
    queue_notice(queue);
    return;
  }
  *queue->ring.doorbell = id;
  queue->announced = id + 1;
  queue->seen = id;
  packets_note(queue, id, id + 1);
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
