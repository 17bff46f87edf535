/* SPDX-License-Identifier: MIT */
/*
 * Performances as the command line asks for them: options in, remarks and the
 * run's id out.
 */
#ifndef AQ_CLI_COMMANDS_RUN_OPTIONS_H
#define AQ_CLI_COMMANDS_RUN_OPTIONS_H

#include <signal.h>

#include "cli/commands/cli.h"
#include "study/session/session.h"

/* Reads --transport, --faults, --device, --set, --policy, --counters and the
 * options of live mode; texts are borrowed from `cli`. */
aq_status aq_cli_performance_options(aq_cli *cli, aq_performance_options *out);

/* The same, and finds transport and policy. */
aq_status aq_cli_performance_init(aq_cli *cli, aq_session *out);

/* --queues; 0 when it is not given. */
aq_status aq_cli_queues(aq_cli *cli, uint32_t *out);

/* SIGUSR1 asks a run where it stands; block it before the run starts. */
void aq_cli_status_block(sigset_t *before);
void aq_cli_status_unblock(const sigset_t *before);

/* Remarks on a run that was made, and its id. */
aq_status aq_cli_performed_print(aq_cli *cli, const aq_run_info *info,
                                 const aq_performed *performed);

#endif
