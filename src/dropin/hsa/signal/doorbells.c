/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/hsa/base/doorbells.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/wall_clock.h"
#include "dropin/hsa/base/check.h"
#include "dropin/hsa/base/exec_options.h"
#include "dropin/hsa/base/published.h"

enum { FIRST_BELLS = 16 };

typedef struct aqdrop_doorbell {
  aq_amd_signal abi;            /* first: the handle points to it */
  aq_ring *ring;                /* atomic: NULL without a queue */
  struct aqdrop_doorbell *free; /* the next one without a queue */
} __attribute__((aligned(64))) bell;

static bell *bell_from(hsa_signal_t doorbell)
{
  return (bell *)(uintptr_t)doorbell.handle;
}

/* One without a queue; the lock is held. */
static bell *doorbell_acquire(aqdrop *runtime)
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

bool aqdrop_doorbell_hang(aqdrop *runtime, aq_ring *ring, aq_amd_queue *queue)
{
  pthread_mutex_lock(&runtime->lock);
  bell *b = doorbell_acquire(runtime);
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

void aqdrop_doorbell_remove(aqdrop *runtime, hsa_signal_t doorbell)
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

bool aqdrop_doorbell_is(const aqdrop *runtime, hsa_signal_t signal)
{
  return aq_slab_has(&runtime->bells, signal.handle, sizeof(bell));
}

void aqdrop_doorbell_ring(const aqdrop *runtime, hsa_signal_t doorbell,
                          uint64_t id)
{
  aq_ring *ring = __atomic_load_n(&bell_from(doorbell)->ring, __ATOMIC_ACQUIRE);
  if (ring)
    aqdrop_check_publish(
        runtime,
        (const aq_amd_queue *)(uintptr_t)bell_from(doorbell)->abi.queue, id);
  if (ring)
    runtime->transport->ops->queue_doorbell(runtime->transport, ring, id);
}

int64_t aqdrop_doorbell_load(hsa_signal_t doorbell)
{
  const aq_ring *ring =
      __atomic_load_n(&bell_from(doorbell)->ring, __ATOMIC_ACQUIRE);
  return ring ? (int64_t)__atomic_load_n(ring->doorbell, __ATOMIC_ACQUIRE) : 0;
}

void aqdrop_doorbells_fini(aqdrop *runtime)
{
  aq_slab_fini(&runtime->bells);
  runtime->free_bell = NULL;
}

/* ---- at the timeout ---- */

struct aqdrop_doorbell_watch {
  aqdrop *runtime;
  int64_t at_ns;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t ends;
  bool over;
};

static void unrung_print(aqdrop *runtime, uint32_t queue, uint64_t packet)
{
  (void)runtime;
  fprintf(stderr,
          "aqueduct: at the timeout: queue %" PRIu32 ": packet %" PRIu64
          " is published, but no doorbell announced it\n",
          queue, packet);
}

/* Packets that will never run come first: they say why nothing ends. */
static void timeout_report(aqdrop *runtime)
{
  uint32_t queues;
  runtime->queues_unrung(runtime, unrung_print);
  aq_wave_machine_budget_tell(runtime->machine, aqdrop_timeout_print, NULL);
  const uint64_t packets = runtime->queues_waiting(runtime, &queues);
  if (packets > 0)
    fprintf(stderr,
            "aqueduct: at the timeout: %" PRIu64 " packets wait or run in "
            "%" PRIu32 " queues\n",
            packets, queues);
}

static void *watch_run(void *user)
{
  struct aqdrop_doorbell_watch *w = user;
  const int64_t second = 1000000000;
  const struct timespec at = {w->at_ns / second, w->at_ns % second};
  int passed = 0;
  pthread_mutex_lock(&w->lock);
  while (!w->over && passed == 0)
    passed = pthread_cond_clockwait(&w->ends, &w->lock, CLOCK_MONOTONIC, &at);
  const bool over = w->over;
  pthread_mutex_unlock(&w->lock);
  if (!over)
    timeout_report(w->runtime);
  return NULL;
}

void aqdrop_doorbells_watch(aqdrop *runtime, int64_t at_ns)
{
  struct aqdrop_doorbell_watch *w = calloc(1, sizeof *w);
  if (!w)
    return;
  w->runtime = runtime;
  w->at_ns = at_ns;
  pthread_mutex_init(&w->lock, NULL);
  pthread_cond_init(&w->ends, NULL);
  if (pthread_create(&w->thread, NULL, watch_run, w) == 0)
    runtime->watch = w;
  else
    free(w);
}

void aqdrop_doorbells_unwatch(aqdrop *runtime)
{
  struct aqdrop_doorbell_watch *w = runtime->watch;
  if (!w)
    return;
  pthread_mutex_lock(&w->lock);
  w->over = true;
  pthread_cond_signal(&w->ends);
  pthread_mutex_unlock(&w->lock);
  pthread_join(w->thread, NULL);
  runtime->watch = NULL;
  free(w);
}
