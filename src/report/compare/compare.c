/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/compare.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/map.h"
#include "common/text.h"
#include "report/stats/formula.h"
#include "report/stats/quantile.h"

#define TERM(prefix, id, name, meaning) [prefix##id] = {name, meaning},
const aq_compare_term aq_compare_quantities[AQ_QUANTITY_COUNT] = {
#define Q(id, name, meaning) TERM(AQ_QUANTITY_, id, name, meaning)
    AQ_COMPARE_QUANTITIES(Q)
#undef Q
};
const aq_compare_term aq_compare_classes[AQ_CLASS_COUNT] = {
#define C(id, name, meaning) TERM(AQ_CLASS_, id, name, meaning)
    AQ_COMPARE_CLASSES(C)
#undef C
};
const aq_compare_term aq_compare_predictors[AQ_PREDICTOR_COUNT] = {
#define P(id, name, meaning) TERM(AQ_PREDICTOR_, id, name, meaning)
    AQ_COMPARE_PREDICTORS(P)
#undef P
};
const aq_compare_term aq_compare_reasons[AQ_LEFT_OUT_COUNT] = {
#define L(id, name, meaning) TERM(AQ_LEFT_OUT_, id, name, meaning)
    AQ_COMPARE_LEFT_OUT(L)
#undef L
};

/* Start and end of a row in one prediction. */
typedef struct span {
  aq_time start, end;
} span;

/* A sample is an error and its class in one number that sorts by error. */
enum { CLASS_BITS = 3 };
_Static_assert(AQ_CLASS_COUNT <= 1 << CLASS_BITS, "a class fits");

typedef struct samples {
  uint64_t *values;
  size_t count;
  __int128 sums[AQ_CLASS_COUNT];
} samples;

/* The work of one comparison. */
typedef struct comparison {
  const aq_compare_row *reference; /* by queue, start, number */
  size_t reference_count;
  const aq_compare_row *rows;
  aq_map partner; /* key → index in rows */
  size_t worst_max;
  samples samples[AQ_PREDICTOR_COUNT][AQ_QUANTITY_COUNT];
  aq_compare result;
} comparison;

/* The state while one queue is walked. */
typedef struct walk {
  const aq_compare_row *previous;     /* the reference row that ended last */
  const aq_compare_row *previous_row; /* its partner, or NULL */
  /* Of the formulas: the same row's end, and the latest of all before. */
  aq_time previous_end[AQ_PREDICTOR_COUNT], latest_end[AQ_PREDICTOR_COUNT];
} walk;

bool aq_compare_row_init(aq_compare_row *row, const aq_record *record,
                         int64_t number, int64_t key)
{
  *row = (aq_compare_row){.number = number,
                          .key = key,
                          .queue = record->queue,
                          .name = record->name,
                          .via = record->via,
                          .flags = record->flags,
                          .host_begin = record->host_begin,
                          .host_end = record->host_end,
                          .submit = record->submit,
                          .start = record->start,
                          .end = record->end};
  return record->kind == AQ_KIND_KERNEL || record->kind == AQ_KIND_COPY ||
         record->kind == AQ_KIND_FILL;
}

static int64_t flags_of(const aq_compare_row *row)
{
  return row->flags == AQ_NONE ? 0 : row->flags;
}

static bool has_times(const aq_compare_row *row)
{
  return row->start != AQ_NONE && row->end != AQ_NONE;
}

static int order_rows(const void *left, const void *right)
{
  const aq_compare_row *a = left, *b = right;
  if (a->queue != b->queue)
    return a->queue < b->queue ? -1 : 1;
  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  return (a->number > b->number) - (a->number < b->number);
}

/* Readers often hand the rows out in this order already. */
static void sort_rows(aq_compare_row *rows, size_t count)
{
  for (size_t i = 1; i < count; i++)
    if (order_rows(&rows[i - 1], &rows[i]) > 0) {
      qsort(rows, count, sizeof *rows, order_rows);
      return;
    }
}

