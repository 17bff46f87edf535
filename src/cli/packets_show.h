/* SPDX-License-Identifier: MIT */
/* `show` for packet captures: what is in them, counted; as text or JSON. */
#ifndef AQ_CLI_PACKETS_SHOW_H
#define AQ_CLI_PACKETS_SHOW_H

#include "cli/cli.h"

aq_status aq_cli_show_packets(aq_cli *cli);

#endif
