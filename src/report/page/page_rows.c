/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/page/page_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/array.h"
#include "report/page/page_json.h"
#include "store/foreach_row.h"

/* A dispatch; the names are the columns of the page. */
typedef struct dispatch {
  double start, end;
  float submit, launch, complete, host_begin, host_end; /* after the start */
  int32_t name, row, origin, stream;
  int16_t queue, thread;
  uint8_t pinned, predicted;
} dispatch;

static const aq_page_column dispatch_columns[] = {
    AQ_PAGE_COLUMN(dispatch, start),     AQ_PAGE_COLUMN(dispatch, end),
    AQ_PAGE_COLUMN(dispatch, submit),    AQ_PAGE_COLUMN(dispatch, launch),
    AQ_PAGE_COLUMN(dispatch, complete),  AQ_PAGE_COLUMN(dispatch, host_begin),
    AQ_PAGE_COLUMN(dispatch, host_end),  AQ_PAGE_COLUMN(dispatch, name),
    AQ_PAGE_COLUMN(dispatch, row),       AQ_PAGE_COLUMN(dispatch, origin),
    AQ_PAGE_COLUMN(dispatch, stream),    AQ_PAGE_COLUMN(dispatch, queue),
    AQ_PAGE_COLUMN(dispatch, thread),    AQ_PAGE_COLUMN(dispatch, pinned),
    AQ_PAGE_COLUMN(dispatch, predicted), {NULL, 0, 0},
};

/* A host call that submitted nothing, an operation of a host queue, or a range
 * that the program marked. */
typedef struct span {
  double begin, end;
  int32_t name, row;
  int16_t thread, queue;
  uint8_t wait; /* it waited for the device */
} span;

static const aq_page_column span_columns[] = {
    AQ_PAGE_COLUMN(span, begin),  AQ_PAGE_COLUMN(span, end),
    AQ_PAGE_COLUMN(span, name),   AQ_PAGE_COLUMN(span, row),
    AQ_PAGE_COLUMN(span, thread), AQ_PAGE_COLUMN(span, queue),
    AQ_PAGE_COLUMN(span, wait),   {NULL, 0, 0},
};

typedef struct spans {
  span *items;
  size_t count, capacity;
} spans;

typedef struct thread {
  int64_t pid, tid;
} thread;

typedef struct rows {
  dispatch *dispatches;
  size_t count, capacity, untimed; /* untimed: without a start or an end */
  spans calls, operations, ranges;
  thread *threads;
  size_t thread_count, thread_capacity, last;
} rows;

static double ns(aq_time time)
{
  return (double)time / AQ_NS;
}

static float ns_after(aq_time time, aq_time start)
{
  return time == AQ_TIME_NONE ? NAN : (float)ns(time - start);
}

static int32_t or_unknown(int64_t value)
{
  return value < 0 || value > INT32_MAX ? -1 : (int32_t)value;
}

static int16_t or_none(int64_t ordinal)
{
  return (int16_t)(ordinal < 0 || ordinal > INT16_MAX ? -1 : ordinal);
}

/* -1: unknown, or no memory, which *failed reports. */
static int16_t thread_of(rows *r, const aq_record *row, bool *failed)
{
  const thread t = {row->pid, row->tid};
  if (t.tid == AQ_NONE)
    return -1;
  if (r->last < r->thread_count && r->threads[r->last].pid == t.pid &&
      r->threads[r->last].tid == t.tid)
    return or_none((int64_t)r->last);
  for (r->last = 0; r->last < r->thread_count; r->last++)
    if (r->threads[r->last].pid == t.pid && r->threads[r->last].tid == t.tid)
      return or_none((int64_t)r->last);
  if (!AQ_ARRAY_PUSH(r->threads, r->thread_count, r->thread_capacity, t)) {
    *failed = true;
    return -1;
  }
  return or_none((int64_t)r->last);
}

