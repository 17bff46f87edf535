/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "codeobj/codeobj.h"

#include <stdlib.h>
#include <string.h>

#include "codeobj/elf.h"
#include "codeobj/metadata.h"

enum {
  MACHINE_AMDGPU = 224,
  OSABI_AMDGPU_HSA = 64,
  NOTE_METADATA = 32,      /* NT_AMDGPU_METADATA */
  CODE_VERSION_OF_ABI = 2, /* ABI version 1 is code object version 3 */
  KD_LENGTH = 3,           /* ".kd" */
  ALIGN_MIN = 4096,
  ALIGN_MAX = 1 << 21,
};

static const char managed_suffix[] = ".managed";

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

/* The file while it is read. */
typedef struct code_file {
  aq_elf elf;
  aq_codeobj *out;
  aq_codeobj_depth depth;
  aq_code_kernel *kernels;
  aq_code_symbol *symbols;
  aq_diag *diag;
} code_file;

static aq_status say_damaged(code_file *file, const char *what, uint64_t index)
{
  return aq_diag_set(file->diag, AQ_ERR_INPUT,
                     "code object: %s %llu is damaged: it lies outside of the "
                     "file or of the segments",
                     what, (unsigned long long)index);
}

static aq_status head_check(code_file *file)
{
  const Elf64_Ehdr *head = &file->elf.head;
  if (head->e_ident[EI_OSABI] != OSABI_AMDGPU_HSA)
    return aq_diag_set(file->diag, AQ_ERR_INPUT,
                       "code object for OS ABI %u; expected %d, HSA",
                       head->e_ident[EI_OSABI], OSABI_AMDGPU_HSA);
  if (head->e_type != ET_DYN)
    return aq_diag_set(file->diag, AQ_ERR_INPUT,
                       "code object of ELF type %u; expected 3, a linked "
                       "shared object",
                       head->e_type);
  aq_status status =
      aq_target_from_flags(head->e_ident[EI_ABIVERSION], head->e_flags,
                           &file->out->target, file->diag);
  if (status == AQ_OK)
    file->out->version =
        head->e_ident[EI_ABIVERSION] + (uint32_t)CODE_VERSION_OF_ABI;
  return status;
}

/* ---- segments and notes ---- */

static aq_status segment_add(code_file *file, const Elf64_Phdr *header,
                             uint64_t index, aq_code_segment *out)
{
  aq_codeobj *code = file->out;
  uint64_t end;
  if (__builtin_add_overflow(header->p_vaddr, header->p_memsz, &end) ||
      header->p_filesz > header->p_memsz ||
      !aq_elf_has(&file->elf, header->p_offset, header->p_filesz))
    return say_damaged(file, "segment", index);
  if (header->p_align > ALIGN_MAX || header->p_align & (header->p_align - 1))
    return aq_diag_set(file->diag, AQ_ERR_INPUT,
                       "code object: segment %llu is aligned to %llu bytes; "
                       "expected a power of two up to %d",
                       (unsigned long long)index,
                       (unsigned long long)header->p_align, ALIGN_MAX);
  code->low = header->p_vaddr < code->low ? header->p_vaddr : code->low;
  code->high = end > code->high ? end : code->high;
  code->align = header->p_align > code->align ? header->p_align : code->align;
  *out = (aq_code_segment){.address = header->p_vaddr,
                           .memory_size = header->p_memsz,
                           .offset = header->p_offset,
                           .file_size = header->p_filesz,
                           .executable = header->p_flags & PF_X,
                           .writable = header->p_flags & PF_W};
  return AQ_OK;
}

/* Rounded up to what parts of a note are aligned to. */
static uint64_t note_padded(uint32_t size)
{
  return ((uint64_t)size + 3) & ~UINT64_C(3);
}

