/* SPDX-License-Identifier: MIT */
/* Kernels and symbols of a code object by name, kernels with their descriptors,
 * and managed variables with their pointers. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/demangle.h"
#include "gpu/codeobj/parser.h"

enum { KD_LENGTH = 3 /* ".kd", "@kd" */ };

static const char managed_suffix[] = ".managed";

/* ---- by name ---- */

static const char *kernel_name(const void *item)
{
  return ((const aq_code_kernel *)item)->name;
}

static const char *kernel_symbol(const void *item)
{
  return ((const aq_code_kernel *)item)->symbol;
}

static const char *symbol_name(const void *item)
{
  return ((const aq_code_symbol *)item)->name;
}

typedef const char *name_of(const void *item);

/* The first of equal ones comes first: items of a list lie in its order. */
static int by_name(const void *a, const void *b, void *user)
{
  name_of *const *name = user;
  const void *x = *(void *const *)a, *y = *(void *const *)b;
  const int order = strcmp((*name)(x), (*name)(y));
  return order ? order
               : ((uintptr_t)x > (uintptr_t)y) - ((uintptr_t)x < (uintptr_t)y);
}

/* Pointers to the items of an array, sorted; NULL: out of memory. */
static void *sorted_make(aq_code_reading *file, const void *items, size_t count,
                         size_t size, name_of *name)
{
  const void **sorted =
      aq_arena_alloc(&file->out->arena, (count + 1) * sizeof *sorted);
  for (size_t i = 0; sorted && i < count; i++)
    sorted[i] = (const char *)items + i * size;
  if (sorted)
    qsort_r(sorted, count, sizeof *sorted, by_name, &name);
  return sorted;
}

