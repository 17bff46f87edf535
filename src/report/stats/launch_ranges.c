/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/launch_ranges.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/text.h"

/* An event on the lane where ranges nest: a thread of the host, or a queue. */
typedef struct mark {
  int64_t lane[3]; /* process, thread, AQ_NONE; or device, queue, 0 */
  aq_launch_mark what;
  aq_time at, other; /* of a range: its end, or its begin */
  size_t place;      /* in the ranges or the rows */
} mark;

typedef struct marks {
  mark *list;
  size_t count, capacity;
} marks;

static bool mark_add(marks *m, const aq_dispatch_row *row, bool device,
                     mark made)
{
  const int64_t host[] = {row->pid, row->tid, AQ_NONE};
  const int64_t queue[] = {row->device, row->queue, 0};
  memcpy(made.lane, device ? queue : host, sizeof made.lane);
  return made.at == AQ_TIME_NONE ||
         AQ_ARRAY_PUSH(m->list, m->count, m->capacity, made);
}

/* By lane and time. At one time ranges end before others begin, the inner ones
 * first, and begin before rows, the longer ones first. */
static int mark_order(const void *a, const void *b)
{
  const mark *x = a, *y = b;
  for (int i = 0; i < 3; i++)
    if (x->lane[i] != y->lane[i])
      return x->lane[i] < y->lane[i] ? -1 : 1;
  if (x->at != y->at)
    return x->at < y->at ? -1 : 1;
  if (x->what != y->what)
    return x->what < y->what ? -1 : 1;
  if (x->other != y->other)
    return x->other > y->other ? -1 : 1;
  const int order = (x->place > y->place) - (x->place < y->place);
  return x->what == AQ_LAUNCH_RANGE_ENDS ? -order : order;
}

static aq_time launch_of(const aq_dispatch_row *row)
{
  return row->host_begin != AQ_TIME_NONE ? row->host_begin : row->submission;
}

static bool marks_take(marks *m, const aq_dispatches *d, const bool *wanted)
{
  for (size_t i = 0; i < d->range_count; i++) {
    const aq_dispatch_row *range = &d->ranges[i];
    const bool device = range->queue != AQ_NONE;
    const aq_time from = device ? range->start : range->host_begin,
                  to = device ? range->end : range->host_end;
    const mark begins = {
        .what = AQ_LAUNCH_RANGE_BEGINS, .at = from, .other = to, .place = i};
    const mark ends = {
        .what = AQ_LAUNCH_RANGE_ENDS, .at = to, .other = from, .place = i};
    if ((!wanted || wanted[i]) && from != AQ_TIME_NONE && to > from &&
        !(mark_add(m, range, device, begins) &&
          mark_add(m, range, device, ends)))
      return false;
  }
  for (size_t i = 0; i < d->count; i++) {
    const aq_dispatch_row *row = &d->rows[i];
    const mark launch = {
        .what = AQ_LAUNCH_ROW, .at = launch_of(row), .place = i};
    const mark start = {.what = AQ_LAUNCH_ROW, .at = row->start, .place = i};
    if (!mark_add(m, row, false, launch) ||
        (row->queue != AQ_NONE && !mark_add(m, row, true, start)))
      return false;
  }
  return true;
}

bool aq_launch_ranges_walk(const aq_dispatches *dispatches, const bool *wanted,
                           aq_launch_ranges_step *step, void *user)
{
  marks m = {0};
  const bool done = marks_take(&m, dispatches, wanted);
  if (done && m.count > 0)
    qsort(m.list, m.count, sizeof *m.list, mark_order);
  for (size_t i = 0; done && i < m.count; i++)
    step(user, m.list[i].what, m.list[i].place);
  free(m.list);
  return done;
}

typedef struct open_ranges {
  size_t *ranges; /* the open ones, the innermost last */
  size_t depth;
  aq_launch_ranges_visit *visit;
  void *user;
} open_ranges;

static void open_step(void *user, aq_launch_mark what, size_t place)
{
  open_ranges *open = user;
  size_t at = open->depth;
  switch (what) {
  case AQ_LAUNCH_RANGE_BEGINS:
    open->ranges[open->depth++] = place;
    break;
  case AQ_LAUNCH_RANGE_ENDS:
    /* Ranges of a thread may overlap without nesting. */
    while (open->ranges[--at] != place)
      ;
    memmove(open->ranges + at, open->ranges + at + 1,
            (--open->depth - at) * sizeof *open->ranges);
    break;
  case AQ_LAUNCH_ROW:
    if (open->depth > 0)
      open->visit(open->user, place, open->ranges, open->depth);
    break;
  }
}

bool aq_launch_ranges_each(const aq_dispatches *dispatches, const bool *wanted,
                           aq_launch_ranges_visit *visit, void *user)
{
  open_ranges open = {.visit = visit, .user = user};
  open.ranges = malloc((dispatches->range_count + 1) * sizeof *open.ranges);
  const bool done = open.ranges &&
                    aq_launch_ranges_walk(dispatches, wanted, open_step, &open);
  free(open.ranges);
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
         aq_launch_ranges_each(dispatches, NULL, range_set, dispatches);
}

/* ---- paths ---- */

