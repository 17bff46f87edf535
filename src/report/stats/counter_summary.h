/* SPDX-License-Identifier: MIT */
/* A summary of a run's samples. */
#ifndef AQ_REPORT_STATS_COUNTER_SUMMARY_H
#define AQ_REPORT_STATS_COUNTER_SUMMARY_H

#include "store/store.h"

/* One counter of one device or queue. */
typedef struct aq_counter_summary {
  const aq_counter *counter;
  int64_t ordinal;
  int64_t samples, most;
  double mean; /* over time */
} aq_counter_summary;

/* By counter and ordinal; the caller frees *out. */
aq_status aq_counter_summaries_make(aq_run_reader *reader,
                                    aq_counter_summary **out, size_t *count,
                                    aq_diag *diag);

#endif
