/* SPDX-License-Identifier: MIT */
/* How certain a race is, and what its report says. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gpu/check/race/memory_model.h"
#include "gpu/check/race/races.h"
#include "gpu/check/race/synchronisation.h"

/* ---- certainty ---- */

static aq_check_access access_of(const aq_check_site *s, bool shared,
                                 bool in_group)
{
  const aq_check_access is = (aq_check_access)(shared     ? s->shared
                                               : in_group ? s->group
                                                          : s->global);
  /* A lock is released by a store to the word that took it. */
  const bool is_one = s->unlocks || s->polls == AQ_CHECK_POLLS;
  return is_one && is == AQ_CHECK_MAYBE ? AQ_CHECK_COHERENT : is;
}

/* A load of agent scope shows that it is an atomic where a store does not. */
static bool is_load_of_store(aq_check_access load, aq_wave_access_info_kind how,
                             aq_check_access store,
                             aq_wave_access_info_kind other)
{
  return load == AQ_CHECK_COHERENT && how == AQ_WAVE_ACCESS_READ &&
         store == AQ_CHECK_MAYBE && other == AQ_WAVE_ACCESS_WRITE;
}

/* No program loads or stores arrays by atomics that look plain and have the
 * scope of a workgroup, in a kernel that has no other atomics there. */
static bool are_arrays(const aq_current_access *d, const aq_check_site *mine,
                       const aq_check_site *its)
{
  if (mine->polls || its->polls)
    return false;
  return d->shared ? (mine->wide_shared || its->wide_shared) &&
                         !d->grid->updates_shared
                   : (mine->wide_global || its->wide_global) &&
                         !d->grid->updates_global;
}

aq_check_certainty aq_check_certainty_of(const aq_current_access *d,
                                         aq_check_epoch e, uint32_t site,
                                         aq_wave_access_info_kind how)
{
  const bool in_group = !((e ^ d->me) >> d->bits.group);
  if (!site || !d->site) /* a copy, or the host */
    return AQ_CHECK_SURE;
  const aq_check_site *mine = &d->check->sites[d->site - 1],
                      *its = &d->check->sites[site - 1];
  const aq_check_access a = access_of(mine, d->shared, in_group),
                        b = access_of(its, d->shared, in_group);
  if (a >= AQ_CHECK_COHERENT && b >= AQ_CHECK_COHERENT)
    return AQ_CHECK_ATOMICS;
  if (is_load_of_store(a, d->kind, b, how) ||
      is_load_of_store(b, how, a, d->kind))
    return AQ_CHECK_ATOMICS;
  if (a == AQ_CHECK_PLAIN || b == AQ_CHECK_PLAIN)
    return AQ_CHECK_SURE;
  return a == AQ_CHECK_MAYBE && b == AQ_CHECK_MAYBE && in_group &&
                 are_arrays(d, mine, its)
             ? AQ_CHECK_SURE
             : AQ_CHECK_UNSURE;
}

/* ---- texts ---- */

static const char *verb(aq_wave_access_info_kind kind)
{
  return kind == AQ_WAVE_ACCESS_READ    ? "read"
         : kind == AQ_WAVE_ACCESS_WRITE ? "write"
                                        : "atomic";
}

static const char *scope_name(unsigned scope)
{
  return scope == AQ_SCOPE_NONE    ? "none"
         : scope == AQ_SCOPE_AGENT ? "agent"
                                   : "system";
}

