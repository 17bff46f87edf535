/* SPDX-License-Identifier: MIT */
/*
 * Races: two accesses to one word, one of them a write, that nothing orders.
 * Between dispatches, copies and the host by order.h; in a dispatch by the
 * barriers of a workgroup. Lanes of a wave count as ordered.
 */
#include "config.h"

#include <string.h>

#include "common/allocations.h"
#include "gpu/check/race/races.h"

/* ---- order ---- */

/* Whether everything of another act comes before this one. */
static bool act_is_before(const aq_check_doing *d, uint32_t serial,
                          bool visible)
{
  uint32_t *cache =
      d->grid ? visible ? d->grid->visible : d->grid->ordered : NULL;
  if (cache && cache[serial & 255] == serial)
    return true;
  const aq_check_act *before = aq_check_act_at(d->check->order, serial);
  if (before && (!d->act || !aq_check_is_ordered(before, d->act) ||
                 (visible && !aq_check_is_visible(before, d->act))))
    return false;
  if (cache)
    cache[serial & 255] = serial;
  return true;
}

static inline bool is_before(const aq_check_doing *d, aq_check_epoch e)
{
  const aq_check_epoch differs = e ^ d->me;
  if (differs >> AQ_CHECK_SERIAL_SHIFT)
    return e == 0 || act_is_before(d, aq_check_epoch_serial(e), false);
  if (differs >> AQ_CHECK_GROUP_SHIFT)
    return d->synchronised;
  return !(differs >> AQ_CHECK_WAVE_SHIFT) || d->synchronised ||
         (e & AQ_CHECK_BARRIER_MASK) < (d->me & AQ_CHECK_BARRIER_MASK);
}

/* ---- words ---- */

/* Atomics of two waves, or dispatches, at one place: they synchronise. */
static void atomics_meet(aq_check_doing *d, aq_check_epoch e)
{
  const aq_check_epoch differs = e ^ d->me;
  if (differs >> AQ_CHECK_SERIAL_SHIFT) {
    const aq_check_act *before =
        aq_check_act_at(d->check->order, aq_check_epoch_serial(e));
    if (before && d->grid && d->grid->act)
      aq_check_order_atomic(d->grid->act, before);
  } else if (d->wave && !d->shared) {
    aq_check_group_of(d->wave)->observed = true;
  }
}

static aq_wave_touch_kind kind_of_site(const aq_check *check, uint32_t site)
{
  return site ? (aq_wave_touch_kind)check->sites[site - 1].kind
              : AQ_WAVE_TOUCH_WRITE;
}

static inline void write_check(aq_check_doing *d, const aq_check_word *word)
{
  if (!is_before(d, word->write)) {
    const aq_check_pair pair =
        aq_check_pair_of(d, word->write, word->write_site);
    if (pair.mine >= AQ_CHECK_COHERENT && pair.its >= AQ_CHECK_MAYBE)
      atomics_meet(d, word->write);
    else
      aq_check_race_report(d, word->write, word->write_site,
                           kind_of_site(d->check, word->write_site), false);
  } else if (d->kind != AQ_WAVE_TOUCH_WRITE && !d->shared &&
             (word->write ^ d->me) >> AQ_CHECK_SERIAL_SHIFT && word->write &&
             !act_is_before(d, aq_check_epoch_serial(word->write), true)) {
    aq_check_race_report(d, word->write, word->write_site, AQ_WAVE_TOUCH_WRITE,
                         true);
  }
}

