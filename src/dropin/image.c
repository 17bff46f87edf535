/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/image.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
  MACHINE_AMDGPU = 224,
  OSABI_AMDGPU = 64,
  RELOC_ABS32_LO = 1,
  RELOC_ABS32_HI = 2,
  RELOC_ABS64 = 3,
  RELOC_RELATIVE64 = 13,
};

/* The largest image that is loaded: a damaged file may claim anything. */
static const uint64_t span_max = UINT64_C(1) << 32;

/* The file while it is read. */
typedef struct elf_file {
  const unsigned char *bytes;
  size_t size;
  Elf64_Ehdr head;
} elf_file;

static bool file_has(const elf_file *file, uint64_t offset, uint64_t size)
{
  return offset <= file->size && size <= file->size - offset;
}

/* Copies entry `index` of a table; false outside of the file. */
static bool file_entry(const elf_file *file, uint64_t table, uint64_t index,
                       size_t size, void *out)
{
  uint64_t offset;
  if (__builtin_mul_overflow(index, size, &offset) ||
      __builtin_add_overflow(offset, table, &offset) ||
      !file_has(file, offset, size))
    return false;
  memcpy(out, file->bytes + offset, size);
  return true;
}

static bool file_open(elf_file *file)
{
  if (!file_entry(file, 0, 0, sizeof file->head, &file->head))
    return false;
  const Elf64_Ehdr *head = &file->head;
  return memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 &&
         head->e_ident[EI_CLASS] == ELFCLASS64 &&
         head->e_ident[EI_DATA] == ELFDATA2LSB &&
         head->e_ident[EI_OSABI] == OSABI_AMDGPU &&
         head->e_machine == MACHINE_AMDGPU && head->e_type == ET_DYN &&
         head->e_phentsize == sizeof(Elf64_Phdr) &&
         (head->e_shnum == 0 || head->e_shentsize == sizeof(Elf64_Shdr));
}

/* Reads what the code is for; whether that is this processor, or covers it. */
static bool file_is_for(const elf_file *file, const char *gfx,
                        aqdrop_image *image)
{
  const uint32_t abi = file->head.e_ident[EI_ABIVERSION];
  aq_target device;
  image->version = abi + 2; /* versions before 3 were not counted so */
  return aq_target_from_flags(abi, file->head.e_flags, &image->target, NULL) ==
             AQ_OK &&
         (!gfx || (aq_target_parse(gfx, strlen(gfx), &device, NULL) == AQ_OK &&
                   aq_target_fits(&image->target, &device) != AQ_FIT_NONE));
}

/* ---- segments ---- */

static bool segment_read(const elf_file *file, uint32_t index, Elf64_Phdr *out)
{
  return file_entry(file, file->head.e_phoff, index, sizeof *out, out);
}

/* The lowest and the highest address that segments have. */
static bool image_span(const elf_file *file, uint64_t *low, uint64_t *high)
{
  *low = UINT64_MAX;
  *high = 0;
  for (uint32_t i = 0; i < file->head.e_phnum; i++) {
    Elf64_Phdr segment;
    uint64_t end;
    if (!segment_read(file, i, &segment))
      return false;
    if (segment.p_type != PT_LOAD)
      continue;
    if (__builtin_add_overflow(segment.p_vaddr, segment.p_memsz, &end) ||
        segment.p_filesz > segment.p_memsz ||
        !file_has(file, segment.p_offset, segment.p_filesz))
      return false;
    *low = segment.p_vaddr < *low ? segment.p_vaddr : *low;
    *high = end > *high ? end : *high;
  }
  *low &= ~UINT64_C(4095);
  return *high > *low && *high - *low <= span_max;
}

static aqdrop_image_status segments_load(const elf_file *file,
                                         aqdrop_image *image)
{
  uint64_t low, high;
  if (!image_span(file, &low, &high))
    return AQDROP_IMAGE_BAD;
  void *base = mmap(NULL, high - low, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED)
    return AQDROP_IMAGE_NO_MEMORY;
  image->base = base;
  image->span = high - low;
  image->bias = (uintptr_t)base - low;
  for (uint32_t i = 0; i < file->head.e_phnum; i++) {
    Elf64_Phdr segment;
    if (segment_read(file, i, &segment) && segment.p_type == PT_LOAD)
      memcpy(image->base + (segment.p_vaddr - low),
             file->bytes + segment.p_offset, segment.p_filesz);
  }
  return AQDROP_IMAGE_OK;
}

