/* SPDX-License-Identifier: MIT */
/*
 * Comparing two stored runs: which is the reference, how their rows join, and
 * the texts that the figures need. One thread at a time.
 */
#ifndef AQ_REPORT_COMPARE_RUNS_H
#define AQ_REPORT_COMPARE_RUNS_H

#include "common/export.h"
#include "report/compare.h"
#include "store/store.h"

AQ_BEGIN_DECLS

typedef struct aq_compare_runs {
  const aq_run_info *reference, *run; /* borrowed from the caller */
  aq_compare figures;
  char **worst_names; /* of figures.worst; NULL where a row has none */
} aq_compare_runs;

/* Compares `a` with `b`. One may be the origin of the other, in either order;
 * or both replay the same run, then `b` is the reference; or they are one and
 * the same. Runs that have no row in common are AQ_ERR_INPUT. Both infos must
 * outlive `out`. */
AQ_API aq_status aq_compare_runs_init(aq_store *store, const aq_run_info *a,
                                      const aq_run_info *b, size_t worst,
                                      aq_compare_runs *out, aq_diag *diag);
AQ_API void aq_compare_runs_fini(aq_compare_runs *compare);

AQ_END_DECLS

#endif
