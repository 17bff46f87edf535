/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/codeobj/offload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "gpu/codeobj/codeobj.h"
#include "gpu/codeobj/elf.h"

/* llvm/Object/OffloadBinary.h, version 1; offsets count from the header. */
typedef struct binary_header {
  uint8_t magic[4];
  uint32_t version;
  uint64_t size;
  uint64_t entry_offset, entry_size;
} binary_header;

typedef struct binary_entry {
  uint16_t image_kind, offload_kind;
  uint32_t flags;
  uint64_t strings, string_count; /* pairs of offsets: key and value */
  uint64_t image, image_size;
} binary_entry;

static const uint8_t magic[4] = {0x10, 0xff, 0x10, 0xad};

enum { ALIGN = 8, ID_SIZE = 160 };

/* One image: an entry of a bundle. */
typedef struct found {
  char id[ID_SIZE];
  bool has_target;
  aq_target target;
  const unsigned char *bytes;
  size_t size, end; /* where the next may begin, from the first byte of all */
} found;

/* Finds the next image from `at` on; `out->bytes` is NULL behind the last. */
typedef aq_status finder(const unsigned char *bytes, size_t size, size_t at,
                         found *out, aq_diag *diag);

static bool part_read(const unsigned char *bytes, size_t size, uint64_t offset,
                      void *out, size_t part)
{
  if (offset > size || part > size - offset)
    return false;
  memcpy(out, bytes + offset, part);
  return true;
}

/* ---- LLVM ---- */

static const char *kind_name(unsigned kind)
{
  switch (kind) {
  case 1:
    return "openmp";
  case 2:
    return "cuda";
  case 3: /* before LLVM 18 */
  case 4:
    return "hip";
  default:
    return "offload";
  }
}

static const char *text_at(const unsigned char *bytes, size_t size, uint64_t at)
{
  return at < size && memchr(bytes + at, 0, size - at)
             ? (const char *)bytes + at
             : NULL;
}

/* The value of a key; "" where it is absent, NULL where the table is damaged.
 */
static const char *value_of(const unsigned char *bytes, size_t size,
                            const binary_entry *entry, const char *key)
{
  uint64_t pair[2];
  if (entry->string_count > size / sizeof pair)
    return NULL;
  for (uint64_t i = 0; i < entry->string_count; i++) {
    if (!part_read(bytes, size, entry->strings + i * sizeof pair, pair,
                   sizeof pair))
      return NULL;
    const char *name = text_at(bytes, size, pair[0]);
    const char *value = text_at(bytes, size, pair[1]);
    if (!name || !value)
      return NULL;
    if (strcmp(name, key) == 0)
      return value;
  }
  return "";
}

static bool binary_fill(const unsigned char *bytes, size_t size,
                        const binary_header *header, found *out)
{
  binary_entry entry;
  if (header->size > size || header->entry_size < sizeof entry ||
      !part_read(bytes, header->size, header->entry_offset, &entry,
                 sizeof entry) ||
      entry.strings > header->size || entry.image > header->size ||
      entry.image_size > header->size - entry.image)
    return false;
  const char *triple = value_of(bytes, header->size, &entry, "triple");
  const char *arch = value_of(bytes, header->size, &entry, "arch");
  if (!triple || !arch)
    return false;
  snprintf(out->id, sizeof out->id, "%s-%.80s--%.50s",
           kind_name(entry.offload_kind), triple, arch);
  out->has_target =
      strncmp(triple, "amdgcn-", 7) == 0 &&
      aq_target_parse(arch, strlen(arch), &out->target, NULL) == AQ_OK;
  out->bytes = bytes + entry.image;
  out->size = entry.image_size;
  return true;
}

static aq_status binary_find(const unsigned char *bytes, size_t size, size_t at,
                             found *out, aq_diag *diag)
{
  binary_header header;
  out->bytes = NULL;
  for (; part_read(bytes, size, at, &header, sizeof header); at += ALIGN) {
    if (memcmp(header.magic, magic, sizeof magic) != 0)
      continue;
    if (header.version != 1)
      return aq_diag_set(diag, AQ_ERR_INPUT,
                         "offload binary: version %" PRIu32
                         " of its format is not known",
                         header.version);
    if (!binary_fill(bytes + at, size - at, &header, out))
      return aq_diag_set(diag, AQ_ERR_INPUT,
                         "offload binary: its header is damaged");
    out->end = at + header.size;
    break;
  }
  return AQ_OK;
}

/* ---- GCC ---- */

