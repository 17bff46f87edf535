/* SPDX-License-Identifier: MIT */
/*
 * Races: two accesses to one word, one of them a write, that nothing orders.
 *
 * Before, of two accesses (is_before):
 *
 *   of two acts               happens_before.h; of a plain read, visible as
 *                             well
 *   of two waves              synchronisation.c
 *   of one wave               always: lanes count as ordered
 *
 * An access is an epoch: serial, workgroup, wave and the wave's clock, in 64
 * bits that each dispatch divides as it needs them (access_history.h). A clock
 * that is too high to count stays at its last value, and the waves of that
 * workgroup look ordered; of more than 2^31 workgroups, two may look like one.
 * Both hide a race and never make one up.
 *
 * A word keeps its last write and two reads since; a third read that nothing
 * orders is dropped (read_keep), which may hide a race with a write after it.
 * Of an atomic, the plain store that it replaced stands among the reads, or the
 * atomic of another wave that nothing orders, if there is a place (write_keep);
 * these stay: a later atomic may race with the store, and a plain read with
 * both.
 *
 * States. Words that went through the same share one state, counted. A state
 * that no word is in any more is free, and its number may come back for another
 * word: so what names it, the changes of the access under way, is cleared in
 * the same step (words_leave). Nothing else keeps numbers of states: an access
 * begins with no changes, and shadow pages and LDS hold counted ones.
 *
 * `lost`: memory ran out for a page or a state; the word is as before, and
 * aq_check_put reports it.
 */
#include "config.h"

#include <string.h>

#include "common/allocations.h"
#include "gpu/check/race/races.h"
#include "gpu/check/race/synchronisation.h"

/* ---- order ---- */

/* Whether everything of another act comes before this one. */
static bool act_is_before(const aq_current_access *d, uint32_t serial,
                          bool visible)
{
  uint32_t *cache =
      d->grid ? visible ? d->grid->visible : d->grid->ordered : NULL;
  if (cache && cache[serial & 255] == serial)
    return true;
  const aq_hb_event *before = aq_hb_event_at(d->check->order, serial);
  if (before && (!d->act || !aq_check_is_ordered(before, d->act) ||
                 (visible && !aq_check_is_visible(before, d->act))))
    return false;
  if (cache)
    cache[serial & 255] = serial;
  return true;
}

static inline bool is_before(const aq_current_access *d, aq_check_epoch e)
{
  const aq_check_epoch differs = e ^ d->me;
  if (differs >> AQ_CHECK_SERIAL_SHIFT)
    return e == 0 || act_is_before(d, aq_check_epoch_serial(e), false);
  return !(differs >> d->bits.wave) || aq_sync_is_before(d, e);
}

/* ---- words ---- */

/* The access under way reads the value that an atomic of another wave, or
 * dispatch, stored. */
static void atomics_meet(aq_current_access *d, aq_check_epoch e,
                         aq_wave_access_info_kind how)
{
  const aq_check_epoch differs = e ^ d->me;
  if (!(differs >> AQ_CHECK_SERIAL_SHIFT)) {
    if (d->wave)
      aq_sync_observe(d, e, how);
    return;
  }
  const aq_hb_event *before =
      aq_hb_event_at(d->check->order, aq_check_epoch_serial(e));
  if (before && d->grid && d->grid->act)
    aq_hb_atomic(d->check->order, d->grid->act, before);
}

static aq_wave_access_info_kind kind_of_site(const aq_check *check,
                                             uint32_t site)
{
  return site ? (aq_wave_access_info_kind)check->sites[site - 1].kind
              : AQ_WAVE_ACCESS_WRITE;
}

static inline void write_check(aq_current_access *d, const aq_check_word *word)
{
  if (!is_before(d, word->write)) {
    const aq_wave_access_info_kind how =
        kind_of_site(d->check, word->write_site);
    const aq_check_certainty sure =
        aq_check_certainty_of(d, word->write, word->write_site, how);
    if (sure != AQ_CHECK_ATOMICS)
      aq_check_race_report(d, word->write, word->write_site, how, false);
    if (sure != AQ_CHECK_SURE && d->kind != AQ_WAVE_ACCESS_WRITE)
      atomics_meet(d, word->write, how);
  } else if (d->kind != AQ_WAVE_ACCESS_WRITE && !d->shared &&
             (word->write ^ d->me) >> AQ_CHECK_SERIAL_SHIFT && word->write &&
             !act_is_before(d, aq_check_epoch_serial(word->write), true)) {
    aq_check_race_report(d, word->write, word->write_site, AQ_WAVE_ACCESS_WRITE,
                         true);
  }
}

