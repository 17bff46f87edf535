/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "queue/ops/marker_ranges.h"

#include <stdlib.h>

#include "common/array.h"

struct aq_marker_range {
  uint64_t value;
  int64_t name, first, packets; /* id of the first packet, and how many */
  aq_time start, end;
  bool closed; /* waits for the next start */
};

void aq_marker_ranges_init(aq_marker_ranges *marks, aq_operation_rows *rows,
                           int64_t device, int64_t queue)
{
  *marks = (aq_marker_ranges){.rows = rows,
                              .device = device,
                              .queue = queue,
                              .first = AQ_TIME_NONE,
                              .last = AQ_TIME_NONE,
                              .first_packet = AQ_NONE};
}

void aq_marker_ranges_fini(aq_marker_ranges *marks)
{
  free(marks->list);
}

static int64_t time_of(aq_time time)
{
  return time == AQ_TIME_NONE ? AQ_NONE : time;
}

static void row_put(const aq_marker_ranges *marks, const aq_marker_range *mark)
{
  aq_record row;
  aq_record_init(&row);
  row.kind = AQ_KIND_RANGE;
  row.via = AQ_VIA_NONE;
  row.flags = 0;
  row.device = marks->device;
  row.queue = marks->queue;
  row.correlation = marks->number;
  row.name = mark->name;
  row.packet = mark->first;
  row.packets = mark->packets;
  row.start = time_of(mark->start);
  row.end = time_of(mark->end);
  aq_operation_rows_put(marks->rows, &row);
}

static void mark_remove(aq_marker_ranges *marks, size_t at)
{
  for (marks->count--; at < marks->count; at++)
    marks->list[at] = marks->list[at + 1];
}

/* Its row, unless the time of a range without packets is not known so far. */
static void mark_close(aq_marker_ranges *marks, size_t at)
{
  aq_marker_range *mark = &marks->list[at];
  if (mark->packets == 0 && marks->last == AQ_TIME_NONE) {
    mark->closed = true;
    return;
  }
  if (mark->packets == 0)
    mark->start = mark->end = marks->last;
  row_put(marks, mark);
  mark_remove(marks, at);
}

static aq_status mark_add(aq_marker_ranges *marks, uint64_t value, int64_t name,
                          aq_diag *diag)
{
  const aq_marker_range mark = {.value = value,
                                .name = name,
                                .first = AQ_NONE,
                                .start = AQ_TIME_NONE,
                                .end = AQ_TIME_NONE};
  return AQ_ARRAY_PUSH(marks->list, marks->count, marks->capacity, mark)
             ? AQ_OK
             : aq_diag_no_memory(diag);
}

/* From the first packet of the execution on. */
static aq_status unbegun_close(aq_marker_ranges *marks, uint64_t value,
                               int64_t name, aq_diag *diag)
{
  aq_status status = mark_add(marks, value, name, diag);
  if (status != AQ_OK)
    return status;
  aq_marker_range *mark = &marks->list[marks->count - 1];
  mark->first = marks->first_packet;
  mark->packets = marks->packets;
  mark->start = marks->first;
  mark->end = marks->last;
  mark_close(marks, marks->count - 1);
  return AQ_OK;
}

aq_status aq_marker_ranges_put(aq_marker_ranges *marks, aq_marker_kind kind,
                               uint64_t value, int64_t name, aq_diag *diag)
{
  if (kind != AQ_MARKER_END) {
    aq_status status = mark_add(marks, value, name, diag);
    if (status == AQ_OK && kind == AQ_MARKER_POINT)
      mark_close(marks, marks->count - 1);
    return status;
  }
  size_t at = marks->count;
  while (at > 0 &&
         (marks->list[at - 1].closed || marks->list[at - 1].value != value))
    at--;
  if (at == 0)
    return unbegun_close(marks, value, name, diag);
  mark_close(marks, at - 1);
  return AQ_OK;
}

/* An unknown time hides no known one. */
static aq_time earlier(aq_time a, aq_time b)
{
  return a == AQ_TIME_NONE || (b != AQ_TIME_NONE && b < a) ? b : a;
}

static aq_time later(aq_time a, aq_time b)
{
  return a == AQ_TIME_NONE || (b != AQ_TIME_NONE && b > a) ? b : a;
}

void aq_marker_ranges_packet(aq_marker_ranges *marks, uint64_t id,
                             aq_time start, aq_time end)
{
  if (marks->packets++ == 0)
    marks->first_packet = (int64_t)id;
  marks->first = earlier(marks->first, start);
  marks->last = later(marks->last, end);
  for (size_t i = 0; i < marks->count;) {
    aq_marker_range *mark = &marks->list[i];
    if (mark->closed) {
      mark->start = mark->end = start;
      row_put(marks, mark);
      mark_remove(marks, i);
      continue;
    }
    if (mark->packets++ == 0)
      mark->first = (int64_t)id;
    mark->start = earlier(mark->start, start);
    mark->end = later(mark->end, end);
    i++;
  }
}

void aq_marker_ranges_end(aq_marker_ranges *marks)
{
  for (size_t i = marks->count; i-- > 0;) {
    if (!marks->list[i].closed && marks->list[i].packets == 0)
      marks->list[i].start = marks->list[i].end = marks->last;
    row_put(marks, &marks->list[i]);
  }
  marks->count = 0;
}