/* Rows without times are dropped: they have no place in the order. */
static size_t keep_timed(aq_compare_row *rows, size_t count)
{
  size_t kept = 0;
  for (size_t i = 0; i < count; i++)
    if (has_times(&rows[i]))
      rows[kept++] = rows[i];
  return kept;
}

/* Where several rows replay the same one, the last to end is its partner. */
static bool map_partners(comparison *c, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const aq_compare_row *row = &c->rows[i];
    uint64_t other;
    c->result.predicted |= (flags_of(row) & AQ_FLAG_LEARNED) != 0;
    if (row->key == AQ_NONE || !has_times(row))
      continue;
    if (aq_map_get(&c->partner, (uint64_t)row->key, &other) &&
        c->rows[other].end >= row->end)
      continue;
    if (!aq_map_put(&c->partner, (uint64_t)row->key, i))
      return false;
  }
  return true;
}

static aq_compare_class classify(const aq_compare_row *row,
                                 const aq_compare_row *partner,
                                 const aq_compare_row *previous)
{
  int64_t flags = flags_of(row);
  if ((flags | flags_of(partner)) & AQ_FLAG_EDGE)
    return AQ_CLASS_EDGE;
  if (row->via == AQ_VIA_GRAPH)
    return flags & AQ_FLAG_GRAPH_FIRST ? AQ_CLASS_GRAPH_FIRST : AQ_CLASS_GRAPH;
  aq_time submission = aq_compare_submission(row);
  if (!previous || submission > previous->end)
    return AQ_CLASS_IDLE;
  return previous->end - submission >= AQ_COMPARE_NEAR_US * AQ_US
             ? AQ_CLASS_QUEUED
             : AQ_CLASS_NEAR;
}

/* AQ_LEFT_OUT_COUNT when the row is scored. */
static aq_compare_reason judge(const aq_compare_row *row,
                               const aq_compare_row *partner)
{
  if (aq_compare_submission(row) == AQ_NONE)
    return AQ_LEFT_OUT_NO_SUBMISSION;
  if (!partner)
    return AQ_LEFT_OUT_NO_PARTNER;
  if ((flags_of(row) | flags_of(partner)) & AQ_FLAG_PINNED)
    return AQ_LEFT_OUT_PINNED;
  if (flags_of(partner) & AQ_FLAG_LEARNED)
    return AQ_LEFT_OUT_LEARNED;
  if (flags_of(row) & AQ_COMPARE_FITTED)
    return AQ_LEFT_OUT_FITTED;
  return AQ_LEFT_OUT_COUNT;
}

static void sample(comparison *c, aq_compare_predictor who,
                   aq_compare_quantity what, aq_compare_class class,
                   aq_time error)
{
  samples *to = &c->samples[who][what];
  uint64_t size = error < 0 ? 0 - (uint64_t)error : (uint64_t)error;
  if (size > UINT64_MAX >> CLASS_BITS)
    size = UINT64_MAX >> CLASS_BITS;
  to->values[to->count++] = size << CLASS_BITS | class;
  to->sums[class] += size;
}

/* Errors of a predicted span; `interval` is the error of the time since the
 * previous completion, AQ_NONE where there was none. */
static void sample_span(comparison *c, aq_compare_predictor who,
                        aq_compare_class class, const aq_compare_row *row,
                        span predicted, aq_time submission, aq_time interval)
{
  aq_time wait = row->start - aq_compare_submission(row);
  sample(c, who, AQ_QUANTITY_END, class, predicted.end - row->end);
  sample(c, who, AQ_QUANTITY_START, class, predicted.start - row->start);
  sample(c, who, AQ_QUANTITY_WAIT, class, predicted.start - submission - wait);
  if (interval != AQ_NONE)
    sample(c, who, AQ_QUANTITY_INTERVAL, class, interval);
}

