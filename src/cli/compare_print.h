/* SPDX-License-Identifier: MIT */
/* Comparisons, differences and versions, each as text and as a document. */
#ifndef AQ_CLI_COMPARE_PRINT_H
#define AQ_CLI_COMPARE_PRINT_H

#include "cli/cli.h"
#include "common/json_out.h"
#include "report/compare_runs.h"
#include "report/diff.h"
#include "report/thresholds.h"
#include "report/versions.h"

aq_status aq_cli_compare_text(aq_cli *cli, const aq_compare_runs *compare);
aq_status aq_cli_compare_json(aq_cli *cli, const aq_compare_runs *compare,
                              const aq_threshold *limits, size_t count);

/* The difference of two runs as text, and as an object of a JSON document. */
aq_status aq_cli_diff_text(aq_cli *cli, const aq_run_info *a,
                           const aq_run_info *b, const aq_diff *diff);
void aq_cli_diff_json(aq_json_out *json, const aq_run_info *a,
                      const aq_run_info *b, const aq_diff *diff);

/* Repeated runs of two versions: the document that --json asks for, else
 * tables. */
aq_status aq_cli_versions_print(aq_cli *cli, const aq_versions *versions);

#endif
