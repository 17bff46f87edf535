/* SPDX-License-Identifier: MIT */
/* Allocating and freeing memory of pools, and callbacks of freeing. */
#include "config.h"

#include "dropin/hsa/base/memory.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dropin/hsa/base/check.h"
#include "dropin/hsa/base/events.h"
#include "dropin/hsa/base/protected.h"
#include "dropin/hsa/base/published.h"
#include "dropin/hsa/base/queues.h"
#include "dropin/hsa/memory/allocation_table.h"

aqdrop_memory *aqdrop_memory_create(void)
{
  aqdrop_memory *memory = calloc(1, sizeof *memory);
  if (memory)
    pthread_mutex_init(&memory->lock, NULL);
  return memory;
}

void aqdrop_memory_destroy(aqdrop_memory *memory)
{
  for (size_t i = 0; i < memory->count; i++) {
    aqdrop_allocation_unmap(&memory->allocations[i]);
    aqdrop_allocation_calls_free(memory->allocations[i].calls);
  }
  free(memory->allocations);
  pthread_mutex_destroy(&memory->lock);
  free(memory);
}

uint32_t aqdrop_memory_device(aqdrop_memory *memory, const void *address)
{
  pthread_mutex_lock(&memory->lock);
  const aqdrop_allocation *b = aqdrop_allocation_find(memory, address);
  uint32_t device = b && b->pool ? b->pool->agent->ordinal : AQ_DEVICE_HOST;
  pthread_mutex_unlock(&memory->lock);
  return device;
}

bool aqdrop_memory_is_allocated(aqdrop_memory *memory, const void *address)
{
  pthread_mutex_lock(&memory->lock);
  const aqdrop_allocation *b = aqdrop_allocation_find(memory, address);
  const bool allocated = b && b->pool;
  pthread_mutex_unlock(&memory->lock);
  return allocated;
}

/* ---- allocation ---- */

/* As AMD's kernel driver places memory: the device heap of HIP's library finds
 * its slabs of 2 MiB by the addresses in them. */
static size_t block_alignment(size_t size)
{
  enum { HUGE = 1 << 21 };
  return size >= HUGE ? HUGE : AQDROP_PAGE;
}

/* Pages for an allocation that is protected from the host: the next ones of the
 * runtime's file. */
static bool block_protect(aqdrop *runtime, aqdrop_allocation *b)
{
  const size_t size = aqdrop_allocation_bytes(b->size);
  aqdrop_memory *memory = runtime->memory;
  char *base = aqdrop_protected_reserve(NULL, size + 2 * b->room,
                                        block_alignment(b->size));
  if (!base)
    return false;
  b->base = base + b->room;
  pthread_mutex_lock(&memory->lock);
  b->at = memory->file_end;
  const bool there =
      ftruncate(runtime->memory_file, b->at + (off_t)size) == 0 &&
      aqdrop_protected_map(b->base, size, runtime->memory_file, b->at,
                           PROT_NONE, PROT_READ | PROT_WRITE);
  if (there)
    memory->file_end += (off_t)size;
  pthread_mutex_unlock(&memory->lock);
  if (!there)
    aqdrop_protected_release(base, size + 2 * b->room);
  return there;
}

static bool block_map(aqdrop *runtime, aqdrop_allocation *b)
{
  if (b->protected)
    return block_protect(runtime, b);
  const size_t size = aqdrop_allocation_bytes(b->size) + 2 * b->room,
               more = block_alignment(b->size) - AQDROP_PAGE;
  char *base = mmap(NULL, size + more, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED)
    return false;
  const size_t lead = -(uintptr_t)base & (more + AQDROP_PAGE - 1);
  if (lead > 0)
    munmap(base, lead);
  if (lead < more)
    munmap(base + lead + size, more - lead);
  b->base = base + lead + b->room;
  return true;
}

/* Red zones, which leave a block where it would be without them. */
static size_t block_room(const aqdrop *runtime, size_t size)
{
  const size_t room = aqdrop_check_room(runtime);
  return room > 0 && room < block_alignment(size) ? block_alignment(size)
                                                  : room;
}

/* Puts a mapped block into both tables; false: out of memory. */
static bool block_publish(aqdrop *runtime, const aqdrop_allocation *b,
                          bool executable)
{
  const uint64_t agents = aqdrop_allocation_pool_agents(runtime, b->pool);
  pthread_mutex_lock(&runtime->memory->lock);
  bool kept = (b->protected ? aqdrop_publish_protected : aqdrop_publish)(
      runtime, b->base, b->size, AQ_ALLOCATION_POOL, b->pool->agent, agents,
      aqdrop_pool_facts(b->pool) | (executable ? AQDROP_EXECUTABLE : 0));
  if (kept && !aqdrop_allocation_insert(runtime->memory, b)) {
    aqdrop_withdraw(runtime, b->base, AQ_ALLOCATION_POOL);
    kept = false;
  }
  pthread_mutex_unlock(&runtime->memory->lock);
  return kept;
}

