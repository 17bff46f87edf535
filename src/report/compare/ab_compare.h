/* SPDX-License-Identifier: MIT */
/*
 * Repeated runs of two versions of a program: by how much the makespan and the
 * time of each group of dispatches changed, with an interval that rests on how
 * much the repetitions of one version differ.
 *
 * The interval is the percentile bootstrap over runs: 2000 resamples of each
 * side's runs, with a fixed seed, so equal runs give equal intervals. With few
 * runs it is too narrow; 5 a side are a sensible least. One thread.
 */
#ifndef AQ_REPORT_COMPARE_AB_COMPARE_H
#define AQ_REPORT_COMPARE_AB_COMPARE_H

#include "common/map.h"
#include "report/stats/compare_by.h"
#include "report/stats/launch_ranges.h"
#include "store/store.h"

enum { AQ_VERSIONS_RUNS_MIN = 2 }; /* a side: fewer show no spread */

/* A sum per run: means over the runs of a side, in ns. */
typedef struct aq_versions_figure {
  double before, after;
  double change;    /* after / before - 1; NaN where before is 0 */
  double low, high; /* the 95 % interval of the change; NaN with it */
} aq_versions_figure;

typedef struct aq_versions_group {
  int64_t key;      /* as aq_stats_group; by kernel, an id of this result */
  const char *name; /* this result's; NULL where the key is a number */
  double before_calls, after_calls; /* means over the runs */
  aq_versions_figure kernel;        /* K, from start to end, summed */
} aq_versions_group;

typedef struct aq_versions {
  aq_stats_by by; /* what groups are by */
  size_t before_runs, after_runs;
  aq_versions_figure makespan; /* first start to last end */
  aq_versions_figure kernel;   /* K of all dispatches, summed */
  aq_versions_group *groups;   /* the largest |after - before| first */
  size_t count;
  size_t
      steps_by_order; /* runs without a step number of the first run before */
  aq_names names;     /* the texts of the groups */
  aq_window_counts before_part, after_part; /* of all runs of a side */
} aq_versions;

/* Reads and compares stored runs, or a part of each (`window`; NULL: all).
 * Fewer than AQ_VERSIONS_RUNS_MIN a side are
 * AQ_ERR_INPUT, as is a run without dispatches. On success the caller frees
 * `out` with aq_versions_fini. */
aq_status aq_versions_compare(aq_store *store, const aq_run_info *const *before,
                              size_t before_count,
                              const aq_run_info *const *after,
                              size_t after_count, aq_stats_by by,
                              const aq_run_window *window, aq_versions *out,
                              aq_diag *diag);
void aq_versions_fini(aq_versions *versions);

/* Whether the interval excludes 0. */
bool aq_versions_differ(const aq_versions_figure *figure);

/* The caveats of run number `i` that no run before it has; returns how many. */
size_t aq_versions_caveats(const aq_run_info *const *runs, size_t i,
                           char lines[AQ_RUN_CAVEATS][AQ_RUN_CAVEAT_SIZE]);

#endif
