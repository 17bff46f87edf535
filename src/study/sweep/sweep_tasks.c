/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/sweep/sweep_tasks.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/map.h"
#include "common/record.h"
#include "store/maintenance.h"

static uint64_t key_number(const char *key)
{
  char half[17] = {0};
  memcpy(half, key, 16);
  return strtoull(half, NULL, 16);
}

aq_status aq_sweep_shard_read(const char *text, uint32_t *shard,
                              uint32_t *shards, aq_diag *diag)
{
  unsigned i = 0, n = 0;
  char left;
  *shard = 0;
  *shards = 1;
  if (!text)
    return AQ_OK;
  if (sscanf(text, "%u/%u%c", &i, &n, &left) != 2 || i == 0 || n == 0 || i > n)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "shard %s: expected I/N, I from 1 to N", text);
  *shard = i - 1;
  *shards = n;
  return AQ_OK;
}

int64_t aq_sweep_cores(void)
{
  const char *given = getenv("SLURM_CPUS_PER_TASK");
  const int64_t task = given ? strtoll(given, NULL, 10) : 0;
  cpu_set_t set;
  if (task > 0)
    return task;
  return sched_getaffinity(0, sizeof set, &set) == 0
             ? CPU_COUNT(&set)
             : sysconf(_SC_NPROCESSORS_ONLN);
}

aq_status aq_sweep_tasks_make(const aq_sweep *sweep, uint32_t shard,
                              uint32_t shards, aq_sweep_tasks *out,
                              aq_diag *diag)
{
  const aq_plan *plan = sweep->plan;
  aq_keyring ring = {.sweep = sweep};
  aq_status status = AQ_OK;
  *out = (aq_sweep_tasks){
      .list = calloc(plan->count / shards + 1, sizeof *out->list)};
  if (!out->list)
    return aq_diag_no_memory(diag);
  aq_map seen = AQ_MAP_INIT;
  for (size_t i = 0; i < plan->count && status == AQ_OK; i++) {
    const aq_plan_point *point = &plan->points[i];
    char key[AQ_POINT_KEY_SIZE];
    bool repeated = false;
    status = aq_point_key(&ring, point, key, diag);
    if (status != AQ_OK)
      aq_diag_prefix(diag, "point %zu%s%s", i, point->device ? ", device " : "",
                     point->device ? point->device : "");
    else if (aq_map_get(&seen, key_number(key), NULL))
      repeated = true;
    else if (!aq_map_put(&seen, key_number(key), i))
      status = aq_diag_no_memory(diag);
    if (status != AQ_OK || i % shards != shard)
      continue;
    out->repeated += repeated;
    if (repeated)
      continue;
    aq_sweep_task *task = &out->list[out->count++];
    task->point = point;
    task->run = task->failed_run = AQ_NONE;
    memcpy(task->key, key, sizeof key);
  }
  out->distinct = seen.count;
  aq_map_fini(&seen);
  return status;
}

void aq_sweep_tasks_fini(aq_sweep_tasks *tasks)
{
  free(tasks->list);
  *tasks = (aq_sweep_tasks){0};
}

size_t aq_sweep_tasks_left(const aq_sweep_tasks *tasks)
{
  return tasks->count - tasks->known - tasks->skipped;
}

/* ---- points that the store has ---- */

typedef struct finder {
  aq_sweep_tasks *tasks;
  aq_map numbers; /* first half of the key → task */
} finder;

/* A point that failed and was run later is known. */
static void known_mark(const char *key, int64_t run, const char *failed,
                       void *user)
{
  finder *f = user;
  uint64_t at;
  if (strlen(key) != AQ_POINT_KEY_SIZE - 1 ||
      !aq_map_get(&f->numbers, key_number(key), &at))
    return;
  aq_sweep_task *task = &f->tasks->list[at];
  if (strcmp(task->key, key) != 0 || task->run != AQ_NONE)
    return;
  if (failed) {
    task->failed_run = run;
    return;
  }
  task->run = run;
  f->tasks->known++;
}

/* Runs get ids in the order of the plan, whichever ends first. */
static aq_status ids_reserve(aq_sweep_tasks *tasks, aq_store *store,
                             aq_diag *diag)
{
  const size_t left = aq_sweep_tasks_left(tasks);
  int64_t next = AQ_NONE;
  aq_status status =
      left ? aq_store_reserve(store, (int64_t)left, &next, diag) : AQ_OK;
  for (size_t i = 0; i < tasks->count && status == AQ_OK; i++) {
    aq_sweep_task *task = &tasks->list[i];
    task->id = aq_sweep_task_is_free(task) ? next++ : AQ_NONE;
  }
  return status;
}

aq_status aq_sweep_tasks_find(aq_sweep_tasks *tasks, aq_store *store,
                              bool retry, aq_diag *diag)
{
  finder f = {tasks, AQ_MAP_INIT};
  aq_status status = AQ_OK;
  for (size_t i = 0; i < tasks->count && status == AQ_OK; i++)
    if (!aq_map_put(&f.numbers, key_number(tasks->list[i].key), i))
      status = aq_diag_no_memory(diag);
  if (status == AQ_OK)
    status = aq_store_keys(store, known_mark, &f, diag);
  aq_map_fini(&f.numbers);
  for (size_t i = 0; i < tasks->count; i++) {
    aq_sweep_task *task = &tasks->list[i];
    task->skip = task->run == AQ_NONE && task->failed_run != AQ_NONE && !retry;
    tasks->skipped += task->skip;
  }
  return status == AQ_OK ? ids_reserve(tasks, store, diag) : status;
}
