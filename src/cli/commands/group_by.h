/* SPDX-License-Identifier: MIT */
/* --by GROUP, of the commands that print figures by group. */
#ifndef AQ_CLI_COMMANDS_GROUP_BY_H
#define AQ_CLI_COMMANDS_GROUP_BY_H

#include "cli/commands/cli.h"
#include "report/stats/stats.h"

/* By kernel where the option is not given. */
aq_status aq_cli_grouping(aq_cli *cli, aq_stats_by *out);

/* The title of a column of groups (table_output.h): only names of kernels are
 * shortened, so that others are the same wherever they are printed. */
const char *aq_cli_group_title(aq_stats_by by);

#endif
