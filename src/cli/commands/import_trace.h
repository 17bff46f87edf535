/* SPDX-License-Identifier: MIT */
/* What imports of one trace and of several ranks share. */
#ifndef AQ_CLI_COMMANDS_IMPORT_TRACE_H
#define AQ_CLI_COMMANDS_IMPORT_TRACE_H

#include "cli/commands/cli.h"
#include "common/json_out.h"
#include "store/store.h"
#include "trace/import/trace.h"

/* Imports the file info->source into a new run of the store; the caller ends
 * the writer. A refused file leaves nothing. */
aq_status aq_cli_import_trace(aq_cli *cli, aq_store *store, aq_run_info *info,
                              aq_trace_result *result, aq_store_writer **out);

/* The result of an import, on standard error, and as members of an open map. */
void aq_cli_import_report(const aq_cli *cli, const char *path,
                          const aq_trace_result *result);
void aq_cli_import_json(aq_json_out *json, const aq_trace_result *result);

/* Reports that the clocks of host and device of a stored run differ, as its
 * host waits show it; `after` names the consequence for a replay. */
aq_status aq_cli_import_clocks(aq_cli *cli, aq_store *store, const char *path,
                               int64_t run, const char *after);

/* import --ranks: all files as one run. */
aq_status aq_cli_import_ranks(aq_cli *cli);

#endif
