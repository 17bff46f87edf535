/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/commands/group_by.h"

#include <stdio.h>
#include <string.h>

aq_status aq_cli_grouping(aq_cli *cli, aq_stats_by *out)
{
  const char *by = cli->values[AQ_CLI_OPT_BY];
  char names[256] = "";
  for (int i = 0; i < AQ_STATS_BY_COUNT; i++) {
    if (strcmp(by ? by : "kernel", aq_stats_by_names[i]) == 0) {
      *out = (aq_stats_by)i;
      return AQ_OK;
    }
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
             i ? ", " : "", aq_stats_by_names[i]);
  }
  return aq_diag_set(&cli->diag, AQ_ERR_INVALID, "--by %s: expected one of %s",
                     by, names);
}

const char *aq_cli_group_title(aq_stats_by by)
{
  return by == AQ_STATS_BY_KERNEL ? "~group" : "=group";
}
