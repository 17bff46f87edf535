/* SPDX-License-Identifier: MIT */
/* JSON Lines of our own record table; see doc/formats/jsonl.md. */
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_tree.h>

#include "trace/importers.h"

enum { LINE_MAX_SIZE = 1 << 20 };

/* The file, line by line. */
typedef struct lines {
  aq_import *import;
  aq_reader *reader;
  const char *rest; /* of the reader's piece */
  size_t rest_size;
  char *line; /* terminated */
  size_t size, capacity;
  uint64_t number; /* of the line, from 1 */
} lines;

static aq_status line_error(const lines *l, const char *what, const char *of)
{
  return aq_diag_set(l->import->diag, AQ_ERR_INPUT, "%s: line %llu: %s%s",
                     aq_reader_name(l->reader), (unsigned long long)l->number,
                     what, of);
}

static aq_status line_append(lines *l, const char *bytes, size_t size)
{
  if (l->size + size >= LINE_MAX_SIZE)
    return line_error(l, "longer than 1 MiB, expected one record", "");
  if (l->size + size >= l->capacity) {
    size_t capacity = 2 * (l->size + size) + 256;
    char *grown = realloc(l->line, capacity);
    if (!grown)
      return aq_diag_set(l->import->diag, AQ_ERR_NO_MEMORY, "%s: out of memory",
                         aq_reader_name(l->reader));
    l->line = grown;
    l->capacity = capacity;
  }
  memcpy(l->line + l->size, bytes, size);
  l->size += size;
  l->line[l->size] = '\0';
  return AQ_OK;
}

/* The next line without its end; *got is false after the last one. */
static aq_status line_next(lines *l, bool *got)
{
  l->size = 0;
  l->number++;
  for (;;) {
    const char *end = memchr(l->rest, '\n', l->rest_size);
    size_t size = end ? (size_t)(end - l->rest) : l->rest_size;
    aq_status status = line_append(l, l->rest, size);
    if (status != AQ_OK)
      return status;
    l->rest += size + (end != NULL);
    l->rest_size -= size + (end != NULL);
    *got = true;
    if (end)
      return AQ_OK;
    status = aq_import_read(l->import, l->reader, &l->rest, &l->rest_size);
    if (status != AQ_OK)
      return status;
    if (l->rest_size == 0) {
      *got = l->size > 0;
      return AQ_OK;
    }
  }
}

/* ---- one record ---- */

static const char *text_of(yajl_val value)
{
  return YAJL_IS_STRING(value) ? YAJL_GET_STRING(value) : NULL;
}

static yajl_val member(yajl_val object, const char *key)
{
  const char *path[] = {key, NULL};
  return yajl_tree_get(object, path, yajl_t_any);
}

/* Times within 2^61 ps either way, sizes within 2^40: differences and products
 * of what is read cannot overflow. Ids may be anything. */
static bool is_in_range(const aq_record_field *field, int64_t value)
{
  if (strcmp(field->unit, "ps") == 0)
    return value >= -(INT64_C(1) << 61) && value <= INT64_C(1) << 61;
  const bool size = strcmp(field->unit, "work-items") == 0 ||
                    strcmp(field->unit, "bytes") == 0 ||
                    strcmp(field->unit, "registers") == 0;
  return !size || (value >= 0 && value <= INT64_C(1) << 40);
}

static aq_status read_integer(const lines *l, const aq_record_field *field,
                              yajl_val value, int64_t *out)
{
  if (!YAJL_IS_INTEGER(value))
    return line_error(l, "expected an integer for ", field->name);
  if (!is_in_range(field, YAJL_GET_INTEGER(value)))
    return line_error(l, "out of range: ", field->name);
  *out = YAJL_GET_INTEGER(value);
  return AQ_OK;
}

/* The number whose word is given: the other way round from `word_of`. */
static aq_status read_word(const lines *l, const char *key, yajl_val value,
                           const char *(*word_of)(int64_t), int64_t count,
                           int64_t *out)
{
  const char *text = text_of(value);
  for (int64_t i = 0; text && i < count; i++)
    if (word_of(i) && strcmp(word_of(i), text) == 0) {
      *out = i;
      return AQ_OK;
    }
  return line_error(l, "unknown word for ", key);
}

static aq_status read_device(lines *l, yajl_val value, aq_record *row)
{
  if (!YAJL_IS_OBJECT(value) || !YAJL_IS_INTEGER(member(value, "id")))
    return line_error(l, "expected an object with an integer id for ",
                      "device");
  yajl_val cus = member(value, "cus");
  return aq_import_device(
      l->import,
      &(aq_run_device){.source_id = YAJL_GET_INTEGER(member(value, "id")),
                       .name = text_of(member(value, "name")),
                       .gfx = text_of(member(value, "gfx")),
                       .cus = YAJL_IS_INTEGER(cus) ? YAJL_GET_INTEGER(cus)
                                                   : AQ_NONE},
      &row->device);
}

