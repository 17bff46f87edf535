/* SPDX-License-Identifier: MIT */
/* Executables and libraries with code objects: bundles in a section. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "codeobj/bundle.h"
#include "codeobj/elf.h"
#include "codeobj/unpack.h"
#include "common/array.h"

bool aq_bundles_find(const void *bytes, size_t size,
                     const unsigned char **section, size_t *section_size)
{
  aq_elf elf;
  Elf64_Shdr header;
  if (!aq_elf_open(bytes, size, &elf) ||
      !aq_elf_section_find(&elf, ".hip_fatbin", &header) ||
      header.sh_type == SHT_NOBITS ||
      !aq_elf_has(&elf, header.sh_offset, header.sh_size))
    return false;
  *section = elf.bytes + header.sh_offset;
  *section_size = header.sh_size;
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

aq_status aq_bundles_read(const void *bytes, size_t size, aq_bundles *out,
                          aq_diag *diag)
{
  const unsigned char *all = bytes;
  aq_bundles bundles = {0};
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
    if (!AQ_ARRAY_PUSH(bundles.list, bundles.count, bundles.capacity, bundle)) {
      aq_bundle_fini(&bundle);
      status = aq_diag_no_memory(diag);
    }
    at = next_begin(all, size, end);
  }
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
