/* SPDX-License-Identifier: MIT */
/* What the samples of a run come to, for `show`. */
#ifndef AQ_CLI_COUNTER_SUMMARY_H
#define AQ_CLI_COUNTER_SUMMARY_H

#include "cli/cli.h"
#include "common/json_out.h"
#include "store/store.h"

/* A table after an empty line; nothing when the run has no samples. */
aq_status aq_cli_counters_print(aq_cli *cli, aq_run_reader *reader);

/* The same as the member "counters" of an open map, always. */
aq_status aq_cli_counters_json(aq_cli *cli, aq_json_out *json,
                               aq_run_reader *reader);

#endif