static inline void read_keep(const aq_current_access *d, aq_check_word *word,
                             uint8_t mask)
{
  const int at = is_before(d, word->read[0]) ? 0
                 : is_before(d, word->read[1]) || !word->read[1] ||
                         (word->read[1] ^ d->me) >> AQ_CHECK_SERIAL_SHIFT
                     ? 1
                     : -1;
  if (at < 0)
    return;
  if (word->read[at] == d->me && word->read_site[at] == d->site)
    mask |= word->read_mask[at];
  word->read[at] = d->me;
  word->read_site[at] = d->site;
  word->read_mask[at] = mask;
  if (at == 0 && word->read[1] && is_before(d, word->read[1]))
    word->read[1] = 0;
}

/* An atomic hides no plain stores before it from the atomics behind it, and no
 * atomics from plain reads. Those take no other access's place. */
static inline void write_keep(const aq_current_access *d, aq_check_word *word)
{
  if (!word->write)
    return;
  const bool atomic =
      kind_of_site(d->check, word->write_site) == AQ_WAVE_ACCESS_ATOMIC;
  if (atomic && (is_before(d, word->write) ||
                 (word->read[1] && !is_before(d, word->read[1]))))
    return;
  const int at =
      !atomic && (!word->read[0] || is_before(d, word->read[0])) ? 0 : 1;
  word->read[at] = word->write;
  word->read_site[at] = word->write_site;
  word->read_mask[at] = word->write_mask;
}

/* Stores and atomics that stand among the reads. */
static inline void kept_check(aq_current_access *d, const aq_check_word *word,
                              uint8_t mask)
{
  for (int i = 0; i < 2; i++) {
    if (!word->read[i] || !(word->read_mask[i] & mask) ||
        is_before(d, word->read[i]))
      continue;
    const aq_wave_access_info_kind how =
        kind_of_site(d->check, word->read_site[i]);
    /* Of a copy it is not known which: a read, as most are. */
    const bool writes = how != AQ_WAVE_ACCESS_READ && word->read_site[i];
    if (d->kind != AQ_WAVE_ACCESS_READ || writes)
      aq_check_race_report(d, word->read[i], word->read_site[i], how, false);
  }
}

static inline void word_access(aq_current_access *d, aq_check_word *word,
                               uint8_t mask)
{
  if (word->write && word->write_mask & mask && word->write != d->me)
    write_check(d, word);
  kept_check(d, word, mask);
  if (d->kind != AQ_WAVE_ACCESS_WRITE && d->wave && word->write &&
      !((word->write ^ d->me) >> d->bits.wave) &&
      kind_of_site(d->check, word->write_site) == AQ_WAVE_ACCESS_ATOMIC)
    aq_sync_reread(d);
  if (d->kind == AQ_WAVE_ACCESS_READ) {
    read_keep(d, word, mask);
    return;
  }
  if (d->kind == AQ_WAVE_ACCESS_ATOMIC)
    write_keep(d, word);
  else
    word->read[0] = word->read[1] = 0;
  word->write_mask =
      word->write == d->me ? (uint8_t)(word->write_mask | mask) : mask;
  word->write = d->me;
  word->write_site = d->site;
}

/* ---- states ---- */

/* A freed state may come back as another: no change names it any more. */
static void words_leave(aq_current_access *d, uint32_t state, uint32_t words)
{
  if (!aq_access_history_leave(d->states, state, words))
    return;
  for (int i = 0; i < AQ_CHECK_CHANGES; i++)
    if (d->changes[i].from == state || d->changes[i].to == state)
      d->changes[i].mask = 0;
  d->made = d->made == state ? 0 : d->made;
}

static uint32_t state_of(aq_current_access *d, uint32_t from,
                         const aq_check_word *before,
                         const aq_check_word *after)
{
  if (memcmp(before, after, sizeof *after) == 0)
    return from;
  if (d->made &&
      memcmp(&d->states->list[d->made - 1].word, after, sizeof *after) == 0)
    return d->made;
  d->made = aq_access_history_add(d->states, after);
  d->check->lost |= !d->made;
  return d->made;
}

