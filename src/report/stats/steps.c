/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/steps.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/map.h"

/* ---- marked ---- */

typedef struct marked {
  int64_t pid, number;
  aq_time begin, end;
} marked;

static int marked_order(const void *a, const void *b)
{
  const marked *x = a, *y = b;
  if (x->pid != y->pid)
    return x->pid < y->pid ? -1 : 1;
  return (x->begin > y->begin) - (x->begin < y->begin);
}

/* The number of a ProfilerStep#N; -1: the range is none. */
static int64_t step_number(const char *name)
{
  static const char prefix[] = "ProfilerStep#";
  if (!name || strncmp(name, prefix, sizeof prefix - 1) != 0)
    return -1;
  const char *digits = name + sizeof prefix - 1;
  char *end;
  const long long number = strtoll(digits, &end, 10);
  return end > digits && !*end && number >= 0 ? number : -1;
}

static bool marked_list(const aq_dispatches *d, aq_run_reader *reader,
                        marked **out, size_t *count)
{
  size_t capacity = 0;
  *out = NULL;
  *count = 0;
  for (size_t i = 0; i < d->range_count; i++) {
    const aq_dispatch_row *range = &d->ranges[i];
    const int64_t number =
        range->name == AQ_NONE
            ? -1
            : step_number(aq_run_reader_name(reader, range->name));
    if (number < 0 || range->queue != AQ_NONE ||
        range->host_begin == AQ_TIME_NONE || range->host_end == AQ_TIME_NONE)
      continue;
    if (!AQ_ARRAY_PUSH(
            *out, *count, capacity,
            (marked){range->pid, number, range->host_begin, range->host_end}))
      return false;
  }
  if (*count > 0)
    qsort(*out, *count, sizeof **out, marked_order);
  return true;
}

/* The marks in front of the first one that is of a later process, or begins
 * later. */
