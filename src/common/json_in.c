/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/json_in.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>
#include <yajl/yajl_tree.h>

#include "common/time_text.h"

/* ---- parsing ---- */

/* The tree parser recurses where it frees and does not say where an error is,
 * so a first pass without a tree finds depth and place of errors. */
static int depth_in(void *user)
{
  return ++*(int *)user <= AQ_JSON_DEPTH_MAX;
}

static int depth_out(void *user)
{
  --*(int *)user;
  return 1;
}

static const yajl_callbacks depth_callbacks = {
    .yajl_start_map = depth_in,
    .yajl_end_map = depth_out,
    .yajl_start_array = depth_in,
    .yajl_end_array = depth_out,
};

static size_t line_of(const char *text, size_t offset)
{
  size_t line = 1;
  for (size_t i = 0; i < offset; i++)
    line += text[i] == '\n';
  return line;
}

/* yajl's message is "parse error: REASON\n"; the reason is what we want. */
static void reason_copy(char *to, size_t size, const char *message)
{
  const char *colon = strstr(message, ": ");
  snprintf(to, size, "%s", colon ? colon + 2 : message);
  to[strcspn(to, "\n")] = 0;
}

static aq_status syntax_error(yajl_handle parser, const char *text, size_t size,
                              int depth, const char *file, aq_diag *diag)
{
  size_t at = yajl_get_bytes_consumed(parser);
  const size_t line = line_of(text, at < size ? at : size);
  if (depth > AQ_JSON_DEPTH_MAX)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s: line %zu: nested deeper than %d levels", file, line,
                       AQ_JSON_DEPTH_MAX);
  char reason[128];
  unsigned char *message = yajl_get_error(parser, 0, NULL, 0);
  reason_copy(reason, sizeof reason, (const char *)message);
  yajl_free_error(parser, message);
  return aq_diag_set(diag, AQ_ERR_INPUT, "%s: line %zu: %s", file, line,
                     reason);
}

static aq_status syntax_check(const char *text, size_t size, const char *file,
                              aq_diag *diag)
{
  int depth = 0;
  yajl_handle parser = yajl_alloc(&depth_callbacks, NULL, &depth);
  if (!parser)
    return aq_diag_no_memory(diag);
  yajl_status parsed = yajl_parse(parser, (const unsigned char *)text, size);
  if (parsed == yajl_status_ok)
    parsed = yajl_complete_parse(parser);
  aq_status status = AQ_OK;
  if (parsed != yajl_status_ok)
    status = syntax_error(parser, text, size, depth, file, diag);
  yajl_free(parser);
  return status;
}

/* All of it, or one byte more than a document may have. */
static aq_status stream_read(FILE *file, const char *path, char **out,
                             size_t *size, aq_diag *diag)
{
  const size_t most = (size_t)AQ_JSON_SIZE_MAX + 1;
  size_t capacity = 0, used = 0;
  char *text = NULL;
  while (used == capacity && used < most) {
    capacity = capacity ? 2 * capacity : 1 << 14;
    capacity = capacity < most ? capacity : most;
    char *grown = realloc(text, capacity);
    if (!grown) {
      free(text);
      return aq_diag_no_memory(diag);
    }
    text = grown;
    used += fread(text + used, 1, capacity - used, file);
  }
  if (ferror(file)) {
    free(text);
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: %s", path, strerror(errno));
  }
  *out = text;
  *size = used;
  return AQ_OK;
}

aq_status aq_json_load(const char *path, char **out, size_t *size,
                       aq_diag *diag)
{
  FILE *file = fopen(path, "rb");
  if (!file)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: %s", path, strerror(errno));
  const aq_status status = stream_read(file, path, out, size, diag);
  fclose(file);
  return status;
}

aq_status aq_json_parse(aq_json_doc *doc, const char *text, size_t size,
                        const char *file, aq_diag *diag)
{
  if (size > AQ_JSON_SIZE_MAX)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: larger than %d MiB", file,
                       AQ_JSON_SIZE_MAX >> 20);
  const char *nul = memchr(text, 0, size);
  if (nul)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s: line %zu: a zero byte, JSON text expected", file,
                       line_of(text, (size_t)(nul - text)));
  aq_status status = syntax_check(text, size, file, diag);
  if (status != AQ_OK)
    return status;
  char *copy = malloc(size + 1);
  if (!copy)
    return aq_diag_no_memory(diag);
  memcpy(copy, text, size);
  copy[size] = 0;
  char reason[256] = "";
  struct yajl_val_s *root = yajl_tree_parse(copy, reason, sizeof reason);
  free(copy);
  if (!root)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: no JSON value in it", file);
  *doc = (aq_json_doc){.file = file, .root = root, .diag = diag};
  return AQ_OK;
}

