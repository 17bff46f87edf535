/* SPDX-License-Identifier: MIT */
/*
 * A folder that runs a plan on a cluster, and can be copied there: the plan
 * with every file that it names, a MANIFEST of all points, and scripts. Shards
 * leave their stores and write `progress/`, from which aq_sweep_folder_status
 * reads without asking the cluster (doc/studies.md).
 *
 * One thread; texts are borrowed for the call.
 */
#ifndef AQ_STUDY_SWEEP_SWEEP_FOLDER_H
#define AQ_STUDY_SWEEP_SWEEP_FOLDER_H

#include <stdio.h>

#include "study/sweep/sweep_tasks.h"

/* E(name, its scripts) */
#define AQ_SWEEP_ENGINES(E)                                                    \
  E(slurm, "array.sbatch and merge.sbatch")                                    \
  E(parallel, "commands.txt for GNU parallel")                                 \
  E(condor, "sweep.sub for HTCondor")

typedef enum aq_sweep_engine {
#define E(name, scripts) AQ_SWEEP_##name,
  AQ_SWEEP_ENGINES(E)
#undef E
      AQ_SWEEP_ENGINE_COUNT
} aq_sweep_engine;

/* "slurm", … AQ_ERR_INVALID: none has the name, or NULL. */
aq_status aq_sweep_engine_find(const char *name, aq_sweep_engine *out,
                               aq_diag *diag);

typedef struct aq_sweep_emission {
  const char *plan;    /* file */
  const char *folder;  /* to be made */
  const char *data;    /* as in aq_sweep */
  const char *program; /* absolute path */
  aq_sweep_engine engine;
  uint32_t shards;
  uint32_t cpus; /* of a task */
} aq_sweep_emission;

/* Makes the folder, which must not exist or be empty. *points gets the number
 * of points. AQ_ERR_INPUT: the plan, or a file that the folder cannot carry. */
aq_status aq_sweep_folder_emit(const aq_sweep_emission *emission,
                               size_t *points, aq_diag *diag);

/* The MANIFEST of a folder. */
typedef struct aq_sweep_manifest {
  char version[64];
  uint32_t shards;
  size_t count; /* points */
  char (*keys)[AQ_POINT_KEY_SIZE];
} aq_sweep_manifest;

aq_status aq_sweep_manifest_read(const char *folder, aq_sweep_manifest *out,
                                 aq_diag *diag);
void aq_sweep_manifest_fini(aq_sweep_manifest *manifest);

/* Begins a shard, from 0: *progress gets its file in `progress/`, which the
 * caller closes. Fails where its tasks are not the tasks of the MANIFEST. */
aq_status aq_sweep_folder_join(const char *folder, const aq_sweep_tasks *tasks,
                               uint32_t shard, uint32_t shards, FILE **progress,
                               aq_diag *diag);

/* The lines that the shard adds to its file, "WHAT POINT SECONDS"; task.sh adds
 * "kept" when the store is in the folder, or "lost". NULL: it belongs to no
 * folder. */
void aq_sweep_progress_begin(FILE *progress, const aq_plan *plan,
                             const aq_sweep_tasks *tasks);
void aq_sweep_progress_put(FILE *progress, const char *what, size_t point);
void aq_sweep_progress_touch(FILE *progress);

typedef enum aq_shard_state {
  AQ_SHARD_WAITING, /* never began */
  AQ_SHARD_RUNNING, /* until its store is in the folder */
  AQ_SHARD_STOPPED, /* told that it stops, or silent for two minutes */
  AQ_SHARD_ENDED,
} aq_shard_state;

typedef struct aq_shard {
  aq_shard_state state;
  /* Each of its points is one of: done or failed in the store of a shard; held,
   * done on the node where the shard runs; missing. */
  size_t points, done, failed, held, missing;
  double rate; /* points an hour since it began last; 0: not known */
} aq_shard;

typedef struct aq_sweep_status {
  aq_shard *shards; /* `count` of them */
  uint32_t count;
  size_t points, done, failed, held, missing;
  double rate; /* of running shards, an hour */
} aq_sweep_status;

/* `now` in seconds since 1970, as of files. AQ_ERR_INPUT: a store is
 * damaged. */
aq_status aq_sweep_folder_status(const char *folder, int64_t now,
                                 aq_sweep_status *out, aq_diag *diag);
/* How many points are done, and the command that makes the points that no
 * running shard makes: one line. The caller frees it; NULL: out of memory. */
char *aq_sweep_status_text(const aq_sweep_status *status);
void aq_sweep_status_fini(aq_sweep_status *status);

#endif
