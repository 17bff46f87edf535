/* SPDX-License-Identifier: MIT */
/* JSON Lines of our own record table; see doc/formats/jsonl.md. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "trace/text/json_lines.h"

/* The file, and the data handed over at its end. */
typedef struct lines {
  aq_import *import;
  aq_json_lines in;
  aq_edge *edges;
  size_t edge_count, edge_capacity;
  size_t device_count, queue_count; /* that the run's line describes */
} lines;

static aq_status line_error(const lines *l, const char *what, const char *of)
{
  return aq_json_lines_error(&l->in, what, of);
}

/* ---- one record ---- */

static bool is_simulated(const lines *l)
{
  return l->import->result->run.kind == AQ_RUN_SIMULATED;
}

/* Times within 2^61 ps either way, sizes within 2^40: differences and products
 * of read values cannot overflow. Ids may be anything. */
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
static aq_status read_name(const lines *l, const char *key, yajl_val value,
                           const char *(*word_of)(int64_t), int64_t count,
                           int64_t *out)
{
  const char *text = aq_json_lines_text(value);
  for (int64_t i = 0; text && i < count; i++)
    if (word_of(i) && strcmp(word_of(i), text) == 0) {
      *out = i;
      return AQ_OK;
    }
  return line_error(l, "unknown word for ", key);
}

static aq_status read_device(lines *l, yajl_val value, int64_t *ordinal)
{
  if (!YAJL_IS_OBJECT(value) ||
      !YAJL_IS_INTEGER(aq_json_lines_member(value, "id")))
    return line_error(l, "expected an object with an integer id for ",
                      "device");
  yajl_val cus = aq_json_lines_member(value, "cus");
  return aq_import_device(
      l->import,
      &(aq_run_device){
          .source_id = YAJL_GET_INTEGER(aq_json_lines_member(value, "id")),
          .name = aq_json_lines_text(aq_json_lines_member(value, "name")),
          .gfx = aq_json_lines_text(aq_json_lines_member(value, "gfx")),
          .cus = YAJL_IS_INTEGER(cus) ? YAJL_GET_INTEGER(cus) : AQ_NONE},
      ordinal);
}

static aq_status read_queue(lines *l, yajl_val value, int64_t device,
                            int64_t *ordinal)
{
  if (!YAJL_IS_OBJECT(value) ||
      !YAJL_IS_INTEGER(aq_json_lines_member(value, "id")))
    return line_error(l, "expected an object with an integer id for ", "queue");
  if (device == AQ_NONE)
    return line_error(l, "a queue without a ", "device");
  return aq_import_queue(l->import, device,
                         YAJL_GET_INTEGER(aq_json_lines_member(value, "id")),
                         ordinal);
}

static aq_status read_field(lines *l, size_t field, yajl_val value,
                            aq_record *row)
{
  const char *key = aq_record_fields[field].name;
  int64_t *out = &row->kind + field;
  const char *text;
  switch (field) {
  case AQ_RECORD_FIELD_kind:
    return read_name(l, key, value, aq_record_kind_name, AQ_KIND_COUNT, out);
  case AQ_RECORD_FIELD_via:
    return read_name(l, key, value, aq_record_via_name, AQ_VIA_COUNT, out);
  case AQ_RECORD_FIELD_name:
    text = aq_json_lines_text(value);
    return text ? aq_import_name(l->import, text, strlen(text), out)
                : line_error(l, "expected a text for ", key);
  case AQ_RECORD_FIELD_device:
    return read_device(l, value, &row->device);
  case AQ_RECORD_FIELD_queue:
    return read_queue(l, value, row->device, &row->queue);
  case AQ_RECORD_FIELD_origin:
    if (!is_simulated(l))
      return line_error(l, "a row of a simulated run (it has an origin), but ",
                        "no line before it marks the run as simulated");
    return read_integer(l, &aq_record_fields[field], value, out);
  default:
    return read_integer(l, &aq_record_fields[field], value, out);
  }
}

