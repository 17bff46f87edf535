/* SPDX-License-Identifier: MIT */
/* The verbs of `aqueduct device`, each in its own file; see commands.h. */
#ifndef AQ_CLI_DEVICE_VERBS_H
#define AQ_CLI_DEVICE_VERBS_H

#include "cli/cli.h"

aq_status aq_cli_device_calibrate(aq_cli *cli);
aq_status aq_cli_device_probe(aq_cli *cli);

#endif
