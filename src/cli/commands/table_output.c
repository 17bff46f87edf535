/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/commands/table_output.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/array.h"
#include "common/record.h"
#include "common/text.h"
#include "report/stats/short_names.h"

#ifdef HAVE_SMARTCOLS
#include <libsmartcols/libsmartcols.h>
#endif

enum { TITLES_MAX = 24, CELL_SIZE = 64 };

struct aq_cli_rows {
  FILE *out;
  aq_json_out *json;             /* NULL: a table */
  const aq_cli_column *all, *at; /* at: of the next cell */
  const char *titles[TITLES_MAX];
  size_t columns; /* of the table */
  char **cells;   /* of the table, owned */
  size_t count, capacity;
  bool names, wide, failed;
};

/* Whether a table has the column. */
static bool is_shown(const aq_cli_rows *rows, const aq_cli_column *column)
{
  return column->title && (rows->wide || *column->title != '+');
}

static const char *heading(const char *title)
{
  return title + (strchr("<>~", *title) != NULL);
}

aq_cli_rows *aq_cli_rows_begin(aq_cli *cli, aq_json_out *json, const char *key,
                               const aq_cli_column *columns)
{
  aq_cli_rows *rows = calloc(1, sizeof *rows);
  if (!rows)
    return NULL;
  *rows = (aq_cli_rows){.out = cli->out,
                        .json = json,
                        .all = columns,
                        .at = columns,
                        .wide = aq_cli_flag(cli, AQ_CLI_OPT_WIDE)};
  for (; columns->title || columns->key; columns++)
    if (is_shown(rows, columns) && rows->columns < TITLES_MAX)
      rows->titles[rows->columns++] = columns->title + (*columns->title == '+');
  if (json)
    aq_json_out_array(json, key);
  return rows;
}

void aq_cli_rows_names(aq_cli_rows *rows)
{
  if (rows)
    rows->names = true;
}

void aq_cli_row_begin(aq_cli_rows *rows)
{
  if (!rows)
    return;
  rows->at = rows->all;
  if (rows->json)
    aq_json_out_map(rows->json, NULL);
}

void aq_cli_row_end(aq_cli_rows *rows)
{
  if (rows && rows->json)
    aq_json_out_close_map(rows->json);
}

/* ---- cells ---- */

/* The column of a cell, of which there is one more; NULL: not wanted. */
static const aq_cli_column *column_next(aq_cli_rows *rows)
{
  if (!rows)
    return NULL;
  const aq_cli_column *column = rows->at++;
  const bool first = column == rows->all;
  return rows->json ? (column->key ? column : NULL)
         : is_shown(rows, column) && (first || !rows->names) ? column
                                                             : NULL;
}

static void cell_put(aq_cli_rows *rows, const char *text)
{
  char *line = aq_text_line(text, strlen(text));
  if (line && rows->names)
    fprintf(rows->out, "%s\n", line);
  else if (line &&
           AQ_ARRAY_PUSH(rows->cells, rows->count, rows->capacity, line))
    return;
  rows->failed |= !line || !rows->names;
  free(line);
}

void aq_cli_cell_text(aq_cli_rows *rows, const char *text)
{
  const aq_cli_column *column = column_next(rows);
  if (!column)
    return;
  if (rows->json)
    aq_json_out_text(rows->json, column->key, text);
  else
    cell_put(rows, text ? text : "-");
}

void aq_cli_cell_int(aq_cli_rows *rows, int64_t value)
{
  char text[CELL_SIZE] = "-";
  const aq_cli_column *column = column_next(rows);
  if (!column)
    return;
  if (value != AQ_NONE)
    snprintf(text, sizeof text, "%" PRId64, value);
  if (rows->json)
    aq_json_out_int(rows->json, column->key, value);
  else
    cell_put(rows, text);
}

void aq_cli_cell_time(aq_cli_rows *rows, int64_t ps)
{
  char text[CELL_SIZE] = "-";
  const aq_cli_column *column = column_next(rows);
  if (!column)
    return;
  if (ps != AQ_NONE)
    snprintf(text, sizeof text, "%.3f", (double)ps / (double)AQ_US);
  if (rows->json)
    aq_json_out_ns(rows->json, column->key, ps);
  else
    cell_put(rows, text);
}

void aq_cli_cell_real(aq_cli_rows *rows, const char *format, double value)
{
  char text[CELL_SIZE] = "-";
  const aq_cli_column *column = column_next(rows);
  if (!column)
    return;
  if (!isnan(value))
    snprintf(text, sizeof text, format, value);
  if (rows->json)
    aq_json_out_real(rows->json, column->key, value);
  else
    cell_put(rows, text);
}

void aq_cli_cell_bool(aq_cli_rows *rows, bool value, const char *yes,
                      const char *no)
{
  const aq_cli_column *column = column_next(rows);
  if (!column)
    return;
  if (rows->json)
    aq_json_out_bool(rows->json, column->key, value);
  else
    cell_put(rows, value ? yes : no);
}

/* ---- empty columns ---- */

static bool column_has_value(const aq_cli_rows *rows, size_t column)
{
  for (size_t i = column; i < rows->count; i += rows->columns)
    if (strcmp(rows->cells[i], "-") != 0)
      return true;
  return false;
}

/* ---- widths ---- */

enum { NAME_LEAST = 24, NAME_MOST = 100 /* where no width is known */ };

/* The columns of a terminal, or of $COLUMNS; SIZE_MAX: no limit. */
static size_t width_limit(FILE *out)
{
  const char *text = getenv("COLUMNS");
  const long given = text ? strtol(text, NULL, 10) : 0;
  struct winsize size;
  if (given > 0)
    return (size_t)given;
  if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return SIZE_MAX;
}

