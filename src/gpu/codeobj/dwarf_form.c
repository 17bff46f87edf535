/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/codeobj/dwarf_form.h"

#include <stdio.h>
#include <stdlib.h>

#include "gpu/codeobj/decompress.h"

/* Of a section, decompressed. Debug information of a large program has some
 * hundred MB. */
#define SECTION_MAX (UINT64_C(1) << 31)

enum { COMPRESS_ZSTD = 2 }; /* ELFCOMPRESS_ZSTD of newer headers */

/* How a form is read, by its number. */
typedef enum reader {
  UNKNOWN,
  NOTHING, /* it is there */
  BYTES,   /* as many as `size`; 0: an offset's; 255: an address's */
  LEB,
  SIGNED,
  TEXT,
  TEXT_AT,      /* an offset in .debug_str */
  LINE_TEXT_AT, /* in .debug_line_str */
  BLOCK,        /* as long as `size` bytes say; 0: a LEB */
  CONSTANT,     /* in the abbreviation */
} reader;

static const struct {
  uint8_t how, size;
} forms[] = {
    [0x01] = {BYTES, 255},  [0x03] = {BLOCK, 2},        [0x04] = {BLOCK, 4},
    [0x05] = {BYTES, 2},    [0x06] = {BYTES, 4},        [0x07] = {BYTES, 8},
    [0x08] = {TEXT, 0},     [0x09] = {BLOCK, 0},        [0x0a] = {BLOCK, 1},
    [0x0b] = {BYTES, 1},    [0x0c] = {BYTES, 1},        [0x0d] = {SIGNED, 0},
    [0x0e] = {TEXT_AT, 0},  [0x0f] = {LEB, 0},          [0x10] = {BYTES, 0},
    [0x11] = {BYTES, 1},    [0x12] = {BYTES, 2},        [0x13] = {BYTES, 4},
    [0x14] = {BYTES, 8},    [0x15] = {LEB, 0},          [0x17] = {BYTES, 0},
    [0x18] = {BLOCK, 0},    [0x19] = {NOTHING, 0},      [0x1a] = {LEB, 0},
    [0x1b] = {LEB, 0},      [0x1c] = {BYTES, 4},        [0x1d] = {BYTES, 0},
    [0x1e] = {BYTES, 16},   [0x1f] = {LINE_TEXT_AT, 0}, [0x20] = {BYTES, 8},
    [0x21] = {CONSTANT, 0}, [0x22] = {LEB, 0},          [0x23] = {LEB, 0},
    [0x24] = {BYTES, 8},    [0x25] = {BYTES, 1},        [0x26] = {BYTES, 2},
    [0x27] = {BYTES, 3},    [0x28] = {BYTES, 4},        [0x29] = {BYTES, 1},
    [0x2a] = {BYTES, 2},    [0x2b] = {BYTES, 3},        [0x2c] = {BYTES, 4},
};

static unsigned how_of(uint64_t form)
{
  return form < sizeof forms / sizeof *forms ? forms[form].how : UNKNOWN;
}

/* ---- sections ---- */

/* ".debug_line" as GNU's tools named it when they had compressed it. */
static bool is_old_compressed(const aq_elf *elf, const char *name)
{
  char old[40];
  Elf64_Shdr header;
  snprintf(old, sizeof old, ".z%s", name + 1);
  return aq_elf_section_find(elf, old, &header);
}

static aq_status section_inflate(const char *name, aq_dwarf_part *part,
                                 aq_diag *diag)
{
  Elf64_Chdr head;
  char what[64];
  snprintf(what, sizeof what, "section %.40s", name);
  if (part->size < sizeof head)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s is compressed and has no head of %zu bytes", what,
                       sizeof head);
  memcpy(&head, part->bytes, sizeof head);
  if (head.ch_type != ELFCOMPRESS_ZLIB && head.ch_type != COMPRESS_ZSTD)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "%s is compressed by method %u; 1 (zlib) or 2 (zstd) "
                       "expected",
                       what, head.ch_type);
  if (head.ch_size > SECTION_MAX)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s has %llu bytes when decompressed; at most %llu are "
                       "read",
                       what, (unsigned long long)head.ch_size,
                       (unsigned long long)SECTION_MAX);
  part->owned = malloc(head.ch_size + 1);
  if (!part->owned)
    return aq_diag_no_memory(diag);
  const aq_status status =
      aq_inflate(head.ch_type == ELFCOMPRESS_ZLIB ? AQ_COMPRESSION_ZLIB
                                                  : AQ_COMPRESSION_ZSTD,
                 what, part->bytes + sizeof head, part->size - sizeof head,
                 part->owned, head.ch_size, diag);
  part->bytes = part->owned;
  part->size = status == AQ_OK ? head.ch_size : 0;
  return status;
}

