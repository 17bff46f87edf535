/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/commands/table_output.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/array.h"
#include "common/record.h"
#include "common/text.h"
#include "report/stats/name_cuts.h"
#include "report/stats/short_names.h"

#ifdef HAVE_SMARTCOLS
#include <libsmartcols/libsmartcols.h>
#endif

enum { TITLES_MAX = 24, CELL_SIZE = 64 };

/* Between two names of one cell; a cleaned text has none. */
enum { BETWEEN_NAMES = '\n' };

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
  return title + (strchr("<>~=", *title) != NULL);
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

/* Takes a cell; NULL: no memory for it. */
static void cell_take(aq_cli_rows *rows, char *line)
{
  if (line && rows->names)
    fprintf(rows->out, "%s\n", line);
  else if (line &&
           AQ_ARRAY_PUSH(rows->cells, rows->count, rows->capacity, line))
    return;
  rows->failed |= !line || !rows->names;
  free(line);
}

static void cell_put(aq_cli_rows *rows, const char *text)
{
  cell_take(rows, aq_text_line(text, strlen(text)));
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

void aq_cli_cell_names(aq_cli_rows *rows, const char *was, const char *is)
{
  char *first = aq_text_line(was, strlen(was)), *both = NULL;
  char *second = aq_text_line(is, strlen(is));
  if (first && second &&
      asprintf(&both, "%s%c%s", first, BETWEEN_NAMES, second) < 0)
    both = NULL;
  if (column_next(rows))
    cell_take(rows, both);
  else
    free(both);
  free(first);
  free(second);
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

enum {
  NAME_LEAST = 24,
  HALF_LEAST = 16, /* of two names in a cell */
  NAME_MOST = 100  /* where no width is known */
};

/* Between the names of a cell, in a table. */
#define JOINT " > "

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

static bool is_name(const char *title)
{
  return *title == '~' || *title == '=';
}

/* The names in the columns of names, in the order of cells. */
typedef struct table_names {
  aq_name_cell *list;
  size_t count;
  size_t *kernels; /* places in the list of names to shorten */
  size_t kernel_count;
} table_names;

/* A cell's second name; NULL: it has one. */
static const char *second_name(const char *cell)
{
  const char *between = strchr(cell, BETWEEN_NAMES);
  return between ? between + 1 : NULL;
}

static bool name_add(table_names *names, const char *text, size_t row,
                     size_t width, bool kernel)
{
  char *name = strndup(text, strcspn(text, (char[]){BETWEEN_NAMES, 0}));
  if (!name)
    return false;
  if (kernel)
    names->kernels[names->kernel_count++] = names->count;
  names->list[names->count++] = (aq_name_cell){name, width, row};
  return true;
}

/* Two names share the room of one. */
static bool names_take(const aq_cli_rows *rows, size_t room, table_names *names)
{
  const size_t half = (room - strlen(JOINT)) / 2;
  for (size_t i = 0; i < rows->count; i++) {
    const char *title = rows->titles[i % rows->columns];
    const char *second = second_name(rows->cells[i]);
    const size_t row = i / rows->columns;
    const size_t width = !second ? room : half > HALF_LEAST ? half : HALF_LEAST;
    if (!is_name(title))
      continue;
    if (!name_add(names, rows->cells[i], row, width, *title == '~') ||
        (second && !name_add(names, second, row, width, *title == '~')))
      return false;
  }
  return true;
}

static bool kernels_shorten(table_names *names)
{
  char **kernels = malloc((names->kernel_count + 1) * sizeof *kernels);
  for (size_t i = 0; kernels && i < names->kernel_count; i++)
    kernels[i] = names->list[names->kernels[i]].name;
  const bool good =
      kernels && aq_names_short(kernels, names->kernel_count) == 0;
  for (size_t i = 0; good && i < names->kernel_count; i++)
    names->list[names->kernels[i]].name = kernels[i];
  free(kernels);
  return good;
}

/* Puts the names into their cells. */
static bool names_put(aq_cli_rows *rows, const table_names *names)
{
  const aq_name_cell *next = names->list;
  for (size_t i = 0; i < rows->count; i++) {
    char *cell = rows->cells[i], *text;
    if (!is_name(rows->titles[i % rows->columns]))
      continue;
    const char *first = next++->name;
    const bool both = second_name(cell) != NULL;
    if (asprintf(&text, "%s%s%s", first, both ? JOINT : "",
                 both ? next++->name : "") < 0)
      return false;
    free(cell);
    rows->cells[i] = text;
  }
  return true;
}

/* Columns of names share the room that the other columns leave. */
static bool names_fit(aq_cli_rows *rows)
{
  const size_t limit = rows->wide ? SIZE_MAX : width_limit(rows->out);
  size_t others = rows->columns, columns = 0;
  for (size_t i = 0; i < rows->columns; i++)
    if (is_name(rows->titles[i]))
      columns++;
    else
      others += column_width(rows, i);
  if (columns == 0)
    return true;
  size_t room = rows->wide          ? SIZE_MAX
                : limit == SIZE_MAX ? NAME_MOST
                : limit > others    ? (limit - others) / columns
                                    : 0;
  room = room > NAME_LEAST ? room : NAME_LEAST;
  table_names names = {
      .list = malloc((2 * rows->count + 1) * sizeof *names.list),
      .kernels = malloc((2 * rows->count + 1) * sizeof *names.kernels)};
  bool good = names.list && names.kernels && names_take(rows, room, &names);
  if (good && !rows->wide)
    good =
        kernels_shorten(&names) && aq_names_fit(names.list, names.count) == 0;
  good = good && names_put(rows, &names);
  for (size_t i = 0; i < names.count; i++)
    free(names.list[i].name);
  free(names.list);
  free(names.kernels);
  return good;
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
