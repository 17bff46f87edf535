/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "queue/sync/frontier.h"

#include <string.h>

/* Where an axis is, or would be. Mostly there are one or two. */
static inline uint32_t place_of(const aq_frontier *frontier, uint32_t axis)
{
  uint32_t low = 0, high = frontier->count;
  if (high == 0 || axis <= frontier->entries[0].axis)
    return 0;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (frontier->entries[middle].axis < axis)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

uint64_t aq_frontier_epoch(const aq_frontier *frontier, uint32_t axis)
{
  const uint32_t at = place_of(frontier, axis);
  return at < frontier->count && frontier->entries[at].axis == axis
             ? frontier->entries[at].epoch
             : 0;
}

void aq_frontier_add(aq_frontier *frontier, uint32_t axis, uint64_t epoch)
{
  const uint32_t at = place_of(frontier, axis);
  aq_frontier_entry *entry = &frontier->entries[at];
  if (at < frontier->count && entry->axis == axis) {
    if (entry->epoch < epoch)
      entry->epoch = epoch;
    return;
  }
  if (frontier->count == AQ_FRONTIER_AXES) {
    frontier->overflow = true;
    return;
  }
  memmove(entry + 1, entry, (frontier->count - at) * sizeof *entry);
  *entry = (aq_frontier_entry){epoch, axis};
  frontier->count++;
}

void aq_frontier_merge(aq_frontier *frontier, const aq_frontier *other)
{
  for (uint32_t i = 0; i < other->count; i++)
    aq_frontier_add(frontier, other->entries[i].axis, other->entries[i].epoch);
}

void aq_frontier_copy(aq_frontier *to, const aq_frontier *from)
{
  to->count = from->count;
  to->overflow = from->overflow;
  for (uint32_t i = 0; i < from->count; i++)
    to->entries[i] = from->entries[i];
}
