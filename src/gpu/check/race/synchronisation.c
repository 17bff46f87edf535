/* SPDX-License-Identifier: MIT */
/*
 * Happens-before among the waves of one dispatch (doc/checker.md has the
 * table).
 *
 * Clocks. Each wave has one, and each of its accesses bears it. A barrier sets
 * the clocks of a workgroup to one more than the highest of them, its base:
 * accesses below the base of the later one's workgroup come before it. An
 * atomic, or a store that may be one and writes a single place, has a clock of
 * its own, so that accesses before and behind it differ. On gfx12 a wave
 * arrives at a barrier and waits later: the base is of the arrivals, a wave
 * takes it over where it waits, and its accesses between the two have clocks
 * from the base on.
 *
 * Releases. Nothing is kept when a wave stores an atomic. When another wave
 * reads the value, the storing wave released its accesses up to that clock,
 * but not from its first store on that it had not waited for then (`open`,
 * `late_from`); and accesses of its workgroup before the last barrier. That is
 * an entry of the log of its workgroup, with a time: entries of a dispatch are
 * numbered.
 *
 * Acquires. A wave that read the value has `seen` that time. Once it has
 * invalidated all caches between workgroups that may be stale, behind the
 * read, it has `acquired` it. A wave's atomics pass on the times that it
 * acquired, and a read-modify-write the times of the values that it replaced: a
 * release sequence. One without a result passes times on, and its wave has not
 * seen them until it reads the word: by a load with the bits of an atomic, or
 * within its workgroup by one that may be an atomic (`near`). At a barrier the
 * times of each wave pass to the others.
 *
 * Order. An access `e` comes before the one under way if an entry covers it
 * whose time is not above the one that the wave has: of a plain read of another
 * workgroup's memory, acquired, since it may find a stale line; else seen.
 *
 * A time stands for all releases up to it, so a wave that saw one has seen
 * those, too, that other workgroups made earlier in this execution. A log that
 * is full merges neighbours into one that covers more and is older. A workgroup
 * that is forgotten counts as ordered once its value was read (`vague`).
 * All three may hide a race and never make one up; in another order of waves
 * (--schedule) the hidden race shows.
 *
 * Failures. Out of memory: `lost`; accesses look unordered from then on.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "gpu/check/race/synchronisation.h"

enum {
  LOG_MAX = 64,
  LOG_ANY = UINT32_MAX, /* wave: each of the workgroup */
  ENDED_MAX = 1 << 18,  /* workgroups that are known when they have ended, */
  LATE_MAX = 1 << 12,   /* and with the waits of their waves */
};

static aq_sync_wave *wave_of(const aq_wave *w)
{
  aq_sync_group *group = aq_check_group_of(w)->order;
  return group && group->waves ? &group->waves[w->number] : NULL;
}

static aq_sync_group *group_at(const aq_check_grid *grid, uint64_t number)
{
  uint64_t found = 0;
  aq_map_get(&grid->groups, number, &found);
  return (aq_sync_group *)(uintptr_t)found;
}

/* ---- workgroups ---- */

static void group_free(aq_sync_group *group)
{
  free(group->waves);
  free(group->log);
  free(group);
}

/* Private memory has been another wave's. Programs that know where it lies
 * share it. */
static void private_forget(aq_check *check, const aq_wave_group *group)
{
  for (uint32_t i = 0; i < group->wave_count; i++) {
    const aq_wave *w = group->waves[i];
    const uint64_t base = aq_wave_private_base(w);
    if (base)
      aq_check_shadow_clear(&check->shadow, base,
                            (uint64_t)w->scratch_size * AQ_WAVE_LANES);
  }
}

/* A workgroup without atomics is used again. */
static aq_sync_group *group_make(aq_check_group *mine, uint32_t waves)
{
  aq_sync_group *group = mine->spare;
  mine->spare = NULL;
  if (!group && (group = calloc(1, sizeof *group)) &&
      !(group->waves = calloc(waves, sizeof *group->waves))) {
    free(group);
    return NULL;
  }
  return group;
}

