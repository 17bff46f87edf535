/* SPDX-License-Identifier: MIT */
/* What `iree-profile export` writes; see doc/formats/ireeperf.md. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "trace/text/json_lines.h"

/* Two moments that both clocks of a device saw, the first and the last. */
typedef struct device_clock {
  int64_t tick[2], host_ns[2];
  size_t samples;
} device_clock;

typedef struct iree {
  aq_import *import;
  aq_correlation *join;
  aq_json_lines in;
  bool has_schema;
  aq_map clock_of; /* device → index in clocks */
  device_clock *clocks;
  size_t clock_capacity;
  aq_map scope_of; /* a queue of a device → number of its submissions */
} iree;

/* ---- members ---- */

enum { NO_ORDINAL = -1 };

/* AQ_NONE where there is none; all that is no integer, but null, counts. */
static int64_t int_of(const iree *r, const char *key, yajl_val value)
{
  int64_t number = AQ_NONE;
  if (YAJL_IS_INTEGER(value))
    return YAJL_GET_INTEGER(value);
  const char *text = YAJL_IS_NUMBER(value) ? YAJL_GET_NUMBER(value)
                                           : aq_json_lines_text(value);
  if (!value || YAJL_IS_NULL(value))
    return AQ_NONE;
  if (!YAJL_IS_NUMBER(value) && text &&
      aq_decimal_int(text, strlen(text), &number) && number != AQ_NONE)
    aq_import_repair(r->import, AQ_REPAIR_STRING_NUMBER);
  else
    aq_import_fault(r->import, AQ_REPAIR_BAD_NUMBER, key, text,
                    text ? strlen(text) : 0);
  return number;
}

static int64_t int_at(const iree *r, yajl_val object, const char *key)
{
  return int_of(r, key, aq_json_lines_member(object, key));
}

/* An ordinal; all ones stand for none. */
static int64_t ordinal_at(const iree *r, yajl_val object, const char *key)
{
  const int64_t ordinal = int_at(r, object, key);
  return ordinal < 0 || ordinal >= UINT32_MAX ? NO_ORDINAL : ordinal;
}

static aq_status absent(const iree *r, const char *key)
{
  return aq_json_lines_error(&r->in, "expected an integer for ", key);
}

/* ---- clocks ---- */

static bool clock_at(const iree *r, int64_t device, device_clock *clock)
{
  uint64_t index;
  if (!aq_map_get(&r->clock_of, (uint64_t)device, &index))
    return false;
  *clock = r->clocks[index];
  return true;
}

static aq_status new_clock(iree *r, int64_t device, device_clock **out)
{
  uint64_t index;
  if (!aq_map_get(&r->clock_of, (uint64_t)device, &index)) {
    index = r->clock_of.count;
    if (!AQ_ARRAY_RESERVE(r->clocks, r->clock_capacity, index + 1) ||
        !aq_map_put(&r->clock_of, (uint64_t)device, index))
      return aq_diag_no_memory(r->import->diag);
    r->clocks[index].samples = 0;
  }
  *out = &r->clocks[index];
  return AQ_OK;
}

/* The host read its clock before and after the device's: the middle counts. */
static aq_status add_sample(iree *r, yajl_val object)
{
  const int64_t tick = int_at(r, object, "device_tick");
  const int64_t begin = int_at(r, object, "host_time_begin_ns");
  const int64_t end = int_at(r, object, "host_time_end_ns");
  device_clock *clock = NULL;
  if (tick <= 0 || begin < 0 || end < begin)
    return AQ_OK; /* a sample of other clocks */
  aq_status status =
      new_clock(r, ordinal_at(r, object, "physical_device_ordinal"), &clock);
  if (status != AQ_OK)
    return status;
  const int64_t host = begin + (end - begin) / 2;
  const bool first = clock->samples == 0 || tick < clock->tick[0];
  const bool last = clock->samples == 0 || tick > clock->tick[1];
  for (int i = 0; i < 2; i++)
    if (i == 0 ? first : last) {
      clock->tick[i] = tick;
      clock->host_ns[i] = host;
    }
  clock->samples++;
  return AQ_OK;
}

