/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/import/import.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/text.h"

enum { PROGRESS_STEP = 4 << 20 };

/* A time of 0 so long before the others is a clock that was not read. */
#define UNREAD_NS (INT64_C(600) * 1000000000)

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
  import->earliest = import->latest = AQ_TIME_NONE;
  aq_context_init(&import->context);
  memset(result, 0, sizeof *result);
}

void aq_import_fini(aq_import *import)
{
  aq_edges_fini(&import->edges);
  aq_device_waits_fini(&import->device_waits);
  aq_ranges_fini(&import->ranges);
  aq_context_fini(&import->context);
  aq_memory_events_fini(&import->memory);
  aq_repeats_fini(&import->repeats);
  free(import->captures);
  free(import->last_start);
}

/* The base is the first time that is read. Where that is the one that is far
 * from all others, none of them is in range. */
static bool is_base_wrong(aq_import *import)
{
  const bool zero = import->result->base_ns == 0;
  import->rebase =
      !import->flushed && import->far > 0 && import->far + zero > import->near;
  return import->rebase;
}

aq_status aq_import_flush(aq_import *import)
{
  if (is_base_wrong(import))
    return aq_diag_set(import->diag, AQ_ERR_INPUT,
                       "most times are far from the first one");
  import->flushed = true;
  size_t count = import->batch_count;
  import->batch_count = 0;
  if (count == 0)
    return AQ_OK;
  return import->sink->put(import->sink, import->batch, count, import->diag);
}

static void row_fault(aq_import *import, aq_trace_repair repair, int64_t number)
{
  char row[32];
  const int length = snprintf(row, sizeof row, "%lld", (long long)number);
  aq_import_fault(import, repair, "row", row, (size_t)length);
}

/* Takes back ends, each counted as `repair`. */
static aq_status ends_drop(aq_import *import, aq_trace_repair repair,
                           const int64_t *rows, size_t count)
{
  for (size_t i = 0; i < count; i++)
    row_fault(import, repair, rows[i]);
  return count == 0 ? AQ_OK
                    : import->sink->contradict(import->sink, rows, count,
                                               import->diag);
}

/* Takes back the ends that waits for the device contradict. */
static aq_status outlasting_drop(aq_import *import)
{
  int64_t *rows, *kept = NULL;
  size_t count, kept_count;
  aq_status status = AQ_OK;
  if (!aq_device_waits_contradict(&import->device_waits, &rows, &count) ||
      !aq_edges_drop(&import->edges, rows, count, &kept, &kept_count))
    status = aq_diag_no_memory(import->diag);
  if (status == AQ_OK)
    status = ends_drop(import, AQ_REPAIR_OUTLASTS_WAIT, kept, kept_count);
  free(rows);
  free(kept);
  return status;
}

enum { UNCALLED_PERCENT = 1 /* fewer are not worth a caveat */ };

/* Judges the rows once all are known. */
static void rows_judge(aq_import *import)
{
  aq_trace_result *result = import->result;
  const uint64_t uncalled = aq_edges_uncalled(&import->edges);
  if (uncalled * 100 > UNCALLED_PERCENT * (result->dispatches + result->copies))
    result->repairs[AQ_REPAIR_UNCALLED] = uncalled;
  if (import->instants == result->dispatches &&
      import->instants > result->repairs[AQ_REPAIR_NEGATIVE_DURATION])
    result->repairs[AQ_REPAIR_NO_DURATION] = import->instants;
}

/* Takes back the ends that other records contradict. */
static aq_status contradict(aq_import *import)
{
  int64_t *rows;
  size_t count;
  if (!import->sink->contradict)
    return AQ_OK;
  aq_status status =
      aq_edges_contradicted(&import->edges, &rows, &count)
          ? ends_drop(import, AQ_REPAIR_CONTRADICTED, rows, count)
          : aq_diag_no_memory(import->diag);
  free(rows);
  if (status == AQ_OK)
    status = outlasting_drop(import);
  if (status != AQ_OK)
    return status;
  int64_t first;
  const size_t overlaps = aq_edges_overlaps(&import->edges, &first);
  for (size_t i = 0; i < overlaps; i++)
    row_fault(import, AQ_REPAIR_OVERLAP, first);
  return AQ_OK;
}