bool aq_check_race_group_begin(aq_check_group *mine,
                               const aq_wave_group *under_way)
{
  const uint32_t waves = under_way->grid->waves;
  aq_sync_group *group = group_make(mine, waves);
  if (!group ||
      !aq_map_put(&mine->grid->groups, mine->number, (uintptr_t)group)) {
    mine->spare = group;
    return false;
  }
  group->number = mine->number;
  group->wave_count = waves;
  group->base = group->before = 1;
  memset(group->waves, 0, waves * sizeof *group->waves);
  for (uint32_t i = 0; i < waves; i++)
    group->waves[i].clock = group->waves[i].met = 1;
  mine->order = group;
  private_forget(mine->grid->check, under_way);
  return true;
}

/* Others may still name one whose atomics they can read. */
void aq_check_race_group_end(aq_check_group *mine)
{
  aq_sync_group *group = mine->order;
  bool late = false;
  mine->order = NULL;
  if (!group)
    return;
  for (uint32_t i = 0; i < group->wave_count; i++) {
    const aq_sync_wave *s = &group->waves[i];
    late |= s->open || s->late_to;
    group->carried = s->passed > group->carried ? s->passed : group->carried;
  }
  const bool named = group->marked || group->count;
  mine->grid->check->forgotten.groups +=
      named && mine->grid->ended_count >= ENDED_MAX;
  if (!named || mine->grid->ended_count >= ENDED_MAX ||
      !AQ_ARRAY_PUSH(mine->grid->ended, mine->grid->ended_count,
                     mine->grid->ended_capacity, group)) {
    aq_map_remove(&mine->grid->groups, group->number, NULL);
    group->marked = false;
    group->count = 0;
    group->carried = 0;
    mine->spare = group;
    return;
  }
  if (!late || mine->grid->ended_count > LATE_MAX) {
    mine->grid->check->forgotten.waits += late;
    free(group->waves);
    group->waves = NULL;
  }
}

void aq_check_race_group_fini(aq_check_group *mine)
{
  if (mine->spare)
    group_free(mine->spare);
}

void aq_check_race_grid_end(aq_check_grid *grid)
{
  for (size_t i = 0; i < grid->ended_count; i++)
    group_free(grid->ended[i]);
  free(grid->ended);
  aq_map_fini(&grid->groups);
}

/* A wave passes the last barrier. */
static void wave_pass(const aq_sync_group *group, aq_sync_wave *s)
{
  s->met = group->base;
  s->clock = s->clock > group->base ? s->clock : group->base;
  s->arrived = 0;
  s->touched = s->flagged = false;
  s->near = group->near > s->near ? group->near : s->near;
  s->vague |= group->vague;
  if (group->seen >= s->seen) {
    s->seen = group->seen;
    s->stale = group->stale;
  }
  s->acquired = group->acquired > s->acquired ? group->acquired : s->acquired;
}

/* gfx12: clocks from a wave's arrival to the accesses behind it, so that these
 * mostly have clocks from the base on. */
enum { APART = 64 };

/* No other wave's wait orders accesses between a wave's arrival and its wait:
 * they have clocks from the base on, or where another wave was further ahead
 * when it arrived, are noted. */
void aq_check_race_barrier(const aq_wave_group *under_way)
{
  aq_sync_group *group = ((aq_check_group *)under_way->observed)->order;
  const aq_sync_wave *last = &group->waves[0];
  uint64_t most = 0;
  group->acquired = group->near = 0;
  group->vague = false;
  for (uint32_t i = 0; i < group->wave_count; i++) {
    const aq_sync_wave *s = &group->waves[i];
    const uint64_t clock = s->arrived ? s->arrived : s->clock;
    most = clock > most ? clock : most;
    group->acquired =
        s->acquired > group->acquired ? s->acquired : group->acquired;
    group->near = s->near > group->near ? s->near : group->near;
    last = s->seen > last->seen ? s : last;
    group->vague |= s->vague;
  }
  group->seen = last->seen;
  group->stale = group->acquired < group->seen ? last->stale : 0;
  group->before = group->base;
  group->base = most + 1;
  for (uint32_t i = 0; i < group->wave_count; i++) {
    aq_sync_wave *s = &group->waves[i];
    if (s->arrived && s->arrived + APART < group->base) {
      s->between = s->arrived + APART;
      s->between_base = group->base;
    }
    if (!under_way->splits || under_way->waves[i]->state == AQ_WAVE_BARRIER)
      wave_pass(group, s);
    else if (s->clock < group->base)
      s->clock = group->base;
  }
}

