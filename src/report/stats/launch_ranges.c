/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/launch_ranges.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

/* A range or a row on the lane where ranges nest: a thread of the host, or a
 * queue. */
typedef struct mark {
  int64_t lane[3]; /* process, thread, AQ_NONE; or device, queue, 0 */
  aq_time at, end; /* of a row `at` alone */
  size_t place;    /* in the ranges or the rows */
  bool row;
} mark;

typedef struct marks {
  mark *list;
  size_t count, capacity;
} marks;

static bool mark_add(marks *m, const aq_dispatch_row *row, bool device,
                     aq_time at, aq_time end, size_t place, bool is_row)
{
  mark made = {.lane = {row->pid, row->tid, AQ_NONE},
               .at = at,
               .end = end,
               .place = place,
               .row = is_row};
  if (device)
    memcpy(made.lane, (int64_t[]){row->device, row->queue, 0},
           sizeof made.lane);
  return at == AQ_TIME_NONE ||
         AQ_ARRAY_PUSH(m->list, m->count, m->capacity, made);
}

/* By lane and time; a range comes before what begins with it, the longer one
 * of two first. */
static int mark_order(const void *a, const void *b)
{
  const mark *x = a, *y = b;
  for (int i = 0; i < 3; i++)
    if (x->lane[i] != y->lane[i])
      return x->lane[i] < y->lane[i] ? -1 : 1;
  if (x->at != y->at)
    return x->at < y->at ? -1 : 1;
  if (x->row != y->row)
    return x->row ? 1 : -1;
  if (!x->row && x->end != y->end)
    return x->end > y->end ? -1 : 1;
  return x->place < y->place ? -1 : x->place > y->place;
}

static aq_time launch_of(const aq_dispatch_row *row)
{
  return row->host_begin != AQ_TIME_NONE ? row->host_begin : row->submission;
}

static bool marks_take(marks *m, const aq_dispatches *d)
{
  for (size_t i = 0; i < d->range_count; i++) {
    const aq_dispatch_row *range = &d->ranges[i];
    const bool device = range->queue != AQ_NONE;
    const aq_time from = device ? range->start : range->host_begin,
                  to = device ? range->end : range->host_end;
    if (to != AQ_TIME_NONE && !mark_add(m, range, device, from, to, i, false))
      return false;
  }
  for (size_t i = 0; i < d->count; i++) {
    const aq_dispatch_row *row = &d->rows[i];
    if (!mark_add(m, row, false, launch_of(row), 0, i, true) ||
        (row->queue != AQ_NONE &&
         !mark_add(m, row, true, row->start, 0, i, true)))
      return false;
  }
  return true;
}

typedef struct open_ranges {
  size_t *ranges; /* the open ones, the innermost last */
  size_t depth, capacity;
} open_ranges;

bool aq_launch_ranges_each(const aq_dispatches *dispatches,
                           aq_launch_ranges_visit *visit, void *user)
{
  const aq_dispatches *d = dispatches;
  marks m = {0};
  open_ranges open = {0};
  aq_time *ends = calloc(d->range_count + 1, sizeof *ends);
  bool done = ends && marks_take(&m, d);
  if (done && m.count > 0)
    qsort(m.list, m.count, sizeof *m.list, mark_order);
  for (size_t i = 0; done && i < m.count; i++) {
    const mark *at = &m.list[i];
    if (i > 0 && memcmp(at->lane, at[-1].lane, sizeof at->lane) != 0)
      open.depth = 0;
    /* Ranges of a thread may overlap without nesting. */
    size_t left = 0;
    for (size_t k = 0; k < open.depth; k++)
      if (ends[open.ranges[k]] > at->at)
        open.ranges[left++] = open.ranges[k];
    open.depth = left;
    if (!at->row) {
      ends[at->place] = at->end;
      done = AQ_ARRAY_PUSH(open.ranges, open.depth, open.capacity, at->place);
    } else if (open.depth > 0) {
      visit(user, at->place, open.ranges, open.depth);
    }
  }
  free(ends);
  free(open.ranges);
  free(m.list);
  return done;
}

/* ---- the innermost ---- */

static void range_set(void *user, size_t row, const size_t *around,
                      size_t depth)
{
  aq_dispatches *d = user;
  const int64_t name = d->ranges[around[depth - 1]].name;
  /* The host's range counts where a row is in one of the device too. */
  if (d->rows[row].range == AQ_NONE ||
      d->ranges[around[depth - 1]].queue == AQ_NONE)
    d->rows[row].range = name;
}

bool aq_launch_ranges_assign(aq_dispatches *dispatches)
{
  return dispatches->range_count == 0 ||
         aq_launch_ranges_each(dispatches, range_set, dispatches);
}

/* ---- windows ---- */

typedef struct choice {
  const aq_dispatches *d;
  const bool *named; /* by range: it has the name */
  bool *inside;      /* by row */
} choice;

static void inside_set(void *user, size_t row, const size_t *around,
                       size_t depth)
{
  const choice *c = user;
  for (size_t i = 0; i < depth && !c->inside[row]; i++)
    c->inside[row] = c->named[around[i]];
}

