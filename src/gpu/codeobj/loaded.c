/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/codeobj/loaded.h"

#include <stdio.h>
#include <string.h>

#include "gpu/codeobj/elf.h"

/* Of the dynamic segment: places in the image. */
typedef struct dynamic {
  uint64_t symbols, texts, texts_size, hash;
} dynamic;

/* Sections are not loaded: tables of them say nothing here. */
static bool image_open(const void *image, size_t size, aq_elf *out)
{
  *out = (aq_elf){.bytes = image, .size = size};
  if (size < sizeof out->head)
    return false;
  memcpy(&out->head, image, sizeof out->head);
  out->segments = out->head.e_phnum;
  return memcmp(out->head.e_ident, ELFMAG, SELFMAG) == 0 &&
         out->head.e_ident[EI_CLASS] == ELFCLASS64 &&
         out->head.e_phentsize == sizeof(Elf64_Phdr);
}

static bool dynamic_read(const aq_elf *elf, dynamic *out)
{
  Elf64_Phdr segment = {0};
  Elf64_Dyn entry;
  uint64_t index = 0;
  while (index < elf->segments && segment.p_type != PT_DYNAMIC)
    if (!aq_elf_segment(elf, index++, &segment))
      return false;
  *out = (dynamic){0};
  if (segment.p_type != PT_DYNAMIC)
    return false;
  for (index = 0; index < segment.p_memsz / sizeof entry; index++) {
    if (!aq_elf_entry(elf, segment.p_vaddr, index, sizeof entry, &entry))
      return false;
    switch (entry.d_tag) {
    case DT_SYMTAB:
      out->symbols = entry.d_un.d_ptr;
      break;
    case DT_STRTAB:
      out->texts = entry.d_un.d_ptr;
      break;
    case DT_STRSZ:
      out->texts_size = entry.d_un.d_val;
      break;
    case DT_HASH:
      out->hash = entry.d_un.d_ptr;
      break;
    default:
      break;
    }
  }
  return out->symbols && out->hash &&
         aq_elf_has(elf, out->texts, out->texts_size);
}

/* Copies a name that ends in ".kd", without that. */
static bool name_take(const aq_elf *elf, const dynamic *d, uint64_t at,
                      char *name, size_t capacity)
{
  static const char suffix[] = ".kd";
  enum { SUFFIX = sizeof suffix - 1 };
  if (at >= d->texts_size)
    return false;
  const char *text = (const char *)elf->bytes + d->texts + at;
  const size_t length = strnlen(text, d->texts_size - at);
  if (length <= SUFFIX || length == d->texts_size - at ||
      memcmp(text + length - SUFFIX, suffix, SUFFIX) != 0)
    return false;
  snprintf(name, capacity, "%.*s", (int)(length - SUFFIX), text);
  return true;
}

bool aq_code_loaded_kernel(const void *image, size_t size, uint64_t offset,
                           char *name, size_t capacity)
{
  aq_elf elf;
  dynamic d;
  Elf64_Sym symbol;
  uint32_t count;
  if (!image_open(image, size, &elf) || !dynamic_read(&elf, &d) ||
      !aq_elf_entry(&elf, d.hash, 1, sizeof count, &count)) /* of chains */
    return false;
  for (uint64_t i = 0; i < count; i++)
    if (!aq_elf_entry(&elf, d.symbols, i, sizeof symbol, &symbol))
      return false;
    else if (symbol.st_value == offset && symbol.st_shndx != SHN_UNDEF &&
             name_take(&elf, &d, symbol.st_name, name, capacity))
      return true;
  return false;
}
