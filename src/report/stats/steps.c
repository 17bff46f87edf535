/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/steps.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/map.h"
#include "report/stats/launch_ranges.h"

const char *const aq_steps_kind_names[] = {
    [AQ_STEPS_NONE] = NULL,
    [AQ_STEPS_MARKED] = "ProfilerStep",
    [AQ_STEPS_REPEATED] = "repeated kernels",
};

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
static const marked *mark_at(const marked *list, size_t count, int64_t pid,
                             aq_time at)
{
  const size_t before = marked_before(list, count, pid, at);
  const marked *last = before > 0 ? &list[before - 1] : NULL;
  return last && last->pid == pid && at < last->end ? last : NULL;
}

/* The same; of an unknown process that of the first one that is in a step, if
 * all that are in one are in the same. */
static const marked *mark_find(const marked *list, size_t count, int64_t pid,
                               aq_time at)
{
  const marked *found = NULL;
  if (pid != AQ_NONE)
    return mark_at(list, count, pid, at);
  for (size_t i = 0; i < count;
       i = marked_before(list, count, list[i].pid, INT64_MAX)) {
    const marked *one = mark_at(list, count, list[i].pid, at);
    if (found && one && found->number != one->number)
      return NULL;
    found = found ? found : one;
  }
  return found;
}

static int64_t step_of(const marked *mark)
{
  return mark ? mark->number : AQ_NONE;
}

static aq_time launch_of(const aq_dispatch_row *row)
{
  return row->host_begin != AQ_TIME_NONE ? row->host_begin : row->submission;
}

bool aq_steps_at(const aq_dispatches *dispatches, aq_run_reader *reader,
                 int64_t pid, aq_time at, int64_t *step)
{
  marked *list;
  size_t count;
  const bool done = marked_list(dispatches, reader, &list, &count);
  if (done)
    *step = step_of(mark_find(list, count, pid, at));
  free(list);
  return done;
}

