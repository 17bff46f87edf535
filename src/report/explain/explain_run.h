/* SPDX-License-Identifier: MIT */
/* Explain a stored run. One thread. */
#ifndef AQ_REPORT_EXPLAIN_EXPLAIN_RUN_H
#define AQ_REPORT_EXPLAIN_EXPLAIN_RUN_H

#include "report/explain/explain.h"
#include "report/stats/compare_by.h"
#include "report/stats/launch_ranges.h"
#include "store/store.h"

typedef struct aq_explained {
  aq_dispatches dispatches; /* of the run */
  aq_explain explain;
  aq_time *ran;            /* by dispatch: its own time as a kernel */
  aq_window_counts counts; /* of the window */
} aq_explained;

/* Reads the run's dispatches through `reader` (whatever its order) and explains
 * them. A replay takes the lost launches, in an open loop the host's waits
 * and the unexplained ones too, from the run that it replays, if the store has
 * it. `window` is the part of the run to explain; NULL: all of it. The
 * dispatches have the context that the grouping `by` needs. A run without
 * dispatches is AQ_ERR_INPUT. On success the caller frees `out` with
 * aq_explained_fini. */
aq_status aq_explained_make(aq_store *store, const aq_run_info *run,
                            aq_run_reader *reader, aq_stats_by by,
                            const aq_run_window *window, aq_explained *out,
                            aq_diag *diag);

/* The same of dispatches that were read so before, which it takes over if it
 * succeeds. */
aq_status aq_explained_take(aq_store *store, const aq_run_info *run,
                            aq_run_reader *reader, aq_dispatches *dispatches,
                            aq_explained *out, aq_diag *diag);

void aq_explained_fini(aq_explained *explained);

/* "kernel-bound", or that no one cause binds it: AQ_EXPLAIN_RULE. Static. */
const char *aq_explained_verdict(const aq_explain *explain);

/* Of the communication kernels' time, what ran beside other kernels. */
aq_time aq_explained_overlap(const aq_explain *explain);

/* The share of a cause in the run's time, in percent. */
double aq_explained_percent(const aq_explain *explain, aq_time part);

/* The name of the dispatch behind the longest case of a cause, the reader's;
 * NULL: none or unknown. */
const char *aq_explained_worst_name(const aq_explained *explained,
                                    aq_explain_cause cause,
                                    aq_run_reader *reader);

#endif
