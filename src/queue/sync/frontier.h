/* SPDX-License-Identifier: MIT */
/*
 * Frontiers: the epoch of each queue that an object has waited for.
 *
 * A frontier maps axes (queues) to epochs: its holder runs after those
 * epochs. Merging takes the later epoch of each axis. Everything in a frontier
 * is true; one that overflows knows less than it could, so its entries still
 * hold, but it is not handed on until aq_sync_domain_prune has made room.
 * Entries are sorted by axis. Plain values, no locks.
 */
#ifndef AQ_QUEUE_SYNC_FRONTIER_H
#define AQ_QUEUE_SYNC_FRONTIER_H

#include <stdbool.h>
#include <stdint.h>

enum { AQ_FRONTIER_AXES = 64 };

typedef struct aq_frontier_entry {
  uint64_t epoch;
  uint32_t axis;
} aq_frontier_entry;

typedef struct aq_frontier {
  uint32_t count;
  bool overflow;
  aq_frontier_entry entries[AQ_FRONTIER_AXES];
} aq_frontier;

/* The epoch of an axis, 0 if there is none. */
uint64_t aq_frontier_epoch(const aq_frontier *frontier, uint32_t axis);

static inline bool aq_frontier_dominates(const aq_frontier *frontier,
                                         uint32_t axis, uint64_t epoch)
{
  return aq_frontier_epoch(frontier, axis) >= epoch;
}

/* The later epoch stays; an entry without a place makes it overflow. */
void aq_frontier_add(aq_frontier *frontier, uint32_t axis, uint64_t epoch);
void aq_frontier_merge(aq_frontier *frontier, const aq_frontier *other);

/* Copies only the used entries. */
void aq_frontier_copy(aq_frontier *to, const aq_frontier *from);

#endif
