/* SPDX-License-Identifier: MIT */
/* The difference of the same part of two runs: diff.h, of rows of a window. */
#ifndef AQ_REPORT_COMPARE_DIFF_WINDOW_H
#define AQ_REPORT_COMPARE_DIFF_WINDOW_H

#include "report/compare/diff.h"
#include "report/compare/diff_verdict.h"
#include "report/stats/launch_ranges.h"

/* `window` may be NULL: all rows. The counts of each run go to `counts`, the
 * reasons and renamed kernels to `verdict`, which has no items for operations
 * of host queues; the caller ends it in any case. Without one (NULL), no kernel
 * is matched with one of another name. */
aq_status aq_diff_window(aq_store *store, const aq_run_info *a,
                         const aq_run_info *b, aq_match_by by,
                         aq_stats_by group, const aq_run_window *window,
                         aq_window_counts counts[2], aq_diff_verdict *verdict,
                         aq_diff *out, aq_diag *diag);

/* The text of a name of the diff. */
const char *aq_diff_name(const aq_diff *diff, int64_t id);

#endif
