/* SPDX-License-Identifier: MIT */
/*
 * Calls that were inlined, from .debug_info of DWARF 3 to 5: where code of one
 * function stands inside of another. Within codeobj only.
 */
#ifndef AQ_GPU_CODEOBJ_INLINED_H
#define AQ_GPU_CODEOBJ_INLINED_H

#include "gpu/codeobj/dwarf_form.h"
#include "gpu/codeobj/line_table.h"

/* The files of one line table: ids in aq_code_lines.files. */
typedef struct aq_code_file_table {
  uint64_t offset; /* in .debug_line */
  uint32_t *files; /* its owner's */
  size_t count;
} aq_code_file_table;

/* Adds the inlined calls to `out`; `of` has the sections of texts. Units that
 * are damaged or have forms that are not read add none. AQ_ERR_NO_MEMORY, or a
 * section that is not read. */
aq_status aq_code_inlined_read(const aq_elf *elf, const aq_dwarf_unit *of,
                               const aq_code_file_table *tables, size_t count,
                               aq_code_lines *out, aq_diag *diag);

#endif