static size_t column_width(const aq_cli_rows *rows, size_t column)
{
  size_t width = aq_name_width(heading(rows->titles[column]));
  for (size_t i = column; i < rows->count; i += rows->columns) {
    const size_t cell = aq_name_width(rows->cells[i]);
    width = cell > width ? cell : width;
  }
  return width;
}

/* The names of a column, short and no wider than `room`. */
static bool names_shorten(aq_cli_rows *rows, size_t column, size_t room)
{
  const size_t count = rows->count / rows->columns;
  char **names = calloc(count ? count : 1, sizeof *names);
  bool good = names != NULL;
  for (size_t i = 0; good && i < count; i++) {
    names[i] = aq_name_short(rows->cells[i * rows->columns + column]);
    good = names[i] != NULL;
  }
  good = good && aq_names_fit(names, count, room) == 0;
  for (size_t i = 0; names && i < count; i++) {
    char **cell = &rows->cells[i * rows->columns + column];
    free(good ? *cell : names[i]);
    *cell = good ? names[i] : *cell;
  }
  free(names);
  return good;
}

/* Columns of names share the room that the other columns leave. */
static bool names_fit(aq_cli_rows *rows)
{
  const size_t limit = rows->wide ? SIZE_MAX : width_limit(rows->out);
  size_t others = rows->columns, names = 0;
  for (size_t i = 0; i < rows->columns; i++)
    if (*rows->titles[i] == '~')
      names++;
    else
      others += column_width(rows, i);
  if (names == 0 || rows->wide)
    return true;
  size_t room = limit == SIZE_MAX ? NAME_MOST
                : limit > others  ? (limit - others) / names
                                  : 0;
  room = room > NAME_LEAST ? room : NAME_LEAST;
  for (size_t i = 0; i < rows->columns; i++)
    if (*rows->titles[i] == '~' && !names_shorten(rows, i, room))
      return false;
  return true;
}

/* ---- tables ---- */

#ifdef HAVE_SMARTCOLS
static struct libscols_table *scols_make(const aq_cli_rows *rows, FILE *out)
{
  struct libscols_table *view = scols_new_table();
  if (!view)
    return NULL;
  scols_table_set_stream(view, out);
  scols_table_enable_maxout(view, 0);
  scols_table_enable_noencoding(view, 1);
  for (size_t i = 0; i < rows->columns; i++) {
    const char *name = rows->titles[i];
    int flags = *name == '>'   ? SCOLS_FL_RIGHT
                : *name == '<' ? SCOLS_FL_TRUNC
                               : 0;
    if (!scols_table_new_column(view, heading(name), 0, flags)) {
      scols_unref_table(view);
      return NULL;
    }
  }
  const size_t limit = rows->wide ? SIZE_MAX : width_limit(out);
  scols_table_set_termforce(view, limit == SIZE_MAX ? SCOLS_TERMFORCE_NEVER
                                                    : SCOLS_TERMFORCE_ALWAYS);
  if (limit != SIZE_MAX)
    scols_table_set_termwidth(view, limit);
  return view;
}

static bool print(const aq_cli_rows *rows, FILE *out)
{
  struct libscols_table *view = scols_make(rows, out);
  if (!view)
    return false;
  bool good = true;
  for (size_t i = 0; good && i < rows->count; i += rows->columns) {
    struct libscols_line *line = scols_table_new_line(view, NULL);
    good = line != NULL;
    for (size_t j = 0; good && j < rows->columns; j++)
      good = scols_line_set_data(line, j, rows->cells[i + j]) == 0;
  }
  good = good && scols_print_table(view) == 0;
  scols_unref_table(view);
  return good;
}
#else
static bool print(const aq_cli_rows *rows, FILE *out)
{
  for (size_t i = 0; i < rows->columns; i++) {
    const char *name = rows->titles[i];
    fprintf(out, "%s%s", heading(name), i + 1 < rows->columns ? "\t" : "\n");
  }
  for (size_t i = 0; i < rows->count; i++)
    fprintf(out, "%s%s", rows->cells[i], (i + 1) % rows->columns ? "\t" : "\n");
  return !ferror(out);
}
#endif

void aq_cli_rows_drop(aq_cli_rows *rows)
{
  if (!rows)
    return;
  for (size_t i = 0; i < rows->count; i++)
    free(rows->cells[i]);
  free(rows->cells);
  free(rows);
}

aq_status aq_cli_rows_end(aq_cli *cli, aq_cli_rows *rows)
{
  bool good = rows && !rows->failed;
  if (good && rows->json)
    aq_json_out_close_array(rows->json);
  else if (good && !rows->names) {
    /* Takes the columns with '?' that have no value out of the table, and the
     * mark off the others. */
    bool kept[TITLES_MAX] = {0};
    size_t columns = 0, cells = 0;
    for (size_t i = 0; i < rows->columns; i++) {
      const bool optional = *rows->titles[i] == '?';
      kept[i] = !optional || column_has_value(rows, i);
      rows->titles[columns] = rows->titles[i] + optional;
      columns += kept[i];
    }
    for (size_t i = 0; i < rows->count; i++)
      if (kept[i % rows->columns])
        rows->cells[cells++] = rows->cells[i];
      else
        free(rows->cells[i]);
    rows->columns = columns;
    rows->count = cells;
    good = names_fit(rows) && print(rows, rows->out);
  }
  aq_cli_rows_drop(rows);
  return good ? AQ_OK : aq_diag_no_memory(&cli->diag);
}
