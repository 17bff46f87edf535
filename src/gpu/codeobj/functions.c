/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/codeobj/functions.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "gpu/codeobj/elf.h"
#include "gpu/codeobj/parser.h"

/* The segment with code that an address lies in, and the bytes left there. */
static uint64_t code_left(const aq_codeobj *code, uint64_t address,
                          uint64_t *offset)
{
  for (size_t i = 0; i < code->segment_count; i++) {
    const aq_code_segment *segment = &code->segments[i];
    const uint64_t into = address - segment->address;
    if (segment->executable && into < segment->file_size) {
      *offset = segment->offset + into;
      return segment->file_size - into;
    }
  }
  return 0;
}

/* A code object whose functions are read. */
typedef struct reading {
  aq_code_functions found;
  const aq_elf *elf;
  const aq_codeobj *code;
} reading;

static bool function_add(reading *r, const char *name, uint64_t address,
                         uint64_t size)
{
  uint64_t offset = 0;
  const uint64_t left = code_left(r->code, address, &offset);
  if (left == 0 || address % 4 != 0)
    return true; /* not in the code of this object */
  return AQ_ARRAY_PUSH(r->found.list, r->found.count, r->found.capacity,
                       (aq_code_function){.name = name,
                                          .address = address,
                                          .size = size < left ? size : left,
                                          .bytes = r->elf->bytes + offset});
}

/* A symbol of code. A kernel's of version 2 is of its amd_kernel_code_t, too,
 * which the code comes behind. */
static bool symbol_add(void *user, const Elf64_Sym *symbol, const char *name)
{
  reading *r = user;
  const unsigned type = ELF64_ST_TYPE(symbol->st_info);
  if (!name)
    return true;
  const aq_code_symbol *known =
      type == AQ_CODE_SYMBOL_KERNEL ? aq_codeobj_symbol(r->code, name) : NULL;
  if (!known || !known->kernel)
    return type != STT_FUNC ||
           function_add(r, name, symbol->st_value, symbol->st_size);
  const uint64_t head = (uint64_t)known->kernel->descriptor.entry_offset,
                 size = symbol->st_size;
  return !known->is_code || function_add(r, name, symbol->st_value + head,
                                         size - (head < size ? head : size));
}

/* Kernels whose code no symbol names. */
static bool kernels_add(reading *r)
{
  for (size_t i = 0; i < r->code->kernel_count; i++) {
    const aq_code_kernel *kernel = &r->code->kernels[i];
    if (kernel->has_descriptor &&
        !function_add(
            r, kernel->name,
            kernel->address + (uint64_t)kernel->descriptor.entry_offset, 0))
      return false;
  }
  return true;
}

/* Of functions at one address the one with a size comes first. */
static int by_address(const void *a, const void *b)
{
  const aq_code_function *x = a, *y = b;
  if (x->address != y->address)
    return x->address < y->address ? -1 : 1;
  if (x->size != y->size)
    return x->size > y->size ? -1 : 1;
  return strcmp(x->name, y->name);
}

aq_status aq_code_functions_read(const void *bytes, size_t size,
                                 const aq_codeobj *code, aq_code_functions *out,
                                 aq_diag *diag)
{
  aq_elf elf;
  reading r = {.elf = &elf, .code = code};
  if (!aq_elf_open(bytes, size, &elf))
    return aq_diag_set(diag, AQ_ERR_INPUT, "code object: its head is damaged");
  bool ok = aq_elf_symbols_each(&elf, SHT_SYMTAB, symbol_add, &r);
  if (ok && r.found.count == 0)
    ok = aq_elf_symbols_each(&elf, SHT_DYNSYM, symbol_add, &r);
  ok = ok && kernels_add(&r);
  aq_code_functions read = r.found;
  if (!ok) {
    aq_code_functions_fini(&read);
    return aq_diag_no_memory(diag);
  }
  if (read.count > 0)
    qsort(read.list, read.count, sizeof *read.list, by_address);
  /* One function at an address, none reaching into the next. */
  size_t kept = 0;
  for (size_t i = 0; i < read.count; i++)
    if (i == 0 || read.list[i].address != read.list[kept - 1].address)
      read.list[kept++] = read.list[i];
  read.count = kept;
  for (size_t i = 0; i < kept; i++) {
    aq_code_function *of = &read.list[i];
    uint64_t offset;
    const uint64_t left = code_left(code, of->address, &offset);
    if (of->size == 0)
      of->size = left;
    if (i + 1 < kept && of->size > of[1].address - of->address)
      of->size = of[1].address - of->address;
  }
  for (size_t i = 0; i < code->kernel_count; i++) {
    const aq_code_kernel *kernel = &code->kernels[i];
    const uint64_t entry =
        kernel->address + (uint64_t)kernel->descriptor.entry_offset;
    const aq_code_function *found =
        kernel->has_descriptor ? aq_code_function_at(&read, entry) : NULL;
    if (found && found->address == entry)
      read.list[found - read.list].kernel = kernel;
  }
  *out = read;
  return AQ_OK;
}

void aq_code_functions_fini(aq_code_functions *functions)
{
  free(functions->list);
  *functions = (aq_code_functions){NULL, 0, 0};
}

const aq_code_function *aq_code_function_at(const aq_code_functions *functions,
                                            uint64_t address)
{
  size_t first = 0, end = functions->count;
  while (first < end) {
    const size_t middle = (first + end) / 2;
    if (functions->list[middle].address + functions->list[middle].size <=
        address)
      first = middle + 1;
    else
      end = middle;
  }
  return first < functions->count && functions->list[first].address <= address
             ? &functions->list[first]
             : NULL;
}
