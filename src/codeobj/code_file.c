/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "codeobj/code_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codeobj/layout.h"

bool aq_code_file_is(const char *path)
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

static aq_status bytes_read(aq_code_file *out, FILE *file, aq_diag *diag)
{
  long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  if (size < 0 || (uint64_t)size > AQ_BUNDLE_SIZE_MAX)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "expected a file of at most %llu bytes",
                       (unsigned long long)AQ_BUNDLE_SIZE_MAX);
  rewind(file);
  out->bytes = malloc((size_t)size + 1);
  if (!out->bytes)
    return aq_diag_no_memory(diag);
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

aq_status aq_code_file_open(const char *path, aq_code_file *out, aq_diag *diag)
{
  FILE *file = fopen(path, "rb");
  *out = (aq_code_file){.path = path};
  if (!file)
    return aq_diag_set(diag, AQ_ERR_NOT_FOUND, "%s: %s", path, strerror(errno));
  aq_status status = bytes_read(out, file, diag);
  fclose(file);
  if (status == AQ_OK)
    return AQ_OK;
  out->is_bundle = false; /* it was not read */
  aq_code_file_close(out);
  return say_file(path, status, diag);
}

void aq_code_file_close(aq_code_file *file)
{
  if (file->is_bundle)
    aq_bundle_fini(&file->bundle);
  free(file->bytes);
  *file = (aq_code_file){0};
}

/* The code that fits a device; of a bundle one entry, else the whole file. */
static bool code_find(const aq_code_file *file, const aq_target *device,
                      const void **bytes, size_t *size)
{
  aq_codeobj code;
  *bytes = file->bytes;
  *size = file->size;
  if (file->is_bundle) {
    const aq_bundle_entry *entry = aq_bundle_find(&file->bundle, device);
    if (entry) {
      *bytes = entry->bytes;
      *size = entry->size;
    }
    return entry != NULL;
  }
  if (aq_codeobj_read(file->bytes, file->size, &code, NULL) != AQ_OK)
    return true; /* whoever reads it is told what is wrong */
  const bool fits = aq_target_fits(&code.target, device) != AQ_FIT_NONE;
  aq_codeobj_fini(&code);
  return fits;
}

bool aq_code_file_fits(const aq_code_file *file, const char *gfx)
{
  aq_target device;
  const void *bytes;
  size_t size;
  return aq_target_parse(gfx, strlen(gfx), &device, NULL) == AQ_OK &&
         code_find(file, &device, &bytes, &size);
}

/* The targets of a file, with commas between. */
static void targets_list(const aq_code_file *file, char *to, size_t size)
{
  aq_codeobj code;
  char target[AQ_TARGET_TEXT_SIZE];
  to[0] = 0;
  for (size_t i = 0; file->is_bundle && i < file->bundle.count; i++) {
    const size_t used = strlen(to);
    char id[80];
    snprintf(to + used, size - used, "%s%s", i ? ", " : "",
             aq_code_text(file->bundle.entries[i].id, id, sizeof id));
  }
  if (!file->is_bundle &&
      aq_codeobj_read(file->bytes, file->size, &code, NULL) == AQ_OK) {
    aq_target_print(&code.target, target);
    snprintf(to, size, "%s", target);
    aq_codeobj_fini(&code);
  }
}

aq_status aq_code_file_find(const aq_code_file *file, const char *gfx,
                            const void **bytes, size_t *size, aq_diag *diag)
{
  aq_target device;
  char known[200];
  aq_status status = aq_target_parse(gfx, strlen(gfx), &device, diag);
  if (status != AQ_OK || code_find(file, &device, bytes, size))
    return status;
  targets_list(file, known, sizeof known);
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "%s: it has no code for the device's %s; it has %s",
                     file->path, gfx, known);
}

aq_status aq_code_file_read(const aq_code_file *file, const void *bytes,
                            size_t size, aq_codeobj *out, aq_diag *diag)
{
  aq_status status = aq_codeobj_read(bytes, size, out, diag);
  return status == AQ_OK ? AQ_OK : say_file(file->path, status, diag);
}
