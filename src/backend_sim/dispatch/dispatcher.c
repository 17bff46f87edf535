/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/dispatch/dispatcher.h"

#include <stdlib.h>
#include <string.h>

#include "backend_sim/dispatch/dispatcher_priv.h"

/* ---- compute units ---- */

void aqsim_cu_set_add(const aqsim_model *model, aqsim_cu_set *set, uint32_t cu)
{
  const uint32_t xcc = cu % (uint32_t)model->xccs;
  const uint32_t number = cu / (uint32_t)model->xccs;
  set->of[xcc].word[number / 64] |= UINT64_C(1) << number % 64;
  set->count++;
}

void aqsim_cu_set_fill(const aqsim_model *model, aqsim_cu_set *set)
{
  *set = (aqsim_cu_set){0};
  for (uint32_t cu = 0; cu < model->cus; cu++)
    aqsim_cu_set_add(model, set, cu);
}

bool aqsim_cu_set_less(const aqsim_cu_set *set, const aqsim_cu_set *less,
                       aqsim_cu_set *out)
{
  *out = (aqsim_cu_set){0};
  for (uint32_t i = 0; i < AQSIM_XCCS_MAX; i++) {
    for (int w = 0; w < AQSIM_CU_WORDS; w++)
      out->of[i].word[w] = set->of[i].word[w] & ~less->of[i].word[w];
    out->count += aqsim_cu_set_count_of(out, i);
  }
  return out->count > 0;
}

/* ---- life ---- */

aqsim_dispatcher *aqsim_dispatcher_create(const aqsim_model *model)
{
  const uint32_t count = (uint32_t)model->xccs, cus = (uint32_t)model->cus;
  aqsim_dispatcher *d = calloc(1, sizeof *d + count * sizeof d->xccs[0]);
  if (!d)
    return NULL;
  d->cu = aqsim_cu_resources(model);
  d->cus = cus;
  while (d->xcc_count < count) {
    const uint32_t i = d->xcc_count++;
    const uint32_t own = cus > i ? (cus - i - 1) / count + 1 : 0;
    if (!aqsim_xcc_init(&d->xccs[i], model, own)) {
      aqsim_dispatcher_destroy(d);
      return NULL;
    }
    d->xccs[i].ordinal = i;
    d->xccs[i].stride = count;
  }
  return d;
}

static void grid_free(aqsim_grid *grid)
{
  grid->next = grid->dispatcher->free;
  grid->dispatcher->free = grid;
}

void aqsim_dispatcher_destroy(aqsim_dispatcher *d)
{
  if (!d)
    return;
  for (uint32_t i = 0; i < d->xcc_count; i++) {
    while (d->xccs[i].parts) {
      aqsim_grid *grid = d->xccs[i].parts->grid;
      aqsim_part_close(d->xccs[i].parts);
      if (grid->open == 0)
        grid_free(grid);
    }
    aqsim_xcc_fini(&d->xccs[i]);
  }
  while (d->free) {
    aqsim_grid *grid = d->free;
    d->free = grid->next;
    for (uint32_t i = 0; i < d->xcc_count; i++)
      free(grid->parts[i].saved);
    free(grid->mine);
    free(grid);
  }
  free(d);
}

/* ---- grids ---- */

static aqsim_grid *grid_alloc(aqsim_dispatcher *d)
{
  aqsim_grid *grid = d->free;
  if (grid) {
    d->free = grid->next;
    return grid;
  }
  grid = calloc(1, sizeof *grid + d->xcc_count * sizeof grid->parts[0]);
  if (!grid)
    return NULL;
  grid->dispatcher = d;
  for (uint32_t i = 0; i < d->xcc_count; i++) {
    grid->parts[i].grid = grid;
    grid->parts[i].xcc = &d->xccs[i];
  }
  return grid;
}

/* How long a workgroup runs as one of `count` on a compute unit. */
static aq_time workgroup_run(const aqsim_grid_desc *desc, uint64_t count)
{
  if (count > desc->latency_count)
    count = desc->latency_count;
  return aq_time_max(desc->latency[count - 1] - desc->contained, 0);
}

/* Full waves of workgroups run as long as on a full compute unit, the last ones
 * as on one that has its equal part of them. */
static void part_classes(aqsim_part *part, const aqsim_grid_desc *desc,
                         uint64_t workgroups, uint32_t cus)
{
  const uint32_t most = part->grid->most;
  part->duration[AQSIM_BODY] = workgroup_run(desc, most);
  part->duration[AQSIM_TAIL] = part->duration[AQSIM_BODY];
  part->left[AQSIM_BODY] = workgroups;
  part->left[AQSIM_TAIL] = 0;
  if (desc->latency_count == 1 || cus == 0)
    return;
  const uint64_t rest = workgroups % ((uint64_t)cus * most);
  part->left[AQSIM_BODY] -= rest;
  part->left[AQSIM_TAIL] = rest;
  if (rest)
    part->duration[AQSIM_TAIL] = workgroup_run(desc, (rest + cus - 1) / cus);
}

/* Workgroup n goes to the n-th complex, round robin over the complexes that may
 * have any. */
