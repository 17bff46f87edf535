/* SPDX-License-Identifier: MIT */
/*
 * The ring of a queue as its packet processor sees it: which slots hold
 * packets, their bits, and slots handed back to clients. Clients write packets,
 * indices and doorbells at any time; the processor's side is the thread that
 * drives the transport. Inline, since every packet passes here.
 */
#ifndef AQSIM_RING_H
#define AQSIM_RING_H

#include "backend_sim/queue_state.h"

/* One past the last packet that a doorbell announced. The last store to the
 * doorbell of one producer says all. Several that store without a call
 * overwrite each other's, a later packet's by an earlier one's: the slots that
 * they have reserved count. A call announces before it stores, so a packet that
 * is not announced yet was stored without one; on a queue with such stores any
 * new value, an old one too, may have overwritten a later one. */
static inline uint64_t aqsim_ring_rung(const aqsim_queue *queue)
{
  const uint64_t rung = __atomic_load_n(queue->ring.doorbell, __ATOMIC_ACQUIRE);
  const uint64_t announced =
      __atomic_load_n(&queue->announced, __ATOMIC_ACQUIRE);
  if (rung == __atomic_load_n(&queue->seen, __ATOMIC_RELAXED))
    return announced;
  uint64_t end = rung + 1;
  if ((int64_t)(end - announced) <= 0 &&
      !__atomic_load_n(&queue->stored, __ATOMIC_RELAXED))
    return announced;
  if (queue->type != AQ_QUEUE_SINGLE)
    end = aq_ring_write_index(&queue->ring);
  /* A doorbell beyond the write index counts as well. */
  if ((int64_t)(end - (rung + 1)) < 0)
    end = rung + 1;
  return (int64_t)(end - announced) > 0 ? end : announced;
}

/* One past the last packet that may lie in the ring. A producer that reserves
 * by addition may be further: its slots still hold older packets. */
static inline uint64_t aqsim_ring_end(const aqsim_queue *queue)
{
  uint64_t write = aq_ring_write_index(&queue->ring);
  uint64_t full = queue->fetch_state.read + queue->ring.size;
  uint64_t end = write < full ? write : full;
  uint64_t rung = queue->sim->polls ? end : aqsim_ring_rung(queue);
  return (int64_t)(rung - end) < 0 ? rung : end;
}

/* Whether the slot of `id`, which is below the end, holds a packet. Where
 * devices poll, a header of 0 that no doorbell announced is still being
 * written. */
static inline bool aqsim_ring_has(const aqsim_queue *queue, uint64_t id)
{
  uint32_t header = aq_packet_load_header(aq_ring_slot(&queue->ring, id));
  if (__builtin_expect(aq_header_type(header) == AQ_PACKET_VENDOR, false))
    return !aqsim_packet_is_strange(header) ||
           (int64_t)(aqsim_ring_rung(queue) - id) > 0;
  return aq_header_type(header) != AQ_PACKET_INVALID;
}

/* Whether a packet is published that no doorbell announced; *id is the first
 * one then. Any thread, while the queue is there. */
static inline bool aqsim_ring_unrung(const aqsim_queue *queue, uint64_t *id)
{
  *id = aqsim_ring_rung(queue);
  return !queue->sim->polls && queue->type != AQ_QUEUE_SOFT &&
         (int64_t)(aq_ring_write_index(&queue->ring) - *id) > 0 &&
         *id - aq_ring_read_index(&queue->ring) < queue->ring.size &&
         aq_header_type(aq_packet_load_header(
             aq_ring_slot(&queue->ring, *id))) != AQ_PACKET_INVALID;
}

/* Copies the packet out of its slot. */
static inline void aqsim_ring_read(const aqsim_queue *queue, uint64_t id,
                                   aq_packet *out)
{
  const aq_packet *slot = aq_ring_slot(&queue->ring, id);
  /* Acquire pairs with the producer's release: the body follows. */
  uint32_t header = aq_packet_load_header(slot);
  *out = *slot;
  out->header_setup = header;
}

/* Hands the slot of `id` back to the clients once all before it are. */
static inline void aqsim_ring_retire(aqsim_queue *queue, uint64_t id)
{
  uint64_t mask = queue->ring.size - 1;
  uint64_t read = queue->fetch_state.read;
  if (__builtin_expect(id != read, false)) {
    queue->fetch_state.completed[id & mask] = 1;
    return;
  }
  do {
    queue->fetch_state.completed[read & mask] = 0;
    __atomic_store_n(&queue->ring.packets[read & mask].header_setup,
                     (uint32_t)AQ_PACKET_INVALID, __ATOMIC_RELAXED);
    read++;
  } while (queue->fetch_state.completed[read & mask]);
  queue->fetch_state.read = read;
  /* Release: the slots are INVALID before a producer may take them. */
  __atomic_store_n(queue->ring.read_index, read, __ATOMIC_RELEASE);
  /* Live: a host that goes to sleep just now looks again a little later. */
  if (__builtin_expect(__atomic_load_n(&queue->sleepers, __ATOMIC_RELAXED) > 0,
                       false))
    queue->sim->signals.awake(queue->sim->signals.awake_user, UINT32_MAX);
}

#endif
