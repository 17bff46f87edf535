/* SPDX-License-Identifier: MIT */
#include "cli/code_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool aq_cli_is_code(const char *path)
{
  unsigned char head[64];
  FILE *file = fopen(path, "rb");
  if (!file)
    return false;
  size_t got = fread(head, 1, sizeof head, file);
  fclose(file);
  return aq_codeobj_is(head, got) || aq_bundle_is(head, got);
}

/* Puts the file before what is wrong with it. */
static aq_status say_file(const char *path, aq_status status, aq_diag *diag)
{
  const aq_diag inner = *diag;
  return aq_diag_set(diag, status, "%s: %s", path, inner.text);
}

static aq_status bytes_read(aq_cli_code_file *out, FILE *file, aq_diag *diag)
{
  long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  if (size < 0 || (uint64_t)size > AQ_BUNDLE_SIZE_MAX)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "expected a file of at most %llu bytes",
                       (unsigned long long)AQ_BUNDLE_SIZE_MAX);
  rewind(file);
  out->bytes = malloc((size_t)size + 1);
  if (!out->bytes)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "out of memory");
  out->size = fread(out->bytes, 1, (size_t)size, file);
  if (out->size != (size_t)size)
    return aq_diag_set(diag, AQ_ERR_IO, "cannot read");
  if (aq_codeobj_is(out->bytes, out->size))
    return AQ_OK;
  if (!aq_bundle_is(out->bytes, out->size))
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "neither a code object nor an offload bundle");
  out->is_bundle = true;
  return aq_bundle_read(out->bytes, out->size, &out->bundle, diag);
}

aq_status aq_cli_code_file_open(const char *path, aq_cli_code_file *out,
                                aq_diag *diag)
{
  FILE *file = fopen(path, "rb");
  *out = (aq_cli_code_file){.path = path};
  if (!file)
    return aq_diag_set(diag, AQ_ERR_NOT_FOUND, "%s: %s", path, strerror(errno));
  aq_status status = bytes_read(out, file, diag);
  fclose(file);
  if (status == AQ_OK)
    return AQ_OK;
  out->is_bundle = false; /* it was not read */
  aq_cli_code_file_close(out);
  return say_file(path, status, diag);
}

void aq_cli_code_file_close(aq_cli_code_file *file)
{
  if (file->is_bundle)
    aq_bundle_fini(&file->bundle);
  free(file->bytes);
  *file = (aq_cli_code_file){0};
}

aq_status aq_cli_code_file_find(const aq_cli_code_file *file, const char *gfx,
                                const void **bytes, size_t *size, aq_diag *diag)
{
  aq_target device;
  aq_status status = aq_target_parse(gfx, strlen(gfx), &device, diag);
  if (status != AQ_OK)
    return status;
  *bytes = file->bytes;
  *size = file->size;
  if (!file->is_bundle)
    return AQ_OK;
  const aq_bundle_entry *entry = aq_bundle_find(&file->bundle, &device);
  if (!entry) {
    char known[200] = "";
    for (size_t i = 0; i < file->bundle.count; i++) {
      const size_t used = strlen(known);
      snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
               file->bundle.entries[i].id);
    }
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s: it has no code object for %s; it has %s",
                       file->path, gfx, known);
  }
  *bytes = entry->bytes;
  *size = entry->size;
  return AQ_OK;
}

aq_status aq_cli_code_file_read(const aq_cli_code_file *file, const void *bytes,
                                size_t size, aq_codeobj *out, aq_diag *diag)
{
  aq_status status = aq_codeobj_read(bytes, size, out, diag);
  return status == AQ_OK ? AQ_OK : say_file(file->path, status, diag);
}
