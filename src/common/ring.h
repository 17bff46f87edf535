/* SPDX-License-Identifier: MIT */
/*
 * AQL rings: reserving slots and publishing packets.
 *
 * A queue is memory that producers and one packet processor share. Producers
 * take packet ids by advancing the write index, fill the 60 bytes behind the
 * header, and publish each packet with one 32-bit release store of header and
 * setup; the doorbell then passes the highest id. The processor hands slots
 * back by storing INVALID and advancing the read index.
 *
 * Thread rule: any number of producers for reserve on MULTI queues; each
 * reserved slot belongs to its producer until it is published. These functions
 * and the signal code are the only places with atomics; each names the other
 * side that its order pairs with.
 */
#ifndef AQ_COMMON_RING_H
#define AQ_COMMON_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "aql.h"
#include "export.h"

AQ_BEGIN_DECLS

/* A queue of a transport as its users see it. Owned by the transport; the
 * pointers stay valid until queue_destroy. */
typedef struct aq_ring {
  aq_packet *packets;
  uint32_t size;         /* packets, a power of two */
  uint32_t id;           /* unique for the life of the transport */
  uint64_t *write_index; /* atomic: packets reserved so far */
  uint64_t *read_index;  /* atomic: packets whose slot is free again */
  uint64_t *doorbell;    /* atomic: raw cell, the highest published id */
} aq_ring;

static inline aq_packet *aq_ring_slot(const aq_ring *ring, uint64_t id)
{
  return &ring->packets[id & (ring->size - 1)];
}

/* Acquire pairs with the processor's release when it frees slots: a producer
 * that sees the new index may overwrite them. */
static inline uint64_t aq_ring_read_index(const aq_ring *ring)
{
  return __atomic_load_n(ring->read_index, __ATOMIC_ACQUIRE);
}

static inline uint64_t aq_ring_write_index(const aq_ring *ring)
{
  return __atomic_load_n(ring->write_index, __ATOMIC_ACQUIRE);
}

/* Slots that could be reserved now. */
static inline uint32_t aq_ring_space(const aq_ring *ring)
{
  uint64_t used = aq_ring_write_index(ring) - aq_ring_read_index(ring);
  return used >= ring->size ? 0 : ring->size - (uint32_t)used;
}

/* Reserves `count` consecutive ids; false when the ring has no room, nothing
 * reserved. Safe for many producers: the exchange orders them. */
static inline bool aq_ring_try_reserve(aq_ring *ring, uint32_t count,
                                       uint64_t *first)
{
  uint64_t write = __atomic_load_n(ring->write_index, __ATOMIC_RELAXED);
  do {
    if (write + count - aq_ring_read_index(ring) > ring->size)
      return false;
  } while (!__atomic_compare_exchange_n(ring->write_index, &write,
                                        write + count, true, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED));
  *first = write;
  return true;
}

/* The same for the only producer of a SINGLE queue: plain store, no exchange.
 * Release pairs with observers that size the queue by its write index. */
static inline bool aq_ring_try_reserve_single(aq_ring *ring, uint32_t count,
                                              uint64_t *first)
{
  uint64_t write = __atomic_load_n(ring->write_index, __ATOMIC_RELAXED);
  if (write + count - aq_ring_read_index(ring) > ring->size)
    return false;
  __atomic_store_n(ring->write_index, write + count, __ATOMIC_RELEASE);
  *first = write;
  return true;
}

/* Publishes a packet whose body is written. Release pairs with the
 * processor's acquire load of the header. */
static inline void aq_packet_publish(aq_packet *slot, uint16_t header,
                                     uint16_t setup)
{
  __atomic_store_n(&slot->header_setup, header | (uint32_t)setup << 16,
                   __ATOMIC_RELEASE);
}

/* Header and setup as the processor sees them (acquire: the body follows). */
static inline uint32_t aq_packet_load_header(const aq_packet *slot)
{
  return __atomic_load_n(&slot->header_setup, __ATOMIC_ACQUIRE);
}

AQ_END_DECLS

#endif
