/* SPDX-License-Identifier: MIT */
/*
 * Which dispatches take the time of counted ones.
 *
 * A dispatch is like others in two ways: exactly, if also the words of its
 * arguments are equal that are no pointers, and loosely, if they differ. It takes
 * the time of the last one that was counted if ENOUGH exact ones in a row agreed
 * within TOLERANCE, or MANY loose ones. Work can depend on data in memory,
 * which is not compared, so one is counted now and then all the same, ever more rarely; where it
 * disagrees the count of agreeing ones begins again.
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
  KNOWN_MAX = 1 << 16,  /* from then on new ones have no exact entry */
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
} reading;

/* Words in no allocation are no pointers. The arguments may be unmapped
 * meanwhile, so it runs under the guard. */
static void arguments_hash(void *user)
{
  reading *r = user;
  aq_wave_grid *grid = r->grid;
  uint32_t size = grid->descriptor.kernarg_size;
  size = size < ARGUMENTS_MAX ? size : ARGUMENTS_MAX;
  const char *bytes = aq_wave_translate(
      grid, (uint64_t)(uintptr_t)grid->desc.packet->kernarg_address, size,
      false);
  for (uint32_t at = 0; bytes && at < size; at += 8) {
    uint64_t word = 0;
    aq_allocation found;
    memcpy(&word, bytes + at, size - at < 8 ? size - at : 8);
    if (!aq_allocations_find(grid->reachable->allocations, word,
                             grid->desc.device, AQ_ACCESS_READ, &found))
      r->hash = aq_fnv_add(r->hash, &word, sizeof word);
  }
}

static bool known_find(aq_wave_counting *counting, uint64_t hash, size_t *out)
{
  uint64_t at;
  if (aq_map_get(&counting->known_by_hash, hash, &at)) {
    *out = at;
    return true;
  }
  const aq_wave_known made = {0};
  *out = counting->known_count;
  if (!AQ_ARRAY_PUSH(counting->known, counting->known_count,
                     counting->known_capacity, made))
    return false;
  if (aq_map_put(&counting->known_by_hash, hash, *out))
    return true;
  counting->known_count--;
  return false;
}

static bool is_settled(aq_wave_known *known, uint32_t enough)
{
  known->seen++;
  return known->agreeing >= enough && known->seen < known->next;
}

bool aq_work_repeats_find(aq_wave_counting *counting, aq_wave_grid *grid,
                          size_t *exact, size_t *loose, size_t *known)
{
  uint64_t fault;
  reading r = {.grid = grid, .hash = kernel_hash(grid)};
  if (!known_find(counting, r.hash, loose))
    return false;
  if (counting->known_count >= KNOWN_MAX ||
      !aq_wave_guard(arguments_hash, &r, &fault) ||
      !known_find(counting, aq_fnv_add(r.hash, "exact", 5), exact)) {
    *exact = *loose;
    return false;
  }
  *known = *exact;
  if (is_settled(&counting->known[*exact], ENOUGH))
    return true;
  *known = *loose;
  return is_settled(&counting->known[*loose], MANY);
}

void aq_work_repeats_add(aq_wave_counting *counting, size_t known, size_t row,
                         aq_time time)
{
  aq_wave_known *k = &counting->known[known];
  const aq_time apart = time > k->time ? time - k->time : k->time - time;
  k->agreeing =
      k->agreeing > 0 && apart <= k->time / TOLERANCE ? k->agreeing + 1 : 1;
  k->row = row;
  k->time = time;
  k->next = k->seen + 2 + k->seen / RARELY;
}
