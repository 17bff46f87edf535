/* SPDX-License-Identifier: MIT */
/*
 * Processes that run points of a plan at the same time, each with a store
 * connection of its own. Which of them runs a point changes nothing of it.
 */
#ifndef AQ_CLI_SWEEP_WORKERS_H
#define AQ_CLI_SWEEP_WORKERS_H

#include "cli/point.h"

/* One point that is to be run, and what became of it. */
typedef struct aq_cli_task {
  const aq_plan_point *point;
  char key[AQ_CLI_KEY_SIZE];
  int64_t run; /* AQ_NONE: not yet, or it failed */
} aq_cli_task;

typedef struct aq_cli_work {
  const aq_plan *plan;
  aq_cli_task *tasks;
  size_t count; /* those with run AQ_NONE are to be run */
  uint32_t processes;
  /* A task is over; `why` NULL: well. */
  void (*over)(size_t task, const char *why, void *user);
  void *user;
} aq_cli_work;

/* Returns when all are over; fails when a worker ended before. The caller's
 * store is closed meanwhile. */
aq_status aq_cli_work_share(aq_cli *cli, aq_cli_work *work);

#endif