/* The mandatory fields of a row, by kind. */
static aq_status check_fields(const lines *l, const aq_record *row)
{
  if (is_simulated(l))
    return row->kind > 0 && row->kind < AQ_KIND_COUNT
               ? AQ_OK
               : line_error(l, "no field ", "kind");
  static const uint8_t of_device[] = {
      AQ_RECORD_FIELD_name, AQ_RECORD_FIELD_device, AQ_RECORD_FIELD_queue,
      AQ_RECORD_FIELD_start, AQ_RECORD_FIELD_end};
  static const uint8_t of_host[] = {AQ_RECORD_FIELD_name,
                                    AQ_RECORD_FIELD_host_begin,
                                    AQ_RECORD_FIELD_host_end};
  const bool range = row->kind == AQ_KIND_RANGE;
  const bool host = row->kind == AQ_KIND_WAIT || row->kind == AQ_KIND_CALL ||
                    (range && row->queue == AQ_NONE);
  const bool endless = aq_record_is(row, AQ_FLAG_CONTRADICTED);
  if (row->kind != AQ_KIND_KERNEL && row->kind != AQ_KIND_COPY &&
      row->kind != AQ_KIND_FILL && !host && !range)
    return line_error(
        l, "expected kernel, copy, fill, wait, call or range for ", "kind");
  const uint8_t *needed = host ? of_host : of_device;
  for (size_t i = 0; i < (host ? sizeof of_host : sizeof of_device); i++)
    if (aq_record_values(row)[needed[i]] == AQ_NONE &&
        !(endless && needed[i] == AQ_RECORD_FIELD_end))
      return line_error(l, "no field ", aq_record_fields[needed[i]].name);
  if (!host && !endless && row->end < row->start)
    return line_error(l, "end is before ", "start");
  if (host && range && row->host_end < row->host_begin)
    return line_error(l, "host_end is before ", "host_begin");
  return AQ_OK;
}

/* The fields in the order of the record: a device before its queue. */
static aq_status read_fields(lines *l, yajl_val object, aq_record *row)
{
  size_t known = aq_json_lines_member(object, "row") != NULL;
  for (size_t i = 0; i < AQ_RECORD_FIELD_COUNT; i++) {
    yajl_val value = aq_json_lines_member(object, aq_record_fields[i].name);
    if (!value)
      continue;
    known++;
    aq_status status = read_field(l, i, value, row);
    if (status != AQ_OK)
      return status;
  }
  if (known != object->u.object.len)
    return line_error(l, "a field that is unknown or given twice, ",
                      "expected the fields of doc/formats/record.md");
  return check_fields(l, row);
}

/* ---- the run, and its dependencies ---- */

static aq_status copy_text(const lines *l, yajl_val object, const char *key,
                           char *to, size_t size)
{
  yajl_val value = aq_json_lines_member(object, key);
  const char *text = aq_json_lines_text(value);
  if (value && (!text || strlen(text) >= size))
    return line_error(l, "expected a short text for ", key);
  snprintf(to, size, "%s", text ? text : "");
  return AQ_OK;
}

/* The devices and queues, in the order of their ordinals. */
static aq_status read_places(lines *l, yajl_val object)
{
  yajl_val devices = aq_json_lines_member(object, "devices");
  yajl_val queues = aq_json_lines_member(object, "queues");
  const size_t device_count = YAJL_IS_ARRAY(devices) ? devices->u.array.len : 0;
  const size_t queue_count = YAJL_IS_ARRAY(queues) ? queues->u.array.len : 0;
  aq_status status = AQ_OK;
  int64_t ordinal;
  l->device_count = device_count;
  l->queue_count = queue_count;
  for (size_t i = 0; i < device_count && status == AQ_OK; i++)
    status = read_device(l, devices->u.array.values[i], &ordinal);
  for (size_t i = 0; i < queue_count && status == AQ_OK; i++) {
    yajl_val queue = queues->u.array.values[i];
    yajl_val device = aq_json_lines_member(queue, "device");
    if (!YAJL_IS_INTEGER(device) || YAJL_GET_INTEGER(device) < 0 ||
        (size_t)YAJL_GET_INTEGER(device) >= device_count)
      return line_error(l, "a queue of a device that is not in ", "devices");
    status = read_queue(l, queue, YAJL_GET_INTEGER(device), &ordinal);
  }
  return status;
}

