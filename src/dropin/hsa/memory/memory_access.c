/* SPDX-License-Identifier: MIT */
/* The agents that reach an allocation, and the owner of an address. */
#include "config.h"

#include "dropin/hsa/base/memory.h"

#include <string.h>
#include <sys/mman.h>

#include "dropin/hsa/base/protected.h"
#include "dropin/hsa/base/published.h"
#include "dropin/hsa/base/vmem.h"
#include "dropin/hsa/memory/allocation_table.h"
#include "dropin/hsa/memory/locked_memory.h"

/* ---- moving ---- */

static void agents_publish(aqdrop *runtime, const aqdrop_allocation *b)
{
  const uint64_t agents =
      b->agents | aqdrop_allocation_pool_agents(runtime, b->pool);
  aqdrop_publish_agents(runtime, b->base, AQ_ALLOCATION_POOL, agents, agents);
}

/* The bytes stay where they are: every pool is memory of this process. */
hsa_status_t hsa_amd_memory_migrate(const void *ptr,
                                    hsa_amd_memory_pool_t memory_pool,
                                    uint32_t flags)
{
  AQDROP_ENTER(runtime);
  aqdrop_pool *pool = aqdrop_pool_from(runtime, memory_pool.handle);
  hsa_status_t status = HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!ptr || flags)
    return status;
  if (!pool || !aqdrop_pool_is_global(pool))
    return HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
  pthread_mutex_lock(&runtime->memory->lock);
  aqdrop_allocation *b = aqdrop_allocation_find(runtime->memory, ptr);
  if (b && b->pool && b->base == ptr) {
    const uint64_t size = aqdrop_allocation_bytes(b->size);
    status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    if (b->pool == pool || aqdrop_pool_reserve(pool, size)) {
      if (b->pool != pool)
        aqdrop_pool_return(b->pool, size);
      b->pool = pool;
      b->agents |= aqdrop_agent_bit(runtime, pool->agent);
      agents_publish(runtime, b);
      status = HSA_STATUS_SUCCESS;
    }
  }
  pthread_mutex_unlock(&runtime->memory->lock);
  return status;
}

/* ---- access ---- */

/* The host reaches protected memory if it is one of its agents and may be. As
 * with AMD's runtime, asking for more than that is no error. */
static void host_protect(const aqdrop *runtime, aqdrop_allocation *b)
{
  const uint64_t host = aqdrop_agent_bit(runtime, &runtime->agents[0]);
  if (!b->protected)
    return;
  if (!aqdrop_protected_opens(runtime))
    b->agents &= ~host;
  mprotect(b->base, aqdrop_allocation_bytes(b->size),
           b->agents & host ? PROT_READ | PROT_WRITE : PROT_NONE);
}

hsa_status_t hsa_amd_agents_allow_access(uint32_t num_agents,
                                         const hsa_agent_t *agents,
                                         const uint32_t *flags, const void *ptr)
{
  AQDROP_ENTER(runtime);
  uint64_t bits = 0;
  if (num_agents == 0 || !agents || flags || !ptr)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  for (uint32_t i = 0; i < num_agents; i++) {
    const aqdrop_agent *agent = aqdrop_agent_from(runtime, agents[i]);
    if (!agent)
      return HSA_STATUS_ERROR_INVALID_AGENT;
    bits |= aqdrop_agent_bit(runtime, agent);
  }
  pthread_mutex_lock(&runtime->memory->lock);
  aqdrop_allocation *b = aqdrop_allocation_find(runtime->memory, ptr);
  if (b && b->pool) {
    b->agents = bits | aqdrop_agent_bit(runtime, b->pool->agent);
    host_protect(runtime, b);
    agents_publish(runtime, b);
  }
  pthread_mutex_unlock(&runtime->memory->lock);
  return b || aqdrop_vmem_allow(runtime, ptr, bits)
             ? HSA_STATUS_SUCCESS
             : HSA_STATUS_ERROR_INVALID_ALLOCATION;
}

/* ---- the owner of an address ---- */

