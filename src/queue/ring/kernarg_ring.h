/* SPDX-License-Identifier: MIT */
/*
 * Kernarg ring: memory for kernel arguments, taken in order and released in
 * order.
 *
 * A reservation is contiguous; where it would cross the end of the memory, the
 * tail is skipped and released with it. Positions only grow; memory below
 * `tail` is free. The memory is borrowed. One thread at a time.
 */
#ifndef AQ_QUEUE_RING_KERNARG_RING_H
#define AQ_QUEUE_RING_KERNARG_RING_H

#include <stdbool.h>
#include <stdint.h>

typedef struct aq_kernarg_ring {
  unsigned char *memory;
  uint64_t capacity;   /* bytes, a power of two */
  uint64_t head, tail; /* bytes taken and released since the start */
} aq_kernarg_ring;

/* The largest reservation that succeeds on an idle ring wherever it stands. */
static inline uint64_t aq_kernarg_ring_limit(const aq_kernarg_ring *ring)
{
  return ring->capacity / 2;
}

/* Reserves `size` bytes; NULL when there is no room now, nothing taken. */
static inline unsigned char *aq_kernarg_ring_reserve(aq_kernarg_ring *ring,
                                                     uint64_t size)
{
  const uint64_t at = ring->head & (ring->capacity - 1);
  const uint64_t skip = at + size > ring->capacity ? ring->capacity - at : 0;
  if (ring->head + skip + size - ring->tail > ring->capacity)
    return 0;
  ring->head += skip + size;
  return ring->memory + (skip ? 0 : at);
}

/* Releases the unused part of the last reservation. */
static inline void aq_kernarg_ring_trim(aq_kernarg_ring *ring, uint64_t unused)
{
  ring->head -= unused;
}

/* Releases everything that was taken before `head` stood there. */
static inline void aq_kernarg_ring_free(aq_kernarg_ring *ring, uint64_t head)
{
  ring->tail = head;
}

#endif
