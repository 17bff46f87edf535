/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/compare/ab_compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/rng.h"
#include "common/text.h"
#include "report/compare/run_ordinals.h"
#include "report/compare/step_match.h"
#include "report/stats/selection.h"
#include "report/stats/stats.h"

enum { RESAMPLES = 2000, SEED = 1 };

/* One sum of each run: those before, then those after. */
typedef struct series {
  aq_versions_group group;
  double *sums; /* owned; 0 for a run without the group */
} series;

typedef struct work {
  size_t before, after; /* runs */
  series *groups;
  size_t count, capacity;
  aq_map by_key;
  double *makespans, *kernels; /* of each run */
  aq_run_ordinals ordinals;    /* of devices or queues */
  aq_run_steps steps;          /* by step: of the first run that has some */
  int64_t steps_run;
  aq_versions *out;
} work;

/* ---- one figure ---- */

static double mean_of(const double *values, size_t count)
{
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += values[i];
  return sum / (double)count;
}

/* The mean of as many values, drawn with replacement. */
static double mean_resampled(const double *values, size_t count, aq_rng *rng)
{
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += values[(size_t)(aq_rng_unit(rng) * (double)count)];
  return sum / (double)count;
}

static int by_value(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static aq_versions_figure figure_of(const work *w, const double *sums)
{
  static const double part = 0.025;
  const double *before = sums, *after = sums + w->before;
  aq_versions_figure f = {.before = mean_of(before, w->before),
                          .after = mean_of(after, w->after),
                          .change = NAN,
                          .low = NAN,
                          .high = NAN};
  double changes[RESAMPLES];
  size_t count = 0;
  aq_rng rng;
  if (f.before <= 0)
    return f;
  f.change = f.after / f.before - 1;
  aq_rng_init(&rng, SEED, 0);
  for (int i = 0; i < RESAMPLES; i++) {
    const double was = mean_resampled(before, w->before, &rng);
    const double is = mean_resampled(after, w->after, &rng);
    /* A resample of runs that all lack the group has no change. */
    if (was > 0)
      changes[count++] = is / was - 1;
  }
  if (count < RESAMPLES)
    return f;
  qsort(changes, count, sizeof *changes, by_value);
  f.low = changes[(size_t)(part * RESAMPLES)];
  f.high = changes[RESAMPLES - 1 - (size_t)(part * RESAMPLES)];
  return f;
}

bool aq_versions_differ(const aq_versions_figure *figure)
{
  return figure->low > 0 || figure->high < 0;
}

/* ---- reading ---- */

static series *group_find(work *w, int64_t key)
{
  uint64_t at;
  if (aq_map_get(&w->by_key, (uint64_t)key, &at))
    return &w->groups[at];
  double *sums = calloc(w->before + w->after, sizeof *sums);
  if (!sums || !AQ_ARRAY_RESERVE(w->groups, w->capacity, w->count + 1) ||
      !aq_map_put(&w->by_key, (uint64_t)key, w->count)) {
    free(sums);
    return NULL;
  }
  w->groups[w->count] = (series){.group.key = key, .sums = sums};
  return &w->groups[w->count++];
}

/* `key` is the group's in all runs, but for a name. */
static aq_status group_add(work *w, size_t run, const aq_stats_group *g,
                           int64_t key, aq_stats_by by, aq_diag *diag)
{
  if (aq_stats_by_is_name(by)) {
    const char *text = g->name ? g->name : "";
    key = aq_names_id(&w->out->names, text, strlen(text));
    if (key < 0)
      return aq_diag_no_memory(diag);
  }
  series *s = group_find(w, key);
  if (!s)
    return aq_diag_no_memory(diag);
  if (!aq_stats_by_is_name(by))
    s->group.name = aq_stats_key_text(g->key, by);
  s->sums[run] = (double)g->kernel.total / (double)AQ_NS;
  w->kernels[run] += s->sums[run];
  if (run < w->before)
    s->group.before_calls += (double)g->calls / (double)w->before;
  else
    s->group.after_calls += (double)g->calls / (double)w->after;
  return AQ_OK;
}

/* Refuses steps of another kind than the first run's; `own` is the work's
 * afterwards where that has none. */
static aq_status steps_add(work *w, const aq_run_info *info, aq_run_steps *own,
                           int64_t *keys, size_t count, aq_diag *diag)
{
  if (w->steps.kind == AQ_STEPS_NONE) {
    aq_run_steps_fini(&w->steps);
    w->steps = *own;
    w->steps_run = info->id;
    *own = (aq_run_steps){0};
    return AQ_OK;
  }
  if (aq_run_steps_differ(&w->steps, own))
    return aq_run_steps_refuse(&w->steps, w->steps_run, own, info->id, diag);
  if (aq_run_steps_by_order(&w->steps, own)) {
    aq_run_steps_map(&w->steps, own, keys, count);
    w->out->steps_by_order++;
  }
  return AQ_OK;
}

static aq_status run_add(work *w, aq_store *store, const aq_run_info *info,
                         size_t run, aq_stats_by by,
                         const aq_run_window *window, aq_diag *diag)
{
  aq_run_reader *reader;
  aq_window_counts counts;
  aq_window_counts *sum =
      run < w->before ? &w->out->before_part : &w->out->after_part;
  aq_dispatches dispatches = {0};
  aq_stats stats = {0};
  aq_run_steps steps = {0};
  aq_status status =
      aq_run_reader_open(store, info->id, AQ_ORDER_STORED, &reader, diag);
  if (status != AQ_OK)
    return status;
  status = aq_part_read(store, info->id, reader,
                        aq_stats_by_rows(by, AQ_WANT_DISPATCHES), by, window,
                        &dispatches, &counts, diag);
  if (status != AQ_OK) {
    status = aq_diag_prefix(diag, "run %lld", (long long)info->id);
  } else if (by == AQ_STATS_BY_STEP &&
             !aq_run_steps_take(&dispatches, &steps)) {
    status = aq_diag_no_memory(diag);
  } else {
    aq_dispatches_limit(&dispatches);
    sum->rows += counts.rows;
    sum->all += counts.all;
    sum->ranges += counts.ranges;
    sum->launching += counts.launching;
    sum->period = counts.period ? counts.period : sum->period;
    sum->parts |= counts.parts;
    sum->unplaced += counts.unplaced;
  }
  if (status == AQ_OK)
    status = aq_stats_make(&dispatches, reader, by, &stats, diag);
  int64_t *keys = calloc(stats.count + 1, sizeof *keys);
  if (status == AQ_OK && !keys)
    status = aq_diag_no_memory(diag);
  for (size_t i = 0; i < stats.count && keys; i++)
    keys[i] = stats.groups[i].key;
  if (status == AQ_OK &&
      (by == AQ_STATS_BY_DEVICE || by == AQ_STATS_BY_QUEUE) &&
      !aq_run_ordinals_map(&w->ordinals, reader, by, keys, stats.count))
    status = aq_diag_no_memory(diag);
  if (status == AQ_OK && by == AQ_STATS_BY_STEP)
    status = steps_add(w, info, &steps, keys, stats.count, diag);
  for (size_t i = 0; i < stats.count && status == AQ_OK; i++)
    status = group_add(w, run, &stats.groups[i], keys[i], by, diag);
  free(keys);
  aq_run_steps_fini(&steps);
  w->makespans[run] = (double)stats.makespan / (double)AQ_NS;
  aq_stats_fini(&stats);
  aq_dispatches_fini(&dispatches);
  aq_run_reader_close(reader);
  return status;
}

/* ---- the result ---- */

static int by_change(const void *a, const void *b)
{
  const aq_versions_group *x = a, *y = b;
  const double p = fabs(x->kernel.after - x->kernel.before);
  const double q = fabs(y->kernel.after - y->kernel.before);
  if (p != q)
    return p > q ? -1 : 1;
  return (x->key > y->key) - (x->key < y->key);
}

static aq_status groups_make(const work *w, aq_stats_by by, aq_diag *diag)
{
  aq_versions *out = w->out;
  out->groups = calloc(w->count + 1, sizeof *out->groups);
  if (!out->groups)
    return aq_diag_no_memory(diag);
  out->count = w->count;
  for (size_t i = 0; i < w->count; i++) {
    out->groups[i] = w->groups[i].group;
    out->groups[i].kernel = figure_of(w, w->groups[i].sums);
    if (aq_stats_by_is_name(by))
      out->groups[i].name = aq_names_text(&out->names, out->groups[i].key);
  }
  qsort(out->groups, out->count, sizeof *out->groups, by_change);
  out->makespan = figure_of(w, w->makespans);
  out->kernel = figure_of(w, w->kernels);
  return AQ_OK;
}

aq_status aq_versions_compare(aq_store *store, const aq_run_info *const *before,
                              size_t before_count,
                              const aq_run_info *const *after,
                              size_t after_count, aq_stats_by by,
                              const aq_run_window *window, aq_versions *out,
                              aq_diag *diag)
{
  const size_t runs = before_count + after_count;
  if (before_count < AQ_VERSIONS_RUNS_MIN || after_count < AQ_VERSIONS_RUNS_MIN)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%zu run%s against %zu: expected at least %d of each "
                       "version for an interval",
                       after_count, aq_text_plural(after_count), before_count,
                       AQ_VERSIONS_RUNS_MIN);
  aq_versions versions = {.by = by,
                          .before_runs = before_count,
                          .after_runs = after_count,
                          .names = AQ_NAMES_INIT};
  work w = {.before = before_count,
            .after = after_count,
            .by_key = AQ_MAP_INIT,
            .makespans = calloc(runs, sizeof *w.makespans),
            .kernels = calloc(runs, sizeof *w.kernels),
            .out = &versions};
  aq_status status = w.makespans && w.kernels ? AQ_OK : aq_diag_no_memory(diag);
  for (size_t i = 0; i < runs && status == AQ_OK; i++)
    status = run_add(&w, store,
                     i < before_count ? before[i] : after[i - before_count], i,
                     by, window, diag);
  if (status == AQ_OK)
    status = groups_make(&w, by, diag);
  for (size_t i = 0; i < w.count; i++)
    free(w.groups[i].sums);
  free(w.groups);
  free(w.makespans);
  free(w.kernels);
  aq_run_ordinals_fini(&w.ordinals);
  aq_run_steps_fini(&w.steps);
  aq_map_fini(&w.by_key);
  if (status == AQ_OK)
    *out = versions;
  else
    aq_versions_fini(&versions);
  return status;
}

void aq_versions_fini(aq_versions *versions)
{
  free(versions->groups);
  aq_names_fini(&versions->names);
}

/* ---- caveats ---- */

/* Whether a run before number `i` has the line, too. */
static bool has_before(const aq_run_info *const *runs, size_t i,
                       const char *line)
{
  char lines[AQ_RUN_CAVEATS][AQ_RUN_CAVEAT_SIZE];
  while (i-- > 0)
    for (size_t k = aq_run_caveats(runs[i], lines); k-- > 0;)
      if (strcmp(lines[k], line) == 0)
        return true;
  return false;
}

size_t aq_versions_caveats(const aq_run_info *const *runs, size_t i,
                           char lines[AQ_RUN_CAVEATS][AQ_RUN_CAVEAT_SIZE])
{
  const size_t all = aq_run_caveats(runs[i], lines);
  size_t kept = 0;
  for (size_t k = 0; k < all; k++)
    if (!has_before(runs, i, lines[k]))
      memmove(lines[kept++], lines[k], sizeof lines[k]);
  return kept;
}