static size_t marked_before(const marked *list, size_t count, int64_t pid,
                            aq_time at)
{
  size_t low = 0, high = count;
  const marked wanted = {.pid = pid, .begin = at};
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (marked_order(&list[middle], &wanted) <= 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The last one of the process that has begun at a time, if it still lasts. */
static int64_t step_at(const marked *list, size_t count, int64_t pid,
                       aq_time at)
{
  const size_t before = marked_before(list, count, pid, at);
  const marked *last = before > 0 ? &list[before - 1] : NULL;
  return last && last->pid == pid && at < last->end ? last->number : AQ_NONE;
}

/* The same; of an unknown process the step of all that are in one, if it is
 * the same. */
static int64_t step_find(const marked *list, size_t count, int64_t pid,
                         aq_time at)
{
  int64_t step = AQ_NONE;
  if (pid != AQ_NONE)
    return step_at(list, count, pid, at);
  for (size_t i = 0; i < count;
       i = marked_before(list, count, list[i].pid, INT64_MAX)) {
    const int64_t of_process = step_at(list, count, list[i].pid, at);
    if (step != AQ_NONE && of_process != AQ_NONE && step != of_process)
      return AQ_NONE;
    step = of_process != AQ_NONE ? of_process : step;
  }
  return step;
}

bool aq_steps_at(const aq_dispatches *dispatches, aq_run_reader *reader,
                 int64_t pid, aq_time at, int64_t *step)
{
  marked *list;
  size_t count;
  const bool done = marked_list(dispatches, reader, &list, &count);
  if (done)
    *step = step_find(list, count, pid, at);
  free(list);
  return done;
}

/* ---- repeated ---- */

/* A name that comes once in each repetition. */
typedef struct anchor {
  size_t first, last, count, least, most;
} anchor;

/* The device with the most rows: the first of equals. False: no memory. */
static bool device_find(const aq_dispatches *d, int64_t *out)
{
  aq_map rows = AQ_MAP_INIT;
  bool done = true;
  uint64_t best = 0;
  *out = AQ_NONE;
  for (size_t i = 0; i < d->count && done; i++) {
    const uint64_t device = (uint64_t)d->rows[i].device;
    uint64_t count = 0;
    aq_map_get(&rows, device, &count);
    done = aq_map_put(&rows, device, count + 1);
  }
  for (size_t i = 0; i < d->count && done; i++) {
    uint64_t count = 0;
    aq_map_get(&rows, (uint64_t)d->rows[i].device, &count);
    if (count > best)
      *out = d->rows[i].device;
    best = count > best ? count : best;
  }
  aq_map_fini(&rows);
  return done;
}

/* The kernels of that device. */
static bool sequence_take(const aq_dispatches *d, size_t **out, size_t *count)
{
  int64_t device;
  *out = NULL;
  *count = 0;
  if (!device_find(d, &device))
    return false;
  *out = malloc((d->count + 1) * sizeof **out);
  for (size_t i = 0; *out && i < d->count; i++)
    if (d->rows[i].device == device && d->rows[i].kind == AQ_KIND_KERNEL)
      (*out)[(*count)++] = i;
  return *out;
}

static bool anchors_take(const aq_dispatches *d, const size_t *rows,
                         size_t count, anchor **out, size_t *anchors)
{
  aq_map by_name = AQ_MAP_INIT;
  size_t capacity = 0;
  bool done = true;
  *out = NULL;
  *anchors = 0;
  for (size_t i = 0; i < count && done; i++) {
    uint64_t at;
    const int64_t name = d->rows[rows[i]].name;
    if (!aq_map_get(&by_name, (uint64_t)name, &at)) {
      done = aq_map_put(&by_name, (uint64_t)name, *anchors) &&
             AQ_ARRAY_PUSH(*out, *anchors, capacity,
                           (anchor){i, i, 1, SIZE_MAX, 0});
      continue;
    }
    anchor *a = &(*out)[at];
    const size_t gap = i - a->last;
    a->least = gap < a->least ? gap : a->least;
    a->most = gap > a->most ? gap : a->most;
    a->last = i;
    a->count++;
  }
  aq_map_fini(&by_name);
  return done;
}

/* Whether nearly all rows have the name of the row one period before. */
static bool repeats(const aq_dispatches *d, const size_t *rows, size_t from,
                    size_t to, size_t period)
{
  size_t equal = 0;
  for (size_t i = from + period; i < to; i++)
    equal += d->rows[rows[i]].name == d->rows[rows[i - period]].name;
  return to > from + period && equal * 100 >= (to - from - period) * 95;
}

/* The longest period that comes three times and covers half of the rows, where
 * it begins and how often it comes; 0: there is none. */
static size_t period_find(const aq_dispatches *d, const size_t *rows,
                          size_t count, size_t *first, size_t *times)
{
  anchor *list;
  size_t anchors, period = 0;
  *first = SIZE_MAX;
  *times = 0;
  if (anchors_take(d, rows, count, &list, &anchors))
    for (size_t i = 0; i < anchors; i++) {
      const anchor *a = &list[i];
      if (a->count < 3 || a->least != a->most || a->least <= period ||
          a->count * a->least * 2 < count ||
          !repeats(d, rows, a->first, a->last + 1, a->least))
        continue;
      period = a->least;
      *first = a->first;
      *times = a->count;
    }
  else
    *first = 0; /* no memory */
  free(list);
  return period;
}

/* Steps 0, 1, 2… of the sequence; of other devices, by the time. */
static bool repeated_assign(aq_dispatches *d)
{
  size_t *rows, count, first, steps;
  if (!sequence_take(d, &rows, &count))
    return false;
  const size_t period = period_find(d, rows, count, &first, &steps);
  if (period > 0) {
    size_t at = 0;
    for (size_t i = 0; i < d->count; i++) {
      while (at < count && rows[at] <= i)
        at++;
      const size_t place = at > 0 ? at - 1 : 0;
      if (at > 0 && place >= first && (place - first) / period < steps)
        d->rows[i].step = (int64_t)((place - first) / period);
    }
    d->context.steps = AQ_STEPS_REPEATED;
    d->context.period = period;
  }
  free(rows);
  return period > 0 || first != 0;
}

/* Marks the rows of each device's first step. False: no memory. */
static bool first_mark(aq_dispatches *d)
{
  aq_map least = AQ_MAP_INIT;
  bool done = true;
  uint64_t step;
  for (size_t i = 0; i < d->count && done; i++) {
    const aq_dispatch_row *row = &d->rows[i];
    const uint64_t device = (uint64_t)row->device;
    if (row->step != AQ_NONE &&
        (!aq_map_get(&least, device, &step) || row->step < (int64_t)step))
      done = aq_map_put(&least, device, (uint64_t)row->step);
  }
  for (size_t i = 0; i < d->count && done; i++) {
    aq_dispatch_row *row = &d->rows[i];
    row->in_first_step = row->step != AQ_NONE &&
                         aq_map_get(&least, (uint64_t)row->device, &step) &&
                         row->step == (int64_t)step;
  }
  aq_map_fini(&least);
  return done;
}

bool aq_steps_assign(aq_dispatches *dispatches, aq_run_reader *reader)
{
  aq_dispatches *d = dispatches;
  marked *list;
  size_t count;
  bool done = marked_list(d, reader, &list, &count);
  if (done && count > 0) {
    d->context.steps = AQ_STEPS_MARKED;
    for (size_t i = 0; i < d->count; i++) {
      aq_dispatch_row *row = &d->rows[i];
      const aq_time at =
          row->host_begin != AQ_TIME_NONE ? row->host_begin : row->submission;
      if (at != AQ_TIME_NONE)
        row->step = step_find(list, count, row->pid, at);
    }
  } else if (done) {
    done = repeated_assign(d);
  }
  free(list);
  for (size_t i = 0; i < d->count; i++)
    d->context.in_steps += d->rows[i].step != AQ_NONE;
  return done && first_mark(d);
}
