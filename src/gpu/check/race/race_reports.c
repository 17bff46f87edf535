/* SPDX-License-Identifier: MIT */
/* How certain a race is, and what its report says. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gpu/check/race/races.h"

/* ---- certainty ---- */

static aq_check_access access_of(const aq_check *check, uint32_t site,
                                 bool shared, bool in_group)
{
  if (site == 0)
    return AQ_CHECK_PLAIN;
  const aq_check_site *s = &check->sites[site - 1];
  return (aq_check_access)(shared     ? s->shared
                           : in_group ? s->group
                                      : s->global);
}

aq_check_pair aq_check_pair_of(const aq_check_doing *d, aq_check_epoch e,
                               uint32_t site)
{
  const bool in_group = !((e ^ d->me) >> AQ_CHECK_GROUP_SHIFT);
  return (aq_check_pair){access_of(d->check, d->site, d->shared, in_group),
                         access_of(d->check, site, d->shared, in_group)};
}

/* ---- texts ---- */

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

static void who_text(const aq_check_doing *d, aq_check_epoch e, char *text,
                     size_t size)
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
static bool begins_loop(const aq_check_doing *d, uint32_t site,
                        aq_wave_touch_kind how)
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
void aq_check_race_report(aq_check_doing *d, aq_check_epoch e, uint32_t site,
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
  const aq_check_pair pair = aq_check_pair_of(d, e, site);
  char missing[AQ_CHECK_TEXT] = "", who[AQ_CHECK_TEXT], by[300],
       message[AQ_CHECK_TEXT];
  if (pair.mine >= AQ_CHECK_COHERENT && pair.its >= AQ_CHECK_COHERENT)
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
  const bool maybe = pair.mine >= AQ_CHECK_MAYBE && pair.its >= AQ_CHECK_MAYBE;
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
