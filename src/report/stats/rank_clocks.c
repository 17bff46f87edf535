/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/rank_clocks.h"

#include <stdlib.h>
#include <string.h>

#include "report/stats/collective_calls.h"
#include "report/stats/op_work.h"
#include "report/stats/quantile.h"

enum { QUANTILE_MIN = 8, QUANTILE = 90 };

/* The calls of all ranks in which all wait for all; ranks are places in
 * `runs`. */
typedef struct ranks {
  const aq_rank_run *runs;
  size_t count;
  aq_names operations;
  aq_collective_calls calls;
  size_t *times; /* by rank: calls of one operation */
  bool *common;  /* by rank: another one has as many */
  size_t *pairs; /* by rank and rank: how many collectives both have */
  bool *known;   /* by rank: its shift */
} ranks;

static const aq_dispatch_row *row_of(const ranks *r,
                                     const aq_collective_call *call)
{
  return &r->runs[call->rank].dispatches->rows[call->place];
}

static const char *collective_of(const ranks *r, const aq_collective_call *call)
{
  return aq_names_text(&r->runs[call->rank].dispatches->texts,
                       row_of(r, call)->collective);
}

static bool calls_take(ranks *r)
{
  aq_collective_calls *c = &r->calls;
  size_t left = 0;
  for (size_t i = 0; i < r->count; i++)
    if (!aq_collective_calls_add(r->runs[i].dispatches, (int64_t)i,
                                 &r->operations, c))
      return false;
  for (size_t i = 0; i < c->count; i++)
    if (aq_op_waits_for_all(collective_of(r, &c->list[i])))
      c->list[left++] = c->list[i];
  c->count = left;
  aq_collective_calls_match(c);
  return true;
}

/* Sets `times` for the operation whose first call is at `at`; returns its
 * end. */
static size_t times_count(ranks *r, size_t at)
{
  const size_t end = aq_collective_operation_end(&r->calls, at);
  memset(r->times, 0, r->count * sizeof *r->times);
  for (size_t i = at; i < end; i++)
    r->times[r->calls.list[i].rank]++;
  return end;
}

/* Two ranks have collectives in common where both have the operation as often.
 * Returns whether the rank has. */
static bool pairs_add(ranks *r, size_t rank)
{
  bool common = false;
  for (size_t k = 0; k < r->count; k++)
    if (k != rank && r->times[k] == r->times[rank]) {
      r->pairs[rank * r->count + k] += r->times[rank];
      common = true;
    }
  return common;
}

static void pairs_count(ranks *r, aq_rank_clock *out)
{
  for (size_t at = 0, end; at < r->calls.count; at = end) {
    end = times_count(r, at);
    for (size_t i = 0; i < r->count; i++)
      r->common[i] = r->times[i] > 0 && pairs_add(r, i);
    for (size_t i = at; i < end; i++) {
      const aq_collective_call *call = &r->calls.list[i];
      aq_rank_clock *clock = &out[call->rank];
      if (r->common[call->rank] || row_of(r, call)->group_size == 1)
        continue;
      if (clock->skipped++ == 0 || call->place < clock->first_skipped)
        clock->first_skipped = call->place;
    }
  }
}

/* ---- one rank ---- */

/* The pairs in times of the first rank as recorded. */
typedef struct pair {
  aq_collective_call known, other;
} pair;

/* The shift of the other rank from its pairs with a rank whose shift is known;
 * `values` has room for one a pair. */
static void clock_find(const pair *pairs, size_t count, int64_t *values,
                       aq_rank_clock *out)
{
  aq_time least = INT64_MIN, most = INT64_MAX;
  for (size_t i = 0; i < count; i++) {
    const pair *p = &pairs[i];
    values[i] = p->known.end - p->other.end;
    least = aq_time_max(least, p->known.start - p->other.end);
    most = aq_time_min(most, p->known.end - p->other.start);
  }
  const aq_time shift = aq_median(values, count);
  for (size_t i = 0; i < count; i++)
    values[i] = values[i] < shift ? shift - values[i] : values[i] - shift;
  aq_median(values, count); /* sorts */
  aq_time distance = aq_time_max(shift - least, most - shift);
  if (count >= QUANTILE_MIN)
    distance = values[aq_quantile_index(count, QUANTILE)];
  else if (least > most) /* the clock drifts: no shift fits */
    distance = values[count - 1];
  out->found = shift;
  out->uncertainty += distance;
  out->collectives = count;
  const bool within = shift <= out->uncertainty && -shift <= out->uncertainty;
  out->shift = within ? 0 : shift;
  for (size_t i = 0; i < count; i++)
    out->contradicted +=
        pairs[i].known.start > pairs[i].other.end + out->shift ||
        pairs[i].other.start + out->shift > pairs[i].known.end;
}

