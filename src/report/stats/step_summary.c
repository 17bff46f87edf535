/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/step_summary.h"

#include <stdlib.h>

#include "common/array.h"
#include "report/stats/quantile.h"

const char *const aq_step_time_names[AQ_STEP_TIME_COUNT] = {
#define T(id, name, meaning) name,
    AQ_STEP_TIMES(T)
#undef T
};

enum { COMPUTES, COMMUNICATES, COPIES, CLASSES };

/* A begin or an end. */
typedef struct edge {
  aq_time at;
  int class, change;
} edge;

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

static void span_add(aq_step_summary *s, const int running[CLASSES],
                     aq_time time)
{
  const bool computes = running[COMPUTES] > 0, copies = running[COPIES] > 0;
  const bool communicates = running[COMMUNICATES] > 0;
  const bool in[AQ_STEP_TIME_COUNT] = {
      [AQ_STEP_BUSY] = computes || communicates || copies,
      [AQ_STEP_COMPUTE] = computes,
      [AQ_STEP_COMMUNICATION] = communicates,
      [AQ_STEP_EXPOSED] = communicates && !computes,
      [AQ_STEP_HIDDEN] = communicates && computes,
      [AQ_STEP_COPY] = copies,
      [AQ_STEP_COPY_EXPOSED] = copies && !computes && !communicates,
  };
  for (int i = 0; i < AQ_STEP_TIME_COUNT; i++)
    s->times[i] += in[i] ? time : 0;
}

/* Of rows of one step and device; `edges` has room for two a row. */
static aq_step_summary summary_of(const aq_dispatch_row *const *rows,
                                  size_t count, edge *edges)
{
  aq_step_summary s = {.step = rows[0]->step,
                       .device = rows[0]->device,
                       .rank = rows[0]->rank,
                       .first = rows[0]->in_first_step,
                       .dispatches = (int64_t)count,
                       .begin = rows[0]->start,
                       .end = rows[0]->end};
  int running[CLASSES] = {0};
  for (size_t i = 0; i < count; i++) {
    const int class = class_of(rows[i]);
    s.begin = aq_time_min(s.begin, rows[i]->start);
    s.end = aq_time_max(s.end, rows[i]->end);
    edges[2 * i] = (edge){rows[i]->start, class, 1};
    edges[2 * i + 1] = (edge){rows[i]->end, class, -1};
  }
  qsort(edges, 2 * count, sizeof *edges, edge_order);
  for (size_t i = 0; i < 2 * count; i++) {
    if (i > 0)
      span_add(&s, running, edges[i].at - edges[i - 1].at);
    running[edges[i].class] += edges[i].change;
  }
  s.times[AQ_STEP_SPAN] = s.end - s.begin;
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

static aq_step_figure figure_of(const aq_step_summaries *all, int time,
                                double *values, int64_t *times)
{
  size_t count = 0;
  for (size_t i = 0; i < all->count; i++)
    if (!all->list[i].first) {
      values[count] = (double)all->list[i].times[time];
      times[count++] = all->list[i].times[time];
    }
  return (aq_step_figure){aq_estimate_of(values, count),
                          count ? aq_median(times, count) : AQ_TIME_NONE};
}

static bool figures_make(aq_step_summaries *all)
{
  double *values = malloc((all->count + 1) * sizeof *values);
  int64_t *times = malloc((all->count + 1) * sizeof *times);
  const bool made = values && times;
  for (size_t i = 0; i < all->count; i++) {
    all->communicates |= all->list[i].times[AQ_STEP_COMMUNICATION] > 0;
  }
  for (int i = 0; made && i < AQ_STEP_TIME_COUNT; i++)
    all->figures[i] = figure_of(all, i, values, times);
  free(values);
  free(times);
  return made;
}

bool aq_step_summaries_make(const aq_dispatches *dispatches,
                            aq_step_summaries *out)
{
  const aq_dispatches *d = dispatches;
  const bool steps = d->context.steps != AQ_STEPS_NONE;
  const aq_dispatch_row **rows = malloc((d->count + 1) * sizeof *rows);
  edge *edges = malloc((2 * d->count + 1) * sizeof *edges);
  size_t count = 0, capacity = 0;
  bool done = rows && edges;
  *out = (aq_step_summaries){0};
  for (size_t i = 0; done && i < d->count; i++)
    if (!steps || d->rows[i].step != AQ_NONE)
      rows[count++] = &d->rows[i];
  if (count > 0)
    qsort(rows, count, sizeof *rows, row_order);
  for (size_t i = 0, end; i < count && done; i = end) {
    for (end = i + 1; end < count && rows[end]->device == rows[i]->device &&
                      rows[end]->step == rows[i]->step;)
      end++;
    done = AQ_ARRAY_PUSH(out->list, out->count, capacity,
                         summary_of(rows + i, end - i, edges));
  }
  free(rows);
  free(edges);
  done = done && figures_make(out);
  if (!done)
    free(out->list);
  return done;
}
