/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/text/json.h"

#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

struct aq_json {
  aq_import *import;
  aq_stream_reader *reader;
  const aq_json_events *events;
  void *client;
  aq_status status; /* of the callback that failed */
  yajl_handle yajl;
  aq_json_scan scan;
};

/* ---- yajl's callbacks: 0 ends the parsing ---- */

static int passed(aq_json *json, aq_status status)
{
  json->status = status;
  return status == AQ_OK;
}

static int on_null(void *context)
{
  aq_json *json = context;
  return passed(json,
                json->events->value(json->client, AQ_JSON_OTHER, NULL, 0));
}

static int on_boolean(void *context, int value)
{
  (void)value;
  return on_null(context);
}

static int on_number(void *context, const char *text, size_t length)
{
  aq_json *json = context;
  return passed(
      json, json->events->value(json->client, AQ_JSON_NUMBER, text, length));
}

static int on_string(void *context, const unsigned char *text, size_t length)
{
  aq_json *json = context;
  return passed(json, json->events->value(json->client, AQ_JSON_STRING,
                                          (const char *)text, length));
}

static int on_key(void *context, const unsigned char *text, size_t length)
{
  aq_json *json = context;
  return passed(json,
                json->events->key(json->client, (const char *)text, length));
}

static int on_map(void *context)
{
  aq_json *json = context;
  return passed(json, json->events->open(json->client, false));
}

static int on_array(void *context)
{
  aq_json *json = context;
  return passed(json, json->events->open(json->client, true));
}

static int on_close(void *context)
{
  aq_json *json = context;
  return passed(json, json->events->close(json->client));
}

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_start_map = on_map,
    .yajl_map_key = on_key,
    .yajl_end_map = on_close,
    .yajl_start_array = on_array,
    .yajl_end_array = on_close,
};

/* ---- reading ---- */

uint64_t aq_json_byte(const aq_json *json)
{
  return json->scan.handing
             ? aq_json_scan_aside(&json->scan)
             : aq_json_scan_source(&json->scan,
                                   yajl_get_bytes_consumed(json->yajl));
}

static aq_status parse_error(aq_json *json, yajl_status result,
                             const char *text, size_t size)
{
  if (result == yajl_status_client_canceled)
    return json->status;
  unsigned char *message =
      yajl_get_error(json->yajl, 0, (const unsigned char *)text, size);
  size_t length = message ? strcspn((const char *)message, "\n") : 0;
  aq_status status = aq_diag_set(
      json->import->diag, AQ_ERR_INPUT, "%s: byte %llu: not JSON: %.*s",
      aq_stream_reader_name(json->reader),
      (unsigned long long)aq_json_byte(json), (int)length,
      message ? (const char *)message : "");
  yajl_free_error(json->yajl, message);
  return status;
}

/* Parses the text that the scan has ready. */
static aq_status parse_ready(aq_json *json)
{
  aq_json_scan *scan = &json->scan;
  size_t size = aq_json_scan_ready(scan);
  if (size == 0)
    return AQ_OK;
  const unsigned char *text = (const unsigned char *)scan->out;
  yajl_status result = yajl_parse(json->yajl, text, size);
  if (result != yajl_status_ok)
    return parse_error(json, result, scan->out, size);
  aq_json_scan_drain(scan, size);
  return AQ_OK;
}

static aq_status scan_error(aq_json *json)
{
  if (json->scan.no_memory)
    return aq_diag_no_memory(json->import->diag);
  if (json->scan.refused) /* worded by the callback */
    return json->import->diag->status;
  return aq_diag_set(json->import->diag, AQ_ERR_INPUT,
                     "%s: byte %llu: not JSON: %s",
                     aq_stream_reader_name(json->reader),
                     (unsigned long long)json->scan.fault_at, json->scan.fault);
}

static uint64_t place_at(const void *json)
{
  return aq_json_byte(json);
}

static aq_status read_all(aq_json *json)
{
  json->import->place = (aq_import_place){"byte", place_at, json};
  for (;;) {
    const char *bytes;
    size_t size;
    aq_status status =
        aq_import_read(json->import, json->reader, &bytes, &size);
    if (status != AQ_OK)
      return status;
    if (size == 0) {
      uint64_t *repairs = json->import->result->repairs;
      repairs[AQ_REPAIR_TRAILING_COMMA] += json->scan.trailing_commas;
      repairs[AQ_REPAIR_CONTROL_BYTE] += json->scan.control_bytes;
      if (json->scan.depth > 0)
        return aq_import_truncated(
            json->import, aq_stream_reader_name(json->reader), "byte",
            json->scan.source, "inside an array or object");
      yajl_status result = yajl_complete_parse(json->yajl);
      return result == yajl_status_ok ? AQ_OK
                                      : parse_error(json, result, "", 0);
    }
    bool scanned = aq_json_scan_feed(&json->scan, bytes, size);
    if (json->scan.no_memory || json->scan.refused)
      return scan_error(json);
    status = parse_ready(json);
    if (status != AQ_OK)
      return status;
    if (!scanned)
      return scan_error(json);
  }
}

aq_status aq_json_read(aq_import *import, aq_stream_reader *reader,
                       const aq_json_filter *filter,
                       const aq_json_events *events, void *client,
                       const aq_json **where)
{
  aq_json json = {.import = import,
                  .reader = reader,
                  .events = events,
                  .client = client,
                  .status = AQ_OK};
  json.yajl = yajl_alloc(&callbacks, NULL, &json);
  if (!json.yajl)
    return aq_diag_no_memory(import->diag);
  yajl_config(json.yajl, yajl_dont_validate_strings, 1);
  aq_json_scan_init(&json.scan, filter, client);
  if (where)
    /* cppcheck-suppress autoVariables; NULL again before the return */
    *where = &json;
  aq_status status = read_all(&json);
  import->place = (aq_import_place){NULL, NULL, NULL};
  if (where)
    *where = NULL;
  aq_json_scan_fini(&json.scan);
  yajl_free(json.yajl);
  return status;
}

/* ---- values ---- */

bool aq_json_int(aq_import *import, const char *field, aq_json_type type,
                 const char *text, size_t length, int64_t *out)
{
  int64_t value;
  if (type == AQ_JSON_OTHER || !aq_decimal_int(text, length, &value) ||
      value == AQ_NONE) {
    aq_import_fault(import, AQ_REPAIR_BAD_NUMBER, field, text, length);
    return false;
  }
  *out = value;
  if (type == AQ_JSON_STRING)
    aq_import_repair(import, AQ_REPAIR_STRING_NUMBER);
  return true;
}

bool aq_json_tick(aq_import *import, aq_json_type type, const char *text,
                  size_t length, aq_tick_unit unit, aq_tick *out)
{
  if (type == AQ_JSON_OTHER || !aq_decimal_tick(text, length, unit, out))
    return false;
  if (type == AQ_JSON_STRING)
    aq_import_repair(import, AQ_REPAIR_STRING_NUMBER);
  return true;
}
