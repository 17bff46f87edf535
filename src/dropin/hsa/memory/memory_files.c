/* SPDX-License-Identifier: MIT */
/* Allocations as files that other processes map, and files of others. */
#include "config.h"

#include "dropin/hsa/base/memory.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dropin/hsa/base/protected.h"
#include "dropin/hsa/base/published.h"
#include "dropin/hsa/memory/allocation_table.h"

static bool page_is_zero(const char *page)
{
  return page[0] == 0 && memcmp(page, page + 1, AQDROP_PAGE - 1) == 0;
}

static bool block_map_file(const aqdrop *runtime, const aqdrop_allocation *b,
                           int file)
{
  const bool host = b->agents & aqdrop_agent_bit(runtime, &runtime->agents[0]);
  const size_t size = aqdrop_allocation_bytes(b->size);
  const int all = PROT_READ | PROT_WRITE;
  return b->protected ? aqdrop_protected_map(b->base, size, file, 0,
                                             host ? all : PROT_NONE, all)
                      : mmap(b->base, size, all, MAP_SHARED | MAP_FIXED, file,
                             0) != MAP_FAILED;
}

/* Memory becomes a mapping of a file with the same bytes, at the same place.
 * Pages that hold only zeros take no blocks of the file. */
static bool block_to_file(const aqdrop *runtime, aqdrop_allocation *b)
{
  const size_t size = aqdrop_allocation_bytes(b->size);
  const char *from = aqdrop_reach(runtime, b->base);
  int file = memfd_create(
      b->protected ? AQDROP_PROTECTED_FILE : "aqueduct-shared", MFD_CLOEXEC);
  bool done = file >= 0 && ftruncate(file, (off_t)size) == 0;
  for (size_t at = 0; done && at < size; at += AQDROP_PAGE)
    done = page_is_zero(from + at) ||
           pwrite(file, from + at, AQDROP_PAGE, (off_t)at) == AQDROP_PAGE;
  if (done && block_map_file(runtime, b, file)) {
    aqdrop_allocation_punch(runtime, b);
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
  aqdrop_allocation *b = aqdrop_allocation_find(memory, address);
  if (b && b->pool) {
    *offset = (uint64_t)((const char *)address - b->base);
    /* Whole pages, as HIP asks for them. */
    if (size <= aqdrop_allocation_bytes(b->size) - *offset)
      status = b->file >= 0 || block_to_file(runtime, b)
                   ? HSA_STATUS_SUCCESS
                   : (hsa_status_t)HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    *file = b->file;
  }
  pthread_mutex_unlock(&memory->lock);
  return status;
}

static bool attached_map(const aqdrop *runtime, aqdrop_allocation *b, int file)
{
  const size_t size = aqdrop_allocation_bytes(b->size);
  if (!b->protected) {
    b->base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return b->base != MAP_FAILED;
  }
  b->base = aqdrop_protected_reserve(NULL, size, AQDROP_PAGE);
  if (b->base && !block_map_file(runtime, b, file)) {
    aqdrop_protected_release(b->base, size);
    b->base = NULL;
  }
  return b->base != NULL;
}

hsa_status_t aqdrop_memory_attach(aqdrop *runtime, int file, size_t size,
                                  uint64_t agents, void **out)
{
  aqdrop_memory *memory = runtime->memory;
  aqdrop_allocation new = {.size = size,
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
      runtime, new.base, size, AQ_ALLOCATION_SHARED, NULL, new.agents, 0);
  if (kept && !aqdrop_allocation_insert(memory, &new)) {
    aqdrop_withdraw(runtime, new.base, AQ_ALLOCATION_SHARED);
    kept = false;
  }
  pthread_mutex_unlock(&memory->lock);
  if (!kept) {
    aqdrop_allocation_unmap(&new);
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  *out = new.base;
  return HSA_STATUS_SUCCESS;
}

bool aqdrop_memory_detach(aqdrop *runtime, const void *address)
{
  aqdrop_memory *memory = runtime->memory;
  aqdrop_allocation old;
  pthread_mutex_lock(&memory->lock);
  bool found = aqdrop_allocation_remove(memory, address, false, &old);
  pthread_mutex_unlock(&memory->lock);
  if (found) {
    aqdrop_withdraw(runtime, old.base, AQ_ALLOCATION_SHARED);
    aqdrop_allocation_unmap_live(runtime, &old);
  }
  return found;
}
