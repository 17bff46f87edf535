/* SPDX-License-Identifier: MIT */
/*
 * Virtual memory: reserved addresses, physical memory (a file in memory each)
 * and mappings between them. A mapping is as accessible as the most that any
 * agent may do with it, since host and device share one address space. With
 * strict memory (protected.h) every reservation has second addresses, and a
 * mapping of a device's memory is the host's only as far as the host may.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend_sim/live/live.h"
#include "dropin/hsa/base/pools.h"
#include "dropin/hsa/base/protected.h"
#include "dropin/hsa/base/published.h"
#include "dropin/hsa/base/vmem.h"

enum { GRANULE = 4096, AGENTS_MAX = AQSIM_DEVICES_MAX + 1 };

typedef struct physical {
  struct physical *next;
  uint32_t references; /* of handles and of mappings */
  uint32_t handles;    /* of them: the ones that clients may release */
  int file;
  size_t size;
  aqdrop_pool *pool;
  uint32_t type;
} physical;

typedef struct mapping {
  struct mapping *next;
  char *base;
  size_t size;
  physical *memory;
  bool protected;             /* by the second addresses */
  uint8_t access[AGENTS_MAX]; /* HSA_ACCESS_PERMISSION_* by node */
} mapping;

typedef struct reservation {
  struct reservation *next;
  char *base;
  size_t size;
  bool plain; /* the host's own memory, which is not for mappings */
} reservation;

/* The lock of the runtime protects all of it. */
struct aqdrop_vmem {
  physical *memories;
  mapping *mappings;
  reservation *reservations;
};

/* ---- life ---- */

aqdrop_vmem *aqdrop_vmem_create(void)
{
  return calloc(1, sizeof(aqdrop_vmem));
}

/* Drops a reference; the last one gives the memory back. */
static void physical_drop(aqdrop_vmem *vmem, physical *memory)
{
  if (--memory->references > 0)
    return;
  physical **link = &vmem->memories;
  while (*link != memory)
    link = &(*link)->next;
  *link = memory->next;
  aqdrop_pool_return(memory->pool, memory->size);
  close(memory->file);
  free(memory);
}

static void addresses_release(const aqdrop *runtime, const reservation *r)
{
  if (runtime->strict != AQ_STRICT_OFF && !r->plain)
    aqdrop_protected_release(r->base, r->size);
  else
    munmap(r->base, r->size);
}

void aqdrop_vmem_destroy(aqdrop *runtime)
{
  aqdrop_vmem *vmem = runtime->vmem;
  while (vmem->mappings) {
    mapping *m = vmem->mappings;
    vmem->mappings = m->next;
    physical_drop(vmem, m->memory);
    free(m);
  }
  while (vmem->reservations) {
    reservation *r = vmem->reservations;
    vmem->reservations = r->next;
    addresses_release(runtime, r);
    free(r);
  }
  while (vmem->memories) {
    vmem->memories->references = 1;
    physical_drop(vmem, vmem->memories);
  }
  free(vmem);
}

static bool is_granular(size_t size)
{
  return size > 0 && size % GRANULE == 0;
}

static bool is_inside(const char *base, size_t size, const char *address,
                      size_t length)
{
  return address >= base && (size_t)(address - base) <= size &&
         length <= size - (size_t)(address - base);
}

/* ---- addresses ---- */

/* Unused addresses, aligned; NULL when there are none. Plain ones are memory as
 * of malloc. */
static char *addresses_reserve(const aqdrop *runtime, void *hint, size_t size,
                               size_t alignment, bool plain)
{
  size_t total;
  if (runtime->strict != AQ_STRICT_OFF && !plain)
    return aqdrop_protected_reserve(hint, size, alignment);
  if (__builtin_add_overflow(size, alignment - GRANULE, &total))
    return NULL;
  char *base = mmap(hint, total, plain ? PROT_READ | PROT_WRITE : PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED)
    return NULL;
  size_t lead = -(uintptr_t)base & (alignment - 1);
  if (lead > 0)
    munmap(base, lead);
  if (total - lead > size)
    munmap(base + lead + size, total - lead - size);
  return base + lead;
}

