/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/part_spans.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "report/stats/steps.h"

enum { NONE = -1 };

/* Of one occurrence on a device, or on all. */
typedef struct extent {
  aq_part_span span;
  int64_t next; /* of the same occurrence, or NONE */
} extent;

typedef struct extents {
  const aq_dispatches *d;
  aq_time first;  /* begin of the window */
  int64_t *heads; /* of each occurrence, a range or a step: its extents */
  extent *list;
  size_t count, capacity;
  bool full; /* no memory */
} extents;

static void extent_widen(extents *e, size_t occurrence,
                         const aq_part_span *more)
{
  for (int64_t i = e->heads[occurrence]; i != NONE; i = e->list[i].next) {
    aq_part_span *span = &e->list[i].span;
    if (span->of != more->of)
      continue;
    span->begin = aq_time_min(span->begin, more->begin);
    span->from = aq_time_min(span->from, more->from);
    span->to = aq_time_max(span->to, more->to);
    return;
  }
  const extent one = {*more, e->heads[occurrence]};
  e->heads[occurrence] = (int64_t)e->count;
  e->full = !AQ_ARRAY_PUSH(e->list, e->count, e->capacity, one);
}

/* `begin`: of the range. */
static void extent_add(extents *e, size_t occurrence, aq_time begin,
                       const aq_dispatch_row *row)
{
  const aq_time called =
      row->host_begin == AQ_TIME_NONE ? row->start : row->host_begin;
  const aq_time launched = aq_time_min(called, row->start);
  const aq_time prepared = aq_time_min(begin, launched);
  const aq_part_span spans[] = {
      {row->device, aq_time_min(begin, row->start), row->start, row->end},
      {AQ_PART_STARTS, aq_time_min(begin, row->start), row->start, row->end},
      {AQ_PART_LAUNCHES, prepared, launched, row->end},
      {AQ_PART_RANGES, prepared, prepared, row->end}};
  for (size_t i = 0; i < sizeof spans / sizeof *spans && !e->full; i++)
    extent_widen(e, occurrence, &spans[i]);
}

static void in_ranges_add(void *user, size_t row, const size_t *around,
                          size_t depth)
{
  extents *e = user;
  if (e->d->rows[row].outside)
    return;
  for (size_t i = 0; i < depth; i++) {
    const aq_dispatch_row *range = &e->d->ranges[around[i]];
    const aq_time begin =
        range->queue != AQ_NONE ? range->start : range->host_begin;
    extent_add(e, around[i], aq_time_max(begin, e->first), &e->d->rows[row]);
  }
}

static bool ranges_add(extents *e, aq_run_reader *reader, const char *range)
{
  const aq_dispatches *d = e->d;
  bool *named = calloc(d->range_count + 1, sizeof *named);
  if (!named)
    return false;
  for (size_t i = 0; i < d->range_count; i++) {
    const int64_t id = d->ranges[i].name;
    const char *name = id == AQ_NONE ? NULL : aq_run_reader_name(reader, id);
    named[i] = name && strcmp(name, range) == 0;
  }
  const bool done = aq_launch_ranges_each(d, named, in_ranges_add, e);
  free(named);
  return done;
}

static bool rows_add(extents *e, aq_run_reader *reader, bool by_step)
{
  const aq_dispatches *d = e->d;
  size_t *marks = calloc(d->count + 1, sizeof *marks);
  const bool done = marks && (!by_step || aq_steps_marks(d, reader, marks));
  for (size_t i = 0; done && i < d->count; i++)
    if (!d->rows[i].outside)
      extent_add(e, marks[i], d->rows[i].start, &d->rows[i]);
  free(marks);
  return done;
}

/* ---- unions ---- */

static int span_order(const aq_part_span *x, const aq_part_span *y)
{
  if (x->of != y->of)
    return x->of < y->of ? -1 : 1;
  if (x->from != y->from)
    return x->from < y->from ? -1 : 1;
  return (x->begin > y->begin) - (x->begin < y->begin);
}

static int extent_span_order(const void *a, const void *b)
{
  const extent *x = a, *y = b;
  return span_order(&x->span, &y->span);
}

/* The time of all: where they meet it counts once. */
static bool spans_join(extents *e, aq_dispatches *out)
{
  out->spans = malloc((e->count + 1) * sizeof *out->spans);
  if (!out->spans)
    return false;
  qsort(e->list, e->count, sizeof *e->list, extent_span_order);
  for (size_t i = 0; i < e->count; i++) {
    const aq_part_span *next = &e->list[i].span;
    aq_part_span *last =
        out->span_count > 0 ? &out->spans[out->span_count - 1] : NULL;
    if (last && last->of == next->of && next->from <= last->to)
      last->to = aq_time_max(last->to, next->to);
    else
      out->spans[out->span_count++] = *next;
  }
  return true;
}

aq_status aq_part_spans_make(aq_dispatches *dispatches, aq_run_reader *reader,
                             const aq_run_window *window, aq_diag *diag)
{
  extents e = {.d = dispatches, .first = AQ_TIME_MAX};
  const size_t occurrences = e.d->range_count + 1;
  for (size_t i = 0; i < e.d->count; i++)
    e.first = aq_time_min(e.first, e.d->rows[i].start);
  e.first = aq_time_add(e.first, window->from);
  e.heads = malloc(occurrences * sizeof *e.heads);
  for (size_t i = 0; e.heads && i < occurrences; i++)
    e.heads[i] = NONE;
  bool done = e.heads != NULL;
  if (done)
    done = window->range ? ranges_add(&e, reader, window->range)
                         : rows_add(&e, reader, window->step != AQ_NONE);
  done = done && !e.full && (e.count == 0 || spans_join(&e, dispatches));
  free(e.heads);
  free(e.list);
  return done ? AQ_OK : aq_diag_no_memory(diag);
}

const aq_part_span *aq_part_spans(const aq_dispatches *dispatches, int64_t of,
                                  size_t *count)
{
  const aq_dispatches *d = dispatches;
  size_t from = 0, to;
  while (from < d->span_count && d->spans[from].of != of)
    from++;
  for (to = from; to < d->span_count && d->spans[to].of == of;)
    to++;
  *count = to - from;
  return d->spans + from;
}
