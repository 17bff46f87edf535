/* SPDX-License-Identifier: MIT */
/*
 * Operations and bytes of the groups of a run, by shape, family or collective,
 * and their shares of the devices' peaks. doc/stats.md defines each figure. One
 * thread.
 */
#ifndef AQ_REPORT_STATS_WORK_SUMMARY_H
#define AQ_REPORT_STATS_WORK_SUMMARY_H

#include "report/stats/stats.h"

/* Sets the work of each group of `stats`, which was made by `by` from these
 * rows. False: no memory. */
bool aq_work_summary_add(const aq_dispatches *dispatches, aq_run_reader *reader,
                         aq_stats_by by, aq_stats *stats);

#endif