/* gfx12: a wave arrives; later it waits, or continues where all have arrived.
 */
static void split_run(const aq_wave *w, aq_sync_wave *s, uint8_t fence)
{
  if (fence & AQ_CHECK_ARRIVES) {
    s->arrived = s->clock;
    s->clock += APART;
    s->touched = s->flagged = false;
  } else if (w->passed < w->group->opened) {
    wave_pass(aq_check_group_of(w)->order, s);
  }
}

/* ---- releases ---- */

/* Of a group's accesses, those below came before an atomic of a clock by a
 * barrier. Older barriers are not kept: then all that have a lower clock. */
static uint64_t base_at(const aq_sync_group *group, uint64_t clock)
{
  return clock >= group->base     ? group->base
         : clock >= group->before ? group->before
                                  : clock;
}

/* The accesses to memory that an atomic of a clock released. */
static uint64_t memory_at(const aq_sync_wave *s, uint64_t clock)
{
  if (s->open && s->open < clock)
    return s->open - 1;
  return s->late_from < clock && clock <= s->late_to ? s->late_from - 1 : clock;
}

/* Two entries become one that covers what both do, from the earlier time. */
static void log_shorten(aq_sync_group *group)
{
  for (uint32_t i = 0; i < group->count / 2; i++) {
    aq_sync_release *to = &group->log[i];
    const aq_sync_release a = group->log[2 * i], b = group->log[2 * i + 1];
    *to = (aq_sync_release){.time = a.time,
                            .memory = a.memory > b.memory ? a.memory : b.memory,
                            .shared = a.shared > b.shared ? a.shared : b.shared,
                            .base = a.base > b.base ? a.base : b.base,
                            .wave = a.wave == b.wave ? a.wave : LOG_ANY};
  }
  group->count /= 2;
}

static bool log_has(const aq_sync_release *r, const aq_sync_release *wanted)
{
  return (r->wave == wanted->wave || r->wave == LOG_ANY) &&
         r->memory >= wanted->memory && r->shared >= wanted->shared &&
         r->base >= wanted->base;
}

/* The time of an entry that covers as much, made if there is none. */
static uint64_t log_time(aq_check_grid *grid, aq_sync_group *group,
                         const aq_sync_release *wanted)
{
  for (uint32_t i = 0; i < group->count; i++)
    if (log_has(&group->log[i], wanted))
      return group->log[i].time;
  if (group->count == LOG_MAX)
    log_shorten(group);
  aq_sync_release made = *wanted;
  made.time = grid->released + 1;
  if (!AQ_ARRAY_PUSH(group->log, group->count, group->capacity, made)) {
    grid->check->lost = true;
    return 0;
  }
  return ++grid->released;
}

/* The time at which a wave released by an atomic of a clock; its accesses from
 * now on are behind it. */
static uint64_t release_time(aq_check_grid *grid, aq_sync_group *group,
                             uint32_t wave, uint64_t clock)
{
  aq_sync_wave *s = group->waves ? &group->waves[wave] : NULL;
  const uint64_t base = base_at(group, clock);
  const aq_sync_release wanted = {.memory = s ? memory_at(s, clock) : clock,
                                  .shared = clock,
                                  .base = s && s->met < base ? s->met : base,
                                  .wave = wave};
  if (s && s->clock == clock) {
    s->clock++;
    s->touched = s->flagged = false;
  }
  return log_time(grid, group, &wanted);
}

static void wave_sees(aq_sync_wave *s, uint64_t time)
{
  s->passed = time > s->passed ? time : s->passed;
  if (time <= s->seen)
    return;
  s->seen = time;
  s->stale = AQ_CHECK_STALE_ALL;
}