/* The host's time at a tick, on the line through both samples. */
static bool map_tick(const device_clock *clock, int64_t tick, aq_tick *out)
{
  const __int128 ticks = (__int128)clock->tick[1] - clock->tick[0];
  const __int128 host = (__int128)clock->host_ns[1] - clock->host_ns[0];
  if (ticks <= 0 || host <= 0 || tick <= 0)
    return false;
  /* All factors are below 2^63, and the remainder below 2^63 before it is
   * multiplied: no product overflows. */
  const __int128 product = ((__int128)tick - clock->tick[0]) * host;
  const __int128 ns = product / ticks + clock->host_ns[0];
  if (ns < INT64_MIN / 2 || ns > INT64_MAX / 2)
    return false;
  out->ns = (int64_t)ns;
  out->ps = (int32_t)(product % ticks * 1000 / ticks);
  return true;
}

/* ---- places ---- */

static aq_status place_of(iree *r, yajl_val object, aq_record *row)
{
  const int64_t device = ordinal_at(r, object, "physical_device_ordinal");
  const aq_run_device gpu = {.source_id = device == NO_ORDINAL ? 0 : device,
                             .cus = AQ_NONE};
  aq_status status = aq_import_device(r->import, &gpu, &row->device);
  if (status != AQ_OK)
    return status;
  return aq_import_queue(r->import, row->device,
                         ordinal_at(r, object, "queue_ordinal"), &row->queue);
}

/* Submissions are numbered by queue. */
static aq_status key_of(iree *r, yajl_val object, int64_t submission,
                        uint64_t *key)
{
  const uint64_t queue =
      (uint64_t)ordinal_at(r, object, "physical_device_ordinal") << 32 ^
      (uint64_t)ordinal_at(r, object, "queue_ordinal");
  uint64_t scope;
  if (!aq_map_get(&r->scope_of, queue, &scope)) {
    scope = r->scope_of.count;
    if (!aq_map_put(&r->scope_of, queue, scope))
      return aq_diag_no_memory(r->import->diag);
  }
  *key = (uint64_t)submission ^ scope << 44;
  return AQ_OK;
}

/* ---- rows ---- */

/* When it ran, by the host's clock where its ticks can be converted, or else
 * by the driver's, which no host call can be compared with. False: not known.
 */
static bool read_times(const iree *r, yajl_val object, aq_record *row,
                       bool *own_clock)
{
  aq_tick start, end;
  device_clock clock = {.samples = 0};
  *own_clock = false;
  if (YAJL_IS_FALSE(aq_json_lines_member(object, "valid")))
    return false;
  if (clock_at(r, ordinal_at(r, object, "physical_device_ordinal"), &clock) &&
      map_tick(&clock, int_at(r, object, "start_tick"), &start) &&
      map_tick(&clock, int_at(r, object, "end_tick"), &end))
    return aq_import_between(r->import, start, end, &row->start, &row->end);
  if (!YAJL_IS_TRUE(aq_json_lines_member(object, "derived_time_available")))
    return false;
  start = (aq_tick){int_at(r, object, "start_driver_host_cpu_time_ns"), 0};
  end = (aq_tick){int_at(r, object, "end_driver_host_cpu_time_ns"), 0};
  *own_clock = true;
  return start.ns != AQ_NONE && end.ns != AQ_NONE &&
         aq_import_between(r->import, start, end, &row->start, &row->end);
}

/* Three sizes; false where they are not there or 0. */
static bool read_sizes(const iree *r, yajl_val object, const char *key,
                       int64_t *out)
{
  yajl_val array = aq_json_lines_member(object, key);
  if (!YAJL_IS_ARRAY(array) || array->u.array.len != 3)
    return false;
  for (int i = 0; i < 3; i++) {
    out[i] = int_of(r, key, array->u.array.values[i]);
    if (out[i] <= 0 || out[i] > UINT32_MAX)
      return false;
  }
  return true;
}