bool aq_steps_marks(const aq_dispatches *dispatches, aq_run_reader *reader,
                    size_t *marks)
{
  const aq_dispatches *d = dispatches;
  marked *list;
  size_t count;
  const bool done = marked_list(d, reader, &list, &count);
  for (size_t i = 0; i < d->count && done; i++) {
    const aq_time at = launch_of(&d->rows[i]);
    const marked *mark =
        at == AQ_TIME_NONE ? NULL : mark_find(list, count, d->rows[i].pid, at);
    marks[i] = mark ? (size_t)(mark - list) : 0;
  }
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

/* The queue with the most of these kernels: the first of equals. False: no
 * memory. */
static bool queue_find(const aq_dispatches *d, const size_t *rows, size_t count,
                       int64_t *out)
{
  aq_map kernels = AQ_MAP_INIT;
  bool done = true;
  uint64_t best = 0, of;
  *out = AQ_NONE;
  for (size_t i = 0; i < count && done; i++) {
    const uint64_t queue = (uint64_t)d->rows[rows[i]].queue;
    of = 0;
    aq_map_get(&kernels, queue, &of);
    done = aq_map_put(&kernels, queue, of + 1);
  }
  for (size_t i = 0; i < count && done; i++) {
    of = 0;
    aq_map_get(&kernels, (uint64_t)d->rows[rows[i]].queue, &of);
    if (of > best)
      *out = d->rows[rows[i]].queue;
    best = of > best ? of : best;
  }
  aq_map_fini(&kernels);
  return done;
}

static size_t queue_keep(const aq_dispatches *d, size_t *rows, size_t count,
                         int64_t queue)
{
  size_t kept = 0;
  for (size_t i = 0; i < count; i++)
    if (d->rows[rows[i]].queue == queue)
      rows[kept++] = rows[i];
  return kept;
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

/* The longest period first; of one period, the first anchor. */
static int anchor_order(const void *left, const void *right)
{
  const anchor *a = left, *b = right;
  if (a->least != b->least)
    return a->least > b->least ? -1 : 1;
  return (a->first > b->first) - (a->first < b->first);
}

/* Leaves anchors with one gap, that come three times and cover half of `all`
 * kernels, in the order above. */
static size_t anchors_keep(anchor *list, size_t count, size_t all)
{
  size_t kept = 0;
  for (size_t i = 0; i < count; i++)
    if (list[i].count >= 3 && list[i].least == list[i].most &&
        list[i].count * list[i].least * 2 >= all)
      list[kept++] = list[i];
  if (kept > 0)
    qsort(list, kept, sizeof *list, anchor_order);
  return kept;
}

/* Of the rows in front of each place, how many have the name of the row one
 * period before. */
static void equal_count(const aq_dispatches *d, const size_t *rows,
                        size_t count, size_t period, size_t *equal)
{
  equal[0] = 0;
  for (size_t i = 0; i < count; i++)
    equal[i + 1] =
        equal[i] + (i >= period &&
                    d->rows[rows[i]].name == d->rows[rows[i - period]].name);
}

/* Whether nearly all rows from the anchor's first to its last do. */
static bool repeats(const anchor *a, const size_t *equal)
{
  const size_t from = a->first + a->least, to = a->last + 1;
  return to > from && (equal[to] - equal[from]) * 100 >= (to - from) * 95;
}

/* The longest period that comes three times and covers half of `all` kernels,
 * where it begins and how often it comes; 0: there is none. Rows are compared
 * once a period, since each name of a step may be an anchor. */
static size_t period_find(const aq_dispatches *d, const size_t *rows,
                          size_t count, size_t all, size_t *first,
                          size_t *times)
{
  anchor *list;
  size_t anchors, period = 0, compared = 0;
  size_t *equal = malloc((count + 1) * sizeof *equal);
  *first = SIZE_MAX;
  *times = 0;
  const bool done = anchors_take(d, rows, count, &list, &anchors) && equal;
  const size_t kept = done ? anchors_keep(list, anchors, all) : 0;
  for (size_t i = 0; i < kept && period == 0; i++) {
    const anchor *a = &list[i];
    if (a->least != compared)
      equal_count(d, rows, count, a->least, equal);
    compared = a->least;
    if (!repeats(a, equal))
      continue;
    period = a->least;
    *first = a->first;
    *times = a->count;
  }
  if (!done)
    *first = 0; /* no memory */
  free(equal);
  free(list);
  return period;
}

/* ---- parts of a range ---- */

typedef struct containing {
  const bool *repeated; /* by row */
  size_t rows;          /* of them */
  size_t *contained;    /* by range */
  size_t range;         /* with all rows, the innermost; else SIZE_MAX */
} containing;

static void contained_count(void *user, size_t row, const size_t *around,
                            size_t depth)
{
  containing *c = user;
  if (!c->repeated[row])
    return;
  for (size_t i = 0; i < depth; i++)
    if (++c->contained[around[i]] == c->rows)
      c->range = around[i];
}

/* The one range around the launches of all repetitions: they are its parts,
 * as layers are, and the program did not mark them as steps. */
static bool within_find(aq_dispatches *d, aq_run_reader *reader,
                        const size_t *rows, size_t count)
{
  if (d->range_count == 0)
    return true;
  bool *repeated = calloc(d->count + 1, sizeof *repeated);
  containing c = {repeated, count,
                  calloc(d->range_count + 1, sizeof *c.contained), SIZE_MAX};
  bool done = repeated && c.contained;
  for (size_t i = 0; i < count && done; i++)
    repeated[rows[i]] = true;
  done = done && aq_launch_ranges_each(d, NULL, contained_count, &c);
  free(c.contained);
  free(repeated);
  if (!done || c.range == SIZE_MAX)
    return done;
  const int64_t id = d->ranges[c.range].name;
  const char *name = id == AQ_NONE ? NULL : aq_run_reader_name(reader, id);
  name = name ? name : "?";
  d->context.within_range = aq_names_id(&d->texts, name, strlen(name));
  return d->context.within_range >= 0;
}

/* Steps 0, 1, 2… of the sequence; of other devices and queues, by the time.
 * Where queues interleave differently in each step, the device has no period
 * and its busiest queue may have one. */
static bool repeated_assign(aq_dispatches *d, aq_run_reader *reader)
{
  size_t *rows, count, first, steps;
  int64_t queue = AQ_NONE;
  bool done = true;
  if (!sequence_take(d, &rows, &count))
    return false;
  size_t period = period_find(d, rows, count, count, &first, &steps);
  if (period == 0 && first != 0) {
    const size_t all = count;
    if (!queue_find(d, rows, count, &queue)) {
      free(rows);
      return false;
    }
    count = queue_keep(d, rows, count, queue);
    period = period_find(d, rows, count, all, &first, &steps);
  }
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
    d->context.step_queue = queue;
    d->context.repetitions = steps;
    const size_t repeated = period * steps;
    done = within_find(d, reader, rows + first,
                       repeated < count - first ? repeated : count - first);
  }
  free(rows);
  return done && (period > 0 || first != 0);
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
  d->context.step_queue = d->context.within_range = AQ_NONE;
  if (done && count > 0) {
    d->context.steps = AQ_STEPS_MARKED;
    for (size_t i = 0; i < d->count; i++) {
      aq_dispatch_row *row = &d->rows[i];
      const aq_time at = launch_of(row);
      if (at != AQ_TIME_NONE)
        row->step = step_of(mark_find(list, count, row->pid, at));
    }
  } else if (done) {
    done = repeated_assign(d, reader);
  }
  free(list);
  for (size_t i = 0; i < d->count; i++)
    d->context.in_steps += d->rows[i].step != AQ_NONE;
  return done && first_mark(d);
}
