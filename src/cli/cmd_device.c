/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <string.h>

#include "cli/commands.h"
#include "cli/device_verbs.h"

aq_status aq_cli_device(aq_cli *cli)
{
  const char *verb = cli->args[0];
  if (strcmp(verb, "calibrate") == 0)
    return aq_cli_device_calibrate(cli);
  if (strcmp(verb, "probe") == 0 && cli->arg_count == 1)
    return aq_cli_device_probe(cli);
  return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                     "device %s: expected calibrate RUN... or probe", verb);
}
