/* SPDX-License-Identifier: MIT */
/* The rows of the table `runs`, for the writer: reading them is in store.h. */
#ifndef AQ_STORE_RUNS_H
#define AQ_STORE_RUNS_H

#include "store/store.h"

/* Adds a run, as incomplete; its id goes to *id. One that replaces another has
 * no name so far. Within the caller's transaction, or one of its own. */
aq_status aq_runs_insert(aq_store *store, const aq_run_info *info, int64_t *id,
                         aq_diag *diag);

/* Replaces the description of a run, within the caller's transaction; a run
 * whose place it takes is removed. */
aq_status aq_runs_update(aq_store *store, int64_t id, const aq_run_info *info,
                         aq_diag *diag);

/* A copy with texts of its own; free() frees both. NULL: out of memory. */
aq_run_info *aq_runs_copy(const aq_run_info *info);

#endif