void aq_sync_observe(aq_current_access *d, aq_check_epoch e,
                     aq_wave_access_info_kind how)
{
  const uint32_t wave = (uint32_t)aq_check_epoch_wave(e, d->bits);
  aq_sync_group *group = group_at(d->grid, aq_check_epoch_group(e, d->bits));
  aq_sync_wave *s = wave_of(d->wave);
  if (!group || !s || wave >= group->wave_count) {
    if (s)
      s->vague = true;
    return;
  }
  uint64_t time =
      release_time(d->grid, group, wave, aq_check_epoch_clock(e, d->bits));
  const aq_sync_wave *from = group->waves ? &group->waves[wave] : NULL;
  const uint64_t passed = !from                          ? group->carried
                          : how == AQ_WAVE_ACCESS_ATOMIC ? from->passed
                                                         : from->acquired;
  time = passed > time ? passed : time;
  /* The wave has not seen a result that does not return. */
  if (d->kind == AQ_WAVE_ACCESS_ATOMIC && !d->check->sites[d->site - 1].returns)
    s->passed = time > s->passed ? time : s->passed;
  else
    wave_sees(s, time);
}

void aq_sync_reread(const aq_current_access *d)
{
  aq_sync_wave *s = wave_of(d->wave);
  const aq_check_site *site = &d->check->sites[d->site - 1];
  const uint8_t is = d->shared ? site->shared : site->group;
  if (d->kind == AQ_WAVE_ACCESS_ATOMIC && !site->returns)
    return;
  if (d->coherent)
    wave_sees(s, s->passed);
  else if (is >= AQ_CHECK_MAYBE && s->passed > s->near)
    s->near = s->passed;
}

/* Whether an entry of the time or before covers an access. */
static bool log_covers(const aq_sync_group *group, uint32_t wave,
                       uint64_t clock, bool within, uint64_t time)
{
  for (uint32_t i = 0; i < group->count; i++) {
    const aq_sync_release *r = &group->log[i];
    if (r->time <= time &&
        (clock < r->base || ((r->wave == wave || r->wave == LOG_ANY) &&
                             clock <= (within ? r->shared : r->memory))))
      return true;
  }
  return false;
}

/* Whether the barrier that a wave passed last orders an access of its
 * workgroup. */
static bool is_met(const aq_sync_group *group, const aq_sync_wave *s,
                   uint64_t wave, uint64_t clock)
{
  const aq_sync_wave *other = &group->waves[wave];
  return clock < s->met && (!other->between || other->between_base != s->met ||
                            clock < other->between);
}

bool aq_sync_is_before(const aq_current_access *d, aq_check_epoch e)
{
  const bool within = !((e ^ d->me) >> d->bits.group);
  const uint64_t clock = aq_check_epoch_clock(e, d->bits);
  const aq_sync_wave *s = wave_of(d->wave);
  if (!s)
    return false;
  /* Of clocks that were too high to count the order is not known. */
  const aq_sync_group *mine = aq_check_group_of(d->wave)->order;
  const uint64_t last = aq_check_epoch_clock(UINT64_MAX, d->bits);
  if (within && (is_met(mine, s, aq_check_epoch_wave(e, d->bits), clock) ||
                 mine->base >= last))
    return true;
  const bool cached = !within && d->kind == AQ_WAVE_ACCESS_READ && !d->coherent;
  const uint64_t time = cached                        ? s->acquired
                        : within && s->near > s->seen ? s->near
                                                      : s->seen;
  if (time == 0 && !s->vague)
    return false;
  const aq_sync_group *group =
      within ? mine : group_at(d->grid, aq_check_epoch_group(e, d->bits));
  if (!group)
    return s->vague;
  return log_covers(group, (uint32_t)aq_check_epoch_wave(e, d->bits), clock,
                    within, time);
}

