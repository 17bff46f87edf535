/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/bells.h"

#include "dropin/check.h"
#include "dropin/published.h"

enum { FIRST_BELLS = 16 };

typedef struct aqdrop_bell {
  aq_amd_signal abi;        /* first: the handle points to it */
  aq_ring *ring;            /* atomic: NULL without a queue */
  struct aqdrop_bell *free; /* the next one without a queue */
} __attribute__((aligned(64))) bell;

static bell *bell_from(hsa_signal_t doorbell)
{
  return (bell *)(uintptr_t)doorbell.handle;
}

/* One without a queue; the lock is held. */
static bell *bell_take(aqdrop *runtime)
{
  if (!runtime->free_bell) {
    size_t count;
    bell *chunk = aq_slab_grow(&runtime->bells, sizeof *chunk, _Alignof(bell),
                               FIRST_BELLS, &count);
    while (chunk && count-- > 0) {
      chunk[count].free = runtime->free_bell;
      runtime->free_bell = &chunk[count];
    }
  }
  bell *b = runtime->free_bell;
  if (b)
    runtime->free_bell = b->free;
  return b;
}

bool aqdrop_bell_hang(aqdrop *runtime, aq_ring *ring, aq_amd_queue *queue)
{
  pthread_mutex_lock(&runtime->lock);
  bell *b = bell_take(runtime);
  if (b && !aqdrop_publish(runtime, &b->abi, sizeof b->abi, AQ_ALLOCATION_QUEUE,
                           NULL, aqdrop_agents_all(runtime), 0)) {
    b->free = runtime->free_bell;
    runtime->free_bell = b;
    b = NULL;
  }
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
  aqdrop_withdraw(runtime, &b->abi, AQ_ALLOCATION_QUEUE);
  pthread_mutex_lock(&runtime->lock);
  b->free = runtime->free_bell;
  runtime->free_bell = b;
  pthread_mutex_unlock(&runtime->lock);
}

bool aqdrop_bell_is(const aqdrop *runtime, hsa_signal_t signal)
{
  return aq_slab_has(&runtime->bells, signal.handle, sizeof(bell));
}

void aqdrop_bell_ring(const aqdrop *runtime, hsa_signal_t doorbell, uint64_t id)
{
  aq_ring *ring = __atomic_load_n(&bell_from(doorbell)->ring, __ATOMIC_ACQUIRE);
  if (ring && runtime->check)
    aq_check_publish(
        runtime->check,
        (const aq_amd_queue *)(uintptr_t)bell_from(doorbell)->abi.queue, id);
  if (ring)
    runtime->transport->ops->queue_doorbell(runtime->transport, ring, id);
}

int64_t aqdrop_bell_load(hsa_signal_t doorbell)
{
  const aq_ring *ring =
      __atomic_load_n(&bell_from(doorbell)->ring, __ATOMIC_ACQUIRE);
  return ring ? (int64_t)__atomic_load_n(ring->doorbell, __ATOMIC_ACQUIRE) : 0;
}

void aqdrop_bells_fini(aqdrop *runtime)
{
  aq_slab_fini(&runtime->bells);
  runtime->free_bell = NULL;
}