aq_status aq_import_finish(aq_import *import)
{
  aq_status status = aq_ranges_put(import);
  if (status == AQ_OK)
    status = aq_import_flush(import);
  if (status == AQ_OK)
    status = aq_memory_events_pair(import);
  if (status == AQ_OK && import->context.active)
    status = aq_context_put(import);
  if (status == AQ_OK)
    status = aq_memory_events_put(import);
  int64_t base;
  if (__builtin_add_overflow(import->result->base_ns, import->origin_ns, &base))
    aq_import_fault(import, AQ_REPAIR_BAD_NUMBER, "base of the times", NULL, 0);
  else
    import->result->base_ns = base;
  if (status != AQ_OK || import->edges_told)
    return status;
  rows_judge(import);
  status = contradict(import);
  if (status != AQ_OK)
    return status;
  return aq_edges_find(&import->edges, import->sink, import->result->edges,
                       import->diag);
}

aq_status aq_import_read(aq_import *import, aq_stream_reader *reader,
                         const char **bytes, size_t *size)
{
  aq_status status = aq_stream_reader_next(reader, bytes, size, import->diag);
  if (status != AQ_OK && aq_stream_reader_is_cut(reader)) {
    *size = 0;
    return aq_import_truncated(import, aq_stream_reader_name(reader), "byte",
                               aq_stream_reader_consumed(reader),
                               "inside its compressed stream");
  }
  if (status != AQ_OK)
    return status;
  import->result->bytes += *size;
  import->progress_at += *size;
  const aq_trace_options *options = import->options;
  if (options->progress &&
      (import->progress_at >= PROGRESS_STEP || *size == 0)) {
    uint64_t done, total;
    aq_stream_reader_progress(reader, &done, &total);
    options->progress(done, total, options->user);
    import->progress_at = 0;
  }
  return AQ_OK;
}

/* ---- faults ---- */

/* Where the next example goes: once the places are taken, only the first of a
 * repair has one, that of the last that has several. NULL: nowhere. */
static aq_trace_example *example_place(aq_trace_result *result,
                                       aq_trace_repair repair)
{
  size_t last = 0;
  if (result->example_count < AQ_TRACE_EXAMPLES)
    return &result->examples[result->example_count++];
  for (size_t i = 0; i < AQ_TRACE_EXAMPLES; i++) {
    if (result->examples[i].repair == repair)
      return NULL;
    for (size_t k = 0; k < i; k++)
      if (result->examples[k].repair == result->examples[i].repair)
        last = i;
  }
  return last ? &result->examples[last] : NULL;
}

void aq_import_fault(aq_import *import, aq_trace_repair repair,
                     const char *field, const char *text, size_t length)
{
  enum { SHOWN = 32 };
  aq_trace_result *result = import->result;
  const aq_import_place *place = &import->place;
  aq_import_repair(import, repair);
  aq_trace_example *example = example_place(result, repair);
  if (!example)
    return;
  char where[40] = "", value[SHOWN + 16] = "";
  if (place->unit)
    snprintf(where, sizeof where, "%s %llu: ", place->unit,
             (unsigned long long)place->at(place->of));
  if (text) {
    snprintf(value, sizeof value, ": \"%.*s%s\"",
             (int)(length < SHOWN ? length : SHOWN), text,
             length > SHOWN ? "..." : "");
    for (char *c = value; *c; c++)
      if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
        *c = '?';
  }
  example->repair = repair;
  snprintf(example->text, sizeof example->text, "%s%s%s", where, field, value);
}

void aq_import_fault_number(aq_import *import, aq_trace_repair repair,
                            const char *field, int64_t number)
{
  char text[24] = "none";
  if (number != AQ_NONE)
    snprintf(text, sizeof text, "%" PRId64, number);
  aq_import_fault(import, repair, field, text, strlen(text));
}

aq_status aq_import_host_copy_skip(aq_import *import, const char *name,
                                   size_t length)
{
  aq_import_fault(import, AQ_REPAIR_HOST_COPY, "copy", name, length);
  return AQ_OK;
}

