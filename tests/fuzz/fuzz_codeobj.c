/* SPDX-License-Identifier: MIT */
/* Code objects and bundles: whatever is told lies within the bytes. */
#include <stdlib.h>
#include <string.h>

#include "codeobj/bundle.h"
#include "codeobj/codeobj.h"
#include "fuzz/fuzz.h"

static void segments_check(const aq_codeobj *code, size_t size)
{
  for (size_t i = 0; i < code->segment_count; i++) {
    const aq_code_segment *s = &code->segments[i];
    if (s->offset > size || s->file_size > size - s->offset ||
        s->file_size > s->memory_size)
      abort();
  }
}

static void kernels_check(const aq_codeobj *code)
{
  for (size_t i = 0; i < code->kernel_count; i++) {
    const aq_code_kernel *k = &code->kernels[i];
    if (!k->name || !k->symbol || !aq_codeobj_kernel(code, k->name))
      abort();
    for (size_t j = 0; j < k->arg_count; j++)
      if ((uint64_t)k->args[j].offset + k->args[j].size > k->kernarg_size)
        abort();
  }
}

static void bundle_check(const uint8_t *data, size_t size)
{
  aq_bundle bundle;
  size_t total = 0;
  if (aq_bundle_read(data, size, &bundle, NULL) != AQ_OK)
    return;
  for (size_t i = 0; i < bundle.count; i++) {
    const aq_bundle_entry *entry = &bundle.entries[i];
    total += strlen(entry->id);
    if (entry->size > 0)
      total += entry->bytes[0] + entry->bytes[entry->size - 1];
  }
  if (total == SIZE_MAX) /* uses what was read */
    abort();
  aq_bundle_fini(&bundle);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  aq_codeobj code;
  /* What is compressed may be large by right: 64 KiB are enough to look at. */
  if (size > 65536)
    return 0;
  if (aq_bundle_is(data, size)) {
    bundle_check(data, size);
  } else if (aq_codeobj_read(data, size, &code, NULL) == AQ_OK) {
    segments_check(&code, size);
    kernels_check(&code);
    aq_codeobj_fini(&code);
  }
  return 0;
}
