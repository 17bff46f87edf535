/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "wave/reach.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static bool range_add(aq_wave_reachable *r, aq_wave_range range)
{
  aq_wave_range *last = r->count ? &r->ranges[r->count - 1] : NULL;
  if (last && last->end == range.base && last->writable == range.writable) {
    last->end = range.end;
    return true;
  }
  if (r->count == r->capacity) {
    const size_t capacity = r->capacity ? 2 * r->capacity : 64;
    aq_wave_range *ranges = realloc(r->ranges, capacity * sizeof *r->ranges);
    if (!ranges)
      return false;
    r->ranges = ranges;
    r->capacity = capacity;
  }
  r->ranges[r->count++] = range;
  return true;
}

static void ranges_read(aq_wave_reachable *r)
{
  FILE *maps = fopen("/proc/self/maps", "re");
  char line[512], rights[8];
  uint64_t base, end;
  r->count = 0;
  while (maps && fgets(line, sizeof line, maps))
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s", &base, &end, rights) == 3 &&
        rights[0] == 'r' &&
        !range_add(r, (aq_wave_range){base, end, rights[1] == 'w'}))
      break;
  if (maps)
    fclose(maps);
}

static const aq_wave_range *range_find(const aq_wave_reachable *r,
                                       uint64_t address)
{
  size_t first = 0, end = r->count;
  while (first < end) {
    const size_t middle = (first + end) / 2;
    if (r->ranges[middle].end <= address)
      first = middle + 1;
    else
      end = middle;
  }
  return first < r->count && r->ranges[first].base <= address
             ? &r->ranges[first]
             : NULL;
}

const aq_wave_range *aq_wave_reachable_find(aq_wave_reachable *reachable,
                                            uint64_t address, bool write)
{
  const aq_wave_range *range = range_find(reachable, address);
  if (range && (range->writable || !write))
    return range;
  ranges_read(reachable);
  range = range_find(reachable, address);
  return range && (range->writable || !write) ? range : NULL;
}

void *aq_wave_reach_slow(aq_wave_grid *grid, uint64_t address, uint64_t size,
                         bool write)
{
  const aq_wave_range *range =
      aq_wave_reachable_find(grid->reachable, address, write);
  if (!range || size > range->end - address)
    return NULL;
  grid->range = *range;
  return (void *)(uintptr_t)address;
}

void aq_wave_reachable_fini(aq_wave_reachable *reachable)
{
  free(reachable->ranges);
  *reachable = (aq_wave_reachable){0};
}