void aq_import_stray(aq_import *import, aq_trace_repair repair, int64_t ns,
                     const char *text, size_t length)
{
  char stray[64];
  const double days = 24 * 3600e9;
  snprintf(stray, sizeof stray, "time %lld ns, %.3g days from the others",
           (long long)ns,
           fabs((double)ns - (double)import->result->base_ns) / days);
  aq_import_fault(import, repair, stray, text, length);
}

void aq_import_skip(aq_import *import, const char *why, const char *text,
                    size_t length)
{
  if (!import->stray) {
    aq_import_fault(import, AQ_REPAIR_SKIPPED_ROW, why, text, length);
    return;
  }
  aq_import_stray(import, AQ_REPAIR_STRAY, import->stray_ns, text, length);
  import->stray = false;
}

aq_status aq_import_truncated(aq_import *import, const char *file,
                              const char *unit, uint64_t at, const char *what)
{
  if (import->cut_file != file)
    aq_import_repair(import, AQ_REPAIR_TRUNCATED);
  import->cut_file = file;
  if (!import->options->allow_truncated)
    return aq_diag_set(import->diag, AQ_ERR_INPUT,
                       "%s: truncated: it ends at %s %llu, %s", file, unit,
                       (unsigned long long)at, what);
  return AQ_OK;
}

static void bad_value(aq_import *import, const char *field, int64_t *value)
{
  char text[24];
  int length = snprintf(text, sizeof text, "%lld", (long long)*value);
  aq_import_fault(import, AQ_REPAIR_BAD_NUMBER, field, text, (size_t)length);
  *value = AQ_NONE;
}

void aq_import_size(aq_import *import, const char *field, int64_t *size)
{
  if (*size != AQ_NONE && (*size < 0 || *size > INT64_C(1) << 40))
    bad_value(import, field, size);
}

void aq_import_extent(aq_import *import, const char *field, int64_t *size)
{
  aq_import_size(import, field, size);
  if (*size == 0)
    *size = AQ_NONE;
}

void aq_import_id(aq_import *import, const char *field, int64_t *id)
{
  if (*id != AQ_NONE && *id < 0)
    bad_value(import, field, id);
}

/* ---- times ---- */

static bool is_zero(aq_tick tick)
{
  return tick.ns == 0 && tick.ps == 0;
}

bool aq_import_time_is_near(const aq_import *import, aq_tick tick, aq_time *out)
{
  const int64_t base = import->result->base_ns;
  int64_t time;
  if ((is_zero(tick) && base > UNREAD_NS) ||
      __builtin_sub_overflow(tick.ns, base, &time) ||
      __builtin_mul_overflow(time, AQ_NS, &time) ||
      __builtin_add_overflow(time, (int64_t)tick.ps, &time) ||
      time == AQ_TIME_NONE)
    return false;
  *out = time;
  return true;
}

bool aq_import_time(aq_import *import, aq_tick tick, aq_time *out)
{
  if (tick.ns < 0 || tick.ps < 0)
    return false;
  if (!import->has_base) {
    import->has_base = true;
    import->result->base_ns = tick.ns;
  }
  const bool in_range = aq_import_time_is_near(import, tick, out);
  /* Counts a time as one near the base or far from it. */
  const bool near =
      in_range && (import->result->base_ns > 0 || tick.ns <= UNREAD_NS);
  ++*(near ? &import->near : &import->far);
  if (!near)
    import->far_ns = tick.ns;
  return in_range;
}