static const void *sorted_find(const void *list, size_t count, const char *text,
                               name_of *name)
{
  const void *const *sorted = list;
  size_t low = 0;
  for (size_t high = count; low < high;) {
    const size_t middle = low + (high - low) / 2;
    if (strcmp(name(sorted[middle]), text) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && strcmp(name(sorted[low]), text) == 0 ? sorted[low]
                                                             : NULL;
}

uint32_t aq_code_kernel_private(const aq_code_kernel *kernel)
{
  return kernel->dynamic_stack && kernel->private_size < AQ_KERNEL_STACK
             ? AQ_KERNEL_STACK
             : kernel->private_size;
}

const aq_code_kernel *aq_codeobj_kernel(const aq_codeobj *codeobj,
                                        const char *name)
{
  return sorted_find(codeobj->kernels_by_name, codeobj->kernel_count, name,
                     kernel_name);
}

const aq_code_kernel *aq_codeobj_kernel_named(const aq_codeobj *codeobj,
                                              const char *text, size_t *count)
{
  const aq_code_kernel *found = aq_codeobj_kernel(codeobj, text);
  size_t known = found != NULL;
  for (size_t i = 0; i < codeobj->kernel_count && !found; i++)
    known += aq_name_is(codeobj->kernels[i].name, text);
  for (size_t i = 0; i < codeobj->kernel_count && !found && known == 1; i++)
    if (aq_name_is(codeobj->kernels[i].name, text))
      found = &codeobj->kernels[i];
  if (count)
    *count = known;
  return found;
}

const aq_code_symbol *aq_codeobj_symbol(const aq_codeobj *codeobj,
                                        const char *name)
{
  const aq_code_symbol *found = sorted_find(
      codeobj->symbols_by_name, codeobj->symbol_count, name, symbol_name);
  if (found || codeobj->version != 2)
    return found;
  for (size_t i = 0; i < codeobj->symbol_count && !found; i++)
    if (codeobj->symbols[i].kernel &&
        strcmp(codeobj->symbols[i].kernel->symbol, name) == 0)
      found = &codeobj->symbols[i];
  return found;
}

/* ---- kernels ---- */

static bool ends_with(const char *text, const char *end)
{
  const size_t length = strlen(text), part = strlen(end);
  return length > part && strcmp(text + length - part, end) == 0;
}

static bool descriptor_read(const aq_code_reading *file,
                            const aq_code_symbol *symbol,
                            aq_code_kernel *kernel)
{
  if (symbol->is_code)
    return aq_code_descriptor_v2(file, symbol, kernel);
  const unsigned char *bytes =
      aq_code_bytes(file, symbol->address, sizeof kernel->descriptor);
  if (!symbol->is_object || symbol->size < sizeof kernel->descriptor ||
      symbol->address % _Alignof(aq_kernel_descriptor) != 0 || !bytes)
    return false;
  memcpy(&kernel->descriptor, bytes, sizeof kernel->descriptor);
  kernel->has_descriptor = true;
  kernel->address = symbol->address;
  return true;
}

/* A kernel that the metadata does not name: what its descriptor says. */
static aq_status kernel_add(aq_code_reading *file, aq_code_symbol *symbol,
                            const char *text)
{
  aq_code_kernel *kernel = &file->kernels[file->out->kernel_count];
  *kernel = (aq_code_kernel){.symbol = text};
  if (!descriptor_read(file, symbol, kernel))
    return AQ_OK;
  const aq_kernel_descriptor *d = &kernel->descriptor;
  const aq_kernel_registers registers =
      aq_kernel_descriptor_registers(d, &file->out->target);
  kernel->name =
      aq_arena_text(&file->out->arena, text, strlen(text) - KD_LENGTH);
  if (!kernel->name)
    return aq_diag_no_memory(file->diag);
  kernel->kernarg_size = d->kernarg_size;
  kernel->group_size = d->group_size;
  kernel->private_size = d->private_size;
  kernel->wave_size = registers.wave_size;
  kernel->dynamic_stack = d->properties & AQ_KERNEL_DYNAMIC_STACK;
  symbol->kernel = kernel;
  file->out->kernel_count++;
  return AQ_OK;
}

aq_status aq_code_kernels_join(aq_code_reading *file)
{
  aq_codeobj *out = file->out;
  const size_t described = out->kernel_count;
  aq_code_kernel *all = aq_arena_alloc(
      &out->arena, (described + out->symbol_count + 1) * sizeof *all);
  if (!all)
    return aq_diag_no_memory(file->diag);
  if (described > 0)
    memcpy(all, file->kernels, described * sizeof *all);
  file->kernels = all;
  const void *sorted =
      sorted_make(file, all, described, sizeof *all, kernel_symbol);
  if (!sorted)
    return aq_diag_no_memory(file->diag);
  for (size_t i = 0; i < out->symbol_count; i++) {
    aq_code_symbol *symbol = &file->symbols[i];
    if (out->version == 2 ? !symbol->is_code : !ends_with(symbol->name, ".kd"))
      continue;
    const char *text =
        symbol->is_code ? aq_code_symbol_v2(file, symbol->name) : symbol->name;
    if (!text)
      return aq_diag_no_memory(file->diag);
    const aq_code_kernel *known =
        sorted_find(sorted, described, text, kernel_symbol);
    aq_status status = AQ_OK;
    if (!known)
      status = kernel_add(file, symbol, text);
    else if (descriptor_read(file, symbol, &all[known - all]))
      symbol->kernel = known;
    if (status != AQ_OK)
      return status;
  }
  out->kernels = all;
  return AQ_OK;
}

/* "x.managed" is the target of the pointer "x". */
aq_status aq_code_managed_join(aq_code_reading *file)
{
  aq_codeobj *out = file->out;
  for (size_t i = 0; i < out->symbol_count; i++) {
    const aq_code_symbol *managed = &file->symbols[i];
    if (!managed->is_object || !ends_with(managed->name, managed_suffix))
      continue;
    const char *name =
        aq_arena_text(&out->arena, managed->name,
                      strlen(managed->name) - (sizeof managed_suffix - 1));
    if (!name)
      return aq_diag_no_memory(file->diag);
    const aq_code_symbol *pointer = aq_codeobj_symbol(out, name);
    if (pointer && pointer->is_object && pointer->size == sizeof(uint64_t))
      file->symbols[pointer - file->symbols].managed = managed;
  }
  return AQ_OK;
}

aq_status aq_code_names_sort(aq_code_reading *file)
{
  aq_codeobj *out = file->out;
  out->kernels_by_name = sorted_make(file, out->kernels, out->kernel_count,
                                     sizeof *out->kernels, kernel_name);
  out->symbols_by_name = sorted_make(file, out->symbols, out->symbol_count,
                                     sizeof *out->symbols, symbol_name);
  return out->kernels_by_name && out->symbols_by_name
             ? AQ_OK
             : aq_diag_no_memory(file->diag);
}
