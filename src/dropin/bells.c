/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/bells.h"

#include <stdlib.h>

typedef struct aqdrop_bell {
  aq_amd_signal abi;        /* first: the handle points to it */
  aq_ring *ring;            /* atomic: NULL without a queue */
  struct aqdrop_bell *next; /* of all */
  struct aqdrop_bell *free; /* the next one without a queue */
} __attribute__((aligned(64))) bell;

static bell *bell_from(hsa_signal_t doorbell)
{
  return (bell *)(uintptr_t)doorbell.handle;
}

/* One without a queue; the lock is held. */
static bell *bell_take(aqdrop *runtime)
{
  bell *b = runtime->free_bell;
  if (b) {
    runtime->free_bell = b->free;
    return b;
  }
  b = aligned_alloc(_Alignof(bell), sizeof *b);
  if (!b)
    return NULL;
  b->ring = NULL;
  b->next = runtime->first_bell;
  runtime->first_bell = b;
  return b;
}

bool aqdrop_bell_hang(aqdrop *runtime, aq_ring *ring, aq_amd_queue *queue)
{
  pthread_mutex_lock(&runtime->lock);
  bell *b = bell_take(runtime);
  pthread_mutex_unlock(&runtime->lock);
  if (!b)
    return false;
  b->abi = (aq_amd_signal){.kind = AQ_AMD_SIGNAL_DOORBELL,
                           .value = (int64_t)(uintptr_t)ring->doorbell,
                           .queue = (uintptr_t)queue};
  __atomic_store_n(&b->ring, ring, __ATOMIC_RELEASE);
  queue->hsa.doorbell.handle = (uintptr_t)b;
  return true;
}

void aqdrop_bell_remove(aqdrop *runtime, hsa_signal_t doorbell)
{
  bell *b = bell_from(doorbell);
  __atomic_store_n(&b->ring, NULL, __ATOMIC_RELEASE);
  __atomic_store_n(&b->abi.kind, 0, __ATOMIC_RELEASE);
  pthread_mutex_lock(&runtime->lock);
  b->free = runtime->free_bell;
  runtime->free_bell = b;
  pthread_mutex_unlock(&runtime->lock);
}

void aqdrop_bell_ring(const aqdrop *runtime, hsa_signal_t doorbell, uint64_t id)
{
  aq_ring *ring = __atomic_load_n(&bell_from(doorbell)->ring, __ATOMIC_ACQUIRE);
  if (ring)
    runtime->transport->ops->queue_doorbell(runtime->transport, ring, id);
}

void aqdrop_bells_fini(aqdrop *runtime)
{
  while (runtime->first_bell) {
    bell *b = runtime->first_bell;
    runtime->first_bell = b->next;
    free(b);
  }
}
