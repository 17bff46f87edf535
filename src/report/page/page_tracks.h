/* SPDX-License-Identifier: MIT */
/*
 * The lines of the page beside the rows of a run: dependencies, counters, the
 * requests of clients and preemptions. Members of the run's object; the columns
 * are described in page_data.h. One thread at a time.
 */
#ifndef AQ_REPORT_PAGE_PAGE_TRACKS_H
#define AQ_REPORT_PAGE_PAGE_TRACKS_H

#include <stdio.h>

#include "report/stats/selection.h"

aq_status aq_page_tracks_put(aq_store *store, int64_t run,
                             aq_run_reader *reader, const aq_selection *part,
                             FILE *out, aq_diag *diag);

#endif
