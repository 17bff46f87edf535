/* SPDX-License-Identifier: MIT */
/*
 * The notification ring: the actions due when an epoch is complete.
 *
 * Entries of 32 bytes in the order of handling: the frontier that the epoch
 * waited for, then the host's part, the end of its packets (kernel
 * arguments), the signals, the resources to release. One thread puts at a time
 * and one takes at a time, not the same ones.
 */
#ifndef AQ_QUEUE_SYNC_DUE_H
#define AQ_QUEUE_SYNC_DUE_H

#include <stdint.h>

typedef enum aq_due_kind {
  AQ_DUE_EDGE,    /* object: aq_axis, value: epoch that was waited for */
  AQ_DUE_FLAG,    /* object: aq_flag that a packet of the epoch looks at */
  AQ_DUE_WAITED,  /* object: aq_semaphore, value: that was waited for */
  AQ_DUE_ACTION,  /* object: the user, value: aq_task_action */
  AQ_DUE_END,     /* value: where the kernarg ring stood; count: packets */
  AQ_DUE_OVER,    /* object: the user, value: aq_task_over */
  AQ_DUE_SIGNAL,  /* object: aq_semaphore, value: that it reaches */
  AQ_DUE_RELEASE, /* object: the user, value: its function */
} aq_due_kind;

typedef struct aq_due {
  void *object;
  uint64_t value;
  uint64_t epoch;
  uint32_t kind; /* aq_due_kind */
  uint32_t count;
} aq_due;

_Static_assert(sizeof(aq_due) == 32, "two entries a cache line");

typedef struct aq_due_ring {
  aq_due *entries;
  uint32_t size; /* a power of two */
  uint64_t head; /* atomic: entries put; written by the putting thread */
  uint64_t next; /* entries put that are not told yet */
  uint64_t tail __attribute__((aligned(64))); /* atomic: entries taken */
} aq_due_ring;

/* Acquire pairs with the release of the taking thread: entries below are free.
 */
static inline uint32_t aq_due_room(const aq_due_ring *ring)
{
  return ring->size -
         (uint32_t)(ring->next -
                    __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE));
}

/* There is room. */
static inline void aq_due_put(aq_due_ring *ring, aq_due_kind kind, void *object,
                              uint64_t value, uint64_t epoch, uint32_t count)
{
  ring->entries[ring->next++ & (ring->size - 1)] =
      (aq_due){object, value, epoch, kind, count};
}

/* Release: the new head publishes the entries. */
static inline void aq_due_tell(aq_due_ring *ring)
{
  __atomic_store_n(&ring->head, ring->next, __ATOMIC_RELEASE);
}

#endif
