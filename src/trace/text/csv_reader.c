/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/text/csv_reader.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* A row longer than this is taken for a file of another kind. */
enum { ROW_MAX = 16 << 20 };

static aq_status bad_line(aq_csv *csv, const char *what)
{
  return aq_diag_set(csv->import->diag, AQ_ERR_INPUT, "%s: line %llu: %s",
                     aq_stream_reader_name(csv->reader),
                     (unsigned long long)csv->line, what);
}

/* ---- fields ---- */

static aq_status add_text(aq_csv *csv, const char *text, size_t length)
{
  if (csv->text_capacity - csv->text_size < length) {
    if (csv->text_size + length > ROW_MAX)
      return bad_line(csv, "the row is longer than 16 MiB");
    if (!AQ_ARRAY_RESERVE(csv->text, csv->text_capacity,
                          csv->text_size + length))
      return aq_diag_no_memory(csv->import->diag);
  }
  if (length > 0)
    memcpy(csv->text + csv->text_size, text, length);
  csv->text_size += length;
  return AQ_OK;
}

static aq_status end_field(aq_csv *csv)
{
  if (csv->field_count >= ROW_MAX / sizeof *csv->ends)
    return bad_line(csv, "the row has too many fields");
  if (!AQ_ARRAY_PUSH(csv->ends, csv->field_count, csv->field_capacity,
                     csv->text_size))
    return aq_diag_no_memory(csv->import->diag);
  return AQ_OK;
}

static const char *field(const aq_csv *csv, size_t i, size_t *length)
{
  size_t from = i == 0 ? 0 : csv->ends[i - 1];
  *length = csv->ends[i] - from;
  return csv->text + from;
}

/* ---- rows ---- */

/* Makes at least one byte readable, unless at the end. */
static aq_status refill(aq_csv *csv)
{
  if (csv->at < csv->end || csv->at_end)
    return AQ_OK;
  size_t size;
  aq_status status = aq_import_read(csv->import, csv->reader, &csv->at, &size);
  if (status != AQ_OK)
    return status;
  csv->end = csv->at + size;
  csv->at_end = size == 0;
  return AQ_OK;
}

/* Takes the text of a quoted field up to a quote; doubled quotes are one. */
static aq_status read_quoted(aq_csv *csv)
{
  for (;;) {
    aq_status status = refill(csv);
    if (status != AQ_OK)
      return status;
    if (csv->at_end)
      return AQ_OK; /* as a row without its end */
    const char *quote = memchr(csv->at, '"', (size_t)(csv->end - csv->at));
    const char *stop = quote ? quote : csv->end;
    for (const char *c = csv->at; c < stop; c++)
      csv->next_line += *c == '\n';
    status = add_text(csv, csv->at, (size_t)(stop - csv->at));
    if (status != AQ_OK)
      return status;
    csv->at = stop;
    if (!quote)
      continue;
    csv->at++;
    status = refill(csv);
    if (status != AQ_OK || csv->at_end || *csv->at != '"')
      return status;
    status = add_text(csv, csv->at++, 1);
    if (status != AQ_OK)
      return status;
  }
}

/* Takes one byte outside quotes; *ended at the end of the row. */
static aq_status read_byte(aq_csv *csv, bool *ended)
{
  char c = *csv->at++;
  if (c == '"')
    return read_quoted(csv);
  if (c == ',')
    return end_field(csv);
  if (c != '\n')
    return add_text(csv, &c, 1);
  csv->next_line++;
  size_t from = csv->field_count ? csv->ends[csv->field_count - 1] : 0;
  if (csv->text_size > from && csv->text[csv->text_size - 1] == '\r')
    csv->text_size--;
  *ended = true;
  return end_field(csv);
}

/* Reads a row of any number of fields; none at the end of the file. */
static aq_status read_row(aq_csv *csv)
{
  csv->text_size = csv->field_count = 0;
  csv->line = csv->next_line;
  bool ended = false, any = false;
  while (!ended) {
    aq_status status = refill(csv);
    if (status != AQ_OK)
      return status;
    csv->cut = csv->at_end && any;
    if (csv->at_end)
      return any ? end_field(csv) : AQ_OK;
    any = true;
    status = read_byte(csv, &ended);
    if (status != AQ_OK)
      return status;
  }
  return AQ_OK;
}

static bool is_blank(const aq_csv *csv)
{
  return csv->field_count == 1 && csv->text_size == 0;
}

aq_status aq_csv_next(aq_csv *csv, bool *got)
{
  for (;;) {
    aq_status status = read_row(csv);
    if (status != AQ_OK)
      return status;
    *got = csv->field_count > 0 && !csv->cut;
    if (csv->cut && !is_blank(csv)) {
      /* The last digits of a whole row and of a cut one look alike. */
      if (csv->import->options->allow_truncated)
        return aq_import_truncated(csv->import,
                                   aq_stream_reader_name(csv->reader), "line",
                                   csv->line, "");
      aq_import_repair(csv->import, AQ_REPAIR_TRUNCATED);
      return bad_line(csv,
                      "the last row has no end of line: the file was cut, or "
                      "written so; add a line end if the row is whole");
    }
    if (!*got || csv->field_count == csv->columns)
      return AQ_OK;
    if (!is_blank(csv))
      aq_import_fault(csv->import, AQ_REPAIR_SKIPPED_ROW,
                      "not the header's number of fields", NULL, 0);
  }
}

