/* SPDX-License-Identifier: MIT */
/*
 * Programs as text: the tables, then one line a record, block by block.
 *
 * The program has been recorded in this process, opened from a file or
 * validated. Thread rule: pure functions; `line` comes on the caller's thread.
 */
#ifndef AQ_CMDBUF_PROGRAM_PRINT_H
#define AQ_CMDBUF_PROGRAM_PRINT_H

#include "cmdbuf/program.h"
#include "common/export.h"

AQ_BEGIN_DECLS

/* Gets the lines: without a newline, borrowed for the call. */
typedef void aq_print_line(const char *line, void *user);

/* Prints a program; `line` is called once a line. Allocates nothing and cannot
 * fail: lines that are too long end in "...". */
AQ_API void aq_program_print(const aq_program *program, aq_print_line *line,
                             void *user);

AQ_END_DECLS

#endif
