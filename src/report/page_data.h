/* SPDX-License-Identifier: MIT */
/*
 * The page's data about its runs, as JSON:
 *
 *   {"version": …, "runs": [{"id", "name", "kind", …, "constants": [{…}],
 *    "names": […], "devices": [{…}], "queues": [{…}], "count": N,
 *    "columns": {"start": BASE64, …}, "code": [{…}]}]}
 *
 * A column is an array of N little-endian numbers: 64-bit floats for start and
 * end, ns from the origin of the run; 32-bit floats for submit, launch and
 * complete, ns after the start, NaN where unknown; 32-bit integers for name,
 * row and origin, 16-bit ones for queue, -1 where unknown; a byte for pinned, 1
 * where the row was replayed at its measured time. Rows are kernels,
 * copies and fills that have a start and an end, by start.
 * One thread at a time.
 */
#ifndef AQ_REPORT_PAGE_DATA_H
#define AQ_REPORT_PAGE_DATA_H

#include "report/page.h"

/* A text as JSON that may stand in a script of a page. */
void aq_page_text_put(FILE *out, const char *text);

aq_status aq_page_data_write(aq_store *store, const aq_page_run *runs,
                             size_t count, FILE *out, aq_diag *diag);

#endif