static void keep_worst(comparison *c, const aq_compare_row *row,
                       const aq_compare_row *partner, aq_compare_class class)
{
  aq_compare *r = &c->result;
  aq_compare_worst entry = {*row, *partner, class, partner->end - row->end};
  size_t at = r->worst_count;
  if (at == c->worst_max) {
    if (at == 0 || llabs(r->worst[at - 1].error) >= llabs(entry.error))
      return;
    at--;
  } else {
    r->worst_count++;
  }
  for (; at > 0 && llabs(r->worst[at - 1].error) < llabs(entry.error); at--)
    r->worst[at] = r->worst[at - 1];
  r->worst[at] = entry;
}

static void score_row(comparison *c, const walk *w, const aq_compare_row *row,
                      const aq_compare_row *partner,
                      const span predicted[AQ_PREDICTOR_COUNT])
{
  aq_compare_class class = classify(row, partner, w->previous);
  aq_time own = aq_compare_submission(partner);
  for (int who = 0; who < AQ_PREDICTOR_COUNT; who++) {
    aq_time interval = AQ_NONE;
    if (!aq_formula_fits((aq_compare_predictor)who, &c->result))
      continue;
    if (w->previous && w->previous_row)
      interval = (predicted[who].end - w->previous_end[who]) -
                 (row->end - w->previous->end);
    sample_span(c, who, class, row, predicted[who],
                who == AQ_PREDICTOR_RUN && own != AQ_NONE
                    ? own
                    : aq_compare_submission(row),
                interval);
  }
  keep_worst(c, row, partner, class);
  c->result.scored++;
}

/* The formulas have the durations of the run: measured ones, or at level 2
 * predicted ones. */
static aq_time duration_of(const comparison *c, const aq_compare_row *row,
                           const aq_compare_row *partner)
{
  const aq_compare_row *from = c->result.predicted && partner ? partner : row;
  return from->end - from->start;
}

static void predict(const comparison *c, const walk *w,
                    const aq_compare_row *row, const aq_compare_row *partner,
                    span predicted[AQ_PREDICTOR_COUNT])
{
  aq_compare_row shown = *row;
  if (partner && flags_of(partner) & AQ_FLAG_PINNED)
    shown.flags = flags_of(row) | AQ_FLAG_PINNED;
  if (partner)
    predicted[AQ_PREDICTOR_RUN] = (span){partner->start, partner->end};
  for (int who = AQ_PREDICTOR_ZERO; who < AQ_PREDICTOR_COUNT; who++) {
    aq_time start =
        aq_formula_start(who, &c->result, &shown, w->latest_end[who]);
    predicted[who] = (span){start, start + duration_of(c, row, partner)};
  }
}

static void walk_step(walk *w, const aq_compare_row *row,
                      const aq_compare_row *partner,
                      const span predicted[AQ_PREDICTOR_COUNT])
{
  bool last = !w->previous || row->end >= w->previous->end;
  for (int who = 0; who < AQ_PREDICTOR_COUNT; who++) {
    w->latest_end[who] = aq_time_max(w->latest_end[who], predicted[who].end);
    if (last)
      w->previous_end[who] = predicted[who].end;
  }
  if (last) {
    w->previous = row;
    w->previous_row = partner;
  }
}

/* First start and last end so far, of each predictor and the reference. */
typedef struct extent {
  aq_time first, last;
} extent;

typedef struct extents {
  extent reference, of[AQ_PREDICTOR_COUNT];
} extents;

static const extent extent_none = {AQ_TIME_MAX, INT64_MIN};

static extents extents_begin(void)
{
  extents e = {.reference = extent_none};
  for (int who = 0; who < AQ_PREDICTOR_COUNT; who++)
    e.of[who] = extent_none;
  return e;
}

static void extent_add(extent *e, aq_time start, aq_time end)
{
  e->first = aq_time_min(e->first, start);
  e->last = aq_time_max(e->last, end);
}

