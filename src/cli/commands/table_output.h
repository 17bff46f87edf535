/* SPDX-License-Identifier: MIT */
/*
 * Rows for people and for programs: one description of columns, written as a
 * table (aligned by libsmartcols where it was built in, else separated by tabs)
 * or as an array of objects in a JSON document.
 *
 * A row gets its cells in the order of the columns. An unknown value (NULL,
 * AQ_NONE, AQ_TIME_NONE, not a number) is "-" in a table and null in a
 * document. Texts are copied and made harmless. Errors of memory are kept until
 * the end; rows that are NULL take cells and report the error there. One
 * thread.
 */
#ifndef AQ_CLI_COMMANDS_TABLE_OUTPUT_H
#define AQ_CLI_COMMANDS_TABLE_OUTPUT_H

#include "cli/commands/cli.h"

typedef struct aq_cli_column {
  /* In tables. One that starts with '>' is aligned to the right, one with '<'
   * may be cut at the terminal's width, one with '~' has names of kernels,
   * shortened (report/stats/short_names.h) and cut (report/stats/name_cuts.h)
   * unless the command has --wide, one with '=' names that are only cut so.
   * Different names stay different, in whatever columns. A '+' before
   * that: only with --wide; a '?': only if some row has a value. NULL: not in
   * tables. */
  const char *title;
  const char *key; /* in documents; NULL: not in documents */
} aq_cli_column;

typedef struct aq_cli_rows aq_cli_rows;

/* Begins rows with columns that one without title and key ends (borrowed): the
 * array `key` (NULL: none is wanted) of an open document, or without a document
 * a table. */
aq_cli_rows *aq_cli_rows_begin(aq_cli *cli, aq_json_out *json, const char *key,
                               const aq_cli_column *columns);

/* Prints only the first column of each row, one a line, instead of a table. */
void aq_cli_rows_names(aq_cli_rows *rows);

/* Members of a document may follow the last cell of a row. */
void aq_cli_row_begin(aq_cli_rows *rows);
void aq_cli_row_end(aq_cli_rows *rows);

void aq_cli_cell_text(aq_cli_rows *rows, const char *text);
/* Two names of one thing, "was > is", in a table's column of names. */
void aq_cli_cell_names(aq_cli_rows *rows, const char *was, const char *is);
void aq_cli_cell_int(aq_cli_rows *rows, int64_t value);
/* Picoseconds: microseconds in tables, exact nanoseconds in documents. */
void aq_cli_cell_time(aq_cli_rows *rows, int64_t ps);
/* As `format` prints it in tables. */
void aq_cli_cell_real(aq_cli_rows *rows, const char *format, double value);
void aq_cli_cell_bool(aq_cli_rows *rows, bool value, const char *yes,
                      const char *no);

/* Prints the table, or closes the array, and frees the rows. */
aq_status aq_cli_rows_end(aq_cli *cli, aq_cli_rows *rows);

/* Frees them without printing. NULL is allowed. */
void aq_cli_rows_drop(aq_cli_rows *rows);

#endif