bool aq_import_between(aq_import *import, aq_tick begin, aq_tick end,
                       aq_time *from, aq_time *to)
{
  aq_time start, stop;
  const bool readable =
      begin.ns >= 0 && begin.ps >= 0 && end.ns >= 0 && end.ps >= 0;
  import->stray = false;
  const bool begins = aq_import_time(import, begin, &start);
  if (!aq_import_time(import, end, &stop) || !begins) {
    import->stray = readable;
    import->stray_ns = begins ? end.ns : begin.ns;
    return false;
  }
  if (stop < start) {
    aq_import_fault(import, AQ_REPAIR_NEGATIVE_DURATION, "end before start",
                    NULL, 0);
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
  if (end.ns < 0 || end.ps < 0) /* only by a negative length: worded there */
    end = (aq_tick){0, 0};
  return aq_import_between(import, begin, end, from, to);
}

aq_status aq_import_process(aq_import *import, aq_map *processes, int64_t pid,
                            uint64_t *process)
{
  if (aq_map_get(processes, (uint64_t)pid, process))
    return AQ_OK;
  *process = processes->count;
  return aq_map_put(processes, (uint64_t)pid, *process)
             ? AQ_OK
             : aq_diag_no_memory(import->diag);
}

int64_t aq_import_device_id(aq_import *import, int64_t id)
{
  if (id != AQ_NONE)
    return id;
  aq_import_fault(import, AQ_REPAIR_UNLISTED_DEVICE,
                  "no device or agent is recorded: counted as device 0", NULL,
                  0);
  return 0;
}

aq_status aq_import_device(aq_import *import, const aq_run_device *device,
                           int64_t *ordinal)
{
  aq_trace_result *result = import->result;
  const char *gpu = device->name && device->name[0] ? device->name
                    : device->gfx                   ? device->gfx
                                                    : "";
  if (gpu[0] && result->gpu[0])
    result->more_gpus |= strncmp(result->gpu, gpu, sizeof result->gpu - 1) != 0;
  else if (gpu[0])
    snprintf(result->gpu, sizeof result->gpu, "%s", gpu);
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

/* Text that can be written in every format: UTF-8 without a NUL. */
aq_status aq_import_name(aq_import *import, const char *text, size_t length,
                         int64_t *id)
{
  aq_record_sink *sink = import->sink;
  if (!memchr(text, '\0', length) && aq_text_is_utf8(text, length))
    return sink->name(sink, text, length, id, import->diag);
  aq_import_fault(import, AQ_REPAIR_BAD_NAME, "name", text, length);
  char *clean = aq_text_name(text, length);
  if (!clean)
    return aq_diag_no_memory(import->diag);
  aq_status status = sink->name(sink, clean, strlen(clean), id, import->diag);
  free(clean);
  return status;
}

/* An extent of three is known whole, or not at all. */
static void check_extents(aq_import *import, const char *const names[3],
                          int64_t *extents)
{
  bool known = true;
  for (int i = 0; i < 3; i++) {
    aq_import_extent(import, names[i], &extents[i]);
    known &= extents[i] != AQ_NONE;
  }
  for (int i = 0; i < 3 && !known; i++)
    extents[i] = AQ_NONE;
}

/* No GPU has so many for a work-item or a wave. */
static void check_registers(aq_import *import, const char *field,
                            int64_t *registers)
{
  enum { REGISTERS_MAX = 1024 };
  if (*registers != AQ_NONE && *registers > REGISTERS_MAX)
    bad_value(import, field, registers);
  aq_import_size(import, field, registers);
}

static void check_shape(aq_import *import, aq_record *row)
{
  static const char *const grid[] = {"grid x", "grid y", "grid z"};
  static const char *const workgroup[] = {"workgroup x", "workgroup y",
                                          "workgroup z"};
  int64_t extents[3] = {row->grid_x, row->grid_y, row->grid_z};
  check_extents(import, grid, extents);
  row->grid_x = extents[0];
  row->grid_y = extents[1];
  row->grid_z = extents[2];
  memcpy(extents, (int64_t[]){row->wg_x, row->wg_y, row->wg_z}, sizeof extents);
  check_extents(import, workgroup, extents);
  row->wg_x = extents[0];
  row->wg_y = extents[1];
  row->wg_z = extents[2];
  aq_import_size(import, "lds", &row->lds);
  aq_import_size(import, "scratch", &row->scratch);
  check_registers(import, "vgpr", &row->vgpr);
  check_registers(import, "agpr", &row->agpr);
  check_registers(import, "sgpr", &row->sgpr);
  aq_import_size(import, "bytes", &row->bytes);
}

void aq_import_order(aq_import *import, aq_record *row)
{
  check_shape(import, row);
  aq_time *last = &import->last_start[row->queue];
  if (row->start < *last)
    aq_import_repair(import, AQ_REPAIR_OUT_OF_ORDER);
  *last = row->start;
}

aq_status aq_import_again(aq_import *import, const int64_t *values,
                          size_t count, bool *again)
{
  if (!aq_repeats_note(&import->repeats, values, count, again))
    return aq_diag_no_memory(import->diag);
  return AQ_OK;
}

aq_status aq_import_row_again(aq_import *import, const aq_record *row,
                              bool *again)
{
  *again = false;
  if (row->start == row->end)
    return AQ_OK;
  aq_status status = aq_import_again(import, aq_record_values(row),
                                     AQ_RECORD_FIELD_COUNT, again);
  if (status == AQ_OK && *again) {
    const char *name = aq_record_kind_name(row->kind);
    aq_import_fault(import, AQ_REPAIR_REPEATED, name, NULL, 0);
  }
  return status;
}

static void count_row(aq_import *import, const aq_record *row)
{
  aq_trace_result *result = import->result;
  if (row->kind == AQ_KIND_WAIT || row->kind == AQ_KIND_RANGE) {
    ++*(row->kind == AQ_KIND_WAIT ? &result->waits : &result->ranges);
    return;
  }
  if (row->kind == AQ_KIND_KERNEL) {
    result->dispatches++;
    import->instants += row->start == row->end && row->end != AQ_TIME_NONE;
  } else if (row->kind == AQ_KIND_COPY || row->kind == AQ_KIND_FILL) {
    result->copies++;
  } else {
    return; /* barriers and other packets of a simulated run */
  }
  if (import->earliest == AQ_TIME_NONE || row->start < import->earliest)
    import->earliest = row->start;
  if (import->latest == AQ_TIME_NONE || row->start > import->latest)
    import->latest = row->start;
  if (row->via == AQ_VIA_NONE)
    aq_import_repair(import, AQ_REPAIR_NO_HOST_CALL);
  else
    result->with_host++;
}

bool aq_import_is_event(const char *name, size_t length)
{
  return aq_api_waits_event(name, length) ||
         aq_api_records_event(name, length) ||
         aq_api_begins_capture(name, length) ||
         aq_api_ends_capture(name, length);
}

aq_status aq_import_event_call(aq_import *import, const char *name,
                               size_t length, aq_edge_call call)
{
  const bool begins = aq_api_begins_capture(name, length);
  if (begins || aq_api_ends_capture(name, length))
    return AQ_ARRAY_PUSH(import->captures, import->capture_count,
                         import->capture_capacity,
                         (aq_import_capture){
                             call.pid, begins ? call.begin : call.end, begins})
               ? AQ_OK
               : aq_diag_no_memory(import->diag);
  call.records = aq_api_records_event(name, length);
  if (!call.records && !aq_api_waits_event(name, length))
    return AQ_OK;
  return aq_edges_call(&import->edges, &call) ? AQ_OK
                                              : aq_diag_no_memory(import->diag);
}

aq_status aq_import_wait_call(aq_import *import, const char *name,
                              size_t length, int64_t pid, aq_time begin,
                              aq_time end)
{
  return !aq_api_waits_device(name, length) ||
                 aq_device_waits_wait(&import->device_waits, pid, begin, end)
             ? AQ_OK
             : aq_diag_no_memory(import->diag);
}

aq_status aq_import_put(aq_import *import, const aq_record *row)
{
  count_row(import, row);
  if (import->context.active) {
    aq_status status = aq_context_row(import, row, import->row_count);
    if (status != AQ_OK)
      return status;
  }
  if (!aq_device_waits_row(&import->device_waits, row, import->row_count) ||
      !aq_edges_row(&import->edges, row, import->row_count++))
    return aq_diag_no_memory(import->diag);
  import->batch[import->batch_count++] = *row;
  if (import->batch_count < sizeof import->batch / sizeof *import->batch)
    return AQ_OK;
  return aq_import_flush(import);
}