/* Of several metadata notes the first counts. */
static aq_status notes_read(code_file *file, uint64_t at, uint64_t end)
{
  static const char owner[] = "AMDGPU";
  Elf64_Nhdr note;
  while (!file->kernels && end - at >= sizeof note) {
    memcpy(&note, file->elf.bytes + at, sizeof note);
    at += sizeof note;
    const uint64_t name = note_padded(note.n_namesz);
    const uint64_t desc = note_padded(note.n_descsz);
    if (name > end - at || note.n_descsz > end - at - name)
      return AQ_OK; /* the rest is no note */
    const unsigned char *bytes = file->elf.bytes + at;
    if (note.n_type == NOTE_METADATA && note.n_namesz == sizeof owner &&
        memcmp(bytes, owner, sizeof owner) == 0)
      return aq_metadata_read(bytes + name, note.n_descsz, file->out,
                              &file->kernels, file->diag);
    at += name + (desc < end - at - name ? desc : end - at - name);
  }
  return AQ_OK;
}

static aq_status segments_read(code_file *file)
{
  aq_codeobj *code = file->out;
  const uint64_t count = file->elf.segments;
  aq_status status = AQ_OK;
  aq_code_segment *segments =
      aq_arena_alloc(&code->arena, (count + 1) * sizeof *segments);
  if (!segments)
    return aq_diag_no_memory(file->diag);
  code->low = UINT64_MAX;
  code->align = ALIGN_MIN;
  for (uint64_t i = 0; i < count && status == AQ_OK; i++) {
    Elf64_Phdr header;
    if (!aq_elf_segment(&file->elf, i, &header))
      return say_damaged(file, "segment", i);
    if (header.p_type == PT_LOAD)
      status = segment_add(file, &header, i, &segments[code->segment_count++]);
    else if (header.p_type == PT_NOTE && file->depth == AQ_CODEOBJ_ALL &&
             aq_elf_has(&file->elf, header.p_offset, header.p_filesz))
      status =
          notes_read(file, header.p_offset, header.p_offset + header.p_filesz);
  }
  if (status != AQ_OK)
    return status;
  if (code->high <= code->low || code->high - code->low > AQ_CODEOBJ_SPAN_MAX)
    return aq_diag_set(file->diag, AQ_ERR_INPUT,
                       "code object: its segments span no memory, or more "
                       "than 4 GiB");
  code->segments = segments;
  return AQ_OK;
}

static bool is_loaded(const code_file *file, uint64_t address, uint64_t size)
{
  const aq_codeobj *code = file->out;
  return address >= code->low && address <= code->high &&
         size <= code->high - address;
}

/* The bytes of the file at an address, or NULL. */
static const unsigned char *bytes_at(const code_file *file, uint64_t address,
                                     uint64_t size)
{
  for (size_t i = 0; i < file->out->segment_count; i++) {
    const aq_code_segment *segment = &file->out->segments[i];
    uint64_t offset = address - segment->address;
    if (address >= segment->address && offset <= segment->file_size &&
        size <= segment->file_size - offset)
      return file->elf.bytes + segment->offset + offset;
  }
  return NULL;
}

/* ---- symbols ---- */

static bool symbol_counts(const Elf64_Sym *symbol)
{
  unsigned type = ELF64_ST_TYPE(symbol->st_info);
  return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS &&
         (type == STT_OBJECT || type == STT_FUNC);
}

static aq_status symbol_add(code_file *file, const Elf64_Sym *from,
                            uint64_t index, const Elf64_Shdr *texts)
{
  Elf64_Shdr section = {0};
  const char *name = aq_elf_text(&file->elf, texts, from->st_name);
  if (!name || !is_loaded(file, from->st_value, from->st_size))
    return say_damaged(file, "symbol", index);
  name = aq_arena_text(&file->out->arena, name, strlen(name));
  if (!name)
    return aq_diag_no_memory(file->diag);
  aq_elf_section(&file->elf, from->st_shndx, &section);
  file->symbols[file->out->symbol_count++] =
      (aq_code_symbol){.name = name,
                       .address = from->st_value,
                       .size = from->st_size,
                       .is_object = ELF64_ST_TYPE(from->st_info) == STT_OBJECT,
                       .is_const = !(section.sh_flags & SHF_WRITE)};
  return AQ_OK;
}

