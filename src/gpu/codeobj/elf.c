/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/codeobj/elf.h"

#include <string.h>

bool aq_elf_entry(const aq_elf *elf, uint64_t table, uint64_t index,
                  size_t size, void *out)
{
  uint64_t offset;
  if (__builtin_mul_overflow(index, size, &offset) ||
      __builtin_add_overflow(offset, table, &offset) ||
      !aq_elf_has(elf, offset, size))
    return false;
  memcpy(out, elf->bytes + offset, size);
  return true;
}

static bool table_fits(const aq_elf *elf, uint64_t offset, uint64_t count,
                       size_t entry, size_t expected)
{
  return count == 0 || (entry == expected && offset <= elf->size &&
                        count <= (elf->size - offset) / expected);
}

/* Numbers too large for the header stand in section 0. */
static bool counts_read(aq_elf *elf)
{
  const Elf64_Ehdr *head = &elf->head;
  Elf64_Shdr first;
  elf->segments = head->e_phnum;
  elf->sections = head->e_shnum;
  if ((head->e_shnum == 0 && head->e_shoff != 0) || head->e_phnum == PN_XNUM) {
    if (head->e_shentsize != sizeof first ||
        !aq_elf_entry(elf, head->e_shoff, 0, sizeof first, &first))
      return false;
    if (head->e_shnum == 0)
      elf->sections = first.sh_size;
    if (head->e_phnum == PN_XNUM)
      elf->segments = first.sh_info;
  }
  return table_fits(elf, head->e_phoff, elf->segments, head->e_phentsize,
                    sizeof(Elf64_Phdr)) &&
         table_fits(elf, head->e_shoff, elf->sections, head->e_shentsize,
                    sizeof(Elf64_Shdr));
}

bool aq_elf_open(const void *bytes, size_t size, aq_elf *out)
{
  aq_elf elf = {.bytes = bytes, .size = size};
  if (!aq_elf_entry(&elf, 0, 0, sizeof elf.head, &elf.head) ||
      memcmp(elf.head.e_ident, ELFMAG, SELFMAG) != 0 ||
      elf.head.e_ident[EI_CLASS] != ELFCLASS64 ||
      elf.head.e_ident[EI_DATA] != ELFDATA2LSB || !counts_read(&elf))
    return false;
  *out = elf;
  return true;
}

bool aq_elf_segment(const aq_elf *elf, uint64_t index, Elf64_Phdr *out)
{
  return index < elf->segments &&
         aq_elf_entry(elf, elf->head.e_phoff, index, sizeof *out, out);
}

bool aq_elf_section(const aq_elf *elf, uint64_t index, Elf64_Shdr *out)
{
  return index < elf->sections &&
         aq_elf_entry(elf, elf->head.e_shoff, index, sizeof *out, out);
}

const char *aq_elf_text(const aq_elf *elf, const Elf64_Shdr *texts,
                        uint64_t offset)
{
  if (!aq_elf_has(elf, texts->sh_offset, texts->sh_size) ||
      offset >= texts->sh_size)
    return NULL;
  const char *text = (const char *)elf->bytes + texts->sh_offset + offset;
  return memchr(text, 0, texts->sh_size - offset) ? text : NULL;
}

bool aq_elf_section_find(const aq_elf *elf, const char *name, Elf64_Shdr *out)
{
  Elf64_Shdr texts, section, first;
  uint64_t index = elf->head.e_shstrndx;
  if (index == SHN_XINDEX && aq_elf_section(elf, 0, &first))
    index = first.sh_link;
  if (!aq_elf_section(elf, index, &texts))
    return false;
  for (uint64_t i = 0; i < elf->sections; i++) {
    const char *text = aq_elf_section(elf, i, &section)
                           ? aq_elf_text(elf, &texts, section.sh_name)
                           : NULL;
    if (text && strcmp(text, name) == 0) {
      *out = section;
      return true;
    }
  }
  return false;
}

bool aq_elf_symbols_each(const aq_elf *elf, uint32_t type,
                         aq_elf_symbol_take *take, void *user)
{
  Elf64_Shdr section, texts;
  Elf64_Sym symbol;
  for (uint64_t s = 0; s < elf->sections; s++) {
    if (!aq_elf_section(elf, s, &section) || section.sh_type != type ||
        !aq_elf_has(elf, section.sh_offset, section.sh_size) ||
        !aq_elf_section(elf, section.sh_link, &texts))
      continue;
    for (uint64_t i = 0; i < section.sh_size / sizeof symbol; i++)
      if (aq_elf_entry(elf, section.sh_offset, i, sizeof symbol, &symbol) &&
          !take(user, &symbol, aq_elf_text(elf, &texts, symbol.st_name)))
        return false;
  }
  return true;
}
