/* SPDX-License-Identifier: MIT */
/*
 * Workgroups of a grid: started in the order of dispatch, as far as the device
 * has room, and their barriers. The threads of a grid with parts share the
 * order and the room; all else is the calling thread's.
 */
#ifndef AQ_GPU_WAVE_GRID_WORKGROUPS_H
#define AQ_GPU_WAVE_GRID_WORKGROUPS_H

#include "gpu/wave/core/execution_state.h"

/* Whether workgroups have not started. */
bool aq_wave_groups_have_more(const aq_wave_grid *grid);

/* Takes the next workgroup, if there is one and room for it. */
bool aq_wave_groups_claim(aq_wave_grid *grid, uint64_t *number);

/* Makes a workgroup that was claimed resident; false: out of memory. */
bool aq_wave_groups_start(aq_wave_grid *grid, uint64_t number);

/* Whether all workgroups that the device has room for are resident. */
bool aq_wave_groups_are_full(const aq_wave_grid *grid);

/* Opens the barrier at which waves wait, if all waves arrived. True: waves that
 * waited run on. */
bool aq_wave_groups_open_barrier(aq_wave_group *group);

/* Removes a workgroup that ended; `before`: its predecessor, or NULL. */
void aq_wave_groups_retire(aq_wave_grid *grid, aq_wave_group *group,
                           aq_wave_group *before);

/* Frees all of them: resident and retired. */
void aq_wave_groups_free(aq_wave_grid *grid);

#endif
