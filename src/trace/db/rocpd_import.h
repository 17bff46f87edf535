/* SPDX-License-Identifier: MIT */
/*
 * The importer of rocpd in two halves: rocpd_import.c reads the names in a set
 * of tables, rocpd_rows.c its rows. Only they include this.
 *
 * A database holds sets of tables, one for each process or merged file, that
 * end in the same suffix. Ids are keys of their table, so they are unique in a
 * set; the uuids of the metadata table are not needed.
 * Thread rule: one thread at a time per import.
 */
#ifndef AQ_TRACE_DB_ROCPD_IMPORT_H
#define AQ_TRACE_DB_ROCPD_IMPORT_H

#include "trace/db/foreign_db.h"
#include "trace/formats/rocprofv3.h"

typedef struct aq_rocpd_symbol {
  int64_t name; /* in strings */
  int64_t vgpr, agpr, sgpr;
} aq_rocpd_symbol;

typedef struct aq_rocpd {
  aq_database *database;
  aq_correlation *join;
  aq_agents agents; /* of all sets */
  aq_names machines;
  uint64_t scopes; /* processes met, in all sets */
  /* Of the set that is being read: */
  char suffix[128];
  aq_database_strings strings;
  aq_map machine_of, pid_of, tid_of, agent_of, symbol_of, scope_of;
  aq_map root_of; /* a host call → the outermost one that it is part of */
  aq_rocpd_symbol *symbols;
  size_t symbol_count, symbol_capacity;
} aq_rocpd;

/* The object of an id of the set; AQ_NONE, NULL or "" where it does not
 * exist. */
const char *aq_rocpd_string(const aq_rocpd *r, int64_t id, size_t *length);
const aq_rocpd_symbol *aq_rocpd_symbol_at(const aq_rocpd *r, int64_t id);
int64_t aq_rocpd_agent(const aq_rocpd *r, int64_t id);
int64_t aq_rocpd_pid(const aq_rocpd *r, int64_t id);
int64_t aq_rocpd_tid(const aq_rocpd *r, int64_t id);

/* The number of a process (an id of the set) among all of the run. */
aq_status aq_rocpd_scope(aq_rocpd *r, int64_t pid, uint64_t *scope);

/* Puts the rows of the set, in the order of their starts. */
aq_status aq_rocpd_read_rows(aq_rocpd *r);

#endif
