/* SPDX-License-Identifier: MIT */
/*
 * The difference of two runs: b minus a, dispatch by dispatch where they match,
 * by group, and by the causes of explain.h, whose differences sum to that of
 * the runs. T = A + Q + K, as stats.h has it.
 *
 * A difference of means is significant where the 99 % confidence interval of
 * the paired differences (normal, at least 8 pairs) excludes 0.
 * doc/compare.md defines every figure. Pure but for the readers; one thread.
 */
#ifndef AQ_REPORT_COMPARE_DIFF_H
#define AQ_REPORT_COMPARE_DIFF_H

#include "common/export.h"
#include "report/stats/compare_by.h"
#include "store/store.h"

AQ_BEGIN_DECLS

enum { AQ_DIFF_PAIRS_MIN = 8 };

/* P(id, name, meaning): the parts of T. */
#define AQ_DIFF_PARTS(P)                                                       \
  P(API, "api", "A, the host call")                                            \
  P(QUEUE, "queue", "Q, from submission to start")                             \
  P(KERNEL, "kernel", "K, from start to end")

typedef enum aq_diff_part {
#define P(id, name, meaning) AQ_DIFF_##id,
  AQ_DIFF_PARTS(P)
#undef P
      AQ_DIFF_PART_COUNT
} aq_diff_part;

/* The names, by id; static. */
AQ_API extern const char *const aq_diff_part_names[AQ_DIFF_PART_COUNT];

/* Over the pairs that have the part in both runs, and over rows without a
 * partner; ns. A pair is of a group if both of its rows are: else the one of a
 * is removed from its group, and that of b added to its own. */
typedef struct aq_diff_figure {
  int64_t pairs;
  double a, b;    /* means of the pairs; without one, of each run's rows */
  double delta;   /* mean of b - a */
  double error;   /* half of its 99 % confidence interval; 0 below 2 pairs */
  double changed; /* sum of b - a */
  double added, removed; /* sums over the rest of b's rows, and of a's */
  double total;          /* of b's rows less that of a's: of these three */
  bool significant;
} aq_diff_figure;

typedef struct aq_diff_group {
  int64_t key;          /* as aq_stats_group; by a name, an id of the diff */
  const char *name;     /* the diff's; NULL where the key is a number */
  const char *new_name; /* in b, of a renamed kernel, or where names differ in
                            a hash alone (hash_names.h); else NULL */
  int64_t new_key; /* of steps that are paired by order: in b; else AQ_NONE */
  int64_t a_calls, b_calls;
  int64_t pairs; /* of rows that are both in the group */
  aq_diff_figure parts[AQ_DIFF_PART_COUNT];
} aq_diff_group;

/* The steps of one of the runs. */
typedef struct aq_diff_steps {
  const char *by; /* static; NULL: it has none */
  int64_t period; /* kernels of a repeated step; 0: steps are marked */
} aq_diff_steps;

typedef struct aq_diff {
  aq_match_by by;
  aq_stats_by group; /* what groups are by */
  bool operations;   /* of host queues; kernels, copies and fills otherwise */
  int64_t a_calls, b_calls, pairs; /* unpaired rows are in one run only */
  /* Devices of the runs, one for each rank that has dispatches there; whether
   * pairs are within them: never by replay, where the rows are known. */
  int64_t a_devices, b_devices;
  bool by_device;
  bool apart; /* they have kernels, but none of the same name */
  /* By step; whether the nth step of one is the nth of the other. */
  aq_diff_steps a_steps, b_steps;
  bool steps_by_order;
  aq_time a_makespan, b_makespan;
  /* Where the time of each went (explain.h); NULL for operations. */
  struct aq_explain *a_explain, *b_explain;
  aq_diff_figure parts[AQ_DIFF_PART_COUNT];
  aq_diff_group *groups; /* the largest |total| of K first */
  size_t count;
  struct aq_name_table *names; /* the texts of the groups */
} aq_diff;

/* Whether the sum of a part over dispatches is time of the run: dispatches lie
 * in queues beside each other, and the dispatches of a graph launch share a
 * call. */
AQ_API bool aq_diff_part_sums(aq_diff_part part);

/* Compares two stored runs, by their operations of host queues if one of them
 * has no kernel, copy or fill with times; grouped as stats are; by kernel,
 * groups are the names of both. */
AQ_API aq_status aq_diff_runs(aq_store *store, const aq_run_info *a,
                              const aq_run_info *b, aq_match_by by,
                              aq_stats_by group, aq_diff *out, aq_diag *diag);
AQ_API void aq_diff_fini(aq_diff *diff);

/* The difference in percent of the first run's; NAN where that is nothing or
 * negative, or so little that a percentage says nothing. */
AQ_API double aq_diff_percent(const aq_diff_figure *figure);

AQ_END_DECLS

#endif
