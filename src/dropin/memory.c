/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/memory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backend_sim/live/live.h"
#include "common/array.h"
#include "dropin/check.h"
#include "dropin/events.h"
#include "dropin/locked.h"
#include "dropin/pools.h"
#include "dropin/protected.h"
#include "dropin/published.h"
#include "dropin/queues.h"
#include "dropin/vmem.h"

enum { PAGE = 4096 };

/* Called when the allocation it belongs to is freed. */
typedef struct freed_call {
  struct freed_call *next;
  void *address; /* as it was registered: somewhere in the allocation */
  hsa_amd_deallocation_callback_t function;
  void *data;
} freed_call;

typedef struct block {
  char *base;
  size_t size;       /* as asked for */
  size_t room;       /* mapped on either side besides: check.h */
  aqdrop_pool *pool; /* NULL: memory of others */
  int file;          /* that it is a mapping of, or -1 */
  bool protected;    /* mapped twice: protected.h */
  off_t at;          /* of protected memory in the runtime's file */
  void *user_data;
  uint64_t agents; /* bits of the agents that reach it */
  freed_call *calls;
} block;

/* Blocks by address; they do not overlap. */
struct aqdrop_memory {
  pthread_mutex_t lock;
  block *blocks;
  size_t count, capacity;
  off_t file_end; /* of protected memory; freed pages leave gaps */
};

/* ---- the table ---- */

aqdrop_memory *aqdrop_memory_create(void)
{
  aqdrop_memory *memory = calloc(1, sizeof *memory);
  if (memory)
    pthread_mutex_init(&memory->lock, NULL);
  return memory;
}

static size_t mapped_size(size_t size)
{
  return (size + PAGE - 1) & ~(size_t)(PAGE - 1);
}

static void block_unmap(const block *b)
{
  const size_t size = mapped_size(b->size) + 2 * b->room;
  if (b->protected)
    aqdrop_protected_give(b->base - b->room, size);
  else
    munmap(b->base - b->room, size);
  if (b->file >= 0)
    close(b->file);
}

/* Its pages in the runtime's file, if it still has some there. */
static void block_file_punch(const aqdrop *runtime, const block *b)
{
  if (b->protected && b->pool && b->file < 0)
    fallocate(runtime->memory_file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              b->at, (off_t)mapped_size(b->size));
}

/* The device looks whether memory is there, and then touches it. */
static void block_unmap_live(aqdrop *runtime, const block *b)
{
  aqsim_live_unmap_begin(runtime->transport, b->base, mapped_size(b->size));
  block_unmap(b);
  block_file_punch(runtime, b);
  aqsim_live_unmap_end(runtime->transport);
}

/* In quarantine: the address is not used again, its memory is. */
static void block_forget(const aqdrop *runtime, const block *b)
{
  if (b->protected)
    aqdrop_protected_clear(b->base, mapped_size(b->size));
  else
    madvise(b->base, mapped_size(b->size), MADV_DONTNEED);
  block_file_punch(runtime, b);
  if (b->file >= 0)
    close(b->file);
}

static void calls_free(freed_call *call)
{
  while (call) {
    freed_call *next = call->next;
    free(call);
    call = next;
  }
}

void aqdrop_memory_destroy(aqdrop_memory *memory)
{
  for (size_t i = 0; i < memory->count; i++) {
    block_unmap(&memory->blocks[i]);
    calls_free(memory->blocks[i].calls);
  }
  free(memory->blocks);
  pthread_mutex_destroy(&memory->lock);
  free(memory);
}

