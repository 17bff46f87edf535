/* SPDX-License-Identifier: MIT */
/*
 * The median latency of scored rows, from submission to start, and the
 * intervals of a replay. Pure.
 */
#ifndef AQ_REPORT_STATS_LATENCY_H
#define AQ_REPORT_STATS_LATENCY_H

#include "common/json_out.h"
#include "report/stats/compare_runs.h"

/* The medians of the run's rows that are scored and of their partners in the
 * reference; AQ_TIME_NONE where no row is. Each side's submissions are its own.
 * AQ_ERR_MEMORY. */
aq_status aq_latency_medians(const aq_compare_row *reference,
                             size_t reference_count, const aq_compare_row *rows,
                             size_t count, aq_time *of_reference,
                             aq_time *of_run, aq_diag *diag);

enum { AQ_LATENCY_TEXT = 512 };

/* Lines with the median latencies, and whether both figures are within the
 * intervals that the replay found; "" where no row has a latency. */
void aq_latency_text(const aq_compare_runs *c, char text[AQ_LATENCY_TEXT]);

/* The same as members. */
void aq_latency_json(aq_json_out *json, const aq_compare_runs *c);

#endif
