/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/columns.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/text.h"

#ifdef HAVE_SMARTCOLS
#include <libsmartcols/libsmartcols.h>
#endif

struct aq_cli_columns {
  const char *const *names;
  size_t columns, count, capacity; /* count, capacity: cells */
  char **cells;
  bool failed;
};

aq_cli_columns *aq_cli_columns_new(const char *const *names)
{
  aq_cli_columns *table = calloc(1, sizeof *table);
  if (!table)
    return NULL;
  table->names = names;
  while (names[table->columns])
    table->columns++;
  return table;
}

static bool grow(aq_cli_columns *table)
{
  if (table->count + table->columns <= table->capacity)
    return true;
  size_t capacity = 2 * (table->capacity + table->columns);
  char **cells = realloc(table->cells, capacity * sizeof *cells);
  if (!cells)
    return false;
  table->cells = cells;
  table->capacity = capacity;
  return true;
}

void aq_cli_columns_row(aq_cli_columns *table, const char *const *cells)
{
  if (table->failed || !grow(table)) {
    table->failed = true;
    return;
  }
  for (size_t i = 0; i < table->columns; i++) {
    const char *text = cells[i] ? cells[i] : "-";
    char *line = aq_text_line(text, strlen(text));
    table->failed |= !line;
    table->cells[table->count++] = line;
  }
}

#ifdef HAVE_SMARTCOLS
static struct libscols_table *scols_make(const aq_cli_columns *table, FILE *out)
{
  struct libscols_table *view = scols_new_table();
  if (!view)
    return NULL;
  scols_table_set_stream(view, out);
  scols_table_enable_maxout(view, 0);
  scols_table_enable_noencoding(view, 1);
  for (size_t i = 0; i < table->columns; i++) {
    const char *name = table->names[i];
    int flags = *name == '>'   ? SCOLS_FL_RIGHT
                : *name == '<' ? SCOLS_FL_TRUNC
                               : 0;
    if (!scols_table_new_column(view, name + (*name == '>' || *name == '<'), 0,
                                flags)) {
      scols_unref_table(view);
      return NULL;
    }
  }
  if (!isatty(fileno(out)))
    scols_table_set_termforce(view, SCOLS_TERMFORCE_NEVER);
  return view;
}

static bool print(const aq_cli_columns *table, FILE *out)
{
  struct libscols_table *view = scols_make(table, out);
  if (!view)
    return false;
  bool good = true;
  for (size_t i = 0; good && i < table->count; i += table->columns) {
    struct libscols_line *line = scols_table_new_line(view, NULL);
    good = line != NULL;
    for (size_t j = 0; good && j < table->columns; j++)
      good = scols_line_set_data(line, j, table->cells[i + j]) == 0;
  }
  good = good && scols_print_table(view) == 0;
  scols_unref_table(view);
  return good;
}
#else
static bool print(const aq_cli_columns *table, FILE *out)
{
  for (size_t i = 0; i < table->columns; i++) {
    const char *name = table->names[i];
    fprintf(out, "%s%s", name + (*name == '>' || *name == '<'),
            i + 1 < table->columns ? "\t" : "\n");
  }
  for (size_t i = 0; i < table->count; i++)
    fprintf(out, "%s%s", table->cells[i],
            (i + 1) % table->columns ? "\t" : "\n");
  return !ferror(out);
}
#endif

void aq_cli_columns_drop(aq_cli_columns *table)
{
  if (!table)
    return;
  for (size_t i = 0; i < table->count; i++)
    free(table->cells[i]);
  free(table->cells);
  free(table);
}

bool aq_cli_columns_print(aq_cli_columns *table, FILE *out)
{
  bool good = !table->failed && print(table, out);
  aq_cli_columns_drop(table);
  return good;
}
