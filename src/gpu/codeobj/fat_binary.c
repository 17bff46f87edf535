/* SPDX-License-Identifier: MIT */
/* Bundles behind each other, and the code in executables and libraries. */
#include "config.h"

#include <stdlib.h>

#include "common/array.h"
#include "gpu/codeobj/bundle.h"
#include "gpu/codeobj/decompress.h"
#include "gpu/codeobj/elf.h"
#include "gpu/codeobj/offload.h"

/* A section of an ELF file of the host, false: it has none of the name. */
static bool section_find(const aq_elf *elf, const char *name,
                         const unsigned char **section, size_t *size)
{
  Elf64_Shdr header;
  if (!aq_elf_section_find(elf, name, &header) ||
      header.sh_type == SHT_NOBITS ||
      !aq_elf_has(elf, header.sh_offset, header.sh_size))
    return false;
  *section = elf->bytes + header.sh_offset;
  *size = header.sh_size;
  return true;
}

/* Where the next bundle begins, from `at` on: linkers align them to 8 at
 * least. */
static size_t next_begin(const unsigned char *bytes, size_t size, size_t at)
{
  for (at = (at + 7) & ~(size_t)7; at < size; at += 8)
    if (aq_bundle_is(bytes + at, size - at))
      return at;
  return size;
}

/* Bytes that a bundle takes. */
static size_t extent(const unsigned char *bytes, size_t size,
                     const aq_bundle *bundle)
{
  size_t end = 8;
  if (bundle->unpacked)
    return aq_unpack_extent(bytes, size) ? aq_unpack_extent(bytes, size) : end;
  for (size_t i = 0; i < bundle->count; i++) {
    const aq_bundle_entry *entry = &bundle->entries[i];
    const size_t of_entry = (size_t)(entry->bytes - bytes) + entry->size;
    end = of_entry > end ? of_entry : end;
  }
  return end;
}

/* The bytes that may belong to a bundle: one whose head lacks its size ends at
 * the latest where the next begins. */
static size_t limit(const unsigned char *bytes, size_t size)
{
  return aq_unpack_is(bytes, size) && aq_unpack_extent(bytes, size) == 0
             ? next_begin(bytes, size, 8)
             : size;
}

/* Takes the bundle in any case. */
static aq_status bundle_push(aq_bundles *to, aq_bundle *bundle, aq_diag *diag)
{
  if (AQ_ARRAY_PUSH(to->list, to->count, to->capacity, *bundle))
    return AQ_OK;
  aq_bundle_fini(bundle);
  return aq_diag_no_memory(diag);
}

static aq_status bundles_add(const unsigned char *all, size_t size,
                             aq_bundles *to, aq_diag *diag)
{
  aq_status status = AQ_OK;
  size_t at = next_begin(all, size, 0);
  if (at == size)
    return aq_diag_set(diag, AQ_ERR_INPUT, "no offload bundle");
  while (at < size && status == AQ_OK) {
    aq_bundle bundle;
    status =
        aq_bundle_read(all + at, limit(all + at, size - at), &bundle, diag);
    if (status != AQ_OK)
      break;
    const size_t end = at + extent(all + at, size - at, &bundle);
    status = bundle_push(to, &bundle, diag);
    at = next_begin(all, size, end);
  }
  return status;
}

/* ---- sections ---- */

/* GCC's tables of variables and functions for offloading; its images are among
 * the data. LLVM before 16 did alike. */
static bool images_find(const aq_elf *elf, const unsigned char **data,
                        size_t *size)
{
  static const char *const tables[] = {
      ".gnu.offload_funcs", ".gnu.offload_vars", "omp_offloading_entries"};
  static const char *const places[] = {".data", ".rodata", ".data.rel.ro"};
  Elf64_Shdr header;
  bool offloads = false;
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    offloads |= aq_elf_section_find(elf, tables[i], &header);
  for (size_t i = 0; offloads && i < sizeof places / sizeof *places; i++)
    if (section_find(elf, places[i], data, size) &&
        aq_offload_has_image(*data, *size))
      return true;
  return false;
}

static aq_status sections_read(const aq_elf *elf, aq_bundles *to, aq_diag *diag)
{
  const unsigned char *section;
  size_t size;
  aq_bundle bundle;
  aq_status status = AQ_OK;
  if (section_find(elf, ".hip_fatbin", &section, &size))
    status = bundles_add(section, size, to, diag);
  if (status == AQ_OK &&
      section_find(elf, ".llvm.offloading", &section, &size)) {
    status = aq_offload_read(section, size, &bundle, diag);
    if (status == AQ_OK)
      status = bundle_push(to, &bundle, diag);
  } else if (status == AQ_OK && images_find(elf, &section, &size)) {
    status = aq_offload_images_read(section, size, &bundle, diag);
    if (status == AQ_OK)
      status = bundle_push(to, &bundle, diag);
  }
  return status;
}

bool aq_bundles_are(const void *bytes, size_t size)
{
  const unsigned char *section;
  size_t part;
  aq_elf elf;
  return aq_bundle_is(bytes, size) ||
         (aq_elf_open(bytes, size, &elf) &&
          (section_find(&elf, ".hip_fatbin", &section, &part) ||
           section_find(&elf, ".llvm.offloading", &section, &part) ||
           images_find(&elf, &section, &part)));
}

aq_status aq_bundles_read(const void *bytes, size_t size, aq_bundles *out,
                          aq_diag *diag)
{
  aq_bundles bundles = {0};
  aq_elf elf;
  aq_status status = aq_elf_open(bytes, size, &elf)
                         ? sections_read(&elf, &bundles, diag)
                         : bundles_add(bytes, size, &bundles, diag);
  if (status == AQ_OK && bundles.count == 0)
    status = aq_diag_set(diag, AQ_ERR_INPUT, "no offload bundle");
  if (status == AQ_OK)
    *out = bundles;
  else
    aq_bundles_fini(&bundles);
  return status;
}

void aq_bundles_fini(aq_bundles *bundles)
{
  for (size_t i = 0; i < bundles->count; i++)
    aq_bundle_fini(&bundles->list[i]);
  free(bundles->list);
  *bundles = (aq_bundles){0};
}
