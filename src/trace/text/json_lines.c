/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/text/json_lines.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

enum { LINE_MAX_SIZE = 1 << 20 };

aq_status aq_json_lines_error(const aq_json_lines *l, const char *what,
                              const char *of)
{
  return aq_diag_set(l->import->diag, AQ_ERR_INPUT, "%s: line %llu: %s%s",
                     aq_stream_reader_name(l->reader),
                     (unsigned long long)l->number, what, of);
}

static aq_status append(aq_json_lines *l, const char *bytes, size_t size)
{
  if (l->size + size >= LINE_MAX_SIZE)
    return aq_json_lines_error(l, "longer than 1 MiB, expected one record", "");
  if (!AQ_ARRAY_RESERVE(l->line, l->capacity, l->size + size + 1))
    return aq_diag_no_memory(l->import->diag);
  memcpy(l->line + l->size, bytes, size);
  l->size += size;
  l->line[l->size] = '\0';
  return AQ_OK;
}

/* yajl's tree has texts that end at their first NUL. */
static bool has_nul(const aq_json_lines *l)
{
  if (memchr(l->line, '\0', l->size))
    return true;
  const char *at = l->line;
  while ((at = strchr(at, '\\')) && at[1]) {
    if (strncmp(at + 1, "u0000", 5) == 0)
      return true;
    at += 2;
  }
  return false;
}

/* The next line without its end. */
static aq_status next_line(aq_json_lines *l, bool *got)
{
  l->size = 0;
  l->number++;
  for (;;) {
    const char *end = memchr(l->rest, '\n', l->rest_size);
    size_t size = end ? (size_t)(end - l->rest) : l->rest_size;
    aq_status status = append(l, l->rest, size);
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
      *got = l->cut = l->size > 0;
      return AQ_OK;
    }
  }
}

static uint64_t line_at(const void *lines)
{
  return ((const aq_json_lines *)lines)->number;
}

aq_status aq_json_lines_open(aq_json_lines *l, aq_import *import,
                             const aq_trace_file *file)
{
  *l = (aq_json_lines){.import = import, .rest = ""};
  import->place = (aq_import_place){"line", line_at, l};
  return aq_trace_file_open(file, &l->reader, import->diag);
}

void aq_json_lines_close(aq_json_lines *l)
{
  l->import->place = (aq_import_place){NULL, NULL, NULL};
  yajl_tree_free(l->tree);
  free(l->line);
  aq_stream_reader_close(l->reader);
}

static bool is_whole(aq_json_lines *l)
{
  char error[1];
  yajl_tree_free(l->tree);
  l->tree = yajl_tree_parse(l->line, error, sizeof error);
  return l->tree != NULL;
}

aq_status aq_json_lines_next(aq_json_lines *l, bool *got)
{
  aq_status status;
  do
    status = next_line(l, got);
  while (status == AQ_OK && *got && l->line[strspn(l->line, " \t\r")] == '\0');
  if (status != AQ_OK || !*got || !l->cut || is_whole(l))
    return status;
  *got = false;
  return aq_import_truncated(l->import, aq_stream_reader_name(l->reader),
                             "line", l->number, "inside a record");
}

aq_status aq_json_lines_object(aq_json_lines *l, yajl_val *object)
{
  char error[128] = "";
  if (has_nul(l))
    return aq_json_lines_error(l, "a NUL character, expected text without", "");
  yajl_tree_free(l->tree);
  l->tree = yajl_tree_parse(l->line, error, sizeof error);
  *object = l->tree;
  if (YAJL_IS_OBJECT(l->tree))
    return AQ_OK;
  error[strcspn(error, "\n")] = '\0';
  return aq_json_lines_error(l, "expected one JSON object; ", error);
}

yajl_val aq_json_lines_member(yajl_val object, const char *key)
{
  const char *path[] = {key, NULL};
  return yajl_tree_get(object, path, yajl_t_any);
}

const char *aq_json_lines_text(yajl_val value)
{
  return YAJL_IS_STRING(value) ? YAJL_GET_STRING(value) : NULL;
}
