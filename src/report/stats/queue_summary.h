/* SPDX-License-Identifier: MIT */
/* The activity of a run's queues, in one pass over its rows. */
#ifndef AQ_REPORT_STATS_QUEUE_SUMMARY_H
#define AQ_REPORT_STATS_QUEUE_SUMMARY_H

#include "store/store.h"

typedef struct aq_queue_summary {
  int64_t ordinal, device, source_id;
  const char *gpu; /* its device's name or ISA; the reader's, or NULL */
  int64_t kernels, copies, others; /* rows; copies and fills are one */
  int64_t with_host;               /* rows whose host call is known */
  aq_time first_start, last_end;   /* AQ_TIME_NONE: no row has times */
  aq_time busy;                    /* time with at least one row running */
} aq_queue_summary;

/* Reads every row; the reader is by AQ_ORDER_START. The caller frees the array;
 * texts live as long as the reader. Rows without a queue count nowhere. */
aq_status aq_queue_summaries_read(aq_run_reader *reader, aq_queue_summary **out,
                                  size_t *count, aq_diag *diag);

#endif
