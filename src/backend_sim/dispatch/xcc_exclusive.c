/* SPDX-License-Identifier: MIT */
/* A part that has its complex to itself: its course in closed form, without
 * single workgroups. */
#include "config.h"

#include "backend_sim/dispatch/xcc_priv.h"

/* The cohort that the rest of a part, saved workgroups aside, would be from
 * `begin` on. */
static aqsim_cohort part_cohort(const aqsim_part *part, aq_time begin)
{
  const bool body = part->left[AQSIM_BODY] > 0;
  return (aqsim_cohort){
      .begin = begin,
      .interval = part->xcc->interval,
      .duration = part->duration[body ? AQSIM_BODY : AQSIM_TAIL],
      .tail = part->duration[AQSIM_TAIL],
      .body = part->left[AQSIM_BODY],
      .count = part->left[AQSIM_BODY] + part->left[AQSIM_TAIL],
      .slots = aqsim_part_slots(part)};
}

static bool cohort_is_regular(const aqsim_cohort *c)
{
  return c->body == 0 || c->body == c->count ||
         (c->body % c->slots == 0 && c->count - c->body <= c->slots);
}

aq_time aqsim_part_soonest(const aqsim_part *part)
{
  const aqsim_xcc *xcc = part->xcc;
  aq_time begin = aq_time_max(xcc->now, xcc->free);
  aqsim_cohort c = part_cohort(part, aq_time_max(begin, part->grid->start));
  /* A tail that ends sooner than it should makes room sooner. */
  if (!cohort_is_regular(&c))
    c.duration = aq_time_min(c.duration, c.tail);
  aq_time last = c.count ? aqsim_cohort_last_end(&c) : c.begin;
  if (part->left[AQSIM_SAVED])
    last = aq_time_max(
        last,
        c.begin + part->saved[part->saved_first + part->left[AQSIM_SAVED] - 1]);
  return aq_time_max(last, part->end);
}

/* ---- alone ---- */

/* How many of the part's compute units lie before `cu`. */
static uint32_t cu_rank(const aqsim_part *part, uint32_t cu)
{
  uint32_t rank = 0;
  for (uint32_t i = 0; i < cu; i++)
    rank += aqsim_cu_bits_have(&part->cus, i);
  return rank;
}

/* The compute units of a part in order; at most AQSIM_CUS_MAX. */
static void cu_list(const aqsim_part *part, uint16_t *list)
{
  uint32_t count = 0;
  for (uint32_t i = 0; i < part->xcc->cu_count; i++)
    if (aqsim_cu_bits_have(&part->cus, i))
      list[count++] = (uint16_t)i;
}

static uint32_t cu_of_cohort(const aqsim_xcc *xcc, uint32_t cu_count,
                             uint64_t index)
{
  return (uint32_t)((xcc->cohort_rank + index) % cu_count);
}

bool aqsim_xcc_exclusive_begin(aqsim_xcc *xcc)
{
  aqsim_part *part = xcc->parts;
  if (!part || !part->arrived || part->running > 0 || part->grid->held ||
      (part->next && part->next->arrived) || part->left[AQSIM_SAVED] ||
      part->budget || part->grid->limits.padding ||
      (xcc->watch && xcc->watch->single))
    return false;
  aqsim_cohort cohort = part_cohort(part, aq_time_max(xcc->now, xcc->free));
  if (!cohort_is_regular(&cohort))
    return false;
  xcc->cohort = cohort;
  xcc->cohort_rank = cu_rank(part, xcc->pointer) % part->cu_count;
  xcc->alone = part;
  return true;
}

/* What `started` workgroups of the cohort leave behind. */
static void alone_leave(aqsim_xcc *xcc, uint64_t started, const uint16_t *cus)
{
  aqsim_part *part = xcc->alone;
  xcc->alone = NULL;
  xcc->dispatched += started;
  const uint64_t body = xcc->cohort.body < started ? xcc->cohort.body : started;
  part->left[AQSIM_BODY] -= body;
  part->left[AQSIM_TAIL] -= started - body;
  part->issued += (aq_time)body * part->duration[AQSIM_BODY] +
                  (aq_time)(started - body) * part->duration[AQSIM_TAIL];
  if (started == 0)
    return;
  part->grid->first = aq_time_min(part->grid->first, xcc->cohort.begin);
  const uint32_t last = cus[cu_of_cohort(xcc, part->cu_count, started - 1)];
  xcc->pointer = last + 1 < xcc->cu_count ? last + 1 : 0;
  xcc->free = aqsim_cohort_start(&xcc->cohort, started - 1) + xcc->interval;
  xcc->turn = part->grid->number;
}

