/* SPDX-License-Identifier: MIT */
/* `store check`, `store merge` and `store vacuum`; cmd_store.c picks one. */
#ifndef AQ_CLI_COMMANDS_STORE_MAINTENANCE_H
#define AQ_CLI_COMMANDS_STORE_MAINTENANCE_H

#include "cli/commands/cli.h"
#include "store/store.h"

/* A line a finding; AQ_ERR_DIFFERENT when one is a problem. */
aq_status aq_cli_store_check(aq_cli *cli, aq_store *store);

/* The stores that the arguments after the verb name, in that order. */
aq_status aq_cli_store_merge(aq_cli *cli, aq_store *store);

aq_status aq_cli_store_vacuum(aq_cli *cli, aq_store *store);

#endif
