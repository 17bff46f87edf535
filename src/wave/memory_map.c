/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "wave/memory_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Neighbours of equal rights become one range, so that an access may cross
 * them. False: out of memory. */
static bool range_add(aq_wave_maps *maps, aq_wave_range range)
{
  aq_wave_range *last = maps->count ? &maps->ranges[maps->count - 1] : NULL;
  if (last && last->high == range.low && last->write == range.write) {
    last->high = range.high;
    return true;
  }
  if (maps->count == maps->capacity) {
    const size_t capacity = maps->capacity ? 2 * maps->capacity : 256;
    aq_wave_range *grown =
        realloc(maps->ranges, capacity * sizeof *maps->ranges);
    if (!grown)
      return false;
    maps->ranges = grown;
    maps->capacity = capacity;
  }
  maps->ranges[maps->count++] = range;
  return true;
}

static void maps_read(aq_wave_maps *maps)
{
  FILE *file = fopen("/proc/self/maps", "re");
  char line[512];
  maps->count = 0;
  while (file && fgets(line, sizeof line, file)) {
    aq_wave_range range;
    char rights[5];
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &range.low, &range.high,
               rights) != 3 ||
        rights[0] != 'r')
      continue;
    range.write = rights[1] == 'w';
    if (!range_add(maps, range))
      break;
  }
  if (file)
    fclose(file);
}

static const aq_wave_range *range_at(const aq_wave_maps *maps, uint64_t address)
{
  size_t low = 0, high = maps->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (address < maps->ranges[middle].low)
      high = middle;
    else if (address >= maps->ranges[middle].high)
      low = middle + 1;
    else
      return &maps->ranges[middle];
  }
  return NULL;
}

static bool range_allows(const aq_wave_range *range, uint64_t address,
                         uint64_t size, bool write)
{
  return range && size <= range->high - address && (!write || range->write);
}

const aq_wave_range *aq_wave_maps_find(aq_wave_maps *maps, uint64_t address,
                                       uint64_t size, bool write)
{
  const aq_wave_range *range = range_at(maps, address);
  if (range_allows(range, address, size, write))
    return range;
  maps_read(maps);
  range = range_at(maps, address);
  return range_allows(range, address, size, write) ? range : NULL;
}

void aq_wave_maps_reset(aq_wave_maps *maps)
{
  maps->count = 0;
}

void aq_wave_maps_fini(aq_wave_maps *maps)
{
  free(maps->ranges);
  *maps = (aq_wave_maps){0};
}