/* The ordering that two acts lack. */
static void missing_order(const aq_hb_event *a, const aq_hb_event *b,
                          char text[AQ_CHECK_TEXT])
{
  const bool packets =
      a->actor == AQ_CHECK_KERNEL && b->actor == AQ_CHECK_KERNEL;
  if (packets && a->queue == b->queue)
    snprintf(text, AQ_CHECK_TEXT,
             "packet %" PRIu64 " has no barrier bit, and no barrier packet, "
             "signal or host wait orders it after packet %" PRIu64,
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

static void missing_fence(const aq_hb_event *a, const aq_hb_event *b,
                          char text[AQ_CHECK_TEXT])
{
  const bool here = a->actor == AQ_CHECK_KERNEL &&
                    b->actor == AQ_CHECK_KERNEL && a->device == b->device;
  const char *need = here ? "agent" : "system";
  const unsigned least = here ? AQ_SCOPE_AGENT : AQ_SCOPE_SYSTEM;
  char from[80] = "the copy", to[80] = "the copy";
  if (a->actor == AQ_CHECK_KERNEL)
    snprintf(from, sizeof from, "packet %" PRIu64 " releases to %s", a->id,
             scope_name(aq_header_release(a->header)));
  if (b->actor == AQ_CHECK_KERNEL)
    snprintf(to, sizeof to, "packet %" PRIu64 " acquires from %s", b->id,
             scope_name(aq_header_acquire(b->header)));
  const bool both =
      (a->actor != AQ_CHECK_KERNEL || aq_header_release(a->header) >= least) &&
      (b->actor != AQ_CHECK_KERNEL || aq_header_acquire(b->header) >= least);
  snprintf(text, AQ_CHECK_TEXT,
           both ? "they are ordered, and %s and %s; expected %s or more of the "
                  "packets between them, too"
                : "they are ordered, but %s and %s; expected %s or more of "
                  "both, or of barrier packets between them",
           from, to, need);
}

static void who_text(const aq_current_access *d, aq_check_epoch e, char *text,
                     size_t size)
{
  char act[AQ_CHECK_TEXT];
  const uint32_t serial = aq_check_epoch_serial(e);
  const aq_hb_event *a = aq_hb_event_at(d->check->order, serial);
  aq_hb_event_text(d->check, a, act);
  if (!a || a->actor != AQ_CHECK_KERNEL)
    snprintf(text, size, "%.200s", act);
  else
    snprintf(text, size, "%.200s, workgroup %" PRIu64 " wave %" PRIu64, act,
             aq_check_epoch_group(e, a->bits), aq_check_epoch_wave(e, a->bits));
}

static bool is_exchange(const aq_check_site *s, unsigned bytes)
{
  return s->bytes == bytes && strstr(s->inst.row->name, "cmpswap") != NULL;
}

/* LLVM begins the loop that it makes of a float atomic with a plain read of
 * the word, which the compare-and-swap behind it then verifies. */
static bool begins_loop(const aq_current_access *d, uint32_t site,
                        aq_wave_access_info_kind how)
{
  if (!site || !d->site || d->shared)
    return false;
  const bool reads =
      d->kind == AQ_WAVE_ACCESS_READ && how == AQ_WAVE_ACCESS_ATOMIC;
  if (!reads &&
      !(d->kind == AQ_WAVE_ACCESS_ATOMIC && how == AQ_WAVE_ACCESS_READ))
    return false;
  const aq_check_site *sites = d->check->sites;
  const uint32_t reader = reads ? d->site : site,
                 exchange = reads ? site : d->site;
  return sites[reader - 1].pc < sites[exchange - 1].pc &&
         is_exchange(&sites[exchange - 1], sites[reader - 1].bytes);
}

/* libgomp's teams all store the same values to its variables, "which should be
 * harmless" (team.c). */
static bool is_harmless(const aq_current_access *d)
{
  uint32_t line;
  const char *file =
      d->grid && d->grid->by_waves && d->site
          ? aq_check_line(d->check, d->check->sites[d->site - 1].pc, &line)
          : NULL;
  return file && strstr(file, "/libgomp/") != NULL;
}

/* Another access that the one under way conflicts with. */
void aq_check_race_report(aq_current_access *d, aq_check_epoch e, uint32_t site,
                          aq_wave_access_info_kind how, bool unfenced)
{
  if (d->row) {
    const uint64_t far = d->place > d->least ? d->place - d->least : 0;
    d->lane = (int)(far / d->bytes);
    d->address = d->least + (uint64_t)d->lane * d->bytes;
  }
  const aq_hb_event *other =
      aq_hb_event_at(d->check->order, aq_check_epoch_serial(e));
  const bool between = (e ^ d->me) >> AQ_CHECK_SERIAL_SHIFT;
  const aq_check_certainty sure = aq_check_certainty_of(d, e, site, how);
  char missing[AQ_CHECK_TEXT] = "", who[AQ_CHECK_TEXT], by[300],
       message[AQ_CHECK_TEXT];
  if (sure == AQ_CHECK_ATOMICS)
    return;
  d->reported = true;
  who_text(d, e, by, sizeof by);
  snprintf(who, sizeof who, "%s by %s", verb(how), by);
  if (unfenced)
    missing_fence(other, d->act, missing);
  else if (between)
    missing_order(other, d->act, missing);
  else if (d->shared || !((e ^ d->me) >> d->bits.group))
    snprintf(missing, sizeof missing,
             "no barrier of the workgroup lies between the two waves");
  else
    snprintf(missing, sizeof missing, "%s", aq_sync_missing(d, e));
  snprintf(message, sizeof message, "%s of %u bytes in %s races with %s %s",
           verb(d->kind), d->bytes, d->shared ? "LDS" : "memory",
           how == AQ_WAVE_ACCESS_ATOMIC ? "an" : "a", verb(how));
  if (unfenced)
    snprintf(message, sizeof message,
             "%s of %u bytes that another %s wrote is ordered but not fenced",
             verb(d->kind), d->bytes,
             other && other->actor == AQ_CHECK_COPY ? "engine" : "dispatch");
  const aq_check_what what = {
      .check = AQ_CHECK_RACE,
      .kind = unfenced                       ? "ordered but unfenced"
              : between                      ? "race between dispatches"
              : d->shared                    ? "race in LDS"
              : (e ^ d->me) >> d->bits.group ? "race between workgroups"
                                             : "race in a workgroup",
      .possible = !between && (begins_loop(d, site, how) || is_harmless(d))
                      ? AQ_FINDING_NOTE
                  : sure == AQ_CHECK_UNSURE ? AQ_FINDING_POSSIBLE
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