static void extents_add(extents *e, const aq_compare_row *row,
                        const span predicted[AQ_PREDICTOR_COUNT])
{
  extent_add(&e->reference, row->start, row->end);
  for (int who = 0; who < AQ_PREDICTOR_COUNT; who++)
    extent_add(&e->of[who], predicted[who].start, predicted[who].end);
}

static aq_time length_of(const extent *e)
{
  return e->last < e->first ? 0 : e->last - e->first;
}

/* A queue has ended: keeps the one that is furthest off. */
static void queue_end(comparison *c, const extents *e, int64_t queue)
{
  const aq_time reference = length_of(&e->reference);
  aq_compare *r = &c->result;
  if (e->reference.last < e->reference.first)
    return; /* none of its rows has a partner */
  for (int who = 0; who < AQ_PREDICTOR_COUNT; who++) {
    const aq_time error = length_of(&e->of[who]) - reference;
    if (r->queues > 0 && llabs(error) <= llabs(r->queue_makespan[who].error))
      continue;
    r->queue_makespan[who].error = error;
    r->queue_makespan[who].reference = reference;
    r->queue_makespan[who].queue = queue;
  }
  r->queues++;
}

static void walk_rows(comparison *c)
{
  walk w = {0};
  extents whole = extents_begin(), queue = whole;
  for (size_t i = 0; i < c->reference_count; i++) {
    const aq_compare_row *row = &c->reference[i];
    uint64_t index;
    const aq_compare_row *partner =
        aq_map_get(&c->partner, (uint64_t)row->key, &index) ? &c->rows[index]
                                                            : NULL;
    span predicted[AQ_PREDICTOR_COUNT] = {{AQ_NONE, AQ_NONE}};
    if (i == 0 || row->queue != row[-1].queue) {
      for (int who = 0; who < AQ_PREDICTOR_COUNT; who++)
        w.latest_end[who] = AQ_NONE;
      w.previous = w.previous_row = NULL;
      queue = extents_begin();
    }
    predict(c, &w, row, partner, predicted);
    aq_compare_reason reason = judge(row, partner);
    if (reason == AQ_LEFT_OUT_COUNT)
      score_row(c, &w, row, partner, predicted);
    else
      c->result.left_out[reason]++;
    if (partner) {
      extents_add(&whole, row, predicted);
      extents_add(&queue, row, predicted);
    }
    walk_step(&w, row, partner, predicted);
    if (i + 1 == c->reference_count || row[1].queue != row->queue)
      queue_end(c, &queue, row->queue);
  }
  if (c->result.scored == 0)
    return;
  c->result.makespan_reference = length_of(&whole.reference);
  for (int who = 0; who < AQ_PREDICTOR_COUNT; who++)
    c->result.makespan[who] = length_of(&whole.of[who]);
}

/* One sorted pass hands every class its values in rising order. */
static void summarize(samples *from, aq_compare_stat stats[AQ_CLASS_COUNT])
{
  size_t counts[AQ_CLASS_COUNT] = {from->count}, seen[AQ_CLASS_COUNT] = {0};
  from->sums[AQ_CLASS_ALL] = 0;
  for (size_t i = 0; i < from->count; i++)
    counts[from->values[i] & ((1 << CLASS_BITS) - 1)]++;
  for (int class = AQ_CLASS_ALL + 1; class < AQ_CLASS_COUNT; class ++)
    from->sums[AQ_CLASS_ALL] += from->sums[class];
  aq_sort_uint64(from->values, from->count);
  for (size_t i = 0; i < from->count; i++) {
    size_t own = from->values[i] & ((1 << CLASS_BITS) - 1);
    double ns = (double)(from->values[i] >> CLASS_BITS) / (double)AQ_NS;
    for (size_t class = 0;; class = own) {
      size_t n = counts[class], at = seen[class]++;
      if (at == aq_quantile_index(n, 50))
        stats[class].median = ns;
      if (at == aq_quantile_index(n, 90))
        stats[class].p90 = ns;
      if (at == aq_quantile_index(n, 99))
        stats[class].p99 = ns;
      if (class == own)
        break;
    }
  }
  for (int class = 0; class < AQ_CLASS_COUNT; class ++) {
    stats[class].count = (int64_t)counts[class];
    if (counts[class])
      stats[class].mean =
          (double)from->sums[class] / ((double)counts[class] * (double)AQ_NS);
  }
}

