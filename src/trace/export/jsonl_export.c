/* SPDX-License-Identifier: MIT */
/* JSON Lines of our own record table; see doc/formats/jsonl.md. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_gen.h>

#include "common/text.h"
#include "trace/import/importers.h"

enum { ROWS = 256 };

typedef struct writer {
  aq_trace_source *source;
  FILE *out;
  yajl_gen gen;
  bool failed; /* out of memory */
} writer;

static void put_text(writer *w, const char *text)
{
  const size_t length = strlen(text);
  if (aq_text_is_utf8(text, length)) {
    yajl_gen_string(w->gen, (const unsigned char *)text, length);
    return;
  }
  char *clean = aq_text_utf8(text, length);
  if (clean)
    yajl_gen_string(w->gen, (const unsigned char *)clean, strlen(clean));
  w->failed |= !clean;
  free(clean);
}

static void put_int(writer *w, const char *key, int64_t value)
{
  if (value == AQ_NONE)
    return;
  put_text(w, key);
  yajl_gen_integer(w->gen, value);
}

static void put_optional(writer *w, const char *key, const char *text)
{
  if (!text)
    return;
  put_text(w, key);
  put_text(w, text);
}

static void put_device(writer *w, int64_t ordinal)
{
  const aq_run_device *device = w->source->device(w->source, ordinal);
  yajl_gen_map_open(w->gen);
  put_int(w, "ordinal", ordinal);
  if (device) {
    put_int(w, "id", device->source_id);
    put_optional(w, "name", device->name);
    put_optional(w, "gfx", device->gfx);
    put_int(w, "cus", device->cus);
  }
  yajl_gen_map_close(w->gen);
}

static void put_queue(writer *w, int64_t ordinal, bool alone)
{
  const aq_run_queue *queue = w->source->queue(w->source, ordinal);
  yajl_gen_map_open(w->gen);
  put_int(w, "ordinal", ordinal);
  if (queue)
    put_int(w, "id", queue->source_id);
  if (queue && alone)
    put_int(w, "device", queue->device);
  yajl_gen_map_close(w->gen);
}

/* A field that is a number in the record and a word for its reader. */
static bool put_name(writer *w, size_t field, int64_t value)
{
  const char *word = field == AQ_RECORD_FIELD_kind  ? aq_record_kind_name(value)
                     : field == AQ_RECORD_FIELD_via ? aq_record_via_name(value)
                     : field == AQ_RECORD_FIELD_name
                         ? w->source->name(w->source, value)
                         : NULL;
  if (word)
    put_text(w, word);
  return word != NULL;
}

/* Ends the object that is open, and its line. */
static aq_status put_line(writer *w, aq_diag *diag)
{
  yajl_gen_map_close(w->gen);
  const unsigned char *text;
  size_t length;
  if (w->failed ||
      yajl_gen_get_buf(w->gen, &text, &length) != yajl_gen_status_ok)
    return aq_diag_no_memory(diag);
  if (fwrite(text, 1, length, w->out) != length || putc('\n', w->out) == EOF)
    return aq_diag_set(diag, AQ_ERR_IO, "export: %s", strerror(errno));
  yajl_gen_clear(w->gen);
  yajl_gen_reset(w->gen, NULL);
  return AQ_OK;
}

