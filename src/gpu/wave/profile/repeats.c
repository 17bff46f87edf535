/* SPDX-License-Identifier: MIT */
/*
 * Which dispatches take the time of counted ones.
 *
 * A dispatch is like others in two ways: exactly, if also the words of its
 * arguments are equal that are no pointers, and loosely, if they differ. It
 * takes the time of the last one that was counted if ENOUGH exact ones in a row
 * agreed within TOLERANCE, or MANY loose ones. Work can depend on data in
 * memory, which is not compared, so one is counted now and then all the same,
 * ever more rarely; where it disagrees the count of agreeing ones begins again.
 */
#include "config.h"

#include <string.h>

#include "common/array.h"
#include "common/fnv.h"
#include "gpu/wave/core/address_translate.h"
#include "gpu/wave/core/guard.h"
#include "gpu/wave/profile/work_counters_priv.h"

enum {
  ENOUGH = 2,
  MANY = 8,
  TOLERANCE = 20,       /* a 20th of the time */
  RARELY = 4,           /* again after a 4th more dispatches */
  ARGUMENTS_MAX = 4096, /* bytes */
  KNOWN_MAX = 1 << 16,  /* from then on new ones are counted each time */
};

static uint64_t kernel_hash(const aq_wave_grid *grid)
{
  const uint64_t parts[] = {
      grid->entry,
      aq_allocations_code_removed(grid->reachable->allocations),
      grid->desc.device,
      (uint64_t)grid->groups[0] << 32 | grid->groups[1],
      (uint64_t)grid->groups[2] << 32 | grid->lds_asked,
      (uint64_t)grid->size[0] << 32 | grid->size[1],
      grid->size[2],
  };
  return aq_fnv_add(AQ_FNV_START, parts, sizeof parts);
}

typedef struct reading {
  aq_wave_grid *grid;
  uint64_t hash;
  bool read;
} reading;

/* Words in no allocation are no pointers. The arguments may be unmapped
 * meanwhile, so it runs under the guard. Arguments whose size the
 * code does not state, and arguments in registers of PM4, are not read. */
static void arguments_hash(void *user)
{
  reading *r = user;
  aq_wave_grid *grid = r->grid;
  const uint32_t size = grid->descriptor.kernarg_size;
  const uint64_t address = (uint64_t)grid->desc.packet->kernarg_address;
  if (grid->desc.registers || size > ARGUMENTS_MAX)
    return;
  r->read = address == 0 && size == 0;
  const char *bytes =
      size ? aq_wave_translate(grid, address, size, false) : NULL;
  for (uint32_t at = 0; bytes && at < size; at += 8) {
    uint64_t word = 0;
    aq_allocation found;
    memcpy(&word, bytes + at, size - at < 8 ? size - at : 8);
    if (!aq_allocations_find(grid->reachable->allocations, word,
                             grid->desc.device, AQ_ACCESS_READ, &found))
      r->hash = aq_fnv_add(r->hash, &word, sizeof word);
  }
  r->read |= bytes != NULL;
}

/* AQ_WAVE_UNKNOWN: there is no room for another. */
static size_t known_find(aq_wave_counting *counting, uint64_t hash)
{
  uint64_t at;
  if (aq_map_get(&counting->known_by_hash, hash, &at))
    return at;
  const aq_wave_known made = {0};
  if (counting->known_count == KNOWN_MAX ||
      !AQ_ARRAY_PUSH(counting->known, counting->known_count,
                     counting->known_capacity, made))
    return AQ_WAVE_UNKNOWN;
  if (aq_map_put(&counting->known_by_hash, hash, counting->known_count - 1))
    return counting->known_count - 1;
  counting->known_count--;
  return AQ_WAVE_UNKNOWN;
}

/* Whether one that would be counted with `enough` instructions takes the time:
 * with fewer than the last, it is always so. */
static bool is_settled(aq_wave_counting *counting, size_t known,
                       uint32_t agreeing, int64_t enough)
{
  if (known == AQ_WAVE_UNKNOWN)
    return false;
  aq_wave_known *k = &counting->known[known];
  k->seen++;
  return k->agreeing >= agreeing && (k->seen < k->next || enough < k->enough);
}

bool aq_work_repeats_find(aq_wave_counting *counting, aq_wave_grid *grid,
                          int64_t enough, size_t *exact, size_t *loose,
                          size_t *known)
{
  uint64_t fault;
  reading r = {.grid = grid, .hash = kernel_hash(grid)};
  const uint64_t kernel = r.hash;
  *exact = *loose = AQ_WAVE_UNKNOWN;
  if (!aq_wave_guard(arguments_hash, &r, &fault) || !r.read)
    return false;
  *loose = known_find(counting, kernel);
  *exact = known_find(counting, aq_fnv_add(r.hash, "exact", 5));
  *known = *exact;
  if (is_settled(counting, *exact, ENOUGH, enough))
    return true;
  *known = *loose;
  return is_settled(counting, *loose, MANY, INT64_MAX);
}

static void known_add(aq_wave_known *k, size_t row, aq_time time,
                      int64_t enough)
{
  const aq_time apart = time > k->time ? time - k->time : k->time - time;
  k->agreeing =
      k->agreeing > 0 && apart <= k->time / TOLERANCE ? k->agreeing + 1 : 1;
  k->row = row;
  k->time = time;
  k->enough = enough;
  k->next = k->seen + 2 + k->seen / RARELY;
}

void aq_work_repeats_add(aq_wave_counting *counting,
                         const aq_work_counters *tally, size_t row,
                         aq_time time)
{
  const bool first = tally->exact == AQ_WAVE_UNKNOWN ||
                     counting->known[tally->exact].agreeing == 0;
  if (first && tally->loose != AQ_WAVE_UNKNOWN)
    known_add(&counting->known[tally->loose], row, time, tally->enough);
  if (tally->exact != AQ_WAVE_UNKNOWN)
    known_add(&counting->known[tally->exact], row, time, tally->enough);
}
