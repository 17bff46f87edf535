/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "codeobj/codeobj.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { MACHINE_AMDGPU = 224, OSABI_AMDGPU_HSA = 64 };

bool aq_codeobj_is(const void *bytes, size_t size)
{
  Elf64_Ehdr head;
  if (size < sizeof head)
    return false;
  memcpy(&head, bytes, sizeof head);
  return memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
         head.e_ident[EI_CLASS] == ELFCLASS64 &&
         head.e_ident[EI_DATA] == ELFDATA2LSB &&
         head.e_machine == MACHINE_AMDGPU;
}

void aq_codeobj_fini(aq_codeobj *codeobj)
{
  aq_arena_fini(&codeobj->arena);
  *codeobj = (aq_codeobj){0};
}

const aq_code_kernel *aq_codeobj_kernel(const aq_codeobj *codeobj,
                                        const char *name)
{
  for (size_t i = 0; i < codeobj->kernel_count; i++)
    if (strcmp(codeobj->kernels[i].name, name) == 0)
      return &codeobj->kernels[i];
  return NULL;
}

#ifndef HAVE_CODE_OBJECTS

aq_status aq_codeobj_read(const void *bytes, size_t size, aq_codeobj *out,
                          aq_diag *diag)
{
  (void)bytes, (void)size, (void)out;
  return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                     "this build reads no code objects: it was built without "
                     "libelf and msgpack-c");
}

#else

#include <gelf.h>
#include <libelf.h>

#include "codeobj/metadata.h"

enum {
  NOTE_METADATA = 32, /* NT_AMDGPU_METADATA */
  RELOC_ABS64 = 3,
  RELOC_RELATIVE64 = 13,
  CODE_VERSION_OF_ABI = 2, /* ABI version 1 is code object version 3 */
};

/* The file while it is read. */
typedef struct elf_file {
  const unsigned char *bytes;
  size_t size;
  Elf *elf;
  GElf_Ehdr head;
  uint64_t low, high; /* addresses that are loaded */
  aq_codeobj *out;
  aq_code_kernel *kernels;
  aq_diag *diag;
} elf_file;

static aq_status say_no_memory(elf_file *file)
{
  return aq_diag_set(file->diag, AQ_ERR_NO_MEMORY,
                     "out of memory for a code object");
}

static aq_status say_damaged(elf_file *file, const char *what, size_t index)
{
  return aq_diag_set(file->diag, AQ_ERR_INPUT,
                     "code object: %s %zu is damaged: it lies outside of the "
                     "file or of what is loaded",
                     what, index);
}

static bool file_has(const elf_file *file, uint64_t offset, uint64_t size)
{
  return offset <= file->size && size <= file->size - offset;
}

static aq_status head_check(elf_file *file)
{
  const GElf_Ehdr *head = &file->head;
  if (head->e_ident[EI_OSABI] != OSABI_AMDGPU_HSA)
    return aq_diag_set(file->diag, AQ_ERR_INPUT,
                       "code object for OS ABI %u; expected %d, HSA",
                       head->e_ident[EI_OSABI], OSABI_AMDGPU_HSA);
  if (head->e_type != ET_DYN)
    return aq_diag_set(file->diag, AQ_ERR_INPUT,
                       "code object of ELF type %u; expected 3, a linked "
                       "shared object",
                       head->e_type);
  if (head->e_phentsize != sizeof(Elf64_Phdr) ||
      (head->e_shnum > 0 && head->e_shentsize != sizeof(Elf64_Shdr)))
    return aq_diag_set(file->diag, AQ_ERR_INPUT,
                       "code object: headers of another size than ELF's");
  aq_status status =
      aq_target_from_flags(head->e_ident[EI_ABIVERSION], head->e_flags,
                           &file->out->target, file->diag);
  if (status == AQ_OK)
    file->out->version =
        head->e_ident[EI_ABIVERSION] + (uint32_t)CODE_VERSION_OF_ABI;
  return status;
}

/* ---- segments ---- */

static aq_status segment_add(elf_file *file, const GElf_Phdr *header,
                             size_t index, aq_code_segment *out)
{
  uint64_t end;
  if (__builtin_add_overflow(header->p_vaddr, header->p_memsz, &end) ||
      header->p_filesz > header->p_memsz ||
      !file_has(file, header->p_offset, header->p_filesz))
    return say_damaged(file, "segment", index);
  file->low = header->p_vaddr < file->low ? header->p_vaddr : file->low;
  file->high = end > file->high ? end : file->high;
  *out = (aq_code_segment){.address = header->p_vaddr,
                           .memory_size = header->p_memsz,
                           .offset = header->p_offset,
                           .file_size = header->p_filesz,
                           .executable = header->p_flags & PF_X,
                           .writable = header->p_flags & PF_W};
  return AQ_OK;
}

