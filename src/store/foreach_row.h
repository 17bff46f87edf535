/* SPDX-License-Identifier: MIT */
/* One loop over the rows of a reader. As thread-safe as the reader. */
#ifndef AQ_STORE_FOREACH_ROW_H
#define AQ_STORE_FOREACH_ROW_H

#include <stdbool.h>

#include "common/diag.h"
#include "store/store.h"

/* False when out of memory. `name` is the row's, NULL: it has none. */
typedef bool (*aq_row_add)(void *user, const aq_record *row, int64_t number,
                           const char *name);

/* Calls `add` with each row that the reader has left, in its order. */
aq_status aq_run_reader_each(aq_run_reader *reader, aq_row_add add, void *user,
                             aq_diag *diag);

#endif
