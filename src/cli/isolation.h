/* SPDX-License-Identifier: MIT */
/*
 * The file system that a program of `exec` sees: a mount namespace with
 * /dev/kfd, /sys/module/amdgpu and an `lsmod` that shows the module, for
 * programs that the preloaded shim cannot reach.
 *
 * A process that may mount gets a mount namespace alone; others a user
 * namespace besides, in which they keep user and group but have no other.
 */
#ifndef AQ_CLI_ISOLATION_H
#define AQ_CLI_ISOLATION_H

#include "cli/cli.h"

typedef enum aq_cli_isolation {
  AQ_CLI_ISOLATION_AUTO, /* a namespace, where it can be made */
  AQ_CLI_ISOLATION_NAMESPACE,
  AQ_CLI_ISOLATION_PRELOAD, /* the shim alone */
} aq_cli_isolation;

/* --isolation. */
aq_status aq_cli_isolation_get(aq_cli *cli, aq_cli_isolation *out);

/* Moves this process into a namespace of its own, and puts the folder of
 * `lsmod` before PATH. One thread; after an error it is half there, and has to
 * end. AQ_ERR_UNSUPPORTED says what the machine refused. */
aq_status aq_cli_isolation_enter(aq_diag *diag);

/* Whether that works here: a child tries it. */
aq_status aq_cli_isolation_try(aq_diag *diag);

#endif
