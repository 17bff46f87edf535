/* SPDX-License-Identifier: MIT */
/* The bash completion from the table; runs while building only. */
#ifndef AQ_CLI_GENDOC_COMPLETION_H
#define AQ_CLI_GENDOC_COMPLETION_H

#include <stdio.h>

void aq_completion_print(FILE *out);

#endif