static aq_status put_row(iree *r, yajl_val object, aq_record *row,
                         const char *name)
{
  bool own_clock;
  uint64_t key;
  aq_status status;
  if (int_at(r, object, "start_tick") == AQ_NONE)
    return absent(r, "start_tick");
  if (int_at(r, object, "end_tick") == AQ_NONE)
    return absent(r, "end_tick");
  if (!read_times(r, object, row, &own_clock)) {
    aq_import_skip(r->import, "times out of range", NULL, 0);
    return AQ_OK;
  }
  const int64_t submission = int_at(r, object, "submission_id");
  row->flags = 0;
  row->correlation = submission > 0 ? submission : AQ_NONE;
  row->stream = int_at(r, object, "stream_id");
  status = place_of(r, object, row);
  if (status == AQ_OK)
    status = aq_import_name(r->import, name, strlen(name), &row->name);
  if (status != AQ_OK)
    return status;
  bool again;
  status = aq_import_row_again(r->import, row, &again);
  if (status != AQ_OK || again)
    return status;
  aq_import_order(r->import, row);
  if (own_clock)
    return aq_correlation_call_drop(r->join, row, AQ_REPAIR_CLOCK_DOMAIN);
  if (row->correlation == AQ_NONE)
    return aq_correlation_row_alone(r->join, row);
  status = key_of(r, object, submission, &key);
  return status == AQ_OK ? aq_correlation_row_add(r->join, key, row) : status;
}

static aq_status dispatch_event(iree *r, yajl_val object)
{
  aq_record row;
  char number[64];
  const char *name = aq_json_lines_text(aq_json_lines_member(object, "key"));
  if (!name)
    snprintf(number, sizeof number, "executable %" PRId64 " export %" PRId64,
             int_at(r, object, "executable_id"),
             ordinal_at(r, object, "export_ordinal"));
  aq_record_init(&row);
  row.kind = AQ_KIND_KERNEL;
  /* The grid is in workgroups here. */
  int64_t wg[3], groups[3];
  if (read_sizes(r, object, "workgroup_size", wg)) {
    row.wg_x = wg[0];
    row.wg_y = wg[1];
    row.wg_z = wg[2];
    if (!read_sizes(r, object, "workgroup_count", groups) ||
        __builtin_mul_overflow(groups[0], wg[0], &row.grid_x) ||
        __builtin_mul_overflow(groups[1], wg[1], &row.grid_y) ||
        __builtin_mul_overflow(groups[2], wg[2], &row.grid_z))
      row.grid_x = row.grid_y = row.grid_z = AQ_NONE;
  }
  return put_row(r, object, &row, name ? name : number);
}

/* Copies and fills by a queue itself; dispatches have an event of
 * their own. */
static aq_status queue_device_event(iree *r, yajl_val object)
{
  aq_record row;
  const char *op = aq_json_lines_text(aq_json_lines_member(object, "op"));
  aq_record_init(&row);
  if (!op)
    return aq_json_lines_error(&r->in, "expected a text for ", "op");
  row.kind = strcmp(op, "fill") == 0 ? AQ_KIND_FILL : AQ_KIND_COPY;
  if (row.kind == AQ_KIND_COPY && strcmp(op, "copy") != 0 &&
      strcmp(op, "update") != 0)
    return AQ_OK;
  const int64_t bytes = int_at(r, object, "payload_length");
  row.bytes = bytes > 0 && bytes <= INT64_C(1) << 40 ? bytes : AQ_NONE;
  return put_row(r, object, &row, op);
}

