/* SPDX-License-Identifier: MIT */
/*
 * The rows of a part of a run, for every view that takes one: the dispatches of
 * a window (launch_ranges.h), and each other row (host call, wait, range,
 * packet) whose time meets that of an occurrence (part_spans.h), from its first
 * launch to its last end. One thread at a time.
 */
#ifndef AQ_REPORT_STATS_SELECTION_H
#define AQ_REPORT_STATS_SELECTION_H

#include "report/stats/compare_by.h"
#include "report/stats/launch_ranges.h"

/* Reads the rows of a run with what `by` and the window need of the program
 * around launches, and marks those outside of the window, with the time of the
 * part (NULL: none is, and all are counted). */
aq_status aq_part_read(aq_store *store, int64_t run, aq_run_reader *reader,
                       aq_rows_wanted wanted, aq_stats_by by,
                       const aq_run_window *window, aq_dispatches *out,
                       aq_window_counts *counts, aq_diag *diag);

typedef struct aq_selection {
  bool *rows;          /* by row number: in the part (aq_run_reader_select) */
  aq_time_span *spans; /* of the part, from first launches; by time */
  size_t span_count;
  aq_time time; /* from first starts (aq_dispatches_makespan) */
  aq_window_counts counts;
  size_t others;  /* rows of the part that are no dispatches */
  size_t untimed; /* rows without any time, which are in no part */
  /* Left out of the part: edges of rows that are, and the others by time. */
  size_t edges, samples;
  size_t requests, preemptions; /* once aq_selection_regions_count set them */
} aq_selection;

/* Whether the time from `from` to `to` meets the part's. */
static inline bool aq_selection_meets(const aq_selection *selection,
                                      aq_time from, aq_time to)
{
  return aq_time_spans_meet(selection->spans, selection->span_count, from, to);
}

/* The caller frees it with aq_selection_fini. AQ_ERR_INPUT: the run has no
 * range of the window's name, or no row in it. */
aq_status aq_selection_make(aq_store *store, int64_t run,
                            const aq_run_window *window, aq_selection *out,
                            aq_diag *diag);
/* Counts requests and preemptions outside of the part, for views that draw
 * them. Regions without an end count as open. */
aq_status aq_selection_regions_count(aq_store *store, int64_t run,
                                     aq_selection *selection, aq_diag *diag);

void aq_selection_fini(aq_selection *selection);

#endif
