/* SPDX-License-Identifier: MIT */
/* The environment in which `exec` runs a program: what the drop-in, the shim
 * and the loader read there. */
#ifndef AQ_CLI_EXEC_ENV_H
#define AQ_CLI_EXEC_ENV_H

#include "cli/cli.h"

typedef struct aq_cli_exec_paths {
  const char *dropin, *shim;
  const char *spools; /* folder */
  const char *opened; /* file that hsa_init makes */
} aq_cli_exec_paths;

/* Sets the environment of this process, which the program inherits. */
aq_status aq_cli_exec_env(aq_cli *cli, const aq_cli_exec_paths *paths);

#endif
