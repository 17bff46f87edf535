/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/json_out.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_gen.h>
#include <yajl/yajl_parse.h>

#include "common/record.h"
#include "common/text.h"

struct aq_json_out {
  yajl_gen gen;
  bool failed;
};

static void check(aq_json_out *json, yajl_gen_status status)
{
  json->failed |= status != yajl_gen_status_ok;
}

aq_json_out *aq_json_out_begin(bool pretty)
{
  aq_json_out *json = calloc(1, sizeof *json);
  if (!json)
    return NULL;
  json->gen = yajl_gen_alloc(NULL);
  if (!json->gen) {
    free(json);
    return NULL;
  }
  yajl_gen_config(json->gen, yajl_gen_beautify, pretty);
  yajl_gen_config(json->gen, yajl_gen_indent_string, "  ");
  return json;
}

char *aq_json_out_take(aq_json_out *json)
{
  const unsigned char *text;
  size_t length;
  char *copy = NULL;
  if (!json->failed &&
      yajl_gen_get_buf(json->gen, &text, &length) == yajl_gen_status_ok)
    copy = strndup((const char *)text, length);
  yajl_gen_free(json->gen);
  free(json);
  return copy;
}

void aq_json_out_drop(aq_json_out *json)
{
  if (json)
    free(aq_json_out_take(json));
}

bool aq_json_out_end(aq_json_out *json, FILE *out)
{
  char *text = aq_json_out_take(json);
  if (!text)
    return false;
  size_t length = strlen(text);
  fwrite(text, 1, length, out);
  if (length == 0 || text[length - 1] != '\n')
    fputc('\n', out);
  free(text);
  return true;
}

static void put_string(aq_json_out *json, const char *text)
{
  char *clean = aq_text_utf8(text, strlen(text));
  if (!clean) {
    json->failed = true;
    return;
  }
  check(json, yajl_gen_string(json->gen, (const unsigned char *)clean,
                              strlen(clean)));
  free(clean);
}

static void put_key(aq_json_out *json, const char *key)
{
  if (key)
    put_string(json, key);
}

static void put_number(aq_json_out *json, const char *text)
{
  check(json, yajl_gen_number(json->gen, text, strlen(text)));
}

void aq_json_out_map(aq_json_out *json, const char *key)
{
  put_key(json, key);
  check(json, yajl_gen_map_open(json->gen));
}

void aq_json_out_array(aq_json_out *json, const char *key)
{
  put_key(json, key);
  check(json, yajl_gen_array_open(json->gen));
}

void aq_json_out_close_map(aq_json_out *json)
{
  check(json, yajl_gen_map_close(json->gen));
}

void aq_json_out_close_array(aq_json_out *json)
{
  check(json, yajl_gen_array_close(json->gen));
}

void aq_json_out_text(aq_json_out *json, const char *key, const char *text)
{
  put_key(json, key);
  if (text)
    put_string(json, text);
  else
    check(json, yajl_gen_null(json->gen));
}

void aq_json_out_int(aq_json_out *json, const char *key, int64_t value)
{
  put_key(json, key);
  if (value == AQ_NONE)
    check(json, yajl_gen_null(json->gen));
  else
    check(json, yajl_gen_integer(json->gen, value));
}

void aq_json_out_bool(aq_json_out *json, const char *key, bool value)
{
  put_key(json, key);
  check(json, yajl_gen_bool(json->gen, value));
}

void aq_json_out_ns(aq_json_out *json, const char *key, int64_t ps)
{
  char text[40];
  put_key(json, key);
  if (ps == AQ_NONE) {
    check(json, yajl_gen_null(json->gen));
    return;
  }
  uint64_t size = ps < 0 ? 0 - (uint64_t)ps : (uint64_t)ps;
  snprintf(text, sizeof text, "%s%" PRIu64 ".%03d", ps < 0 ? "-" : "",
           size / 1000, (int)(size % 1000));
  put_number(json, text);
}

void aq_json_out_real(aq_json_out *json, const char *key, double value)
{
  char text[40];
  put_key(json, key);
  if (!isfinite(value)) {
    check(json, yajl_gen_null(json->gen));
    return;
  }
  snprintf(text, sizeof text, "%.9g", value);
  put_number(json, text);
}

/* Hands every event of a parse on to the generator. */
static int copy_null(void *json)
{
  return yajl_gen_null(((aq_json_out *)json)->gen) == yajl_gen_status_ok;
}

static int copy_bool(void *json, int value)
{
  return yajl_gen_bool(((aq_json_out *)json)->gen, value) == yajl_gen_status_ok;
}

static int copy_number(void *json, const char *text, size_t length)
{
  return yajl_gen_number(((aq_json_out *)json)->gen, text, length) ==
         yajl_gen_status_ok;
}

static int copy_string(void *json, const unsigned char *text, size_t length)
{
  return yajl_gen_string(((aq_json_out *)json)->gen, text, length) ==
         yajl_gen_status_ok;
}

static int copy_map(void *json)
{
  return yajl_gen_map_open(((aq_json_out *)json)->gen) == yajl_gen_status_ok;
}

static int copy_map_end(void *json)
{
  return yajl_gen_map_close(((aq_json_out *)json)->gen) == yajl_gen_status_ok;
}

static int copy_array(void *json)
{
  return yajl_gen_array_open(((aq_json_out *)json)->gen) == yajl_gen_status_ok;
}

static int copy_array_end(void *json)
{
  return yajl_gen_array_close(((aq_json_out *)json)->gen) == yajl_gen_status_ok;
}

/* NULL `json`: only checks. */
static bool parse_raw(aq_json_out *json, const char *text)
{
  static const yajl_callbacks copy = {copy_null,  copy_bool,     NULL,
                                      NULL,       copy_number,   copy_string,
                                      copy_map,   copy_string,   copy_map_end,
                                      copy_array, copy_array_end};
  yajl_handle parser = yajl_alloc(json ? &copy : NULL, NULL, json);
  if (!parser)
    return false;
  bool good = yajl_parse(parser, (const unsigned char *)text, strlen(text)) ==
                  yajl_status_ok &&
              yajl_complete_parse(parser) == yajl_status_ok;
  yajl_free(parser);
  return good;
}

void aq_json_out_raw(aq_json_out *json, const char *key, const char *text)
{
  if (!text || !parse_raw(NULL, text)) {
    aq_json_out_text(json, key, text);
    return;
  }
  put_key(json, key);
  json->failed |= !parse_raw(json, text);
}
