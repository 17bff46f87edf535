/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/codeobj/functions.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "gpu/codeobj/elf.h"
#include "gpu/codeobj/reading.h"

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

static bool function_add(aq_code_functions *out, const aq_elf *elf,
                         const aq_codeobj *code, const char *name,
                         uint64_t address, uint64_t size)
{
  uint64_t offset = 0;
  const uint64_t left = code_left(code, address, &offset);
  if (left == 0 || address % 4 != 0)
    return true; /* not in the code of this object */
  return AQ_ARRAY_PUSH(out->list, out->count, out->capacity,
                       (aq_code_function){.name = name,
                                          .address = address,
                                          .size = size < left ? size : left,
                                          .bytes = elf->bytes + offset});
}

/* Whether a symbol is of code. A kernel's of version 2 is of its
 * amd_kernel_code_t, too, which the code comes behind. */
static bool symbol_is_code(const aq_codeobj *code, const char *name,
                           Elf64_Sym *symbol)
{
  const unsigned type = ELF64_ST_TYPE(symbol->st_info);
  const aq_code_symbol *known =
      type == AQ_CODE_SYMBOL_KERNEL ? aq_codeobj_symbol(code, name) : NULL;
  if (!known || !known->kernel)
    return type == STT_FUNC;
  const uint64_t head = (uint64_t)known->kernel->descriptor.entry_offset;
  symbol->st_value += head;
  symbol->st_size -= head < symbol->st_size ? head : symbol->st_size;
  return known->is_code;
}

/* A table of symbols of a type; false: out of memory. */
static bool table_read(aq_code_functions *out, const aq_elf *elf,
                       const aq_codeobj *code, uint32_t type)
{
  Elf64_Shdr section, texts;
  for (uint64_t s = 0; s < elf->sections; s++) {
    if (!aq_elf_section(elf, s, &section) || section.sh_type != type ||
        !aq_elf_has(elf, section.sh_offset, section.sh_size) ||
        !aq_elf_section(elf, section.sh_link, &texts))
      continue;
    for (uint64_t i = 0; i < section.sh_size / sizeof(Elf64_Sym); i++) {
      Elf64_Sym symbol;
      const char *name;
      if (aq_elf_entry(elf, section.sh_offset, i, sizeof symbol, &symbol) &&
          (name = aq_elf_text(elf, &texts, symbol.st_name)) &&
          symbol_is_code(code, name, &symbol) &&
          !function_add(out, elf, code, name, symbol.st_value, symbol.st_size))
        return false;
    }
  }
  return true;
}

/* Kernels whose code no symbol names. */
static bool kernels_add(aq_code_functions *out, const aq_elf *elf,
                        const aq_codeobj *code)
{
  for (size_t i = 0; i < code->kernel_count; i++) {
    const aq_code_kernel *kernel = &code->kernels[i];
    if (kernel->has_descriptor &&
        !function_add(
            out, elf, code, kernel->name,
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

/* One function at an address, none reaching into the next. */
static void overlaps_end(aq_code_functions *f, const aq_codeobj *code)
{
  size_t kept = 0;
  for (size_t i = 0; i < f->count; i++)
    if (i == 0 || f->list[i].address != f->list[kept - 1].address)
      f->list[kept++] = f->list[i];
  f->count = kept;
  for (size_t i = 0; i < kept; i++) {
    aq_code_function *of = &f->list[i];
    uint64_t offset;
    const uint64_t left = code_left(code, of->address, &offset);
    if (of->size == 0)
      of->size = left;
    if (i + 1 < kept && of->size > of[1].address - of->address)
      of->size = of[1].address - of->address;
  }
}

static void kernels_join(aq_code_functions *f, const aq_codeobj *code)
{
  for (size_t i = 0; i < code->kernel_count; i++) {
    const aq_code_kernel *kernel = &code->kernels[i];
    const uint64_t entry =
        kernel->address + (uint64_t)kernel->descriptor.entry_offset;
    const aq_code_function *found =
        kernel->has_descriptor ? aq_code_function_at(f, entry) : NULL;
    if (found && found->address == entry)
      f->list[found - f->list].kernel = kernel;
  }
}

aq_status aq_code_functions_read(const void *bytes, size_t size,
                                 const aq_codeobj *code, aq_code_functions *out,
                                 aq_diag *diag)
{
  aq_code_functions read = {NULL, 0, 0};
  aq_elf elf;
  if (!aq_elf_open(bytes, size, &elf))
    return aq_diag_set(diag, AQ_ERR_INPUT, "code object: its head is damaged");
  bool ok = table_read(&read, &elf, code, SHT_SYMTAB);
  if (ok && read.count == 0)
    ok = table_read(&read, &elf, code, SHT_DYNSYM);
  ok = ok && kernels_add(&read, &elf, code);
  if (!ok) {
    aq_code_functions_fini(&read);
    return aq_diag_no_memory(diag);
  }
  if (read.count > 0)
    qsort(read.list, read.count, sizeof *read.list, by_address);
  overlaps_end(&read, code);
  kernels_join(&read, code);
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
