/* SPDX-License-Identifier: MIT */
/* The verbs of `aqueduct device`, each in its own file; see commands.h. */
#ifndef AQ_CLI_DEVICE_VERBS_H
#define AQ_CLI_DEVICE_VERBS_H

#include "cli/cli.h"

/* The format of the runs that `probe` makes, which `calibrate` knows. */
#define AQ_CLI_PROBE_FORMAT "probe"

aq_status aq_cli_device_calibrate(aq_cli *cli);
aq_status aq_cli_device_probe(aq_cli *cli);

#endif