/* The names of the run's ranges, each once, as many as fit. */
static void names_list(const aq_dispatches *d, aq_run_reader *reader, char *out,
                       size_t size)
{
  for (size_t i = 0; i < d->range_count; i++) {
    const int64_t id = d->ranges[i].name;
    const char *name = id == AQ_NONE ? NULL : aq_run_reader_name(reader, id);
    const size_t used = strlen(out);
    size_t before = 0;
    while (before < i && d->ranges[before].name != id)
      before++;
    if (!name || before < i)
      continue;
    if (used + strlen(name) + 8 > size) {
      snprintf(out + used, size - used, ", …");
      return;
    }
    snprintf(out + used, size - used, "%s%s", used ? ", " : "", name);
  }
}

/* Whether each row is in a range of the name. */
static aq_status ranges_choose(const aq_dispatches *d, aq_run_reader *reader,
                               const char *range, bool *inside,
                               aq_window_counts *counts, aq_diag *diag)
{
  bool *named = calloc(d->range_count + 1, sizeof *named);
  if (!named)
    return aq_diag_no_memory(diag);
  for (size_t i = 0; i < d->range_count; i++) {
    const int64_t id = d->ranges[i].name;
    const char *name = id == AQ_NONE ? NULL : aq_run_reader_name(reader, id);
    named[i] = name && strcmp(name, range) == 0;
    counts->ranges += named[i];
  }
  aq_status status = AQ_OK;
  if (counts->ranges == 0) {
    char names[256] = "";
    names_list(d, reader, names, sizeof names);
    status = aq_diag_set(diag, AQ_ERR_INPUT, "range %s: the run has %s%s",
                         range, *names ? "only " : "no ranges", names);
  } else if (!aq_launch_ranges_each(d, inside_set,
                                    &(choice){d, named, inside})) {
    status = aq_diag_no_memory(diag);
  }
  free(named);
  return status;
}

static bool is_within(const aq_run_window *window, aq_time start, aq_time first)
{
  const aq_time at = start - first;
  return at >= window->from && (window->to == AQ_TIME_NONE || at < window->to);
}

/* An error: no row is in the window. It has the run's steps, or its last
 * start. */
static aq_status window_empty(const aq_dispatches *d,
                              const aq_run_window *window, aq_time first,
                              aq_diag *diag)
{
  char part[256] = "", has[128] = "";
  size_t size = 0;
  int64_t low = INT64_MAX, high = AQ_NONE;
  aq_time last = first;
  for (size_t i = 0; i < d->count; i++) {
    const aq_dispatch_row *row = &d->rows[i];
    last = row->start > last ? row->start : last;
    if (row->step == AQ_NONE)
      continue;
    low = row->step < low ? row->step : low;
    high = row->step > high ? row->step : high;
  }
  if (window->step != AQ_NONE) {
    size += (size_t)snprintf(part, sizeof part, "step %lld",
                             (long long)window->step);
    if (high == AQ_NONE)
      snprintf(has, sizeof has, "; the run has no steps");
    else
      snprintf(has, sizeof has, "; the run has steps %lld to %lld",
               (long long)low, (long long)high);
  }
  if (window->range)
    size += (size_t)snprintf(part + size, sizeof part - size, "%srange %.128s",
                             size ? " and " : "", window->range);
  if (size < sizeof part && (window->from > 0 || window->to != AQ_TIME_NONE)) {
    snprintf(part + size, sizeof part - size, "%sthat time",
             size ? " and " : "");
    if (!*has)
      snprintf(has, sizeof has, "; the last one starts at %.3f us",
               (double)(last - first) / (double)AQ_US);
  }
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "none of the %zu dispatches is in %s%s", d->count, part,
                     has);
}

aq_status aq_dispatches_mark(aq_dispatches *dispatches, aq_run_reader *reader,
                             const aq_run_window *window, aq_window_counts *out,
                             aq_diag *diag)
{
  aq_dispatches *d = dispatches;
  aq_window_counts counts = {.all = d->count};
  bool *inside = calloc(d->count + 1, sizeof *inside);
  if (!inside)
    return aq_diag_no_memory(diag);
  aq_status status = AQ_OK;
  if (window->range)
    status = ranges_choose(d, reader, window->range, inside, &counts, diag);
  aq_time first = AQ_TIME_MAX;
  for (size_t i = 0; i < d->count; i++)
    first = aq_time_min(first, d->rows[i].start);
  for (size_t i = 0; i < d->count && status == AQ_OK; i++) {
    aq_dispatch_row *row = &d->rows[i];
    row->outside = true;
    if (!is_within(window, row->start, first) ||
        (window->step != AQ_NONE && row->step != window->step))
      continue;
    counts.unplaced +=
        window->range && launch_of(row) == AQ_TIME_NONE && !inside[i];
    row->outside = window->range && !inside[i];
    counts.rows += !row->outside;
  }
  free(inside);
  if (status != AQ_OK)
    return status;
  if (counts.rows == 0)
    return window_empty(d, window, first, diag);
  *out = counts;
  return AQ_OK;
}

void aq_dispatches_limit(aq_dispatches *dispatches)
{
  aq_dispatches *d = dispatches;
  size_t kept = 0;
  for (size_t i = 0; i < d->count; i++)
    if (!d->rows[i].outside)
      d->rows[kept++] = d->rows[i];
  d->count = kept;
}