aq_status aq_dwarf_section(const aq_elf *elf, const char *name,
                           aq_dwarf_part *out, aq_diag *diag)
{
  Elf64_Shdr header;
  *out = (aq_dwarf_part){elf->bytes, 0, NULL}; /* NULL + 0 is undefined */
  if (!aq_elf_section_find(elf, name, &header))
    return is_old_compressed(elf, name)
               ? aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                             "section .z%s is compressed as GNU's tools did "
                             "before 2015; objcopy --decompress-debug-sections "
                             "makes one that is read",
                             name + 1)
               : AQ_OK;
  if (header.sh_type == SHT_NOBITS)
    return AQ_OK;
  if (!aq_elf_has(elf, header.sh_offset, header.sh_size))
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "section %s lies outside of the file", name);
  out->bytes = elf->bytes + header.sh_offset;
  out->size = header.sh_size;
  return header.sh_flags & SHF_COMPRESSED ? section_inflate(name, out, diag)
                                          : AQ_OK;
}

void aq_dwarf_part_fini(aq_dwarf_part *part)
{
  free(part->owned);
  *part = (aq_dwarf_part){.size = 0};
}

aq_dwarf aq_dwarf_at(const aq_dwarf_part *part, uint64_t base, uint64_t index,
                     unsigned size)
{
  aq_dwarf d = {part->bytes, part->bytes + part->size, false};
  uint64_t offset;
  d.bad = __builtin_mul_overflow(index, (uint64_t)size, &offset) ||
          __builtin_add_overflow(base, offset, &offset) || offset > part->size;
  d.at = d.bad ? d.end : d.at + offset;
  return d;
}

unsigned aq_dwarf_unit_begin(aq_dwarf *d, aq_dwarf *out)
{
  unsigned offset_size = 4;
  uint64_t length = aq_dwarf_number(d, 4);
  if (length == UINT32_MAX) {
    offset_size = 8;
    length = aq_dwarf_number(d, 8);
  }
  *out = *d;
  if (!aq_dwarf_skip(d, length))
    return 0;
  out->end = d->at;
  return offset_size;
}

/* ---- values ---- */

static const char *text_at(const aq_dwarf_part *texts, uint64_t offset)
{
  return offset < texts->size &&
                 memchr(texts->bytes + offset, 0, texts->size - offset)
             ? (const char *)texts->bytes + offset
             : NULL;
}

bool aq_dwarf_form_is_constant(uint64_t form)
{
  return how_of(form) == CONSTANT;
}

bool aq_dwarf_value_read(const aq_dwarf_unit *unit, aq_dwarf *d,
                         aq_dwarf *abbreviation, uint64_t form,
                         aq_dwarf_value *out)
{
  const unsigned how = how_of(form), size = how ? forms[form].size : 0;
  *out = (aq_dwarf_value){.form = form, .number = 1, .text = ""};
  switch (how) {
  case NOTHING:
    return true;
  case BYTES: {
    const unsigned bytes = size == 255 ? unit->address_size
                           : size      ? size
                                       : unit->offset_size;
    if (size == 255 && bytes > 8)
      return false;
    if (bytes > 8)
      aq_dwarf_skip(d, bytes);
    else
      out->number = aq_dwarf_number(d, bytes);
    return true;
  }
  case LEB:
    out->number = aq_dwarf_unsigned(d);
    return true;
  case SIGNED:
    out->number = (uint64_t)aq_dwarf_signed(d);
    return true;
  case TEXT:
    out->text = aq_dwarf_text(d);
    return true;
  case TEXT_AT:
  case LINE_TEXT_AT:
    out->number = aq_dwarf_number(d, unit->offset_size);
    out->text =
        text_at(how == TEXT_AT ? &unit->texts : &unit->line_texts, out->number);
    return true;
  case BLOCK:
    out->number = size ? aq_dwarf_number(d, size) : aq_dwarf_unsigned(d);
    out->block = aq_dwarf_skip(d, out->number);
    return true;
  case CONSTANT:
    if (!abbreviation)
      return false;
    out->number = (uint64_t)aq_dwarf_signed(abbreviation);
    return true;
  default:
    return false;
  }
}
