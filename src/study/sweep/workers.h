/* SPDX-License-Identifier: MIT */
/*
 * Processes that run points of a plan at the same time, each with a store
 * connection of its own. Which of them runs a point changes nothing of it: ids
 * are reserved in the order of the plan.
 *
 * Batches. A writer of SQLite excludes all others, so a process keeps points in
 * memory and stores what 20 ms made, 64 at most, as one transaction: pages of
 * the store are written once a batch. A point counts as done when its batch is
 * in the store. A second thread stores a batch that waits 50 ms for a point at
 * work, through another connection. So a kill loses the points at work, and
 * points of the last 50 to 75 ms. A run that outgrows the memory of a writer is
 * stored as it goes.
 *
 *   a point is   in                             after the end of its process
 *   free         `next`, or claims[]            free
 *   at work      watches[].task                 failed: its policy was at fault
 *   held         claims[], its writer           free, for the next process
 *   stored       the store                      stored: its id is there
 *   over         the pipe, or the parent        over
 *
 * A process that ends outside of a point ends the sweep: points are in the
 * store, or free for the same command.
 * A batch that cannot be stored fails all of its points, for this time: none of
 * it is in the store.
 *
 * A point whose policy crashes, does not return or takes too much memory ends
 * its process; another one takes its place. Points that fail are stored as
 * failed, unless the store or the memory is what failed.
 */
#ifndef AQ_STUDY_SWEEP_WORKERS_H
#define AQ_STUDY_SWEEP_WORKERS_H

#include "study/session/policy_sandbox.h"
#include "study/sweep/plan_point.h"

/* One point that is to be run, and what became of it. */
typedef struct aq_sweep_task {
  const aq_plan_point *point;
  char key[AQ_POINT_KEY_SIZE];
  int64_t run;        /* AQ_NONE: not yet, or it failed */
  int64_t id;         /* reserved for it */
  bool over;          /* it has been reported */
  int64_t failed_run; /* of an earlier failure, which this one replaces; or
                         AQ_NONE */
  bool skip;          /* it failed before and is not tried again */
} aq_sweep_task;

/* Whether it is to be run. */
static inline bool aq_sweep_task_is_free(const aq_sweep_task *task)
{
  return task->run == AQ_NONE && !task->skip;
}

typedef struct aq_sweep_work {
  const aq_sweep *sweep;
  const char *store; /* as aq_store_open takes it */
  aq_sweep_task *tasks;
  size_t count; /* the free ones are run */
  aq_policy_limits limits;
  uint32_t processes;
  /* A task has ended; `why` NULL: well. */
  void (*on_done)(size_t task, const char *why, void *user);
  /* Some time has passed; or NULL. */
  void (*tick)(void *user);
  void *user;
  bool alone; /* no other process has the store open: it becomes one file */
  /* Not 0: the points at work are dropped, and no other begins. Set by a
   * signal's handler; or NULL. */
  const volatile int *stop;
} aq_sweep_work;

/* A flag that SIGTERM sets from now on, instead of ending the process. */
const volatile int *aq_sweep_stop_watch(void);

/* Returns when all tasks have ended; fails when a worker ended outside of a
 * point. The caller's store is closed meanwhile. */
aq_status aq_sweep_work_share(aq_sweep_work *work, aq_diag *diag);

#endif
