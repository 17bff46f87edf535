/* SPDX-License-Identifier: MIT */
/* `show RUN --asm [KERNEL]`: the code of a profiled run with its counts. */
#ifndef AQ_CLI_COMMANDS_SHOW_PROFILE_H
#define AQ_CLI_COMMANDS_SHOW_PROFILE_H

#include "cli/commands/cli.h"
#include "store/store.h"

aq_status aq_cli_show_profile(aq_cli *cli, aq_store *store,
                              const aq_run_info *info);

/* A remark on a run that has counts, which kernels and how to see them. */
aq_status aq_cli_profile_mention(aq_cli *cli, aq_store *store,
                                 const aq_run_info *info);

#endif
