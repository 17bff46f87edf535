/* SPDX-License-Identifier: MIT */
/*
 * The memory that a program's allocator gave out, as its profiler recorded it:
 * the peak of each device, and the operators that held it. doc/stats.md defines
 * each figure. Bytes; times are ps of the run. One thread at a time.
 */
#ifndef AQ_REPORT_STATS_MEMORY_SUMMARY_H
#define AQ_REPORT_STATS_MEMORY_SUMMARY_H

#include "report/stats/dispatches.h"

typedef struct aq_memory_use {
  int64_t device;           /* ordinal; AQ_NONE: the host */
  int64_t blocks, bytes;    /* allocated in the trace */
  int64_t peak;             /* most bytes allocated at one time */
  aq_time peak_at;          /* its first instant */
  int64_t before;           /* of the peak: allocated in front of the trace */
  int64_t reserved;         /* most bytes reserved; AQ_NONE: not recorded */
  int64_t op_name;          /* of the op whose allocation reached the peak */
  int64_t pid;              /* of that op, else of the device's work; AQ_NONE:
                               not known, or several */
  int64_t step;             /* in which it did, or AQ_NONE */
  int64_t left, left_bytes; /* allocated in the trace, and not freed in it */
  int64_t unsized;          /* freed blocks of an unknown size */
} aq_memory_use;

typedef struct aq_memory_op {
  int64_t device, op_name; /* AQ_NONE: no op around it */
  int64_t blocks, bytes;
  int64_t at_peak; /* bytes allocated by it at the device's peak */
  int64_t left, left_bytes;
} aq_memory_op;

typedef struct aq_memory_summary {
  aq_memory_use *uses; /* by device, the host last */
  size_t use_count, use_capacity;
  aq_memory_op
      *ops; /* by bytes at the peak, then by all bytes, largest first */
  size_t op_count, op_capacity;
} aq_memory_summary;

/* Both are empty where the run has no allocations. The caller frees *out with
 * aq_memory_summary_fini in any case. */
aq_status aq_memory_summary_make(aq_store *store, int64_t run,
                                 aq_run_reader *reader,
                                 const aq_dispatches *dispatches,
                                 aq_memory_summary *out, aq_diag *diag);
void aq_memory_summary_fini(aq_memory_summary *summary);

#endif
