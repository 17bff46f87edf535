/* SPDX-License-Identifier: MIT */
/* What policies ask of the dispatcher: other compute units, stopped workgroups,
 * and what there is room for. */
#include "config.h"

#include <string.h>

#include "backend_sim/dispatch/dispatcher_priv.h"

/* Gives a part the workgroups of complexes that lack compute units for them. */
static void part_add(aqsim_part *part, const aqsim_cu_bits *cus,
                     const uint64_t more[AQSIM_FRESH], bool force)
{
  if (more[AQSIM_BODY] + more[AQSIM_TAIL] == 0 && !force)
    return;
  if (!part->open) {
    for (int class = 0; class < AQSIM_CLASSES; class ++)
      part->left[class] = 0;
    aqsim_part_open(part, cus);
  }
  part->left[AQSIM_BODY] += more[AQSIM_BODY];
  part->left[AQSIM_TAIL] += more[AQSIM_TAIL];
}

/* Takes the workgroups that have not started from the complexes without compute
 * units; a part with nothing else ends. */
static void grid_take(aqsim_grid *grid, const aqsim_cu_set *set,
                      uint64_t taken[AQSIM_FRESH])
{
  const aqsim_dispatcher *d = grid->dispatcher;
  for (uint32_t i = 0; i < d->xcc_count; i++) {
    aqsim_part *part = &grid->parts[i];
    if (!part->open || aqsim_cu_set_count_of(set, i) > 0)
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
  while (aqsim_cu_set_count_of(set, to) == 0)
    to++;
  for (uint32_t i = 0; i < d->xcc_count; i++) {
    aqsim_part *part = &grid->parts[i];
    if (!part->open || aqsim_cu_set_count_of(set, i) > 0 ||
        !part->left[AQSIM_SAVED])
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
  const uint64_t xccs = aqsim_cu_set_xccs(d, cus);
  uint64_t place = 0;
  for (uint32_t i = 0; i < d->xcc_count; i++) {
    if (aqsim_cu_set_count_of(cus, i) == 0)
      continue;
    uint64_t more[AQSIM_FRESH];
    for (int class = 0; class < AQSIM_FRESH; class ++)
      more[class] = taken[class] / xccs + (place < taken[class] % xccs);
    part_add(&grid->parts[i], &cus->of[i], more, false);
    place++;
  }
  grid_take_saved(grid, cus);
}

void aqsim_grid_budget(aqsim_grid *grid, aq_time now, uint32_t budget)
{
  const aqsim_dispatcher *d = grid->dispatcher;
  uint32_t parts = 0, place = 0;
  aqsim_grid_advance(grid, now);
  for (uint32_t i = 0; i < d->xcc_count; i++)
    parts += grid->parts[i].open;
  for (uint32_t i = 0; i < d->xcc_count; i++)
    if (grid->parts[i].open)
      aqsim_part_budget(&grid->parts[i],
                        budget ? aqsim_budget_share(budget, parts, place++)
                               : 0);
}

bool aqsim_grid_stop(aqsim_grid *grid, aq_time now, const aqsim_cu_set *where,
                     bool save, aq_time until, aqsim_stopped *out)
{
  const aqsim_dispatcher *d = grid->dispatcher;
  *out = (aqsim_stopped){0};
  aqsim_grid_advance(grid, now);
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
  aqsim_grid_advance(grid, now);
  for (uint32_t i = 0; i < d->xcc_count; i++)
    if (grid->parts[i].open)
      aqsim_part_divide(&grid->parts[i]);
}

/* The time that all running workgroups together have left. */
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
        if (!aqsim_cu_set_has(where, i, part->xcc->workgroups[w].cu))
          continue;
        count++;
        *drained = aq_time_max(*drained, part->xcc->workgroups[w].end);
      }
  }
  return count;
}

void aqsim_dispatcher_rooms(aqsim_dispatcher *d, aq_time now,
                            const aqsim_grid *grid, const aq_resources *need,
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
      if (aqsim_cu_set_has(cus, i, cu))
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
