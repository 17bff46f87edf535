/* SPDX-License-Identifier: MIT */
/*
 * The trivial formulas that a simulator has to beat (doc/compare.md):
 *
 *   zero  start = max(submission, previous end)
 *   E     start = max(API end + L1, previous end); L2 instead of L1 after
 *         105 us of idleness; for graph launches, whose call returns long
 *         after their first packet, max(API begin + Lg, previous end)
 *   B     as E, but not before previous end + G: where a device leaves a gap
 *         between back-to-back packets, E has no constant for it
 *
 * The constants are fitted to the very run they predict. All run free: the
 * previous end is the predicted one. Pure functions.
 */
#ifndef AQ_REPORT_STATS_FORMULA_H
#define AQ_REPORT_STATS_FORMULA_H

#include <stdbool.h>

#include "report/stats/compare.h"

/* When a row was submitted as E and the classes see it: the call's return,
 * else the doorbell; AQ_NONE if neither is known. */
static inline aq_time aq_compare_submission(const aq_compare_row *row)
{
  return row->host_end != AQ_NONE ? row->host_end : row->submit;
}

/* Whether a formula has its constants. */
static inline bool aq_formula_fits(aq_compare_predictor who,
                                   const aq_compare *fit)
{
  return who == AQ_PREDICTOR_E   ? fit->latency_warm != AQ_TIME_NONE
         : who == AQ_PREDICTOR_B ? fit->gap != AQ_TIME_NONE
                                 : true;
}

/* Latencies to start: medians over directly launched rows whose call began
 * after the previous end; the gap: over rows that were submitted before it by
 * at least those latencies and 4 us. Rows of AQ_COMPARE_FITTED count only where
 * no other row has a latency. Rows are by queue, then start. */
aq_status aq_formula_fit(const aq_compare_row *rows, size_t count,
                         aq_compare *out, aq_diag *diag);

/* The start that a formula (not RUN) predicts after `previous_end` (AQ_NONE:
 * the first of its queue). Unpredictable rows keep theirs. */
aq_time aq_formula_start(aq_compare_predictor formula, const aq_compare *fit,
                         const aq_compare_row *row, aq_time previous_end);

#endif
