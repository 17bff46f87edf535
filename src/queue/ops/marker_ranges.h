/* SPDX-License-Identifier: MIT */
/*
 * The markers of one execution as ranges of the record, with the device's
 * times: rows of kind "range" with a device and a queue.
 *
 * A range is from the start of its first packet to the latest end of its
 * packets; one without packets lies at the latest end before it, or at the next
 * start. An end closes the last open range of its value, and is named after the
 * begin; without one it closes a range from the execution's first packet on.
 * An open range ends with the execution. A point is a range without
 * packets. Ownership: of the caller; one thread at a time.
 */
#ifndef AQ_QUEUE_OPS_MARKER_RANGES_H
#define AQ_QUEUE_OPS_MARKER_RANGES_H

#include "cmdbuf/program.h"
#include "common/record.h"
#include "queue/core/operation_rows.h"

typedef struct aq_marker_range aq_marker_range;

typedef struct aq_marker_ranges {
  aq_operation_rows *rows; /* where ranges go; borrowed */
  int64_t device, queue;   /* of the rows */
  int64_t number;          /* of the operation */
  aq_marker_range *list;   /* open, or closed without a time */
  size_t count, capacity;
  aq_time first, last; /* start of the first packet, latest end so far */
  int64_t first_packet, packets;
} aq_marker_ranges;

void aq_marker_ranges_init(aq_marker_ranges *marks, aq_operation_rows *rows,
                           int64_t device, int64_t queue);

/* A marker before the next packet. `name`: of the sink. */
aq_status aq_marker_ranges_put(aq_marker_ranges *marks, aq_marker_kind kind,
                               uint64_t value, int64_t name, aq_diag *diag);

/* The times of a packet; AQ_TIME_NONE: not known. */
void aq_marker_ranges_packet(aq_marker_ranges *marks, uint64_t id,
                             aq_time start, aq_time end);

/* Ends the execution: the remaining rows. */
void aq_marker_ranges_end(aq_marker_ranges *marks);

void aq_marker_ranges_fini(aq_marker_ranges *marks);

#endif
