/* SPDX-License-Identifier: MIT */
/* How workgroups and waves begin. One thread at a time. */
#ifndef AQ_GPU_WAVE_GRID_WAVE_INIT_H
#define AQ_GPU_WAVE_GRID_WAVE_INIT_H

#include "gpu/wave/core/execution_state.h"

/* Finds the id and the size of workgroup `number`. */
void aq_wave_start_group(aq_wave_group *group, uint64_t number);

/* Fills the registers of a wave that begins. */
void aq_wave_start(aq_wave *w);

#endif
