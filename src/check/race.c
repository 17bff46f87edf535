/* SPDX-License-Identifier: MIT */
/*
 * Races: two accesses to one word, one of them a write, that nothing orders.
 * Between dispatches, copies and the host by order.h; in a dispatch by the
 * barriers of a workgroup. Lanes of a wave count as ordered.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check/core.h"
#include "common/allocations.h"

/* How the access under way changed the state of a word. */
typedef struct change {
  uint32_t from, to;
  uint8_t mask; /* bytes of the word; 0: none */
} change;

enum { CHANGES = 8 };

/* The access under way. */
typedef struct doing {
  aq_check *check;
  aq_check_grid *grid; /* NULL: a copy or the host */
  aq_wave *wave;
  const aq_check_act *act;
  aq_check_epoch me;
  uint32_t site;
  aq_wave_touch_kind kind;
  aq_check_access access;
  bool shared;       /* LDS */
  bool synchronised; /* with other workgroups, by atomics and fences */
  int lane;
  unsigned lanes, bytes;
  uint64_t address; /* of the lane's access */
  /* Lanes whose places are adjacent: the first one, and the word at work. */
  bool row;
  uint64_t least, place;
  aq_check_states *states;
  change changes[CHANGES]; /* by `from` */
  uint32_t made;           /* state that it made last, or 0 */
  bool reported;           /* in the change under way */
} doing;

static aq_check_access access_of(const aq_check *check, uint32_t site,
                                 bool shared)
{
  if (site == 0)
    return AQ_CHECK_PLAIN;
  const aq_check_site *s = &check->sites[site - 1];
  return (aq_check_access)(shared ? s->shared : s->global);
}

/* ---- order ---- */

/* Whether everything of another act comes before this one. */
static bool act_is_before(const doing *d, uint32_t serial, bool visible)
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

static inline bool is_before(const doing *d, aq_check_epoch e)
{
  const aq_check_epoch differs = e ^ d->me;
  if (differs >> AQ_CHECK_SERIAL_SHIFT)
    return e == 0 || act_is_before(d, aq_check_epoch_serial(e), false);
  if (differs >> AQ_CHECK_GROUP_SHIFT)
    return d->synchronised;
  return !(differs >> AQ_CHECK_WAVE_SHIFT) || d->synchronised ||
         (e & AQ_CHECK_BARRIER_MASK) < (d->me & AQ_CHECK_BARRIER_MASK);
}

/* ---- reports ---- */

static const char *verb(aq_wave_touch_kind kind)
{
  return kind == AQ_WAVE_TOUCH_READ    ? "read"
         : kind == AQ_WAVE_TOUCH_WRITE ? "write"
                                       : "atomic";
}

static const char *scope_name(unsigned scope)
{
  return scope == AQ_SCOPE_NONE    ? "none"
         : scope == AQ_SCOPE_AGENT ? "agent"
                                   : "system";
}

/* The ordering that two acts lack. */
static void missing_order(const aq_check_act *a, const aq_check_act *b,
                          char text[AQ_CHECK_TEXT])
{
  const bool packets =
      a->actor == AQ_CHECK_KERNEL && b->actor == AQ_CHECK_KERNEL;
  if (packets && a->queue == b->queue)
    snprintf(text, AQ_CHECK_TEXT,
             "packet %" PRIu64 " has no barrier bit, and no barrier packet, "
             "signal or host wait orders it behind packet %" PRIu64,
             b->id, a->id);
  else if (packets)
    snprintf(text, AQ_CHECK_TEXT,
             "no barrier packet of queue %" PRIu32 " waits for queue %" PRIu32
             "'s packet %" PRIu64 ", and the host did not wait between them",
             b->queue_id, a->queue_id, a->id);
  else
    snprintf(text, AQ_CHECK_TEXT,
             "no dependency, signal or host wait orders the two");
}

static void missing_fence(const aq_check_act *a, const aq_check_act *b,
                          char text[AQ_CHECK_TEXT])
{
  const bool here = a->actor == AQ_CHECK_KERNEL &&
                    b->actor == AQ_CHECK_KERNEL && a->device == b->device;
  const char *need = here ? "agent" : "system";
  char from[80] = "the copy", to[80] = "the copy";
  if (a->actor == AQ_CHECK_KERNEL)
    snprintf(from, sizeof from, "packet %" PRIu64 " releases to %s", a->id,
             scope_name(aq_header_release(a->header)));
  if (b->actor == AQ_CHECK_KERNEL)
    snprintf(to, sizeof to, "packet %" PRIu64 " acquires from %s", b->id,
             scope_name(aq_header_acquire(b->header)));
  snprintf(text, AQ_CHECK_TEXT,
           "they are ordered, but %s and %s; expected %s or more of both, or "
           "of barrier packets between them",
           from, to, need);
}

