/* SPDX-License-Identifier: MIT */
/* Memory pools and regions, which are the same; host memory; coherency. */
#include "config.h"

#include <string.h>

#include "backend_sim/engine/page_probe.h"
#include "dropin/hsa/base/check.h"
#include "dropin/hsa/base/hsa.h"
#include "dropin/hsa/base/memory.h"
#include "dropin/hsa/base/pools.h"
#include "dropin/hsa/base/protected.h"

enum {
  GRANULE = 4096,
  RECOMMENDED = 2 << 20, /* granule */
  PCIE_DISTANCE = 20,    /* NUMA distance of a hop, as the kernel has it */
  XGMI_DISTANCE = 15,
};

/* ---- visiting ---- */

/* A device's regions are its own and the host's, which it reaches: it
 * has no other one for kernel arguments. */
hsa_status_t hsa_agent_iterate_regions(
    hsa_agent_t agent,
    hsa_status_t (*callback)(hsa_region_t region, void *data), void *data)
{
  AQDROP_ENTER(runtime);
  const aqdrop_agent *a = aqdrop_agent_from(runtime, agent);
  hsa_status_t status = aqdrop_agent_check(a, callback);
  if (status != HSA_STATUS_SUCCESS)
    return status;
  AQDROP_VISIT(callback, hsa_region_t, a->pools, a->pool_count, data)
  if (a->info)
    AQDROP_VISIT(callback, hsa_region_t, a->host->pools, a->host->pool_count,
                 data)
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_agent_iterate_memory_pools(
    hsa_agent_t agent,
    hsa_status_t (*callback)(hsa_amd_memory_pool_t memory_pool, void *data),
    void *data)
{
  AQDROP_ENTER(runtime);
  const aqdrop_agent *a = aqdrop_agent_from(runtime, agent);
  hsa_status_t status = aqdrop_agent_check(a, callback);
  if (status == HSA_STATUS_SUCCESS)
    AQDROP_VISIT(callback, hsa_amd_memory_pool_t, a->pools, a->pool_count, data)
  return status;
}

/* ---- attributes ---- */

/* What regions and pools are asked alike, by the same numbers. */
static hsa_status_t common_info(const aqdrop_pool *pool, uint32_t attribute,
                                void *value)
{
  const bool is_global = aqdrop_pool_is_global(pool);
  switch (attribute) {
  case HSA_AMD_MEMORY_POOL_INFO_SEGMENT:
    return aqdrop_put32(value, pool->segment);
  case HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS:
    return aqdrop_put32(value, pool->flags);
  case HSA_AMD_MEMORY_POOL_INFO_SIZE:
    return aqdrop_put64(value, pool->size);
  case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED:
    return aqdrop_put_bool(value, is_global);
  case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE:
  case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALIGNMENT:
    return aqdrop_put64(value, is_global ? GRANULE : 0);
  default:
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

_Static_assert((uint32_t)HSA_REGION_INFO_SEGMENT ==
                       (uint32_t)HSA_AMD_MEMORY_POOL_INFO_SEGMENT &&
                   (uint32_t)HSA_REGION_INFO_GLOBAL_FLAGS ==
                       (uint32_t)HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS &&
                   (uint32_t)HSA_REGION_INFO_SIZE ==
                       (uint32_t)HSA_AMD_MEMORY_POOL_INFO_SIZE &&
                   (uint32_t)HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED ==
                       (uint32_t)HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED,
               "the same numbers");

hsa_status_t hsa_region_get_info(hsa_region_t region, uint32_t attribute,
                                 void *value)
{
  AQDROP_ENTER(runtime);
  const aqdrop_pool *pool = aqdrop_pool_from(runtime, region.handle);
  if (!pool)
    return HSA_STATUS_ERROR_INVALID_REGION;
  if (!value)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const aqdrop_identity *persona = pool->agent->persona;
  switch (attribute) {
  case HSA_REGION_INFO_ALLOC_MAX_SIZE:
    return aqdrop_put64(value, aqdrop_pool_is_global(pool) ? pool->size : 0);
  case HSA_REGION_INFO_ALLOC_MAX_PRIVATE_WORKGROUP_SIZE:
    return aqdrop_put32(value, 0);
  case HSA_AMD_REGION_INFO_HOST_ACCESSIBLE:
    return aqdrop_put_bool(value, aqdrop_pool_is_global(pool) &&
                                      !aqdrop_pool_is_protected(runtime, pool));
  case HSA_AMD_REGION_INFO_BASE:
    *(void **)value = NULL; /* it has no address of its own */
    return HSA_STATUS_SUCCESS;
  case HSA_AMD_REGION_INFO_BUS_WIDTH:
    return aqdrop_put32(value, persona ? persona->bus_bits : 0);
  case HSA_AMD_REGION_INFO_MAX_CLOCK_FREQUENCY:
    return aqdrop_put32(value, persona ? persona->memory_mhz : 0);
  default:
    return common_info(pool, attribute, value);
  }
}

hsa_status_t hsa_amd_memory_pool_get_info(hsa_amd_memory_pool_t memory_pool,
                                          uint32_t attribute, void *value)
{
  AQDROP_ENTER(runtime);
  const aqdrop_pool *pool = aqdrop_pool_from(runtime, memory_pool.handle);
  if (!pool)
    return HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
  if (!value)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const bool is_global = aqdrop_pool_is_global(pool);
  switch (attribute) {
  case HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL:
    return aqdrop_put_bool(value, is_global && !pool->agent->info);
  case HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE:
    return aqdrop_put64(value, is_global ? pool->size : 0);
  case HSA_AMD_MEMORY_POOL_INFO_LOCATION:
    return aqdrop_put32(value, pool->agent->info
                                   ? HSA_AMD_MEMORY_POOL_LOCATION_GPU
                                   : HSA_AMD_MEMORY_POOL_LOCATION_CPU);
  case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_REC_GRANULE:
    return aqdrop_put64(
        value, is_global ? pool->agent->info ? RECOMMENDED : GRANULE : 0);
  default:
    return common_info(pool, attribute, value);
  }
}

/* ---- how an agent reaches a pool ---- */

static uint32_t pool_access(const aqdrop *runtime, const aqdrop_pool *pool,
                            const aqdrop_agent *agent)
{
  if (!aqdrop_pool_is_global(pool))
    return HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
  if (pool->agent == agent)
    return HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT;
  if (!agent->info && aqdrop_pool_is_protected(runtime, pool) &&
      !aqdrop_protected_opens(runtime))
    return HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
  return HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT;
}

/* The link between two agents, or NULL. */
static const aq_link_info *
link_find(const aqdrop *runtime, const aqdrop_agent *a, const aqdrop_agent *b)
{
  for (uint32_t i = 0; i < runtime->info.link_count; i++) {
    const aq_link_info *link = &runtime->info.links[i];
    if ((link->a == a->ordinal && link->b == b->ordinal) ||
        (link->a == b->ordinal && link->b == a->ordinal))
      return link;
  }
  return NULL;
}

/* A row for each hop: they are alike. */
static void put_hops(const aq_link_info *link,
                     hsa_amd_memory_pool_link_info_t *out)
{
  bool xgmi = link->type == AQ_LINK_XGMI;
  uint32_t latency = (uint32_t)(link->latency / link->hops / AQ_NS);
  uint32_t bandwidth = (uint32_t)(link->bandwidth / 1000000);
  for (uint32_t i = 0; i < link->hops; i++)
    out[i] = (hsa_amd_memory_pool_link_info_t){
        .min_latency = latency,
        .max_latency = latency,
        .min_bandwidth = bandwidth,
        .max_bandwidth = bandwidth,
        .atomic_32 = true,
        .atomic_64 = true,
        .coherent = true,
        .link_type =
            xgmi ? HSA_AMD_LINK_INFO_TYPE_XGMI : HSA_AMD_LINK_INFO_TYPE_PCIE,
        .numa_distance = xgmi ? XGMI_DISTANCE : PCIE_DISTANCE * link->hops};
}

hsa_status_t
hsa_amd_agent_memory_pool_get_info(hsa_agent_t agent,
                                   hsa_amd_memory_pool_t memory_pool,
                                   uint32_t attribute, void *value)
{
  AQDROP_ENTER(runtime);
  const aqdrop_agent *a = aqdrop_agent_from(runtime, agent);
  const aqdrop_pool *pool = aqdrop_pool_from(runtime, memory_pool.handle);
  if (!a)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!pool)
    return HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
  if (!value)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const aq_link_info *link =
      aqdrop_pool_is_global(pool) ? link_find(runtime, a, pool->agent) : NULL;
  switch (attribute) {
  case HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS:
    return aqdrop_put32(value, pool_access(runtime, pool, a));
  case HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS:
    return aqdrop_put32(value, link ? link->hops : 0);
  case HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO:
    if (link)
      put_hops(link, value);
    return HSA_STATUS_SUCCESS;
  default:
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

hsa_status_t
hsa_amd_memory_pool_can_migrate(hsa_amd_memory_pool_t src_memory_pool,
                                hsa_amd_memory_pool_t dst_memory_pool,
                                bool *result)
{
  AQDROP_ENTER(runtime);
  if (!result)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const aqdrop_pool *from = aqdrop_pool_from(runtime, src_memory_pool.handle);
  const aqdrop_pool *to = aqdrop_pool_from(runtime, dst_memory_pool.handle);
  if (!from || !to)
    return HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
  *result = aqdrop_pool_is_global(from) && aqdrop_pool_is_global(to);
  return HSA_STATUS_SUCCESS;
}

/* ---- bytes ---- */

/* Allocations are known; other memory of the process is asked for. */
static bool bytes_are_there(aqdrop *runtime, aqsim_access access,
                            const void *address, size_t size)
{
  uint64_t unmapped;
  return size == 0 || aqdrop_memory_covers(runtime, address, size) ||
         !aqsim_memory_unmapped(access, (uintptr_t)address, size, &unmapped);
}

hsa_status_t hsa_memory_copy(void *dst, const void *src, size_t size)
{
  AQDROP_ENTER(runtime);
  if (!dst || !src)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!bytes_are_there(runtime, AQSIM_READ, src, size) ||
      !bytes_are_there(runtime, AQSIM_WRITE, dst, size))
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  aqdrop_check_host(runtime, src, size, false);
  aqdrop_check_host(runtime, dst, size, true);
  memmove(aqdrop_memory_reach(runtime, dst, size),
          aqdrop_memory_reach(runtime, src, size), size);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_fill(void *ptr, uint32_t value, size_t count)
{
  AQDROP_ENTER(runtime);
  if (!ptr || (uintptr_t)ptr % sizeof value != 0)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (count > SIZE_MAX / sizeof value ||
      (count > 0 && !aqdrop_memory_covers(runtime, ptr, count * sizeof value)))
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  uint32_t *words = aqdrop_memory_reach(runtime, ptr, count * sizeof value);
  aqdrop_check_host(runtime, ptr, count * sizeof value, true);
  for (size_t i = 0; i < count; i++)
    words[i] = value;
  return HSA_STATUS_SUCCESS;
}

/* ---- functions that need no action ---- */

hsa_status_t hsa_memory_register(void *ptr, size_t size)
{
  AQDROP_ENTER(runtime);
  return ptr && size == 0 ? HSA_STATUS_ERROR_INVALID_ARGUMENT
                          : HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_memory_deregister(void *ptr, size_t size)
{
  AQDROP_ENTER(runtime);
  (void)ptr, (void)size;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_memory_assign_agent(void *ptr, hsa_agent_t agent,
                                     uint32_t access)
{
  AQDROP_ENTER(runtime);
  if (!aqdrop_agent_from(runtime, agent))
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!ptr || access < HSA_ACCESS_PERMISSION_RO ||
      access > HSA_ACCESS_PERMISSION_RW)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return HSA_STATUS_SUCCESS;
}

/* ---- coherency ---- */

static hsa_status_t coherency_agent(aqdrop *runtime, hsa_agent_t agent,
                                    aqdrop_agent **out)
{
  *out = aqdrop_agent_from(runtime, agent);
  return *out && (*out)->info ? HSA_STATUS_SUCCESS
                              : HSA_STATUS_ERROR_INVALID_AGENT;
}

hsa_status_t hsa_amd_coherency_get_type(hsa_agent_t agent, uint32_t *type)
{
  AQDROP_ENTER(runtime);
  aqdrop_agent *a;
  hsa_status_t status = coherency_agent(runtime, agent, &a);
  if (status != HSA_STATUS_SUCCESS)
    return status;
  if (!type)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  *type = __atomic_load_n(&a->coherency, __ATOMIC_RELAXED);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_coherency_set_type(hsa_agent_t agent, uint32_t type)
{
  AQDROP_ENTER(runtime);
  aqdrop_agent *a;
  hsa_status_t status = coherency_agent(runtime, agent, &a);
  if (status != HSA_STATUS_SUCCESS)
    return status;
  if (type > HSA_AMD_COHERENCY_TYPE_NONCOHERENT)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  __atomic_store_n(&a->coherency, type, __ATOMIC_RELAXED);
  return HSA_STATUS_SUCCESS;
}