/* The bytes that an ELF file takes by its tables; 0: they lie elsewhere. */
static size_t elf_extent(const unsigned char *bytes, size_t size)
{
  aq_elf elf;
  Elf64_Shdr section;
  Elf64_Phdr segment;
  if (!aq_elf_open(bytes, size, &elf))
    return 0;
  uint64_t end = elf.head.e_shoff + elf.sections * sizeof section;
  if (end < sizeof elf.head)
    end = sizeof elf.head;
  for (uint64_t i = 0; aq_elf_section(&elf, i, &section); i++) {
    if (section.sh_type == SHT_NOBITS)
      continue;
    if (!aq_elf_has(&elf, section.sh_offset, section.sh_size))
      return 0;
    if (section.sh_offset + section.sh_size > end)
      end = section.sh_offset + section.sh_size;
  }
  for (uint64_t i = 0; aq_elf_segment(&elf, i, &segment); i++) {
    if (!aq_elf_has(&elf, segment.p_offset, segment.p_filesz))
      return 0;
    if (segment.p_offset + segment.p_filesz > end)
      end = segment.p_offset + segment.p_filesz;
  }
  return end;
}

static size_t image_next(const unsigned char *bytes, size_t size, size_t at)
{
  while (at < size && !aq_codeobj_is(bytes + at, size - at))
    at += ALIGN;
  return at < size ? at : size;
}

static aq_status image_find(const unsigned char *bytes, size_t size, size_t at,
                            found *out, aq_diag *diag)
{
  Elf64_Ehdr head;
  char target[AQ_TARGET_TEXT_SIZE] = "?";
  out->bytes = NULL;
  at = image_next(bytes, size, at);
  if (at == size)
    return AQ_OK;
  memcpy(&head, bytes + at, sizeof head);
  out->size = elf_extent(bytes + at, size - at);
  if (out->size == 0)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "offload image: its tables lie outside of it");
  out->has_target =
      aq_target_from_flags(head.e_ident[EI_ABIVERSION], head.e_flags,
                           &out->target, NULL) == AQ_OK;
  if (out->has_target)
    aq_target_print(&out->target, target);
  snprintf(out->id, sizeof out->id, "offload-amdgcn-amd-amdhsa--%s", target);
  out->bytes = bytes + at;
  out->end = at + out->size;
  return AQ_OK;
}

/* ---- both ---- */

/* Ids move while they are collected: entries get them in the end. */
static void ids_set(aq_bundle *bundle)
{
  const char *id = bundle->texts;
  for (size_t i = 0; i < bundle->count; i++, id += strlen(id) + 1)
    bundle->entries[i].id = id;
}

static aq_status all_read(const unsigned char *bytes, size_t size, finder *find,
                          aq_bundle *out, aq_diag *diag)
{
  aq_bundle bundle = {0};
  found next = {0};
  size_t capacity = 0, text_size = 0, text_room = 0;
  aq_status status = find(bytes, size, 0, &next, diag);
  while (status == AQ_OK && next.bytes) {
    const aq_bundle_entry entry = {.has_target = next.has_target,
                                   .target = next.target,
                                   .bytes = next.bytes,
                                   .size = next.size};
    const size_t id_size = strlen(next.id) + 1;
    if (!AQ_ARRAY_PUSH(bundle.entries, bundle.count, capacity, entry) ||
        !AQ_ARRAY_RESERVE(bundle.texts, text_room, text_size + id_size)) {
      status = aq_diag_no_memory(diag);
      break;
    }
    memcpy(bundle.texts + text_size, next.id, id_size);
    text_size += id_size;
    status = find(bytes, size, (next.end + ALIGN - 1) & ~(size_t)(ALIGN - 1),
                  &next, diag);
  }
  if (status == AQ_OK && bundle.count == 0)
    status = aq_diag_set(diag, AQ_ERR_INPUT, "no offload image");
  if (status != AQ_OK) {
    aq_bundle_fini(&bundle);
    return status;
  }
  ids_set(&bundle);
  *out = bundle;
  return AQ_OK;
}

aq_status aq_offload_read(const void *bytes, size_t size, aq_bundle *out,
                          aq_diag *diag)
{
  return all_read(bytes, size, binary_find, out, diag);
}

bool aq_offload_has_image(const void *bytes, size_t size)
{
  return image_next(bytes, size, 0) < size;
}

aq_status aq_offload_images_read(const void *bytes, size_t size, aq_bundle *out,
                                 aq_diag *diag)
{
  return all_read(bytes, size, image_find, out, diag);
}