void aqsim_xcc_exclusive_finish(aqsim_xcc *xcc, aq_time end)
{
  aqsim_part *part = xcc->alone;
  uint16_t cus[AQSIM_CUS_MAX];
  cu_list(part, cus);
  alone_leave(xcc, xcc->cohort.count, cus);
  part->end = end;
  aqsim_part_close(part);
}

void aqsim_xcc_exclusive_split(aqsim_xcc *xcc, aq_time time, uint64_t started)
{
  aqsim_part *part = xcc->alone;
  const aqsim_cohort *c = &xcc->cohort;
  uint16_t cus[AQSIM_CUS_MAX];
  cu_list(part, cus);
  const uint64_t body = c->body < started ? c->body : started;
  for (uint64_t i = aqsim_cohort_running(c, 0, body, time); i < body; i++)
    aqsim_workgroup_place(part, AQSIM_BODY,
                          cus[cu_of_cohort(xcc, part->cu_count, i)],
                          aqsim_cohort_end(c, i));
  for (uint64_t i = aqsim_cohort_running(c, body, started, time); i < started;
       i++)
    aqsim_workgroup_place(part, AQSIM_TAIL,
                          cus[cu_of_cohort(xcc, part->cu_count, i)],
                          aqsim_cohort_end(c, i));
  alone_leave(xcc, started, cus);
  aqsim_part_room_make(part);
}

void aqsim_xcc_exclusive_end(aqsim_xcc *xcc)
{
  if (xcc->alone)
    aqsim_xcc_exclusive_split(xcc, xcc->now,
                              aqsim_cohort_started(&xcc->cohort, xcc->now + 1));
}

void aqsim_xcc_exclusive_scan(const aqsim_xcc *xcc,
                              aqsim_dispatcher_sample *out)
{
  const aqsim_part *part = xcc->alone;
  const aqsim_cohort *c = &xcc->cohort;
  const uint64_t started = aqsim_cohort_started(c, xcc->now + 1);
  const uint64_t body = c->body < started ? c->body : started;
  const uint64_t running = body - aqsim_cohort_running(c, 0, body, xcc->now) +
                           started -
                           aqsim_cohort_running(c, body, started, xcc->now);
  out->dispatched += started;
  out->running += running;
  out->waves += running * (uint64_t)part->grid->need.of[AQ_RESOURCE_WAVES];
  out->busy += running < part->cu_count ? (uint32_t)running : part->cu_count;
}

/* ---- rounds ---- */

bool aqsim_xcc_rounds_skip(aqsim_xcc *xcc, aq_time time)
{
  aqsim_part *part = xcc->parts;
  if (!part || !part->arrived || part->next || part->grid->held ||
      part->left[AQSIM_BODY] < part->running || part->first[AQSIM_TAIL] ||
      part->first[AQSIM_SAVED] || part->left[AQSIM_SAVED] || part->leaving ||
      part->budget || part->grid->limits.padding ||
      (xcc->watch && xcc->watch->single) ||
      aqsim_cu_bits_any(&part->room, xcc->words))
    return true;
  const aq_time duration = part->duration[AQSIM_BODY];
  const aq_time gap = aq_time_max(xcc->interval, 1);
  const aqsim_workgroup *w = &xcc->workgroups[part->first[AQSIM_BODY]];
  const aqsim_workgroup *last = w;
  if (part->end > time || duration == 0 || w->end < xcc->free)
    return true;
  for (; w; w = w->next ? &xcc->workgroups[w->next] : NULL) {
    last = w;
    if (!aqsim_cu_bits_have(&part->cus, w->cu) ||
        (w->next && xcc->workgroups[w->next].end - w->end < gap))
      return false;
  }
  uint64_t rounds = part->left[AQSIM_BODY] / part->running;
  const uint64_t fit = (uint64_t)((time - last->end) / duration) + 1;
  rounds = rounds < fit ? rounds : fit;
  const aq_time later = (aq_time)rounds * duration;
  /* The last start of them. */
  xcc->now = last->end + later - duration;
  xcc->free = xcc->now + xcc->interval;
  xcc->pointer = last->cu + 1 < xcc->cu_count ? last->cu + 1 : 0;
  xcc->turn = part->grid->number;
  xcc->dispatched += rounds * part->running;
  part->issued += (aq_time)(rounds * part->running) * duration;
  part->left[AQSIM_BODY] -= rounds * part->running;
  part->end += later;
  for (uint32_t i = part->first[AQSIM_BODY]; i; i = xcc->workgroups[i].next)
    xcc->workgroups[i].end += later;
  return true;
}
