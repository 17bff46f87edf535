/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/grid/workgroups.h"

#include <stdlib.h>

#include "gpu/wave/core/observe.h"
#include "gpu/wave/core/work_counters.h"
#include "gpu/wave/grid/schedule.h"
#include "gpu/wave/grid/wave_init.h"
#include "gpu/wave/threads/pool.h"

bool aq_wave_groups_have_more(const aq_wave_grid *grid)
{
  return __atomic_load_n(&grid->share->group_next, __ATOMIC_RELAXED) <
         grid->group_count;
}

static void group_unobserve(const aq_wave_grid *grid, aq_wave_group *group)
{
  if (group->observed)
    grid->observer->group_end(group);
  group->observed = NULL;
}

static void group_free(aq_wave_grid *grid, aq_wave_group *group)
{
  group_unobserve(grid, group);
  aq_work_counters_free(group);
  for (uint32_t i = 0; group->waves && i < grid->waves; i++)
    if (group->waves[i])
      aq_wave_pool_release(grid->pool, group->waves[i]);
  free(group->waves);
  free(group->lds);
  free(group);
}

static bool wave_alloc(aq_wave_grid *grid, aq_wave_group *group, uint32_t i)
{
  aq_wave *w = aq_wave_pool_acquire(grid->pool, grid->scratch_size);
  group->waves[i] = w;
  if (!w)
    return false;
  w->grid = grid;
  w->group = group;
  w->number = i;
  return true;
}

static aq_wave_group *group_alloc(aq_wave_grid *grid)
{
  aq_wave_group *group = grid->free;
  if (group) {
    grid->free = group->next;
    return group;
  }
  group = calloc(1, sizeof *group);
  if (!group)
    return NULL;
  group->grid = grid;
  group->waves = calloc(grid->waves, sizeof(aq_wave *));
  group->lds = calloc(1, grid->lds_size + AQ_WAVE_LDS_BEHIND);
  bool ok = group->waves && group->lds;
  for (uint32_t i = 0; ok && i < grid->waves; i++)
    ok = wave_alloc(grid, group, i);
  if (ok)
    return group;
  group_free(grid, group);
  return NULL;
}

/* Whether no other thread has a part of the grid. */
static bool grid_is_alone(const aq_wave_grid *grid)
{
  return grid->part_count == 0 && grid->share == &grid->own_share;
}

bool aq_wave_groups_claim(aq_wave_grid *grid, uint64_t *number)
{
  aq_wave_grid_shared *share = grid->share;
  if (grid->tally && aq_work_counters_holds(grid->tally))
    return false;
  if (grid_is_alone(grid)) {
    if (grid->tally)
      share->group_next = aq_work_counters_next(grid, share->group_next);
    if (!aq_wave_groups_have_more(grid) ||
        share->resident >= grid->residents_max)
      return false;
    share->resident++;
    *number = share->group_next++;
    return true;
  }
  if (__atomic_load_n(&share->group_next, __ATOMIC_RELAXED) >= share->group_end)
    return false;
  /* Order between threads: the workgroups' memory is the program's affair. */
  if (__atomic_fetch_add(&share->resident, 1, __ATOMIC_RELAXED) <
      grid->residents_max) {
    *number = __atomic_load_n(&share->group_next, __ATOMIC_RELAXED);
    while (*number < share->group_end)
      if (__atomic_compare_exchange_n(&share->group_next, number, *number + 1,
                                      true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        return true;
  }
  __atomic_fetch_sub(&share->resident, 1, __ATOMIC_RELAXED);
  return false;
}

bool aq_wave_groups_start(aq_wave_grid *grid, uint64_t number)
{
  const uint64_t place = number;
  if (grid->shuffle)
    number = aq_wave_schedule_place(grid->shuffle, number, grid->group_count);
  aq_wave_group *group = group_alloc(grid);
  if (!group)
    return false;
  aq_wave_start_group(group, number);
  group->ended = group->waiting = group->opened = 0;
  group->splits = false;
  group->wave_count = grid->waves;
  group->next = NULL;
  for (uint32_t i = 0; i < grid->waves; i++)
    group->waves[i]->state = AQ_WAVE_ENDED;
  if (grid->last)
    grid->last->next = group;
  else
    grid->first = group;
  grid->last = group;
  /* Reads arguments: the guard may leave here, so the group is in its list. */
  for (uint32_t i = 0; i < grid->waves; i++) {
    aq_wave_start(group->waves[i]);
    /* A smaller workgroup at the edge of the grid has fewer waves. */
    if (AQ_WAVE_EXEC(group->waves[i]) == 0) {
      group->waves[i]->state = AQ_WAVE_ENDED;
      group->ended++;
    }
  }
  if (grid->tally && !aq_work_counters_group(group, place))
    return false;
  return !grid->observer || grid->observer->group_begin(group);
}

/* Whether every wave that has not ended arrived at the next barrier. */
static bool barrier_is_met(const aq_wave_group *group)
{
  if (!group->splits)
    return group->waiting + group->ended == group->wave_count;
  for (uint32_t i = 0; i < group->wave_count; i++)
    if (group->waves[i]->state != AQ_WAVE_ENDED &&
        group->waves[i]->arrived <= group->opened)
      return false;
  return true;
}

bool aq_wave_groups_open_barrier(aq_wave_group *group)
{
  bool released = false;
  const bool opens = barrier_is_met(group);
  if (!opens && !group->splits)
    return false;
  group->opened += opens;
  if (opens && group->observed)
    group->grid->observer->barrier(group);
  if (opens && group->counts)
    aq_work_counters_barrier(group);
  for (uint32_t i = 0; i < group->wave_count; i++) {
    aq_wave *w = group->waves[i];
    if (w->state != AQ_WAVE_BARRIER || w->passed == group->opened)
      continue;
    w->state = AQ_WAVE_RUNS;
    w->passed++;
    group->waiting--;
    released = true;
  }
  return released;
}

void aq_wave_groups_retire(aq_wave_grid *grid, aq_wave_group *group,
                           aq_wave_group *before)
{
  if (before)
    before->next = group->next;
  else
    grid->first = group->next;
  if (grid->last == group)
    grid->last = before;
  if (grid_is_alone(grid))
    grid->share->resident--;
  else
    __atomic_fetch_sub(&grid->share->resident, 1, __ATOMIC_RELAXED);
  group_unobserve(grid, group);
  aq_work_counters_retire(group);
  group->next = grid->free;
  grid->free = group;
}

bool aq_wave_groups_are_full(const aq_wave_grid *grid)
{
  return !aq_wave_groups_have_more(grid) ||
         __atomic_load_n(&grid->share->resident, __ATOMIC_RELAXED) >=
             grid->residents_max;
}

void aq_wave_groups_free(aq_wave_grid *grid)
{
  aq_wave_group *lists[] = {grid->first, grid->free};
  for (int i = 0; i < 2; i++)
    while (lists[i]) {
      aq_wave_group *group = lists[i];
      lists[i] = group->next;
      group_free(grid, group);
    }
}