/* The state of a word after the access to bytes of it. */
static inline uint32_t change_find(aq_current_access *d, uint32_t from,
                                   uint8_t mask)
{
  aq_check_change *known = &d->changes[from % AQ_CHECK_CHANGES];
  if (known->mask == mask && known->from == from)
    return known->to;
  const aq_check_word before = aq_access_history_of(d->states, from);
  aq_check_word after = before;
  d->reported = false;
  word_access(d, &after, mask);
  const uint32_t to = state_of(d, from, &before, &after);
  /* Each race is counted. */
  *known =
      (aq_check_change){.from = from, .to = to, .mask = d->reported ? 0 : mask};
  return to;
}

static inline bool words_differ(const uint32_t *at, uint32_t state)
{
  uint32_t differs = 0;
  for (int i = 0; i < 16; i++)
    differs |= at[i] ^ state;
  return differs;
}

/* The same for words in a row. */
static void words_access(aq_current_access *d, uint32_t *at, uint64_t count,
                         uint8_t mask)
{
  for (uint64_t i = 0; i < count;) {
    const uint32_t from = at[i], to = change_find(d, from, mask);
    uint64_t end = i + 1;
    while (!d->reported && end + 16 <= count && !words_differ(at + end, from))
      end += 16;
    while (!d->reported && end < count && at[end] == from)
      end++;
    d->place += 4 * (end - i);
    d->reported = false;
    if (to == from) {
      i = end;
      continue;
    }
    const uint32_t words = (uint32_t)(end - i);
    for (; i < end; i++)
      at[i] = to;
    aq_access_history_enter(d->states, to, words);
    words_leave(d, from, words);
  }
}

static void bytes_access(aq_current_access *d, uint32_t *words, uint64_t first,
                         uint64_t size)
{
  const uint64_t end = first + size;
  for (uint64_t at = first; at < end;) {
    const uint64_t next = (at / 4 + 1) * 4, to = next < end ? next : end;
    if (at % 4 == 0 && end - at >= 4) {
      words_access(d, &words[at / 4], (end - at) / 4, 0xf);
      at += (end - at) / 4 * 4;
      continue;
    }
    words_access(d, &words[at / 4], 1,
                 (uint8_t)((0xf << at % 4) & (0xf >> (next - to))));
    at = to;
  }
}

static void range_access(aq_current_access *d, uint64_t address, uint64_t size)
{
  const uint64_t end = address + size;
  d->place = address / 4 * 4;
  while (address < end) {
    const uint64_t next = (address / AQ_CHECK_PAGE + 1) * AQ_CHECK_PAGE,
                   to = next < end ? next : end;
    aq_check_page *page = aq_check_shadow_page(&d->check->shadow, address);
    if (!page) {
      d->check->lost = true;
      return;
    }
    bytes_access(d, page->words, address % AQ_CHECK_PAGE, to - address);
    address = to;
  }
}

/* ---- accesses ---- */

/* The bytes that lanes in a row access. */
static uint64_t row_size(const aq_wave_access_info *touch, uint64_t lanes)
{
  return (uint64_t)touch->bytes * (unsigned)__builtin_popcountll(lanes);
}

/* Bytes at an offset of LDS, if all of them are there. */
static void shared_bytes(aq_current_access *d, uint64_t at, uint64_t size)
{
  const uint64_t end = d->wave->grid->lds_asked;
  if (at <= end && size <= end - at)
    bytes_access(d, aq_check_group_of(d->wave)->lds, at, size);
}

static void shared_access(aq_current_access *d,
                          const aq_wave_access_info *touch)
{
  const uint64_t end = d->wave->grid->lds_asked;
  d->shared = true;
  d->states = &aq_check_group_of(d->wave)->states;
  d->lanes = (unsigned)__builtin_popcountll(touch->shared);
  if (touch->row && !touch->second && touch->most + touch->bytes <= end) {
    d->row = true;
    d->least = d->place = touch->least;
    shared_bytes(d, touch->least, row_size(touch, touch->shared));
    return;
  }
  uint64_t last = UINT64_MAX;
  for (uint64_t rest = touch->shared; rest; rest &= rest - 1) {
    const int l = d->lane = __builtin_ctzll(rest);
    if (touch->at[l] == last)
      continue; /* of the same wave: nothing else comes of it */
    d->address = last = touch->at[l];
    shared_bytes(d, (uint32_t)d->address, touch->bytes);
    if (!(touch->second >> l & 1))
      continue;
    d->address = aq_wave_access_info_second(touch, l);
    shared_bytes(d, d->address, touch->bytes);
  }
}

