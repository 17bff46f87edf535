/* SPDX-License-Identifier: MIT */
/*
 * Grids: a dispatch from its descriptor to the end of its last wave. Workgroups
 * start in the order of dispatch; resident ones take turns.
 */
#ifndef AQ_GPU_WAVE_GRID_GRID_H
#define AQ_GPU_WAVE_GRID_GRID_H

#include "gpu/codeobj/descriptor.h"
#include "gpu/wave/core/code.h"

/* Reads the descriptor and the sizes. The grid keeps `code` and the
 * description; AQ_ERR_INVALID, AQ_ERR_UNSUPPORTED. */
aq_status aq_wave_grid_init(aq_wave_grid *grid, const aq_execution_desc *desc,
                            aq_diag *diag);
void aq_wave_grid_fini(aq_wave_grid *grid);

/* Executes about `budget` instructions. */
aq_execution_state aq_wave_grid_run(aq_wave_grid *grid, uint64_t budget,
                                    uint64_t *executed);

#endif
