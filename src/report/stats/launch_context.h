/* SPDX-License-Identifier: MIT */
/*
 * The program around the launch of each dispatch: its op, module, line and call
 * stack as the source recorded them (common/ops.h), and its step.
 *
 * A step is a range ProfilerStep#N of the host in which the launch began, on
 * any thread of its process; where the program marked none, a repetition of one
 * sequence of kernels. One thread at a time.
 */
#ifndef AQ_REPORT_STATS_LAUNCH_CONTEXT_H
#define AQ_REPORT_STATS_LAUNCH_CONTEXT_H

#include "report/stats/compare_by.h"
#include "report/stats/dispatches.h"

/* The family of kernels of which neither operator nor name says it. */
#define AQ_FAMILY_OTHER_KERNELS "other kernels"

/* Whether the groups of a grouping have work (work_summary.h). */
static inline bool aq_stats_by_has_work(aq_stats_by by)
{
  return by == AQ_STATS_BY_SHAPE || by == AQ_STATS_BY_FAMILY ||
         by == AQ_STATS_BY_COLLECTIVE;
}

/* Whether rows read for a grouping have their families. */
static inline bool aq_stats_by_has_families(aq_stats_by by)
{
  return aq_stats_by_has_work(by) || by == AQ_STATS_BY_STACK ||
         by == AQ_STATS_BY_PATH;
}

/* Whether a grouping needs the context. */
static inline bool aq_stats_by_needs_context(aq_stats_by by)
{
  return by == AQ_STATS_BY_OP || by == AQ_STATS_BY_MODULE ||
         by == AQ_STATS_BY_LINE || by == AQ_STATS_BY_STEP ||
         by == AQ_STATS_BY_RANK || aq_stats_by_has_families(by);
}

/* Sets op, module, line, step and rank of each row, the counts of
 * dispatches->context, and what this grouping alone needs: the stack, the path
 * of ranges, or work, shape, family and collective. */
aq_status aq_launch_context_read(aq_store *store, int64_t run,
                                 aq_run_reader *reader, aq_stats_by by,
                                 aq_dispatches *dispatches, aq_diag *diag);

/* The text of a key that is of a name; NULL for AQ_NONE. */
const char *aq_launch_context_name(const aq_dispatches *dispatches,
                                   aq_run_reader *reader, int64_t key,
                                   aq_stats_by by);

#endif
