/* SPDX-License-Identifier: MIT */
#include "backend_sim/xcc.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

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

/* A compute unit less what others than `part` leave free there for padding. */
static aqsim_resources padded_room(const aqsim_xcc *xcc, const aqsim_part *part,
                                   uint32_t cu)
{
  aqsim_resources room = xcc->cus[cu];
  for (const aqsim_part *p = xcc->parts; p && p->arrived; p = p->next)
    for (uint32_t i = p->grid->limits.padding;
         p != part && i > 0 && bits_have(&p->cus, cu); i--)
      aqsim_resources_take(&room, &p->grid->need);
  return room;
}

/* Whether another workgroup of a part fits on one of its compute units. */
static bool part_fits(const aqsim_part *part, uint32_t cu)
{
  const aqsim_xcc *xcc = part->xcc;
  if (!aqsim_resources_fit(&xcc->cus[cu], &part->grid->need) ||
      (part->mine && part->mine[cu] >= part->grid->most))
    return false;
  if (xcc->padded == 0)
    return true;
  const aqsim_resources room = padded_room(xcc, part, cu);
  return aqsim_resources_fit(&room, &part->grid->need);
}

uint32_t aqsim_xcc_free(const aqsim_xcc *xcc, const aqsim_part *part,
                        const aqsim_resources *need, uint32_t most, uint32_t cu)
{
  aqsim_resources room = padded_room(xcc, part, cu);
  uint32_t count = part && part->mine ? part->mine[cu] : 0, fit = 0;
  for (; count < most && aqsim_resources_fit(&room, need); count++, fit++)
    aqsim_resources_take(&room, need);
  return fit;
}

/* Something changed on a compute unit: who has room there now. */
static void room_update(aqsim_xcc *xcc, uint32_t cu)
{
  for (aqsim_part *p = xcc->parts; p && p->arrived; p = p->next)
    if (bits_have(&p->cus, cu))
      bits_set(&p->room, cu, part_fits(p, cu));
}

static void room_make(aqsim_part *part)
{
  const aqsim_xcc *xcc = part->xcc;
  part->room = (aqsim_cu_bits){{0}};
  for (uint32_t cu = 0; cu < xcc->cu_count; cu++)
    if (bits_have(&part->cus, cu))
      bits_set(&part->room, cu, part_fits(part, cu));
}

/* The compute units on which others have to leave room have changed. */
static void rooms_make(aqsim_xcc *xcc)
{
  for (aqsim_part *p = xcc->parts; p && p->arrived; p = p->next)
    room_make(p);
}

/* ---- who watches ---- */

static void note_take(const aqsim_part *part, uint32_t cu, bool started)
{
  const aqsim_xcc *xcc = part->xcc;
  aqsim_watch *watch = xcc->watch;
  if (watch->count == watch->capacity) {
    const size_t capacity = watch->capacity ? 2 * watch->capacity : 256;
    aqsim_workgroup_note *grown =
        realloc(watch->notes, capacity * sizeof *grown);
    if (!grown) {
      watch->lost = true;
      return;
    }
    watch->notes = grown;
    watch->capacity = capacity;
  }
  watch->notes[watch->count++] = (aqsim_workgroup_note){
      part->grid->user, xcc->ordinal + cu * xcc->stride, started};
}

static bool is_noted(const aqsim_xcc *xcc)
{
  return xcc->watch && xcc->watch->notes_on;
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
  if (part->mine)
    part->mine[cu]++;
  part->end = aq_time_max(part->end, end);
  aqsim_resources_take(&xcc->cus[cu], &part->grid->need);
}

/* Gives back the room of a running workgroup that is out of its list. */
static void workgroup_free(aqsim_part *part, uint32_t index)
{
  aqsim_xcc *xcc = part->xcc;
  aqsim_workgroup *workgroup = &xcc->workgroups[index];
  part->running--;
  if (part->mine)
    part->mine[workgroup->cu]--;
  aqsim_resources_give(&xcc->cus[workgroup->cu], &part->grid->need);
  room_update(xcc, workgroup->cu);
  workgroup->next = xcc->spare;
  xcc->spare = index;
}

