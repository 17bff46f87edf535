/* SPDX-License-Identifier: MIT */
/* `show` for files with code objects: text, JSON, or a plug-in to be filled in.
 */
#ifndef AQ_CLI_CODE_SHOW_H
#define AQ_CLI_CODE_SHOW_H

#include "cli/cli.h"

aq_status aq_cli_show_code(aq_cli *cli, const char *path);

#endif