static aq_status read_run(lines *l, yajl_val object)
{
  aq_trace_run *run = &l->import->result->run;
  const char *kind = aq_json_lines_text(aq_json_lines_member(object, "run"));
  yajl_val seed = aq_json_lines_member(object, "seed"),
           base = aq_json_lines_member(object, "base_ns");
  if (l->in.number > 1)
    return line_error(l, "a run may only be described by the first line", "");
  if (!kind ||
      (strcmp(kind, "measured") != 0 && strcmp(kind, "simulated") != 0))
    return line_error(l, "expected measured or simulated for ", "run");
  run->kind = kind[0] == 'm' ? AQ_RUN_MEASURED : AQ_RUN_SIMULATED;
  l->import->edges_told = true;
  run->seed = YAJL_IS_INTEGER(seed) ? YAJL_GET_INTEGER(seed) : AQ_NONE;
  run->reproducible =
      YAJL_IS_TRUE(aq_json_lines_member(object, "reproducible"));
  if (YAJL_IS_INTEGER(base)) {
    l->import->result->base_ns = YAJL_GET_INTEGER(base);
    l->import->has_base = true;
  }
  aq_status status =
      copy_text(l, object, "transport", run->transport, sizeof run->transport);
  if (status == AQ_OK)
    status = copy_text(l, object, "device_model", run->device_model,
                       sizeof run->device_model);
  if (status == AQ_OK)
    status = copy_text(l, object, "model_hash", run->model_hash,
                       sizeof run->model_hash);
  if (status == AQ_OK)
    status = copy_text(l, object, "model_verdict", run->model_verdict,
                       sizeof run->model_verdict);
  if (status == AQ_OK)
    status = copy_text(l, object, "durations", run->durations,
                       sizeof run->durations);
  if (status == AQ_OK)
    status =
        copy_text(l, object, "recorded", run->recorded, sizeof run->recorded);
  if (status == AQ_OK)
    status = copy_text(l, object, "damage", run->damage, sizeof run->damage);
  yajl_val left_out = aq_json_lines_member(object, "rows_left_out");
  run->left_out =
      YAJL_IS_INTEGER(left_out) ? YAJL_GET_INTEGER(left_out) : AQ_NONE;
  run->truncated = YAJL_IS_TRUE(aq_json_lines_member(object, "truncated"));
  if (status == AQ_OK)
    status = read_places(l, object);
  return status;
}

static aq_status read_edge(lines *l, yajl_val object)
{
  aq_edge edge;
  yajl_val to = aq_json_lines_member(object, "to"),
           from = aq_json_lines_member(object, "from"),
           confidence = aq_json_lines_member(object, "confidence");
  aq_status status = read_name(l, "how", aq_json_lines_member(object, "how"),
                               aq_edge_kind_name, AQ_EDGE_COUNT, &edge.kind);
  if (status != AQ_OK)
    return status;
  if (!YAJL_IS_INTEGER(to) || !YAJL_IS_INTEGER(from) ||
      !YAJL_IS_INTEGER(confidence))
    return line_error(l, "expected integers for to, from and ", "confidence");
  edge.to = YAJL_GET_INTEGER(to);
  edge.from = YAJL_GET_INTEGER(from);
  edge.confidence = YAJL_GET_INTEGER(confidence);
  const int64_t rows = l->import->row_count;
  if (edge.to < 0 || edge.to >= rows || edge.from < 0 || edge.from >= rows)
    return line_error(l, "a dependency of rows that did not come before it",
                      "");
  if (edge.confidence < 1 || edge.confidence > 100)
    return line_error(l, "expected 1 to 100 for ", "confidence");
  if (!AQ_ARRAY_PUSH(l->edges, l->edge_count, l->edge_capacity, edge))
    return aq_diag_no_memory(l->import->diag);
  l->import->result->edges[edge.kind]++;
  return AQ_OK;
}

