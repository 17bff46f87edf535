/* SPDX-License-Identifier: MIT */
/* Where the waves of a grid are: a line for a person. */
#ifndef AQ_GPU_WAVE_GRID_WAVE_STATUS_H
#define AQ_GPU_WAVE_GRID_WAVE_STATUS_H

#include "gpu/wave/core/execution_state.h"

/* One line: the instruction of a wave, one that runs if there is one, and how
 * many resident waves do what. Between steps, on the thread that makes them. */
void aq_wave_status_text(const aq_wave_grid *grid,
                         char text[AQ_EXECUTION_TEXT_SIZE]);

#endif