void aq_json_free(aq_json_doc *doc)
{
  yajl_tree_free(doc->root);
  doc->root = NULL;
}

/* ---- places ---- */

aq_json_node aq_json_root(const aq_json_doc *doc)
{
  return (aq_json_node){.doc = doc, .value = doc->root};
}

/* Appends the path of a node; returns the length so far. */
static size_t path_write(const aq_json_node *node, char *to, size_t size)
{
  if (!node->parent)
    return 0;
  size_t at = path_write(node->parent, to, size);
  int length;
  if (node->key)
    length = snprintf(to + at, size - at, "%s%.64s", at ? "." : "", node->key);
  else
    length = snprintf(to + at, size - at, "[%zu]", node->index);
  at += (size_t)length;
  return at < size ? at : size - 1;
}

aq_status aq_json_error(const aq_json_node *node, const char *fmt, ...)
{
  char path[256] = "", text[AQ_DIAG_TEXT_MAX];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  path_write(node, path, sizeof path);
  const aq_json_doc *doc = node->doc;
  return aq_diag_set(doc->diag, AQ_ERR_INPUT, "%s: %s%s%s", doc->file, path,
                     path[0] ? ": " : "", text);
}

aq_status aq_json_no_memory(const aq_json_node *node)
{
  return aq_diag_no_memory(node->doc->diag);
}

static const char *type_name(const aq_json_node *node)
{
  switch (node->value->type) {
  case yajl_t_string:
    return "text";
  case yajl_t_number:
    return "a number";
  case yajl_t_object:
    return "an object";
  case yajl_t_array:
    return "an array";
  case yajl_t_true:
  case yajl_t_false:
    return "a truth value";
  default:
    return "null";
  }
}

static aq_status type_error(const aq_json_node *node, const char *expected)
{
  return aq_json_error(node, "%s expected, not %s", expected, type_name(node));
}

/* ---- objects and arrays ---- */

bool aq_json_is_object(const aq_json_node *node)
{
  return YAJL_IS_OBJECT(node->value);
}

bool aq_json_is_array(const aq_json_node *node)
{
  return YAJL_IS_ARRAY(node->value);
}

bool aq_json_is_text(const aq_json_node *node)
{
  return YAJL_IS_STRING(node->value);
}

static int text_compare(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Finds a duplicate key, in a sorted copy of all keys. */
static aq_status members_check_twice(const aq_json_node *node)
{
  const size_t count = node->value->u.object.len;
  if (count < 2)
    return AQ_OK;
  const char **keys = malloc(count * sizeof *keys);
  if (!keys)
    return aq_diag_no_memory(node->doc->diag);
  memcpy(keys, node->value->u.object.keys, count * sizeof *keys);
  qsort(keys, count, sizeof *keys, text_compare);
  aq_status status = AQ_OK;
  for (size_t i = 1; i < count && status == AQ_OK; i++)
    if (strcmp(keys[i - 1], keys[i]) == 0)
      status = aq_json_error(node, "\"%.64s\" is there twice", keys[i]);
  free(keys);
  return status;
}

aq_status aq_json_members(const aq_json_node *node, size_t *count)
{
  if (!aq_json_is_object(node))
    return type_error(node, "an object");
  aq_status status = members_check_twice(node);
  if (status == AQ_OK)
    *count = node->value->u.object.len;
  return status;
}

aq_json_node aq_json_member_at(const aq_json_node *node, size_t index)
{
  return (aq_json_node){.doc = node->doc,
                        .parent = node,
                        .key = node->value->u.object.keys[index],
                        .value = node->value->u.object.values[index]};
}

static bool key_is_known(const char *key, const char *const *keys)
{
  while (*keys && strcmp(*keys, key) != 0)
    keys++;
  return *keys != NULL;
}

aq_status aq_json_object(const aq_json_node *node, const char *const *keys)
{
  size_t count = 0;
  aq_status status = aq_json_members(node, &count);
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const char *key = node->value->u.object.keys[i];
    if (key_is_known(key, keys))
      continue;
    char known[256];
    size_t at = 0;
    known[0] = 0;
    for (const char *const *k = keys; *k && at < sizeof known; k++)
      at += (size_t)snprintf(known + at, sizeof known - at, "%s%s",
                             k == keys ? "" : ", ", *k);
    status =
        aq_json_error(node, "unknown key \"%.64s\"; known are %s", key, known);
  }
  return status;
}

