/* SPDX-License-Identifier: MIT */
/*
 * Parts: the packets that a submission puts into a ring at once. The submit
 * core of AQL queues and of the host queue above them.
 *
 * A part is begun, gets its room, is filled, and is published; nothing else
 * publishes packets of the host. Room is checked before anything is written
 * and taken when the part is published, so that a failure leaves no gap: until
 * then, aq_packet_batch_drop undoes all. Bodies are written first, headers
 * last, in order; the doorbell rings for all published parts.
 *
 * Thread rule: one thread at a time for an AQL queue, the ring's only producer.
 */
#ifndef AQ_QUEUE_RING_PACKET_BATCH_H
#define AQ_QUEUE_RING_PACKET_BATCH_H

#include <assert.h>
#include <string.h>

#include "queue/ring/aql_queue_priv.h"

/* A part at the ring's write index, without room. Field by field, see
 * aq_task_start. */
static inline void aq_packet_batch_begin(aq_packet_span *part,
                                         const aq_aql_queue *aql_queue)
{
  part->ring = aql_queue->ring;
  part->first = aq_ring_write_index(aql_queue->ring);
  part->slots = 0;
  part->headers = aql_queue->headers;
  part->kernarg = NULL;
  part->kernarg_size = 0;
  part->packets = 0;
  part->kernarg_used = 0;
  part->drain = NULL;
  part->log = NULL;
}

/* Whether the ring has the slots of a part, and the kernarg ring its bytes,
 * which are taken. */
static inline bool aq_packet_batch_reserve_space(aq_packet_span *part,
                                                 aq_aql_queue *aql_queue)
{
  if (aq_ring_space(aql_queue->ring) < part->slots)
    return false;
  if (part->kernarg_size == 0)
    return true;
  part->kernarg =
      aq_kernarg_ring_reserve(&aql_queue->kernargs, part->kernarg_size);
  return part->kernarg != NULL;
}

/* Gives the room of a part back that was not published. */
static inline void aq_packet_batch_drop(const aq_packet_span *part,
                                        aq_aql_queue *aql_queue)
{
  aq_kernarg_ring_trim(&aql_queue->kernargs, part->kernarg_size);
}

/* The next packet of a part: its header for later, its body 0. */
static inline aq_packet *aq_packet_batch_next(aq_packet_span *part,
                                              uint32_t header)
{
  aq_packet *slot = aq_ring_slot(part->ring, part->first + part->packets);
  memset((unsigned char *)slot + sizeof slot->header_setup, 0,
         sizeof *slot - sizeof slot->header_setup);
  part->headers[part->packets++] = header;
  return slot;
}

/* A copy of a packet as the next one of a part. */
static inline void aq_packet_batch_add(aq_packet_span *part,
                                       const aq_packet *packet)
{
  aq_packet *slot = aq_ring_slot(part->ring, part->first + part->packets);
  memcpy((unsigned char *)slot + sizeof slot->header_setup,
         (const unsigned char *)packet + sizeof slot->header_setup,
         sizeof *slot - sizeof slot->header_setup);
  part->headers[part->packets++] = packet->header_setup;
}

/* Closes a part, before it is published: unused arguments are free again. */
static inline void aq_packet_batch_close(const aq_packet_span *part,
                                         aq_aql_queue *aql_queue)
{
  aq_kernarg_ring_trim(&aql_queue->kernargs,
                       part->kernarg_size - part->kernarg_used);
}

/* Takes the slots of a closed part and publishes its packets in order. The
 * slots are free: the only producer sees no less room than it saw. */
static inline void aq_packet_batch_publish(const aq_packet_span *part,
                                           aq_aql_queue *aql_queue)
{
  uint64_t first = 0;
  const bool taken =
      aq_ring_try_reserve_single(aql_queue->ring, part->packets, &first);
  assert(taken && first == part->first);
  (void)taken;
  aq_packet_span_publish(part);
}

/* Rings for everything that is published. */
static inline void aq_packet_batch_ring(const aq_aql_queue *aql_queue)
{
  aql_queue->ops->queue_doorbell(aql_queue->options.transport, aql_queue->ring,
                                 aq_ring_write_index(aql_queue->ring) - 1);
}

#endif
