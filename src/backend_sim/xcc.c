/* SPDX-License-Identifier: MIT */
#include "backend_sim/xcc.h"

#include <assert.h>
#include <stdlib.h>

/* ---- sets of compute units ---- */

static bool bits_have(const aqsim_cu_bits *bits, uint32_t cu)
{
  return bits->word[cu / 64] >> cu % 64 & 1;
}

static void bits_set(aqsim_cu_bits *bits, uint32_t cu, bool on)
{
  const uint64_t bit = UINT64_C(1) << cu % 64;
  bits->word[cu / 64] =
      on ? bits->word[cu / 64] | bit : bits->word[cu / 64] & ~bit;
}

static uint32_t bits_count(const aqsim_cu_bits *bits)
{
  uint32_t count = 0;
  for (int i = 0; i < AQSIM_CU_WORDS; i++)
    count += (uint32_t)__builtin_popcountll(bits->word[i]);
  return count;
}

static bool bits_any(const aqsim_cu_bits *bits, uint32_t words)
{
  uint64_t any = 0;
  for (uint32_t i = 0; i < words; i++)
    any |= bits->word[i];
  return any != 0;
}

/* The first at or after `from`, going round; there is one. */
static uint32_t bits_next(const aqsim_cu_bits *bits, uint32_t words,
                          uint32_t from)
{
  uint32_t at = from / 64;
  uint64_t word = bits->word[at] & ~UINT64_C(0) << from % 64;
  while (word == 0) {
    at = at + 1 < words ? at + 1 : 0;
    word = bits->word[at];
  }
  return at * 64 + (uint32_t)__builtin_ctzll(word);
}

/* ---- life ---- */

bool aqsim_xcc_init(aqsim_xcc *xcc, const aqsim_model *model, uint32_t cus)
{
  const aqsim_resources empty = aqsim_cu_resources(model);
  *xcc = (aqsim_xcc){.now = AQ_TIME_NONE,
                     .free = AQ_TIME_NONE,
                     .interval = model->workgroup_interval * model->xccs,
                     .cu_count = cus,
                     .words = (cus + 63) / 64,
                     .fresh = 1};
  xcc->capacity = 1 + cus * (uint32_t)empty.of[AQSIM_WAVES];
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

/* Something changed on a compute unit: who has room there now. */
static void room_update(aqsim_xcc *xcc, uint32_t cu)
{
  for (aqsim_part *p = xcc->parts; p && p->arrived; p = p->next)
    if (bits_have(&p->cus, cu))
      bits_set(&p->room, cu,
               aqsim_resources_fit(&xcc->cus[cu], &p->grid->need));
}

static void room_make(aqsim_part *part)
{
  const aqsim_xcc *xcc = part->xcc;
  part->room = (aqsim_cu_bits){{0}};
  for (uint32_t cu = 0; cu < xcc->cu_count; cu++)
    if (bits_have(&part->cus, cu))
      bits_set(&part->room, cu,
               aqsim_resources_fit(&xcc->cus[cu], &part->grid->need));
}

static void workgroup_place(aqsim_part *part, int class, uint32_t cu,
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
  if (part->last[class])
    xcc->workgroups[part->last[class]].next = index;
  else
    part->first[class] = index;
  part->last[class] = index;
  part->running++;
  part->end = aq_time_max(part->end, end);
  aqsim_resources_take(&xcc->cus[cu], &part->grid->need);
}

static void workgroup_remove(aqsim_part *part, int class)
{
  aqsim_xcc *xcc = part->xcc;
  const uint32_t index = part->first[class];
  aqsim_workgroup *workgroup = &xcc->workgroups[index];
  part->first[class] = workgroup->next;
  if (!part->first[class])
    part->last[class] = 0;
  part->running--;
  aqsim_resources_give(&xcc->cus[workgroup->cu], &part->grid->need);
  room_update(xcc, workgroup->cu);
  workgroup->next = xcc->spare;
  xcc->spare = index;
}

static void workgroup_start(aqsim_part *part)
{
  aqsim_xcc *xcc = part->xcc;
  const int class = part->left[AQSIM_BODY] ? AQSIM_BODY : AQSIM_TAIL;
  const uint32_t cu = bits_next(&part->room, xcc->words, xcc->pointer);
  part->left[class]--;
  workgroup_place(part, class, cu, xcc->now + part->duration[class]);
  room_update(xcc, cu);
  part->grid->first = aq_time_min(part->grid->first, xcc->now);
  xcc->pointer = cu + 1 < xcc->cu_count ? cu + 1 : 0;
  xcc->free = xcc->now + xcc->interval;
  xcc->turn = part->grid->number;
  xcc->dispatched++;
}

/* ---- parts ---- */

static uint64_t part_left(const aqsim_part *part)
{
  return part->left[AQSIM_BODY] + part->left[AQSIM_TAIL];
}

static uint64_t part_slots(const aqsim_part *part)
{
  return (uint64_t)part->cu_count * part->grid->most;
}

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
}

