/* SPDX-License-Identifier: MIT */
/* `show` for program files: the disassembly, as text or JSON. */
#ifndef AQ_CLI_PROGRAM_SHOW_H
#define AQ_CLI_PROGRAM_SHOW_H

#include "cli/cli.h"

/* Whether a file starts as programs do. */
bool aq_cli_is_program(const char *path);

aq_status aq_cli_show_program(aq_cli *cli, const char *path);

#endif
