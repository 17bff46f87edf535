/* SPDX-License-Identifier: MIT */
/* The bash completion from the table; used only while building. */
#ifndef AQ_CLI_COMPLETION_H
#define AQ_CLI_COMPLETION_H

#include <stdio.h>

void aq_cli_completion_print(FILE *out);

#endif
