/* SPDX-License-Identifier: MIT */
/*
 * Traces that are SQLite databases: rocpd, what rocprofv3 writes, read and
 * written; rpd of rocmProfileData, read. Beside the store this folder is the
 * only user of SQLite (doc/adr/0012-trace-databases.md).
 * Thread rule: one thread at a time per import or export.
 */
#ifndef AQ_TRACE_DB_TRACEDB_H
#define AQ_TRACE_DB_TRACEDB_H

#include "trace/import/module.h"

/* The formats, ended by one without a name: for aq_trace_options.modules. */
extern const aq_trace_module aq_tracedb_modules[];

#endif