static bool dispatch_add(rows *r, const aq_record *row, int64_t number)
{
  bool failed = false;
  const dispatch d = {
      .start = ns(row->start),
      .end = ns(row->end),
      .submit = ns_after(row->submit, row->start),
      .launch = ns_after(row->launch, row->start),
      .complete = ns_after(row->complete, row->start),
      .host_begin = ns_after(row->host_begin, row->start),
      .host_end = ns_after(row->host_end, row->start),
      .name = or_unknown(row->name),
      .row = or_unknown(number),
      .origin = or_unknown(row->origin),
      .stream = or_unknown(row->stream),
      .queue = or_none(row->queue),
      .thread = thread_of(r, row, &failed),
      .pinned = aq_record_is(row, AQ_FLAG_PINNED),
      .predicted = aq_record_is(row, AQ_FLAG_PREDICTED),
  };
  return !failed && AQ_ARRAY_PUSH(r->dispatches, r->count, r->capacity, d);
}

static bool span_add(rows *r, spans *list, const aq_record *row, int64_t number,
                     aq_time begin, aq_time end)
{
  bool failed = false;
  if (begin == AQ_TIME_NONE || end == AQ_TIME_NONE || end < begin)
    return true;
  const span s = {.begin = ns(begin),
                  .end = ns(end),
                  .name = or_unknown(row->name),
                  .row = or_unknown(number),
                  .queue = or_none(row->queue),
                  .thread = thread_of(r, row, &failed),
                  .wait = row->kind == AQ_KIND_WAIT};
  return !failed && AQ_ARRAY_PUSH(list->items, list->count, list->capacity, s);
}

static bool row_add(void *user, const aq_record *row, int64_t number,
                    const char *name)
{
  rows *r = user;
  (void)name;
  switch (row->kind) {
  case AQ_KIND_KERNEL:
  case AQ_KIND_COPY:
  case AQ_KIND_FILL:
    if (row->start != AQ_TIME_NONE && row->end != AQ_TIME_NONE)
      return dispatch_add(r, row, number);
    r->untimed++;
    return true;
  case AQ_KIND_WAIT:
  case AQ_KIND_CALL:
    return span_add(r, &r->calls, row, number, row->host_begin, row->host_end);
  case AQ_KIND_RANGE:
    return row->queue == AQ_NONE
               ? span_add(r, &r->ranges, row, number, row->host_begin,
                          row->host_end)
               : span_add(r, &r->ranges, row, number, row->start, row->end);
  case AQ_KIND_OPERATION:
    return span_add(r, &r->operations, row, number,
                    row->host_begin != AQ_TIME_NONE ? row->host_begin
                                                    : row->submit,
                    row->complete != AQ_TIME_NONE ? row->complete : row->end);
  default:
    return true;
  }
}

static int by_begin(const void *a, const void *b)
{
  const span *x = a, *y = b;
  if (x->begin != y->begin)
    return x->begin < y->begin ? -1 : 1;
  return (x->row > y->row) - (x->row < y->row);
}

static void spans_put(FILE *out, const char *key, spans *list)
{
  if (list->count > 0)
    qsort(list->items, list->count, sizeof *list->items, by_begin);
  aq_page_key_put(out, key);
  aq_page_columns_put(out, list->items, list->count, sizeof *list->items,
                      span_columns);
  putc('}', out);
}

aq_status aq_page_rows_put(aq_run_reader *reader, FILE *out, aq_diag *diag)
{
  rows r = {0};
  aq_status status = aq_run_reader_each(reader, row_add, &r, diag);
  if (status == AQ_OK) {
    aq_page_key_put(out, "dispatches");
    aq_page_columns_put(out, r.dispatches, r.count, sizeof *r.dispatches,
                        dispatch_columns);
    aq_page_number_put(out, "untimed", (int64_t)r.untimed);
    putc('}', out);
    spans_put(out, "calls", &r.calls);
    spans_put(out, "operations", &r.operations);
    spans_put(out, "ranges", &r.ranges);
    aq_page_key_put(out, "threads");
    putc('[', out);
    for (size_t i = 0; i < r.thread_count; i++) {
      fprintf(out, "%s{\"tid\":%" PRId64, i ? "," : "", r.threads[i].tid);
      aq_page_number_put(out, "pid", r.threads[i].pid);
      putc('}', out);
    }
    putc(']', out);
  }
  free(r.dispatches);
  free(r.calls.items);
  free(r.operations.items);
  free(r.ranges.items);
  free(r.threads);
  return status;
}
