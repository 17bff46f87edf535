/* SPDX-License-Identifier: MIT */
#include "backend_sim/dispatcher.h"

#include <stdlib.h>

#include "backend_sim/xcc.h"

struct aqsim_dispatcher {
  uint32_t xcc_count;
  aqsim_resources cu; /* an empty one */
  uint64_t submitted;
  aqsim_grid *free;
  aqsim_xcc xccs[];
};

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

static uint32_t set_count_of(const aqsim_cu_set *set, uint32_t xcc)
{
  uint32_t count = 0;
  for (int i = 0; i < AQSIM_CU_WORDS; i++)
    count += (uint32_t)__builtin_popcountll(set->of[xcc].word[i]);
  return count;
}

/* How many complexes have any of them. */
static uint32_t set_xccs(const aqsim_dispatcher *d, const aqsim_cu_set *set)
{
  uint32_t count = 0;
  for (uint32_t i = 0; i < d->xcc_count; i++)
    count += set_count_of(set, i) > 0;
  return count;
}

/* ---- life ---- */

aqsim_dispatcher *aqsim_dispatcher_create(const aqsim_model *model)
{
  const uint32_t count = (uint32_t)model->xccs, cus = (uint32_t)model->cus;
  aqsim_dispatcher *d = calloc(1, sizeof *d + count * sizeof d->xccs[0]);
  if (!d)
    return NULL;
  d->cu = aqsim_cu_resources(model);
  while (d->xcc_count < count) {
    const uint32_t i = d->xcc_count++;
    const uint32_t own = cus > i ? (cus - i - 1) / count + 1 : 0;
    if (!aqsim_xcc_init(&d->xccs[i], model, own)) {
      aqsim_dispatcher_destroy(d);
      return NULL;
    }
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

static void part_open(aqsim_part *part, const aqsim_cu_bits *cus)
{
  part->first[AQSIM_BODY] = part->first[AQSIM_TAIL] = 0;
  part->last[AQSIM_BODY] = part->last[AQSIM_TAIL] = 0;
  part->running = 0;
  part->arrived = false;
  part->end = AQ_TIME_NONE;
  part->cus = *cus;
  aqsim_part_open(part);
}

/* Workgroup n goes to the n-th complex, round robin over those that may have
 * any. */
static void grid_deal(aqsim_grid *grid, const aqsim_grid_desc *desc)
{
  const aqsim_dispatcher *d = grid->dispatcher;
  const aqsim_cu_set *set = desc->cus;
  const uint32_t xccs = set_xccs(d, set);
  uint32_t place = 0;
  for (uint32_t i = 0; i < d->xcc_count; i++) {
    aqsim_part *part = &grid->parts[i];
    const uint32_t cus = set_count_of(set, i);
    part->open = false;
    const uint64_t workgroups =
        cus ? desc->workgroups / xccs + (place++ < desc->workgroups % xccs) : 0;
    part_classes(part, desc, workgroups, cus);
    if (workgroups)
      part_open(part, &set->of[i]);
  }
}

aqsim_grid *aqsim_grid_submit(aqsim_dispatcher *d, const aqsim_grid_desc *desc)
{
  aqsim_grid *grid = grid_alloc(d);
  if (!grid)
    return NULL;
  grid->number = ++d->submitted;
  grid->start = desc->start;
  grid->first = AQ_TIME_MAX;
  grid->need = desc->need;
  grid->rank = desc->rank;
  grid->most = aqsim_occupancy(&d->cu, &desc->need, NULL);
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

uint32_t aqsim_grid_room(const aqsim_grid *grid, aqsim_resource *limit)
{
  return aqsim_occupancy(&grid->dispatcher->cu, &grid->need, limit);
}

static void grid_advance(aqsim_grid *grid, aq_time now)
{
  aqsim_dispatcher *d = grid->dispatcher;
  for (uint32_t i = 0; i < d->xcc_count; i++)
    if (grid->parts[i].open)
      aqsim_xcc_advance(&d->xccs[i], now);
}

bool aqsim_grid_look(aqsim_grid *grid, aq_time now, aq_time *first,
                     aq_time *end)
{
  grid_advance(grid, now);
  if (grid->open > 0)
    return false;
  *first = grid->first;
  *end = grid->end;
  grid_free(grid);
  return true;
}

void aqsim_grid_cancel(aqsim_grid *grid, aq_time now)
{
  const aqsim_dispatcher *d = grid->dispatcher;
  grid_advance(grid, now);
  for (uint32_t i = 0; i < d->xcc_count; i++)
    if (grid->parts[i].open)
      aqsim_part_cancel(&grid->parts[i]);
  grid_free(grid);
}

void aqsim_grid_hold(aqsim_grid *grid, aq_time now)
{
  const aqsim_dispatcher *d = grid->dispatcher;
  grid_advance(grid, now);
  grid->held = true;
  for (uint32_t i = 0; i < d->xcc_count; i++)
    if (grid->parts[i].open)
      aqsim_part_divide(&grid->parts[i]);
}

void aqsim_grid_release(aqsim_grid *grid, aq_time now)
{
  grid_advance(grid, now);
  grid->held = false;
}

/* Gives a part what other complexes have no compute units for. */
static void part_add(aqsim_part *part, const aqsim_cu_bits *cus,
                     const uint64_t more[AQSIM_CLASSES])
{
  if (more[AQSIM_BODY] + more[AQSIM_TAIL] == 0)
    return;
  if (!part->open) {
    part->left[AQSIM_BODY] = part->left[AQSIM_TAIL] = 0;
    part_open(part, cus);
  }
  part->left[AQSIM_BODY] += more[AQSIM_BODY];
  part->left[AQSIM_TAIL] += more[AQSIM_TAIL];
}

/* Takes what has not started from the complexes without compute units; a part
 * with nothing else ends. */
static void grid_take(aqsim_grid *grid, const aqsim_cu_set *set,
                      uint64_t taken[AQSIM_CLASSES])
{
  const aqsim_dispatcher *d = grid->dispatcher;
  for (uint32_t i = 0; i < d->xcc_count; i++) {
    aqsim_part *part = &grid->parts[i];
    if (!part->open || set_count_of(set, i) > 0)
      continue;
    for (int class = 0; class < AQSIM_CLASSES; class ++) {
      taken[class] += part->left[class];
      part->left[class] = 0;
    }
    if (part->running == 0)
      aqsim_part_close(part);
  }
}

void aqsim_grid_mask(aqsim_grid *grid, aq_time now, const aqsim_cu_set *cus)
{
  aqsim_dispatcher *d = grid->dispatcher;
  uint64_t taken[AQSIM_CLASSES] = {0, 0};
  for (uint32_t i = 0; i < d->xcc_count; i++) {
    aqsim_xcc_advance(&d->xccs[i], now);
    if (grid->parts[i].open)
      aqsim_part_mask(&grid->parts[i], &cus->of[i]);
  }
  grid_take(grid, cus, taken);
  const uint64_t xccs = set_xccs(d, cus);
  uint64_t place = 0;
  for (uint32_t i = 0; i < d->xcc_count; i++) {
    if (set_count_of(cus, i) == 0)
      continue;
    uint64_t more[AQSIM_CLASSES];
    for (int class = 0; class < AQSIM_CLASSES; class ++)
      more[class] = taken[class] / xccs + (place < taken[class] % xccs);
    part_add(&grid->parts[i], &cus->of[i], more);
    place++;
  }
}

void aqsim_dispatcher_look(aqsim_dispatcher *d, aq_time now,
                           aqsim_dispatcher_sample *out)
{
  *out = (aqsim_dispatcher_sample){0};
  for (uint32_t i = 0; i < d->xcc_count; i++) {
    aqsim_xcc_advance(&d->xccs[i], now);
    aqsim_xcc_look(&d->xccs[i], out);
  }
}
