/* SPDX-License-Identifier: MIT */
/* The findings of a run's checker, for its page. */
#ifndef AQ_REPORT_PAGE_PAGE_FINDINGS_H
#define AQ_REPORT_PAGE_PAGE_FINDINGS_H

#include <stdio.h>

#include "store/store.h"

/* Writes the member "findings", an array, behind other members of an object. */
aq_status aq_page_findings_put(aq_store *store, int64_t run,
                               aq_run_reader *reader, FILE *out, aq_diag *diag);

#endif
