/* SPDX-License-Identifier: MIT */
/*
 * The sections of DWARF, and values in them by their forms (DWARF 5, section
 * 7.5), for line tables and entries alike. Within codeobj only.
 */
#ifndef AQ_GPU_CODEOBJ_DWARF_FORM_H
#define AQ_GPU_CODEOBJ_DWARF_FORM_H

#include "common/diag.h"
#include "gpu/codeobj/dwarf.h"
#include "gpu/codeobj/elf.h"

enum {
  AQ_DWARF_FORM_ADDR = 0x01,
  AQ_DWARF_FORM_REF_ADDR = 0x10,
  AQ_DWARF_FORM_REF1 = 0x11,
  AQ_DWARF_FORM_REF_UDATA = 0x15,
  AQ_DWARF_FORM_STRX = 0x1a,
  AQ_DWARF_FORM_ADDRX = 0x1b,
  AQ_DWARF_FORM_RNGLISTX = 0x23,
  AQ_DWARF_FORM_STRX1 = 0x25,
  AQ_DWARF_FORM_STRX4 = 0x28,
  AQ_DWARF_FORM_ADDRX1 = 0x29,
  AQ_DWARF_FORM_ADDRX4 = 0x2c,
};

/* A section's bytes; never NULL but for a part of zeros. */
typedef struct aq_dwarf_part {
  const unsigned char *bytes;
  uint64_t size;
  unsigned char *owned; /* they were compressed; or NULL: they are the file's */
} aq_dwarf_part;

/* The bytes of a section, decompressed; none where the file does not have it.
 * aq_dwarf_part_fini also after a failure. AQ_ERR_UNSUPPORTED: compressed by a
 * method that this build or machine lacks, or as GNU's tools did before 2015;
 * AQ_ERR_INPUT: damaged, or it lies outside. */
aq_status aq_dwarf_section(const aq_elf *elf, const char *name,
                           aq_dwarf_part *out, aq_diag *diag);
void aq_dwarf_part_fini(aq_dwarf_part *part);

/* Reads from `index` times `size` bytes behind `base` on; `bad` if that is not
 * in the section. */
aq_dwarf aq_dwarf_at(const aq_dwarf_part *part, uint64_t base, uint64_t index,
                     unsigned size);

/* The values of a unit depend on these. */
typedef struct aq_dwarf_unit {
  aq_dwarf_part texts, line_texts; /* .debug_str, .debug_line_str */
  unsigned version, address_size, offset_size;
} aq_dwarf_unit;

/* A value; form 0: it is not there. */
typedef struct aq_dwarf_value {
  uint64_t form;
  uint64_t
      number; /* an offset, index, address, constant, a block's bytes; or 1 */
  const unsigned char *block; /* of a form of blocks; NULL: none */
  const char *text; /* of a form of texts, NULL: it lies nowhere; else "" */
} aq_dwarf_value;

/* Reads a value; its constant may stand in the abbreviation, which may be NULL.
 * False: a form that is not read. */
bool aq_dwarf_value_read(const aq_dwarf_unit *unit, aq_dwarf *d,
                         aq_dwarf *abbreviation, uint64_t form,
                         aq_dwarf_value *out);

/* Whether the constant of a form stands in the abbreviation. */
bool aq_dwarf_form_is_constant(uint64_t form);

/* Passes over the length of a unit: `out` has its bytes, behind that, and `d`
 * continues behind them. The size of its offsets; 0: it does not lie in `d`. */
unsigned aq_dwarf_unit_begin(aq_dwarf *d, aq_dwarf *out);

#endif