static void workgroup_remove(aqsim_part *part, int class)
{
  const aqsim_xcc *xcc = part->xcc;
  const uint32_t index = part->first[class];
  part->first[class] = xcc->workgroups[index].next;
  if (!part->first[class])
    part->last[class] = 0;
  workgroup_free(part, index);
}

/* The compute unit that a watcher, or else the order of filling, chooses;
 * UINT32_MAX: none. */
static uint32_t cu_choose(aqsim_part *part)
{
  const aqsim_xcc *xcc = part->xcc;
  if (!xcc->watch || !xcc->watch->place)
    return bits_next(&part->room, xcc->words, xcc->pointer);
  xcc->watch->placing = true;
  const uint32_t cu =
      xcc->watch->place(xcc->watch->watcher, part->grid, part->grid->user);
  xcc->watch->placing = false;
  if (cu % xcc->stride != xcc->ordinal || cu / xcc->stride >= xcc->cu_count ||
      !bits_have(&part->room, cu / xcc->stride))
    return UINT32_MAX;
  return cu / xcc->stride;
}

/* Saved ones first; then those that fill the compute units. */
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
  workgroup_place(part, class, cu, xcc->now + duration);
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

static uint64_t part_left(const aqsim_part *part)
{
  return part->left[AQSIM_BODY] + part->left[AQSIM_TAIL] +
         part->left[AQSIM_SAVED];
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
  if (part->grid->limits.padding && part->arrived) {
    part->xcc->padded--;
    rooms_make(part->xcc);
  }
}

/* The cohort that what is left of a part would be from `begin` on, but for
 * what was saved. */
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
    if (part_left(p) == 0 || p->grid->held || p->refused ||
        !bits_any(&p->room, xcc->words) ||
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

/* A workgroup ends; a watcher is told, and asked again. */
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
  workgroup_remove(part, class);
}

static void parts_end(aqsim_xcc *xcc)
{
  aqsim_part *next;
  for (aqsim_part *p = xcc->parts; p && p->arrived; p = next) {
    next = p->next;
    for (int class = 0; class < AQSIM_CLASSES; class ++)
      while (p->first[class] &&
             xcc->workgroups[p->first[class]].end == xcc->now)
        workgroup_end(p, class);
    if (p->running == 0 && part_left(p) == 0)
      aqsim_part_close(p);
  }
}

static void part_arrive(aqsim_part *part)
{
  part->arrived = true;
  if (part->grid->limits.padding) {
    part->xcc->padded++;
    rooms_make(part->xcc);
  } else {
    room_make(part);
  }
}

static void parts_arrive(aqsim_xcc *xcc)
{
  for (aqsim_part *p = xcc->parts; p && p->grid->start <= xcc->now; p = p->next)
    if (!p->arrived)
      part_arrive(p);
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
      part->first[AQSIM_SAVED] || part->left[AQSIM_SAVED] || part->leaving ||
      part->budget || part->grid->limits.padding ||
      (xcc->watch && xcc->watch->single) || bits_any(&part->room, xcc->words))
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
  part->issued += (aq_time)(rounds * part->running) * duration;
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
  if (xcc->watch && xcc->watch->placing)
    return; /* it looks around */
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
  aq_time last = c.count ? aqsim_cohort_last_end(&c) : c.begin;
  if (part->left[AQSIM_SAVED])
    last = aq_time_max(
        last,
        c.begin + part->saved[part->saved_first + part->left[AQSIM_SAVED] - 1]);
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
  part_arrive(part);
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
  part->refused = false;
  if (part->arrived && part->grid->limits.padding)
    rooms_make(part->xcc);
  else if (part->arrived)
    room_make(part);
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

/* ---- stopping workgroups ---- */

static int compare_times(const void *a, const void *b)
{
  const aq_time x = *(const aq_time *)a, y = *(const aq_time *)b;
  return (x > y) - (x < y);
}