static aq_status symbols_read(code_file *file, const Elf64_Shdr *table,
                              uint64_t section)
{
  aq_codeobj *code = file->out;
  Elf64_Shdr texts;
  if (file->symbols || table->sh_size == 0)
    return AQ_OK;
  if (!aq_elf_has(&file->elf, table->sh_offset, table->sh_size) ||
      !aq_elf_section(&file->elf, table->sh_link, &texts))
    return say_damaged(file, "section", section);
  const uint64_t count = table->sh_size / sizeof(Elf64_Sym);
  file->symbols =
      aq_arena_alloc(&code->arena, (count + 1) * sizeof *file->symbols);
  if (!file->symbols)
    return aq_diag_no_memory(file->diag);
  aq_status status = AQ_OK;
  for (uint64_t i = 0; i < count && status == AQ_OK; i++) {
    Elf64_Sym symbol;
    aq_elf_entry(&file->elf, table->sh_offset, i, sizeof symbol, &symbol);
    if (symbol_counts(&symbol))
      status = symbol_add(file, &symbol, i, &texts);
  }
  code->symbols = file->symbols;
  return status;
}

/* ---- relocations ---- */

/* A type of the ABI: bytes that it changes, 0 where a loader has no use for
 * it: the linker resolves those against a table of its own. */
typedef struct reloc_type {
  const char *name;
  uint8_t size;
} reloc_type;

static const reloc_type reloc_types[] = {
    [0] = {"R_AMDGPU_NONE", 0},
    [AQ_RELOC_ABS32_LO] = {"R_AMDGPU_ABS32_LO", 4},
    [AQ_RELOC_ABS32_HI] = {"R_AMDGPU_ABS32_HI", 4},
    [AQ_RELOC_ABS64] = {"R_AMDGPU_ABS64", 8},
    [AQ_RELOC_REL32] = {"R_AMDGPU_REL32", 4},
    [AQ_RELOC_REL64] = {"R_AMDGPU_REL64", 8},
    [AQ_RELOC_ABS32] = {"R_AMDGPU_ABS32", 4},
    [7] = {"R_AMDGPU_GOTPCREL", 0},
    [8] = {"R_AMDGPU_GOTPCREL32_LO", 0},
    [9] = {"R_AMDGPU_GOTPCREL32_HI", 0},
    [AQ_RELOC_REL32_LO] = {"R_AMDGPU_REL32_LO", 4},
    [AQ_RELOC_REL32_HI] = {"R_AMDGPU_REL32_HI", 4},
    [12] = {"of the reserved number 12", 0},
    [AQ_RELOC_RELATIVE64] = {"R_AMDGPU_RELATIVE64", 8},
    [AQ_RELOC_REL16] = {"R_AMDGPU_REL16", 2},
};

/* A section of relocations and its target; sizes of 0: nothing. */
typedef struct reloc_section {
  Elf64_Shdr table, symbols, texts;
} reloc_section;

static aq_status reloc_symbol(code_file *file, const reloc_section *from,
                              uint64_t number, uint64_t index,
                              aq_code_relocation *out)
{
  Elf64_Sym symbol;
  if (number == 0 || number >= from->symbols.sh_size / sizeof symbol ||
      !aq_elf_entry(&file->elf, from->symbols.sh_offset, number, sizeof symbol,
                    &symbol))
    return aq_diag_set(file->diag, AQ_ERR_INPUT,
                       "code object: relocation %llu is against symbol %llu, "
                       "which the file does not have",
                       (unsigned long long)index, (unsigned long long)number);
  out->value = symbol.st_value;
  out->is_absolute = symbol.st_shndx == SHN_ABS;
  if (symbol.st_shndx != SHN_UNDEF)
    return AQ_OK;
  out->is_weak = ELF64_ST_BIND(symbol.st_info) == STB_WEAK;
  const char *name = aq_elf_text(&file->elf, &from->texts, symbol.st_name);
  if (!name)
    return say_damaged(file, "symbol", number);
  out->undefined = aq_arena_text(&file->out->arena, name, strlen(name));
  return out->undefined ? AQ_OK : aq_diag_no_memory(file->diag);
}

