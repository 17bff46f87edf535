/* SPDX-License-Identifier: MIT */
/*
 * The ring of a queue as its packet processor sees it: which slots hold
 * packets, their bits, and slots handed back to clients. Clients write packets,
 * indices and doorbells at any time; the processor's side is the thread that
 * drives the transport. Inline, since every packet passes here.
 */
#ifndef AQSIM_RING_H
#define AQSIM_RING_H

#include "backend_sim/core.h"

/* One past the last packet that may lie in the ring. A producer that reserves
 * by addition may be further: its slots still hold older packets. */
static inline uint64_t aqsim_ring_end(const aqsim_queue *queue)
{
  uint64_t write = aq_ring_write_index(&queue->ring);
  uint64_t full = queue->amd.read_dispatch_id + queue->ring.size;
  return write < full ? write : full;
}

/* Whether a doorbell announced packet `id`. */
static inline bool aqsim_ring_is_rung(const aqsim_queue *queue, uint64_t id)
{
  uint64_t rung = __atomic_load_n(&queue->doorbell, __ATOMIC_ACQUIRE);
  return (int64_t)(rung - id) >= 0;
}

/* Whether the slot of `id`, which is below the end, holds a packet. A header of
 * 0 that no doorbell announced is still being written. */
static inline bool aqsim_ring_has(const aqsim_queue *queue, uint64_t id)
{
  uint32_t header = aq_packet_load_header(aq_ring_slot(&queue->ring, id));
  if (__builtin_expect(aq_header_type(header) == AQ_PACKET_VENDOR, false))
    return !aqsim_packet_is_strange(header) || aqsim_ring_is_rung(queue, id);
  return aq_header_type(header) != AQ_PACKET_INVALID;
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
  uint64_t read = queue->amd.read_dispatch_id;
  if (__builtin_expect(id != read, false)) {
    queue->intake.completed[id & mask] = 1;
    return;
  }
  do {
    queue->intake.completed[read & mask] = 0;
    __atomic_store_n(&queue->ring.packets[read & mask].header_setup,
                     (uint32_t)AQ_PACKET_INVALID, __ATOMIC_RELAXED);
    read++;
  } while (queue->intake.completed[read & mask]);
  /* Release: the slots are INVALID before a producer may take them. */
  __atomic_store_n(&queue->amd.read_dispatch_id, read, __ATOMIC_RELEASE);
  /* Live: a host that goes to sleep just now looks again a little later. */
  if (__builtin_expect(__atomic_load_n(&queue->sleepers, __ATOMIC_RELAXED) > 0,
                       false))
    queue->sim->signals.awake(queue->sim->signals.awake_user, UINT32_MAX);
}

#endif
