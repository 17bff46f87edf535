/* SPDX-License-Identifier: MIT */
/*
 * The depth of a queue over time: how many packets were submitted and had not
 * completed. Rows that lack either time do not count.
 * Thread rule: one thread at a time.
 */
#ifndef AQ_TRACE_IMPORT_QUEUE_DEPTH_H
#define AQ_TRACE_IMPORT_QUEUE_DEPTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/record.h"

typedef struct aq_queue_depth {
  aq_time *up, *down; /* submissions, completions */
  size_t count, up_capacity, down_capacity;
  bool up_sorted, down_sorted;
  size_t next_up, next_down;
} aq_queue_depth;

/* Zero-initialized it is empty. False when out of memory. */
bool aq_queue_depth_add(aq_queue_depth *depth, const aq_record *row);

/* Before it is read; false if there is nothing in it. */
bool aq_queue_depth_sort(aq_queue_depth *depth);

/* The next time at which it changes, and the depth from then on. */
bool aq_queue_depth_next(aq_queue_depth *depth, aq_time *time, int64_t *value);

void aq_queue_depth_fini(aq_queue_depth *depth);

#endif
