/* SPDX-License-Identifier: MIT */
/*
 * A comparison for systems that run tests: JUnit XML, a case a threshold, and
 * Markdown, for the summary of a job or a comment. For scored replays and for
 * matched runs.
 */
#ifndef AQ_REPORT_COMPARE_CI_REPORT_H
#define AQ_REPORT_COMPARE_CI_REPORT_H

#include <stdio.h>

#include "report/compare/thresholds.h"

typedef struct aq_verdict {
  const char *run, *reference; /* labels */
  const aq_figures *figures;
  const aq_threshold *limits;
  size_t count;
} aq_verdict;

void aq_verdict_junit_begin(FILE *out);
void aq_verdict_junit(FILE *out, const aq_verdict *verdict);
void aq_verdict_junit_end(FILE *out);

void aq_verdict_markdown(FILE *out, const aq_verdict *verdict);

#endif
