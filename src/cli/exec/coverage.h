/* SPDX-License-Identifier: MIT */
/*
 * The report of `exec --coverage`: how often waves executed the lines of
 * kernels, as an lcov trace file. It joins the instruction counts of stored
 * runs with the line tables of the code objects that the drop-in left beside
 * the processes' spools.
 *
 * A line counts as often as the one of its instructions that a kernel's waves
 * executed most, summed over kernels and processes. One thread at a time.
 */
#ifndef AQ_CLI_EXEC_COVERAGE_H
#define AQ_CLI_EXEC_COVERAGE_H

#include "common/notes.h"
#include "store/store.h"

typedef struct aq_coverage aq_coverage;

/* Makes the file, so that a bad path shows before the program runs. Borrows the
 * path; *out is NULL without one. */
aq_status aq_coverage_open(const char *file, aq_coverage **out, aq_diag *diag);

/* Adds a run of the store, whose process's files, code objects here, begin with
 * `files`. NULL is allowed for `coverage`. */
aq_status aq_coverage_add(aq_coverage *coverage, aq_store *store, int64_t run,
                          const char *files, aq_diag *diag);

/* Writes the file. A note names the kernels and objects that it lacks.
 * `*coverage` is NULL then. AQ_ERR_IO names the file. */
aq_status aq_coverage_close(aq_coverage **coverage, const aq_notes *notes,
                            aq_diag *diag);

#endif
