/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/codeobj/codeobj.h"

#include <string.h>

#include "gpu/codeobj/metadata.h"
#include "gpu/codeobj/parser.h"

enum {
  MACHINE_AMDGPU = 224,
  OSABI_AMDGPU_HSA = 64,
  NOTE_METADATA = 32,      /* NT_AMDGPU_METADATA */
  CODE_VERSION_OF_ABI = 2, /* ABI version 1 is code object version 3 */
  ALIGN_MIN = 4096,
  ALIGN_MAX = 1 << 21,
};

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

static aq_status head_check(aq_code_reading *file)
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
  file->out->version =
      head->e_ident[EI_ABIVERSION] + (uint32_t)CODE_VERSION_OF_ABI;
  return file->out->version == 2
             ? AQ_OK
             : aq_target_from_flags(head->e_ident[EI_ABIVERSION], head->e_flags,
                                    &file->out->target, file->diag);
}

/* ---- segments and notes ---- */

static aq_status segment_add(aq_code_reading *file, const Elf64_Phdr *header,
                             uint64_t index, aq_code_segment *out)
{
  aq_codeobj *code = file->out;
  uint64_t end;
  if (__builtin_add_overflow(header->p_vaddr, header->p_memsz, &end) ||
      header->p_filesz > header->p_memsz ||
      !aq_elf_has(&file->elf, header->p_offset, header->p_filesz))
    return aq_code_damaged(file, "segment", index);
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
static aq_status note_read(aq_code_reading *file, const Elf64_Nhdr *note,
                           const unsigned char *name,
                           const unsigned char *bytes)
{
  static const char owner[] = "AMDGPU", owner_v2[] = "AMD";
  if (file->out->version == 2)
    return note->n_namesz == sizeof owner_v2 &&
                   memcmp(name, owner_v2, sizeof owner_v2) == 0
               ? aq_code_note_v2(file, note->n_type, bytes, note->n_descsz)
               : AQ_OK;
  if (file->depth == AQ_CODEOBJ_ALL && !file->kernels &&
      note->n_type == NOTE_METADATA && note->n_namesz == sizeof owner &&
      memcmp(name, owner, sizeof owner) == 0)
    return aq_metadata_read(bytes, note->n_descsz, file->out, &file->kernels,
                            file->diag);
  return AQ_OK;
}

static aq_status notes_read(aq_code_reading *file, uint64_t at, uint64_t end)
{
  Elf64_Nhdr note;
  while (end - at >= sizeof note) {
    memcpy(&note, file->elf.bytes + at, sizeof note);
    at += sizeof note;
    const uint64_t name = note_padded(note.n_namesz);
    const uint64_t desc = note_padded(note.n_descsz);
    if (name > end - at || note.n_descsz > end - at - name)
      return AQ_OK; /* the rest is no note */
    const unsigned char *bytes = file->elf.bytes + at;
    const aq_status status = note_read(file, &note, bytes, bytes + name);
    if (status != AQ_OK)
      return status;
    at += name + (desc < end - at - name ? desc : end - at - name);
  }
  return AQ_OK;
}

static aq_status segments_read(aq_code_reading *file)
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
      return aq_code_damaged(file, "segment", i);
    if (header.p_type == PT_LOAD)
      status = segment_add(file, &header, i, &segments[code->segment_count++]);
    else if (header.p_type == PT_NOTE &&
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

/* ---- symbols ---- */

static bool symbol_is_code(const aq_code_reading *file, const Elf64_Sym *symbol)
{
  return file->out->version == 2 &&
         ELF64_ST_TYPE(symbol->st_info) == AQ_CODE_SYMBOL_KERNEL;
}

static bool symbol_counts(const aq_code_reading *file, const Elf64_Sym *symbol)
{
  unsigned type = ELF64_ST_TYPE(symbol->st_info);
  return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS &&
         (type == STT_OBJECT || type == STT_FUNC ||
          symbol_is_code(file, symbol));
}

static aq_status symbol_add(aq_code_reading *file, const Elf64_Sym *from,
                            uint64_t index, const Elf64_Shdr *texts)
{
  Elf64_Shdr section = {0};
  const char *name = aq_elf_text(&file->elf, texts, from->st_name);
  if (!name || !aq_code_is_loaded(file, from->st_value, from->st_size))
    return aq_code_damaged(file, "symbol", index);
  name = aq_arena_text(&file->out->arena, name, strlen(name));
  if (!name)
    return aq_diag_no_memory(file->diag);
  aq_elf_section(&file->elf, from->st_shndx, &section);
  file->symbols[file->out->symbol_count++] =
      (aq_code_symbol){.name = name,
                       .address = from->st_value,
                       .size = from->st_size,
                       .is_object = ELF64_ST_TYPE(from->st_info) != STT_FUNC,
                       .is_code = symbol_is_code(file, from),
                       .is_const = !(section.sh_flags & SHF_WRITE)};
  return AQ_OK;
}

static aq_status symbols_read(aq_code_reading *file, const Elf64_Shdr *table,
                              uint64_t section)
{
  aq_codeobj *code = file->out;
  Elf64_Shdr texts;
  if (file->symbols || table->sh_size == 0)
    return AQ_OK;
  if (!aq_elf_has(&file->elf, table->sh_offset, table->sh_size) ||
      !aq_elf_section(&file->elf, table->sh_link, &texts))
    return aq_code_damaged(file, "section", section);
  const uint64_t count = table->sh_size / sizeof(Elf64_Sym);
  file->symbols =
      aq_arena_alloc(&code->arena, (count + 1) * sizeof *file->symbols);
  if (!file->symbols)
    return aq_diag_no_memory(file->diag);
  aq_status status = AQ_OK;
  for (uint64_t i = 0; i < count && status == AQ_OK; i++) {
    Elf64_Sym symbol;
    aq_elf_entry(&file->elf, table->sh_offset, i, sizeof symbol, &symbol);
    if (symbol_counts(file, &symbol))
      status = symbol_add(file, &symbol, i, &texts);
  }
  code->symbols = file->symbols;
  return status;
}

/* ---- sections ---- */

static aq_status section_refuse(aq_code_reading *file, const char *kind)
{
  return aq_diag_set(file->diag, AQ_ERR_INPUT,
                     "code object: relocations in a section of type %s; "
                     "expected SHT_RELA",
                     kind);
}

static aq_status sections_read(aq_code_reading *file)
{
  enum { RELR = 19 }; /* SHT_RELR, which older elf.h lack */
  aq_status status = AQ_OK;
  for (uint64_t i = 0; i < file->elf.sections && status == AQ_OK; i++) {
    Elf64_Shdr header;
    if (!aq_elf_section(&file->elf, i, &header))
      return aq_code_damaged(file, "section", i);
    const bool allocated = header.sh_flags & SHF_ALLOC && header.sh_size > 0;
    if (header.sh_type == SHT_DYNSYM)
      status = symbols_read(file, &header, i);
    else if (header.sh_type == SHT_RELA)
      status = aq_code_relocations_read(file, &header, i);
    else if (header.sh_type == SHT_REL && allocated)
      status = section_refuse(file, "SHT_REL");
    else if (header.sh_type == RELR && allocated)
      status = section_refuse(file, "SHT_RELR");
  }
  return status;
}

/* Compilers leave their names among the texts of .comment. */
static bool is_by_gcc(const aq_elf *elf)
{
  static const char name[] = "GCC: ";
  Elf64_Shdr comment;
  return aq_elf_section_find(elf, ".comment", &comment) &&
         aq_elf_has(elf, comment.sh_offset, comment.sh_size) &&
         memmem(elf->bytes + comment.sh_offset, comment.sh_size, name,
                sizeof name - 1) != NULL;
}

/* ---- the whole ---- */

aq_status aq_codeobj_read_to(const void *bytes, size_t size,
                             aq_codeobj_depth depth, aq_codeobj *out,
                             aq_diag *diag)
{
  aq_codeobj codeobj = {.arena = AQ_ARENA_INIT};
  aq_code_reading file = {.out = &codeobj, .depth = depth, .diag = diag};
  if (!aq_codeobj_is(bytes, size))
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "no code object; expected a 64-bit ELF file of AMDGPU");
  if (!aq_elf_open(bytes, size, &file.elf))
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "code object: its ELF header is damaged: a table of "
                       "segments or sections lies outside of the file, or has "
                       "entries of another size than ELF's");
  aq_status status = head_check(&file);
  if (status == AQ_OK)
    status = segments_read(&file);
  if (status == AQ_OK && file.out->version == 2)
    status = aq_target_from_isa(file.isa, file.elf.head.e_flags,
                                &file.out->target, file.diag);
  if (status == AQ_OK)
    status = sections_read(&file);
  if (status == AQ_OK)
    status = aq_code_kernels_join(&file);
  if (status == AQ_OK)
    status = aq_code_names_sort(&file);
  if (status == AQ_OK)
    status = aq_code_managed_join(&file);
  codeobj.by_gcc = status == AQ_OK && is_by_gcc(&file.elf);
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
