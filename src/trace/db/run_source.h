/* SPDX-License-Identifier: MIT */
/*
 * A stored run as the source of an export.
 * Thread rule: that of the reader.
 */
#ifndef AQ_TRACE_DB_RUN_SOURCE_H
#define AQ_TRACE_DB_RUN_SOURCE_H

#include "store/store.h"
#include "trace/import/trace.h"

typedef struct aq_tracedb_stored {
  aq_trace_source source; /* first */
  aq_run_reader *reader;
} aq_tracedb_stored;

/* Borrows the run's facts and a reader of all of its rows. */
void aq_tracedb_stored_init(aq_tracedb_stored *out, const aq_run_info *info,
                            aq_run_reader *reader);

#endif
