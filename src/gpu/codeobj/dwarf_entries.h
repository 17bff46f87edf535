/* SPDX-License-Identifier: MIT */
/*
 * The entries of .debug_info, of DWARF 3 to 5, one after the other (sections 2
 * and 7.5). Within codeobj only.
 */
#ifndef AQ_GPU_CODEOBJ_DWARF_ENTRIES_H
#define AQ_GPU_CODEOBJ_DWARF_ENTRIES_H

#include "gpu/codeobj/dwarf_form.h"

/* Tags that readers ask for. */
enum {
  AQ_DWARF_TAG_ARRAY = 0x01,
  AQ_DWARF_TAG_PARAMETER = 0x05,
  AQ_DWARF_TAG_POINTER = 0x0f,
  AQ_DWARF_TAG_REFERENCE = 0x10,
  AQ_DWARF_TAG_INLINED = 0x1d,
  AQ_DWARF_TAG_SUBRANGE = 0x21,
  AQ_DWARF_TAG_FUNCTION = 0x2e,
  AQ_DWARF_TAG_VARIABLE = 0x34,
  AQ_DWARF_TAG_RVALUE_REFERENCE = 0x42,
};

/* The attributes that are kept: as AQ_DWARF_AT_NAME, and their numbers. */
#define AQ_DWARF_ATTRIBUTES_EACH(A)                                            \
  A(LOCATION, 0x02)                                                            \
  A(NAME, 0x03)                                                                \
  A(BYTE_SIZE, 0x0b)                                                           \
  A(STMT_LIST, 0x10)                                                           \
  A(LOW_PC, 0x11)                                                              \
  A(HIGH_PC, 0x12)                                                             \
  A(UPPER_BOUND, 0x2f)                                                         \
  A(ORIGIN, 0x31)                                                              \
  A(COUNT, 0x37)                                                               \
  A(ADDRESS_CLASS, 0x33)                                                       \
  A(FRAME_BASE, 0x40)                                                          \
  A(TYPE, 0x49)                                                                \
  A(RANGES, 0x55)                                                              \
  A(CALL_FILE, 0x58)                                                           \
  A(CALL_LINE, 0x59)                                                           \
  A(STR_OFFSETS_BASE, 0x72)                                                    \
  A(ADDR_BASE, 0x73)                                                           \
  A(RNGLISTS_BASE, 0x74)                                                       \
  A(CALL_ALL_CALLS, 0x7a)  /* in optimized code alone, */                      \
  A(GNU_ALL_CALLS, 0x2117) /* and in version 4 */

typedef enum aq_dwarf_attribute {
#define A(name, number) AQ_DWARF_AT_##name,
  AQ_DWARF_ATTRIBUTES_EACH(A)
#undef A
      AQ_DWARF_ATTRIBUTES
} aq_dwarf_attribute;

typedef struct aq_dwarf_entry {
  uint64_t offset; /* in .debug_info */
  uint64_t tag;
  unsigned depth; /* 0: a unit */
  aq_dwarf_value of[AQ_DWARF_ATTRIBUTES];
} aq_dwarf_entry;

/* Sections, and the bases of the unit that an entry is of. */
typedef struct aq_dwarf_info {
  aq_dwarf_part info, abbrev, addr, ranges, rnglists, str_offsets;
  aq_dwarf_unit unit;
  uint64_t unit_at; /* in .debug_info */
  uint64_t addr_base, rnglists_base, str_offsets_base, base;
} aq_dwarf_info;

/* aq_dwarf_info_fini also after a failure; `unit` has the sections of texts,
 * which stay their owner's. Fails as aq_dwarf_section. */
aq_status aq_dwarf_info_open(const aq_elf *elf, const aq_dwarf_unit *unit,
                             aq_dwarf_info *out, aq_diag *diag);
void aq_dwarf_info_fini(aq_dwarf_info *info);

/* Takes each entry; false ends the walk. A unit ends at an entry that is
 * damaged, or has a form that is not read. False: out of memory, or `take` said
 * so. */
typedef bool aq_dwarf_entry_take(void *user, const aq_dwarf_info *info,
                                 const aq_dwarf_entry *entry);
bool aq_dwarf_entries_each(aq_dwarf_info *info, aq_dwarf_entry_take *take,
                           void *user);

/* Values of the entry's unit. */
uint64_t aq_dwarf_address_at(const aq_dwarf_info *info, uint64_t index);
uint64_t aq_dwarf_address(const aq_dwarf_info *info, const aq_dwarf_value *v);
/* NULL: none. */
const char *aq_dwarf_text_of(const aq_dwarf_info *info,
                             const aq_dwarf_value *v);
/* The offset of an entry; 0: none, or of another file. */
uint64_t aq_dwarf_reference(const aq_dwarf_info *info, const aq_dwarf_value *v);

/* An address behind another; `d` is bad if there is none. */
uint64_t aq_dwarf_behind(aq_dwarf *d, uint64_t base, uint64_t bytes);

/* The range of an entry without DW_AT_ranges; false: it has none. */
bool aq_dwarf_entry_range(const aq_dwarf_info *info, const aq_dwarf_entry *e,
                          uint64_t *low, uint64_t *high);

#endif
