/* SPDX-License-Identifier: MIT */
/*
 * Several runs put as one: the processes of a distributed program, each a rank.
 * Rows of each follow the rows of the one before; devices, streams' queues and
 * correlation ids of the ranks are kept apart, and so are processes where two
 * ranks have one id (containers number them alike). Rows, edges, ops and frames
 * are put; imported profiles have no more. One thread.
 */
#ifndef AQ_STORE_JOIN_H
#define AQ_STORE_JOIN_H

#include "common/map.h"
#include "store/store.h"

typedef struct aq_run_join {
  aq_record_sink *sink;      /* borrowed */
  int64_t rows, ops, frames; /* put so far */
  uint64_t parts;
  aq_map pids; /* of the parts so far */
} aq_run_join;

void aq_run_join_fini(aq_run_join *join);

/* Puts a run whose times are `shift` ps behind the joined run's. *moved:
 * its process ids were in use, and are kept apart. */
aq_status aq_run_join_add(aq_run_join *join, aq_store *from, int64_t run,
                          int64_t rank, aq_time shift, bool *moved,
                          aq_diag *diag);

#endif
