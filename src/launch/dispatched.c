/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "launch/dispatched.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

static void *address_of(uint64_t address)
{
  return (void *)(uintptr_t)address;
}

static bool run_map(const aq_dispatch_run *run, int how)
{
  return mmap(address_of(run->base), run->size, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | how, -1,
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
    if (run_map(&file->runs[i], MAP_FIXED_NOREPLACE))
      continue;
    const int error = errno;
    runs_unmap(file, i);
    return aq_diag_set(diag, AQ_ERR_RESOURCES,
                       "memory of %llu bytes at 0x%llx: %s; try again, since "
                       "addresses differ from process to process",
                       (unsigned long long)file->runs[i].size,
                       (unsigned long long)file->runs[i].base, strerror(error));
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
    if (!run_map(&file->runs[i], MAP_FIXED))
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
