/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "gpu/codeobj/kernel_text.h"

/* Code objects whose kernels, and whose symbols, are joined to one list. */
typedef struct joined {
  aq_codeobj *codes;
  size_t count, capacity;
  aq_codeobj all; /* its kernels and symbols, borrowed from `codes` */
} joined;

static aq_status joined_add(joined *j, const aq_code_file *file,
                            const void *bytes, size_t size, aq_diag *diag)
{
  aq_codeobj code;
  aq_status status = aq_code_file_read(file, bytes, size, &code, diag);
  if (status != AQ_OK)
    return status;
  if (AQ_ARRAY_PUSH(j->codes, j->count, j->capacity, code))
    return AQ_OK;
  aq_codeobj_fini(&code);
  return aq_diag_no_memory(diag);
}

/* Kernels are the same for every target: without one, the first decides. */
static aq_status joined_read(joined *j, const aq_code_file *file,
                             const aq_target *target, aq_diag *diag)
{
  aq_status status = AQ_OK;
  if (file->bundles.count == 0)
    return joined_add(j, file, file->bytes, file->size, diag);
  for (size_t b = 0; b < file->bundles.count && status == AQ_OK; b++) {
    const aq_bundle *bundle = &file->bundles.list[b];
    const aq_bundle_entry *entry = NULL;
    if (target)
      entry = aq_bundle_find(bundle, target);
    for (size_t i = 0; !target && !entry && i < bundle->count; i++)
      if (aq_codeobj_is(bundle->entries[i].bytes, bundle->entries[i].size))
        entry = &bundle->entries[i];
    if (entry)
      status = joined_add(j, file, entry->bytes, entry->size, diag);
    if (!target && j->count == 1)
      target = &j->codes[0].target;
  }
  if (status == AQ_OK && j->count == 0)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: it has no code for a GPU",
                       file->path);
  return status;
}

static bool joined_make(joined *j)
{
  size_t kernel_count = 0, symbol_count = 0;
  for (size_t i = 0; i < j->count; i++) {
    kernel_count += j->codes[i].kernel_count;
    symbol_count += j->codes[i].symbol_count;
  }
  aq_code_kernel *kernels = calloc(kernel_count + 1, sizeof *kernels);
  aq_code_symbol *symbols = calloc(symbol_count + 1, sizeof *symbols);
  j->all = (aq_codeobj){
      .target = j->codes[0].target, .kernels = kernels, .symbols = symbols};
  if (!kernels || !symbols)
    return false;
  for (size_t i = 0; i < j->count; i++) {
    const aq_codeobj *code = &j->codes[i];
    if (code->kernel_count > 0)
      memcpy(&kernels[j->all.kernel_count], code->kernels,
             code->kernel_count * sizeof *kernels);
    if (code->symbol_count > 0)
      memcpy(&symbols[j->all.symbol_count], code->symbols,
             code->symbol_count * sizeof *symbols);
    j->all.kernel_count += code->kernel_count;
    j->all.symbol_count += code->symbol_count;
  }
  return true;
}

aq_status aq_code_file_stub_print(const aq_code_file *file,
                                  const aq_target *target, aq_code_line *line,
                                  void *user, aq_diag *diag)
{
  const char *slash = strrchr(file->path, '/');
  joined j = {0};
  aq_status status = joined_read(&j, file, target, diag);
  if (status == AQ_OK && !joined_make(&j))
    status = aq_diag_no_memory(diag);
  if (status == AQ_OK)
    aq_code_stub_print(&j.all, slash ? slash + 1 : file->path, line, user);
  for (size_t i = 0; i < j.count; i++)
    aq_codeobj_fini(&j.codes[i]);
  free(j.codes);
  free((void *)(uintptr_t)j.all.kernels);
  free((void *)(uintptr_t)j.all.symbols);
  return status;
}
