/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/dispatch/xcc.h"

#include <assert.h>
#include <stdlib.h>

#include "backend_sim/dispatch/xcc_priv.h"
#include "common/array.h"

/* ---- life ---- */

bool aqsim_xcc_init(aqsim_xcc *xcc, const aqsim_model *model, uint32_t cus)
{
  const aq_resources empty = aqsim_cu_resources(model);
  *xcc = (aqsim_xcc){.now = AQ_TIME_NONE,
                     .free = AQ_TIME_NONE,
                     .interval = model->workgroup_interval * model->xccs,
                     .cu_count = cus,
                     .words = (cus + 63) / 64,
                     .fresh = 1};
  xcc->capacity = 1 + cus * (uint32_t)empty.of[AQ_RESOURCE_WAVES];
  xcc->cus = calloc(cus + 1, sizeof *xcc->cus);
  /* Pages that no workgroup needs stay untouched. */
  xcc->workgroups = malloc(xcc->capacity * sizeof *xcc->workgroups);
  if (!xcc->cus || !xcc->workgroups)
    return false;
  for (uint32_t i = 0; i < cus; i++)
    xcc->cus[i] = empty;
  return true;
}

void aqsim_xcc_fini(aqsim_xcc *xcc)
{
  free(xcc->cus);
  free(xcc->workgroups);
}

/* ---- single workgroups ---- */

/* A compute unit less the padding room that parts other than `part` leave. */
static aq_resources padded_room(const aqsim_xcc *xcc, const aqsim_part *part,
                                uint32_t cu)
{
  aq_resources room = xcc->cus[cu];
  for (const aqsim_part *p = xcc->parts; p && p->arrived; p = p->next)
    for (uint32_t i = p->grid->limits.padding;
         p != part && i > 0 && aqsim_cu_bits_have(&p->cus, cu); i--)
      aq_resources_acquire(&room, &p->grid->need);
  return room;
}

/* Whether another workgroup of a part fits on one of its compute units. */
static bool part_fits(const aqsim_part *part, uint32_t cu)
{
  const aqsim_xcc *xcc = part->xcc;
  if (!aq_resources_fit(&xcc->cus[cu], &part->grid->need) ||
      (part->mine && part->mine[cu] >= part->grid->most))
    return false;
  if (xcc->padded == 0)
    return true;
  const aq_resources room = padded_room(xcc, part, cu);
  return aq_resources_fit(&room, &part->grid->need);
}

uint32_t aqsim_xcc_free(const aqsim_xcc *xcc, const aqsim_part *part,
                        const aq_resources *need, uint32_t most, uint32_t cu)
{
  aq_resources room = padded_room(xcc, part, cu);
  uint32_t count = part && part->mine ? part->mine[cu] : 0, fit = 0;
  for (; count < most && aq_resources_fit(&room, need); count++, fit++)
    aq_resources_acquire(&room, need);
  return fit;
}

/* A compute unit changed: finds the parts that have room there now. */
static void room_update(aqsim_xcc *xcc, uint32_t cu)
{
  for (aqsim_part *p = xcc->parts; p && p->arrived; p = p->next)
    if (aqsim_cu_bits_have(&p->cus, cu))
      aqsim_cu_bits_set(&p->room, cu, part_fits(p, cu));
}

void aqsim_part_room_make(aqsim_part *part)
{
  const aqsim_xcc *xcc = part->xcc;
  part->room = (aqsim_cu_bits){{0}};
  for (uint32_t cu = 0; cu < xcc->cu_count; cu++)
    if (aqsim_cu_bits_have(&part->cus, cu))
      aqsim_cu_bits_set(&part->room, cu, part_fits(part, cu));
}

/* The compute units on which others have to leave room have changed. */
static void rooms_make(aqsim_xcc *xcc)
{
  for (aqsim_part *p = xcc->parts; p && p->arrived; p = p->next)
    aqsim_part_room_make(p);
}

/* ---- watchers ---- */

