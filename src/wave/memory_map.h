/* SPDX-License-Identifier: MIT */
/* Which addresses a kernel may touch: those that this process has mapped.
 * Within wave. */
#ifndef AQ_WAVE_MEMORY_MAP_H
#define AQ_WAVE_MEMORY_MAP_H

#include "wave/state.h"

/* The range that holds `size` bytes at `address`, read again from the system if
 * it is not known; NULL: there is none, or it must not be written. */
const aq_wave_range *aq_wave_maps_find(aq_wave_maps *maps, uint64_t address,
                                       uint64_t size, bool write);

/* Forgets what it knows. */
void aq_wave_maps_reset(aq_wave_maps *maps);
void aq_wave_maps_fini(aq_wave_maps *maps);

/* Whether a group may access `size` bytes at `address`; the last range that was
 * hit answers most questions. */
static inline bool aq_wave_may(aq_wave_group *group, uint64_t address,
                               uint64_t size, bool write)
{
  if (address >= group->near.low && size <= group->near.high - address &&
      address < group->near.high && (!write || group->near.write))
    return true;
  const aq_wave_range *range =
      aq_wave_maps_find(group->maps, address, size, write);
  if (range)
    group->near = *range;
  return range;
}

#endif
