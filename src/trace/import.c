/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/import.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

enum { PROGRESS_STEP = 4 << 20 };

void aq_import_init(aq_import *import, aq_record_sink *sink,
                    const aq_trace_options *options, aq_trace_result *result,
                    aq_diag *diag)
{
  static const aq_trace_options none;
  memset(import, 0, sizeof *import);
  import->sink = sink;
  import->options = options ? options : &none;
  import->result = result;
  import->diag = diag;
  memset(result, 0, sizeof *result);
}

void aq_import_fini(aq_import *import)
{
  aq_edges_fini(&import->edges);
  free(import->last_start);
}

aq_status aq_import_flush(aq_import *import)
{
  size_t count = import->batch_count;
  import->batch_count = 0;
  if (count == 0)
    return AQ_OK;
  return import->sink->put(import->sink, import->batch, count, import->diag);
}

aq_status aq_import_finish(aq_import *import)
{
  aq_status status = aq_import_flush(import);
  if (status != AQ_OK || import->edges_told)
    return status;
  return aq_edges_find(&import->edges, import->sink, import->result->edges,
                       import->diag);
}

aq_status aq_import_read(aq_import *import, aq_reader *reader,
                         const char **bytes, size_t *size)
{
  aq_status status = aq_reader_next(reader, bytes, size, import->diag);
  if (status != AQ_OK)
    return status;
  import->result->bytes += *size;
  import->progress_at += *size;
  const aq_trace_options *options = import->options;
  if (options->progress &&
      (import->progress_at >= PROGRESS_STEP || *size == 0)) {
    uint64_t done, total;
    aq_reader_progress(reader, &done, &total);
    options->progress(done, total, options->user);
    import->progress_at = 0;
  }
  return AQ_OK;
}

bool aq_import_time(aq_import *import, aq_tick tick, aq_time *out)
{
  if (!import->has_base) {
    import->has_base = true;
    import->result->base_ns = tick.ns;
  }
  int64_t time;
  if (__builtin_sub_overflow(tick.ns, import->result->base_ns, &time) ||
      __builtin_mul_overflow(time, AQ_NS, &time) ||
      __builtin_add_overflow(time, (int64_t)tick.ps, &time) ||
      time == AQ_TIME_NONE)
    return false;
  *out = time;
  return true;
}

bool aq_import_between(aq_import *import, aq_tick begin, aq_tick end,
                       aq_time *from, aq_time *to)
{
  aq_time start, stop;
  if (!aq_import_time(import, begin, &start) ||
      !aq_import_time(import, end, &stop))
    return false;
  if (stop < start) {
    aq_import_repair(import, AQ_REPAIR_NEGATIVE_DURATION);
    stop = start;
  }
  *from = start;
  *to = stop;
  return true;
}

bool aq_import_span(aq_import *import, aq_tick begin, aq_tick length,
                    aq_time *from, aq_time *to)
{
  aq_tick end = {0, begin.ps + length.ps};
  if (__builtin_add_overflow(begin.ns, length.ns, &end.ns))
    return false;
  return aq_import_between(import, begin, end, from, to);
}

aq_status aq_import_device(aq_import *import, const aq_run_device *device,
                           int64_t *ordinal)
{
  return import->sink->device(import->sink, device, ordinal, import->diag);
}

/* Makes room to remember the last start of one more queue. */
static aq_status grow_queues(aq_import *import, size_t ordinal)
{
  const size_t before = import->queue_capacity;
  if (!AQ_ARRAY_RESERVE(import->last_start, import->queue_capacity,
                        ordinal + 1))
    return aq_diag_no_memory(import->diag);
  for (size_t i = before; i < import->queue_capacity; i++)
    import->last_start[i] = AQ_TIME_NONE;
  return AQ_OK;
}

aq_status aq_import_queue(aq_import *import, int64_t device, int64_t source_id,
                          int64_t *ordinal)
{
  const size_t places = sizeof import->queues / sizeof *import->queues;
  aq_import_queue_entry *known =
      &import->queues[((uint64_t)source_id * 31 + (uint64_t)device) % places];
  if (known->used && known->device == device && known->source_id == source_id) {
    *ordinal = known->ordinal;
    return AQ_OK;
  }
  aq_run_queue queue = {device, source_id};
  aq_status status =
      import->sink->queue(import->sink, &queue, ordinal, import->diag);
  if (status == AQ_OK)
    status = grow_queues(import, (size_t)*ordinal);
  if (status == AQ_OK)
    *known = (aq_import_queue_entry){true, device, source_id, *ordinal};
  return status;
}

aq_status aq_import_name(aq_import *import, const char *text, size_t length,
                         int64_t *id)
{
  return import->sink->name(import->sink, text, length, id, import->diag);
}

void aq_import_order(aq_import *import, const aq_record *row)
{
  aq_time *last = &import->last_start[row->queue];
  if (row->start < *last)
    aq_import_repair(import, AQ_REPAIR_OUT_OF_ORDER);
  *last = row->start;
}

static void count_row(aq_import *import, const aq_record *row)
{
  aq_trace_result *result = import->result;
  if (row->kind == AQ_KIND_WAIT) {
    result->waits++;
    return;
  }
  if (row->kind == AQ_KIND_KERNEL)
    result->dispatches++;
  else if (row->kind == AQ_KIND_COPY || row->kind == AQ_KIND_FILL)
    result->copies++;
  else
    return; /* barriers and the like of a simulated run */
  if (row->via == AQ_VIA_NONE)
    aq_import_repair(import, AQ_REPAIR_NO_HOST_CALL);
  else
    result->with_host++;
}

aq_status aq_import_event_call(aq_import *import, const char *name,
                               size_t length, aq_edge_call call)
{
  call.records = aq_api_records_event(name, length);
  if (!call.records && !aq_api_waits_event(name, length))
    return AQ_OK;
  return aq_edges_call(&import->edges, &call) ? AQ_OK
                                              : aq_diag_no_memory(import->diag);
}

aq_status aq_import_put(aq_import *import, const aq_record *row)
{
  count_row(import, row);
  if (!aq_edges_row(&import->edges, row, import->row_count++))
    return aq_diag_no_memory(import->diag);
  import->batch[import->batch_count++] = *row;
  if (import->batch_count < sizeof import->batch / sizeof *import->batch)
    return AQ_OK;
  return aq_import_flush(import);
}