static void note_take(const aqsim_part *part, uint32_t cu, bool started)
{
  const aqsim_xcc *xcc = part->xcc;
  aqsim_watch *watch = xcc->watch;
  const aqsim_workgroup_note note = {part->grid->user,
                                     xcc->ordinal + cu * xcc->stride, started};
  watch->lost |=
      !AQ_ARRAY_PUSH(watch->notes, watch->count, watch->capacity, note);
}

static bool is_noted(const aqsim_xcc *xcc)
{
  return xcc->watch && xcc->watch->notes_on;
}

void aqsim_workgroup_place(aqsim_part *part, int class, uint32_t cu,
                           aq_time end)
{
  aqsim_xcc *xcc = part->xcc;
  uint32_t index = xcc->spare;
  if (index)
    xcc->spare = xcc->workgroups[index].next;
  else
    index = xcc->fresh++;
  assert(index < xcc->capacity);
  xcc->workgroups[index] = (aqsim_workgroup){.end = end, .cu = cu};
  aqsim_workgroup_append(part, class, index);
  part->running++;
  if (part->mine)
    part->mine[cu]++;
  part->end = aq_time_max(part->end, end);
  aq_resources_acquire(&xcc->cus[cu], &part->grid->need);
}

void aqsim_workgroup_free(aqsim_part *part, uint32_t index)
{
  aqsim_xcc *xcc = part->xcc;
  aqsim_workgroup *workgroup = &xcc->workgroups[index];
  part->running--;
  if (part->mine)
    part->mine[workgroup->cu]--;
  aq_resources_release(&xcc->cus[workgroup->cu], &part->grid->need);
  room_update(xcc, workgroup->cu);
  workgroup->next = xcc->spare;
  xcc->spare = index;
}

void aqsim_workgroup_remove(aqsim_part *part, int class)
{
  const aqsim_xcc *xcc = part->xcc;
  const uint32_t index = part->first[class];
  part->first[class] = xcc->workgroups[index].next;
  if (!part->first[class])
    part->last[class] = 0;
  aqsim_workgroup_free(part, index);
}

/* The compute unit that a watcher, or else the order of filling, chooses;
 * UINT32_MAX: none. */
static uint32_t cu_choose(aqsim_part *part)
{
  const aqsim_xcc *xcc = part->xcc;
  if (!xcc->watch || !xcc->watch->place)
    return aqsim_cu_bits_next(&part->room, xcc->words, xcc->pointer);
  xcc->watch->placing = true;
  const uint32_t cu =
      xcc->watch->place(xcc->watch->watcher, part->grid, part->grid->user);
  xcc->watch->placing = false;
  if (cu % xcc->stride != xcc->ordinal || cu / xcc->stride >= xcc->cu_count ||
      !aqsim_cu_bits_have(&part->room, cu / xcc->stride))
    return UINT32_MAX;
  return cu / xcc->stride;
}

/* Saved ones first; then fresh ones, which fill the compute units. */
static aq_time duration_take(aqsim_part *part, int *class)
{
  *class = part->left[AQSIM_SAVED]  ? AQSIM_SAVED
           : part->left[AQSIM_BODY] ? AQSIM_BODY
                                    : AQSIM_TAIL;
  part->left[*class]--;
  return *class == AQSIM_SAVED ? part->saved[part->saved_first++]
                               : part->duration[*class];
}

static void workgroup_start(aqsim_part *part)
{
  aqsim_xcc *xcc = part->xcc;
  const uint32_t cu = cu_choose(part);
  int class;
  if (cu == UINT32_MAX) {
    part->refused = true;
    return;
  }
  const aq_time duration = duration_take(part, &class);
  part->issued += duration;
  aqsim_workgroup_place(part, class, cu, xcc->now + duration);
  room_update(xcc, cu);
  part->grid->first = aq_time_min(part->grid->first, xcc->now);
  xcc->pointer = cu + 1 < xcc->cu_count ? cu + 1 : 0;
  xcc->free = xcc->now + xcc->interval;
  xcc->turn = part->grid->number;
  xcc->dispatched++;
  if (is_noted(xcc))
    note_take(part, cu, true);
}

/* ---- parts ---- */

static bool part_is_before(const aqsim_part *a, const aqsim_part *b)
{
  return a->grid->start < b->grid->start || (a->grid->start == b->grid->start &&
                                             a->grid->number < b->grid->number);
}

