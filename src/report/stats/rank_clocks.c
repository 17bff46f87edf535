/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/rank_clocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "report/stats/quantile.h"

enum { QUANTILE_MIN = 8, QUANTILE = 90 };

/* A call of a rank; of the same operation and process group by `key`. */
typedef struct call {
  int64_t key;
  aq_time start, end; /* of the rank's own clock */
} call;

typedef struct calls {
  call *list;
  size_t count, capacity;
} calls;

static bool waits_for_all(const char *operation)
{
  static const char *const words[] = {
      "all_reduce",     "allreduce",  "all_gather", "allgather",
      "reduce_scatter", "all_to_all", "alltoall",   "barrier"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strstr(operation, words[i]))
      return true;
  return false;
}

static int call_order(const void *a, const void *b)
{
  const call *x = a, *y = b;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return (x->start > y->start) - (x->start < y->start);
}

/* Keys are ids of one table for all ranks. */
static bool calls_take(const aq_dispatches *d, aq_names *keys, calls *out)
{
  for (size_t i = 0; i < d->count; i++) {
    const aq_dispatch_row *row = &d->rows[i];
    char *text;
    const char *operation = row->collective == AQ_NONE
                                ? NULL
                                : aq_names_text(&d->texts, row->collective);
    if (!operation || !waits_for_all(operation))
      continue;
    const int length = asprintf(&text, "%s\n%s", operation,
                                aq_names_text(&d->texts, row->group));
    if (length < 0)
      return false;
    const int64_t key = aq_names_id(keys, text, (size_t)length);
    free(text);
    if (key < 0 || !AQ_ARRAY_PUSH(out->list, out->count, out->capacity,
                                  (call){key, row->start, row->end}))
      return false;
  }
  if (out->count > 0)
    qsort(out->list, out->count, sizeof *out->list, call_order);
  return true;
}

static size_t key_end(const calls *c, size_t from)
{
  size_t end = from;
  while (end < c->count && c->list[end].key == c->list[from].key)
    end++;
  return end;
}

/* Calls of both ranks that are one collective; `at` may be NULL: only counts.
 * Operations that one has more often than the other are left out. */
static size_t pairs_of(const calls *a, const calls *b, size_t (*at)[2])
{
  size_t count = 0;
  for (size_t i = 0, k = 0; i < a->count && k < b->count;) {
    const size_t i_end = key_end(a, i), k_end = key_end(b, k);
    if (a->list[i].key < b->list[k].key) {
      i = i_end;
    } else if (a->list[i].key > b->list[k].key) {
      k = k_end;
    } else {
      for (size_t n = 0; i_end - i == k_end - k && n < i_end - i; n++) {
        if (at) {
          at[count][0] = i + n;
          at[count][1] = k + n;
        }
        count++;
      }
      i = i_end;
      k = k_end;
    }
  }
  return count;
}

/* ---- one rank ---- */

/* The pairs in times of the first rank as recorded. */
typedef struct pair {
  call known, other;
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

static call call_moved(call c, aq_time by)
{
  return (call){c.key, c.start + by, c.end + by};
}

static aq_status clock_join(const calls *known, const aq_rank_clock *by,
                            const calls *other, size_t count,
                            aq_rank_clock *out, aq_diag *diag)
{
  size_t(*at)[2] = calloc(count, sizeof *at);
  pair *pairs = calloc(count, sizeof *pairs);
  int64_t *values = calloc(count, sizeof *values);
  const bool made = at && pairs && values;
  if (made) {
    pairs_of(known, other, at);
    for (size_t i = 0; i < count; i++)
      pairs[i] =
          (pair){call_moved(known->list[at[i][0]], by->behind + by->shift),
                 call_moved(other->list[at[i][1]], out->behind)};
    out->uncertainty = by->uncertainty;
    clock_find(pairs, count, values, out);
  }
  free(at);
  free(pairs);
  free(values);
  return made ? AQ_OK : aq_diag_no_memory(diag);
}

/* ---- all ranks ---- */

/* How many collectives each two ranks have in common: `out` by the one, then by
 * the other. */
static void pairs_count(const calls *all, size_t count, size_t *out)
{
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < i; k++)
      out[i * count + k] = out[k * count + i] =
          pairs_of(&all[i], &all[k], NULL);
}

/* Of a rank whose shift is known and one whose shift is not, the two with the
 * most collectives in common; how many. */
static size_t next_find(const size_t *pairs, const bool *known, size_t count,
                        size_t *from, size_t *to)
{
  size_t best = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < count && known[i]; k++)
      if (!known[k] && pairs[i * count + k] > best) {
        best = pairs[i * count + k];
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

static aq_status all_join(const aq_rank_run *runs, const calls *all,
                          const size_t *counts, bool *known, size_t count,
                          aq_rank_clock *out, aq_diag *diag)
{
  aq_status status = AQ_OK;
  for (size_t done = 1; done < count && status == AQ_OK; done++) {
    size_t from = 0, to = 0, lacking = 0;
    const size_t pairs = next_find(counts, known, count, &from, &to);
    while (known[lacking])
      lacking++;
    if (pairs == 0)
      return aq_diag_set(diag, AQ_ERR_INPUT,
                         "rank %lld: no collective that waits for all ranks "
                         "is recorded on it as often as on another, so its "
                         "clock cannot be aligned",
                         (long long)runs[lacking].rank);
    status =
        clock_join(&all[from], &out[from], &all[to], pairs, &out[to], diag);
    out[to].with = runs[from].rank;
    known[to] = true;
  }
  return status;
}

aq_status aq_rank_clocks_align(const aq_rank_run *runs, size_t count,
                               aq_rank_clock *out, aq_diag *diag)
{
  aq_names keys = AQ_NAMES_INIT;
  calls *all = calloc(count, sizeof *all);
  bool *known = calloc(count + 1, sizeof *known);
  size_t *counts = calloc(count * count, sizeof *counts);
  bool made = all && known && counts;
  for (size_t i = 0; i < count && made; i++)
    made = calls_take(runs[i].dispatches, &keys, &all[i]);
  aq_status status =
      made ? bases_take(runs, count, out, diag) : aq_diag_no_memory(diag);
  if (status == AQ_OK) {
    known[0] = true;
    pairs_count(all, count, counts);
    status = all_join(runs, all, counts, known, count, out, diag);
  }
  for (size_t i = 0; all && i < count; i++)
    free(all[i].list);
  free(all);
  free(known);
  free(counts);
  aq_names_fini(&keys);
  return status;
}
