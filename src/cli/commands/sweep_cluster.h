/* SPDX-License-Identifier: MIT */
/* The parts of `sweep` for clusters; each is a whole command. */
#ifndef AQ_CLI_COMMANDS_SWEEP_CLUSTER_H
#define AQ_CLI_COMMANDS_SWEEP_CLUSTER_H

#include "cli/commands/cli.h"
#include "store/store.h"

/* --emit, and --slurm. */
aq_status aq_cli_sweep_emit(aq_cli *cli);

/* --status. */
aq_status aq_cli_sweep_status(aq_cli *cli);

/* Names the plans (or the one) of which the store lacks points; the exit status
 * is 1 then. */
aq_status aq_cli_plans_check(aq_cli *cli, aq_store *store, const char *plan);

#endif