static aq_status reloc_read(code_file *file, const reloc_section *from,
                            uint64_t index, aq_code_relocation *list)
{
  Elf64_Rela rela;
  aq_codeobj *code = file->out;
  aq_elf_entry(&file->elf, from->table.sh_offset, index, sizeof rela, &rela);
  const uint64_t number = ELF64_R_TYPE(rela.r_info);
  const reloc_type *type = number < sizeof reloc_types / sizeof *reloc_types
                               ? &reloc_types[number]
                               : NULL;
  if (number == 0)
    return AQ_OK;
  if (!type || type->size == 0)
    return aq_diag_set(file->diag, AQ_ERR_INPUT,
                       "code object: relocation %llu is %s (type %llu), which "
                       "a loader cannot apply",
                       (unsigned long long)index,
                       type ? type->name : "of no type of the ABI",
                       (unsigned long long)number);
  if (!is_loaded(file, rela.r_offset, type->size))
    return say_damaged(file, "relocation", index);
  aq_code_relocation *out = &list[code->relocation_count++];
  *out = (aq_code_relocation){.address = rela.r_offset,
                              .addend = rela.r_addend,
                              .type = (aq_code_relocation_type)number};
  return number == AQ_RELOC_RELATIVE64
             ? AQ_OK
             : reloc_symbol(file, from, ELF64_R_SYM(rela.r_info), index, out);
}

static aq_status relocations_read(code_file *file, const Elf64_Shdr *table,
                                  uint64_t section)
{
  aq_codeobj *code = file->out;
  reloc_section from = {.table = *table};
  const size_t old = code->relocation_count;
  if (!(table->sh_flags & SHF_ALLOC) || table->sh_size == 0)
    return AQ_OK;
  if (!aq_elf_has(&file->elf, table->sh_offset, table->sh_size))
    return say_damaged(file, "section", section);
  if (aq_elf_section(&file->elf, table->sh_link, &from.symbols))
    aq_elf_section(&file->elf, from.symbols.sh_link, &from.texts);
  if (from.symbols.sh_type != SHT_DYNSYM && from.symbols.sh_type != SHT_SYMTAB)
    from.symbols.sh_size = 0;
  const uint64_t count = table->sh_size / sizeof(Elf64_Rela);
  aq_code_relocation *list =
      aq_arena_alloc(&code->arena, (old + count + 1) * sizeof *list);
  if (!list)
    return aq_diag_no_memory(file->diag);
  if (old > 0)
    memcpy(list, code->relocations, old * sizeof *list);
  code->relocations = list;
  aq_status status = AQ_OK;
  for (uint64_t i = 0; i < count && status == AQ_OK; i++)
    status = reloc_read(file, &from, i, list);
  return status;
}

static aq_status section_refuse(code_file *file, const char *kind)
{
  return aq_diag_set(file->diag, AQ_ERR_INPUT,
                     "code object: relocations in a section of type %s; "
                     "expected SHT_RELA",
                     kind);
}

