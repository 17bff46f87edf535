/* SPDX-License-Identifier: MIT */
/* The help of the program and its commands, as text, from the table. */
#ifndef AQ_CLI_COMMANDS_HELP_H
#define AQ_CLI_COMMANDS_HELP_H

#include <stdio.h>

#include "cli/table/table.h"

/* NULL: the program. */
void aq_cli_help_print(FILE *out, const aq_cli_command *command);

/* The words of a text in lines of 79 columns, from `column` on; lines after the
 * first are indented. A space goes before the first word where column > indent.
 */
void aq_cli_fill(FILE *out, const char *text, int column, int indent);

/* The first commands to try, for the program's name alone. */
void aq_cli_start_print(FILE *out);

#endif
