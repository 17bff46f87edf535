/* SPDX-License-Identifier: MIT */
/*
 * Printing several devices and how they are linked, for `show`.
 */
#ifndef AQ_CLI_TOPOLOGY_SHOW_H
#define AQ_CLI_TOPOLOGY_SHOW_H

#include "cli/cli.h"

/* Opens the devices of a list ("mi300x*4") on the simulator and prints them and
 * their links, or JSON if that is asked for. */
aq_status aq_cli_show_topology(aq_cli *cli, const char *devices);

#endif
