/* SPDX-License-Identifier: MIT */
/* Manual pages from the table; runs while building only. */
#ifndef AQ_CLI_GENDOC_MAN_H
#define AQ_CLI_GENDOC_MAN_H

#include <stdio.h>

#include "cli/table/table.h"

/* aqueduct-COMMAND(1), or with NULL aqueduct(1). */
void aq_man_print(FILE *out, const aq_cli_command *command,
                  const char *version);

#endif
