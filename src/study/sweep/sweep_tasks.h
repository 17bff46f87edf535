/* SPDX-License-Identifier: MIT */
/*
 * The points of a plan that a sweep runs: the points of its shard, without
 * points that the store already has. One thread.
 */
#ifndef AQ_STUDY_SWEEP_SWEEP_TASKS_H
#define AQ_STUDY_SWEEP_SWEEP_TASKS_H

#include "store/store.h"
#include "study/sweep/workers.h"

typedef struct aq_sweep_tasks {
  aq_sweep_task *list;
  size_t count;
  size_t known;    /* the store has their run */
  size_t skipped;  /* they failed before */
  size_t repeated; /* points of the shard that are equal to an earlier one of
                      the plan: they are no tasks */
  size_t distinct; /* points of the whole plan that differ */
} aq_sweep_tasks;

/* The tasks of shard `shard` (from 0) of `shards`, in the order of the plan,
 * with the keys of their points; `*out` borrows from the plan. Errors name the
 * point. `*out` is to be released after an error too. */
aq_status aq_sweep_tasks_make(const aq_sweep *sweep, uint32_t shard,
                              uint32_t shards, aq_sweep_tasks *out,
                              aq_diag *diag);
void aq_sweep_tasks_fini(aq_sweep_tasks *tasks);

/* Finds the points that the store has, and reserves ids for the others. Points
 * that failed before are skipped, unless `retry`. */
aq_status aq_sweep_tasks_find(aq_sweep_tasks *tasks, aq_store *store,
                              bool retry, aq_diag *diag);

/* Notes the places of points that the store has from other plans, or from
 * before an edit that was taken back, for studies of the sweep's plan. After
 * aq_sweep_tasks_find. */
aq_status aq_sweep_tasks_share(const aq_sweep *sweep,
                               const aq_sweep_tasks *tasks, aq_store *store,
                               aq_diag *diag);

/* Tasks that are to be run. */
size_t aq_sweep_tasks_left(const aq_sweep_tasks *tasks);

/* "I/N", from 1, as a shard from 0; NULL: all points are one shard. */
aq_status aq_sweep_shard_read(const char *text, uint32_t *shard,
                              uint32_t *shards, aq_diag *diag);

/* Cores for this process: in a Slurm job the task's, which need not be
 * bound to it. */
int64_t aq_sweep_cores(void);

#endif
