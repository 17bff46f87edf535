/* SPDX-License-Identifier: MIT */
/*
 * The report of `exec --report-fidelity`: which parts of a program's runs
 * were exact, approximate and unsupported. It joins a stored run with the facts
 * that the drop-in left beside the process's spool
 * (src/dropin/hsa/base/fidelity.h).
 *
 * One thread at a time.
 */
#ifndef AQ_CLI_EXEC_FIDELITY_H
#define AQ_CLI_EXEC_FIDELITY_H

#include <stdbool.h>

#include "store/store.h"

typedef struct aq_fidelity aq_fidelity;

/* Makes the file, "-" for standard error, so that a bad path shows before the
 * program runs. Borrows the path; *out is NULL without one. */
aq_status aq_fidelity_open(const char *file, bool json, aq_fidelity **out,
                           aq_diag *diag);

/* How the device was chosen, as aq_exec_device_choose was asked and answered;
 * NULL is allowed for all three. */
void aq_fidelity_device(aq_fidelity *fidelity, const char *asked,
                        const char *chosen);

/* Reports a run of the store, of process `pid`, whose file of facts begins
 * with `files`. NULL is allowed for `fidelity`. */
aq_status aq_fidelity_add(aq_fidelity *fidelity, aq_store *store,
                          const aq_run_info *info, int64_t run, int64_t pid,
                          const char *files, aq_diag *diag);

/* Ends the file. `*fidelity` is NULL then. AQ_ERR_IO names the file. */
aq_status aq_fidelity_close(aq_fidelity **fidelity, aq_diag *diag);

#endif
