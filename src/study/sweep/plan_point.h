/* SPDX-License-Identifier: MIT */
/*
 * One point of a plan: a key of all its inputs, and its run.
 */
#ifndef AQ_STUDY_SWEEP_PLAN_POINT_H
#define AQ_STUDY_SWEEP_PLAN_POINT_H

#include "study/session/session.h"
#include "study/workload/plan.h"

enum { AQ_POINT_KEY_SIZE = 33 };

/* What all points of a sweep share; everything is borrowed. */
typedef struct aq_sweep {
  const aq_plan *plan;
  /* A point's own device, edits, policy and seed replace these. */
  aq_performance_options options;
  const char *data;    /* where "reef:" models lie; NULL: nowhere */
  const char *command; /* command line, for the runs; or NULL */
  size_t distinct;     /* points of the plan that differ; 0: not known */
} aq_sweep;

/* Keys of points; what neighbours share is read once. */
typedef struct aq_keyring {
  const aq_sweep *sweep;
  const aq_plan_point *last;                  /* NULL: none yet */
  unsigned __int128 workload, device, policy; /* of the last */
} aq_keyring;

/* Everything that the rows of a point depend on: the scenario's text and
 * parameters, constants of the devices, policy and its settings, seed, queues,
 * version. */
aq_status aq_point_key(aq_keyring *ring, const aq_plan_point *point,
                       char out[static AQ_POINT_KEY_SIZE], aq_diag *diag);

/* The place in the sweep's plan of a run of the point that the store has; the
 * caller frees it. */
aq_status aq_point_place(const aq_sweep *sweep, const aq_plan_point *point,
                         const aq_run_info *run, char **out, aq_diag *diag);

/* Runs it. *out: a writer that has all of it, for aq_point_store(), or NULL,
 * when it was too long for memory and is stored. `watch` is noted where its
 * policy is; NULL: nowhere. */
aq_status aq_point_run(const aq_sweep *sweep, aq_store *store,
                       const aq_plan_point *point, const char *key,
                       aq_policy_watchdog *watch, aq_store_writer **out,
                       aq_diag *diag);

/* Stores it as `run`, a reserved id, perhaps in a group (maintenance.h); frees
 * the writer. */
aq_status aq_point_store(const aq_sweep *sweep, aq_store *store,
                         aq_store_writer *writer, int64_t run, aq_diag *diag);

/* Stores that it failed, and why: a run without rows that is not complete. */
aq_status aq_point_fail(const aq_sweep *sweep, aq_store *store,
                        const aq_plan_point *point, const char *key,
                        const char *why, aq_diag *diag);

#endif
