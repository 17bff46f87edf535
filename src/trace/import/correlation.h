/* SPDX-License-Identifier: MIT */
/*
 * Joins rows of the device with the host calls that submitted them, in
 * whatever order the two come.
 *
 * Memory: a row waits for its call; a direct call waits for its first row and
 * is remembered for some thousand joins after it (one copy call may make
 * several rows); a graph launch is kept to the end, with the earliest of its
 * rows so far, since nothing says how many follow. So the row that starts a
 * graph (AQ_FLAG_GRAPH_FIRST) is exact, and is put last.
 */
#ifndef AQ_TRACE_IMPORT_CORRELATION_H
#define AQ_TRACE_IMPORT_CORRELATION_H

#include "common/map.h"
#include "trace/import/graph_nodes.h"
#include "trace/import/import.h"

/* The facts of a host call about the rows it submitted. */
typedef struct aq_host_call {
  const char *name; /* borrowed; NULL: not known. A launch or copy that no row
                       joins is lost */
  size_t name_length;
  int64_t correlation;
  aq_time begin, end;
  int64_t pid, tid;
  bool graph;
  bool grid_in_items;     /* the call takes its grid in work-items */
  bool has_shape;         /* it has the shape it was given: */
  int64_t grid[3], wg[3]; /* work-items */
  int64_t lds, bytes;
} aq_host_call;

/* Whether the source had this call before: it is counted, and not joined.
 * `scope` is of its process. */
aq_status aq_import_call_again(aq_import *import, const aq_host_call *call,
                               uint64_t scope, bool *again);

typedef struct aq_correlation_call aq_correlation_call;
typedef struct aq_correlation_row aq_correlation_row;

typedef struct aq_correlation {
  aq_import *import;
  aq_map call_by_key, row_by_key;
  aq_correlation_call *calls;
  size_t call_count, call_capacity;
  aq_correlation_row *rows;
  size_t row_count, row_capacity;
  size_t free_call, free_row; /* heads of free lists */
  size_t *recent;             /* ring of joined direct calls */
  size_t recent_next;
  aq_names names;      /* of calls */
  aq_edge_call *inner; /* calls of HSA that a row joined */
  size_t inner_count, inner_capacity;
  aq_graph_nodes graph_nodes; /* a launch by its place in `calls` */
} aq_correlation;

aq_status aq_correlation_init(aq_correlation *join, aq_import *import);
void aq_correlation_fini(aq_correlation *join);

/* A host call under a correlation key; the key must be unique among the
 * processes of the run. */
aq_status aq_correlation_call_add(aq_correlation *join, uint64_t key,
                                  const aq_host_call *call);

/* A row of the device. Its call fills in the unknown fields. */
aq_status aq_correlation_row_add(aq_correlation *join, uint64_t key,
                                 const aq_record *row);

/* A row that no call can be known for. */
aq_status aq_correlation_row_alone(aq_correlation *join, const aq_record *row);

/* The same of a row whose host call is left out for its times: counts why. */
aq_status aq_correlation_call_drop(aq_correlation *join, const aq_record *row,
                                   aq_trace_repair why);

/* Puts the remaining rows, and a row for each launch or copy that none of them
 * joined. */
aq_status aq_correlation_finish(aq_correlation *join);

#endif
