/* SPDX-License-Identifier: MIT */
/*
 * The tables of a store and how an older one is brought up to date.
 *
 * The columns of `records` come from common/record.def, the columns of `runs`
 * from aq_run_columns: a field added there is a column added to any store at
 * its next opening. All else is the table of numbered steps in schema.c.
 */
#ifndef AQ_STORE_SCHEMA_H
#define AQ_STORE_SCHEMA_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/diag.h"
#include "store/store.h"

enum {
  AQ_SCHEMA_APPLICATION_ID = 0x41514431, /* "AQD1" */
  AQ_SCHEMA_HEADER_SIZE = 100,           /* header of an SQLite file */
};

/* How a member of aq_run_info is stored. */
typedef enum aq_run_column_type {
  AQ_RUN_COLUMN_TEXT,    /* const char * */
  AQ_RUN_COLUMN_INTEGER, /* int64_t */
  AQ_RUN_COLUMN_BOOL,    /* bool, 0 or 1 */
  AQ_RUN_COLUMN_KIND,    /* aq_run_kind, as its name */
} aq_run_column_type;

typedef struct aq_run_column {
  const char *name;
  aq_run_column_type type;
  size_t offset;       /* in aq_run_info */
  const char *meaning; /* for doc/formats/store.md */
} aq_run_column;

/* The caller's description of a run: all of aq_run_info but the store's own
 * fields (id, created, complete). */
extern const aq_run_column aq_run_columns[];
extern const size_t aq_run_column_count;

/* "measured" or "simulated". */
const char *aq_schema_run_kind_name(aq_run_kind kind);

/* Appends the columns of `records`, separated by commas, each followed by
 * `after`. */
void aq_schema_add_column(sqlite3_str *sql, size_t field);
void aq_schema_add_columns(sqlite3_str *sql, const char *after);

/* Judges a file by its first bytes, `size` of them, without touching it:
 * neither SQLite nor ours nor known is AQ_ERR_INPUT. */
aq_status aq_schema_check_header(const char *path, const unsigned char *bytes,
                                 size_t size, aq_diag *diag);

/* Makes the tables, or brings an older version up to date, in one
 * transaction. */
aq_status aq_schema_migrate(aq_store *store, aq_diag *diag);

#endif