/* The index of the first block that ends behind an address. */
static size_t block_index(const aqdrop_memory *memory, const void *address)
{
  size_t low = 0, high = memory->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const block *b = &memory->blocks[middle];
    if ((uintptr_t)b->base + b->size <= (uintptr_t)address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static block *block_find(aqdrop_memory *memory, const void *address)
{
  size_t at = block_index(memory, address);
  block *b = &memory->blocks[at];
  return at < memory->count && (uintptr_t)b->base <= (uintptr_t)address ? b
                                                                        : NULL;
}

/* Puts a block into its place; false when memory ran out or it overlaps. */
static bool block_insert(aqdrop_memory *memory, const block *new)
{
  size_t at = block_index(memory, new->base);
  if (at < memory->count && memory->blocks[at].base < new->base + new->size)
    return false;
  if (!AQ_ARRAY_RESERVE(memory->blocks, memory->capacity, memory->count + 1))
    return false;
  memmove(&memory->blocks[at + 1], &memory->blocks[at],
          (memory->count - at) * sizeof *memory->blocks);
  memory->blocks[at] = *new;
  memory->count++;
  return true;
}

/* Takes the block that begins at an address out of the table: an allocation of
 * ours, or one of others. */
static bool block_take(aqdrop_memory *memory, const void *address, bool ours,
                       block *out)
{
  block *b = block_find(memory, address);
  if (!b || b->base != address || (b->pool != NULL) != ours)
    return false;
  *out = *b;
  memory->count--;
  memmove(b, b + 1, (size_t)(&memory->blocks[memory->count] - b) * sizeof *b);
  return true;
}

uint32_t aqdrop_memory_device(aqdrop_memory *memory, const void *address)
{
  pthread_mutex_lock(&memory->lock);
  const block *b = block_find(memory, address);
  uint32_t device = b && b->pool ? b->pool->agent->ordinal : AQ_DEVICE_HOST;
  pthread_mutex_unlock(&memory->lock);
  return device;
}

bool aqdrop_memory_is_allocated(aqdrop_memory *memory, const void *address)
{
  pthread_mutex_lock(&memory->lock);
  const block *b = block_find(memory, address);
  const bool allocated = b && b->pool;
  pthread_mutex_unlock(&memory->lock);
  return allocated;
}

/* ---- allocation ---- */

/* Memory of the host is there for all agents, whoever else is allowed. */
static uint64_t pool_agents(const aqdrop *runtime, const aqdrop_pool *pool)
{
  return pool->agent->info ? aqdrop_agent_bit(runtime, pool->agent)
                           : aqdrop_agents_all(runtime);
}

/* Pages for an allocation that is protected from the host: the next ones of the
 * runtime's file. */
static bool block_protect(aqdrop *runtime, block *b)
{
  const size_t size = mapped_size(b->size);
  aqdrop_memory *memory = runtime->memory;
  char *base = aqdrop_protected_take(NULL, size + 2 * b->room, PAGE);
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
    aqdrop_protected_give(base, size + 2 * b->room);
  return there;
}

static bool block_map(aqdrop *runtime, block *b)
{
  if (b->protected)
    return block_protect(runtime, b);
  b->base =
      mmap(NULL, mapped_size(b->size) + 2 * b->room, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (b->base == MAP_FAILED)
    return false;
  b->base += b->room;
  return true;
}

/* Puts a mapped block into both tables; false: out of memory. */
static bool block_publish(aqdrop *runtime, const block *b, bool executable)
{
  const uint64_t agents = pool_agents(runtime, b->pool);
  pthread_mutex_lock(&runtime->memory->lock);
  bool kept = (b->protected ? aqdrop_publish_protected : aqdrop_publish)(
      runtime, b->base, b->size, AQ_ALLOCATION_POOL, b->pool->agent, agents,
      executable);
  if (kept && !block_insert(runtime->memory, b)) {
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
  if (!aqdrop_pool_reserve(pool, mapped_size(size)))
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  block new = {.size = size,
               .pool = pool,
               .room = aqdrop_check_room(runtime),
               .file = -1,
               .protected = aqdrop_pool_is_protected(runtime, pool),
               .agents = aqdrop_agent_bit(runtime, pool->agent)};
  if (!new.protected)
    new.agents |= aqdrop_agent_bit(runtime, &runtime->agents[0]);
  const bool mapped = block_map(runtime, &new);
  if (!mapped || !block_publish(runtime, &new, executable)) {
    if (mapped)
      block_unmap(&new);
    aqdrop_pool_return(pool, mapped_size(size));
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  aqdrop_check_allocated(runtime, new.base, size, pool);
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

hsa_status_t hsa_memory_free(void *ptr)
{
  AQDROP_ENTER(runtime);
  block old;
  if (!ptr)
    return HSA_STATUS_SUCCESS;
  pthread_mutex_lock(&runtime->memory->lock);
  bool found = block_take(runtime->memory, ptr, true, &old);
  pthread_mutex_unlock(&runtime->memory->lock);
  if (!found)
    return free_refuse(runtime, ptr);
  aqdrop_check_freed(runtime, ptr);
  for (const freed_call *call = old.calls; call; call = call->next)
    call->function(call->address, call->data);
  calls_free(old.calls);
  aqdrop_withdraw(runtime, old.base, AQ_ALLOCATION_POOL);
  aqdrop_pool_return(old.pool, mapped_size(old.size));
  if (old.room)
    block_forget(runtime, &old);
  else
    block_unmap_live(runtime, &old);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_pool_free(void *ptr)
{
  return hsa_memory_free(ptr);
}

/* ---- moving ---- */

static void agents_publish(aqdrop *runtime, const block *b)
{
  const uint64_t agents = b->agents | pool_agents(runtime, b->pool);
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
  block *b = block_find(runtime->memory, ptr);
  if (b && b->pool && b->base == ptr) {
    const uint64_t size = mapped_size(b->size);
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

/* ---- callbacks of freeing ---- */

hsa_status_t hsa_amd_register_deallocation_callback(
    void *ptr, hsa_amd_deallocation_callback_t callback, void *user_data)
{
  AQDROP_ENTER(runtime);
  if (!ptr || !callback)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  freed_call *call = malloc(sizeof *call);
  if (!call)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  pthread_mutex_lock(&runtime->memory->lock);
  block *b = block_find(runtime->memory, ptr);
  bool known = b && b->pool;
  if (known) {
    *call = (freed_call){b->calls, ptr, callback, user_data};
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
  freed_call *found = NULL;
  pthread_mutex_lock(&runtime->memory->lock);
  block *b = block_find(runtime->memory, ptr);
  for (freed_call **at = b ? &b->calls : &found; *at && !found;) {
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

/* ---- access ---- */

/* The host reaches protected memory if it is one of its agents and may be. As
 * with AMD's runtime, asking for more than that is no error. */
static void host_protect(const aqdrop *runtime, block *b)
{
  const uint64_t host = aqdrop_agent_bit(runtime, &runtime->agents[0]);
  if (!b->protected)
    return;
  if (!aqdrop_protected_opens(runtime))
    b->agents &= ~host;
  mprotect(b->base, mapped_size(b->size),
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
  block *b = block_find(runtime->memory, ptr);
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

static void info_describe(const aqdrop *runtime, const block *b,
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
  const block *b = block_find(runtime->memory, address);
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
  block *b = block_find(runtime->memory, ptr);
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

/* ---- sharing ---- */

static bool page_is_zero(const char *page)
{
  return page[0] == 0 && memcmp(page, page + 1, PAGE - 1) == 0;
}

static bool block_map_file(const aqdrop *runtime, const block *b, int file)
{
  const bool host = b->agents & aqdrop_agent_bit(runtime, &runtime->agents[0]);
  const size_t size = mapped_size(b->size);
  const int all = PROT_READ | PROT_WRITE;
  return b->protected ? aqdrop_protected_map(b->base, size, file, 0,
                                             host ? all : PROT_NONE, all)
                      : mmap(b->base, size, all, MAP_SHARED | MAP_FIXED, file,
                             0) != MAP_FAILED;
}

/* Memory becomes a mapping of a file with the same bytes, at the same place.
 * Pages that hold only zeros take no blocks of the file. */
static bool block_to_file(const aqdrop *runtime, block *b)
{
  const size_t size = mapped_size(b->size);
  const char *from = aqdrop_reach(runtime, b->base);
  int file = memfd_create(
      b->protected ? AQDROP_PROTECTED_FILE : "aqueduct-shared", MFD_CLOEXEC);
  bool done = file >= 0 && ftruncate(file, (off_t)size) == 0;
  for (size_t at = 0; done && at < size; at += PAGE)
    done = page_is_zero(from + at) ||
           pwrite(file, from + at, PAGE, (off_t)at) == PAGE;
  if (done && block_map_file(runtime, b, file)) {
    block_file_punch(runtime, b);
    b->file = file;
    return true;
  }
  if (file >= 0)
    close(file);
  return false;
}

hsa_status_t aqdrop_memory_share(aqdrop *runtime, const void *address,
                                 size_t size, int *file, uint64_t *offset)
{
  aqdrop_memory *memory = runtime->memory;
  hsa_status_t status = HSA_STATUS_ERROR_INVALID_ALLOCATION;
  pthread_mutex_lock(&memory->lock);
  block *b = block_find(memory, address);
  if (b && b->pool) {
    *offset = (uint64_t)((const char *)address - b->base);
    if (size <= b->size - *offset)
      status = b->file >= 0 || block_to_file(runtime, b)
                   ? HSA_STATUS_SUCCESS
                   : (hsa_status_t)HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    *file = b->file;
  }
  pthread_mutex_unlock(&memory->lock);
  return status;
}

static bool attached_map(const aqdrop *runtime, block *b, int file)
{
  const size_t size = mapped_size(b->size);
  if (!b->protected) {
    b->base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return b->base != MAP_FAILED;
  }
  b->base = aqdrop_protected_take(NULL, size, PAGE);
  if (b->base && !block_map_file(runtime, b, file)) {
    aqdrop_protected_give(b->base, size);
    b->base = NULL;
  }
  return b->base != NULL;
}

hsa_status_t aqdrop_memory_attach(aqdrop *runtime, int file, size_t size,
                                  uint64_t agents, void **out)
{
  aqdrop_memory *memory = runtime->memory;
  block new = {.size = size,
               .file = -1,
               .protected = runtime->strict != AQ_STRICT_OFF &&
                            aqdrop_protected_is_file(file),
               .agents = agents};
  if (!new.protected)
    new.agents |= aqdrop_agent_bit(runtime, &runtime->agents[0]);
  else if (!aqdrop_protected_opens(runtime))
    new.agents &= ~aqdrop_agent_bit(runtime, &runtime->agents[0]);
  if (!attached_map(runtime, &new, file))
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  pthread_mutex_lock(&memory->lock);
  bool kept = (new.protected ? aqdrop_publish_protected : aqdrop_publish)(
      runtime, new.base, size, AQ_ALLOCATION_SHARED, NULL, new.agents, false);
  if (kept && !block_insert(memory, &new)) {
    aqdrop_withdraw(runtime, new.base, AQ_ALLOCATION_SHARED);
    kept = false;
  }
  pthread_mutex_unlock(&memory->lock);
  if (!kept) {
    block_unmap(&new);
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  *out = new.base;
  return HSA_STATUS_SUCCESS;
}

bool aqdrop_memory_detach(aqdrop *runtime, const void *address)
{
  aqdrop_memory *memory = runtime->memory;
  block old;
  pthread_mutex_lock(&memory->lock);
  bool found = block_take(memory, address, false, &old);
  pthread_mutex_unlock(&memory->lock);
  if (found) {
    aqdrop_withdraw(runtime, old.base, AQ_ALLOCATION_SHARED);
    block_unmap_live(runtime, &old);
  }
  return found;
}
