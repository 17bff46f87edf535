/* SPDX-License-Identifier: MIT */
/* Shared by the files of the writer: its state, and statements run once. */
#ifndef AQ_STORE_WRITER_PRIV_H
#define AQ_STORE_WRITER_PRIV_H

#include "common/memory_sink.h"
#include "store/side_tables.h"
#include "store/store_priv.h"

/* Rows of a transaction: enough that its commit costs little beside them. */
enum { BATCH_ROWS = 16384, BATCH_SAMPLES = 65536 };

struct aq_store_writer {
  aq_record_sink sink; /* first */
  aq_store *store;
  int64_t run;             /* AQ_NONE: its row is not made yet */
  const aq_run_info *late; /* the first transaction makes the row of this;
                              NULL: it is made */
  aq_run_info *held;       /* owned; `late` of a writer that is held, or NULL */
  int64_t *run_out;        /* gets the run when it is complete, or NULL */
  aq_memory_sink known;    /* all but the rows, which stay empty */
  size_t stored_queues, stored_names, stored_edges;
  aq_record *buffer; /* BATCH_ROWS of them */
  size_t buffered;
  int64_t stored_rows;
  /* Rows; of them, with AQ_FLAG_PREDICTED, and only with AQ_FLAG_EXECUTED. */
  uint64_t kernels, predicted, executed;
  struct {
    int64_t *rows; /* BATCH_ROWS of them, from the first on */
    size_t buffered;
    int64_t stored;
  } facts[AQ_FACT_COUNT];
  sqlite3_stmt *insert; /* NULL: no row came yet */
  aq_record bound;      /* the present parameters of `insert` */
  aq_diag failure;      /* why the sink takes no more */
};

/* Prepares `sql`; runs `statement` once and gives it back. */
aq_status aq_writer_prepare_once(aq_store *store, const char *sql,
                                 sqlite3_stmt **out, aq_diag *diag);
aq_status aq_writer_run_once(aq_store *store, sqlite3_stmt *statement,
                             aq_diag *diag);

/* Writes all known parts that are not stored so far, but for the rows, within
 * the caller's transaction. */
aq_status aq_writer_store_known(aq_store_writer *writer, aq_diag *diag);

#endif
