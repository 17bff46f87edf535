/* SPDX-License-Identifier: MIT */
/*
 * The spools of programs that run on the drop-in, on their way into the store.
 *
 * Each execution has a folder STORE.spool/XXXXXX with a file `exec`, which
 * describes the run and is locked as long as the execution lives, and a spool
 * for each process that opened HSA, locked by that. aq_spools_recover() stores
 * unlocked folders: of executions that were killed.
 */
#ifndef AQ_CLI_EXEC_SPOOLS_H
#define AQ_CLI_EXEC_SPOOLS_H

#include <sys/types.h>

#include "cli/exec/reports.h"
#include "common/notes.h"
#include "common/spool.h"
#include "store/store.h"

typedef struct aq_spools {
  char *folder; /* NULL: nothing is recorded */
  char *opened; /* a file in it: hsa_init has succeeded in some process */
  int lock;     /* of its file `exec` */
  bool stored;  /* all records of processes that have ended */
  aq_exec_reports *reports; /* of the runs; borrowed, or NULL */
  aq_spool_call last;       /* of the program, once its spool is stored */
} aq_spools;

/* A folder in it: the driver's files for programs (driver_files.h). */
#define AQ_SPOOLS_DRIVER "driver"

#define AQ_SPOOLS_NONE                                                         \
  {                                                                            \
    .lock = -1                                                                 \
  }

/* The names of the runs; borrowed. */
typedef struct aq_spool_wish {
  const char *version, *command, *program;
  const char *name; /* of the program's run; or NULL */
  bool replaces;    /* the run that has this name */
} aq_spool_wish;

/* A run that was stored; lives for the call. */
typedef struct aq_spooled_run {
  const aq_run_info *info;
  int64_t id;
  bool complete, recovered;
  bool outlived; /* of a process that still ran when its exec ended */
} aq_spooled_run;

/* Callbacks for runs and for remarks. */
typedef struct aq_spool_watch {
  const aq_notes *notes;
  void (*run)(const aq_spooled_run *run, void *user);
  void *user;
} aq_spool_watch;

/* Makes the folder beside the store. A name that is taken is AQ_ERR_EXISTS. */
aq_status aq_spools_create(aq_store *store, const aq_spool_wish *wish,
                           aq_spools *out, aq_diag *diag);

/* Stores a run for each process that has ended, in the store of a path as
 * aq_store_open takes it. The run of `program`, the process that was started,
 * is complete if that ended on its own, whose `status` is that of waitpid. */
aq_status aq_spools_store(aq_spools *spools, const char *store, pid_t program,
                          int status, const aq_spool_watch *watch,
                          aq_diag *diag);

/* Removes the folder, unless spools are left in it. */
void aq_spools_close(aq_spools *spools);

/* Stores what killed executions left. What fails is noted, and left for the
 * next time. */
void aq_spools_recover(const char *store_path, const aq_spool_watch *watch);

/* How many folders lie beside a store: executions that run, or that could not
 * be recovered. */
size_t aq_spools_count(const char *store_path);

#endif
