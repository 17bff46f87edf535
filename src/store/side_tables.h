/* SPDX-License-Identifier: MIT */
/*
 * Tables of what happened in a run beside its records: requests of clients,
 * preemptions, counts of instructions. Each row is an array of int64_t, AQ_NONE
 * is NULL; columns come from the lists in common/ (request.def, preempted.def,
 * instruction.def), behind `run` and `number`. Times are in picoseconds.
 */
#ifndef AQ_STORE_SIDE_TABLES_H
#define AQ_STORE_SIDE_TABLES_H

#include <sqlite3.h>

#include "store/store.h"

typedef enum aq_fact {
  AQ_FACT_REQUEST,
  AQ_FACT_PREEMPTED,
  AQ_FACT_INSTRUCTION,
  AQ_FACT_FINDING,
  AQ_FACT_COUNTED,
  AQ_FACT_TRACED,
  AQ_FACT_OP,
  AQ_FACT_FRAME,
  AQ_FACT_LAUNCHED,
  AQ_FACT_MEMORY_BLOCK,
  AQ_FACT_COUNT
} aq_fact;

typedef struct aq_fact_table {
  const char *name;
  const char *row; /* what one is, to people */
  const char *const *columns;
  size_t count; /* of them, and of the values of a row */
  const char *order;
} aq_fact_table;

extern const aq_fact_table aq_fact_tables[AQ_FACT_COUNT];

/* Inserts `count` rows that get the numbers from `first` on; in a transaction.
 */
aq_status aq_facts_insert(aq_store *store, aq_fact fact, int64_t run,
                          int64_t first, const int64_t *rows, size_t count,
                          aq_diag *diag);

#endif
