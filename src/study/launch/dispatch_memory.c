/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/launch/dispatch_memory.h"

#include <string.h>
#include <sys/mman.h>

#include "common/guest_memory.h"

static void *address_of(uint64_t address)
{
  return (void *)(uintptr_t)address;
}

/* Gives all bytes of a run the value 0. */
static bool run_clear(const aq_dispatch_run *run)
{
  return mmap(address_of(run->base), run->size, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
              0) == address_of(run->base);
}

static void runs_unmap(const aq_dispatch_file *file, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    munmap(address_of(file->runs[i].base), file->runs[i].size);
}

aq_status aq_dispatched_map(const aq_dispatch_file *file, aq_allocations *map,
                            aq_diag *diag)
{
  for (uint32_t i = 0; i < file->run_count; i++) {
    aq_status status =
        aq_guest_memory_map(file->runs[i].base, file->runs[i].size, diag);
    if (status == AQ_OK)
      continue;
    runs_unmap(file, i);
    return status;
  }
  aq_status status = aq_dispatched_fill(file, diag);
  for (uint32_t i = 0; i < file->allocation_count && status == AQ_OK; i++)
    if (!aq_allocations_add(map, &file->allocations[i]))
      status = aq_diag_no_memory(diag);
  aq_allocations_open(map, false);
  if (status != AQ_OK)
    aq_dispatched_unmap(file);
  return status;
}

aq_status aq_dispatched_fill(const aq_dispatch_file *file, aq_diag *diag)
{
  for (uint32_t i = 0; i < file->run_count; i++)
    if (!run_clear(&file->runs[i]))
      return aq_diag_no_memory(diag);
  for (uint32_t i = 0; i < file->bytes_count; i++)
    memcpy(address_of(file->bytes[i].address), file->bytes[i].bytes,
           file->bytes[i].size);
  return AQ_OK;
}

void aq_dispatched_unmap(const aq_dispatch_file *file)
{
  runs_unmap(file, file->run_count);
}
