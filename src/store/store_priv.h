/* SPDX-License-Identifier: MIT */
/* Shared by the files of this folder: the open store and its SQL helpers. */
#ifndef AQ_STORE_STORE_PRIV_H
#define AQ_STORE_STORE_PRIV_H

#include <sqlite3.h>

#include "store/store.h"

enum { AQ_STORE_IDLE = 24 }; /* statements */

/* A row's place in an order. */
typedef struct aq_row_place {
  int64_t key; /* time; AQ_NONE comes first */
  int64_t number;
} aq_row_place;

struct aq_store {
  sqlite3 *db;
  sqlite3_stmt *idle[AQ_STORE_IDLE]; /* for the next time: unbound, at rest */
  int idle_count;
  char *path;
  char *notice;   /* or NULL */
  bool immutable; /* read as if no process wrote */
  bool replaces;  /* a run takes the place of the one that has its name */
  bool grouped;   /* a transaction of the caller's has begun */
  int64_t number; /* id of the next run, once; AQ_NONE: the next free one */
  /* The rows of a run in memory (aq_store_keep), or NULL; their orders once a
   * reader has found them, NULL where the rows lie in order. */
  aq_record *kept;
  int64_t kept_run, kept_count;
  aq_row_place *kept_places[AQ_ORDER_COUNT];
  bool kept_sorted[AQ_ORDER_COUNT];
};

/* A row's key: its run, then its number in the run. */
enum { AQ_STORE_ROW_BITS = 32 };
#define AQ_STORE_ROWS_MAX (INT64_C(1) << AQ_STORE_ROW_BITS)

static inline int64_t aq_store_row_key(int64_t run, int64_t number)
{
  return run * AQ_STORE_ROWS_MAX + number;
}

/* The store as a URI for another connection that only reads it; sqlite3_free.
 * NULL: out of memory. */
char *aq_store_uri(aq_store *store);

/* Words SQLite's last error as "PATH: WHAT: message" and returns its status. */
aq_status aq_store_error(aq_store *store, aq_diag *diag, const char *fmt, ...)
    AQ_PRINTF(3, 4);

/* Runs statements that return no rows. `what` words an error. */
aq_status aq_store_exec(aq_store *store, const char *sql, const char *what,
                        aq_diag *diag);

/* Prepares what `sql` holds and frees it. The caller's: it ends with
 * sqlite3_finalize or, if the same text is likely to come again, with
 * aq_store_return. */
aq_status aq_store_prepare(aq_store *store, sqlite3_str *sql,
                           sqlite3_stmt **out, aq_diag *diag);

/* The same for a constant text; returns SQLite's code. */
int aq_store_prepare_text(aq_store *store, const char *sql, sqlite3_stmt **out);

/* Gives a statement back, so that its text is not parsed again; returns
 * SQLite's code of its last step. */
int aq_store_return(aq_store *store, sqlite3_stmt *statement);

/* Runs a statement with integer parameters 1…count, for one integer result;
 * *out stays as it was when there is no row. */
aq_status aq_store_integer(aq_store *store, const char *sql,
                           const int64_t *parameters, int count, int64_t *out,
                           aq_diag *diag);

/* A transaction that may write from its start, so that it waits for others
 * once instead of failing later; rollback ends it whatever became of it. Within
 * a group (maintenance.h) all three do nothing: its end decides. */
aq_status aq_store_begin(aq_store *store, aq_diag *diag);
aq_status aq_store_commit(aq_store *store, aq_diag *diag);
void aq_store_rollback(aq_store *store);

#endif
