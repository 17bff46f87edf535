/* SPDX-License-Identifier: MIT */
/* The used bytes of a pool. Thread rule: any thread. */
#ifndef AQDROP_POOLS_H
#define AQDROP_POOLS_H

#include "dropin/hsa/base/runtime.h"

/* Whether clients can allocate in it. */
static inline bool aqdrop_pool_is_global(const aqdrop_pool *pool)
{
  return pool->segment == HSA_REGION_SEGMENT_GLOBAL;
}

/* False if it has less left. */
static inline bool aqdrop_pool_reserve(aqdrop_pool *pool, uint64_t size)
{
  uint64_t used = __atomic_load_n(&pool->used, __ATOMIC_RELAXED);
  do {
    if (size > pool->size - used)
      return false;
  } while (!__atomic_compare_exchange_n(&pool->used, &used, used + size, true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return true;
}

static inline void aqdrop_pool_return(aqdrop_pool *pool, uint64_t size)
{
  __atomic_fetch_sub(&pool->used, size, __ATOMIC_RELAXED);
}

#endif
