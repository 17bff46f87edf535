/* SPDX-License-Identifier: MIT */
/*
 * The table `requests`: what each client asked for once. Its columns come from
 * common/request.def, times are in picoseconds.
 */
#ifndef AQ_STORE_REQUESTS_H
#define AQ_STORE_REQUESTS_H

#include <sqlite3.h>

#include "store/store.h"

/* The column of a field, "arrival". */
const char *aq_requests_column(size_t field);

/* Inserts rows that get the numbers from `first` on; in a transaction. */
aq_status aq_requests_insert(aq_store *store, int64_t run, int64_t first,
                             const aq_request *requests, size_t count,
                             aq_diag *diag);

#endif
