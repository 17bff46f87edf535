/* SPDX-License-Identifier: MIT */
/*
 * The page's data about its runs, as JSON:
 *
 *   {"runs": [{"id", "name", "kind", …, "explanation": {…}, "constants": [{…}],
 *    "names": […], "devices": [{…}], "queues": [{…}], "threads": [{…}],
 *    "dispatches": TABLE, "calls": TABLE, "operations": TABLE, "edges": TABLE,
 *    "counters": [TABLE], "requests": TABLE, "preemptions": TABLE,
 *    "code": [{…}], "steps", "groups", "collectives", "memory", "work": of
 *    page_program.h}], "versions": null or {…}}
 *
 * A TABLE is {"count": N, "columns": {NAME: BASE64, …}, …}; a column is an
 * array of N little-endian numbers. Times are ns in 64-bit floats from the
 * origin of the run; times of a dispatch but start and end are 32-bit floats
 * from its start, NaN where unknown. Rows, names, origins and streams are
 * 32-bit integers, queues and threads (ordinals) 16-bit ones, -1 where unknown;
 * flags are bytes. Dispatches are kernels, copies and fills that have a start
 * and an end, by start; `untimed` counts the others. `calls` are the host's
 * calls that submitted nothing, by begin. src/report/page/data.js has the
 * types. One thread at a time.
 */
#ifndef AQ_REPORT_PAGE_PAGE_DATA_H
#define AQ_REPORT_PAGE_PAGE_DATA_H

#include "report/page/page.h"

aq_status aq_page_data_write(aq_store *store, const aq_report_page *page,
                             FILE *out, aq_diag *diag);

#endif
