/* SPDX-License-Identifier: MIT */
/*
 * The public schema of rocpd 3.0.0, made from tables of its names: all that a
 * database has to contain, and nothing else.
 * Thread rule: one thread at a time per database.
 */
#ifndef AQ_TRACE_DB_ROCPD_SCHEMA_H
#define AQ_TRACE_DB_ROCPD_SCHEMA_H

#include <sqlite3.h>
#include <stdbool.h>

enum { AQ_ROCPD_GUID_SIZE = 37, AQ_ROCPD_SUFFIX_SIZE = 38 };

/* The names in the tables of a run: "0192…-…", and "_0192…_…". */
typedef struct aq_rocpd_id {
  char guid[AQ_ROCPD_GUID_SIZE], suffix[AQ_ROCPD_SUFFIX_SIZE];
} aq_rocpd_id;

/* Makes tables and views, and says the version. False: sqlite3_errmsg. */
bool aq_rocpd_schema_make(sqlite3 *db, const aq_rocpd_id *id);

/* Threads that stand for queues are numbered from here, in our own files,
 * above all that Linux gives. */
enum { AQ_ROCPD_QUEUE_TID = 1 << 30 };

#endif
