/* SPDX-License-Identifier: MIT */
/*
 * 64-bit little-endian ELF files in memory: headers, segments, sections and
 * texts. The bytes may be anything and may lie at any address: each entry is
 * copied out, and only if it lies within them. Pure functions. Within codeobj
 * only.
 */
#ifndef AQ_GPU_CODEOBJ_ELF_H
#define AQ_GPU_CODEOBJ_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct aq_elf {
  const unsigned char *bytes; /* borrowed */
  size_t size;
  Elf64_Ehdr head;
  uint64_t segments, sections; /* their numbers; their tables lie within */
} aq_elf;

/* False: no such file, or its tables lie outside of the bytes. */
bool aq_elf_open(const void *bytes, size_t size, aq_elf *out);

/* Whether a part lies within the bytes. */
static inline bool aq_elf_has(const aq_elf *elf, uint64_t offset, uint64_t size)
{
  return offset <= elf->size && size <= elf->size - offset;
}

/* Copies entry `index` of a table of entries of `size` bytes; false outside of
 * the bytes. */
bool aq_elf_entry(const aq_elf *elf, uint64_t table, uint64_t index,
                  size_t size, void *out);

/* `index` below elf->segments and elf->sections; false beyond. */
bool aq_elf_segment(const aq_elf *elf, uint64_t index, Elf64_Phdr *out);
bool aq_elf_section(const aq_elf *elf, uint64_t index, Elf64_Shdr *out);

/* The first section of a name. */
bool aq_elf_section_find(const aq_elf *elf, const char *name, Elf64_Shdr *out);

/* A terminated text of a section of texts, or NULL. */
const char *aq_elf_text(const aq_elf *elf, const Elf64_Shdr *texts,
                        uint64_t offset);

/* Takes a symbol; `name` is NULL where the file has no such text. False ends
 * the walk. */
typedef bool aq_elf_symbol_take(void *user, const Elf64_Sym *symbol,
                                const char *name);

/* The symbols of all tables of a type, SHT_SYMTAB or SHT_DYNSYM, that lie
 * within the bytes; false as soon as `take` returns that. */
bool aq_elf_symbols_each(const aq_elf *elf, uint32_t type,
                         aq_elf_symbol_take *take, void *user);

#endif