/* Where an address of the file lies, or NULL if it is not in the image. */
static char *image_at(const aqdrop_image *image, uint64_t address,
                      uint64_t size)
{
  uint64_t offset = address + image->bias - (uintptr_t)image->base;
  return offset <= image->span && size <= image->span - offset
             ? image->base + offset
             : NULL;
}

/* ---- symbols ---- */

static bool section_find(const elf_file *file, uint32_t type, uint32_t *from,
                         Elf64_Shdr *out)
{
  for (uint32_t i = *from; i < file->head.e_shnum; i++)
    if (file_entry(file, file->head.e_shoff, i, sizeof *out, out) &&
        out->sh_type == type) {
      *from = i + 1;
      return true;
    }
  return false;
}

/* A terminated text of a string section, or NULL. */
static const char *text_at(const elf_file *file, const Elf64_Shdr *texts,
                           uint32_t offset)
{
  if (!file_has(file, texts->sh_offset, texts->sh_size) ||
      offset >= texts->sh_size)
    return NULL;
  const char *text = (const char *)file->bytes + texts->sh_offset + offset;
  return memchr(text, 0, texts->sh_size - offset) ? text : NULL;
}

static bool name_is_kernel(const char *name, uint64_t size)
{
  size_t length = strlen(name);
  return length > 3 && strcmp(name + length - 3, ".kd") == 0 &&
         size >= sizeof(aq_kernel_descriptor);
}

/* Keeps a symbol that is defined and lies in the image. */
static aqdrop_image_status symbol_add(const elf_file *file, aqdrop_image *image,
                                      const Elf64_Sym *from, const char *name)
{
  Elf64_Shdr section = {0};
  char *address = image_at(image, from->st_value, from->st_size);
  if (from->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(from->st_info) != STT_OBJECT)
    return AQDROP_IMAGE_OK;
  if (!address || !name)
    return AQDROP_IMAGE_BAD;
  file_entry(file, file->head.e_shoff, from->st_shndx, sizeof section,
             &section);
  aqdrop_image_symbol *symbol = &image->symbols[image->symbol_count];
  *symbol =
      (aqdrop_image_symbol){.name = strdup(name),
                            .address = address,
                            .size = from->st_size,
                            .is_kernel = name_is_kernel(name, from->st_size),
                            .is_const = !(section.sh_flags & SHF_WRITE)};
  if (!symbol->name)
    return AQDROP_IMAGE_NO_MEMORY;
  if (symbol->is_kernel && (uintptr_t)address % _Alignof(aq_kernel_descriptor))
    symbol->is_kernel = false; /* nothing can be read there */
  image->symbol_count++;
  return AQDROP_IMAGE_OK;
}

static aqdrop_image_status symbols_read(const elf_file *file,
                                        aqdrop_image *image)
{
  Elf64_Shdr table, texts;
  uint32_t at = 0;
  if (!section_find(file, SHT_DYNSYM, &at, &table))
    return AQDROP_IMAGE_OK;
  uint64_t count = table.sh_size / sizeof(Elf64_Sym);
  if (!file_has(file, table.sh_offset, table.sh_size) ||
      !file_entry(file, file->head.e_shoff, table.sh_link, sizeof texts,
                  &texts))
    return AQDROP_IMAGE_BAD;
  image->symbols = calloc(count + 1, sizeof *image->symbols);
  if (!image->symbols)
    return AQDROP_IMAGE_NO_MEMORY;
  aqdrop_image_status status = AQDROP_IMAGE_OK;
  for (uint64_t i = 0; i < count && status == AQDROP_IMAGE_OK; i++) {
    Elf64_Sym symbol;
    file_entry(file, table.sh_offset, i, sizeof symbol, &symbol);
    status =
        symbol_add(file, image, &symbol, text_at(file, &texts, symbol.st_name));
  }
  return status;
}

/* ---- relocations ---- */

/* What a section of relocations refers to. */
typedef struct relocations {
  Elf64_Shdr table, symbols, texts;
} relocations;

