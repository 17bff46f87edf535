/* SPDX-License-Identifier: MIT */
/* What only code object version 2 has: notes of the owner AMD, and kernels
 * that begin with an amd_kernel_code_t. */
#include "config.h"

#include <string.h>

#include "gpu/codeobj/metadata.h"
#include "gpu/codeobj/parser.h"

enum {
  NOTE_VERSION = 1,   /* NT_AMD_HSA_CODE_OBJECT_VERSION */
  NOTE_ISA = 3,       /* NT_AMD_HSA_ISA_VERSION */
  NOTE_METADATA = 10, /* NT_AMD_HSA_METADATA */
};

static const char suffix[] = "@kd";

static aq_status version_read(aq_code_reading *file, const unsigned char *bytes,
                              uint32_t size)
{
  uint32_t major = 0;
  if (size >= sizeof major)
    memcpy(&major, bytes, sizeof major);
  return major == file->out->version
             ? AQ_OK
             : aq_diag_set(file->diag, AQ_ERR_INPUT,
                           "code object: ABI version 0 with a note of version "
                           "%u; expected 2",
                           major);
}

aq_status aq_code_note_v2(aq_code_reading *file, uint32_t type,
                          const unsigned char *bytes, uint32_t size)
{
  if (type == NOTE_VERSION)
    return version_read(file, bytes, size);
  if (type == NOTE_ISA) {
    /* The sizes of two names, then major, minor, stepping and the names. */
    enum { NUMBERS_AT = 4 };
    if (size < NUMBERS_AT + sizeof file->isa)
      return aq_diag_set(file->diag, AQ_ERR_INPUT,
                         "code object: its note of the ISA has %u bytes; "
                         "expected 16 or more",
                         size);
    memcpy(file->isa, bytes + NUMBERS_AT, sizeof file->isa);
    return AQ_OK;
  }
  if (type == NOTE_METADATA && file->depth == AQ_CODEOBJ_ALL && !file->kernels)
    return aq_metadata_yaml_read(bytes, size, file->out, &file->kernels,
                                 file->diag);
  return AQ_OK;
}

const char *aq_code_symbol_v2(aq_code_reading *file, const char *name)
{
  const size_t length = strlen(name);
  char *text = aq_arena_alloc(&file->out->arena, length + sizeof suffix);
  if (text) {
    memcpy(text, name, length);
    memcpy(text + length, suffix, sizeof suffix);
  }
  return text;
}

bool aq_code_descriptor_v2(const aq_code_reading *file,
                           const aq_code_symbol *symbol, aq_code_kernel *kernel)
{
  const unsigned char *bytes =
      aq_code_bytes(file, symbol->address, AQ_KERNEL_CODE_SIZE);
  if (!bytes || symbol->size < AQ_KERNEL_CODE_SIZE ||
      symbol->address % _Alignof(aq_kernel_descriptor) != 0 ||
      !aq_kernel_code_is(bytes))
    return false;
  kernel->descriptor = aq_kernel_code_descriptor(bytes);
  kernel->has_descriptor = true;
  kernel->address = symbol->address;
  return true;
}
