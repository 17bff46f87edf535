/* SPDX-License-Identifier: MIT */
/*
 * Lines of the source of a code object: the line tables of DWARF 2 to 5
 * (.debug_line), as -g and -gline-tables-only of clang make them.
 *
 * The bytes may be anything: they are checked. Reading is a pure function;
 * the tables are constant until aq_code_lines_fini.
 */
#ifndef AQ_GPU_CODEOBJ_LINE_TABLE_H
#define AQ_GPU_CODEOBJ_LINE_TABLE_H

#include "common/map.h"
#include "gpu/codeobj/codeobj.h"

/* Code from `address` up to `end` comes from a line. */
typedef struct aq_code_line {
  uint64_t address, end;
  uint32_t file; /* an id of aq_code_lines.files */
  uint32_t line; /* 0: of none */
} aq_code_line;

/* Code from `address` up to `end` was called in a line, and inlined there; of
 * calls within each other the inner ones have more depth. */
typedef struct aq_code_inlined {
  uint64_t address, end;
  uint32_t file, line; /* of the call */
  uint32_t depth;
} aq_code_inlined;

typedef struct aq_code_lines {
  aq_names files; /* paths, absolute where the compilation names its folder */
  aq_code_line *list; /* by address */
  size_t count, capacity;
  aq_code_inlined *inlined; /* in any order */
  size_t inlined_count, inlined_capacity;
} aq_code_lines;

/* Whether an ELF file has a line table. */
bool aq_code_lines_are(const void *bytes, size_t size);

/* Reads the lines of code that the object loads: lines of removed functions are
 * left out. NULL for the object: of any ELF file, all lines. A file without a
 * line table gives none. AQ_ERR_INPUT names the part that is damaged;
 * AQ_ERR_UNSUPPORTED a version or form that is not read. */
aq_status aq_code_lines_read(const void *bytes, size_t size,
                             const aq_codeobj *code, aq_code_lines *out,
                             aq_diag *diag);
void aq_code_lines_fini(aq_code_lines *lines);

/* The entry whose code has an address, or NULL. */
const aq_code_line *aq_code_lines_find(const aq_code_lines *lines,
                                       uint64_t address);

/* The line for the program's author: of the calls that were inlined into each
 * other at the address the innermost one that no header of the system has; of
 * none, the line of the code itself. NULL: none is known. Else the file. */
const char *aq_code_lines_user(const aq_code_lines *lines, uint64_t address,
                               uint32_t *line);

#endif
