/* SPDX-License-Identifier: MIT */
/*
 * The printer's parts (program_print.h has the whole): records and references
 * as text, from the opcodes table. Thread rule: pure.
 */
#ifndef AQ_CMDBUF_PRINT_H
#define AQ_CMDBUF_PRINT_H

#include "cmdbuf/opcodes.h"
#include "cmdbuf/program_print.h"

enum { AQ_PRINT_MAX = 4096 }; /* bytes of a line; longer ones end in "..." */

/* One record: "name field=value ...". Returns its length, below `size`. */
size_t aq_record_print(const aq_program *program, const aq_block *block,
                       const aq_op *op, char *text, size_t size);

/* "slot2+0x40" or "static0+0x0". */
void aq_ref_print(aq_ref ref, char text[48]);

#endif
