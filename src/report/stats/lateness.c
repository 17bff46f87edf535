/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/lateness.h"

#include <stdlib.h>

#include "common/array.h"
#include "report/stats/collective_calls.h"

void aq_lateness_fini(aq_lateness *collectives)
{
  free(collectives->list);
  free(collectives->ranks);
}

static void loss_add(aq_lateness_loss *loss, size_t row, int64_t name)
{
  if (loss->count++ > 0 && loss->row <= row)
    return;
  loss->row = row;
  loss->first = name;
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

/* The calls of one collective. */
static aq_late_collective collective_of(const aq_collective_call *calls,
                                        size_t ranks)
{
  aq_late_collective c = {.ranks = (int64_t)ranks,
                          .first = calls[0].start,
                          .last = calls[0].start,
                          .last_rank = calls[0].rank};
  aq_time before = INT64_MIN;
  for (size_t i = 1; i < ranks; i++) {
    c.first = aq_time_min(c.first, calls[i].start);
    if (calls[i].start > c.last) {
      before = c.last;
      c.last = calls[i].start;
      c.last_rank = calls[i].rank;
    } else {
      before = aq_time_max(before, calls[i].start);
    }
  }
  c.late = c.last - before;
  return c;
}

/* Whether each call is in the part of the run that was asked for. */
static bool is_inside(const aq_dispatches *d, const aq_collective_call *calls,
                      size_t ranks)
{
  for (size_t i = 0; i < ranks; i++)
    if (d->rows[calls[i].place].outside)
      return false;
  return true;
}

static bool collective_add(aq_lateness *out, const timeline *t,
                           const aq_collective_call *calls, size_t ranks)
{
  if (!is_inside(t->d, calls, ranks)) {
    loss_add(&out->outside, calls[0].place,
             t->d->rows[calls[0].place].collective);
    return true;
  }
  aq_late_collective c = collective_of(calls, ranks);
  c.name = t->d->rows[calls[0].place].collective;
  c.busy = busy_of(t, c.last_rank, c.last - c.late, c.last);
  for (size_t i = 0; i < ranks; i++) {
    aq_rank_lateness *rank = rank_of(out, calls[i].rank);
    if (!rank)
      return false;
    rank->collectives++;
    rank->waited += c.last - calls[i].start;
    if (rank->rank != c.last_rank || c.late == 0)
      continue;
    rank->last++;
    rank->late += c.late;
    rank->busy += c.busy;
    rank->longest = aq_time_max(rank->longest, c.late);
  }
  return AQ_ARRAY_PUSH(out->list, out->count, out->capacity, c);
}

/* Whether each rank of its group has the operation of these calls as often, and
 * there are several. */
static bool is_matched(const aq_dispatches *d, const aq_collective_call *calls,
                       size_t count, size_t ranks)
{
  const int64_t group_size = d->rows[calls[0].place].group_size;
  return ranks > 1 && ranks * (calls[count - 1].nth + 1) == count &&
         (group_size == AQ_NONE || group_size == (int64_t)ranks);
}

static bool operations_match(const timeline *t, aq_collective_calls *calls,
                             aq_lateness *out)
{
  aq_collective_calls_match(calls);
  for (size_t i = 0, end; i < calls->count; i = end) {
    const aq_collective_call *own = &calls->list[i];
    const size_t ranks = aq_collective_end(calls, i) - i;
    end = aq_collective_operation_end(calls, i);
    const bool matched = is_matched(t->d, own, end - i, ranks);
    for (size_t n = 0; !matched && n < end - i; n++) {
      const aq_dispatch_row *row = &t->d->rows[own[n].place];
      if (!row->outside)
        loss_add(&out->unmatched, own[n].place, row->collective);
    }
    for (size_t n = 0; matched && n < end - i; n += ranks)
      if (!collective_add(out, t, own + n, ranks))
        return false;
  }
  return true;
}

bool aq_lateness_match(const aq_dispatches *dispatches, aq_lateness *out)
{
  const aq_dispatches *d = dispatches;
  aq_names operations = AQ_NAMES_INIT;
  aq_collective_calls calls = {0};
  timeline t;
  *out = (aq_lateness){0};
  for (size_t i = 0; i < d->count; i++) {
    const aq_dispatch_row *row = &d->rows[i];
    if (row->communicates && !row->outside &&
        (row->collective == AQ_NONE || row->rank == AQ_NONE))
      loss_add(&out->unnamed, i, row->name);
  }
  const bool done = timeline_make(&t, d) &&
                    aq_collective_calls_add(d, AQ_NONE, &operations, &calls) &&
                    operations_match(&t, &calls, out);
  if (done && out->count > 0) {
    qsort(out->list, out->count, sizeof *out->list, collective_order);
    qsort(out->ranks, out->rank_count, sizeof *out->ranks, rank_order);
  }
  aq_names_fini(&operations);
  free(calls.list);
  free(t.until);
  return done;
}
