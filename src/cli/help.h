/* SPDX-License-Identifier: MIT */
/* The help of the program and its commands, as text, from the table. */
#ifndef AQ_CLI_HELP_H
#define AQ_CLI_HELP_H

#include <stdio.h>

#include "commands/table.h"

/* NULL: the program. */
void aq_cli_help_print(FILE *out, const aq_cli_command *command);

/* The first commands to try, for the program's name alone. */
void aq_cli_start_print(FILE *out);

#endif
