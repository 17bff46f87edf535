/* SPDX-License-Identifier: MIT */
/* The work of the operators of a run, for the roofline of its page. */
#ifndef AQ_REPORT_PAGE_PAGE_WORK_H
#define AQ_REPORT_PAGE_PAGE_WORK_H

#include <stdio.h>

#include "report/stats/stats.h"

/* Writes the member "work" behind other members of an object: null for a run
 * without operators, else {"groups": [{"name", "family", "peak_name", "time",
 * "flops", "bytes", "peak_flops", "peak_bytes"}], "groups_left_out",
 * "groups_without_point", "all_time", "drawn_time", "unknown_calls", "calls"}:
 * operators of equal shapes, of known operations and bytes, by the time of
 * their kernels (ns); the peaks a second of the data sheet for the type, null
 * where it has none. Groups of known work without operations, as collectives,
 * or without bytes or time have no point. The rows were read by shape
 * (selection.h). */
aq_status aq_page_work_put(const aq_dispatches *dispatches,
                           aq_run_reader *reader, FILE *out, aq_diag *diag);

#endif