static const char advice[] =
    "record host calls with the kernels: rocprofv3 --runtime-trace, or the "
    "PyTorch profiler with activities CPU and CUDA (doc/recording.md)";

static aq_status refuse(const aq_compare *r, aq_diag *diag)
{
  char why[256] = "";
  size_t length = 0;
  for (int i = 0; i < AQ_LEFT_OUT_COUNT; i++)
    if (r->left_out[i] && length < sizeof why)
      length += (size_t)snprintf(why + length, sizeof why - length,
                                 "%s%" PRId64 ": %s", length ? "; " : "",
                                 r->left_out[i], aq_compare_reasons[i].meaning);
  if (r->rows == 0)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "nothing can be scored: the reference run has no "
                       "kernel, copy or fill");
  bool silent = r->left_out[AQ_LEFT_OUT_NO_SUBMISSION] > 0;
  return aq_diag_set(
      diag, AQ_ERR_INPUT, "0 of %" PRId64 " row%s scored (%s)%s%s", r->rows,
      aq_text_plural(r->rows), why, silent ? "; " : "", silent ? advice : "");
}

static bool comparison_alloc(comparison *c)
{
  bool good = true;
  for (int who = 0; who < AQ_PREDICTOR_COUNT; who++)
    for (int what = 0; what < AQ_QUANTITY_COUNT; what++) {
      samples *s = &c->samples[who][what];
      s->values = malloc((c->reference_count + 1) * sizeof *s->values);
      good &= s->values != NULL;
    }
  if (c->worst_max > c->reference_count)
    c->worst_max = c->reference_count;
  c->result.worst = calloc(c->worst_max + 1, sizeof *c->result.worst);
  return good && c->result.worst;
}

static aq_status comparison_run(comparison *c, size_t count, aq_diag *diag)
{
  if (!comparison_alloc(c) || !map_partners(c, count))
    return aq_diag_no_memory(diag);
  aq_status status =
      aq_formula_fit(c->reference, c->reference_count, &c->result, diag);
  if (status != AQ_OK)
    return status;
  walk_rows(c);
  if (c->result.scored == 0)
    return refuse(&c->result, diag);
  for (int who = 0; who < AQ_PREDICTOR_COUNT; who++)
    for (int what = 0; what < AQ_QUANTITY_COUNT; what++)
      summarize(&c->samples[who][what], c->result.stats[who][what]);
  return AQ_OK;
}

aq_status aq_compare_rows(aq_compare_row *reference, size_t reference_count,
                          aq_compare_row *rows, size_t count, size_t worst,
                          aq_compare *out, aq_diag *diag)
{
  comparison c = {.reference = reference,
                  .rows = rows,
                  .partner = AQ_MAP_INIT,
                  .worst_max = worst};
  c.reference_count = keep_timed(reference, reference_count);
  c.result.rows = (int64_t)reference_count;
  c.result.left_out[AQ_LEFT_OUT_NO_TIMES] =
      (int64_t)(reference_count - c.reference_count);
  sort_rows(reference, c.reference_count);
  aq_status status = comparison_run(&c, count, diag);
  for (int who = 0; who < AQ_PREDICTOR_COUNT; who++)
    for (int what = 0; what < AQ_QUANTITY_COUNT; what++)
      free(c.samples[who][what].values);
  aq_map_fini(&c.partner);
  if (status == AQ_OK)
    *out = c.result;
  else
    aq_compare_fini(&c.result);
  return status;
}

void aq_compare_fini(aq_compare *compare)
{
  free(compare->worst);
}