/* ---- columns ---- */

/* Equal but for case and punctuation: "Start_Timestamp", "start timestamp". */
static bool like(const char *text, size_t length, const char *name)
{
  size_t i = 0;
  for (;;) {
    while (i < length && !isalnum((unsigned char)text[i]))
      i++;
    while (*name && !isalnum((unsigned char)*name))
      name++;
    if (i == length || !*name)
      return i == length && !*name;
    if (tolower((unsigned char)text[i++]) != tolower((unsigned char)*name++))
      return false;
  }
}

static void bind(aq_csv *csv, const aq_csv_column *column, bool exactly)
{
  for (size_t i = 0; i < csv->field_count; i++) {
    size_t length;
    const char *text = field(csv, i, &length);
    const bool equal = strlen(column->name) == length &&
                       memcmp(text, column->name, length) == 0;
    if (csv->index[column->id] != SIZE_MAX ||
        !(equal || (!exactly && like(text, length, column->name))))
      continue;
    csv->index[column->id] = i;
    csv->names[column->id] = column->name;
    if (!equal)
      aq_import_repair(csv->import, AQ_REPAIR_UNKNOWN_COLUMN_CASE);
  }
}

static aq_status read_header(aq_csv *csv, const aq_csv_column *columns)
{
  aq_status status = read_row(csv);
  if (status != AQ_OK)
    return status;
  csv->columns = csv->field_count;
  for (const aq_csv_column *column = columns; column->name; column++)
    bind(csv, column, true);
  for (const aq_csv_column *column = columns; column->name; column++)
    bind(csv, column, false);
  for (const aq_csv_column *column = columns; column->name; column++)
    if (column->mandatory && csv->index[column->id] == SIZE_MAX)
      return aq_diag_set(csv->import->diag, AQ_ERR_INPUT,
                         "%s: line 1: no column \"%s\"",
                         aq_stream_reader_name(csv->reader), column->name);
  return AQ_OK;
}

static uint64_t line_at(const void *csv)
{
  return ((const aq_csv *)csv)->line;
}

aq_status aq_csv_init(aq_csv *csv, aq_import *import, aq_stream_reader *reader,
                      const aq_csv_column *columns)
{
  memset(csv, 0, sizeof *csv);
  csv->import = import;
  csv->reader = reader;
  csv->next_line = 1;
  import->place = (aq_import_place){"line", line_at, csv};
  for (int i = 0; i < AQ_CSV_IDS; i++)
    csv->index[i] = SIZE_MAX;
  csv->text = malloc(256);
  csv->text_capacity = 256;
  aq_status status = csv->text ? read_header(csv, columns)
                               : aq_diag_no_memory(csv->import->diag);
  if (status != AQ_OK)
    aq_csv_fini(csv);
  return status;
}

void aq_csv_fini(aq_csv *csv)
{
  csv->import->place = (aq_import_place){NULL, NULL, NULL};
  free(csv->text);
  free(csv->ends);
}

bool aq_csv_has(const aq_csv *csv, int id)
{
  return csv->index[id] != SIZE_MAX;
}

const char *aq_csv_text(const aq_csv *csv, int id, size_t *length)
{
  *length = 0;
  return aq_csv_has(csv, id) ? field(csv, csv->index[id], length) : "";
}

int64_t aq_csv_int(const aq_csv *csv, int id)
{
  size_t length;
  int64_t value;
  const char *text = aq_csv_text(csv, id, &length);
  if (aq_decimal_int(text, length, &value) && value != AQ_NONE)
    return value;
  if (aq_csv_has(csv, id))
    aq_import_fault(csv->import, AQ_REPAIR_BAD_NUMBER, csv->names[id], text,
                    length);
  return AQ_NONE;
}

bool aq_csv_tick(const aq_csv *csv, int id, aq_tick *out)
{
  size_t length;
  const char *text = aq_csv_text(csv, id, &length);
  return !aq_decimal_is_rounded(text, length) &&
         aq_decimal_tick(text, length, AQ_TICK_NS, out);
}

bool aq_csv_header_has(const char *text, size_t length, const char *name)
{
  const char *newline = memchr(text, '\n', length);
  const char *end = newline ? newline : text + length;
  for (const char *at = text; at < end;) {
    const char *comma = memchr(at, ',', (size_t)(end - at));
    const char *stop = comma ? comma : end;
    if (like(at, (size_t)(stop - at), name))
      return true;
    at = stop + 1;
  }
  return false;
}
