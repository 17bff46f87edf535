/* SPDX-License-Identifier: MIT */
/*
 * The code objects with lines that a process left beside its spool. Within exec
 * only; one thread at a time.
 */
#ifndef AQ_CLI_EXEC_COVERAGE_CODE_H
#define AQ_CLI_EXEC_COVERAGE_CODE_H

#include "common/instruction.h"
#include "gpu/codeobj/line_table.h"

typedef struct aq_covered_code {
  unsigned char *bytes;
  size_t size;
  aq_codeobj object;
  aq_code_lines lines;
} aq_covered_code;

typedef struct aq_covered_codes {
  aq_covered_code *list;
  size_t count, capacity;
  char damage[200]; /* of the first that could not be read, or empty */
} aq_covered_codes;

/* Reads the objects of the process whose files begin with `files`; the caller
 * frees *out. */
aq_status aq_covered_codes_read(const char *files, aq_covered_codes *out,
                                aq_diag *diag);
void aq_covered_codes_fini(aq_covered_codes *codes);

/* The object whose kernel has these instructions, and the kernel; NULL: none.
 */
const aq_covered_code *aq_covered_find(const aq_covered_codes *codes,
                                       const char *name,
                                       const aq_instruction *rows, size_t count,
                                       const aq_code_kernel **kernel);

/* Where a kernel begins, in its object's address space. */
uint64_t aq_covered_entry(const aq_code_kernel *kernel);

#endif
