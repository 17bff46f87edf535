/* SPDX-License-Identifier: MIT */
/* The figures of a comparison as JSON: members of the object that is open. */
#ifndef AQ_REPORT_COMPARE_COMPARE_JSON_H
#define AQ_REPORT_COMPARE_COMPARE_JSON_H

#include "common/json_out.h"
#include "report/stats/compare_runs.h"

void aq_compare_json(aq_json_out *json, const aq_compare *figures);

/* The fit that a replay noted; `part` is "" where it fitted nothing.
 * AQ_ERR_INPUT: the note is damaged. */
aq_status aq_compare_fit_read(const aq_run_info *run, aq_compare_fit *out,
                              aq_diag *diag);

/* Members "fit" and "reference_fit"; without one where no constant of that run
 * was fitted. */
void aq_compare_fit_json(aq_json_out *json, const aq_compare_runs *compare);

#endif
