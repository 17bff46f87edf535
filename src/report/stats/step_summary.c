/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/step_summary.h"

#include <stdlib.h>

#include "common/array.h"
#include "report/stats/part_spans.h"
#include "report/stats/quantile.h"

const char *const aq_step_time_names[AQ_STEP_TIME_COUNT] = {
#define T(id, name, meaning) name,
    AQ_STEP_TIMES(T)
#undef T
};

/* Classes of work, and the others that run on the device meanwhile. */
enum {
  COMPUTES,
  COMMUNICATES,
  COPIES,
  WORK,
  BESIDE = WORK,     /* of the whole run: BESIDE + COMPUTES and so on */
  INSIDE = 2 * WORK, /* of the span */
  CLASSES
};

/* When some work of a class runs on a device, whatever part it is of. */
typedef struct cover {
  int64_t device;
  int class;
  aq_time from, to;
} cover;

typedef struct covers {
  cover *list;
  size_t count;
} covers;

/* A begin or an end. */
typedef struct edge {
  aq_time at;
  int class, change;
} edge;

typedef struct edges {
  edge *list;
  size_t count;
} edges;

static int edge_order(const void *a, const void *b)
{
  const edge *x = a, *y = b;
  return (x->at > y->at) - (x->at < y->at);
}

static int class_of(const aq_dispatch_row *row)
{
  if (row->communicates)
    return COMMUNICATES;
  return row->kind == AQ_KIND_COPY || row->kind == AQ_KIND_FILL ? COPIES
                                                                : COMPUTES;
}

static int cover_order(const void *a, const void *b)
{
  const cover *x = a, *y = b;
  if (x->device != y->device)
    return x->device < y->device ? -1 : 1;
  if (x->class != y->class)
    return x->class < y->class ? -1 : 1;
  return (x->from > y->from) - (x->from < y->from);
}

/* The unions of the run's dispatches. */
static bool covers_make(const aq_dispatches *d, covers *out)
{
  *out = (covers){malloc((d->count + 1) * sizeof *out->list), 0};
  if (!out->list)
    return false;
  for (size_t i = 0; i < d->count; i++)
    out->list[i] = (cover){d->rows[i].device, class_of(&d->rows[i]),
                           d->rows[i].start, d->rows[i].end};
  qsort(out->list, d->count, sizeof *out->list, cover_order);
  for (size_t i = 0; i < d->count; i++) {
    const cover *next = &out->list[i];
    cover *last = out->count > 0 ? &out->list[out->count - 1] : NULL;
    if (last && last->device == next->device && last->class == next->class &&
        next->from <= last->to)
      last->to = aq_time_max(last->to, next->to);
    else
      out->list[out->count++] = *next;
  }
  return true;
}

/* The first of a device and class that ends behind a time: where they are
 * disjoint, ends are in the order of begins. */