static void info_describe(const aqdrop *runtime, const aqdrop_allocation *b,
                          hsa_amd_pointer_info_t *out)
{
  const aqdrop_agent *owner = b->pool ? b->pool->agent : &runtime->agents[0];
  *out = (hsa_amd_pointer_info_t){
      .type = b->pool ? HSA_EXT_POINTER_TYPE_HSA : HSA_EXT_POINTER_TYPE_IPC,
      .agent_base = b->base,
      .host_base = b->base,
      .bytes = b->size,
      .user_data = b->user_data,
      .owner = aqdrop_agent_handle(owner),
      .global_flags =
          b->pool ? b->pool->flags : HSA_REGION_GLOBAL_FLAG_FINE_GRAINED};
}

static hsa_status_t agents_list(const aqdrop *runtime, uint64_t bits,
                                void *(*alloc)(size_t), uint32_t *count,
                                hsa_agent_t **out)
{
  uint32_t total = (uint32_t)__builtin_popcountll(bits), used = 0;
  if (out && alloc && total > 0) {
    hsa_agent_t *list = alloc(total * sizeof *list);
    if (!list)
      return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    for (uint32_t i = 0; i < runtime->agent_count; i++)
      if (bits >> i & 1)
        list[used++] = aqdrop_agent_handle(&runtime->agents[i]);
    *out = list;
  }
  if (count)
    *count = total;
  return HSA_STATUS_SUCCESS;
}

/* False for memory that was not allocated, attached or locked. */
static bool address_describe(aqdrop *runtime, const void *address,
                             hsa_amd_pointer_info_t *out, uint64_t *agents)
{
  pthread_mutex_lock(&runtime->memory->lock);
  const aqdrop_allocation *b = aqdrop_allocation_find(runtime->memory, address);
  if (b) {
    info_describe(runtime, b, out);
    *agents = b->agents;
  }
  pthread_mutex_unlock(&runtime->memory->lock);
  return b || aqdrop_locked_describe(runtime, address, out, agents);
}

hsa_status_t hsa_amd_pointer_info(const void *ptr, hsa_amd_pointer_info_t *info,
                                  void *(*alloc)(size_t),
                                  uint32_t *num_agents_accessible,
                                  hsa_agent_t **accessible)
{
  AQDROP_ENTER(runtime);
  hsa_amd_pointer_info_t full = {.type = HSA_EXT_POINTER_TYPE_UNKNOWN};
  uint64_t bits = 0;
  if (!ptr || !info || info->size < sizeof info->size + sizeof info->type)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  address_describe(runtime, ptr, &full, &bits);
  full.size = info->size < sizeof full ? info->size : sizeof full;
  memcpy(info, &full, full.size);
  return agents_list(runtime, bits, alloc, num_agents_accessible, accessible);
}

hsa_status_t hsa_amd_pointer_info_set_userdata(const void *ptr, void *userdata)
{
  AQDROP_ENTER(runtime);
  if (!ptr)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  pthread_mutex_lock(&runtime->memory->lock);
  aqdrop_allocation *b = aqdrop_allocation_find(runtime->memory, ptr);
  if (b)
    b->user_data = userdata;
  pthread_mutex_unlock(&runtime->memory->lock);
  return b || aqdrop_locked_set_userdata(runtime, ptr, userdata)
             ? HSA_STATUS_SUCCESS
             : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

bool aqdrop_memory_covers(aqdrop *runtime, const void *address, size_t size)
{
  hsa_amd_pointer_info_t info = {0};
  uint64_t agents;
  if (!address_describe(runtime, address, &info, &agents))
    return aqdrop_vmem_covers(runtime, address, size);
  const uint64_t host = aq_address_host((uintptr_t)address);
  const size_t at = (size_t)(host - (uintptr_t)info.host_base);
  return size <= info.bytes - at;
}

void *aqdrop_memory_seen(aqdrop *runtime, const void *address, size_t size)
{
  const uint64_t at = (uintptr_t)address, host = aq_address_host(at);
  return (void *)(uintptr_t)(host == at || aqdrop_memory_covers(runtime,
                                                                address, size)
                                 ? host
                                 : at);
}

void *aqdrop_memory_reach(aqdrop *runtime, const void *address, size_t size)
{
  return aqdrop_reach(runtime, aqdrop_memory_seen(runtime, address, size));
}