/* Room for `more` saved workgroups behind those there are. */
static bool saved_reserve(aqsim_part *part, uint64_t more)
{
  const uint32_t left = (uint32_t)part->left[AQSIM_SAVED];
  if (part->saved_first > 0 && left > 0)
    memmove(part->saved, part->saved + part->saved_first,
            left * sizeof *part->saved);
  part->saved_first = 0;
  if (left + more <= part->saved_capacity)
    return true;
  aq_time *grown = realloc(part->saved, (left + more) * sizeof *grown);
  if (!grown)
    return false;
  part->saved = grown;
  part->saved_capacity = (uint32_t)(left + more);
  return true;
}

static void saved_add(aqsim_part *part, aq_time left)
{
  part->saved[part->left[AQSIM_SAVED]++] = left;
}

static void saved_sort(aqsim_part *part)
{
  if (part->left[AQSIM_SAVED])
    qsort(part->saved, part->left[AQSIM_SAVED], sizeof *part->saved,
          compare_times);
}

/* One that ran for as long as it did not have left starts anew: a saved one
 * counts as one of a full wave. */
static void workgroup_stop(aqsim_part *part, int class, uint32_t index,
                           bool save, aqsim_stopped *out)
{
  const aqsim_xcc *xcc = part->xcc;
  const aq_time left = xcc->workgroups[index].end - xcc->now;
  const int again = class == AQSIM_TAIL ? AQSIM_TAIL : AQSIM_BODY;
  out->workgroups++;
  part->issued -= left;
  if (save) {
    saved_add(part, left);
  } else {
    out->ran += part->duration[again] - left;
    part->left[again]++;
  }
}

static void class_append(aqsim_part *part, int class, uint32_t index)
{
  aqsim_workgroup *workgroups = part->xcc->workgroups;
  workgroups[index].next = 0;
  if (part->last[class])
    workgroups[part->last[class]].next = index;
  else
    part->first[class] = index;
  part->last[class] = index;
}

/* It keeps its place until then. */
static void workgroup_leave(aqsim_part *part, uint32_t index, aq_time until)
{
  if (until <= part->xcc->now) {
    workgroup_free(part, index);
    return;
  }
  part->xcc->workgroups[index].end = until;
  part->leaving++;
  class_append(part, AQSIM_LEAVING, index);
}

/* The end of what still runs, which is what the part has. */
static void part_end_renew(aqsim_part *part)
{
  part->end = AQ_TIME_NONE;
  for (int class = 0; class < AQSIM_CLASSES; class ++)
    if (part->last[class])
      part->end =
          aq_time_max(part->end, part->xcc->workgroups[part->last[class]].end);
}

bool aqsim_part_stop(aqsim_part *part, const aqsim_cu_bits *where, bool save,
                     aq_time until, aqsim_stopped *out)
{
  const aqsim_xcc *xcc = part->xcc;
  aqsim_part_divide(part);
  if (save && !saved_reserve(part, part->running))
    return false;
  const uint64_t before = out->workgroups;
  for (int class = 0; class < AQSIM_LEAVING; class ++) {
    uint32_t index = part->first[class];
    part->first[class] = part->last[class] = 0;
    while (index) {
      const uint32_t next = xcc->workgroups[index].next;
      if (where && !bits_have(where, xcc->workgroups[index].cu)) {
        class_append(part, class, index);
      } else {
        workgroup_stop(part, class, index, save, out);
        workgroup_leave(part, index, until);
      }
      index = next;
    }
  }
  if (out->workgroups > before)
    part_end_renew(part);
  saved_sort(part);
  part->refused = false;
  return true;
}

bool aqsim_part_adopt(aqsim_part *part, aqsim_part *from)
{
  if (!saved_reserve(part, from->left[AQSIM_SAVED]))
    return false;
  for (; from->left[AQSIM_SAVED]; from->left[AQSIM_SAVED]--)
    saved_add(part, from->saved[from->saved_first++]);
  saved_sort(part);
  return true;
}

void aqsim_part_cancel(aqsim_part *part)
{
  aqsim_part_divide(part);
  part->leaving = 0;
  for (int class = 0; class < AQSIM_CLASSES; class ++) {
    part->left[class] = 0;
    while (part->first[class])
      workgroup_remove(part, class);
  }
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