void aqsim_part_close(aqsim_part *part)
{
  aqsim_part **at = &part->xcc->parts;
  while (*at != part)
    at = &(*at)->next;
  *at = part->next;
  part->open = false;
  part->grid->open--;
  part->grid->end = aq_time_max(part->grid->end, part->end);
  if (part->grid->limits.padding && part->arrived) {
    part->xcc->padded--;
    rooms_make(part->xcc);
  }
}

/* ---- one by one ---- */

static aq_time next_arrival(const aqsim_xcc *xcc)
{
  const aqsim_part *p = xcc->parts;
  while (p && p->arrived)
    p = p->next;
  return p ? p->grid->start : AQ_TIME_MAX;
}

static aq_time next_end(const aqsim_xcc *xcc)
{
  aq_time end = AQ_TIME_MAX;
  for (const aqsim_part *p = xcc->parts; p && p->arrived; p = p->next)
    for (int class = 0; class < AQSIM_CLASSES; class ++)
      if (p->first[class])
        end = aq_time_min(end, xcc->workgroups[p->first[class]].end);
  return end;
}

/* The part that is served next, or NULL when none has room. */
static aqsim_part *next_served(const aqsim_xcc *xcc)
{
  aqsim_part *best = NULL;
  for (aqsim_part *p = xcc->parts; p && p->arrived; p = p->next) {
    if (aqsim_part_left(p) == 0 || p->grid->held || p->refused ||
        !aqsim_cu_bits_any(&p->room, xcc->words) ||
        (p->budget && p->running >= p->budget))
      continue;
    if (!best || p->grid->rank < best->grid->rank ||
        (p->grid->rank == best->grid->rank &&
         p->grid->number - xcc->turn - 1 < best->grid->number - xcc->turn - 1))
      best = p;
  }
  return best;
}

static aq_time next_step(const aqsim_xcc *xcc)
{
  aq_time time = aq_time_min(next_arrival(xcc), next_end(xcc));
  if (next_served(xcc))
    time = aq_time_min(time, aq_time_max(xcc->now, xcc->free));
  return time;
}

/* A workgroup ends; reports it to a watcher, and asks the watcher again. */
static void workgroup_end(aqsim_part *part, int class)
{
  const aqsim_xcc *xcc = part->xcc;
  if (xcc->watch)
    for (aqsim_part *p = xcc->parts; p; p = p->next)
      p->refused = false;
  if (class == AQSIM_LEAVING)
    part->leaving--;
  else if (is_noted(xcc))
    note_take(part, xcc->workgroups[part->first[class]].cu, false);
  aqsim_workgroup_remove(part, class);
}

static void part_arrive(aqsim_part *part)
{
  part->arrived = true;
  if (part->grid->limits.padding) {
    part->xcc->padded++;
    rooms_make(part->xcc);
  } else {
    aqsim_part_room_make(part);
  }
}

static void parts_arrive(aqsim_xcc *xcc)
{
  for (aqsim_part *p = xcc->parts; p && p->grid->start <= xcc->now; p = p->next)
    if (!p->arrived)
      part_arrive(p);
}

static bool xcc_step(aqsim_xcc *xcc, aq_time limit)
{
  const aq_time time = next_step(xcc);
  if (time > limit || time == AQ_TIME_MAX)
    return false;
  xcc->now = time;
  aqsim_part *next;
  for (aqsim_part *p = xcc->parts; p && p->arrived; p = next) {
    next = p->next;
    for (int class = 0; class < AQSIM_CLASSES; class ++)
      while (p->first[class] &&
             xcc->workgroups[p->first[class]].end == xcc->now)
        workgroup_end(p, class);
    if (p->running == 0 && aqsim_part_left(p) == 0)
      aqsim_part_close(p);
  }
  parts_arrive(xcc);
  if (aqsim_xcc_exclusive_begin(xcc))
    return true;
  if (xcc->free <= time) {
    aqsim_part *part = next_served(xcc);
    if (part)
      workgroup_start(part);
  }
  return true;
}

