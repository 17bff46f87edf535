/* SPDX-License-Identifier: MIT */
/* Dispatch files. What reads well can be placed: every allocation and all bytes
 * lie in runs, which are apart. */
#include <stdlib.h>
#include <string.h>

#include "common/dispatch_file.h"
#include "fuzz/fuzz.h"

static bool is_within(const aq_dispatch_file *f, uint64_t base, uint64_t size)
{
  for (uint32_t i = 0; i < f->run_count; i++)
    if (base >= f->runs[i].base &&
        base + size <= f->runs[i].base + f->runs[i].size)
      return true;
  return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  aq_dispatch_file f;
  size_t total = 0;
  if (size > 65536 || aq_dispatch_file_read(data, size, &f, NULL) != AQ_OK)
    return 0;
  for (uint32_t i = 1; i < f.run_count; i++)
    if (f.runs[i - 1].base + f.runs[i - 1].size > f.runs[i].base)
      abort();
  for (uint32_t i = 0; i < f.allocation_count; i++)
    if (!is_within(&f, aq_address_host(f.allocations[i].base),
                   f.allocations[i].size))
      abort();
  for (uint32_t i = 0; i < f.bytes_count; i++) {
    if (!is_within(&f, f.bytes[i].address, f.bytes[i].size))
      abort();
    total += f.bytes[i].bytes[0] + f.bytes[i].bytes[f.bytes[i].size - 1];
  }
  if (total + strlen(f.kernel) + strlen(f.gfx) == SIZE_MAX) /* uses them */
    abort();
  aq_dispatch_file_close(&f);
  return 0;
}