static void who_text(const doing *d, aq_check_epoch e, char *text, size_t size)
{
  char act[AQ_CHECK_TEXT];
  const uint32_t serial = aq_check_epoch_serial(e);
  const aq_check_act *a = aq_check_act_at(d->check->order, serial);
  aq_check_act_text(d->check, a, act);
  if (!a || a->actor != AQ_CHECK_KERNEL)
    snprintf(text, size, "%.200s", act);
  else
    snprintf(text, size, "%.200s, workgroup %" PRIu64 " wave %" PRIu64, act,
             e >> AQ_CHECK_GROUP_SHIFT & AQ_CHECK_GROUP_MASK,
             e >> AQ_CHECK_WAVE_SHIFT & AQ_CHECK_WAVE_MASK);
}

static bool is_exchange(const aq_check_site *s, unsigned bytes)
{
  return s->bytes == bytes && strstr(s->inst.row->name, "cmpswap") != NULL;
}

/* LLVM begins the loop that it makes of a float atomic with a plain read of
 * the word, which the compare-and-swap behind it then verifies. */
static bool begins_loop(const doing *d, uint32_t site, aq_wave_touch_kind how)
{
  if (!site || !d->site || d->shared)
    return false;
  const bool reads =
      d->kind == AQ_WAVE_TOUCH_READ && how == AQ_WAVE_TOUCH_ATOMIC;
  if (!reads && !(d->kind == AQ_WAVE_TOUCH_ATOMIC && how == AQ_WAVE_TOUCH_READ))
    return false;
  const aq_check_site *sites = d->check->sites;
  const uint32_t reader = reads ? d->site : site,
                 exchange = reads ? site : d->site;
  return sites[reader - 1].pc < sites[exchange - 1].pc &&
         is_exchange(&sites[exchange - 1], sites[reader - 1].bytes);
}

/* Another access that the one under way conflicts with. */
static void race_report(doing *d, aq_check_epoch e, uint32_t site,
                        aq_wave_touch_kind how, bool unfenced)
{
  if (d->row) {
    const uint64_t far = d->place > d->least ? d->place - d->least : 0;
    d->lane = (int)(far / d->bytes);
    d->address = d->least + (uint64_t)d->lane * d->bytes;
  }
  d->reported = true;
  const aq_check_act *other =
      aq_check_act_at(d->check->order, aq_check_epoch_serial(e));
  const bool between = (e ^ d->me) >> AQ_CHECK_SERIAL_SHIFT;
  const aq_check_access mine = d->access,
                        its = access_of(d->check, site, d->shared);
  char missing[AQ_CHECK_TEXT] = "", who[AQ_CHECK_TEXT], by[300],
       message[AQ_CHECK_TEXT];
  if (mine >= AQ_CHECK_COHERENT && its >= AQ_CHECK_COHERENT)
    return;
  who_text(d, e, by, sizeof by);
  snprintf(who, sizeof who, "%s by %s", verb(how), by);
  if (unfenced)
    missing_fence(other, d->act, missing);
  else if (between)
    missing_order(other, d->act, missing);
  else if (d->shared || !((e ^ d->me) >> AQ_CHECK_GROUP_SHIFT))
    snprintf(missing, sizeof missing,
             "no barrier of the workgroup lies between the two waves");
  else
    snprintf(missing, sizeof missing,
             "workgroups of one dispatch are not ordered; expected atomics "
             "with a fence, or two dispatches");
  snprintf(message, sizeof message, "%s of %u bytes in %s races with %s %s",
           verb(d->kind), d->bytes, d->shared ? "LDS" : "memory",
           how == AQ_WAVE_TOUCH_ATOMIC ? "an" : "a", verb(how));
  if (unfenced)
    snprintf(message, sizeof message,
             "%s of %u bytes that another %s wrote is ordered but not fenced",
             verb(d->kind), d->bytes,
             other && other->actor == AQ_CHECK_COPY ? "engine" : "dispatch");
  const bool maybe = mine >= AQ_CHECK_MAYBE && its >= AQ_CHECK_MAYBE;
  const aq_check_what what = {
      .check = AQ_CHECK_RACE,
      .kind = unfenced                              ? "ordered but unfenced"
              : between                             ? "race between dispatches"
              : d->shared                           ? "race in LDS"
              : (e ^ d->me) >> AQ_CHECK_GROUP_SHIFT ? "race between workgroups"
                                                    : "race in a workgroup",
      .possible = !between && begins_loop(d, site, how) ? AQ_FINDING_NOTE
                  : maybe                               ? AQ_FINDING_POSSIBLE
                                                        : AQ_FINDING_SURE,
      .wave = d->wave,
      .act = d->act,
      .site = d->site,
      .lane = d->lane,
      .lanes = d->lanes,
      .has_address = true,
      .has_place = !d->shared,
      .address = d->address,
      .bytes = d->bytes,
      .other = other,
      .other_kernel = other ? other->kernel : -1,
      .other_site = site,
      .other_text = who,
      .message = message,
      .missing = missing};
  aq_check_report(d->check, &what);
}