static inline void read_keep(const aq_check_doing *d, aq_check_word *word,
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

static inline void word_access(aq_check_doing *d, aq_check_word *word,
                               uint8_t mask)
{
  if (word->write & (aq_check_epoch)-1 && word->write_mask & mask &&
      word->write != d->me)
    write_check(d, word);
  if (d->kind == AQ_WAVE_TOUCH_READ) {
    read_keep(d, word, mask);
    return;
  }
  for (int i = 0; i < 2; i++)
    if (word->read[i] && word->read_mask[i] & mask &&
        !is_before(d, word->read[i]))
      aq_check_race_report(d, word->read[i], word->read_site[i],
                           AQ_WAVE_TOUCH_READ, false);
  word->write_mask =
      word->write == d->me ? (uint8_t)(word->write_mask | mask) : mask;
  word->write = d->me;
  word->write_site = d->site;
  word->read[0] = word->read[1] = 0;
}

/* ---- states ---- */

/* A freed state may come back as another: no change names it any more. */
static void words_leave(aq_check_doing *d, uint32_t state, uint32_t words)
{
  if (!aq_check_states_leave(d->states, state, words))
    return;
  for (int i = 0; i < AQ_CHECK_CHANGES; i++)
    if (d->changes[i].from == state || d->changes[i].to == state)
      d->changes[i].mask = 0;
  d->made = d->made == state ? 0 : d->made;
}

static uint32_t state_of(aq_check_doing *d, uint32_t from,
                         const aq_check_word *before,
                         const aq_check_word *after)
{
  if (memcmp(before, after, sizeof *after) == 0)
    return from;
  if (d->made &&
      memcmp(&d->states->list[d->made - 1].word, after, sizeof *after) == 0)
    return d->made;
  d->made = aq_check_states_add(d->states, after);
  d->check->lost |= !d->made;
  return d->made;
}

/* The state of a word after the access to bytes of it. */
static inline uint32_t change_find(aq_check_doing *d, uint32_t from,
                                   uint8_t mask)
{
  aq_check_change *known = &d->changes[from % AQ_CHECK_CHANGES];
  if (known->mask == mask && known->from == from)
    return known->to;
  const aq_check_word before = aq_check_states_word(d->states, from);
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
static void words_access(aq_check_doing *d, uint32_t *at, uint64_t count,
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
    aq_check_states_enter(d->states, to, words);
    words_leave(d, from, words);
  }
}

static void bytes_access(aq_check_doing *d, uint32_t *words, uint64_t first,
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

static void range_access(aq_check_doing *d, uint64_t address, uint64_t size)
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
static uint64_t row_size(const aq_wave_touch *touch, uint64_t lanes)
{
  return (uint64_t)touch->bytes * (unsigned)__builtin_popcountll(lanes);
}

/* Bytes at an offset of LDS, if all of them are there. */
static void shared_bytes(aq_check_doing *d, uint64_t at, uint64_t size)
{
  const uint64_t end = d->wave->grid->lds_asked;
  if (at <= end && size <= end - at)
    bytes_access(d, aq_check_group_of(d->wave)->lds, at, size);
}

static void shared_access(aq_check_doing *d, const aq_wave_touch *touch)
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
    d->address = aq_wave_touch_second(touch, l);
    shared_bytes(d, d->address, touch->bytes);
  }
}

static void global_access(aq_check_doing *d, const aq_wave_touch *touch)
{
  const aq_check_group *group = aq_check_group_of(d->wave);
  d->shared = d->row = false;
  d->states = &d->check->shadow.states;
  d->synchronised = group->observed && group->fenced;
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

void aq_check_race(aq_wave *w, uint32_t site, const aq_wave_touch *touch)
{
  aq_check_grid *grid = aq_check_grid_of(w);
  const aq_check_group *group = aq_check_group_of(w);
  if (!grid->act || !(touch->global | touch->shared))
    return;
  const uint64_t barrier = group->barrier < AQ_CHECK_BARRIER_MASK
                               ? group->barrier
                               : AQ_CHECK_BARRIER_MASK;
  aq_check_doing d = {
      .check = grid->check,
      .grid = grid,
      .wave = w,
      .act = grid->act,
      .me = (aq_check_epoch)grid->act->serial << AQ_CHECK_SERIAL_SHIFT |
            (group->number & AQ_CHECK_GROUP_MASK) << AQ_CHECK_GROUP_SHIFT |
            (uint64_t)(w->number & AQ_CHECK_WAVE_MASK) << AQ_CHECK_WAVE_SHIFT |
            barrier,
      .site = site,
      .kind = (aq_wave_touch_kind)grid->check->sites[site - 1].kind,
      .bytes = touch->bytes};
  if (touch->shared && group->lds)
    shared_access(&d, touch);
  if (touch->global)
    global_access(&d, touch);
}

void aq_check_race_range(aq_check *check, const aq_check_act *act,
                         uint64_t address, uint64_t size, bool write)
{
  aq_check_doing d = {.check = check,
                      .act = act,
                      .states = &check->shadow.states,
                      .me = (aq_check_epoch)act->serial
                            << AQ_CHECK_SERIAL_SHIFT,
                      .kind = write ? AQ_WAVE_TOUCH_WRITE : AQ_WAVE_TOUCH_READ,
                      .lane = -1,
                      .bytes = size > UINT32_MAX ? UINT32_MAX : (unsigned)size,
                      .address = address};
  range_access(&d, address, size);
}