static void grid_deal(aqsim_grid *grid, const aqsim_grid_desc *desc)
{
  const aqsim_dispatcher *d = grid->dispatcher;
  const aqsim_cu_set *set = desc->cus;
  const uint32_t xccs = aqsim_cu_set_xccs(d, set);
  uint32_t place = 0;
  for (uint32_t i = 0; i < d->xcc_count; i++) {
    aqsim_part *part = &grid->parts[i];
    const uint32_t cus = aqsim_cu_set_count_of(set, i);
    part->open = false;
    part->cus = set->of[i];
    part->issued = 0;
    part->left[AQSIM_SAVED] = 0;
    part->budget = 0;
    if (desc->limits.budget && cus)
      part->budget = aqsim_budget_share(desc->limits.budget, xccs, place);
    const uint64_t workgroups =
        cus ? desc->workgroups / xccs + (place++ < desc->workgroups % xccs) : 0;
    part_classes(part, desc, workgroups, cus);
    if (workgroups)
      aqsim_part_open(part, &set->of[i]);
  }
}

/* Its workgroups are counted by compute unit. */
static bool grid_count(aqsim_grid *grid)
{
  const aqsim_dispatcher *d = grid->dispatcher;
  uint32_t at = 0;
  if (!grid->mine)
    grid->mine = malloc(d->cus * sizeof *grid->mine);
  if (!grid->mine)
    return false;
  memset(grid->mine, 0, d->cus * sizeof *grid->mine);
  for (uint32_t i = 0; i < d->xcc_count; i++) {
    grid->parts[i].mine = grid->mine + at;
    at += d->xccs[i].cu_count;
  }
  return true;
}

aqsim_grid *aqsim_grid_submit(aqsim_dispatcher *d, const aqsim_grid_desc *desc)
{
  aqsim_grid *grid = grid_alloc(d);
  if (!grid)
    return NULL;
  if (d->counts && !grid_count(grid)) {
    grid_free(grid);
    return NULL;
  }
  grid->number = ++d->submitted;
  grid->start = desc->start;
  grid->first = AQ_TIME_MAX;
  grid->need = desc->need;
  grid->rank = desc->rank;
  grid->most = aq_resources_count(&d->cu, &desc->need, NULL);
  if (desc->limits.per_cu && desc->limits.per_cu < grid->most)
    grid->most = desc->limits.per_cu;
  grid->workgroups = desc->workgroups;
  grid->limits = desc->limits;
  grid->user = desc->user;
  grid->open = 0;
  grid->held = false;
  grid->end = AQ_TIME_NONE;
  grid_deal(grid, desc);
  return grid;
}

aq_time aqsim_grid_next(const aqsim_grid *grid)
{
  const aqsim_dispatcher *d = grid->dispatcher;
  aq_time next = AQ_TIME_NONE;
  for (uint32_t i = 0; i < d->xcc_count; i++)
    if (grid->parts[i].open)
      next = aq_time_max(next, aqsim_part_next(&grid->parts[i]));
  return next;
}

uint32_t aqsim_grid_room(const aqsim_grid *grid, aq_resource *limit)
{
  return aq_resources_count(&grid->dispatcher->cu, &grid->need, limit);
}

static aq_time grid_issued(const aqsim_grid *grid)
{
  aq_time sum = 0;
  for (uint32_t i = 0; i < grid->dispatcher->xcc_count; i++)
    sum += grid->parts[i].issued;
  return sum;
}

aq_time aqsim_dispatcher_used(const aqsim_dispatcher *d)
{
  return d->used;
}

bool aqsim_grid_scan(aqsim_grid *grid, aq_time now, aq_time *first,
                     aq_time *end)
{
  aqsim_grid_advance(grid, now);
  if (grid->open > 0)
    return false;
  *first = grid->first;
  *end = grid->end;
  grid->dispatcher->used = grid_issued(grid);
  grid_free(grid);
  return true;
}

void aqsim_grid_cancel(aqsim_grid *grid, aq_time now)
{
  const aqsim_dispatcher *d = grid->dispatcher;
  aqsim_grid_advance(grid, now);
  for (uint32_t i = 0; i < d->xcc_count; i++)
    if (grid->parts[i].open)
      aqsim_part_cancel(&grid->parts[i]);
  grid_free(grid);
}

void aqsim_grid_hold(aqsim_grid *grid, aq_time now)
{
  const aqsim_dispatcher *d = grid->dispatcher;
  aqsim_grid_advance(grid, now);
  grid->held = true;
  for (uint32_t i = 0; i < d->xcc_count; i++)
    if (grid->parts[i].open)
      aqsim_part_divide(&grid->parts[i]);
}

void aqsim_grid_release(aqsim_grid *grid, aq_time now)
{
  aqsim_grid_advance(grid, now);
  grid->held = false;
}

void aqsim_dispatcher_scan(aqsim_dispatcher *d, aq_time now,
                           aqsim_dispatcher_sample *out)
{
  *out = (aqsim_dispatcher_sample){0};
  for (uint32_t i = 0; i < d->xcc_count; i++) {
    aqsim_xcc_advance(&d->xccs[i], now);
    aqsim_xcc_scan(&d->xccs[i], out);
  }
}