/* ---- words ---- */

/* Atomics of two waves, or dispatches, at one place: they synchronise. */
static void atomics_meet(doing *d, aq_check_epoch e)
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

static inline void write_check(doing *d, const aq_check_word *word)
{
  if (!is_before(d, word->write)) {
    if (d->access >= AQ_CHECK_COHERENT &&
        access_of(d->check, word->write_site, d->shared) >= AQ_CHECK_MAYBE)
      atomics_meet(d, word->write);
    else
      race_report(d, word->write, word->write_site,
                  kind_of_site(d->check, word->write_site), false);
  } else if (d->kind != AQ_WAVE_TOUCH_WRITE && !d->shared &&
             (word->write ^ d->me) >> AQ_CHECK_SERIAL_SHIFT && word->write &&
             !act_is_before(d, aq_check_epoch_serial(word->write), true)) {
    race_report(d, word->write, word->write_site, AQ_WAVE_TOUCH_WRITE, true);
  }
}

static inline void read_keep(const doing *d, aq_check_word *word, uint8_t mask)
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

static inline void word_access(doing *d, aq_check_word *word, uint8_t mask)
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
      race_report(d, word->read[i], word->read_site[i], AQ_WAVE_TOUCH_READ,
                  false);
  word->write_mask =
      word->write == d->me ? (uint8_t)(word->write_mask | mask) : mask;
  word->write = d->me;
  word->write_site = d->site;
  word->read[0] = word->read[1] = 0;
}

/* ---- states ---- */

/* A freed state may come back as another: no change names it any more. */
static void words_leave(doing *d, uint32_t state, uint32_t words)
{
  if (!aq_check_states_leave(d->states, state, words))
    return;
  for (int i = 0; i < CHANGES; i++)
    if (d->changes[i].from == state || d->changes[i].to == state)
      d->changes[i].mask = 0;
  d->made = d->made == state ? 0 : d->made;
}

static uint32_t state_of(doing *d, uint32_t from, const aq_check_word *before,
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
static inline uint32_t change_find(doing *d, uint32_t from, uint8_t mask)
{
  change *known = &d->changes[from % CHANGES];
  if (known->mask == mask && known->from == from)
    return known->to;
  const aq_check_word before = aq_check_states_word(d->states, from);
  aq_check_word after = before;
  d->reported = false;
  word_access(d, &after, mask);
  const uint32_t to = state_of(d, from, &before, &after);
  /* Each race is counted. */
  *known = (change){.from = from, .to = to, .mask = d->reported ? 0 : mask};
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
static void words_access(doing *d, uint32_t *at, uint64_t count, uint8_t mask)
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

static void bytes_access(doing *d, uint32_t *words, uint64_t first,
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

static void range_access(doing *d, uint64_t address, uint64_t size)
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
static void shared_bytes(doing *d, uint64_t at, uint64_t size)
{
  const uint64_t end = d->wave->grid->lds_asked;
  if (at <= end && size <= end - at)
    bytes_access(d, aq_check_group_of(d->wave)->lds, at, size);
}

static void shared_access(doing *d, const aq_wave_touch *touch)
{
  const uint64_t end = d->wave->grid->lds_asked;
  d->shared = true;
  d->states = &aq_check_group_of(d->wave)->states;
  d->access = access_of(d->check, d->site, true);
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

static void global_access(doing *d, const aq_wave_touch *touch)
{
  const aq_check_group *group = aq_check_group_of(d->wave);
  d->shared = d->row = false;
  d->states = &d->check->shadow.states;
  d->access = access_of(d->check, d->site, false);
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
  doing d = {
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
  doing d = {.check = check,
             .act = act,
             .states = &check->shadow.states,
             .me = (aq_check_epoch)act->serial << AQ_CHECK_SERIAL_SHIFT,
             .kind = write ? AQ_WAVE_TOUCH_WRITE : AQ_WAVE_TOUCH_READ,
             .lane = -1,
             .bytes = size > UINT32_MAX ? UINT32_MAX : (unsigned)size,
             .address = address};
  range_access(&d, address, size);
}
