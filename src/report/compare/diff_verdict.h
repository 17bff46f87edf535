/* SPDX-License-Identifier: MIT */
/*
 * Why one run takes longer than another: the time of its devices, from first
 * start to last end, by family of kernels and, where no kernel ran, by the
 * causes of explain.h. The differences of the items sum to that of the runs to
 * the picosecond: time in which several kernels run is that of the first. One
 * thread.
 */
#ifndef AQ_REPORT_COMPARE_DIFF_VERDICT_H
#define AQ_REPORT_COMPARE_DIFF_VERDICT_H

#include "common/map.h"
#include "report/compare/renamed.h"
#include "report/explain/explain_run.h"

/* R(id, text): how the kernels of a family differ. */
#define AQ_VERDICT_REASONS(R)                                                  \
  R(NONE, NULL)                                                                \
  R(ADDED, "only in the second")                                               \
  R(REMOVED, "only in the first")                                              \
  R(OTHER, "other kernels")                                                    \
  R(RENAMED, "renamed kernels")                                                \
  R(MORE, "more calls")                                                        \
  R(FEWER, "fewer calls")                                                      \
  R(SAME, "same kernels")

typedef enum aq_verdict_reason {
#define R(id, text) AQ_VERDICT_##id,
  AQ_VERDICT_REASONS(R)
#undef R
      AQ_VERDICT_REASON_COUNT
} aq_verdict_reason;

typedef struct aq_verdict_item {
  const char *name; /* family, or cause */
  bool family;
  aq_time times[2];
  int64_t calls[2];         /* of a family's kernels */
  aq_time alone;            /* of kernels that one run alone has */
  aq_time renamed;          /* of kernels that have another name in each */
  aq_verdict_reason reason; /* of a family */
} aq_verdict_item;

typedef struct aq_verdict_kernel aq_verdict_kernel;

typedef struct aq_diff_verdict {
  aq_time times[2]; /* of the devices of each run */
  int64_t devices[2];
  aq_verdict_item *items; /* the largest difference first; without items that
                             took no time in either */
  size_t count, capacity;
  aq_names names;
  aq_verdict_kernel *kernels; /* by family and name */
  size_t kernel_count, kernel_capacity;
  aq_map kernel_by_key;
  aq_renamed_list renamed; /* names are ids of the diff */
} aq_diff_verdict;

/* Adds a run, the first (0) or the second; its rows need their families
 * (launch_context.h). False: no memory. */
bool aq_diff_verdict_add(aq_diff_verdict *verdict, int side,
                         const aq_explained *explained, aq_run_reader *reader);

/* Completes it with both runs and the renamed kernels, whose names are in
 * `names`. False: no memory. */
bool aq_diff_verdict_finish(aq_diff_verdict *verdict, const aq_names *names);
void aq_diff_verdict_fini(aq_diff_verdict *verdict);

/* "other kernels", or NULL; static. */
const char *aq_verdict_reason_text(aq_verdict_reason reason);

#endif
