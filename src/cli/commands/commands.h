/* SPDX-License-Identifier: MIT */
/*
 * One function a subcommand, each in its own file. A command writes to
 * cli->out, words its error in cli->diag and returns the same status; main()
 * does the rest.
 */
#ifndef AQ_CLI_COMMANDS_COMMANDS_H
#define AQ_CLI_COMMANDS_COMMANDS_H

#include "cli/commands/cli.h"

#define C(id, name) aq_status aq_cli_##name(aq_cli *cli);
AQ_CLI_COMMANDS(C)
#undef C

/* The part of `import` that reads requests, not traces of packets. */
aq_status aq_cli_import_workload(aq_cli *cli);

/* Whether the command line has a change of `whatif`. */
bool aq_cli_whatif_wanted(const aq_cli *cli);

/* Of a run, with the changes of the command line or, where it has none, five
 * usual ones, for the report. The caller frees *out. */
struct aq_store;
aq_status aq_cli_whatif_document(aq_cli *cli, struct aq_store *store,
                                 const char *run, char **out);

#endif
