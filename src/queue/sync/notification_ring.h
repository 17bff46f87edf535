/* SPDX-License-Identifier: MIT */
/*
 * The notification ring: the actions due when an epoch is complete.
 *
 * Entries of 32 bytes in the order of handling: the frontier that the epoch
 * waited for, then the host's part, the end of its packets (kernel
 * arguments), the signals, the resources to release. One thread puts at a time
 * and one takes at a time, not the same ones.
 */
#ifndef AQ_QUEUE_SYNC_NOTIFICATION_RING_H
#define AQ_QUEUE_SYNC_NOTIFICATION_RING_H

#include <stdint.h>

typedef enum aq_notification_kind {
  AQ_NOTIFY_DEPENDENCY,   /* object: aq_queue_timeline, value: epoch that was
                             waited for */
  AQ_NOTIFY_EPOCH_SIGNAL, /* object: aq_epoch_signal that a packet of the epoch
                             looks at */
  AQ_NOTIFY_WAITED,       /* object: aq_semaphore, value: that was waited for */
  AQ_NOTIFY_ACTION,       /* object: the user, value: aq_task_action */
  AQ_NOTIFY_END,     /* value: where the kernarg ring stood; count: packets */
  AQ_NOTIFY_DONE,    /* object: the user, value: aq_task_done */
  AQ_NOTIFY_SIGNAL,  /* object: aq_semaphore, value: that it reaches */
  AQ_NOTIFY_RELEASE, /* object: the user, value: its function */
} aq_notification_kind;

typedef struct aq_notification {
  void *object;
  uint64_t value;
  uint64_t epoch;
  uint32_t kind; /* aq_notification_kind */
  uint32_t count;
} aq_notification;

_Static_assert(sizeof(aq_notification) == 32, "two entries a cache line");

typedef struct aq_notify_ring {
  aq_notification *entries;
  uint32_t size; /* a power of two */
  uint64_t head; /* atomic: entries put; written by the putting thread */
  uint64_t next; /* entries put that are not told yet */
  uint64_t tail __attribute__((aligned(64))); /* atomic: entries taken */
} aq_notify_ring;

/* Acquire pairs with the release of the taking thread: entries below are free.
 */
static inline uint32_t aq_notify_space(const aq_notify_ring *ring)
{
  return ring->size -
         (uint32_t)(ring->next -
                    __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE));
}

/* There is room. */
static inline void aq_notify_put(aq_notify_ring *ring,
                                 aq_notification_kind kind, void *object,
                                 uint64_t value, uint64_t epoch, uint32_t count)
{
  ring->entries[ring->next++ & (ring->size - 1)] =
      (aq_notification){object, value, epoch, kind, count};
}

/* Release: the new head publishes the entries. */
static inline void aq_notify_publish(aq_notify_ring *ring)
{
  __atomic_store_n(&ring->head, ring->next, __ATOMIC_RELEASE);
}

#endif
