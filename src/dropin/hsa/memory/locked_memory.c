/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/hsa/memory/locked_memory.h"

#include <stdlib.h>
#include <string.h>

#include "dropin/hsa/base/memory.h"
#include "dropin/hsa/base/published.h"

/* The newest comes first. */
typedef struct aqdrop_locked {
  struct aqdrop_locked *next, **link; /* `link` points here */
  struct aqdrop_locked *older;        /* that begins at the same address */
  char *base;
  char *alias; /* where the devices see it, too; or `base` */
  size_t size;
  uint64_t agents; /* bits of the agents that reach it */
  void *user_data;
  uint32_t times;
} locked;

static bool has_alias(const locked *range)
{
  return range->alias != range->base;
}

/* Devices reach it by both addresses, as on a kernel that maps host memory
 * where it is and with a library that maps it elsewhere. */
static bool range_publish(aqdrop *runtime, const locked *range)
{
  if (!aqdrop_publish(runtime, range->base, range->size, AQ_ALLOCATION_LOCKED,
                      NULL, range->agents, AQDROP_FINE))
    return false;
  if (!has_alias(range) ||
      aqdrop_publish(runtime, range->alias, range->size, AQ_ALLOCATION_LOCKED,
                     NULL, range->agents, AQDROP_FINE))
    return true;
  aqdrop_withdraw(runtime, range->base, AQ_ALLOCATION_LOCKED);
  return false;
}

static void range_publish_agents(aqdrop *runtime, const locked *range)
{
  aqdrop_publish_agents(runtime, range->base, AQ_ALLOCATION_LOCKED,
                        range->agents, range->agents);
  if (has_alias(range))
    aqdrop_publish_agents(runtime, range->alias, AQ_ALLOCATION_LOCKED,
                          range->agents, range->agents);
}

static void range_withdraw(aqdrop *runtime, const locked *range)
{
  if (has_alias(range))
    aqdrop_withdraw(runtime, range->alias, AQ_ALLOCATION_LOCKED);
  aqdrop_withdraw(runtime, range->base, AQ_ALLOCATION_LOCKED);
}

void aqdrop_locked_fini(aqdrop *runtime)
{
  while (runtime->first_locked) {
    locked *range = runtime->first_locked;
    runtime->first_locked = range->next;
    range_withdraw(runtime, range);
    free(range);
  }
  aq_map_fini(&runtime->locked);
}

static locked *locked_at(const aqdrop *runtime, const void *address)
{
  const uint64_t host = aq_address_host((uintptr_t)address);
  for (locked *range = runtime->first_locked; range; range = range->next)
    if (host - (uintptr_t)range->base < range->size)
      return range;
  return NULL;
}

/* The newest one that begins there; runtime->locked has it. */
static locked *locked_from(const aqdrop *runtime, const void *base)
{
  uint64_t found;
  return aq_map_get(&runtime->locked, (uintptr_t)base, &found)
             ? (locked *)(uintptr_t)found
             : NULL;
}

static bool locked_insert(aqdrop *runtime, locked *range)
{
  range->older = locked_from(runtime, range->base);
  if (!aq_map_put(&runtime->locked, (uintptr_t)range->base, (uintptr_t)range))
    return false;
  range->next = runtime->first_locked;
  range->link = &runtime->first_locked;
  if (range->next)
    range->next->link = &range->next;
  runtime->first_locked = range;
  return true;
}

/* The newest one of its address. */
static void locked_remove(aqdrop *runtime, locked *range)
{
  aq_map_remove(&runtime->locked, (uintptr_t)range->base, NULL);
  if (range->older) /* there was room */
    aq_map_put(&runtime->locked, (uintptr_t)range->base,
               (uintptr_t)range->older);
  *range->link = range->next;
  if (range->next)
    range->next->link = range->link;
}

/* ---- locking ---- */

/* The bits of agents, or of all when there are none in the list; 0 for a list
 * with an unknown one. */
static uint64_t agents_bits(aqdrop *runtime, const hsa_agent_t *agents,
                            int count)
{
  uint64_t bits = aqdrop_agent_bit(runtime, &runtime->agents[0]);
  for (int i = 0; i < count; i++) {
    const aqdrop_agent *agent = aqdrop_agent_from(runtime, agents[i]);
    if (!agent)
      return 0;
    bits |= aqdrop_agent_bit(runtime, agent);
  }
  for (uint32_t i = 0; count == 0 && i < runtime->agent_count; i++)
    bits |= aqdrop_agent_bit(runtime, &runtime->agents[i]);
  return bits;
}

