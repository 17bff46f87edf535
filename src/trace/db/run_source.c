/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/db/run_source.h"

static aq_status source_next(aq_trace_source *source, aq_record *rows,
                             int64_t *numbers, size_t capacity, size_t *count,
                             aq_diag *diag)
{
  aq_tracedb_stored *from = (aq_tracedb_stored *)source;
  return aq_run_reader_next(from->reader, rows, numbers, capacity, count, diag);
}

static const char *source_name(aq_trace_source *source, int64_t id)
{
  return aq_run_reader_name(((aq_tracedb_stored *)source)->reader, id);
}

static const aq_run_device *source_device(aq_trace_source *source,
                                          int64_t ordinal)
{
  return aq_run_reader_device(((aq_tracedb_stored *)source)->reader, ordinal);
}

static const aq_run_queue *source_queue(aq_trace_source *source,
                                        int64_t ordinal)
{
  return aq_run_reader_queue(((aq_tracedb_stored *)source)->reader, ordinal);
}

static aq_status source_edges(aq_trace_source *source, const aq_edge **edges,
                              size_t *count, aq_diag *diag)
{
  return aq_run_reader_edges(((aq_tracedb_stored *)source)->reader, edges,
                             count, diag);
}

static aq_status source_samples(aq_trace_source *source,
                                const aq_sample **samples, size_t *count,
                                aq_diag *diag)
{
  return aq_run_reader_samples(((aq_tracedb_stored *)source)->reader, samples,
                               count, diag);
}

static aq_status source_ops(aq_trace_source *source, const aq_host_op **ops,
                            size_t *count, aq_diag *diag)
{
  return aq_run_reader_ops(((aq_tracedb_stored *)source)->reader, ops, count,
                           diag);
}

static aq_status source_traced(aq_trace_source *source, const aq_traced **steps,
                               size_t *count, aq_diag *diag)
{
  return aq_run_reader_traced(((aq_tracedb_stored *)source)->reader, steps,
                              count, diag);
}

static aq_status source_earliest(aq_trace_source *source, aq_time *out,
                                 aq_diag *diag)
{
  return aq_run_reader_earliest(((aq_tracedb_stored *)source)->reader, out,
                                diag);
}

void aq_tracedb_stored_init(aq_tracedb_stored *out, const aq_run_info *info,
                            aq_run_reader *reader)
{
  *out = (aq_tracedb_stored){
      .source = {.info = info,
                 .device_count = aq_run_reader_device_count(reader),
                 .queue_count = aq_run_reader_queue_count(reader),
                 .next = source_next,
                 .name = source_name,
                 .device = source_device,
                 .queue = source_queue,
                 .edges = source_edges,
                 .samples = source_samples,
                 .ops = source_ops,
                 .traced = source_traced,
                 .earliest = source_earliest},
      .reader = reader};
}