static aq_status note_read(elf_file *file, const GElf_Phdr *header)
{
  Elf_Data *data = elf_getdata_rawchunk(file->elf, (int64_t)header->p_offset,
                                        header->p_filesz, ELF_T_NHDR);
  GElf_Nhdr note;
  size_t name, desc, at = 0, next;
  while (data && (next = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
    const char *bytes = data->d_buf;
    if (note.n_type == NOTE_METADATA && note.n_namesz == sizeof "AMDGPU" &&
        memcmp(bytes + name, "AMDGPU", sizeof "AMDGPU") == 0)
      return file->kernels
                 ? AQ_OK /* PT_NOTE twice: the first is it */
                 : aq_metadata_read(bytes + desc, note.n_descsz, file->out,
                                    &file->kernels, file->diag);
    at = next;
  }
  return AQ_OK;
}

static aq_status segments_read(elf_file *file)
{
  size_t count, loaded = 0;
  aq_status status = AQ_OK;
  if (elf_getphdrnum(file->elf, &count) != 0 ||
      count > file->size / sizeof(Elf64_Phdr))
    return say_damaged(file, "table of segments", 0);
  aq_code_segment *segments =
      aq_arena_alloc(&file->out->arena, (count + 1) * sizeof *segments);
  if (!segments)
    return say_no_memory(file);
  file->low = UINT64_MAX;
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    GElf_Phdr header;
    if (!gelf_getphdr(file->elf, (int)i, &header))
      return say_damaged(file, "segment", i);
    if (header.p_type == PT_LOAD)
      status = segment_add(file, &header, i, &segments[loaded++]);
    else if (header.p_type == PT_NOTE &&
             file_has(file, header.p_offset, header.p_filesz))
      status = note_read(file, &header);
  }
  if (status != AQ_OK)
    return status;
  if (file->high <= file->low || file->high - file->low > AQ_CODEOBJ_SPAN_MAX)
    return aq_diag_set(file->diag, AQ_ERR_INPUT,
                       "code object: its segments span no memory, or more "
                       "than 4 GiB");
  file->out->segments = segments;
  file->out->segment_count = loaded;
  return AQ_OK;
}

static bool is_loaded(const elf_file *file, uint64_t address, uint64_t size)
{
  return address >= file->low && address <= file->high &&
         size <= file->high - address;
}

/* The bytes of the file at an address, or NULL. */
static const unsigned char *bytes_at(const elf_file *file, uint64_t address,
                                     uint64_t size)
{
  for (size_t i = 0; i < file->out->segment_count; i++) {
    const aq_code_segment *segment = &file->out->segments[i];
    uint64_t offset = address - segment->address;
    if (address >= segment->address && offset <= segment->file_size &&
        size <= segment->file_size - offset)
      return file->bytes + segment->offset + offset;
  }
  return NULL;
}

/* ---- symbols ---- */

static aq_status symbol_add(elf_file *file, const GElf_Sym *from, size_t index,
                            size_t texts, aq_code_symbol *out)
{
  const char *name = elf_strptr(file->elf, texts, from->st_name);
  if (!name || !is_loaded(file, from->st_value, from->st_size))
    return say_damaged(file, "symbol", index);
  name = aq_arena_text(&file->out->arena, name, strlen(name));
  if (!name)
    return say_no_memory(file);
  *out =
      (aq_code_symbol){.name = name,
                       .address = from->st_value,
                       .size = from->st_size,
                       .is_object = GELF_ST_TYPE(from->st_info) == STT_OBJECT};
  return AQ_OK;
}

static bool symbol_counts(const GElf_Sym *symbol)
{
  unsigned type = GELF_ST_TYPE(symbol->st_info);
  return symbol->st_shndx != SHN_UNDEF &&
         (type == STT_OBJECT || type == STT_FUNC);
}

static aq_status symbols_read(elf_file *file, Elf_Scn *section,
                              const GElf_Shdr *header)
{
  Elf_Data *data = elf_getdata(section, NULL);
  if (file->out->symbols || header->sh_size == 0)
    return AQ_OK;
  if (!data || !data->d_buf)
    return say_damaged(file, "section", elf_ndxscn(section));
  size_t count = data->d_size / sizeof(Elf64_Sym), kept = 0;
  aq_code_symbol *symbols =
      aq_arena_alloc(&file->out->arena, (count + 1) * sizeof *symbols);
  if (!symbols)
    return say_no_memory(file);
  for (size_t i = 0; i < count; i++) {
    GElf_Sym symbol;
    if (!gelf_getsym(data, (int)i, &symbol))
      return say_damaged(file, "symbol", i);
    aq_status status =
        symbol_counts(&symbol)
            ? symbol_add(file, &symbol, i, header->sh_link, &symbols[kept++])
            : AQ_OK;
    if (status != AQ_OK)
      return status;
  }
  file->out->symbols = symbols;
  file->out->symbol_count = kept;
  return AQ_OK;
}

