/* SPDX-License-Identifier: MIT */
/*
 * Processes that run points of a plan at the same time, each with a store
 * connection of its own. Which of them runs a point changes nothing of it.
 */
#ifndef AQ_STUDY_WORKERS_H
#define AQ_STUDY_WORKERS_H

#include "study/point.h"

/* One point that is to be run, and what became of it. */
typedef struct aq_sweep_task {
  const aq_plan_point *point;
  char key[AQ_POINT_KEY_SIZE];
  int64_t run; /* AQ_NONE: not yet, or it failed */
} aq_sweep_task;

typedef struct aq_sweep_work {
  const aq_sweep *sweep;
  const char *store; /* as aq_store_open takes it */
  aq_sweep_task *tasks;
  size_t count; /* those with run AQ_NONE are to be run */
  uint32_t processes;
  /* A task is over; `why` NULL: well. */
  void (*over)(size_t task, const char *why, void *user);
  void *user;
} aq_sweep_work;

/* Returns when all are over; fails when a worker ended before. The caller's
 * store is closed meanwhile. */
aq_status aq_sweep_work_share(aq_sweep_work *work, aq_diag *diag);

#endif
