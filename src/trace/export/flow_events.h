/* SPDX-License-Identifier: MIT */
/*
 * Which dependencies leave and arrive at a row, for rows that come in order.
 * The number of an arrow is the index of its dependency in the run.
 * Thread rule: one thread at a time. Ownership: copies its input.
 */
#ifndef AQ_TRACE_EXPORT_FLOW_EVENTS_H
#define AQ_TRACE_EXPORT_FLOW_EVENTS_H

#include "trace/export/timeline.h"

typedef struct aq_arrow_end {
  int64_t row;
  uint64_t arrow;
} aq_arrow_end;

/* One side of all arrows, by row: the rows, and the arrows beside them. */
typedef struct aq_arrow_side {
  int64_t *rows;
  uint64_t *arrows;
  size_t count, at;
} aq_arrow_side;

typedef struct aq_flow_events {
  aq_arrow_side leave, arrive;
} aq_flow_events;

/* False when out of memory; aq_flow_events_fini is right after that too. */
bool aq_flow_events_init(aq_flow_events *arrows, const aq_edge *edges,
                         size_t count);
void aq_flow_events_fini(aq_flow_events *arrows);

/* Sets the arrows of a slice; they live as long as `arrows`. Rows rise from
 * call to call. */
void aq_flow_events_of(aq_flow_events *arrows, int64_t row, aq_slice *slice);

#endif