static aq_status read_queue(lines *l, yajl_val value, aq_record *row)
{
  if (!YAJL_IS_OBJECT(value) || !YAJL_IS_INTEGER(member(value, "id")))
    return line_error(l, "expected an object with an integer id for ", "queue");
  if (row->device == AQ_NONE)
    return line_error(l, "a queue without a ", "device");
  return aq_import_queue(l->import, row->device,
                         YAJL_GET_INTEGER(member(value, "id")), &row->queue);
}

static aq_status read_field(lines *l, size_t field, yajl_val value,
                            aq_record *row)
{
  const char *key = aq_record_fields[field].name;
  int64_t *out = &row->kind + field;
  const char *text;
  switch (field) {
  case AQ_RECORD_FIELD_kind:
    return read_word(l, key, value, aq_record_kind_name, AQ_KIND_COUNT, out);
  case AQ_RECORD_FIELD_via:
    return read_word(l, key, value, aq_record_via_name, AQ_VIA_COUNT, out);
  case AQ_RECORD_FIELD_name:
    text = text_of(value);
    return text ? aq_import_name(l->import, text, strlen(text), out)
                : line_error(l, "expected a text for ", key);
  case AQ_RECORD_FIELD_device:
    return read_device(l, value, row);
  case AQ_RECORD_FIELD_queue:
    return read_queue(l, value, row);
  case AQ_RECORD_FIELD_origin:
    return line_error(l, "a row of a simulated run (it has an origin): only ",
                      "measured runs are read");
  default:
    return read_integer(l, &aq_record_fields[field], value, out);
  }
}

/* What a measured row of its kind has to have. */
static aq_status check_fields(const lines *l, const aq_record *row)
{
  static const uint8_t of_device[] = {
      AQ_RECORD_FIELD_name, AQ_RECORD_FIELD_device, AQ_RECORD_FIELD_queue,
      AQ_RECORD_FIELD_start, AQ_RECORD_FIELD_end};
  static const uint8_t of_wait[] = {AQ_RECORD_FIELD_name,
                                    AQ_RECORD_FIELD_host_begin,
                                    AQ_RECORD_FIELD_host_end};
  if (row->kind != AQ_KIND_KERNEL && row->kind != AQ_KIND_COPY &&
      row->kind != AQ_KIND_FILL && row->kind != AQ_KIND_WAIT)
    return line_error(l, "expected kernel, copy, fill or wait for ", "kind");
  const bool wait = row->kind == AQ_KIND_WAIT;
  const uint8_t *needed = wait ? of_wait : of_device;
  for (size_t i = 0; i < (wait ? sizeof of_wait : sizeof of_device); i++)
    if (aq_record_values(row)[needed[i]] == AQ_NONE)
      return line_error(l, "no field ", aq_record_fields[needed[i]].name);
  if (!wait && row->end < row->start)
    return line_error(l, "end is before ", "start");
  return AQ_OK;
}

/* The fields in the order of the record: a device before its queue. */
static aq_status read_fields(lines *l, yajl_val object, aq_record *row)
{
  size_t known = member(object, "row") != NULL;
  for (size_t i = 0; i < AQ_RECORD_FIELD_COUNT; i++) {
    yajl_val value = member(object, aq_record_fields[i].name);
    if (!value)
      continue;
    known++;
    aq_status status = read_field(l, i, value, row);
    if (status != AQ_OK)
      return status;
  }
  if (known != object->u.object.len)
    return line_error(l, "a field that is unknown or given twice, ",
                      "expected those of doc/formats/record.md");
  return check_fields(l, row);
}

static aq_status read_line(lines *l)
{
  char error[128] = "";
  yajl_val tree = yajl_tree_parse(l->line, error, sizeof error);
  aq_record row;
  aq_record_init(&row);
  aq_status status;
  if (!YAJL_IS_OBJECT(tree)) {
    error[strcspn(error, "\n")] = '\0';
    status = line_error(l, "expected one JSON object; ", error);
  } else {
    status = read_fields(l, tree, &row);
  }
  yajl_tree_free(tree);
  if (status != AQ_OK)
    return status;
  if (row.queue != AQ_NONE && row.start != AQ_NONE)
    aq_import_order(l->import, &row);
  return aq_import_put(l->import, &row);
}

static bool is_blank(const char *line)
{
  return line[strspn(line, " \t\r")] == '\0';
}

aq_status aq_jsonl_import(aq_import *import, aq_join *join,
                          const aq_trace_files *files)
{
  (void)join; /* every row has its host times already */
  lines l = {.import = import, .rest = ""};
  aq_status status =
      aq_trace_file_open(&files->files[0], &l.reader, import->diag);
  if (status != AQ_OK)
    return status;
  bool got = true;
  while (status == AQ_OK && got) {
    status = line_next(&l, &got);
    if (status == AQ_OK && got && !is_blank(l.line))
      status = read_line(&l);
  }
  free(l.line);
  aq_reader_close(l.reader);
  return status;
}
