/* SPDX-License-Identifier: MIT */
/* Where the waves of a grid are: a line for a person. */
#ifndef AQ_GPU_WAVE_GRID_WHERE_H
#define AQ_GPU_WAVE_GRID_WHERE_H

#include "gpu/wave/core/state.h"

/* One line: the instruction of a wave, one that runs if there is one, and how
 * many resident waves do what. Between steps, on the thread that makes them. */
void aq_wave_where(const aq_wave_grid *grid, char text[AQ_EXECUTION_TEXT_SIZE]);

#endif
