/* SPDX-License-Identifier: MIT */
/* The difference of two runs as text, and as an object of a JSON document. */
#ifndef AQ_CLI_DIFF_PRINT_H
#define AQ_CLI_DIFF_PRINT_H

#include "cli/cli.h"
#include "common/json_out.h"
#include "report/diff.h"

aq_status aq_cli_diff_text(aq_cli *cli, const aq_run_info *a,
                           const aq_run_info *b, const aq_diff *diff);
void aq_cli_diff_json(aq_json_out *json, const aq_run_info *a,
                      const aq_run_info *b, const aq_diff *diff);

#endif
