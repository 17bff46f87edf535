/* SPDX-License-Identifier: MIT */
#include "backend_sim/dispatcher.h"

#include <stdlib.h>
#include <string.h>

#include "backend_sim/xcc.h"

struct aqsim_dispatcher {
  uint32_t xcc_count;
  uint32_t cus;
  aqsim_resources cu; /* an empty one */
  bool counts;        /* workgroups by compute unit */
  aq_time used;       /* by the grid that ended last */
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

bool aqsim_cu_set_less(const aqsim_cu_set *set, const aqsim_cu_set *less,
                       aqsim_cu_set *out)
{
  *out = (aqsim_cu_set){0};
  for (uint32_t i = 0; i < AQSIM_XCCS_MAX; i++) {
    for (int w = 0; w < AQSIM_CU_WORDS; w++)
      out->of[i].word[w] = set->of[i].word[w] & ~less->of[i].word[w];
    out->count += set_count_of(out, i);
  }
  return out->count > 0;
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

static void part_open(aqsim_part *part, const aqsim_cu_bits *cus)
{
  for (int class = 0; class < AQSIM_CLASSES; class ++)
    part->first[class] = part->last[class] = 0;
  part->running = part->leaving = 0;
  part->saved_first = 0;
  part->refused = false;
  part->arrived = false;
  part->end = AQ_TIME_NONE;
  part->cus = *cus;
  aqsim_part_open(part);
}

/* A budget is dealt like workgroups; nobody goes without. */
static uint32_t budget_share(uint32_t budget, uint32_t xccs, uint32_t place)
{
  const uint32_t share = budget / xccs + (place < budget % xccs);
  return share ? share : 1;
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
    part->cus = set->of[i];
    part->issued = 0;
    part->left[AQSIM_SAVED] = 0;
    part->budget = 0;
    if (desc->limits.budget && cus)
      part->budget = budget_share(desc->limits.budget, xccs, place);
    const uint64_t workgroups =
        cus ? desc->workgroups / xccs + (place++ < desc->workgroups % xccs) : 0;
    part_classes(part, desc, workgroups, cus);
    if (workgroups)
      part_open(part, &set->of[i]);
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
  grid->most = aqsim_occupancy(&d->cu, &desc->need, NULL);
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

bool aqsim_grid_look(aqsim_grid *grid, aq_time now, aq_time *first,
                     aq_time *end)
{
  grid_advance(grid, now);
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
                     const uint64_t more[AQSIM_FRESH], bool force)
{
  if (more[AQSIM_BODY] + more[AQSIM_TAIL] == 0 && !force)
    return;
  if (!part->open) {
    for (int class = 0; class < AQSIM_CLASSES; class ++)
      part->left[class] = 0;
    part_open(part, cus);
  }
  part->left[AQSIM_BODY] += more[AQSIM_BODY];
  part->left[AQSIM_TAIL] += more[AQSIM_TAIL];
}

/* Takes what has not started from the complexes without compute units; a part
 * with nothing else ends. */
static void grid_take(aqsim_grid *grid, const aqsim_cu_set *set,
                      uint64_t taken[AQSIM_FRESH])
{
  const aqsim_dispatcher *d = grid->dispatcher;
  for (uint32_t i = 0; i < d->xcc_count; i++) {
    aqsim_part *part = &grid->parts[i];
    if (!part->open || set_count_of(set, i) > 0)
      continue;
    for (int class = 0; class < AQSIM_FRESH; class ++) {
      taken[class] += part->left[class];
      part->left[class] = 0;
    }
    if (part->running == 0 && part->left[AQSIM_SAVED] == 0)
      aqsim_part_close(part);
  }
}

/* Saved workgroups go where there are compute units; the first complex takes
 * them all. */
static void grid_take_saved(aqsim_grid *grid, const aqsim_cu_set *set)
{
  const aqsim_dispatcher *d = grid->dispatcher;
  const uint64_t none[AQSIM_FRESH] = {0, 0};
  uint32_t to = 0;
  while (set_count_of(set, to) == 0)
    to++;
  for (uint32_t i = 0; i < d->xcc_count; i++) {
    aqsim_part *part = &grid->parts[i];
    if (!part->open || set_count_of(set, i) > 0 || !part->left[AQSIM_SAVED])
      continue;
    part_add(&grid->parts[to], &set->of[to], none, true);
    /* Without memory they wait where they are. */
    if (aqsim_part_adopt(&grid->parts[to], part) && part->running == 0)
      aqsim_part_close(part);
  }
}

void aqsim_grid_mask(aqsim_grid *grid, aq_time now, const aqsim_cu_set *cus)
{
  aqsim_dispatcher *d = grid->dispatcher;
  uint64_t taken[AQSIM_FRESH] = {0, 0};
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
    uint64_t more[AQSIM_FRESH];
    for (int class = 0; class < AQSIM_FRESH; class ++)
      more[class] = taken[class] / xccs + (place < taken[class] % xccs);
    part_add(&grid->parts[i], &cus->of[i], more, false);
    place++;
  }
  grid_take_saved(grid, cus);
}

/* ---- what a policy asks for ---- */

void aqsim_grid_budget(aqsim_grid *grid, aq_time now, uint32_t budget)
{
  const aqsim_dispatcher *d = grid->dispatcher;
  uint32_t parts = 0, place = 0;
  grid_advance(grid, now);
  for (uint32_t i = 0; i < d->xcc_count; i++)
    parts += grid->parts[i].open;
  for (uint32_t i = 0; i < d->xcc_count; i++)
    if (grid->parts[i].open)
      aqsim_part_budget(&grid->parts[i],
                        budget ? budget_share(budget, parts, place++) : 0);
}

bool aqsim_grid_stop(aqsim_grid *grid, aq_time now, const aqsim_cu_set *where,
                     bool save, aq_time until, aqsim_stopped *out)
{
  const aqsim_dispatcher *d = grid->dispatcher;
  *out = (aqsim_stopped){0};
  grid_advance(grid, now);
  for (uint32_t i = 0; i < d->xcc_count; i++)
    if (grid->parts[i].open &&
        !aqsim_part_stop(&grid->parts[i], where ? &where->of[i] : NULL, save,
                         until, out))
      return false;
  return true;
}

/* Its parts as single workgroups at `now`. */
static void grid_divide(aqsim_grid *grid, aq_time now)
{
  const aqsim_dispatcher *d = grid->dispatcher;
  grid_advance(grid, now);
  for (uint32_t i = 0; i < d->xcc_count; i++)
    if (grid->parts[i].open)
      aqsim_part_divide(&grid->parts[i]);
}

/* What those that run have left together. */
static aq_time part_unfinished(const aqsim_part *part, aq_time now)
{
  aq_time sum = 0;
  for (int class = 0; class < AQSIM_LEAVING; class ++)
    for (uint32_t i = part->first[class]; i; i = part->xcc->workgroups[i].next)
      sum += part->xcc->workgroups[i].end - now;
  return sum;
}

void aqsim_grid_state_get(aqsim_grid *grid, aq_time now, aqsim_grid_state *out)
{
  const aqsim_dispatcher *d = grid->dispatcher;
  *out = (aqsim_grid_state){.workgroups = grid->workgroups,
                            .issued = grid->workgroups,
                            .drained = now};
  grid_divide(grid, now);
  uint64_t saved = 0;
  for (uint32_t i = 0; i < d->xcc_count; i++) {
    const aqsim_part *part = &grid->parts[i];
    out->used += part->issued;
    if (!part->open)
      continue;
    out->issued -= part->left[AQSIM_BODY] + part->left[AQSIM_TAIL];
    saved += part->left[AQSIM_SAVED];
    out->running += part->running - part->leaving;
    if (part->running)
      out->drained = aq_time_max(out->drained, part->end);
    out->used -= part_unfinished(part, now);
  }
  out->finished = out->issued - out->running - saved;
}

static bool set_has(const aqsim_cu_set *set, uint32_t xcc, uint32_t cu)
{
  return set->of[xcc].word[cu / 64] >> cu % 64 & 1;
}

uint64_t aqsim_grid_count_on(aqsim_grid *grid, aq_time now,
                             const aqsim_cu_set *where, aq_time *drained)
{
  const aqsim_dispatcher *d = grid->dispatcher;
  uint64_t count = 0;
  *drained = now;
  grid_divide(grid, now);
  for (uint32_t i = 0; i < d->xcc_count; i++) {
    const aqsim_part *part = &grid->parts[i];
    for (int class = 0; part->open && class < AQSIM_CLASSES; class ++)
      for (uint32_t w = part->first[class]; w;
           w = part->xcc->workgroups[w].next) {
        if (!set_has(where, i, part->xcc->workgroups[w].cu))
          continue;
        count++;
        *drained = aq_time_max(*drained, part->xcc->workgroups[w].end);
      }
  }
  return count;
}

void aqsim_dispatcher_rooms(aqsim_dispatcher *d, aq_time now,
                            const aqsim_grid *grid, const aqsim_resources *need,
                            uint32_t most, const aqsim_cu_set *cus,
                            aqsim_cu_room *out)
{
  memset(out, 0, d->cus * sizeof *out);
  for (uint32_t i = 0; i < d->xcc_count; i++) {
    aqsim_xcc *xcc = &d->xccs[i];
    aqsim_xcc_advance(xcc, now);
    if (xcc->alone)
      aqsim_part_divide(xcc->alone);
    const aqsim_part *mine =
        grid && grid->parts[i].open ? &grid->parts[i] : NULL;
    for (uint32_t cu = 0; cu < xcc->cu_count; cu++)
      if (set_has(cus, i, cu))
        out[i + cu * d->xcc_count].free =
            aqsim_xcc_free(xcc, mine, need, most, cu);
    for (const aqsim_part *p = xcc->parts; p && p->arrived; p = p->next)
      for (uint32_t cu = 0; p->mine && cu < xcc->cu_count; cu++)
        *(p == mine ? &out[i + cu * d->xcc_count].mine
                    : &out[i + cu * d->xcc_count].other) += p->mine[cu];
  }
}

void aqsim_dispatcher_watch(aqsim_dispatcher *d, aqsim_watch *watch)
{
  d->counts = true;
  for (uint32_t i = 0; i < d->xcc_count; i++)
    d->xccs[i].watch = watch;
}

aq_time aqsim_dispatcher_next(aqsim_dispatcher *d, aq_time now)
{
  aq_time next = AQ_TIME_MAX;
  for (uint32_t i = 0; i < d->xcc_count; i++) {
    aqsim_xcc_advance(&d->xccs[i], now);
    next = aq_time_min(next, aqsim_xcc_next(&d->xccs[i]));
  }
  return next;
}

void aqsim_dispatcher_ask(aqsim_dispatcher *d, aq_time now)
{
  for (uint32_t i = 0; i < d->xcc_count; i++) {
    aqsim_xcc_advance(&d->xccs[i], now);
    for (aqsim_part *p = d->xccs[i].parts; p; p = p->next)
      p->refused = false;
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
