/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/codeobj/bundle.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/codeobj/decompress.h"

static const char plain_magic[] = "__CLANG_OFFLOAD_BUNDLE__";

enum {
  PLAIN_MAGIC_SIZE = sizeof plain_magic - 1,
  ENTRY_BYTES_MIN = 3 * sizeof(uint64_t),
};

static bool is_plain(const void *bytes, size_t size)
{
  return size >= PLAIN_MAGIC_SIZE &&
         memcmp(bytes, plain_magic, PLAIN_MAGIC_SIZE) == 0;
}

bool aq_bundle_is(const void *bytes, size_t size)
{
  return is_plain(bytes, size) || aq_unpack_is(bytes, size);
}

void aq_bundle_fini(aq_bundle *bundle)
{
  free(bundle->entries);
  free(bundle->unpacked);
  free(bundle->texts);
  *bundle = (aq_bundle){0};
}

/* The 64-bit number at *at, which moves on. */
static bool number_read(const unsigned char *bytes, size_t size, size_t *at,
                        uint64_t *out)
{
  if (size - *at < sizeof *out)
    return false;
  memcpy(out, bytes + *at, sizeof *out);
  *at += sizeof *out;
  return true;
}

/* "hipv4-amdgcn-amd-amdhsa--gfx906:xnack-" is code of a GPU; "host-…" is not.
 */
static bool target_read(const char *id, size_t length, aq_target *out)
{
  static const char triple[] = "amdgcn-amd-amdhsa-";
  const char *found = memmem(id, length, triple, sizeof triple - 1);
  if (!found)
    return false;
  const char *end = id + length, *at = found + sizeof triple - 1;
  at += at < end && *at == '-'; /* the environment, which is empty */
  return aq_target_parse(at, (size_t)(end - at), out, NULL) == AQ_OK;
}

/* `texts` takes the id, terminated. */
static bool entry_read(const unsigned char *bytes, size_t size, size_t *at,
                       char **texts, aq_bundle_entry *out)
{
  uint64_t offset, length, id;
  if (!number_read(bytes, size, at, &offset) ||
      !number_read(bytes, size, at, &length) ||
      !number_read(bytes, size, at, &id) || id > size - *at || offset > size ||
      length > size - offset)
    return false;
  *out =
      (aq_bundle_entry){.id = *texts, .bytes = bytes + offset, .size = length};
  memcpy(*texts, bytes + *at, id);
  (*texts)[id] = 0;
  out->has_target = target_read(*texts, strlen(*texts), &out->target);
  *texts += id + 1;
  *at += id;
  return true;
}

static aq_status plain_read(const unsigned char *bytes, size_t size,
                            aq_bundle *out, aq_diag *diag)
{
  size_t at = PLAIN_MAGIC_SIZE;
  uint64_t count;
  if (!is_plain(bytes, size) || !number_read(bytes, size, &at, &count) ||
      count > (size - at) / ENTRY_BYTES_MIN)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "offload bundle: its header is damaged");
  out->entries = calloc(count + 1, sizeof *out->entries);
  out->texts = malloc(size - at + count + 1);
  if (!out->entries || !out->texts)
    return aq_diag_no_memory(diag);
  char *texts = out->texts;
  for (uint64_t i = 0; i < count; i++)
    if (!entry_read(bytes, size, &at, &texts, &out->entries[i]))
      return aq_diag_set(diag, AQ_ERR_INPUT,
                         "offload bundle: entry %llu lies outside of the file",
                         (unsigned long long)i);
  out->count = count;
  return AQ_OK;
}

aq_status aq_bundle_read(const void *bytes, size_t size, aq_bundle *out,
                         aq_diag *diag)
{
  aq_bundle bundle = {0};
  aq_status status = AQ_OK;
  if (aq_unpack_is(bytes, size)) {
    size_t unpacked;
    status = aq_unpack(bytes, size, AQ_BUNDLE_SIZE_MAX, &bundle.unpacked,
                       &unpacked, diag);
    bytes = bundle.unpacked;
    size = unpacked;
  }
  if (status == AQ_OK)
    status = plain_read(bytes, size, &bundle, diag);
  if (status == AQ_OK)
    *out = bundle;
  else
    aq_bundle_fini(&bundle);
  return status;
}

const aq_bundle_entry *aq_bundle_find(const aq_bundle *bundle,
                                      const aq_target *device)
{
  const aq_bundle_entry *best = NULL;
  aq_target_fit best_fit = AQ_FIT_NONE;
  for (size_t i = 0; i < bundle->count; i++) {
    const aq_bundle_entry *entry = &bundle->entries[i];
    aq_target_fit fit = entry->has_target
                            ? aq_target_fits(&entry->target, device)
                            : AQ_FIT_NONE;
    if (fit > best_fit) {
      best_fit = fit;
      best = entry;
    }
  }
  return best;
}
