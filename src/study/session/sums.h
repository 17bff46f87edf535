/* SPDX-License-Identifier: MIT */
/*
 * Sums over the rows of a run, kept while they pass: a sink before another
 * one, or instead of it where only sums are wanted.
 *
 * Busy is the time during which at least one kernel, copy or fill of a device
 * runs; work is the sum of their durations. One thread; `to` is borrowed.
 */
#ifndef AQ_STUDY_SESSION_SUMS_H
#define AQ_STUDY_SESSION_SUMS_H

#include "common/memory_sink.h"
#include "common/record.h"

typedef struct aq_busy {
  struct aq_interval {
    aq_time begin, end;
  } * parts; /* disjoint, rising */
  size_t count, capacity;
} aq_busy;

typedef struct aq_sums {
  aq_record_sink sink; /* first */
  aq_record_sink *to;  /* NULL: devices and queues are numbered, rows dropped */
  aq_memory_sink known;
  aq_busy *devices; /* by ordinal */
  size_t device_count, device_capacity;
  int64_t rows;
  aq_time work;
} aq_sums;

void aq_sums_init(aq_sums *sums, aq_record_sink *to);
void aq_sums_fini(aq_sums *sums);

aq_time aq_sums_busy(const aq_sums *sums, size_t device);

#endif