static const char *counter_name(int64_t counter)
{
  return counter < 0 || counter >= AQ_COUNTER_COUNT ? NULL
                                                    : aq_counters[counter].name;
}

static aq_status read_sample(lines *l, yajl_val object)
{
  aq_sample sample;
  aq_record_sink *sink = l->import->sink;
  yajl_val ordinal = aq_json_lines_member(object, "ordinal"),
           time = aq_json_lines_member(object, "time"),
           value = aq_json_lines_member(object, "value");
  aq_status status =
      read_name(l, "counter", aq_json_lines_member(object, "counter"),
                counter_name, AQ_COUNTER_COUNT, &sample.counter);
  if (status != AQ_OK)
    return status;
  if (!YAJL_IS_INTEGER(ordinal) || !YAJL_IS_INTEGER(time) ||
      !YAJL_IS_INTEGER(value))
    return line_error(l, "expected integers for ordinal, time and ", "value");
  sample.ordinal = YAJL_GET_INTEGER(ordinal);
  sample.time = YAJL_GET_INTEGER(time);
  sample.value = YAJL_GET_INTEGER(value);
  const size_t count = aq_counters[sample.counter].scope == AQ_COUNTER_OF_DEVICE
                           ? l->device_count
                           : l->queue_count;
  if (sample.ordinal < 0 || (size_t)sample.ordinal >= count)
    return line_error(
        l, "a sample of a device or queue that the first line does not have",
        "");
  return sink->put_counters
             ? sink->put_counters(sink, &sample, 1, l->import->diag)
             : AQ_OK;
}

static aq_status read_object(lines *l, yajl_val object)
{
  const char *kind = aq_json_lines_text(aq_json_lines_member(object, "kind"));
  if (kind && strcmp(kind, "run") == 0)
    return read_run(l, object);
  if (kind && strcmp(kind, "edge") == 0)
    return read_edge(l, object);
  if (kind && strcmp(kind, "sample") == 0)
    return read_sample(l, object);
  /* A wait is a row too; of all rows put so, only waits have a queue. */
  aq_record row;
  aq_record_init(&row);
  aq_status status = read_fields(l, object, &row);
  if (status != AQ_OK)
    return status;
  if (row.queue != AQ_NONE && row.start != AQ_NONE)
    aq_import_order(l->import, &row);
  return aq_import_put(l->import, &row);
}

/* The sink takes dependencies between rows that it has. */
static aq_status put_edges(lines *l)
{
  aq_record_sink *sink = l->import->sink;
  if (l->edge_count == 0 || !sink->put_edges)
    return AQ_OK;
  aq_status status = aq_import_flush(l->import);
  return status == AQ_OK
             ? sink->put_edges(sink, l->edges, l->edge_count, l->import->diag)
             : status;
}

aq_status aq_jsonl_import(aq_import *import, aq_correlation *join,
                          const aq_trace_files *files)
{
  (void)join; /* every row has its host times already */
  lines l = {.import = import};
  aq_status status = aq_json_lines_open(&l.in, import, &files->files[0]);
  if (status != AQ_OK)
    return status;
  bool got = true;
  while (status == AQ_OK && got) {
    yajl_val object;
    status = aq_json_lines_next(&l.in, &got);
    if (status == AQ_OK && got)
      status = aq_json_lines_object(&l.in, &object);
    if (status == AQ_OK && got)
      status = read_object(&l, object);
  }
  if (status == AQ_OK)
    status = put_edges(&l);
  free(l.edges);
  aq_json_lines_close(&l.in);
  return status;
}
