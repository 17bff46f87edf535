/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/sweep_tasks.h"

#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "common/record.h"

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
  for (size_t i = shard; i < plan->count && status == AQ_OK; i += shards) {
    aq_sweep_task *task = &out->list[out->count++];
    task->point = &plan->points[i];
    task->run = task->failed_run = AQ_NONE;
    status = aq_point_key(&ring, task->point, task->key, diag);
    if (status != AQ_OK)
      aq_diag_prefix(diag, "point %zu%s%s", i,
                     task->point->device ? ", device " : "",
                     task->point->device ? task->point->device : "");
  }
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

static uint64_t key_number(const char *key)
{
  char half[17] = {0};
  memcpy(half, key, 16);
  return strtoull(half, NULL, 16);
}

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
  return status;
}