static aq_collective_call call_moved(aq_collective_call call, aq_time by)
{
  call.start += by;
  call.end += by;
  return call;
}

static void pairs_take(ranks *r, size_t from, size_t to,
                       const aq_rank_clock *clocks, pair *out)
{
  const aq_time known = clocks[from].behind + clocks[from].shift;
  for (size_t at = 0, end; at < r->calls.count; at = end) {
    end = times_count(r, at);
    if (r->times[from] != r->times[to])
      continue;
    for (size_t i = at; i < end; i++) {
      const aq_collective_call *call = &r->calls.list[i];
      if (call->rank == (int64_t)from)
        out[call->nth].known = call_moved(*call, known);
      else if (call->rank == (int64_t)to)
        out[call->nth].other = call_moved(*call, clocks[to].behind);
    }
    out += r->times[to];
  }
}

static aq_status clock_join(ranks *r, size_t from, size_t to, size_t count,
                            aq_rank_clock *clocks, aq_diag *diag)
{
  pair *pairs = calloc(count, sizeof *pairs);
  int64_t *values = calloc(count, sizeof *values);
  const bool made = pairs && values;
  if (made) {
    pairs_take(r, from, to, clocks, pairs);
    clocks[to].uncertainty = clocks[from].uncertainty;
    clocks[to].with = r->runs[from].rank;
    clock_find(pairs, count, values, &clocks[to]);
  }
  free(pairs);
  free(values);
  return made ? AQ_OK : aq_diag_no_memory(diag);
}

/* ---- all ranks ---- */

/* Of a rank whose shift is known and one whose shift is not, the two with the
 * most collectives in common; how many. */
static size_t next_find(const ranks *r, size_t *from, size_t *to)
{
  size_t best = 0;
  for (size_t i = 0; i < r->count; i++)
    for (size_t k = 0; k < r->count && r->known[i]; k++)
      if (!r->known[k] && r->pairs[i * r->count + k] > best) {
        best = r->pairs[i * r->count + k];
        *from = i;
        *to = k;
      }
  return best;
}

static aq_status bases_take(const aq_rank_run *runs, size_t count,
                            aq_rank_clock *out, aq_diag *diag)
{
  for (size_t i = 0; i < count; i++) {
    int64_t ns;
    out[i] = (aq_rank_clock){.with = AQ_NONE};
    if (__builtin_sub_overflow(runs[i].base_ns, runs[0].base_ns, &ns) ||
        __builtin_mul_overflow(ns, AQ_NS, &out[i].behind) ||
        out[i].behind > AQ_TIME_MAX / 4 || out[i].behind < -(AQ_TIME_MAX / 4))
      return aq_diag_set(diag, AQ_ERR_INPUT,
                         "rank %lld: its clock is more than 26 days away from "
                         "that of rank %lld",
                         (long long)runs[i].rank, (long long)runs[0].rank);
  }
  return AQ_OK;
}

static aq_status all_join(ranks *r, aq_rank_clock *clocks, aq_diag *diag)
{
  aq_status status = AQ_OK;
  r->known[0] = true;
  for (size_t done = 1; done < r->count && status == AQ_OK; done++) {
    size_t from = 0, to = 0, lacking = 0;
    const size_t pairs = next_find(r, &from, &to);
    while (r->known[lacking])
      lacking++;
    if (pairs == 0)
      return aq_diag_set(diag, AQ_ERR_INPUT,
                         "rank %lld: no collective that waits for all ranks "
                         "is recorded on it as often as on another, so its "
                         "clock cannot be aligned",
                         (long long)r->runs[lacking].rank);
    status = clock_join(r, from, to, pairs, clocks, diag);
    r->known[to] = true;
  }
  return status;
}

aq_status aq_rank_clocks_align(const aq_rank_run *runs, size_t count,
                               aq_rank_clock *out, aq_diag *diag)
{
  ranks r = {.runs = runs,
             .count = count,
             .operations = AQ_NAMES_INIT,
             .times = calloc(count, sizeof *r.times),
             .common = calloc(count, sizeof *r.common),
             .pairs = calloc(count * count, sizeof *r.pairs),
             .known = calloc(count + 1, sizeof *r.known)};
  const bool made = r.times && r.common && r.pairs && r.known && calls_take(&r);
  aq_status status =
      made ? bases_take(runs, count, out, diag) : aq_diag_no_memory(diag);
  if (status == AQ_OK) {
    pairs_count(&r, out);
    status = all_join(&r, out, diag);
  }
  free(r.times);
  free(r.common);
  free(r.pairs);
  free(r.known);
  free(r.calls.list);
  aq_names_fini(&r.operations);
  return status;
}
