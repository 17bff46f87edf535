/* SPDX-License-Identifier: MIT */
/*
 * Calls of collective operations, matched over ranks: of one operation, the nth
 * call on a rank and the nth on each other rank are one collective.
 *
 * Matched calls lie in the order of their operation, then `nth`, then rank: the
 * calls of a collective are neighbours, and so are the collectives of an
 * operation, of which a later one never has more ranks. Pure; one thread.
 */
#ifndef AQ_REPORT_STATS_COLLECTIVE_CALLS_H
#define AQ_REPORT_STATS_COLLECTIVE_CALLS_H

#include "report/stats/dispatches.h"

typedef struct aq_collective_call {
  int64_t operation;
  int64_t rank;
  size_t place;       /* the caller's: of the row; orders equal starts */
  aq_time start, end; /* of the rank's own clock */
  size_t nth;         /* of its operation on its rank; 0 until matched */
} aq_collective_call;

/* The caller frees the list. */
typedef struct aq_collective_calls {
  aq_collective_call *list;
  size_t count, capacity;
} aq_collective_calls;

/* Adds the calls of a run's rows whose operation and rank are recorded; all
 * are of `rank` unless that is AQ_NONE. The operation, with its process group,
 * becomes an id of `operations`. False: no memory. */
bool aq_collective_calls_add(const aq_dispatches *dispatches, int64_t rank,
                             aq_names *operations, aq_collective_calls *out);

void aq_collective_calls_match(aq_collective_calls *calls);

/* One behind the last call of the collective, or of the operation, whose first
 * call is at `at`. */
size_t aq_collective_end(const aq_collective_calls *calls, size_t at);
size_t aq_collective_operation_end(const aq_collective_calls *calls, size_t at);

#endif
