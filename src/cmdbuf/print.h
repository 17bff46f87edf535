/* SPDX-License-Identifier: MIT */
/*
 * The printer: programs as text, one line a record, from the opcodes table.
 *
 * Programs have been recorded in this process or validated. Thread rule: pure.
 */
#ifndef AQ_CMDBUF_PRINT_H
#define AQ_CMDBUF_PRINT_H

#include "cmdbuf/opcodes.h"

enum { AQ_PRINT_MAX = 4096 }; /* bytes of a line; longer ones end in "..." */

/* What gets the lines, borrowed for the call, without a newline. */
typedef void aq_print_line(const char *line, void *user);

/* Tables, then records block by block; `line` is called once a line, with a
 * text that is borrowed for the call. */
void aq_program_print(const aq_program *program, aq_print_line *line,
                      void *user);

/* One record: "name field=value ...". Returns its length, below `size`. */
size_t aq_record_print(const aq_program *program, const aq_block *block,
                       const aq_op *op, char *text, size_t size);

/* "slot2+0x40" or "static0+0x0". */
void aq_ref_print(aq_ref ref, char text[48]);

#endif
