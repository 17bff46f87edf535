/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/codeobj/parser.h"

aq_status aq_code_damaged(aq_code_reading *file, const char *what,
                          uint64_t index)
{
  return aq_diag_set(file->diag, AQ_ERR_INPUT,
                     "code object: %s %llu is damaged: it lies outside of the "
                     "file or of the segments",
                     what, (unsigned long long)index);
}

bool aq_code_is_loaded(const aq_code_reading *file, uint64_t address,
                       uint64_t size)
{
  const aq_codeobj *code = file->out;
  return address >= code->low && address <= code->high &&
         size <= code->high - address;
}

const unsigned char *aq_code_bytes(const aq_code_reading *file,
                                   uint64_t address, uint64_t size)
{
  for (size_t i = 0; i < file->out->segment_count; i++) {
    const aq_code_segment *segment = &file->out->segments[i];
    uint64_t offset = address - segment->address;
    if (address >= segment->address && offset <= segment->file_size &&
        size <= segment->file_size - offset)
      return file->elf.bytes + segment->offset + offset;
  }
  return NULL;
}