/* The cohort that what is left of a part would be from `begin` on. */
static aqsim_cohort part_cohort(const aqsim_part *part, aq_time begin)
{
  const bool body = part->left[AQSIM_BODY] > 0;
  return (aqsim_cohort){.begin = begin,
                        .interval = part->xcc->interval,
                        .duration =
                            part->duration[body ? AQSIM_BODY : AQSIM_TAIL],
                        .tail = part->duration[AQSIM_TAIL],
                        .body = part->left[AQSIM_BODY],
                        .count = part_left(part),
                        .slots = part_slots(part)};
}

static bool cohort_is_regular(const aqsim_cohort *c)
{
  return c->body == 0 || c->body == c->count ||
         (c->body % c->slots == 0 && c->count - c->body <= c->slots);
}

/* ---- alone ---- */

/* How many of the part's compute units lie before `cu`. */
static uint32_t cu_rank(const aqsim_part *part, uint32_t cu)
{
  uint32_t rank = 0;
  for (uint32_t i = 0; i < cu; i++)
    rank += bits_have(&part->cus, i);
  return rank;
}

/* The compute units of a part in order; at most AQSIM_CUS_MAX. */
static void cu_list(const aqsim_part *part, uint16_t *list)
{
  uint32_t count = 0;
  for (uint32_t i = 0; i < part->xcc->cu_count; i++)
    if (bits_have(&part->cus, i))
      list[count++] = (uint16_t)i;
}

static uint32_t cu_of_cohort(const aqsim_xcc *xcc, uint32_t cu_count,
                             uint64_t index)
{
  return (uint32_t)((xcc->cohort_rank + index) % cu_count);
}

/* The only part that is there, with nothing running, goes on by itself. */
static bool alone_begin(aqsim_xcc *xcc)
{
  aqsim_part *part = xcc->parts;
  if (!part || !part->arrived || part->running > 0 || part->grid->held ||
      (part->next && part->next->arrived))
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
  if (started == 0)
    return;
  part->grid->first = aq_time_min(part->grid->first, xcc->cohort.begin);
  const uint32_t last = cus[cu_of_cohort(xcc, part->cu_count, started - 1)];
  xcc->pointer = last + 1 < xcc->cu_count ? last + 1 : 0;
  xcc->free = aqsim_cohort_start(&xcc->cohort, started - 1) + xcc->interval;
  xcc->turn = part->grid->number;
}

static void alone_finish(aqsim_xcc *xcc, aq_time end)
{
  aqsim_part *part = xcc->alone;
  uint16_t cus[AQSIM_CUS_MAX];
  cu_list(part, cus);
  alone_leave(xcc, xcc->cohort.count, cus);
  part->end = end;
  aqsim_part_close(part);
}

