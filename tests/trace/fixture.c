/* SPDX-License-Identifier: MIT */
#include "trace/fixture.h"

#include <stdio.h>
#include <string.h>

static fixture fixture_new(void)
{
  fixture f;
  memset(&f, 0, sizeof f);
  aq_memory_sink_init(&f.sink);
  return f;
}

fixture fixture_path(const char *path)
{
  fixture f = fixture_new();
  f.status = aq_trace_import(path, NULL, &f.sink.sink, &f.result, &f.diag);
  return f;
}

fixture fixture_data(const char *name)
{
  char below[256];
  snprintf(below, sizeof below, "trace/data/%s", name);
  fixture f = fixture_path(aqtest_source(below));
  ck_assert_status(f.status, AQ_OK, &f.diag);
  return f;
}

fixture fixture_bytes(const void *bytes, size_t size)
{
  fixture f = fixture_new();
  f.status = aq_trace_import_bytes("in", bytes, size, NULL, &f.sink.sink,
                                   &f.result, &f.diag);
  return f;
}

fixture fixture_text(const char *text)
{
  return fixture_bytes(text, strlen(text));
}

fixture fixture_cut(const char *text)
{
  const aq_trace_options options = {.allow_truncated = true};
  fixture f = fixture_new();
  f.status = aq_trace_import_bytes("in", text, strlen(text), &options,
                                   &f.sink.sink, &f.result, &f.diag);
  return f;
}

void fixture_free(fixture *f)
{
  aq_memory_sink_fini(&f->sink);
}

const aq_record *fixture_row(const fixture *f, const char *name, int kind)
{
  const aq_record *found = NULL;
  for (size_t i = 0; i < f->sink.count; i++) {
    const aq_record *row = &f->sink.rows[i];
    if (row->kind != kind ||
        strcmp(aq_names_text(&f->sink.names, row->name), name) != 0)
      continue;
    ck_assert_msg(!found, "two rows named %s", name);
    found = row;
  }
  ck_assert_msg(found != NULL, "no row named %s", name);
  return found;
}

void fixture_repaired(const fixture *f, aq_trace_repair repair, uint64_t count)
{
  ck_assert_status(f->status, AQ_OK, &f->diag);
  for (int i = 0; i < AQ_REPAIR_COUNT; i++) {
    char text[AQ_TRACE_REPAIR_SIZE];
    aq_trace_repair_text((aq_trace_repair)i, f->result.repairs[i], text);
    ck_assert_msg(f->result.repairs[i] == (i == (int)repair ? count : 0), "%s",
                  text);
  }
}

void fixture_refused(const char *text, const char *line)
{
  fixture f = fixture_text(text);
  ck_assert_int_eq(f.status, AQ_ERR_INPUT);
  ck_assert_str_eq(f.diag.text, line);
  fixture_free(&f);
}

static aq_status source_next(aq_trace_source *source, aq_record *rows,
                             int64_t *numbers, size_t capacity, size_t *count,
                             aq_diag *diag)
{
  (void)diag;
  fixture_source *m = (fixture_source *)source;
  for (*count = 0; *count < capacity && m->at < m->sink->count; m->at++) {
    numbers[*count] = (int64_t)m->at;
    rows[(*count)++] = m->sink->rows[m->at];
  }
  return AQ_OK;
}

static const char *source_name(aq_trace_source *source, int64_t id)
{
  return aq_names_text(&((fixture_source *)source)->sink->names, id);
}

static const aq_run_device *source_device(aq_trace_source *source,
                                          int64_t ordinal)
{
  return &((fixture_source *)source)->sink->devices[ordinal];
}

static const aq_run_queue *source_queue(aq_trace_source *source,
                                        int64_t ordinal)
{
  return &((fixture_source *)source)->sink->queues[ordinal];
}

static aq_status source_edges(aq_trace_source *source, const aq_edge **edges,
                              size_t *count, aq_diag *diag)
{
  (void)diag;
  *edges = ((fixture_source *)source)->sink->edges;
  *count = ((fixture_source *)source)->sink->edge_count;
  return AQ_OK;
}

static aq_status source_samples(aq_trace_source *source,
                                const aq_sample **samples, size_t *count,
                                aq_diag *diag)
{
  (void)diag;
  *samples = ((fixture_source *)source)->sink->samples;
  *count = ((fixture_source *)source)->sink->sample_count;
  return AQ_OK;
}

fixture_source fixture_read(const aq_memory_sink *sink, const aq_run_info *info)
{
  return (fixture_source){.source = {.info = info,
                                     .device_count = sink->device_count,
                                     .queue_count = sink->queue_count,
                                     .next = source_next,
                                     .name = source_name,
                                     .device = source_device,
                                     .queue = source_queue,
                                     .edges = source_edges,
                                     .samples = source_samples},
                          .sink = sink};
}

char *fixture_export(const fixture *f, const char *format)
{
  const aq_run_info info = {.kind = AQ_RUN_MEASURED,
                            .base_ns = f->result.base_ns};
  fixture_source from = fixture_read(&f->sink, &info);
  char *text = NULL;
  size_t size = 0;
  aq_diag diag = AQ_DIAG_INIT;
  FILE *out = open_memstream(&text, &size);
  ck_assert_status(aq_trace_export(format, &from.source, out, &diag), AQ_OK,
                   &diag);
  fclose(out);
  return text;
}
