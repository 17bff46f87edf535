/* SPDX-License-Identifier: MIT */
/*
 * The rows of a run as the page's columns: what ran on devices, the host's
 * calls, and the operations of host queues. Members of the run's object; the
 * columns are described in page_data.h. One thread at a time.
 */
#ifndef AQ_REPORT_PAGE_PAGE_ROWS_H
#define AQ_REPORT_PAGE_PAGE_ROWS_H

#include <stdio.h>

#include "store/store.h"

/* Reads every row of the reader, which is opened by start. */
aq_status aq_page_rows_put(aq_run_reader *reader, FILE *out, aq_diag *diag);

#endif