/* Makes single workgroups of those that run at `time`, the first `started`
 * having started. */
static void alone_split(aqsim_xcc *xcc, aq_time time, uint64_t started)
{
  aqsim_part *part = xcc->alone;
  const aqsim_cohort *c = &xcc->cohort;
  uint16_t cus[AQSIM_CUS_MAX];
  cu_list(part, cus);
  const uint64_t body = c->body < started ? c->body : started;
  for (uint64_t i = aqsim_cohort_running(c, 0, body, time); i < body; i++)
    workgroup_place(part, AQSIM_BODY, cus[cu_of_cohort(xcc, part->cu_count, i)],
                    aqsim_cohort_end(c, i));
  for (uint64_t i = aqsim_cohort_running(c, body, started, time); i < started;
       i++)
    workgroup_place(part, AQSIM_TAIL, cus[cu_of_cohort(xcc, part->cu_count, i)],
                    aqsim_cohort_end(c, i));
  alone_leave(xcc, started, cus);
  room_make(part);
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
    if (part_left(p) == 0 || p->grid->held || !bits_any(&p->room, xcc->words))
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

static void parts_end(aqsim_xcc *xcc)
{
  aqsim_part *next;
  for (aqsim_part *p = xcc->parts; p && p->arrived; p = next) {
    next = p->next;
    for (int class = 0; class < AQSIM_CLASSES; class ++)
      while (p->first[class] &&
             xcc->workgroups[p->first[class]].end == xcc->now)
        workgroup_remove(p, class);
    if (p->running == 0 && part_left(p) == 0)
      aqsim_part_close(p);
  }
}

static void parts_arrive(aqsim_xcc *xcc)
{
  for (aqsim_part *p = xcc->parts; p && p->grid->start <= xcc->now; p = p->next)
    if (!p->arrived) {
      p->arrived = true;
      room_make(p);
    }
}

/* A part alone in a full complex repeats itself: each workgroup that ends is
 * followed by another on the same compute unit, for as many rounds as there are
 * workgroups left. Whole rounds before `time` are passed over. False: it does
 * not repeat itself yet. */
static bool rounds_skip(aqsim_xcc *xcc, aq_time time)
{
  aqsim_part *part = xcc->parts;
  if (!part || !part->arrived || part->next || part->grid->held ||
      part->left[AQSIM_BODY] < part->running || part->first[AQSIM_TAIL] ||
      bits_any(&part->room, xcc->words))
    return true;
  const aq_time duration = part->duration[AQSIM_BODY];
  const aq_time gap = aq_time_max(xcc->interval, 1);
  const aqsim_workgroup *w = &xcc->workgroups[part->first[AQSIM_BODY]];
  const aqsim_workgroup *last = w;
  if (part->end > time || duration == 0 || w->end < xcc->free)
    return true;
  for (; w; w = w->next ? &xcc->workgroups[w->next] : NULL) {
    last = w;
    if (!bits_have(&part->cus, w->cu) ||
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
  part->left[AQSIM_BODY] -= rounds * part->running;
  part->end += later;
  for (uint32_t i = part->first[AQSIM_BODY]; i; i = xcc->workgroups[i].next)
    xcc->workgroups[i].end += later;
  return true;
}

static bool xcc_step(aqsim_xcc *xcc, aq_time limit)
{
  const aq_time time = next_step(xcc);
  if (time > limit || time == AQ_TIME_MAX)
    return false;
  xcc->now = time;
  parts_end(xcc);
  parts_arrive(xcc);
  if (alone_begin(xcc))
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
  for (;;) {
    if (!xcc->alone) {
      skips = skips && rounds_skip(xcc, time);
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
      alone_finish(xcc, end);
    } else {
      alone_split(xcc, arrival, aqsim_cohort_started(&xcc->cohort, arrival));
      xcc->now = arrival;
      parts_arrive(xcc);
    }
  }
  xcc->now = aq_time_max(xcc->now, time);
}

/* ---- what comes ---- */

/* When what is left ends if nothing else is there: nothing that comes can make
 * that sooner. */
static aq_time part_soonest(const aqsim_part *part)
{
  const aqsim_xcc *xcc = part->xcc;
  aq_time begin = aq_time_max(xcc->now, xcc->free);
  aqsim_cohort c = part_cohort(part, aq_time_max(begin, part->grid->start));
  /* A tail that ends sooner than it should makes room sooner. */
  if (!cohort_is_regular(&c))
    c.duration = aq_time_min(c.duration, c.tail);
  const aq_time last = aqsim_cohort_last_end(&c);
  return aq_time_max(last, part->end);
}

aq_time aqsim_part_next(const aqsim_part *part)
{
  const aqsim_xcc *xcc = part->xcc;
  if (xcc->alone == part)
    return aqsim_cohort_last_end(&xcc->cohort);
  if (part_left(part) == 0)
    return part->end;
  aq_time soonest = part_soonest(part);
  /* It may wait for others; nothing happens before the next step. */
  if (part->arrived)
    soonest = aq_time_max(soonest, next_step(xcc));
  return soonest;
}

/* ---- changes ---- */

/* Single workgroups are needed, everything up to `now` having happened. */
static void alone_end(aqsim_xcc *xcc)
{
  if (xcc->alone)
    alone_split(xcc, xcc->now,
                aqsim_cohort_started(&xcc->cohort, xcc->now + 1));
}

void aqsim_part_open(aqsim_part *part)
{
  aqsim_part **at = &part->xcc->parts;
  while (*at && ((*at)->arrived || part_is_before(*at, part)))
    at = &(*at)->next;
  part->next = *at;
  *at = part;
  part->open = true;
  part->cu_count = bits_count(&part->cus);
  part->grid->open++;
  if (part->grid->start > part->xcc->now)
    return;
  /* It is there at once, behind what started at this instant. */
  alone_end(part->xcc);
  part->arrived = true;
  room_make(part);
}

void aqsim_part_divide(aqsim_part *part)
{
  if (part->xcc->alone == part)
    alone_end(part->xcc);
}

void aqsim_part_mask(aqsim_part *part, const aqsim_cu_bits *cus)
{
  aqsim_part_divide(part);
  part->cus = *cus;
  part->cu_count = bits_count(cus);
  if (part->arrived)
    room_make(part);
}

void aqsim_part_cancel(aqsim_part *part)
{
  aqsim_part_divide(part);
  part->left[AQSIM_BODY] = part->left[AQSIM_TAIL] = 0;
  for (int class = 0; class < AQSIM_CLASSES; class ++)
    while (part->first[class])
      workgroup_remove(part, class);
  aqsim_part_close(part);
}

/* ---- samples ---- */

static void alone_look(const aqsim_xcc *xcc, aqsim_dispatcher_sample *out)
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
  out->waves += running * (uint64_t)part->grid->need.of[AQSIM_WAVES];
  out->busy += running < part->cu_count ? (uint32_t)running : part->cu_count;
}

void aqsim_xcc_look(const aqsim_xcc *xcc, aqsim_dispatcher_sample *out)
{
  aqsim_cu_bits busy = {{0}};
  out->dispatched += xcc->dispatched;
  if (xcc->alone) {
    alone_look(xcc, out);
    return;
  }
  for (const aqsim_part *p = xcc->parts; p && p->arrived; p = p->next) {
    out->running += p->running;
    out->waves +=
        (uint64_t)p->running * (uint64_t)p->grid->need.of[AQSIM_WAVES];
    for (int class = 0; class < AQSIM_CLASSES; class ++)
      for (uint32_t i = p->first[class]; i; i = xcc->workgroups[i].next)
        bits_set(&busy, xcc->workgroups[i].cu, true);
  }
  out->busy += bits_count(&busy);
}
