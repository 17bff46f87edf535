/* SPDX-License-Identifier: MIT */
/* Faults of memory that went away while a kernel used it. */
#ifndef AQ_GPU_WAVE_GRID_PAGE_FAULT_H
#define AQ_GPU_WAVE_GRID_PAGE_FAULT_H

#include "gpu/wave/core/execution_state.h"

/* Stops the grid at the memory instruction that its wave was in (guard.h). */
void aq_wave_page_fault(aq_wave_grid *grid, uint64_t address);

#endif
