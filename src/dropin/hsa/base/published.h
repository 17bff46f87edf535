/* SPDX-License-Identifier: MIT */
/*
 * Publishes what clients allocate, lock and load in the allocation map, by
 * which the executor judges the accesses of kernels. Any thread.
 */
#ifndef AQDROP_PUBLISHED_H
#define AQDROP_PUBLISHED_H

#include "common/allocations.h"
#include "dropin/hsa/base/runtime.h"

/* Facts of memory, bits. */
enum { AQDROP_EXECUTABLE = 1, AQDROP_FINE = 2 };

/* Of memory of a pool. */
static inline unsigned aqdrop_pool_facts(const aqdrop_pool *pool)
{
  return pool->flags & HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED ? 0 : AQDROP_FINE;
}

/* Memory of `owner` that a set of agents (bits) may read and write. It is
 * protected from the host if an allocation published at its base before is.
 * False: out of memory. */
bool aqdrop_publish(aqdrop *runtime, const void *base, size_t size,
                    aq_allocation_kind kind, const aqdrop_agent *owner,
                    uint64_t agents, unsigned facts);

/* The same of memory that has the second mapping of protected.h. */
bool aqdrop_publish_protected(aqdrop *runtime, const void *base, size_t size,
                              aq_allocation_kind kind,
                              const aqdrop_agent *owner, uint64_t agents,
                              unsigned facts);

void aqdrop_withdraw(aqdrop *runtime, const void *base,
                     aq_allocation_kind kind);

/* Other agents than before may read, or write. */
void aqdrop_publish_agents(aqdrop *runtime, const void *base,
                           aq_allocation_kind kind, uint64_t readers,
                           uint64_t writers);

/* All agents, as bits. */
uint64_t aqdrop_agents_all(const aqdrop *runtime);

#endif