static void global_access(aq_current_access *d,
                          const aq_wave_access_info *touch)
{
  d->shared = d->row = false;
  d->states = &d->check->shadow.states;
  d->coherent = d->check->sites[d->site - 1].global >= AQ_CHECK_COHERENT;
  d->lanes = (unsigned)__builtin_popcountll(touch->global);
  if (touch->row) {
    d->row = true;
    d->least = aq_address_host(touch->least);
    range_access(d, d->least, row_size(touch, touch->global));
    return;
  }
  uint64_t last = UINT64_MAX;
  for (uint64_t rest = touch->global; rest; rest &= rest - 1) {
    const int l = __builtin_ctzll(rest);
    if (touch->at[l] == last)
      continue;
    last = touch->at[l];
    d->lane = touch->scalar ? -1 : l;
    d->address = aq_address_host(touch->at[l]);
    range_access(d, d->address, touch->bytes);
  }
}

/* The last clock that can be counted stands for all later ones, and the number
 * of a workgroup loses its upper bits. */
static aq_check_epoch me_of(const aq_hb_event *act, const aq_check_group *group,
                            const aq_wave *w, uint64_t clock)
{
  const uint64_t last = aq_check_epoch_clock(UINT64_MAX, act->bits);
  return (aq_check_epoch)act->serial << AQ_CHECK_SERIAL_SHIFT |
         aq_check_epoch_group(group->number << act->bits.group, act->bits)
             << act->bits.group |
         (uint64_t)w->number << act->bits.wave | (clock < last ? clock : last);
}

/* Evidence for atomics that look like plain accesses (aq_check_certainty_of).
 */
static void site_learn(aq_wave *w, aq_check_site *site,
                       const aq_wave_access_info *touch)
{
  aq_check_grid *grid = aq_check_grid_of(w);
  const bool single = touch->least == touch->most && !touch->second;
  site->wide_global |= touch->global && !single;
  site->wide_shared |= touch->shared && !single;
  if (site->kind == AQ_WAVE_ACCESS_ATOMIC) {
    grid->updates_global |= touch->global != 0;
    grid->updates_shared |= touch->shared != 0;
  }
  site->unlocks |= site->kind == AQ_WAVE_ACCESS_WRITE && single &&
                   !site->unlocks && aq_sync_updated(w, touch->least);
}

void aq_check_race(aq_wave *w, uint32_t site, const aq_wave_access_info *touch)
{
  aq_check_grid *grid = aq_check_grid_of(w);
  const aq_check_group *group = aq_check_group_of(w);
  if (!grid->act || !group->order || !(touch->global | touch->shared))
    return;
  aq_check_site *at = &grid->check->sites[site - 1];
  site_learn(w, at, touch);
  const uint64_t clock = aq_sync_access(w, at, touch);
  aq_current_access d = {.check = grid->check,
                         .grid = grid,
                         .wave = w,
                         .act = grid->act,
                         .bits = grid->act->bits,
                         .me = me_of(grid->act, group, w, clock),
                         .site = site,
                         .kind = (aq_wave_access_info_kind)at->kind,
                         .bytes = touch->bytes};
  if (touch->shared && group->lds)
    shared_access(&d, touch);
  if (touch->global)
    global_access(&d, touch);
}

void aq_check_race_range(aq_check *check, const aq_hb_event *act,
                         uint64_t address, uint64_t size, bool write)
{
  aq_current_access d = {
      .check = check,
      .act = act,
      .states = &check->shadow.states,
      .me = (aq_check_epoch)act->serial << AQ_CHECK_SERIAL_SHIFT,
      .kind = write ? AQ_WAVE_ACCESS_WRITE : AQ_WAVE_ACCESS_READ,
      .lane = -1,
      .bytes = size > UINT32_MAX ? UINT32_MAX : (unsigned)size,
      .address = address};
  range_access(&d, address, size);
}