/* ---- relocations ---- */

static aq_status relocation_add(elf_file *file, const GElf_Rela *from,
                                size_t index, Elf_Data *symbols,
                                aq_code_relocation *out)
{
  GElf_Sym symbol;
  if (!is_loaded(file, from->r_offset, sizeof(uint64_t)))
    return say_damaged(file, "relocation", index);
  *out = (aq_code_relocation){from->r_offset, from->r_addend};
  switch (GELF_R_TYPE(from->r_info)) {
  case RELOC_RELATIVE64:
    return AQ_OK;
  case RELOC_ABS64:
    if (!symbols ||
        !gelf_getsym(symbols, (int)GELF_R_SYM(from->r_info), &symbol) ||
        symbol.st_shndx == SHN_UNDEF)
      return aq_diag_set(file->diag, AQ_ERR_INPUT,
                         "code object: relocation %zu is against a symbol "
                         "that it does not define",
                         index);
    out->addend = (int64_t)(symbol.st_value + (uint64_t)from->r_addend);
    return AQ_OK;
  default:
    return aq_diag_set(file->diag, AQ_ERR_INPUT,
                       "code object: relocation %zu is of type %u; expected "
                       "%d or %d",
                       index, (unsigned)GELF_R_TYPE(from->r_info), RELOC_ABS64,
                       RELOC_RELATIVE64);
  }
}

static aq_status relocations_read(elf_file *file, Elf_Scn *section,
                                  const GElf_Shdr *header)
{
  Elf_Data *data = elf_getdata(section, NULL);
  if (!(header->sh_flags & SHF_ALLOC) || header->sh_size == 0)
    return AQ_OK;
  if (!data || !data->d_buf)
    return say_damaged(file, "section", elf_ndxscn(section));
  Elf_Scn *linked = elf_getscn(file->elf, header->sh_link);
  Elf_Data *symbols = linked ? elf_getdata(linked, NULL) : NULL;
  if (symbols && symbols->d_type != ELF_T_SYM)
    symbols = NULL;
  size_t old = file->out->relocation_count;
  size_t count = data->d_size / sizeof(Elf64_Rela);
  aq_code_relocation *list =
      aq_arena_alloc(&file->out->arena, (old + count + 1) * sizeof *list);
  if (!list)
    return say_no_memory(file);
  if (old > 0)
    memcpy(list, file->out->relocations, old * sizeof *list);
  for (size_t i = 0; i < count; i++) {
    GElf_Rela rela;
    if (!gelf_getrela(data, (int)i, &rela))
      return say_damaged(file, "relocation", i);
    aq_status status = relocation_add(file, &rela, i, symbols, &list[old + i]);
    if (status != AQ_OK)
      return status;
  }
  file->out->relocations = list;
  file->out->relocation_count = old + count;
  return AQ_OK;
}

static aq_status sections_read(elf_file *file)
{
  Elf_Scn *section = NULL;
  aq_status status = AQ_OK;
  while (status == AQ_OK && (section = elf_nextscn(file->elf, section))) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header))
      return say_damaged(file, "section", elf_ndxscn(section));
    if (header.sh_type == SHT_DYNSYM)
      status = symbols_read(file, section, &header);
    else if (header.sh_type == SHT_RELA)
      status = relocations_read(file, section, &header);
  }
  return status;
}

/* ---- kernels ---- */

static bool descriptor_read(const elf_file *file, const aq_code_symbol *symbol,
                            aq_code_kernel *kernel)
{
  const unsigned char *bytes =
      bytes_at(file, symbol->address, sizeof kernel->descriptor);
  if (!symbol->is_object || symbol->size < sizeof kernel->descriptor || !bytes)
    return false;
  memcpy(&kernel->descriptor, bytes, sizeof kernel->descriptor);
  kernel->has_descriptor = true;
  kernel->address = symbol->address;
  return true;
}

static bool is_kernel(const aq_code_symbol *symbol)
{
  size_t length = strlen(symbol->name);
  return length > 3 && strcmp(symbol->name + length - 3, ".kd") == 0;
}

