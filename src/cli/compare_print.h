/* SPDX-License-Identifier: MIT */
/* A comparison as text, and as one JSON document. */
#ifndef AQ_CLI_COMPARE_PRINT_H
#define AQ_CLI_COMPARE_PRINT_H

#include "cli/cli.h"
#include "report/compare_runs.h"
#include "report/thresholds.h"

aq_status aq_cli_compare_text(aq_cli *cli, const aq_compare_runs *compare);
aq_status aq_cli_compare_json(aq_cli *cli, const aq_compare_runs *compare,
                              const aq_threshold *limits, size_t count);

#endif