static size_t cover_find(const covers *c, int64_t device, int class,
                         aq_time time)
{
  size_t low = 0, high = c->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const cover *at = &c->list[middle];
    const bool before = at->device != device ? at->device < device
                        : at->class != class ? at->class < class
                                             : at->to <= time;
    if (before)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* ---- one step ---- */

static void edges_add(edges *e, int class, aq_time from, aq_time to)
{
  if (from >= to)
    return;
  e->list[e->count++] = (edge){from, class, 1};
  e->list[e->count++] = (edge){to, class, -1};
}

static void beside_add(edges *e, const covers *c, const aq_step_summary *s)
{
  for (int class = 0; class < WORK; class ++)
    for (size_t i = cover_find(c, s->device, class, s->begin);
         i < c->count && c->list[i].device == s->device &&
         c->list[i].class == class && c->list[i].from < s->end;
         i++)
      edges_add(e, BESIDE + class, aq_time_max(c->list[i].from, s->begin),
                aq_time_min(c->list[i].to, s->end));
}

/* Of a part of the run, its time within the step. */
static void inside_add(edges *e, const aq_dispatches *d,
                       const aq_step_summary *s)
{
  size_t count;
  const aq_part_span *spans = aq_part_spans(d, s->device, &count);
  if (d->span_count == 0)
    edges_add(e, INSIDE, s->begin, s->end);
  for (size_t i = 0; i < count; i++)
    edges_add(e, INSIDE, aq_time_max(spans[i].from, s->begin),
              aq_time_min(spans[i].to, s->end));
}

static void span_add(aq_step_summary *s, const int running[CLASSES],
                     aq_time time)
{
  const bool inside = running[INSIDE] > 0;
  const bool communicates = running[COMMUNICATES] > 0;
  const bool computing = running[BESIDE + COMPUTES] > 0;
  const bool communicating = running[BESIDE + COMMUNICATES] > 0;
  const bool copying = running[BESIDE + COPIES] > 0;
  const bool in[AQ_STEP_TIME_COUNT] = {
      [AQ_STEP_SPAN] = inside,
      [AQ_STEP_BUSY] = inside && (computing || communicating || copying),
      [AQ_STEP_COMPUTE] = running[COMPUTES] > 0,
      [AQ_STEP_COMMUNICATION] = communicates,
      [AQ_STEP_EXPOSED] = communicates && !computing,
      [AQ_STEP_HIDDEN] = communicates && computing,
      [AQ_STEP_COPY] = running[COPIES] > 0,
      [AQ_STEP_COPY_EXPOSED] =
          running[COPIES] > 0 && !computing && !communicating,
  };
  for (int i = 0; i < AQ_STEP_TIME_COUNT; i++)
    s->times[i] += in[i] ? time : 0;
}

/* Of rows of one step and device; `e` has room for two edges a row, cover and
 * span of the part. */
static aq_step_summary summary_of(const aq_dispatches *d, const covers *c,
                                  const aq_dispatch_row *const *rows,
                                  size_t count, edges *e)
{
  aq_step_summary s = {.step = rows[0]->step,
                       .device = rows[0]->device,
                       .rank = rows[0]->rank,
                       .first = rows[0]->in_first_step,
                       .dispatches = (int64_t)count,
                       .begin = rows[0]->start,
                       .end = rows[0]->end};
  int running[CLASSES] = {0};
  e->count = 0;
  for (size_t i = 0; i < count; i++) {
    s.begin = aq_time_min(s.begin, rows[i]->start);
    s.end = aq_time_max(s.end, rows[i]->end);
    if (s.rank == AQ_NONE)
      s.rank = rows[i]->rank;
    edges_add(e, class_of(rows[i]), rows[i]->start, rows[i]->end);
  }
  beside_add(e, c, &s);
  inside_add(e, d, &s);
  qsort(e->list, e->count, sizeof *e->list, edge_order);
  for (size_t i = 0; i < e->count; i++) {
    if (i > 0)
      span_add(&s, running, e->list[i].at - e->list[i - 1].at);
    running[e->list[i].class] += e->list[i].change;
  }
  return s;
}

static int row_order(const void *a, const void *b)
{
  const aq_dispatch_row *x = *(const aq_dispatch_row *const *)a,
                        *y = *(const aq_dispatch_row *const *)b;
  if (x->device != y->device)
    return x->device < y->device ? -1 : 1;
  if (x->step != y->step)
    return x->step < y->step ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

/* ---- all steps ---- */

/* By step, its slowest device first. */
static int slowest_order(const void *a, const void *b)
{
  const aq_step_summary *x = *(const aq_step_summary *const *)a,
                        *y = *(const aq_step_summary *const *)b;
  const aq_time own = x->times[AQ_STEP_SPAN], other = y->times[AQ_STEP_SPAN];
  if (x->step != y->step)
    return x->step < y->step ? -1 : 1;
  if (own != other)
    return own > other ? -1 : 1;
  return (x > y) - (x < y);
}

/* One of each step: devices of a step are no samples of their own. */
static size_t slowest_take(const aq_step_summaries *all,
                           const aq_step_summary **out)
{
  size_t count = 0, kept = 0;
  for (size_t i = 0; i < all->count; i++)
    if (!all->list[i].first)
      out[count++] = &all->list[i];
  if (count > 0)
    qsort(out, count, sizeof *out, slowest_order);
  for (size_t i = 0; i < count; i++)
    if (kept == 0 || out[kept - 1]->step != out[i]->step)
      out[kept++] = out[i];
  return kept;
}

static bool figures_make(aq_step_summaries *all)
{
  const aq_step_summary **steps = malloc((all->count + 1) * sizeof *steps);
  double *values = malloc((all->count + 1) * sizeof *values);
  int64_t *times = malloc((all->count + 1) * sizeof *times);
  const bool made = steps && values && times;
  const size_t count = made ? slowest_take(all, steps) : 0;
  for (size_t i = 0; i < all->count; i++) {
    all->communicates |= all->list[i].times[AQ_STEP_COMMUNICATION] > 0;
    all->devices |= all->list[i].device != all->list[0].device;
  }
  for (int t = 0; made && t < AQ_STEP_TIME_COUNT; t++) {
    for (size_t i = 0; i < count; i++) {
      times[i] = steps[i]->times[t];
      values[i] = (double)times[i];
    }
    all->figures[t] =
        (aq_step_figure){aq_estimate_of(values, count),
                         count ? aq_median(times, count) : AQ_TIME_NONE};
  }
  free(steps);
  free(values);
  free(times);
  return made;
}

bool aq_step_summaries_make(const aq_dispatches *dispatches, bool by_step,
                            aq_step_summaries *out)
{
  const aq_dispatches *d = dispatches;
  const bool steps = by_step && d->context.steps != AQ_STEPS_NONE;
  const aq_dispatch_row **rows = malloc((d->count + 1) * sizeof *rows);
  covers c;
  bool done = covers_make(d, &c) && rows;
  edges e = {
      malloc(2 * (d->count + c.count + d->span_count + 1) * sizeof *e.list), 0};
  size_t count = 0, capacity = 0;
  done = done && e.list;
  *out = (aq_step_summaries){0};
  for (size_t i = 0; done && i < d->count; i++)
    if (!d->rows[i].outside && (!steps || d->rows[i].step != AQ_NONE))
      rows[count++] = &d->rows[i];
  if (count > 0)
    qsort(rows, count, sizeof *rows, row_order);
  for (size_t i = 0, end; i < count && done; i = end) {
    for (end = i + 1; end < count && rows[end]->device == rows[i]->device &&
                      (!steps || rows[end]->step == rows[i]->step);)
      end++;
    done = AQ_ARRAY_PUSH(out->list, out->count, capacity,
                         summary_of(d, &c, rows + i, end - i, &e));
  }
  free(rows);
  free(c.list);
  free(e.list);
  done = done && figures_make(out);
  if (!done) {
    free(out->list);
    *out = (aq_step_summaries){0};
  }
  return done;
}
