/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/session/sums.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"

static aq_sums *of(aq_record_sink *sink)
{
  return (aq_sums *)sink;
}

/* ---- busy time ---- */

/* Rows are made in the order of their ends: the search begins there. */
static bool busy_add(aq_busy *busy, aq_time begin, aq_time end)
{
  size_t after = busy->count;
  while (after > 0 && busy->parts[after - 1].begin > end)
    after--;
  size_t first = after;
  while (first > 0 && busy->parts[first - 1].end >= begin) {
    first--;
    begin = aq_time_min(begin, busy->parts[first].begin);
    end = aq_time_max(end, busy->parts[first].end);
  }
  if (first == after &&
      !AQ_ARRAY_RESERVE(busy->parts, busy->capacity, busy->count + 1))
    return false;
  memmove(&busy->parts[first + 1], &busy->parts[after],
          (busy->count - after) * sizeof *busy->parts);
  busy->count += first + 1 - after;
  busy->parts[first] = (struct aq_interval){begin, end};
  return true;
}

aq_time aq_sums_busy(const aq_sums *sums, size_t device)
{
  aq_time sum = 0;
  for (size_t i = 0;
       device < sums->device_count && i < sums->devices[device].count; i++)
    sum += sums->devices[device].parts[i].end -
           sums->devices[device].parts[i].begin;
  return sum;
}

static bool device_known(aq_sums *sums, size_t device)
{
  if (device < sums->device_count)
    return true;
  if (!AQ_ARRAY_RESERVE_ZEROED(sums->devices, sums->device_capacity,
                               device + 1))
    return false;
  sums->device_count = device + 1;
  return true;
}

static bool row_add(aq_sums *sums, const aq_record *row)
{
  enum { DEVICES_MAX = 65536 };
  const bool works = row->kind == AQ_KIND_KERNEL || row->kind == AQ_KIND_COPY ||
                     row->kind == AQ_KIND_FILL;
  sums->rows++;
  if (!works || row->start == AQ_NONE || row->end == AQ_NONE ||
      row->end < row->start || row->device < 0 || row->device >= DEVICES_MAX)
    return true;
  sums->work += row->end - row->start;
  return device_known(sums, (size_t)row->device) &&
         busy_add(&sums->devices[row->device], row->start, row->end);
}

/* ---- the sink ---- */

static aq_record_sink *next_of(aq_record_sink *sink)
{
  aq_sums *sums = of(sink);
  return sums->to ? sums->to : &sums->known.sink;
}

static aq_status sums_device(aq_record_sink *sink, const aq_run_device *device,
                             int64_t *ordinal, aq_diag *diag)
{
  aq_record_sink *to = next_of(sink);
  return to->device(to, device, ordinal, diag);
}

static aq_status sums_queue(aq_record_sink *sink, const aq_run_queue *queue,
                            int64_t *ordinal, aq_diag *diag)
{
  aq_record_sink *to = next_of(sink);
  return to->queue(to, queue, ordinal, diag);
}

static aq_status sums_name(aq_record_sink *sink, const char *text,
                           size_t length, int64_t *id, aq_diag *diag)
{
  aq_record_sink *to = next_of(sink);
  return to->name(to, text, length, id, diag);
}

static aq_status sums_put(aq_record_sink *sink, const aq_record *rows,
                          size_t count, aq_diag *diag)
{
  aq_sums *sums = of(sink);
  for (size_t i = 0; i < count; i++)
    if (!row_add(sums, &rows[i]))
      return aq_diag_no_memory(diag);
  return sums->to ? sums->to->put(sums->to, rows, count, diag) : AQ_OK;
}

static aq_status sums_put_edges(aq_record_sink *sink, const aq_edge *edges,
                                size_t count, aq_diag *diag)
{
  aq_record_sink *to = of(sink)->to;
  return to && to->put_edges ? to->put_edges(to, edges, count, diag) : AQ_OK;
}

static aq_status sums_put_counters(aq_record_sink *sink,
                                   const aq_sample *samples, size_t count,
                                   aq_diag *diag)
{
  aq_record_sink *to = of(sink)->to;
  return to && to->put_counters ? to->put_counters(to, samples, count, diag)
                                : AQ_OK;
}

void aq_sums_init(aq_sums *sums, aq_record_sink *to)
{
  *sums = (aq_sums){.sink = {.device = sums_device,
                             .queue = sums_queue,
                             .name = sums_name,
                             .put = sums_put,
                             .put_edges = sums_put_edges,
                             .put_counters = sums_put_counters},
                    .to = to};
  aq_memory_sink_init(&sums->known);
}

void aq_sums_fini(aq_sums *sums)
{
  for (size_t i = 0; i < sums->device_count; i++)
    free(sums->devices[i].parts);
  free(sums->devices);
  aq_memory_sink_fini(&sums->known);
}