/* Where devices see host memory: ROCm's libraries up to 5.6 map it at another
 * address, and HIP of that time relies on it; later ones where it is, on
 * kernels that can. Their variable chooses here, too. Allocations stay where
 * they are.
 */
static char *alias_choose(aqdrop *runtime, char *base, size_t size)
{
  const char *svm = secure_getenv("HSA_USE_SVM");
  if ((svm && strcmp(svm, "1") == 0) ||
      aqdrop_memory_is_allocated(runtime->memory, base))
    return base;
  return (char *)(uintptr_t)aq_address_alias((uintptr_t)base, size);
}

/* Counts a present range, or puts it first; sets *alias to its. */
static bool range_add(aqdrop *runtime, char *base, size_t size, uint64_t agents,
                      char **alias)
{
  locked *new = malloc(sizeof *new);
  if (!new)
    return false;
  *new = (locked){.base = base,
                  .alias = alias_choose(runtime, base, size),
                  .size = size,
                  .agents = agents,
                  .times = 1};
  pthread_mutex_lock(&runtime->lock);
  locked *range = locked_from(runtime, base);
  while (range && range->size != size)
    range = range->older;
  bool published = true;
  if (range) {
    range->times++;
    range->agents |= agents;
    range_publish_agents(runtime, range);
  } else if (!range_publish(runtime, new)) {
    published = false;
  } else if (!locked_insert(runtime, new)) {
    range_withdraw(runtime, new);
    published = false;
  }
  *alias = range ? range->alias : new->alias;
  pthread_mutex_unlock(&runtime->lock);
  if (range || !published)
    free(new);
  return published;
}

static hsa_status_t host_lock(aqdrop *runtime, void *host, size_t size,
                              const hsa_agent_t *agents, int count,
                              void **agent_ptr)
{
  char *alias;
  if (!host || size == 0 || (uintptr_t)host + size < size || !agent_ptr ||
      count < 0 || (agents == NULL) != (count == 0))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  uint64_t bits = agents_bits(runtime, agents, count);
  if (bits == 0)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!range_add(runtime, host, size, bits, &alias))
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  *agent_ptr = alias;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_lock(void *host_ptr, size_t size,
                                 hsa_agent_t *agents, int num_agent,
                                 void **agent_ptr)
{
  AQDROP_ENTER(runtime);
  return host_lock(runtime, host_ptr, size, agents, num_agent, agent_ptr);
}

hsa_status_t hsa_amd_memory_lock_to_pool(void *host_ptr, size_t size,
                                         hsa_agent_t *agents, int num_agent,
                                         hsa_amd_memory_pool_t pool,
                                         uint32_t flags, void **agent_ptr)
{
  AQDROP_ENTER(runtime);
  const aqdrop_pool *p = aqdrop_pool_from(runtime, pool.handle);
  if (flags)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!p || p->agent->info)
    return HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
  return host_lock(runtime, host_ptr, size, agents, num_agent, agent_ptr);
}

hsa_status_t hsa_amd_memory_unlock(void *host_ptr)
{
  AQDROP_ENTER(runtime);
  if (!host_ptr)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  pthread_mutex_lock(&runtime->lock);
  locked *range = locked_from(runtime, host_ptr);
  bool last = range && --range->times == 0;
  if (last) {
    locked_remove(runtime, range);
    range_withdraw(runtime, range);
  }
  pthread_mutex_unlock(&runtime->lock);
  if (last)
    free(range);
  return range ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

/* ---- the owner of an address ---- */

bool aqdrop_locked_describe(aqdrop *runtime, const void *address,
                            hsa_amd_pointer_info_t *out, uint64_t *agents)
{
  pthread_mutex_lock(&runtime->lock);
  const locked *range = locked_at(runtime, address);
  if (range) {
    *out = (hsa_amd_pointer_info_t){
        .type = HSA_EXT_POINTER_TYPE_LOCKED,
        .agent_base = range->alias,
        .host_base = range->base,
        .bytes = range->size,
        .user_data = range->user_data,
        .owner = aqdrop_agent_handle(&runtime->agents[0]),
        .global_flags = HSA_REGION_GLOBAL_FLAG_FINE_GRAINED};
    *agents = range->agents;
  }
  pthread_mutex_unlock(&runtime->lock);
  return range != NULL;
}

bool aqdrop_locked_set_userdata(aqdrop *runtime, const void *address,
                                void *user_data)
{
  pthread_mutex_lock(&runtime->lock);
  locked *range = locked_at(runtime, address);
  if (range)
    range->user_data = user_data;
  pthread_mutex_unlock(&runtime->lock);
  return range != NULL;
}
