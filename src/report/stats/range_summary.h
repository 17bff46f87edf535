/* SPDX-License-Identifier: MIT */
/* The ranges that a program marked, by name: on the device by markers of
 * command buffers, on the host otherwise. */
#ifndef AQ_REPORT_STATS_RANGE_SUMMARY_H
#define AQ_REPORT_STATS_RANGE_SUMMARY_H

#include "report/stats/dispatches.h"

typedef struct aq_range_summary {
  int64_t name_id;
  const char *name; /* the reader's, or NULL */
  bool device;      /* times of the device */
  int64_t count;
  int64_t untimed; /* of `count`: without times, in none of the sums */
  aq_time total, least, most; /* AQ_TIME_NONE: none has times */
  int64_t launched;           /* dispatches in them (launch_ranges.h) */
  aq_time work;               /* sum of start to end of these */
} aq_range_summary;

/* The largest total first; the caller frees the array. */
aq_status aq_range_summaries_make(const aq_dispatches *dispatches,
                                  aq_run_reader *reader, aq_range_summary **out,
                                  size_t *count, aq_diag *diag);

#endif
