/* SPDX-License-Identifier: MIT */
/* `replay` and `show` for captures of what a program submitted. */
#ifndef AQ_CLI_CAPTURE_REPLAY_H
#define AQ_CLI_CAPTURE_REPLAY_H

#include "cli/cli.h"

aq_status aq_cli_replay_capture(aq_cli *cli);
aq_status aq_cli_show_capture(aq_cli *cli);

#endif
