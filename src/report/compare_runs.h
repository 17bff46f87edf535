/* SPDX-License-Identifier: MIT */
/*
 * Comparing two stored runs: which is the reference, how their rows join, and
 * the texts that the figures need. One thread at a time.
 */
#ifndef AQ_REPORT_COMPARE_RUNS_H
#define AQ_REPORT_COMPARE_RUNS_H

#include "report/compare.h"
#include "store/store.h"

typedef struct aq_compare_runs {
  const aq_run_info *reference, *run; /* borrowed from the caller */
  aq_compare figures;
  char **worst_names; /* of figures.worst; NULL where a row has none */
} aq_compare_runs;

/* Compares `a` with `b`. One may be the origin of the other, in either order;
 * or both replay the same run, then `b` is the reference; or they are one and
 * the same. Runs that have no row in common are AQ_ERR_INPUT. Both infos must
 * outlive `out`. */
aq_status aq_compare_runs_init(aq_store *store, const aq_run_info *a,
                               const aq_run_info *b, size_t worst,
                               aq_compare_runs *out, aq_diag *diag);
void aq_compare_runs_fini(aq_compare_runs *compare);

#endif
