/* SPDX-License-Identifier: MIT */
/* Parameters are put into the text, so that every reader of a scenario sees
 * values alone. Line numbers stay: values have no line breaks. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_tree.h>

#include "study/workload/scenario_model.h"

enum { PARAMETERS_MAX = 256, VALUE_MAX = 256 };

typedef struct parameter {
  const char *name; /* the document's */
  char value[VALUE_MAX + 3];
} parameter;

typedef struct parameters {
  parameter all[PARAMETERS_MAX];
  size_t count;
} parameters;

static bool is_plain(const char *text)
{
  for (const char *c = text; *c; c++)
    if ((unsigned char)*c < ' ' || *c == '"' || *c == '\\')
      return false;
  return strlen(text) <= VALUE_MAX;
}

/* A JSON number, true or false stays as it is; all else is a text. */
static bool is_literal(const char *text)
{
  char error[8];
  if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
    return true;
  yajl_val value = yajl_tree_parse(text, error, sizeof error);
  const bool number = value && YAJL_IS_NUMBER(value);
  yajl_tree_free(value);
  return number;
}

static void value_set(parameter *p, const char *text, bool literal)
{
  snprintf(p->value, sizeof p->value, literal ? "%s" : "\"%s\"", text);
}

static aq_status default_read(const aq_json_node *node, parameter *out)
{
  const yajl_val value = node->value;
  out->name = node->key;
  const char *text = YAJL_IS_STRING(value)   ? YAJL_GET_STRING(value)
                     : YAJL_IS_NUMBER(value) ? YAJL_GET_NUMBER(value)
                     : YAJL_IS_TRUE(value)   ? "true"
                     : YAJL_IS_FALSE(value)  ? "false"
                                             : NULL;
  if (!text || !is_plain(text))
    return aq_json_error(node,
                         "a text without quotes, a number, true or false "
                         "expected, at most %d characters",
                         VALUE_MAX);
  value_set(out, text, !YAJL_IS_STRING(value));
  return AQ_OK;
}

static aq_status defaults_read(const aq_json_node *root, parameters *out)
{
  aq_json_node node;
  size_t count;
  if (!aq_json_is_object(root) || !aq_json_member(root, "parameters", &node))
    return AQ_OK;
  aq_status status = aq_json_members(&node, &count);
  if (status == AQ_OK && count > PARAMETERS_MAX)
    return aq_json_error(&node, "%zu parameters, at most %d expected", count,
                         PARAMETERS_MAX);
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_json_node member = aq_json_member_at(&node, i);
    status = default_read(&member, &out->all[i]);
    out->count++;
  }
  return status;
}

static parameter *parameter_find(parameters *in, const char *name,
                                 size_t length)
{
  for (size_t i = 0; i < in->count; i++)
    if (strlen(in->all[i].name) == length &&
        memcmp(in->all[i].name, name, length) == 0)
      return &in->all[i];
  return NULL;
}

static aq_status given_read(const char *file, const char *const *given,
                            parameters *out, aq_diag *diag)
{
  for (size_t i = 0; given && given[i]; i++) {
    const char *equals = strchr(given[i], '=');
    parameter *p =
        equals ? parameter_find(out, given[i], (size_t)(equals - given[i]))
               : NULL;
    if (!equals || !is_plain(equals + 1))
      return aq_diag_set(diag, AQ_ERR_INPUT,
                         "parameter \"%.80s\": NAME=VALUE expected, a value "
                         "without quotes",
                         given[i]);
    if (!p)
      return aq_diag_set(diag, AQ_ERR_INPUT,
                         "%s: it has no parameter \"%.*s\"%s", file,
                         (int)(equals - given[i]), given[i],
                         out->count ? "" : "; it has none at all");
    value_set(p, equals + 1, is_literal(equals + 1));
  }
  return AQ_OK;
}

/* The end of the string that begins at `at`, behind its closing quote. */
static size_t string_end(const char *text, size_t size, size_t at)
{
  for (at++; at < size && text[at] != '"'; at++)
    at += text[at] == '\\';
  return at + 1 < size ? at + 1 : size;
}

static bool is_key(const char *text, size_t size, size_t at)
{
  while (at < size && strchr(" \t\r\n", text[at]))
    at++;
  return at < size && text[at] == ':';
}

static aq_status text_fill(const char *text, size_t size, const char *file,
                           parameters *in, FILE *out, aq_diag *diag)
{
  for (size_t at = 0, end; at < size; at = end) {
    end = at + 1;
    if (text[at] == '"')
      end = string_end(text, size, at);
    if (end - at < 4 || text[at + 1] != '$' || is_key(text, size, end)) {
      fwrite(text + at, 1, end - at, out);
      continue;
    }
    const parameter *p = parameter_find(in, text + at + 2, end - at - 3);
    if (!p) {
      size_t line = 1;
      for (size_t i = 0; i < at; i++)
        line += text[i] == '\n';
      return aq_diag_set(diag, AQ_ERR_INPUT,
                         "%s: line %zu: \"parameters\" has no %.*s", file, line,
                         (int)(end - at - 3), text + at + 2);
    }
    fputs(p->value, out);
  }
  return AQ_OK;
}

static aq_status filled(const char *text, size_t size, const char *file,
                        parameters *in, char **out, size_t *out_size,
                        aq_diag *diag)
{
  char *buffer = NULL;
  FILE *stream = open_memstream(&buffer, out_size);
  if (!stream)
    return aq_diag_no_memory(diag);
  aq_status status = text_fill(text, size, file, in, stream, diag);
  if (fclose(stream) != 0 && status == AQ_OK)
    status = aq_diag_no_memory(diag);
  if (status == AQ_OK && *out_size > AQ_JSON_SIZE_MAX)
    status = aq_diag_set(diag, AQ_ERR_INPUT,
                         "%s: with its parameters it is too large", file);
  if (status == AQ_OK)
    *out = buffer;
  else
    free(buffer);
  return status;
}

aq_status aq_scenario_parameters(const char *text, size_t size,
                                 const char *file, const char *const *given,
                                 char **out, size_t *out_size, aq_diag *diag)
{
  aq_json_doc doc;
  *out = NULL;
  if (!memmem(text, size, "\"parameters\"", 12) &&
      !memmem(text, size, "\"$", 2) && !(given && given[0]))
    return AQ_OK;
  parameters *all = calloc(1, sizeof *all);
  if (!all)
    return aq_diag_no_memory(diag);
  aq_status status = aq_json_parse(&doc, text, size, file, diag);
  if (status == AQ_OK) {
    const aq_json_node root = aq_json_root(&doc);
    status = defaults_read(&root, all);
    if (status == AQ_OK)
      status = given_read(file, given, all, diag);
    if (status == AQ_OK)
      status = filled(text, size, file, all, out, out_size, diag);
    aq_json_free(&doc);
  }
  free(all);
  return status;
}
