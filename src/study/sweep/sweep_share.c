/* SPDX-License-Identifier: MIT */
/* Runs that a sweep found, and that a study of its plan would not count: of
 * other plans, or from before an edit that was taken back. */
#include "config.h"

#include <stdlib.h>
#include <time.h>

#include "common/map.h"
#include "common/record.h"
#include "study/sweep/candidates.h"
#include "study/sweep/sweep_tasks.h"

typedef struct sharer {
  aq_map counting; /* runs that a study of the plan counts */
  int64_t now_us;
  aq_store_place *places;
  char **points; /* of each place */
  size_t count;
} sharer;

static aq_status counting_find(sharer *s, const char *plan, aq_store *store,
                               aq_diag *diag)
{
  aq_candidates candidates;
  aq_status status =
      aq_candidates_read(store, NULL, 0, plan, false, &candidates, diag);
  if (status != AQ_OK)
    return status;
  for (size_t i = 0; i < candidates.count && status == AQ_OK; i++)
    if (!candidates.of[i].outdated &&
        !aq_map_put(&s->counting, (uint64_t)candidates.of[i].info->id, 1))
      status = aq_diag_no_memory(diag);
  aq_candidates_fini(&candidates);
  return status;
}

static aq_status place_add(sharer *s, const aq_sweep *sweep, aq_store *store,
                           const aq_sweep_task *task, int64_t run,
                           aq_diag *diag)
{
  aq_run_info *info;
  aq_status status = aq_store_run(store, run, &info, diag);
  if (status != AQ_OK)
    return status;
  status = aq_point_place(sweep, task->point, info, &s->points[s->count], diag);
  aq_run_info_free(info);
  if (status != AQ_OK)
    return status;
  s->places[s->count] = (aq_store_place){task->key, sweep->plan->name,
                                         s->points[s->count], s->now_us};
  s->count++;
  return AQ_OK;
}

aq_status aq_sweep_tasks_share(const aq_sweep *sweep,
                               const aq_sweep_tasks *tasks, aq_store *store,
                               aq_diag *diag)
{
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  sharer s = {.counting = AQ_MAP_INIT,
              .now_us = now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000,
              .places = calloc(tasks->count + 1, sizeof *s.places),
              .points = calloc(tasks->count + 1, sizeof *s.points)};
  aq_status status = s.places && s.points
                         ? counting_find(&s, sweep->plan->name, store, diag)
                         : aq_diag_no_memory(diag);
  for (size_t i = 0; i < tasks->count && status == AQ_OK; i++) {
    const aq_sweep_task *task = &tasks->list[i];
    const int64_t run = task->run != AQ_NONE ? task->run : task->failed_run;
    if (run != AQ_NONE && !aq_map_get(&s.counting, (uint64_t)run, NULL))
      status = place_add(&s, sweep, store, task, run, diag);
  }
  if (status == AQ_OK && s.count)
    status = aq_store_places_put(store, s.places, s.count, diag);
  for (size_t i = 0; i < s.count; i++)
    free(s.points[i]);
  free(s.places);
  free(s.points);
  aq_map_fini(&s.counting);
  return status;
}