hsa_status_t hsa_amd_vmem_address_reserve_align(void **va, size_t size,
                                                uint64_t address,
                                                uint64_t alignment,
                                                uint64_t flags)
{
  AQDROP_ENTER(runtime);
  if (alignment == 0)
    alignment = GRANULE;
  const bool plain = flags == HSA_AMD_VMEM_ADDRESS_NO_REGISTER;
  if (!va || !is_granular(size) || (flags && !plain) || alignment < GRANULE ||
      (alignment & (alignment - 1)) != 0)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  reservation *made = malloc(sizeof *made);
  char *base = made ? addresses_reserve(runtime, (void *)(uintptr_t)address,
                                        size, alignment, plain)
                    : NULL;
  if (!base) {
    free(made);
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  pthread_mutex_lock(&runtime->lock);
  *made = (reservation){runtime->vmem->reservations, base, size, plain};
  runtime->vmem->reservations = made;
  pthread_mutex_unlock(&runtime->lock);
  *va = base;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_vmem_address_reserve(void **va, size_t size,
                                          uint64_t address, uint64_t flags)
{
  return hsa_amd_vmem_address_reserve_align(va, size, address, 0, flags);
}

static bool anything_mapped(const aqdrop_vmem *vmem, const char *base,
                            size_t size)
{
  for (const mapping *m = vmem->mappings; m; m = m->next)
    if (m->base < base + size && base < m->base + m->size)
      return true;
  return false;
}

hsa_status_t hsa_amd_vmem_address_free(void *va, size_t size)
{
  AQDROP_ENTER(runtime);
  hsa_status_t status = HSA_STATUS_ERROR_INVALID_ARGUMENT;
  pthread_mutex_lock(&runtime->lock);
  reservation **link = &runtime->vmem->reservations, *r;
  while (*link && ((*link)->base != va || (*link)->size != size))
    link = &(*link)->next;
  r = *link;
  if (r && anything_mapped(runtime->vmem, r->base, r->size)) {
    status = HSA_STATUS_ERROR_RESOURCE_FREE;
  } else if (r) {
    *link = r->next;
    addresses_release(runtime, r);
    free(r);
    status = HSA_STATUS_SUCCESS;
  }
  pthread_mutex_unlock(&runtime->lock);
  return status;
}

/* ---- physical memory ---- */

/* The lock is held. */
static physical *physical_from(const aqdrop_vmem *vmem, uint64_t handle)
{
  physical *memory = vmem->memories;
  while (memory && (uintptr_t)memory != handle)
    memory = memory->next;
  return memory && memory->handles > 0 ? memory : NULL;
}

static hsa_status_t physical_make(aqdrop *runtime, int file, size_t size,
                                  aqdrop_pool *pool, uint32_t type,
                                  hsa_amd_vmem_alloc_handle_t *out)
{
  physical *made = malloc(sizeof *made);
  if (!made || !aqdrop_pool_reserve(pool, size)) {
    free(made);
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  pthread_mutex_lock(&runtime->lock);
  *made = (physical){.next = runtime->vmem->memories,
                     .references = 1,
                     .handles = 1,
                     .file = file,
                     .size = size,
                     .pool = pool,
                     .type = type};
  runtime->vmem->memories = made;
  pthread_mutex_unlock(&runtime->lock);
  out->handle = (uintptr_t)made;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t
hsa_amd_vmem_handle_create(hsa_amd_memory_pool_t pool, size_t size,
                           uint32_t type, uint64_t flags,
                           hsa_amd_vmem_alloc_handle_t *memory_handle)
{
  AQDROP_ENTER(runtime);
  aqdrop_pool *p = aqdrop_pool_from(runtime, pool.handle);
  if (!p)
    return HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
  if (!memory_handle || !is_granular(size) || flags || type > 1)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!aqdrop_pool_is_global(p))
    return HSA_STATUS_ERROR_INVALID_ALLOCATION;
  int file = memfd_create("aqueduct-vmem", MFD_CLOEXEC);
  hsa_status_t status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  if (file >= 0 && ftruncate(file, (off_t)size) == 0)
    status = physical_make(runtime, file, size, p, type, memory_handle);
  if (status != HSA_STATUS_SUCCESS && file >= 0)
    close(file);
  return status;
}

hsa_status_t
hsa_amd_vmem_handle_release(hsa_amd_vmem_alloc_handle_t memory_handle)
{
  AQDROP_ENTER(runtime);
  pthread_mutex_lock(&runtime->lock);
  physical *memory = physical_from(runtime->vmem, memory_handle.handle);
  if (memory) {
    memory->handles--;
    physical_drop(runtime->vmem, memory);
  }
  pthread_mutex_unlock(&runtime->lock);
  return memory ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_amd_vmem_get_alloc_properties_from_handle(
    hsa_amd_vmem_alloc_handle_t memory_handle, hsa_amd_memory_pool_t *pool,
    uint32_t *type)
{
  AQDROP_ENTER(runtime);
  if (!pool || !type)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  pthread_mutex_lock(&runtime->lock);
  const physical *memory = physical_from(runtime->vmem, memory_handle.handle);
  if (memory) {
    pool->handle = (uintptr_t)memory->pool;
    *type = memory->type;
  }
  pthread_mutex_unlock(&runtime->lock);
  return memory ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_amd_vmem_export_shareable_handle(
    int *dmabuf_fd, hsa_amd_vmem_alloc_handle_t handle, uint64_t flags)
{
  AQDROP_ENTER(runtime);
  if (!dmabuf_fd || flags)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  pthread_mutex_lock(&runtime->lock);
  const physical *memory = physical_from(runtime->vmem, handle.handle);
  int file = memory ? dup(memory->file) : -1;
  pthread_mutex_unlock(&runtime->lock);
  if (!memory)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (file < 0)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  *dmabuf_fd = file;
  return HSA_STATUS_SUCCESS;
}

/* Memory of another process counts as memory of the host. */
hsa_status_t
hsa_amd_vmem_import_shareable_handle(int dmabuf_fd,
                                     hsa_amd_vmem_alloc_handle_t *handle)
{
  AQDROP_ENTER(runtime);
  struct stat info;
  if (!handle || dmabuf_fd < 0 || fstat(dmabuf_fd, &info) != 0 ||
      !S_ISREG(info.st_mode) || !is_granular((size_t)info.st_size))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  int file = dup(dmabuf_fd);
  if (file < 0)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  hsa_status_t status = physical_make(runtime, file, (size_t)info.st_size,
                                      &runtime->agents[0].pools[0], 0, handle);
  if (status != HSA_STATUS_SUCCESS)
    close(file);
  return status;
}

/* ---- mappings ---- */

/* The mapping that begins at an address and has this size; the lock is held. */
static mapping **mapping_link(aqdrop_vmem *vmem, const void *va, size_t size)
{
  mapping **link = &vmem->mappings;
  while (*link && ((*link)->base != va || (*link)->size != size))
    link = &(*link)->next;
  return link;
}

static mapping *mapping_at(const aqdrop_vmem *vmem, const void *va)
{
  mapping *m = vmem->mappings;
  while (m && !is_inside(m->base, m->size, va, 1))
    m = m->next;
  return m;
}

static bool is_reserved(const aqdrop_vmem *vmem, const char *va, size_t size)
{
  const reservation *r = vmem->reservations;
  while (r && (r->plain || !is_inside(r->base, r->size, va, size)))
    r = r->next;
  return r != NULL;
}

/* Maps and publishes it, without access for anyone. */
static bool mapping_make(aqdrop *runtime, const mapping *m, off_t offset)
{
  const aqdrop_agent *owner = m->memory->pool->agent;
  const int file = m->memory->file;
  const unsigned facts = aqdrop_pool_facts(m->memory->pool);
  if (m->protected)
    return aqdrop_protected_map(m->base, m->size, file, offset, PROT_NONE,
                                PROT_READ | PROT_WRITE) &&
           aqdrop_publish_protected(runtime, m->base, m->size,
                                    AQ_ALLOCATION_VIRTUAL, owner, 0, facts);
  return mmap(m->base, m->size, PROT_NONE, MAP_SHARED | MAP_FIXED, file,
              offset) != MAP_FAILED &&
         aqdrop_publish(runtime, m->base, m->size, AQ_ALLOCATION_VIRTUAL, owner,
                        0, facts);
}

hsa_status_t hsa_amd_vmem_map(void *va, size_t size, size_t in_offset,
                              hsa_amd_vmem_alloc_handle_t memory_handle,
                              uint64_t flags)
{
  AQDROP_ENTER(runtime);
  aqdrop_vmem *vmem = runtime->vmem;
  hsa_status_t status = HSA_STATUS_ERROR_INVALID_ARGUMENT;
  mapping *made = calloc(1, sizeof *made);
  if (!made)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  pthread_mutex_lock(&runtime->lock);
  physical *memory = physical_from(vmem, memory_handle.handle);
  if (memory && is_granular(size) && in_offset % GRANULE == 0 && !flags &&
      in_offset <= memory->size && size <= memory->size - in_offset &&
      (uintptr_t)va % GRANULE == 0 && is_reserved(vmem, va, size) &&
      !anything_mapped(vmem, va, size)) {
    *made =
        (mapping){.next = vmem->mappings,
                  .base = va,
                  .size = size,
                  .memory = memory,
                  .protected = aqdrop_pool_is_protected(runtime, memory->pool)};
    status = mapping_make(runtime, made, (off_t)in_offset)
                 ? (hsa_status_t)HSA_STATUS_SUCCESS
                 : (hsa_status_t)HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  if (status == HSA_STATUS_SUCCESS) {
    memory->references++;
    vmem->mappings = made;
  }
  pthread_mutex_unlock(&runtime->lock);
  if (status != HSA_STATUS_SUCCESS)
    free(made);
  return status;
}

/* Takes the bytes away, while the device touches none; the addresses stay
 * reserved. Copies under way end in a memory fault. */
static bool mapping_clear(aqdrop *runtime, const mapping *m)
{
  aqsim_live_unmap_begin(runtime->transport, m->base, m->size);
  const bool cleared =
      m->protected
          ? aqdrop_protected_clear(m->base, m->size)
          : mmap(m->base, m->size, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
                 0) != MAP_FAILED;
  if (cleared)
    aqdrop_withdraw(runtime, m->base, AQ_ALLOCATION_VIRTUAL);
  aqsim_live_unmap_end(runtime->transport);
  return cleared;
}

hsa_status_t hsa_amd_vmem_unmap(void *va, size_t size)
{
  AQDROP_ENTER(runtime);
  pthread_mutex_lock(&runtime->lock);
  hsa_status_t status = HSA_STATUS_SUCCESS;
  mapping **link = mapping_link(runtime->vmem, va, size), *m = *link;
  if (!m) {
    status = HSA_STATUS_ERROR_INVALID_ALLOCATION;
  } else if (!mapping_clear(runtime, m)) {
    status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  } else {
    *link = m->next;
    physical_drop(runtime->vmem, m->memory);
    free(m);
  }
  pthread_mutex_unlock(&runtime->lock);
  return status;
}

/* The access of the process: whatever any agent may do; of memory that is
 * protected from the host, the host's own. */
static int host_access(const aqdrop *runtime, const mapping *m)
{
  uint8_t all = 0;
  for (int i = 0; i < AGENTS_MAX && !m->protected; i++)
    all |= m->access[i];
  if (m->protected && aqdrop_protected_opens(runtime))
    all = m->access[runtime->agents[0].node % AGENTS_MAX];
  return all & HSA_ACCESS_PERMISSION_WO   ? PROT_READ | PROT_WRITE
         : all & HSA_ACCESS_PERMISSION_RO ? PROT_READ
                                          : PROT_NONE;
}

static hsa_status_t mapping_protect(aqdrop *runtime, const mapping *m)
{
  uint64_t readers = 0, writers = 0;
  for (uint32_t i = 0; i < runtime->agent_count; i++) {
    const uint8_t access = m->access[runtime->agents[i].node % AGENTS_MAX];
    readers |= (uint64_t)((access & HSA_ACCESS_PERMISSION_RO) != 0) << i;
    writers |= (uint64_t)((access & HSA_ACCESS_PERMISSION_WO) != 0) << i;
  }
  /* The device looks whether it may, and then touches the bytes. */
  aqsim_live_unmap_begin(runtime->transport, NULL, 0);
  aqdrop_publish_agents(runtime, m->base, AQ_ALLOCATION_VIRTUAL, readers,
                        writers);
  const bool done = mprotect(m->base, m->size, host_access(runtime, m)) == 0;
  aqsim_live_unmap_end(runtime->transport);
  return done ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

/* Sets the access of whole mappings that, one behind the other, make up
 * [va, +size); without descriptions it only returns whether they do. */
static hsa_status_t range_set_access(aqdrop *runtime, const char *va,
                                     size_t size,
                                     const hsa_amd_memory_access_desc_t *desc,
                                     size_t count)
{
  hsa_status_t status = HSA_STATUS_SUCCESS;
  const char *end = va + size;
  for (mapping *m; va < end && status == HSA_STATUS_SUCCESS; va += m->size) {
    m = mapping_at(runtime->vmem, va);
    if (!m || m->base != va || m->size > (size_t)(end - va))
      return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    for (size_t i = 0; i < count; i++) {
      uint32_t node = aqdrop_agent_from(runtime, desc[i].agent)->node;
      m->access[node % AGENTS_MAX] = (uint8_t)desc[i].permissions;
    }
    if (count > 0)
      status = mapping_protect(runtime, m);
  }
  return status;
}

hsa_status_t hsa_amd_vmem_set_access(void *va, size_t size,
                                     const hsa_amd_memory_access_desc_t *desc,
                                     size_t desc_cnt)
{
  AQDROP_ENTER(runtime);
  if (!desc || desc_cnt == 0 || size == 0)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  for (size_t i = 0; i < desc_cnt; i++)
    if (!aqdrop_agent_from(runtime, desc[i].agent))
      return HSA_STATUS_ERROR_INVALID_AGENT;
    else if (desc[i].permissions > HSA_ACCESS_PERMISSION_RW)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  pthread_mutex_lock(&runtime->lock);
  hsa_status_t status = range_set_access(runtime, va, size, NULL, 0);
  if (status == HSA_STATUS_SUCCESS)
    status = range_set_access(runtime, va, size, desc, desc_cnt);
  pthread_mutex_unlock(&runtime->lock);
  return status;
}

bool aqdrop_vmem_allow(aqdrop *runtime, const void *address, uint64_t agents)
{
  pthread_mutex_lock(&runtime->lock);
  mapping *m = mapping_at(runtime->vmem, address);
  for (uint32_t i = 0; m && i < runtime->agent_count; i++)
    if (agents >> i & 1)
      m->access[runtime->agents[i].node % AGENTS_MAX] =
          HSA_ACCESS_PERMISSION_RW;
  const bool allowed = m && mapping_protect(runtime, m) == HSA_STATUS_SUCCESS;
  pthread_mutex_unlock(&runtime->lock);
  return allowed;
}

bool aqdrop_vmem_covers(aqdrop *runtime, const void *address, size_t size)
{
  pthread_mutex_lock(&runtime->lock);
  const mapping *m = mapping_at(runtime->vmem, address);
  const bool inside = m && is_inside(m->base, m->size, address, size);
  pthread_mutex_unlock(&runtime->lock);
  return inside;
}

hsa_status_t hsa_amd_vmem_get_access(void *va, uint32_t *perms,
                                     hsa_agent_t agent_handle)
{
  AQDROP_ENTER(runtime);
  const aqdrop_agent *agent = aqdrop_agent_from(runtime, agent_handle);
  if (!agent)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!perms)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  pthread_mutex_lock(&runtime->lock);
  const mapping *m = mapping_at(runtime->vmem, va);
  if (m)
    *perms = m->access[agent->node % AGENTS_MAX];
  pthread_mutex_unlock(&runtime->lock);
  return m ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ALLOCATION;
}

hsa_status_t
hsa_amd_vmem_retain_alloc_handle(hsa_amd_vmem_alloc_handle_t *memory_handle,
                                 void *addr)
{
  AQDROP_ENTER(runtime);
  if (!memory_handle || !addr)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  pthread_mutex_lock(&runtime->lock);
  mapping *m = mapping_at(runtime->vmem, addr);
  if (m) {
    m->memory->references++;
    m->memory->handles++;
    memory_handle->handle = (uintptr_t)m->memory;
  }
  pthread_mutex_unlock(&runtime->lock);
  return m ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ALLOCATION;
}
