/* SPDX-License-Identifier: MIT */
/* The figures of a comparison as JSON: members of the object that is open. */
#ifndef AQ_REPORT_COMPARE_COMPARE_JSON_H
#define AQ_REPORT_COMPARE_COMPARE_JSON_H

#include "common/json_out.h"
#include "report/stats/compare.h"

void aq_compare_json(aq_json_out *json, const aq_compare *figures);

#endif