const char *aq_sync_missing(const aq_current_access *d, aq_check_epoch e)
{
  const aq_sync_wave *s = wave_of(d->wave);
  const aq_sync_group *group =
      group_at(d->grid, aq_check_epoch_group(e, d->bits));
  const uint32_t wave = (uint32_t)aq_check_epoch_wave(e, d->bits);
  const uint64_t clock = aq_check_epoch_clock(e, d->bits);
  if (!s || !group || s->seen == 0)
    return "workgroups of one dispatch are not ordered; expected atomics with "
           "a fence, or two dispatches";
  if (log_covers(group, wave, clock, false, s->seen))
    return "the wave read an atomic that was stored after the other access, "
           "but invalidated no caches after that; expected an acquire of "
           "agent scope";
  return log_covers(group, wave, clock, true, s->seen)
             ? "the other wave stored an atomic after its access, but did not "
               "wait for the access before; expected a release of agent scope"
             : "no atomic that the wave read was stored after the other "
               "access; expected a release there and an acquire here";
}

/* ---- accesses and fences ---- */

/* Of a store to one place, some may be an atomic's. */
static bool is_flag(const aq_check_site *site, const aq_wave_access_info *t)
{
  const uint64_t lanes = t->global | t->shared;
  const bool single = t->least == t->most && !t->second;
  const uint8_t is = t->global ? site->group : site->shared;
  return lanes && site->kind != AQ_WAVE_ACCESS_READ &&
         (is >= AQ_CHECK_COHERENT
              ? site->kind != AQ_WAVE_ACCESS_ATOMIC || single
              : is == AQ_CHECK_MAYBE && single);
}

uint64_t aq_sync_access(aq_wave *w, const aq_check_site *site,
                        const aq_wave_access_info *t)
{
  aq_sync_wave *s = wave_of(w);
  const bool flag = is_flag(site, t);
  if (s->flagged || (flag && s->touched))
    s->clock++;
  s->touched = true;
  s->flagged = flag;
  aq_check_group_of(w)->order->marked |=
      flag || site->kind == AQ_WAVE_ACCESS_ATOMIC;
  if (site->kind != AQ_WAVE_ACCESS_READ && t->global) {
    s->unwritten |= site->global < AQ_CHECK_COHERENT;
    s->open = s->open ? s->open : s->clock;
  }
  if (site->kind == AQ_WAVE_ACCESS_ATOMIC && flag)
    s->updated[s->updated_at++ % 4] = t->least;
  return s->clock;
}

bool aq_sync_updated(const aq_wave *w, uint64_t address)
{
  const aq_sync_wave *s = wave_of(w);
  bool has = false;
  for (int i = 0; s && i < 4; i++)
    has |= s->updated[i] == address && address;
  return has;
}

/* A wave arrives at a barrier of the dispatch, or passes it. */
static void meeting_arrive(aq_check_grid *grid, aq_sync_group *group,
                           const aq_wave *w)
{
  aq_sync_wave *s = wave_of(w);
  if (!w->gws_waits)
    release_time(grid, group, w->number, s->clock);
}

void aq_check_race_met(aq_wave *w)
{
  aq_check_grid *grid = aq_check_grid_of(w);
  aq_sync_wave *s = wave_of(w);
  if (!s)
    return;
  wave_sees(s, grid->released);
  if (s->invalidated) {
    s->acquired = s->seen;
    s->stale = 0;
  }
  s->invalidated = false;
}

void aq_check_race_fence(aq_wave *w, uint32_t site)
{
  aq_check_grid *grid = aq_check_grid_of(w);
  aq_sync_wave *s = wave_of(w);
  if (!s)
    return;
  const uint8_t fence = grid->check->sites[site - 1].fence;
  if (fence & AQ_CHECK_WRITES_BACK)
    s->unwritten = false;
  if (fence & AQ_CHECK_COMPLETES && s->open &&
      !(fence & AQ_CHECK_NEEDS_BACK && s->unwritten)) {
    s->late_from = s->open;
    s->late_to = s->clock;
    s->open = 0;
    s->flagged = true; /* later stores have a clock of their own */
  }
  if (fence & AQ_CHECK_STALE_ALL) {
    s->stale &= (uint8_t)~fence;
    s->invalidated |= (fence & AQ_CHECK_STALE_FAR) != 0;
    if (s->stale == 0)
      s->acquired = s->seen;
  }
  if (fence & (AQ_CHECK_ARRIVES | AQ_CHECK_AWAITS))
    split_run(w, s, fence);
  if (fence & AQ_CHECK_MEETS_GRID)
    meeting_arrive(grid, aq_check_group_of(w)->order, w);
}
