/* SPDX-License-Identifier: MIT */
/*
 * What memory the code may touch: the mappings of this process, as the kernel
 * lists them, read again when an address is in none of them.
 *
 * One thread at a time.
 */
#ifndef AQ_WAVE_REACH_H
#define AQ_WAVE_REACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wave/state.h"

typedef struct aq_wave_reachable {
  aq_wave_range *ranges; /* by address, adjacent ones joined */
  size_t count, capacity;
} aq_wave_reachable;

/* The range that `address` lies in, or NULL. */
const aq_wave_range *aq_wave_reachable_find(aq_wave_reachable *reachable,
                                            uint64_t address, bool write);

/* Forgets all. */
void aq_wave_reachable_fini(aq_wave_reachable *reachable);

#endif
