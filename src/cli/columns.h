/* SPDX-License-Identifier: MIT */
/*
 * Tables for people: aligned by libsmartcols where it was built in, else
 * separated by tabs. Cells are made harmless; NULL is shown as "-".
 */
#ifndef AQ_CLI_COLUMNS_H
#define AQ_CLI_COLUMNS_H

#include <stdbool.h>
#include <stdio.h>

typedef struct aq_cli_columns aq_cli_columns;

/* Columns by name, ended by NULL; a name that starts with '>' is aligned to
 * the right, one with '<' may be cut at the terminal's width. NULL when out of
 * memory. */
aq_cli_columns *aq_cli_columns_new(const char *const *names);

/* One row: as many texts as there are columns, copied. */
void aq_cli_columns_row(aq_cli_columns *table, const char *const *cells);

/* Prints and frees; false when out of memory or the stream failed. */
bool aq_cli_columns_print(aq_cli_columns *table, FILE *out);

/* Frees without printing; NULL is allowed. */
void aq_cli_columns_drop(aq_cli_columns *table);

#endif
