/* SPDX-License-Identifier: MIT */
/*
 * The program around the launches of a run, for the page: its steps, the groups
 * of its dispatches, its collectives, memory and operators. Each has
 * the figures of `aqueduct stats` (doc/stats.md). One thread at a time.
 */
#ifndef AQ_REPORT_PAGE_PAGE_PROGRAM_H
#define AQ_REPORT_PAGE_PAGE_PROGRAM_H

#include "report/page/page.h"

/* Puts the members "steps", "groups", "collectives", "memory" and "work"; each
 * is null (of groups empty) where the run, or its part, has nothing of the
 * kind. Without steps ("by" is null) the list of steps has a row for each
 * device. Reads the rows once. */
aq_status aq_page_program_put(aq_store *store, const aq_page_run *run,
                              FILE *out, aq_diag *diag);

#endif
