/* SPDX-License-Identifier: MIT */
/*
 * A comparison for systems that run tests: JUnit XML, a case a threshold, and
 * Markdown, for the summary of a job or a comment. Both modes of compare.
 */
#ifndef AQ_CLI_COMPARE_CI_H
#define AQ_CLI_COMPARE_CI_H

#include "cli/cli.h"
#include "cli/thresholds.h"

typedef struct aq_cli_verdict {
  const char *run, *reference; /* labels */
  const aq_cli_figures *figures;
  const aq_cli_threshold *limits;
  size_t count;
} aq_cli_verdict;

void aq_cli_junit_begin(aq_cli *cli);
void aq_cli_junit_put(aq_cli *cli, const aq_cli_verdict *verdict);
void aq_cli_junit_end(aq_cli *cli);

void aq_cli_markdown_put(aq_cli *cli, const aq_cli_verdict *verdict);

#endif