static hsa_status_t pool_allocate(aqdrop *runtime, aqdrop_pool *pool,
                                  size_t size, bool executable, void **out)
{
  if (!aqdrop_pool_is_global(pool) || size > pool->size)
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  if (!aqdrop_pool_reserve(pool, aqdrop_allocation_bytes(size)))
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  aqdrop_allocation new = {.size = size,
                           .pool = pool,
                           .room = block_room(runtime, size),
                           .file = -1,
                           .protected = aqdrop_pool_is_protected(runtime, pool),
                           .agents = aqdrop_agent_bit(runtime, pool->agent)};
  if (!new.protected)
    new.agents |= aqdrop_agent_bit(runtime, &runtime->agents[0]);
  const bool mapped = block_map(runtime, &new);
  if (!mapped || !block_publish(runtime, &new, executable)) {
    if (mapped)
      aqdrop_allocation_unmap(&new);
    aqdrop_pool_return(pool, aqdrop_allocation_bytes(size));
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  aqdrop_check_allocated(runtime, new.base, size, new.protected, pool);
  *out = new.base;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_memory_allocate(hsa_region_t region, size_t size, void **ptr)
{
  AQDROP_ENTER(runtime);
  aqdrop_pool *pool = aqdrop_pool_from(runtime, region.handle);
  if (!ptr || size == 0)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!pool)
    return HSA_STATUS_ERROR_INVALID_REGION;
  return pool_allocate(runtime, pool, size, false, ptr);
}

hsa_status_t hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t memory_pool,
                                          size_t size, uint32_t flags,
                                          void **ptr)
{
  AQDROP_ENTER(runtime);
  aqdrop_pool *pool = aqdrop_pool_from(runtime, memory_pool.handle);
  /* The others are how it lies in physical memory. */
  const bool executable = flags & HSA_AMD_MEMORY_POOL_EXECUTABLE_FLAG;
  if (!ptr || size == 0)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!pool)
    return HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
  return pool_allocate(runtime, pool, size, executable, ptr);
}

/* Why there is nothing to free. A queue's ring is memory that is in use: that
 * is an event of the system, too. */
static hsa_status_t free_refuse(aqdrop *runtime, const void *address)
{
  const aqdrop_agent *agent = aqdrop_queue_ring_agent(runtime, address);
  if (!agent) {
    if (runtime->check)
      aq_check_object_unknown(runtime->check, "memory", (uintptr_t)address);
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  }
  aqdrop_event_in_use(runtime, agent, address);
  return HSA_STATUS_ERROR;
}

/* In quarantine: the address is not used again, its memory is. */
static void block_forget(const aqdrop *runtime, const aqdrop_allocation *b)
{
  if (b->protected)
    aqdrop_protected_clear(b->base, aqdrop_allocation_bytes(b->size));
  else
    madvise(b->base, aqdrop_allocation_bytes(b->size), MADV_DONTNEED);
  aqdrop_allocation_punch(runtime, b);
  if (b->file >= 0)
    close(b->file);
}

hsa_status_t hsa_memory_free(void *ptr)
{
  AQDROP_ENTER(runtime);
  aqdrop_allocation old;
  if (!ptr)
    return HSA_STATUS_SUCCESS;
  pthread_mutex_lock(&runtime->memory->lock);
  bool found = aqdrop_allocation_remove(runtime->memory, ptr, true, &old);
  pthread_mutex_unlock(&runtime->memory->lock);
  if (!found)
    return free_refuse(runtime, ptr);
  aqdrop_check_freed(runtime, ptr);
  for (const aqdrop_freed_call *call = old.calls; call; call = call->next)
    call->function(call->address, call->data);
  aqdrop_allocation_calls_free(old.calls);
  aqdrop_withdraw(runtime, old.base, AQ_ALLOCATION_POOL);
  aqdrop_pool_return(old.pool, aqdrop_allocation_bytes(old.size));
  if (old.room)
    block_forget(runtime, &old);
  else
    aqdrop_allocation_unmap_live(runtime, &old);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_pool_free(void *ptr)
{
  return hsa_memory_free(ptr);
}

/* ---- callbacks of freeing ---- */

hsa_status_t hsa_amd_register_deallocation_callback(
    void *ptr, hsa_amd_deallocation_callback_t callback, void *user_data)
{
  AQDROP_ENTER(runtime);
  if (!ptr || !callback)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  aqdrop_freed_call *call = malloc(sizeof *call);
  if (!call)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  pthread_mutex_lock(&runtime->memory->lock);
  aqdrop_allocation *b = aqdrop_allocation_find(runtime->memory, ptr);
  bool known = b && b->pool;
  if (known) {
    *call = (aqdrop_freed_call){b->calls, ptr, callback, user_data};
    b->calls = call;
  }
  pthread_mutex_unlock(&runtime->memory->lock);
  if (!known)
    free(call);
  /* cppcheck-suppress memleak; the block has it */
  return known ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ALLOCATION;
}

hsa_status_t hsa_amd_deregister_deallocation_callback(
    void *ptr, hsa_amd_deallocation_callback_t callback)
{
  AQDROP_ENTER(runtime);
  if (!ptr || !callback)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  aqdrop_freed_call *found = NULL;
  pthread_mutex_lock(&runtime->memory->lock);
  aqdrop_allocation *b = aqdrop_allocation_find(runtime->memory, ptr);
  for (aqdrop_freed_call **at = b ? &b->calls : &found; *at && !found;) {
    if ((*at)->address == ptr && (*at)->function == callback) {
      found = *at;
      *at = found->next;
      break;
    }
    at = &(*at)->next;
  }
  pthread_mutex_unlock(&runtime->memory->lock);
  if (!found)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  free(found);
  return HSA_STATUS_SUCCESS;
}
