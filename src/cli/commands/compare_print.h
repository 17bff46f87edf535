/* SPDX-License-Identifier: MIT */
/* Comparisons, differences and versions, each as text and as a document. */
#ifndef AQ_CLI_COMMANDS_COMPARE_PRINT_H
#define AQ_CLI_COMMANDS_COMPARE_PRINT_H

#include "cli/commands/cli.h"
#include "cli/commands/window.h"
#include "common/json_out.h"
#include "report/compare/ab_compare.h"
#include "report/compare/diff.h"
#include "report/compare/diff_verdict.h"
#include "report/compare/thresholds.h"
#include "report/stats/compare_runs.h"

aq_status aq_cli_compare_text(aq_cli *cli, const aq_compare_runs *compare);
aq_status aq_cli_compare_json(aq_cli *cli, const aq_compare_runs *compare,
                              const aq_threshold *limits, size_t count);

/* The difference of two runs, or of a part of each (NULL: of all), as text, and
 * as an object of a JSON document. */
aq_status aq_cli_diff_text(aq_cli *cli, const aq_run_info *a,
                           const aq_run_info *b, const aq_cli_parts *parts,
                           const aq_diff_verdict *verdict, const aq_diff *diff);
aq_status aq_cli_diff_json(aq_cli *cli, aq_json_out *json, const aq_run_info *a,
                           const aq_run_info *b, const aq_cli_parts *parts,
                           const aq_diff_verdict *verdict, const aq_diff *diff);

/* Repeated runs of two versions, `runs` (the version after, then the one
 * before): the document that --json asks for, else tables. */
aq_status aq_cli_versions_print(aq_cli *cli, const aq_cli_parts *parts,
                                const aq_versions *versions,
                                const aq_run_info *const *runs);

/* RUN... --against RUN...: the runs of the command line, first the *after
 * before --against, which are the version after, then the others. The caller
 * frees each and the array. */
aq_status aq_cli_versions_find(aq_cli *cli, aq_store *store,
                               aq_run_info ***runs, size_t *after,
                               size_t *count);
void aq_cli_versions_free(aq_run_info **runs, size_t count);

#endif