/* A kernel that the metadata does not name: what its descriptor says. */
static aq_status kernel_add(elf_file *file, const aq_code_symbol *symbol)
{
  aq_code_kernel *kernel = &file->kernels[file->out->kernel_count];
  *kernel = (aq_code_kernel){.symbol = symbol->name};
  if (!descriptor_read(file, symbol, kernel))
    return AQ_OK;
  const aq_kernel_descriptor *d = &kernel->descriptor;
  kernel->name =
      aq_arena_text(&file->out->arena, symbol->name, strlen(symbol->name) - 3);
  if (!kernel->name)
    return say_no_memory(file);
  kernel->kernarg_size = d->kernarg_size;
  kernel->group_size = d->group_size;
  kernel->private_size = d->private_size;
  kernel->wave_size = d->properties & AQ_KERNEL_WAVE32 ? 32 : 64;
  kernel->dynamic_stack = d->properties & AQ_KERNEL_DYNAMIC_STACK;
  file->out->kernel_count++;
  return AQ_OK;
}

/* Kernels of the metadata by symbol; the first of equal ones comes first. */
static int by_symbol(const void *a, const void *b)
{
  const aq_code_kernel *x = *(aq_code_kernel *const *)a;
  const aq_code_kernel *y = *(aq_code_kernel *const *)b;
  const int order = strcmp(x->symbol, y->symbol);
  return order ? order : (x > y) - (x < y);
}

static aq_code_kernel **kernels_sort(elf_file *file, size_t count)
{
  aq_code_kernel **sorted =
      aq_arena_alloc(&file->out->arena, (count + 1) * sizeof *sorted);
  for (size_t i = 0; sorted && i < count; i++)
    sorted[i] = &file->kernels[i];
  if (sorted)
    qsort(sorted, count, sizeof *sorted, by_symbol);
  return sorted;
}

static aq_code_kernel *kernel_of(aq_code_kernel *const *sorted, size_t count,
                                 const char *symbol)
{
  size_t low = 0;
  for (size_t high = count; low < high;) {
    const size_t middle = low + (high - low) / 2;
    if (strcmp(sorted[middle]->symbol, symbol) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && strcmp(sorted[low]->symbol, symbol) == 0 ? sorted[low]
                                                                 : NULL;
}

/* Joins what the metadata told with the descriptors. */
static aq_status kernels_join(elf_file *file)
{
  aq_codeobj *out = file->out;
  size_t told = out->kernel_count;
  aq_code_kernel *all =
      aq_arena_alloc(&out->arena, (told + out->symbol_count + 1) * sizeof *all);
  if (!all)
    return say_no_memory(file);
  if (told > 0)
    memcpy(all, file->kernels, told * sizeof *all);
  file->kernels = all;
  aq_code_kernel **sorted = kernels_sort(file, told);
  if (!sorted)
    return say_no_memory(file);
  for (size_t i = 0; i < out->symbol_count; i++) {
    const aq_code_symbol *symbol = &out->symbols[i];
    if (!is_kernel(symbol))
      continue;
    aq_code_kernel *kernel = kernel_of(sorted, told, symbol->name);
    aq_status status = AQ_OK;
    if (kernel)
      descriptor_read(file, symbol, kernel);
    else
      status = kernel_add(file, symbol);
    if (status != AQ_OK)
      return status;
  }
  out->kernels = all;
  return AQ_OK;
}

/* ---- the whole ---- */

static aq_status file_read(elf_file *file)
{
  aq_status status = head_check(file);
  if (status == AQ_OK)
    status = segments_read(file);
  if (status == AQ_OK)
    status = sections_read(file);
  if (status == AQ_OK)
    status = kernels_join(file);
  return status;
}

aq_status aq_codeobj_read(const void *bytes, size_t size, aq_codeobj *out,
                          aq_diag *diag)
{
  aq_codeobj codeobj = {.arena = AQ_ARENA_INIT};
  elf_file file = {.bytes = bytes, .size = size, .out = &codeobj, .diag = diag};
  if (!aq_codeobj_is(bytes, size))
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "no code object; expected a 64-bit ELF file of AMDGPU");
  elf_version(EV_CURRENT);
  /* It only reads what it is given, whatever its type says. */
  file.elf = elf_memory((char *)(uintptr_t)bytes, size);
  if (!file.elf || !gelf_getehdr(file.elf, &file.head)) {
    elf_end(file.elf);
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "code object: its ELF header is "
                       "damaged");
  }
  aq_status status = file_read(&file);
  elf_end(file.elf);
  if (status == AQ_OK)
    *out = codeobj;
  else
    aq_codeobj_fini(&codeobj);
  return status;
}

#endif