typedef struct paths {
  aq_dispatches *d;
  aq_run_reader *reader;
  char *text;
  size_t size, capacity;
  bool failed; /* no memory */
} paths;

static void path_add(paths *p, const char *text)
{
  const size_t length = strlen(text);
  if (!AQ_ARRAY_RESERVE(p->text, p->capacity, p->size + length + 1)) {
    p->failed = true;
    return;
  }
  memcpy(p->text + p->size, text, length);
  p->size += length;
}

static void path_set(void *user, size_t row, const size_t *around, size_t depth)
{
  static const char between[] = " / ";
  paths *p = user;
  const aq_dispatches *d = p->d;
  /* As the range: the host's where a row is in one of the device too. */
  if (p->failed || (d->rows[row].path != AQ_NONE &&
                    d->ranges[around[depth - 1]].queue != AQ_NONE))
    return;
  p->size = 0;
  for (size_t i = 0; i < depth; i++) {
    const int64_t id = d->ranges[around[i]].name;
    const char *name = id == AQ_NONE ? NULL : aq_run_reader_name(p->reader, id);
    const char *quote = name && strstr(name, between) ? "\"" : "";
    path_add(p, i ? between : "");
    path_add(p, quote);
    path_add(p, name ? name : "?");
    path_add(p, quote);
  }
  if (p->failed)
    return;
  const int64_t id = aq_names_id(&p->d->texts, p->text, p->size);
  p->d->rows[row].path = id;
  p->failed = id < 0;
}

bool aq_launch_ranges_paths(aq_dispatches *dispatches, aq_run_reader *reader)
{
  paths p = {.d = dispatches, .reader = reader};
  const bool done =
      dispatches->range_count == 0 ||
      (aq_launch_ranges_each(dispatches, NULL, path_set, &p) && !p.failed);
  free(p.text);
  return done;
}

/* ---- windows ---- */

typedef struct choice {
  const aq_dispatches *d;
  bool *launching; /* by range: it contains a launch of the window */
  bool *inside;    /* by row */
} choice;

static void inside_set(void *user, size_t row, const size_t *around,
                       size_t depth)
{
  const choice *c = user;
  if (c->d->rows[row].outside)
    return;
  c->inside[row] = true;
  for (size_t i = 0; i < depth; i++)
    c->launching[around[i]] = true;
}

/* The names of the run's ranges, each once, as many as fit. */
static void names_list(const aq_dispatches *d, aq_run_reader *reader, char *out,
                       size_t size)
{
  int64_t listed[64];
  size_t count = 0, used = 0;
  for (size_t i = 0; i < d->range_count; i++) {
    const int64_t id = d->ranges[i].name;
    const char *name = id == AQ_NONE ? NULL : aq_run_reader_name(reader, id);
    size_t before = 0;
    while (before < count && listed[before] != id)
      before++;
    if (!name || before < count)
      continue;
    if (count == sizeof listed / sizeof *listed ||
        used + strlen(name) + 8 > size) {
      snprintf(out + used, size - used, ", …");
      return;
    }
    listed[count++] = id;
    used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "",
                             name);
  }
}

/* Whether each row that is not outside is in a range of the name. */
static aq_status ranges_choose(const aq_dispatches *d, aq_run_reader *reader,
                               const char *range, bool *inside,
                               aq_window_counts *counts, aq_diag *diag)
{
  bool *named = calloc(2 * d->range_count + 1, sizeof *named);
  if (!named)
    return aq_diag_no_memory(diag);
  bool *launching = named + d->range_count;
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
  } else if (!aq_launch_ranges_each(d, named, inside_set,
                                    &(choice){d, launching, inside})) {
    status = aq_diag_no_memory(diag);
  }
  for (size_t i = 0; i < d->range_count; i++)
    counts->launching += launching[i];
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
    else if (low == high)
      snprintf(has, sizeof has, "; the run has step %lld", (long long)low);
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
  return aq_diag_set(diag, AQ_ERR_INPUT, "0 of %zu dispatch%s in %s%s",
                     d->count, aq_text_plural_es(d->count), part, has);
}

aq_status aq_dispatches_mark(aq_dispatches *dispatches, aq_run_reader *reader,
                             const aq_run_window *window, aq_window_counts *out,
                             aq_diag *diag)
{
  aq_dispatches *d = dispatches;
  aq_window_counts counts = {
      .all = d->count,
      .period = window->step == AQ_NONE ? 0 : d->context.period};
  counts.parts = counts.period > 0 && d->context.within_range != AQ_NONE;
  bool *inside = calloc(d->count + 1, sizeof *inside);
  if (!inside)
    return aq_diag_no_memory(diag);
  aq_status status = AQ_OK;
  aq_time first = AQ_TIME_MAX;
  for (size_t i = 0; i < d->count; i++)
    first = aq_time_min(first, d->rows[i].start);
  for (size_t i = 0; i < d->count; i++) {
    aq_dispatch_row *row = &d->rows[i];
    row->outside = !is_within(window, row->start, first) ||
                   (window->step != AQ_NONE && row->step != window->step);
  }
  if (window->range)
    status = ranges_choose(d, reader, window->range, inside, &counts, diag);
  for (size_t i = 0; i < d->count && status == AQ_OK; i++) {
    aq_dispatch_row *row = &d->rows[i];
    if (row->outside)
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
