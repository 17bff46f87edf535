/* SPDX-License-Identifier: MIT */
/*
 * Finds dependencies across queues while a run is imported:
 * doc/formats/edges.md says which.
 *
 * The edges depend on the rows and calls, not on their order. Memory: 100
 * bytes a row until the import ends; nothing can be said before. Thread rule:
 * one thread at a time.
 */
#ifndef AQ_TRACE_IMPORT_DEPENDENCIES_H
#define AQ_TRACE_IMPORT_DEPENDENCIES_H

#include <stdbool.h>

#include "common/record.h"

/* A host call that made a stream wait for an event of another, or recorded
 * one. Traces do not name the streams and events. */
typedef struct aq_edge_call {
  aq_time begin, end;
  int64_t pid, tid;
  bool records; /* an event, instead of waiting for one */
} aq_edge_call;

typedef struct aq_edge_row aq_edge_row;

typedef struct aq_edges {
  aq_edge_row *rows; /* kernels, copies and fills */
  size_t row_count, row_capacity;
  aq_edge_call *calls;
  size_t call_count, call_capacity;
} aq_edges;

void aq_edges_fini(aq_edges *edges);

/* Notes row `number` of the run. False: out of memory. */
bool aq_edges_row(aq_edges *edges, const aq_record *row, int64_t number);
bool aq_edges_call(aq_edges *edges, const aq_edge_call *call);

/* The row that was noted last, if it is this one, has a host call whose times
 * the import dropped. */
void aq_edges_call_dropped(aq_edges *edges, int64_t number);

/* How many rows have no host call, though one in front of them on their queue
 * has: work that was launched before a trace began has none, and is first. */
size_t aq_edges_uncalled(aq_edges *edges);

/* The rows whose end later rows of their queue contradict, by number; they are
 * no longer looked at. The caller frees the list. False: out of memory. */
bool aq_edges_contradicted(aq_edges *edges, int64_t **rows, size_t *count);

/* Looks no longer at rows whose end is wrong, numbers in ascending order;
 * *found, for the caller to free, has the ones that it looked at. False: out of
 * memory. */
bool aq_edges_drop(aq_edges *edges, const int64_t *rows, size_t count,
                   int64_t **found, size_t *found_count);

/* The rows that start well before one in front of them on their queue ends,
 * though that executes in order: at least one of both has a wrong time. Called
 * behind aq_edges_contradicted; *first is the number of the first one. */
size_t aq_edges_overlaps(const aq_edges *edges, int64_t *first);

/* Puts the found edges, sorted by the waiting row, and adds their numbers by
 * kind to `counts`, which has AQ_EDGE_COUNT places: at 0, calls that waited for
 * another stream and lead to no edge. */
aq_status aq_edges_find(aq_edges *edges, aq_record_sink *sink, uint64_t *counts,
                        aq_diag *diag);

#endif