static aq_status sections_read(code_file *file)
{
  enum { RELR = 19 }; /* SHT_RELR, which older elf.h lack */
  aq_status status = AQ_OK;
  for (uint64_t i = 0; i < file->elf.sections && status == AQ_OK; i++) {
    Elf64_Shdr header;
    if (!aq_elf_section(&file->elf, i, &header))
      return say_damaged(file, "section", i);
    const bool allocated = header.sh_flags & SHF_ALLOC && header.sh_size > 0;
    if (header.sh_type == SHT_DYNSYM)
      status = symbols_read(file, &header, i);
    else if (header.sh_type == SHT_RELA)
      status = relocations_read(file, &header, i);
    else if (header.sh_type == SHT_REL && allocated)
      status = section_refuse(file, "SHT_REL");
    else if (header.sh_type == RELR && allocated)
      status = section_refuse(file, "SHT_RELR");
  }
  return status;
}

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
static void *sorted_make(code_file *file, const void *items, size_t count,
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

const aq_code_kernel *aq_codeobj_kernel(const aq_codeobj *codeobj,
                                        const char *name)
{
  return sorted_find(codeobj->kernels_by_name, codeobj->kernel_count, name,
                     kernel_name);
}

const aq_code_symbol *aq_codeobj_symbol(const aq_codeobj *codeobj,
                                        const char *name)
{
  return sorted_find(codeobj->symbols_by_name, codeobj->symbol_count, name,
                     symbol_name);
}

/* ---- kernels ---- */

static bool ends_with(const char *text, const char *end)
{
  const size_t length = strlen(text), part = strlen(end);
  return length > part && strcmp(text + length - part, end) == 0;
}

static bool descriptor_read(const code_file *file, const aq_code_symbol *symbol,
                            aq_code_kernel *kernel)
{
  const unsigned char *bytes =
      bytes_at(file, symbol->address, sizeof kernel->descriptor);
  if (!symbol->is_object || symbol->size < sizeof kernel->descriptor ||
      symbol->address % _Alignof(aq_kernel_descriptor) != 0 || !bytes)
    return false;
  memcpy(&kernel->descriptor, bytes, sizeof kernel->descriptor);
  kernel->has_descriptor = true;
  kernel->address = symbol->address;
  return true;
}

/* A kernel that the metadata does not name: what its descriptor says. */
static aq_status kernel_add(code_file *file, aq_code_symbol *symbol)
{
  aq_code_kernel *kernel = &file->kernels[file->out->kernel_count];
  *kernel = (aq_code_kernel){.symbol = symbol->name};
  if (!descriptor_read(file, symbol, kernel))
    return AQ_OK;
  const aq_kernel_descriptor *d = &kernel->descriptor;
  const aq_kernel_registers registers =
      aq_kernel_descriptor_registers(d, &file->out->target);
  kernel->name = aq_arena_text(&file->out->arena, symbol->name,
                               strlen(symbol->name) - KD_LENGTH);
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

/* Joins the kernels of the metadata with their descriptors. */
static aq_status kernels_join(code_file *file)
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
    if (!ends_with(symbol->name, ".kd"))
      continue;
    const aq_code_kernel *known =
        sorted_find(sorted, described, symbol->name, kernel_symbol);
    aq_status status = AQ_OK;
    if (!known)
      status = kernel_add(file, symbol);
    else if (descriptor_read(file, symbol, &all[known - all]))
      symbol->kernel = known;
    if (status != AQ_OK)
      return status;
  }
  out->kernels = all;
  return AQ_OK;
}

/* "x.managed" is the target of the pointer "x". */
static aq_status managed_join(code_file *file)
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

static aq_status names_sort(code_file *file)
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

/* ---- the whole ---- */

static aq_status file_read(code_file *file)
{
  aq_status status = head_check(file);
  if (status == AQ_OK)
    status = segments_read(file);
  if (status == AQ_OK)
    status = sections_read(file);
  if (status == AQ_OK)
    status = kernels_join(file);
  if (status == AQ_OK)
    status = names_sort(file);
  return status == AQ_OK ? managed_join(file) : status;
}

aq_status aq_codeobj_read_to(const void *bytes, size_t size,
                             aq_codeobj_depth depth, aq_codeobj *out,
                             aq_diag *diag)
{
  aq_codeobj codeobj = {.arena = AQ_ARENA_INIT};
  code_file file = {.out = &codeobj, .depth = depth, .diag = diag};
  if (!aq_codeobj_is(bytes, size))
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "no code object; expected a 64-bit ELF file of AMDGPU");
  if (!aq_elf_open(bytes, size, &file.elf))
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "code object: its ELF header is damaged: a table of "
                       "segments or sections lies outside of the file, or has "
                       "entries of another size than ELF's");
  aq_status status = file_read(&file);
  if (status == AQ_OK)
    *out = codeobj;
  else
    aq_codeobj_fini(&codeobj);
  return status;
}

aq_status aq_codeobj_read(const void *bytes, size_t size, aq_codeobj *out,
                          aq_diag *diag)
{
  return aq_codeobj_read_to(bytes, size, AQ_CODEOBJ_ALL, out, diag);
}
