/* SPDX-License-Identifier: MIT */
/*
 * The code that a run executed, for its page: each kernel with its counts by
 * class of instruction, and the instructions that waves issued most often.
 */
#ifndef AQ_REPORT_PAGE_PAGE_CODE_H
#define AQ_REPORT_PAGE_PAGE_CODE_H

#include <stdio.h>

#include "store/store.h"

/* Writes the member "code", an array, behind other members of an object. */
aq_status aq_page_code_put(aq_store *store, int64_t run, aq_run_reader *reader,
                           FILE *out, aq_diag *diag);

#endif
