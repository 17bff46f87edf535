/* SPDX-License-Identifier: MIT */
/*
 * Read and write indices: plain atomics on the amd_queue_t, each in the order
 * that its name says. Acquire pairs with the processor's release when it hands
 * slots back, release with whoever sizes the queue by its write index.
 *
 * These functions have no status. A queue that was destroyed, or never one, has
 * index 0, and nothing is stored; that is said, a few times.
 */
#include "config.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>

#include "backend_sim/live/live.h"
#include "dropin/hsa/base/hsa.h"
#include "dropin/hsa/base/runtime.h"

static void stranger_report(const hsa_queue_t *queue)
{
  enum { LINES = 8 };
  static uint32_t lines; /* atomic */
  if (__atomic_fetch_add(&lines, 1, __ATOMIC_RELAXED) < LINES)
    fprintf(stderr,
            "aqueduct: %#" PRIxPTR
            " is no queue, or was destroyed: its index counts as 0\n",
            (uintptr_t)queue);
}

/* The queue, or NULL for none. */
static aq_amd_queue *queue_abi(const hsa_queue_t *queue)
{
  const aqdrop *runtime = aqdrop_runtime();
  if (!queue || !runtime)
    return NULL;
  aq_amd_queue *abi = (aq_amd_queue *)(uintptr_t)queue;
  if (aqsim_live_queue_is_own(runtime->transport, abi) &&
      __atomic_load_n(&abi->hsa.base, __ATOMIC_RELAXED))
    return abi;
  stranger_report(queue);
  return NULL;
}

static uint64_t *write_index(const hsa_queue_t *queue)
{
  aq_amd_queue *abi = queue_abi(queue);
  return abi ? &abi->write_dispatch_id : NULL;
}

static uint64_t *read_index(const hsa_queue_t *queue)
{
  aq_amd_queue *abi = queue_abi(queue);
  return abi ? &abi->read_dispatch_id : NULL;
}

/* A thread that asks for an index until another thread or the device changes it
 * lets them run: on a busy machine they may wait for its core. */
static uint64_t index_polled(const uint64_t *index, uint64_t value)
{
  enum { PATIENCE = 128 }; /* calls, some 10 ns each */
  static _Thread_local struct {
    const uint64_t *index;
    uint64_t value;
    uint32_t again;
  } last;
  if (last.index != index || last.value != value) {
    last.index = index;
    last.value = value;
    last.again = 0;
  } else if (++last.again % PATIENCE == 0) {
    sched_yield();
  }
  return value;
}

#define LOAD(which, name, order)                                               \
  uint64_t hsa_queue_load_##which##_##name(const hsa_queue_t *queue)           \
  {                                                                            \
    const uint64_t *index = which(queue);                                      \
    return index ? index_polled(index, __atomic_load_n(index, order)) : 0;     \
  }
LOAD(read_index, relaxed, __ATOMIC_RELAXED)
LOAD(read_index, scacquire, __ATOMIC_ACQUIRE)
LOAD(read_index, acquire, __ATOMIC_ACQUIRE)
LOAD(write_index, relaxed, __ATOMIC_RELAXED)
LOAD(write_index, scacquire, __ATOMIC_ACQUIRE)
LOAD(write_index, acquire, __ATOMIC_ACQUIRE)

#define STORE(which, name, order)                                              \
  void hsa_queue_store_##which##_##name(const hsa_queue_t *queue,              \
                                        uint64_t value)                        \
  {                                                                            \
    uint64_t *index = which(queue);                                            \
    if (index)                                                                 \
      __atomic_store_n(index, value, order);                                   \
  }
STORE(read_index, relaxed, __ATOMIC_RELAXED)
STORE(read_index, screlease, __ATOMIC_RELEASE)
STORE(read_index, release, __ATOMIC_RELEASE)
STORE(write_index, relaxed, __ATOMIC_RELAXED)
STORE(write_index, screlease, __ATOMIC_RELEASE)
STORE(write_index, release, __ATOMIC_RELEASE)

#define ADD(name, order, failed)                                               \
  uint64_t hsa_queue_add_write_index_##name(const hsa_queue_t *queue,          \
                                            uint64_t value)                    \
  {                                                                            \
    uint64_t *index = write_index(queue);                                      \
    return index ? __atomic_fetch_add(index, value, order) : 0;                \
  }
#define CAS(name, order, failed)                                               \
  uint64_t hsa_queue_cas_write_index_##name(const hsa_queue_t *queue,          \
                                            uint64_t expected, uint64_t value) \
  {                                                                            \
    uint64_t *index = write_index(queue);                                      \
    if (!index)                                                                \
      return 0;                                                                \
    if (__atomic_compare_exchange_n(index, &expected, value, false, order,     \
                                    failed))                                   \
      return expected;                                                         \
    return index_polled(index, expected);                                      \
  }
#define EVERY_ORDER(MACRO)                                                     \
  MACRO(relaxed, __ATOMIC_RELAXED, __ATOMIC_RELAXED)                           \
  MACRO(scacquire, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)                         \
  MACRO(acquire, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)                           \
  MACRO(screlease, __ATOMIC_RELEASE, __ATOMIC_RELAXED)                         \
  MACRO(release, __ATOMIC_RELEASE, __ATOMIC_RELAXED)                           \
  MACRO(scacq_screl, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)                       \
  MACRO(acq_rel, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
EVERY_ORDER(ADD)
EVERY_ORDER(CAS)
