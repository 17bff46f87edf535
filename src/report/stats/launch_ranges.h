/* SPDX-License-Identifier: MIT */
/*
 * The ranges of the program around the launch of a dispatch, and the part of a
 * run that lies in one.
 *
 * A dispatch is in a range of the host if the call that launched it began in
 * the range, on the same thread; in a range of a device if it started in the
 * range, on the same queue. One thread at a time.
 */
#ifndef AQ_REPORT_STATS_LAUNCH_RANGES_H
#define AQ_REPORT_STATS_LAUNCH_RANGES_H

#include "report/stats/dispatches.h"

typedef enum aq_launch_mark {
  AQ_LAUNCH_RANGE_ENDS,
  AQ_LAUNCH_RANGE_BEGINS,
  AQ_LAUNCH_ROW,
} aq_launch_mark;

/* Called thread by thread and queue by queue, in the order of time; `place` is
 * one of the ranges, or of the rows. Every range that begins ends. */
typedef void aq_launch_ranges_step(void *user, aq_launch_mark what,
                                   size_t place);

/* Of the ranges `wanted`, by place (NULL: all), that take time. False: no
 * memory. */
bool aq_launch_ranges_walk(const aq_dispatches *dispatches, const bool *wanted,
                           aq_launch_ranges_step *step, void *user);

/* Called for each row that lies in a range: `around` are places in
 * dispatches->ranges, the innermost last; valid during the call. */
typedef void aq_launch_ranges_visit(void *user, size_t row,
                                    const size_t *around, size_t depth);

/* Of the ranges `wanted`, as above. False: no memory. */
bool aq_launch_ranges_each(const aq_dispatches *dispatches, const bool *wanted,
                           aq_launch_ranges_visit *visit, void *user);

/* Sets the `range` of each row: the name of the innermost. False: no memory. */
bool aq_launch_ranges_assign(aq_dispatches *dispatches);

/* Sets the `path` of each row: the names of the ranges around it, "A / B", the
 * outermost first; a name that contains " / " is in double quotes. False: no
 * memory. */
bool aq_launch_ranges_paths(aq_dispatches *dispatches, aq_run_reader *reader);

/* A part of a run. */
typedef struct aq_run_window {
  const char *range; /* launched in a range of that name; NULL: anywhere */
  aq_time from, to;  /* started in [from, to) ps behind the first start; a `to`
                        of AQ_TIME_NONE: until the end */
  int64_t step;      /* of that step; AQ_NONE: any. Needs the context */
} aq_run_window;

typedef struct aq_window_counts {
  size_t rows, all; /* rows in the window, and rows of the run */
  size_t ranges;    /* of the name */
  size_t launching; /* ranges of the name that launched a row in the window */
  size_t period;    /* kernels of a repeated step; 0: steps are marked, or the
                       window has no step */
  bool parts;       /* repeated steps are parts of one range (steps.h) */
  size_t unplaced;  /* rows of that time whose launch is not recorded, and
                       that are in no range of a device */
} aq_window_counts;

/* Sets `outside` of the rows that are not in the window. AQ_ERR_INPUT: the run
 * has no range of the name, or no row in the window. */
aq_status aq_dispatches_mark(aq_dispatches *dispatches, aq_run_reader *reader,
                             const aq_run_window *window, aq_window_counts *out,
                             aq_diag *diag);

/* Leaves the rows that are not outside. */
void aq_dispatches_limit(aq_dispatches *dispatches);

#endif
