/* SPDX-License-Identifier: MIT */
/*
 * The spools of programs that `exec` runs, on their way into the store.
 *
 * Each exec has a folder STORE.spool/XXXXXX with a file `exec`, which says what
 * the run is and is locked as long as the exec lives, and a spool for each
 * process that opened HSA, locked by that. Folders that nobody locks are
 * recovered by the next command that opens the store.
 */
#ifndef AQ_CLI_SPOOLS_H
#define AQ_CLI_SPOOLS_H

#include <sys/types.h>

#include "cli/cli.h"

typedef struct aq_cli_spools {
  char *folder; /* NULL: nothing is recorded */
  char *opened; /* a file in it: hsa_init has succeeded in some process */
  int lock;     /* of its file `exec` */
} aq_cli_spools;

#define AQ_CLI_SPOOLS_NONE                                                     \
  {                                                                            \
    .lock = -1                                                                 \
  }

/* Makes the folder beside the store that --store names, which is opened once
 * to see that a run can be stored, under the name that was asked for. */
aq_status aq_cli_spools_create(aq_cli *cli, aq_cli_spools *out);

/* Stores a run for each process that has ended, and tells it on stderr. The
 * run of `program`, the process that exec started, is complete if that ended
 * by itself, whose `status` is that of waitpid. */
aq_status aq_cli_spools_store(aq_cli *cli, aq_cli_spools *spools, pid_t program,
                              int status);

/* Removes the folder, unless spools are left in it. */
void aq_cli_spools_close(aq_cli_spools *spools);

/* Stores what execs left that were killed, and tells it. What fails is told,
 * and left for the next time. */
void aq_cli_spools_recover(aq_cli *cli, const char *store_path);

#endif