void aqsim_xcc_advance(aqsim_xcc *xcc, aq_time time)
{
  bool skips = true;
  if (xcc->watch && xcc->watch->placing)
    return; /* it looks around */
  for (;;) {
    if (!xcc->alone) {
      skips = skips && aqsim_xcc_rounds_skip(xcc, time);
      if (!xcc_step(xcc, time))
        break;
      continue;
    }
    const aq_time end = aqsim_cohort_last_end(&xcc->cohort);
    const aq_time arrival = next_arrival(xcc);
    if (aq_time_min(end, arrival) > time)
      break;
    if (end <= arrival) {
      xcc->now = end;
      aqsim_xcc_exclusive_finish(xcc, end);
    } else {
      aqsim_xcc_exclusive_split(xcc, arrival,
                                aqsim_cohort_started(&xcc->cohort, arrival));
      xcc->now = arrival;
      parts_arrive(xcc);
    }
  }
  xcc->now = aq_time_max(xcc->now, time);
}

/* ---- arrivals ---- */

aq_time aqsim_part_next(const aqsim_part *part)
{
  const aqsim_xcc *xcc = part->xcc;
  if (xcc->alone == part)
    return aqsim_cohort_last_end(&xcc->cohort);
  if (aqsim_part_left(part) == 0)
    return part->end;
  aq_time soonest = aqsim_part_soonest(part);
  /* It may wait for others; nothing happens before the next step. */
  if (part->arrived)
    soonest = aq_time_max(soonest, next_step(xcc));
  return soonest;
}

/* ---- changes ---- */

void aqsim_part_open(aqsim_part *part, const aqsim_cu_bits *cus)
{
  for (int class = 0; class < AQSIM_CLASSES; class ++)
    part->first[class] = part->last[class] = 0;
  part->running = part->leaving = 0;
  part->saved_first = 0;
  part->refused = false;
  part->arrived = false;
  part->end = AQ_TIME_NONE;
  part->cus = *cus;
  aqsim_part **at = &part->xcc->parts;
  while (*at && ((*at)->arrived || part_is_before(*at, part)))
    at = &(*at)->next;
  part->next = *at;
  *at = part;
  part->open = true;
  part->cu_count = aqsim_cu_bits_count(&part->cus);
  part->grid->open++;
  if (part->grid->start > part->xcc->now)
    return;
  /* It is there at once, behind what started at this instant. */
  aqsim_xcc_exclusive_end(part->xcc);
  part_arrive(part);
}

void aqsim_part_divide(aqsim_part *part)
{
  if (part->xcc->alone == part)
    aqsim_xcc_exclusive_end(part->xcc);
}

void aqsim_part_mask(aqsim_part *part, const aqsim_cu_bits *cus)
{
  aqsim_part_divide(part);
  part->cus = *cus;
  part->cu_count = aqsim_cu_bits_count(cus);
  part->refused = false;
  if (part->arrived && part->grid->limits.padding)
    rooms_make(part->xcc);
  else if (part->arrived)
    aqsim_part_room_make(part);
}

void aqsim_part_budget(aqsim_part *part, uint32_t budget)
{
  aqsim_part_divide(part);
  part->budget = budget;
}

aq_time aqsim_xcc_next(const aqsim_xcc *xcc)
{
  return next_step(xcc);
}

/* ---- samples ---- */

void aqsim_xcc_scan(const aqsim_xcc *xcc, aqsim_dispatcher_sample *out)
{
  aqsim_cu_bits busy = {{0}};
  out->dispatched += xcc->dispatched;
  if (xcc->alone) {
    aqsim_xcc_exclusive_scan(xcc, out);
    return;
  }
  for (const aqsim_part *p = xcc->parts; p && p->arrived; p = p->next) {
    out->running += p->running;
    out->waves +=
        (uint64_t)p->running * (uint64_t)p->grid->need.of[AQ_RESOURCE_WAVES];
    for (int class = 0; class < AQSIM_CLASSES; class ++)
      for (uint32_t i = p->first[class]; i; i = xcc->workgroups[i].next)
        aqsim_cu_bits_set(&busy, xcc->workgroups[i].cu, true);
  }
  out->busy += aqsim_cu_bits_count(&busy);
}
