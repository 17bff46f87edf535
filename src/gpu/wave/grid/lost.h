/* SPDX-License-Identifier: MIT */
/* Faults of memory that went away while a kernel used it. */
#ifndef AQ_GPU_WAVE_GRID_LOST_H
#define AQ_GPU_WAVE_GRID_LOST_H

#include "gpu/wave/core/state.h"

/* Stops the grid at the memory instruction that its wave was in (guard.h). */
void aq_wave_lost(aq_wave_grid *grid, uint64_t address);

#endif
