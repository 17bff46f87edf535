/* SPDX-License-Identifier: MIT */
/* Relocations of a code object: the types of the ABI, and where they change
 * what. */
#include "config.h"

#include <string.h>

#include "gpu/codeobj/parser.h"

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

static aq_status reloc_symbol(aq_code_reading *file, const reloc_section *from,
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
    return aq_code_damaged(file, "symbol", number);
  out->undefined = aq_arena_text(&file->out->arena, name, strlen(name));
  return out->undefined ? AQ_OK : aq_diag_no_memory(file->diag);
}

static aq_status reloc_read(aq_code_reading *file, const reloc_section *from,
                            uint64_t index)
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
  if (!aq_code_is_loaded(file, rela.r_offset, type->size))
    return aq_code_damaged(file, "relocation", index);
  aq_code_relocation *out = &file->relocations[code->relocation_count++];
  *out = (aq_code_relocation){.address = rela.r_offset,
                              .addend = rela.r_addend,
                              .type = (aq_code_relocation_type)number};
  return number == AQ_RELOC_RELATIVE64
             ? AQ_OK
             : reloc_symbol(file, from, ELF64_R_SYM(rela.r_info), index, out);
}

/* Room for so many more. */
static bool reloc_reserve(aq_code_reading *file, uint64_t count)
{
  aq_codeobj *code = file->out;
  const size_t old = code->relocation_count, all = old + count;
  if (all <= file->relocation_capacity)
    return true;
  const size_t capacity =
      all > 2 * file->relocation_capacity ? all : 2 * file->relocation_capacity;
  aq_code_relocation *list =
      aq_arena_alloc(&code->arena, capacity * sizeof *list);
  if (!list)
    return false;
  if (old > 0)
    memcpy(list, file->relocations, old * sizeof *list);
  code->relocations = file->relocations = list;
  file->relocation_capacity = capacity;
  return true;
}

aq_status aq_code_relocations_read(aq_code_reading *file,
                                   const Elf64_Shdr *table, uint64_t section)
{
  reloc_section from = {.table = *table};
  if (!(table->sh_flags & SHF_ALLOC) || table->sh_size == 0)
    return AQ_OK;
  if (!aq_elf_has(&file->elf, table->sh_offset, table->sh_size))
    return aq_code_damaged(file, "section", section);
  if (aq_elf_section(&file->elf, table->sh_link, &from.symbols))
    aq_elf_section(&file->elf, from.symbols.sh_link, &from.texts);
  if (from.symbols.sh_type != SHT_DYNSYM && from.symbols.sh_type != SHT_SYMTAB)
    from.symbols.sh_size = 0;
  const uint64_t count = table->sh_size / sizeof(Elf64_Rela);
  if (count > file->elf.size / sizeof(Elf64_Rela) - file->relocations_read)
    return aq_diag_set(file->diag, AQ_ERR_INPUT,
                       "code object: sections of relocations overlap, up to "
                       "section %llu: they are larger than the file",
                       (unsigned long long)section);
  file->relocations_read += count;
  if (!reloc_reserve(file, count))
    return aq_diag_no_memory(file->diag);
  aq_status status = AQ_OK;
  for (uint64_t i = 0; i < count && status == AQ_OK; i++)
    status = reloc_read(file, &from, i);
  return status;
}