/* The host's requests to a queue, at one moment. */
static aq_status queue_event(iree *r, yajl_val object)
{
  static const char *const submits[] = {"dispatch", "execute", "copy", "fill",
                                        "update"};
  const char *op = aq_json_lines_text(aq_json_lines_member(object, "op"));
  const int64_t submission = int_at(r, object, "submission_id");
  const int64_t ns = int_at(r, object, "host_time_ns");
  size_t i = 0;
  while (i < 5 && !(op && strcmp(op, submits[i]) == 0))
    i++;
  if (i == 5 || submission <= 0)
    return AQ_OK;
  if (ns == AQ_NONE)
    return absent(r, "host_time_ns");
  aq_host_call call = {.pid = AQ_NONE,
                       .tid = AQ_NONE,
                       .lds = AQ_NONE,
                       .bytes = AQ_NONE,
                       .graph = strcmp(op, "execute") == 0};
  uint64_t key;
  if (!aq_import_time(r->import, (aq_tick){ns, 0}, &call.begin)) {
    aq_import_skip(r->import, "times out of range", NULL, 0);
    return AQ_OK;
  }
  call.end = call.begin;
  aq_status status = key_of(r, object, submission, &key);
  return status == AQ_OK ? aq_correlation_call_add(r->join, key, &call)
                         : status;
}

/* ---- records ---- */

static aq_status schema(iree *r, yajl_val object)
{
  const char *format =
      aq_json_lines_text(aq_json_lines_member(object, "format"));
  if (!format || strcmp(format, "ireeperf-jsonl") != 0)
    return aq_json_lines_error(&r->in, "expected ireeperf-jsonl for ",
                               "format");
  r->has_schema = true;
  return AQ_OK;
}

typedef aq_status reader(iree *r, yajl_val object);

/* The state of the two passes: the last sample of a clock comes after the
 * events that need it. */
static const struct {
  const char *type;
  reader *first, *second;
} records[] = {
    {"schema", schema, NULL},
    {"clock_correlation", add_sample, NULL},
    {"queue_event", NULL, queue_event},
    {"dispatch_event", NULL, dispatch_event},
    {"queue_device_event", NULL, queue_device_event},
};

static aq_status read_record(iree *r, bool second)
{
  yajl_val object;
  size_t i = 0;
  const size_t count = sizeof records / sizeof *records;
  /* Most lines are of no interest to a pass: not worth a tree. */
  while (i < count && !((second ? records[i].second : records[i].first) &&
                        strstr(r->in.line, records[i].type)))
    i++;
  if (i == count)
    return AQ_OK;
  aq_status status = aq_json_lines_object(&r->in, &object);
  if (status != AQ_OK)
    return status;
  const char *type =
      aq_json_lines_text(aq_json_lines_member(object, "record_type"));
  if (!type)
    return aq_json_lines_error(&r->in, "expected a text for ", "record_type");
  for (i = 0; i < count; i++) {
    reader *read = second ? records[i].second : records[i].first;
    if (read && strcmp(type, records[i].type) == 0)
      return read(r, object);
  }
  return AQ_OK;
}

static aq_status pass(iree *r, const aq_trace_file *file, bool second)
{
  bool got = true;
  r->import->result->bytes = 0;
  aq_status status = aq_json_lines_open(&r->in, r->import, file);
  if (status != AQ_OK)
    return status;
  while (status == AQ_OK && got) {
    status = aq_json_lines_next(&r->in, &got);
    if (status == AQ_OK && got)
      status = read_record(r, second);
  }
  aq_json_lines_close(&r->in);
  return status;
}

aq_status aq_ireeperf_import(aq_import *import, aq_correlation *join,
                             const aq_trace_files *files)
{
  iree r = {.import = import, .join = join};
  aq_status status = pass(&r, &files->files[0], false);
  if (status == AQ_OK && !r.has_schema)
    status = aq_diag_set(import->diag, AQ_ERR_INPUT,
                         "%s: no record of type schema", files->root);
  if (status == AQ_OK)
    status = pass(&r, &files->files[0], true);
  aq_map_fini(&r.clock_of);
  aq_map_fini(&r.scope_of);
  free(r.clocks);
  import->result->advice =
      "record queue events and clock correlations too; then `iree-profile "
      "export --format=ireeperf-jsonl`";
  return status;
}