static aqdrop_image_status symbol_value(const elf_file *file,
                                        const relocations *all,
                                        const aqdrop_image *image,
                                        const aqdrop_image_target *target,
                                        uint64_t index, uint64_t *out)
{
  Elf64_Sym symbol;
  if (!file_entry(file, all->symbols.sh_offset, index, sizeof symbol, &symbol))
    return AQDROP_IMAGE_BAD;
  *out = image->bias + symbol.st_value;
  if (symbol.st_shndx != SHN_UNDEF)
    return AQDROP_IMAGE_OK;
  const char *name = text_at(file, &all->texts, symbol.st_name);
  if (!name)
    return AQDROP_IMAGE_BAD;
  *out = target->resolve(target->user, name);
  return *out ? AQDROP_IMAGE_OK : AQDROP_IMAGE_UNDEFINED;
}

static aqdrop_image_status relocate(const elf_file *file,
                                    const relocations *all,
                                    const aqdrop_image *image,
                                    const aqdrop_image_target *target,
                                    const Elf64_Rela *rela)
{
  const uint32_t type = ELF64_R_TYPE(rela->r_info);
  const bool wide = type == RELOC_RELATIVE64 || type == RELOC_ABS64;
  const size_t size = wide ? sizeof(uint64_t) : sizeof(uint32_t);
  uint64_t value = image->bias;
  char *place = image_at(image, rela->r_offset, size);
  if (!place || (!wide && type != RELOC_ABS32_LO && type != RELOC_ABS32_HI))
    return AQDROP_IMAGE_BAD;
  aqdrop_image_status status =
      type == RELOC_RELATIVE64
          ? AQDROP_IMAGE_OK
          : symbol_value(file, all, image, target, ELF64_R_SYM(rela->r_info),
                         &value);
  if (status != AQDROP_IMAGE_OK)
    return status;
  value += (uint64_t)rela->r_addend;
  if (type == RELOC_ABS32_HI)
    value >>= 32;
  memcpy(place, &value, size); /* of 32 bits, the low ones */
  return AQDROP_IMAGE_OK;
}

static aqdrop_image_status relocations_apply(const elf_file *file,
                                             const aqdrop_image *image,
                                             const aqdrop_image_target *target)
{
  relocations all = {0};
  Elf64_Rela rela;
  uint32_t at = 0;
  while (section_find(file, SHT_RELA, &at, &all.table)) {
    if (!(all.table.sh_flags & SHF_ALLOC))
      continue;
    if (file_entry(file, file->head.e_shoff, all.table.sh_link,
                   sizeof all.symbols, &all.symbols))
      file_entry(file, file->head.e_shoff, all.symbols.sh_link,
                 sizeof all.texts, &all.texts);
    for (uint64_t i = 0; i < all.table.sh_size / sizeof rela; i++) {
      if (!file_entry(file, all.table.sh_offset, i, sizeof rela, &rela))
        return AQDROP_IMAGE_BAD;
      aqdrop_image_status status = relocate(file, &all, image, target, &rela);
      if (status != AQDROP_IMAGE_OK)
        return status;
    }
  }
  return AQDROP_IMAGE_OK;
}

/* ---- loading ---- */

aqdrop_image_status aqdrop_image_load(const void *bytes, size_t size,
                                      const aqdrop_image_target *target,
                                      aqdrop_image *out)
{
  elf_file file = {.bytes = bytes, .size = size};
  aqdrop_image image = {0};
  if (!file_open(&file))
    return AQDROP_IMAGE_BAD;
  if (!file_is_for(&file, target->gfx, &image))
    return AQDROP_IMAGE_FOREIGN;
  aqdrop_image_status status = segments_load(&file, &image);
  if (status == AQDROP_IMAGE_OK)
    status = symbols_read(&file, &image);
  if (status == AQDROP_IMAGE_OK && target->resolve)
    status = relocations_apply(&file, &image, target);
  if (status != AQDROP_IMAGE_OK) {
    aqdrop_image_unload(&image);
    return status;
  }
  *out = image;
  return AQDROP_IMAGE_OK;
}

void aqdrop_image_unload(aqdrop_image *image)
{
  for (size_t i = 0; i < image->symbol_count; i++)
    free(image->symbols[i].name);
  free(image->symbols);
  if (image->base)
    munmap(image->base, image->span);
  *image = (aqdrop_image){0};
}
