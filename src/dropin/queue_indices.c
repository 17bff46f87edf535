/* SPDX-License-Identifier: MIT */
/*
 * Read and write indices: plain atomics on the amd_queue_t, each in the order
 * that its name says. Acquire pairs with the processor's release when it hands
 * slots back, release with whoever sizes the queue by its write index.
 */
#include "config.h"

#include "dropin/hsa.h"

static uint64_t *write_index(const hsa_queue_t *queue)
{
  return &((aq_amd_queue *)(uintptr_t)queue)->write_dispatch_id;
}

static uint64_t *read_index(const hsa_queue_t *queue)
{
  return &((aq_amd_queue *)(uintptr_t)queue)->read_dispatch_id;
}

#define LOAD(which, name, order)                                               \
  uint64_t hsa_queue_load_##which##_##name(const hsa_queue_t *queue)           \
  {                                                                            \
    return queue ? __atomic_load_n(which(queue), order) : 0;                   \
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
    if (queue)                                                                 \
      __atomic_store_n(which(queue), value, order);                            \
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
    return queue ? __atomic_fetch_add(write_index(queue), value, order) : 0;   \
  }
#define CAS(name, order, failed)                                               \
  uint64_t hsa_queue_cas_write_index_##name(const hsa_queue_t *queue,          \
                                            uint64_t expected, uint64_t value) \
  {                                                                            \
    if (queue)                                                                 \
      __atomic_compare_exchange_n(write_index(queue), &expected, value, false, \
                                  order, failed);                              \
    return expected;                                                           \
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
