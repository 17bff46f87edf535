/* SPDX-License-Identifier: MIT */
/*
 * The memory that the code may access: the allocation map's ranges for its
 * device, the dispatch's packet and queue and, where the map is open, every
 * mapping of this process. The mappings come from /proc, which is read again
 * when an address is in none of them.
 *
 * One thread at a time.
 */
#ifndef AQ_GPU_WAVE_CORE_ADDRESS_TRANSLATE_H
#define AQ_GPU_WAVE_CORE_ADDRESS_TRANSLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/allocations.h"
#include "gpu/wave/core/execution_state.h"

typedef struct aq_wave_reachable {
  aq_allocations *allocations;
  aq_wave_range *ranges; /* mappings by address, adjacent ones joined */
  size_t count, capacity;
} aq_wave_reachable;

/* Forgets all. */
void aq_wave_reachable_fini(aq_wave_reachable *reachable);

#endif
