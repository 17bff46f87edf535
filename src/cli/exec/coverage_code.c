/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/exec/coverage_code.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/array.h"
#include "common/spool.h"

static void code_fini(aq_covered_code *code)
{
  aq_code_lines_fini(&code->lines);
  aq_codeobj_fini(&code->object);
  free(code->bytes);
}

/* ---- files ---- */

/* AQ_ERR_NOT_FOUND: there is no such file. */
static aq_status bytes_read(const char *path, aq_covered_code *out,
                            aq_diag *diag)
{
  struct stat info;
  FILE *file = fopen(path, "re");
  if (!file)
    return aq_diag_set(diag, AQ_ERR_NOT_FOUND, "%s", path);
  aq_status status = AQ_OK;
  out->size = fstat(fileno(file), &info) == 0 ? (size_t)info.st_size : 0;
  out->bytes = malloc(out->size + 1);
  if (!out->bytes)
    status = aq_diag_no_memory(diag);
  else if (fread(out->bytes, 1, out->size, file) != out->size)
    status = aq_diag_set(diag, AQ_ERR_IO, "%s: %s", path, strerror(errno));
  fclose(file);
  return status;
}

static aq_status code_parse(aq_covered_code *code, aq_diag *diag)
{
  aq_status status = aq_codeobj_read_to(
      code->bytes, code->size, AQ_CODEOBJ_DESCRIPTORS, &code->object, diag);
  if (status != AQ_OK)
    return status;
  status = aq_code_lines_read(code->bytes, code->size, &code->object,
                              &code->lines, diag);
  if (status != AQ_OK)
    aq_codeobj_fini(&code->object);
  return status;
}

static aq_status code_add(aq_covered_codes *to, const char *path, aq_diag *diag)
{
  aq_covered_code code = {0};
  aq_diag why = AQ_DIAG_INIT;
  aq_status status = bytes_read(path, &code, diag);
  if (status == AQ_OK && code_parse(&code, &why) != AQ_OK) {
    if (!*to->damage)
      snprintf(to->damage, sizeof to->damage, "%s", why.text);
    free(code.bytes);
    return AQ_OK;
  }
  if (status != AQ_OK) {
    free(code.bytes);
    return status;
  }
  if (AQ_ARRAY_PUSH(to->list, to->count, to->capacity, code))
    return AQ_OK;
  code_fini(&code);
  return aq_diag_no_memory(diag);
}

aq_status aq_covered_codes_read(const char *files, aq_covered_codes *out,
                                aq_diag *diag)
{
  aq_status status = AQ_OK;
  *out = (aq_covered_codes){.damage = ""};
  for (unsigned i = 0; status == AQ_OK; i++) {
    char *path;
    if (asprintf(&path, "%s.%u" AQ_SPOOL_CODE, files, i) < 0) {
      status = aq_diag_no_memory(diag);
    } else {
      status = code_add(out, path, diag);
      free(path);
    }
  }
  if (status == AQ_ERR_NOT_FOUND)
    return AQ_OK;
  aq_covered_codes_fini(out);
  return status;
}

void aq_covered_codes_fini(aq_covered_codes *codes)
{
  for (size_t i = 0; i < codes->count; i++)
    code_fini(&codes->list[i]);
  free(codes->list);
  *codes = (aq_covered_codes){.damage = ""};
}

/* ---- kernels ---- */

uint64_t aq_covered_entry(const aq_code_kernel *kernel)
{
  return kernel->address + (uint64_t)kernel->descriptor.entry_offset;
}

/* The word at an address of the object. */
static bool word_read(const aq_covered_code *code, uint64_t address,
                      uint32_t *out)
{
  for (size_t i = 0; i < code->object.segment_count; i++) {
    const aq_code_segment *s = &code->object.segments[i];
    const uint64_t at = address - s->address;
    if (at >= s->file_size || s->file_size - at < sizeof *out)
      continue;
    memcpy(out, code->bytes + s->offset + at, sizeof *out);
    return true;
  }
  return false;
}

/* Several objects may have a kernel of a name: its instructions decide. */
static bool has_instructions(const aq_covered_code *code, uint64_t entry,
                             const aq_instruction *rows, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    uint32_t word;
    if (!word_read(code, entry + (uint64_t)rows[i].offset, &word) ||
        word != (uint32_t)rows[i].word0)
      return false;
  }
  return true;
}

const aq_covered_code *aq_covered_find(const aq_covered_codes *codes,
                                       const char *name,
                                       const aq_instruction *rows, size_t count,
                                       const aq_code_kernel **kernel)
{
  for (size_t i = 0; i < codes->count; i++) {
    const aq_covered_code *code = &codes->list[i];
    *kernel = aq_codeobj_kernel(&code->object, name);
    if (*kernel && (*kernel)->has_descriptor &&
        has_instructions(code, aq_covered_entry(*kernel), rows, count))
      return code;
  }
  return NULL;
}
