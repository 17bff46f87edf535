/* SPDX-License-Identifier: MIT */
/*
 * Commands that run a policy from outside: in a process of their own, so that
 * whatever the policy does ends with one line that names it.
 */
#ifndef AQ_CLI_COMMANDS_POLICY_PROCESS_H
#define AQ_CLI_COMMANDS_POLICY_PROCESS_H

#include "cli/commands/cli.h"
#include "study/session/policy_sandbox.h"

/* The limits of --policy-timeout and --policy-memory. */
aq_status aq_cli_policy_limits(aq_cli *cli, aq_policy_limits *out);

/* Calls `work`: in a forked process if --policy names a plug-in, in this one
 * otherwise. Where the forked one ends on its own, this one exits with its
 * status, since it has printed everything; otherwise the error names the
 * policy and nothing of its run stays in the store. */
aq_status aq_cli_contain(aq_cli *cli, aq_status (*work)(aq_cli *cli));

#endif
