/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/lateness.h"

#include <stdlib.h>

#include "common/array.h"

void aq_lateness_fini(aq_lateness *collectives)
{
  free(collectives->list);
  free(collectives->ranks);
}

/* By operation, group, rank and start: the calls of one operation lie together,
 * calls of one rank in their order. */
static int call_order(const void *a, const void *b)
{
  const aq_dispatch_row *x = *(const aq_dispatch_row *const *)a,
                        *y = *(const aq_dispatch_row *const *)b;
  if (x->collective != y->collective)
    return x->collective < y->collective ? -1 : 1;
  if (x->group != y->group)
    return x->group < y->group ? -1 : 1;
  if (x->rank != y->rank)
    return x->rank < y->rank ? -1 : 1;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}

static int collective_order(const void *a, const void *b)
{
  const aq_late_collective *x = a, *y = b;
  if (x->first != y->first)
    return x->first < y->first ? -1 : 1;
  return (x->name > y->name) - (x->name < y->name);
}

static int rank_order(const void *a, const void *b)
{
  const aq_rank_lateness *x = a, *y = b;
  return (x->rank > y->rank) - (x->rank < y->rank);
}

static aq_rank_lateness *rank_of(aq_lateness *c, int64_t rank)
{
  for (size_t i = 0; i < c->rank_count; i++)
    if (c->ranks[i].rank == rank)
      return &c->ranks[i];
  return AQ_ARRAY_PUSH(c->ranks, c->rank_count, c->rank_capacity,
                       (aq_rank_lateness){.rank = rank})
             ? &c->ranks[c->rank_count - 1]
             : NULL;
}

/* ---- the time before the last start ---- */

/* Rows in the order of their start, with the latest end up to each. */
typedef struct timeline {
  const aq_dispatches *d;
  aq_time *until;
} timeline;

static bool timeline_make(timeline *t, const aq_dispatches *d)
{
  t->d = d;
  t->until = malloc((d->count + 1) * sizeof *t->until);
  for (size_t i = 0; t->until && i < d->count; i++)
    t->until[i] =
        i ? aq_time_max(t->until[i - 1], d->rows[i].end) : d->rows[i].end;
  return t->until != NULL;
}

/* The time between two times in which something of a rank ran. */
static aq_time busy_of(const timeline *t, int64_t rank, aq_time from,
                       aq_time to)
{
  size_t low = 0, high = t->d->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (t->until[middle] <= from)
      low = middle + 1;
    else
      high = middle;
  }
  aq_time busy = 0, until = from;
  for (size_t i = low; i < t->d->count && t->d->rows[i].start < to; i++) {
    const aq_dispatch_row *row = &t->d->rows[i];
    if (row->rank != rank)
      continue;
    const aq_time begin = aq_time_max(row->start, until);
    const aq_time end = aq_time_min(row->end, to);
    busy += end > begin ? end - begin : 0;
    until = aq_time_max(until, end);
  }
  return busy;
}

/* ---- matching ---- */

/* The nth calls of all ranks, `each` apart. */
static aq_late_collective collective_of(const aq_dispatch_row *const *calls,
                                        size_t ranks, size_t each)
{
  aq_late_collective c = {.name = calls[0]->collective,
                          .ranks = (int64_t)ranks,
                          .first = calls[0]->start,
                          .last = calls[0]->start,
                          .last_rank = calls[0]->rank};
  aq_time before = INT64_MIN;
  for (size_t i = 1; i < ranks; i++) {
    const aq_dispatch_row *call = calls[i * each];
    c.first = aq_time_min(c.first, call->start);
    if (call->start > c.last) {
      before = c.last;
      c.last = call->start;
      c.last_rank = call->rank;
    } else {
      before = aq_time_max(before, call->start);
    }
  }
  c.late = c.last - before;
  return c;
}

/* Whether each call is in the part of the run that was asked for. */
static bool is_inside(const aq_dispatch_row *const *calls, size_t ranks,
                      size_t each)
{
  for (size_t i = 0; i < ranks; i++)
    if (calls[i * each]->outside)
      return false;
  return true;
}

static bool collective_add(aq_lateness *out, const timeline *t,
                           const aq_dispatch_row *const *calls, size_t ranks,
                           size_t each)
{
  if (!is_inside(calls, ranks, each)) {
    out->outside++;
    return true;
  }
  aq_late_collective c = collective_of(calls, ranks, each);
  c.busy = busy_of(t, c.last_rank, c.last - c.late, c.last);
  for (size_t i = 0; i < ranks; i++) {
    aq_rank_lateness *rank = rank_of(out, calls[i * each]->rank);
    if (!rank)
      return false;
    rank->collectives++;
    rank->waited += c.last - calls[i * each]->start;
    if (rank->rank != c.last_rank || c.late == 0)
      continue;
    rank->last++;
    rank->late += c.late;
    rank->busy += c.busy;
    rank->longest = aq_time_max(rank->longest, c.late);
  }
  return AQ_ARRAY_PUSH(out->list, out->count, out->capacity, c);
}

/* The calls of one operation; *each: how many a rank has. False: not every rank
 * of the group has as many, or there is one alone. */
static bool is_matched(const aq_dispatch_row *const *calls, size_t count,
                       size_t *ranks, size_t *each)
{
  *ranks = 0;
  for (size_t i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count && calls[end]->rank == calls[i]->rank;)
      end++;
    if (++*ranks > 1 && end - i != *each)
      return false;
    *each = end - i;
  }
  return *ranks > 1 && (calls[0]->group_size == AQ_NONE ||
                        calls[0]->group_size == (int64_t)*ranks);
}

static bool operations_match(const timeline *t,
                             const aq_dispatch_row *const *calls, size_t count,
                             aq_lateness *out)
{
  for (size_t i = 0, end; i < count; i = end) {
    size_t ranks, each = 0;
    for (end = i + 1; end < count &&
                      calls[end]->collective == calls[i]->collective &&
                      calls[end]->group == calls[i]->group;)
      end++;
    if (!is_matched(calls + i, end - i, &ranks, &each)) {
      out->unmatched += end - i;
      continue;
    }
    for (size_t n = 0; n < each; n++)
      if (!collective_add(out, t, calls + i + n, ranks, each))
        return false;
  }
  return true;
}

bool aq_lateness_match(const aq_dispatches *dispatches, aq_lateness *out)
{
  const aq_dispatches *d = dispatches;
  const aq_dispatch_row **calls = malloc((d->count + 1) * sizeof *calls);
  timeline t;
  size_t count = 0;
  *out = (aq_lateness){0};
  bool done = timeline_make(&t, d) && calls;
  for (size_t i = 0; done && i < d->count; i++) {
    const aq_dispatch_row *row = &d->rows[i];
    if (!row->communicates)
      continue;
    if (row->collective == AQ_NONE || row->rank == AQ_NONE)
      out->unnamed++;
    else
      calls[count++] = row;
  }
  if (done && count > 0) {
    qsort(calls, count, sizeof *calls, call_order);
    done = operations_match(&t, calls, count, out);
  }
  if (done && out->count > 0) {
    qsort(out->list, out->count, sizeof *out->list, collective_order);
    qsort(out->ranks, out->rank_count, sizeof *out->ranks, rank_order);
  }
  free(calls);
  free(t.until);
  return done;
}
