/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/core/address_translate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpu/wave/core/guard.h"

#include "common/array.h"

/* ---- mappings of the process ---- */

static bool range_add(aq_wave_reachable *r, aq_wave_range range)
{
  aq_wave_range *last = r->count ? &r->ranges[r->count - 1] : NULL;
  if (last && last->end == range.base && last->writable == range.writable) {
    last->end = range.end;
    return true;
  }
  return AQ_ARRAY_PUSH(r->ranges, r->count, r->capacity, range);
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

static bool mapped_find(aq_wave_reachable *reachable, uint64_t address,
                        bool write, aq_wave_range *out)
{
  const aq_wave_range *range = range_find(reachable, address);
  if (!range || (write && !range->writable)) {
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512], rights[8];
    uint64_t base, end;
    reachable->count = 0;
    while (maps && fgets(line, sizeof line, maps))
      if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s", &base, &end, rights) ==
              3 &&
          rights[0] == 'r' &&
          !range_add(reachable,
                     (aq_wave_range){base, end, 0, rights[1] == 'w', false}))
        break;
    if (maps)
      fclose(maps);
    range = range_find(reachable, address);
  }
  if (!range || (write && !range->writable))
    return false;
  *out = *range;
  return true;
}

/* ---- memory that a device may access ---- */

/* The packet and the queue of the dispatch, to which the kernel has pointers
 * although no pool allocated them. */
static bool own_find(const aq_wave_grid *grid, uint64_t address, bool write,
                     aq_wave_range *out)
{
  const uint64_t packet = (uintptr_t)grid->desc.packet,
                 queue = (uintptr_t)grid->desc.queue;
  if (packet && !write && address - packet < sizeof *grid->desc.packet)
    *out = (aq_wave_range){packet, packet + sizeof *grid->desc.packet, 0, false,
                           false};
  else if (queue && address - queue < sizeof *grid->desc.queue)
    *out = (aq_wave_range){queue, queue + sizeof *grid->desc.queue, 0, true,
                           false};
  else
    return false;
  return true;
}

static bool scratch_has(const aq_wave *w, uint64_t address, aq_wave_range *out)
{
  const uint64_t base = aq_wave_private_base(w);
  const uint64_t size = (uint64_t)w->scratch_size * AQ_WAVE_LANES;
  if (!base || address - base >= size)
    return false;
  *out = (aq_wave_range){base, base + size, 0, true, false};
  return true;
}

/* The private memory of the waves in work, as bytes: GCC keeps stacks there,
 * and the waves of a workgroup pass pointers to them. */
static bool scratch_find(const aq_wave_grid *grid, uint64_t address,
                         aq_wave_range *out)
{
  if (grid->scratch_size == 0)
    return false;
  if (grid->running && scratch_has(grid->running, address, out))
    return true;
  for (const aq_wave_group *g = grid->first; g; g = g->next)
    for (uint32_t i = 0; i < g->wave_count; i++)
      if (scratch_has(g->waves[i], address, out))
        return true;
  return false;
}

static bool allocated_find(const aq_wave_grid *grid, uint64_t address,
                           aq_access access, aq_wave_range *out)
{
  aq_allocation found;
  const uint32_t device = grid->desc.device;
  if (!aq_allocations_find(grid->reachable->allocations, address, device,
                           access, &found))
    return false;
  *out = (aq_wave_range){aq_allocation_first(&found), aq_allocation_end(&found),
                         found.shift, found.writers & aq_device_bit(device),
                         found.fine};
  return true;
}

static bool reachable_find(aq_wave_grid *grid, uint64_t address, bool write,
                           aq_wave_range *out)
{
  aq_allocations *map = grid->reachable->allocations;
  if (allocated_find(grid, address, write ? AQ_ACCESS_WRITE : AQ_ACCESS_READ,
                     out) ||
      own_find(grid, address, write, out) || scratch_find(grid, address, out))
    return true;
  return aq_allocations_are_open(map) && !aq_allocations_cover(map, address) &&
         mapped_find(grid->reachable, address, write, out);
}

static bool range_has(const aq_wave_range *range, uint64_t address,
                      uint64_t size, bool write)
{
  return address >= range->base && address < range->end &&
         size <= range->end - address && (range->writable || !write);
}

void *aq_wave_translate_slow(aq_wave_grid *grid, uint64_t address,
                             uint64_t size, bool write)
{
  aq_wave_guard_arm(); /* a step begins without a range */
  for (int i = 0; i < AQ_WAVE_OLDER; i++)
    if (range_has(&grid->older[i], address, size, write)) {
      const aq_wave_range range = grid->older[i];
      grid->older[i] = grid->range;
      grid->range = range;
      return (void *)(uintptr_t)(address - range.shift);
    }
  aq_wave_range range = {0};
  const uint64_t end = address + size;
  if (end < address)
    return NULL;
  for (uint64_t at = address; at < end; at = range.end) {
    const uint64_t shift = range.shift;
    if (!reachable_find(grid, at, write, &range) ||
        (at > address && range.shift != shift)) /* two places of this process */
      return NULL;
  }
  /* An access across two allocations finds the first again next time. */
  if (size > 0 && range_has(&range, address, size, write)) {
    /* Keeps the ranges touched last, the newest first. */
    memmove(grid->older + 1, grid->older,
            sizeof grid->older - sizeof *grid->older);
    grid->older[0] = grid->range;
    grid->range = range;
  }
  return (void *)(uintptr_t)(address - range.shift);
}

bool aq_wave_translate_is_fine(const aq_wave_grid *grid, uint64_t address)
{
  aq_wave_range found;
  if (range_has(&grid->range, address, 1, false))
    return grid->range.fine;
  return allocated_find(grid, address, AQ_ACCESS_READ, &found) && found.fine;
}

void aq_wave_reachable_fini(aq_wave_reachable *reachable)
{
  free(reachable->ranges);
  *reachable = (aq_wave_reachable){0};
}
