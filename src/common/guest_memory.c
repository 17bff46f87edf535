/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/guest_memory.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

aq_status aq_guest_memory_map(uint64_t base, uint64_t size, aq_diag *diag)
{
  void *const wanted = (void *)(uintptr_t)base; /* NOLINT */
  void *const got = mmap(
      wanted, size, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == wanted)
    return AQ_OK;
  const int error = got == MAP_FAILED ? errno : EEXIST;
  if (got != MAP_FAILED) /* a kernel older than the flag took it as a wish */
    munmap(got, size);
  return aq_diag_set(diag, AQ_ERR_RESOURCES,
                     "memory of %llu bytes at 0x%llx: %s; try again, since "
                     "addresses differ from process to process",
                     (unsigned long long)size, (unsigned long long)base,
                     strerror(error));
}