/* What of a run its rows depend on: no id, no time of day. */
static aq_status put_run(writer *w, aq_diag *diag)
{
  const aq_run_info *info = w->source->info;
  const bool simulated = info->kind == AQ_RUN_SIMULATED;
  yajl_gen_map_open(w->gen);
  put_optional(w, "kind", "run");
  put_optional(w, "run", simulated ? "simulated" : "measured");
  put_optional(w, "transport", info->transport);
  put_optional(w, "device_model", info->device_model);
  put_optional(w, "model_hash", info->model_hash);
  put_optional(w, "model_verdict", info->model_verdict);
  if (simulated) {
    put_int(w, "seed", info->seed);
    put_text(w, "reproducible");
    yajl_gen_bool(w->gen, info->reproducible);
  }
  put_optional(w, "damage", info->damage);
  put_optional(w, "durations", info->durations);
  put_optional(w, "recorded", info->recorded);
  if (info->left_out > 0)
    put_int(w, "rows_left_out", info->left_out);
  if (info->truncated) {
    put_text(w, "truncated");
    yajl_gen_bool(w->gen, true);
  }
  put_int(w, "base_ns", info->base_ns);
  /* In the order of their ordinals, so that a reader gives the same ones. */
  put_text(w, "devices");
  yajl_gen_array_open(w->gen);
  for (size_t i = 0; i < w->source->device_count; i++)
    put_device(w, (int64_t)i);
  yajl_gen_array_close(w->gen);
  put_text(w, "queues");
  yajl_gen_array_open(w->gen);
  for (size_t i = 0; i < w->source->queue_count; i++)
    put_queue(w, (int64_t)i, true);
  yajl_gen_array_close(w->gen);
  return put_line(w, diag);
}

static aq_status put_row(writer *w, const aq_record *row, int64_t number,
                         aq_diag *diag)
{
  const int64_t *values = aq_record_values(row);
  yajl_gen_map_open(w->gen);
  put_int(w, "row", number);
  for (size_t i = 0; i < AQ_RECORD_FIELD_COUNT; i++) {
    const int64_t value = values[i];
    if (value == AQ_NONE)
      continue;
    put_text(w, aq_record_fields[i].name);
    if (i == AQ_RECORD_FIELD_device)
      put_device(w, value);
    else if (i == AQ_RECORD_FIELD_queue)
      put_queue(w, value, false);
    else if (!put_name(w, i, value))
      yajl_gen_integer(w->gen, value);
  }
  return put_line(w, diag);
}

static aq_status put_edges(writer *w, aq_diag *diag)
{
  const aq_edge *edges;
  size_t count;
  aq_status status = w->source->edges(w->source, &edges, &count, diag);
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    yajl_gen_map_open(w->gen);
    put_optional(w, "kind", "edge");
    put_int(w, "to", edges[i].to);
    put_int(w, "from", edges[i].from);
    put_optional(w, "how", aq_edge_kind_name(edges[i].kind));
    put_int(w, "confidence", edges[i].confidence);
    status = put_line(w, diag);
  }
  return status;
}

static aq_status put_samples(writer *w, aq_diag *diag)
{
  const aq_sample *samples;
  size_t count;
  aq_status status = aq_trace_source_samples(w->source, &samples, &count, diag);
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    yajl_gen_map_open(w->gen);
    put_optional(w, "kind", "sample");
    put_optional(w, "counter", aq_counters[samples[i].counter].name);
    put_int(w, "ordinal", samples[i].ordinal);
    put_int(w, "time", samples[i].time);
    put_int(w, "value", samples[i].value);
    status = put_line(w, diag);
  }
  return status;
}

static aq_status put_rows(writer *w, aq_diag *diag)
{
  for (;;) {
    aq_record rows[ROWS];
    int64_t numbers[ROWS];
    size_t count = 0;
    aq_status status =
        w->source->next(w->source, rows, numbers, ROWS, &count, diag);
    for (size_t i = 0; i < count && status == AQ_OK; i++)
      status = put_row(w, &rows[i], numbers[i], diag);
    if (status != AQ_OK || count == 0)
      return status;
  }
}

aq_status aq_jsonl_export(aq_trace_source *source, FILE *out, aq_diag *diag)
{
  writer w = {.source = source, .out = out, .gen = yajl_gen_alloc(NULL)};
  if (!w.gen)
    return aq_diag_no_memory(diag);
  aq_status status = put_run(&w, diag);
  if (status == AQ_OK)
    status = put_rows(&w, diag);
  if (status == AQ_OK)
    status = put_edges(&w, diag);
  if (status == AQ_OK)
    status = put_samples(&w, diag);
  yajl_gen_free(w.gen);
  if (status == AQ_OK && fflush(out) != 0)
    status = aq_diag_set(diag, AQ_ERR_IO, "export: %s", strerror(errno));
  return status;
}