bool aq_json_member(const aq_json_node *node, const char *key,
                    aq_json_node *out)
{
  if (!aq_json_is_object(node))
    return false;
  for (size_t i = 0; i < node->value->u.object.len; i++)
    if (strcmp(node->value->u.object.keys[i], key) == 0) {
      *out = aq_json_member_at(node, i);
      return true;
    }
  return false;
}

aq_status aq_json_need(const aq_json_node *node, const char *key,
                       aq_json_node *out)
{
  if (!aq_json_is_object(node))
    return type_error(node, "an object");
  if (aq_json_member(node, key, out))
    return AQ_OK;
  return aq_json_error(node, "\"%s\" is missing", key);
}

aq_status aq_json_array(const aq_json_node *node, size_t min, size_t max,
                        size_t *count)
{
  if (!aq_json_is_array(node))
    return type_error(node, "an array");
  const size_t length = node->value->u.array.len;
  if (length < min || length > max)
    return aq_json_error(node, "%zu elements, from %zu to %zu expected", length,
                         min, max);
  *count = length;
  return AQ_OK;
}

aq_json_node aq_json_element(const aq_json_node *node, size_t index)
{
  return (aq_json_node){.doc = node->doc,
                        .parent = node,
                        .index = index,
                        .value = node->value->u.array.values[index]};
}

/* ---- values ---- */

aq_status aq_json_integer(const aq_json_node *node, int64_t min, int64_t max,
                          int64_t *out)
{
  if (!YAJL_IS_NUMBER(node->value))
    return type_error(node, "a whole number");
  const char *text = YAJL_GET_NUMBER(node->value);
  if (!YAJL_IS_INTEGER(node->value))
    return aq_json_error(node, "a whole number expected, not %.40s", text);
  const int64_t value = YAJL_GET_INTEGER(node->value);
  if (value < min || value > max)
    return aq_json_error(node, "%.40s is out of range, %lld to %lld expected",
                         text, (long long)min, (long long)max);
  *out = value;
  return AQ_OK;
}

aq_status aq_json_number(const aq_json_node *node, double min, double max,
                         double *out)
{
  if (!YAJL_IS_NUMBER(node->value))
    return type_error(node, "a number");
  const double value = strtod(YAJL_GET_NUMBER(node->value), NULL);
  if (!(value >= min && value <= max))
    return aq_json_error(node, "%.40s is out of range, %g to %g expected",
                         YAJL_GET_NUMBER(node->value), min, max);
  *out = value;
  return AQ_OK;
}

aq_status aq_json_bool(const aq_json_node *node, bool *out)
{
  if (!YAJL_IS_TRUE(node->value) && !YAJL_IS_FALSE(node->value))
    return type_error(node, "true or false");
  *out = YAJL_IS_TRUE(node->value);
  return AQ_OK;
}

aq_status aq_json_text(const aq_json_node *node, const char **out)
{
  if (!aq_json_is_text(node))
    return type_error(node, "text");
  const char *text = YAJL_GET_STRING(node->value);
  if (!*text)
    return aq_json_error(node, "text expected, it is empty");
  *out = text;
  return AQ_OK;
}

aq_status aq_json_time(const aq_json_node *node, aq_time *out)
{
  if (!aq_json_is_text(node))
    return type_error(node, "a time with its unit, like \"3.5us\",");
  const char *text = YAJL_GET_STRING(node->value);
  switch (aq_time_read(text, out)) {
  case AQ_TIME_READ:
    return AQ_OK;
  case AQ_TIME_TOO_LONG:
    return aq_json_error(node, "%.40s is longer than %lld days", text,
                         (long long)(AQ_TIME_MAX / 16 / (86400 * AQ_S)));
  case AQ_TIME_MALFORMED:
    break;
  }
  return aq_json_error(node,
                       "\"%.40s\" is not a time with its unit (ps, ns, us, ms, "
                       "s), like \"3.5us\"",
                       text);
}
