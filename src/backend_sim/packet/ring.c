/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/packet/ring.h"

/* Whether a doorbell announced packet `id`. */
static bool packet_is_rung(const aqsim_queue *queue, uint64_t id)
{
  uint64_t rung = __atomic_load_n(&queue->doorbell, __ATOMIC_ACQUIRE);
  return (int64_t)(rung - id) >= 0;
}

bool aqsim_ring_has(const aqsim_queue *queue, uint64_t id)
{
  uint32_t header = aq_packet_load_header(aq_ring_slot(&queue->ring, id));
  if (aq_header_type(header) == AQ_PACKET_VENDOR)
    return !aqsim_packet_is_strange(header) || packet_is_rung(queue, id);
  return aq_header_type(header) != AQ_PACKET_INVALID;
}

uint64_t aqsim_ring_end(const aqsim_queue *queue)
{
  uint64_t write = aq_ring_write_index(&queue->ring);
  uint64_t full = queue->amd.read_dispatch_id + queue->ring.size;
  return write < full ? write : full;
}

void aqsim_ring_read(const aqsim_queue *queue, uint64_t id, aq_packet *out)
{
  const aq_packet *slot = aq_ring_slot(&queue->ring, id);
  /* Acquire pairs with the producer's release: the body follows. */
  uint32_t header = aq_packet_load_header(slot);
  *out = *slot;
  out->header_setup = header;
}

void aqsim_ring_retire(aqsim_queue *queue, uint64_t id)
{
  uint64_t mask = queue->ring.size - 1;
  uint64_t read = queue->amd.read_dispatch_id;
  queue->completed[id & mask] = 1;
  while (queue->completed[read & mask]) {
    queue->completed[read & mask] = 0;
    __atomic_store_n(&queue->ring.packets[read & mask].header_setup,
                     (uint32_t)AQ_PACKET_INVALID, __ATOMIC_RELAXED);
    read++;
  }
  /* Release: the slots are INVALID before a producer may take them. */
  __atomic_store_n(&queue->amd.read_dispatch_id, read, __ATOMIC_RELEASE);
  /* Live: a host that goes to sleep just now looks again a little later. */
  if (__atomic_load_n(&queue->sleepers, __ATOMIC_RELAXED))
    queue->sim->signals.awake(queue->sim->signals.awake_user, UINT32_MAX);
}
