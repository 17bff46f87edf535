/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/lateness.h"

#include <stdlib.h>

#include "common/array.h"
#include "common/map.h"
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
                       (aq_rank_lateness){.rank = rank, .most = {AQ_NONE, 0}})
             ? &c->ranks[c->rank_count - 1]
             : NULL;
}

/* ---- the time before the last start ---- */

/* Time of a rank that counts as one row's: the first, by start, that runs. */
typedef struct segment {
  int64_t rank, name;
  aq_time begin, end;
} segment;

/* Disjoint, by rank and time. */
typedef struct timeline {
  const aq_dispatches *d;
  segment *list;
  size_t count;
} timeline;

static int segment_order(const void *a, const void *b)
{
  const segment *x = a, *y = b;
  if (x->rank != y->rank)
    return x->rank < y->rank ? -1 : 1;
  return (x->begin > y->begin) - (x->begin < y->begin);
}

static bool timeline_make(timeline *t, const aq_dispatches *d)
{
  aq_map ends = AQ_MAP_INIT; /* the latest so far, by rank */
  *t = (timeline){.d = d, .list = malloc((d->count + 1) * sizeof *t->list)};
  bool made = t->list;
  for (size_t i = 0; i < d->count && made; i++) {
    const aq_dispatch_row *row = &d->rows[i];
    uint64_t until;
    aq_time begin = row->start;
    if (aq_map_get(&ends, (uint64_t)row->rank, &until))
      begin = aq_time_max(begin, (aq_time)until);
    if (row->end <= begin)
      continue;
    t->list[t->count++] = (segment){row->rank, row->name, begin, row->end};
    made = aq_map_put(&ends, (uint64_t)row->rank, (uint64_t)row->end);
  }
  aq_map_fini(&ends);
  if (made && t->count > 0)
    qsort(t->list, t->count, sizeof *t->list, segment_order);
  return made;
}

/* Times by owner, a small number, and name: a name ran, or AQ_NONE, nothing
 * did.
 */
typedef struct share {
  uint32_t owner;
  int64_t name;
  aq_time time;
} share;

typedef struct shares {
  share *list;
  size_t count, capacity;
  aq_map places; /* of an owner and name */
} shares;

static bool share_add(shares *s, uint32_t owner, int64_t name, aq_time time)
{
  const uint64_t key = (uint64_t)owner << 32 ^ (uint64_t)(name + 1);
  uint64_t place = s->count;
  if (time <= 0)
    return true;
  if (!aq_map_get(&s->places, key, &place) &&
      !(aq_map_put(&s->places, key, place) &&
        AQ_ARRAY_PUSH(s->list, s->count, s->capacity, (share){owner, name, 0})))
    return false;
  s->list[place].time += time;
  return true;
}

/* Of equal shares the first is the largest. */
static void share_most(const share *of, aq_meanwhile *most)
{
  if (of->time > most->time)
    *most = (aq_meanwhile){of->name, of->time};
}

static void shares_fini(shares *s)
{
  free(s->list);
  aq_map_fini(&s->places);
}

/* Divides the time between two times among the rows of a rank, each moment
 * once: shares of owner 0. */
static bool time_divide(const timeline *t, int64_t rank, aq_time from,
                        aq_time to, shares *out)
{
  size_t low = 0, high = t->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const segment *at = &t->list[middle];
    if (at->rank < rank || (at->rank == rank && at->end <= from))
      low = middle + 1;
    else
      high = middle;
  }
  aq_time idle = to - from;
  bool done = true;
  for (; low < t->count && t->list[low].rank == rank &&
         t->list[low].begin < to && done;
       low++) {
    const segment *at = &t->list[low];
    const aq_time time =
        aq_time_min(at->end, to) - aq_time_max(at->begin, from);
    done = share_add(out, 0, at->name, time);
    idle -= time;
  }
  return done && share_add(out, 0, AQ_NONE, idle);
}

static aq_time share_busy(const shares *s)
{
  aq_time busy = 0;
  for (size_t i = 0; i < s->count; i++)
    busy += s->list[i].name == AQ_NONE ? 0 : s->list[i].time;
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

/* `all` has the shares of the collectives before, by place in `out->ranks`. */
static bool collective_add(aq_lateness *out, const timeline *t, shares *all,
                           const aq_collective_call *calls, size_t ranks)
{
  if (!is_inside(t->d, calls, ranks)) {
    loss_add(&out->outside, calls[0].place,
             t->d->rows[calls[0].place].collective);
    return true;
  }
  aq_late_collective c = collective_of(calls, ranks);
  c.name = t->d->rows[calls[0].place].collective;
  shares own = {.places = AQ_MAP_INIT};
  const aq_rank_lateness *last = rank_of(out, c.last_rank);
  bool done =
      last && time_divide(t, c.last_rank, c.last - c.late, c.last, &own);
  c.busy = share_busy(&own);
  c.most = (aq_meanwhile){AQ_NONE, 0};
  for (size_t i = 0; i < own.count && done; i++) {
    share_most(&own.list[i], &c.most);
    done = share_add(all, (uint32_t)(last - out->ranks), own.list[i].name,
                     own.list[i].time);
  }
  shares_fini(&own);
  if (!done)
    return false;
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

static bool operations_match(const timeline *t, shares *all,
                             aq_collective_calls *calls, aq_lateness *out)
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
      if (!collective_add(out, t, all, own + n, ranks))
        return false;
  }
  return true;
}

bool aq_lateness_match(const aq_dispatches *dispatches, aq_lateness *out)
{
  const aq_dispatches *d = dispatches;
  aq_names operations = AQ_NAMES_INIT;
  aq_collective_calls calls = {0};
  shares all = {.places = AQ_MAP_INIT};
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
                    operations_match(&t, &all, &calls, out);
  for (size_t i = 0; done && i < all.count; i++)
    share_most(&all.list[i], &out->ranks[all.list[i].owner].most);
  if (done && out->count > 0) {
    qsort(out->list, out->count, sizeof *out->list, collective_order);
    qsort(out->ranks, out->rank_count, sizeof *out->ranks, rank_order);
  }
  shares_fini(&all);
  aq_names_fini(&operations);
  free(calls.list);
  free(t.list);
  return done;
}
