/* SPDX-License-Identifier: MIT */
/* `show` for captures: packets counted, or operations listed. */
#ifndef AQ_CLI_PACKETS_SHOW_H
#define AQ_CLI_PACKETS_SHOW_H

#include "cli/cli.h"

aq_status aq_cli_show_packets(aq_cli *cli);
aq_status aq_cli_show_capture(aq_cli *cli);

#endif
