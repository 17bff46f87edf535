/* SPDX-License-Identifier: MIT */
/*
 * Grids: a dispatch from its descriptor to the end of its last wave. Workgroups
 * start in the order of dispatch; resident ones take turns.
 */
#ifndef AQ_WAVE_GRID_H
#define AQ_WAVE_GRID_H

#include "codeobj/descriptor.h"
#include "wave/code.h"

/* Reads the descriptor and the sizes. The grid keeps `code` and the
 * description; AQ_ERR_INVALID, AQ_ERR_UNSUPPORTED. */
aq_status aq_wave_grid_init(aq_wave_grid *grid, const aq_execution_desc *desc,
                            aq_diag *diag);
void aq_wave_grid_fini(aq_wave_grid *grid);

/* Whether workgroups have not started. */
bool aq_wave_grid_has_more(const aq_wave_grid *grid);

/* Executes about `budget` instructions. */
aq_execution_state aq_wave_grid_run(aq_wave_grid *grid, uint64_t budget,
                                    uint64_t *executed);

/* Finds the id and the size of workgroup `number`. */
void aq_wave_start_group(aq_wave_group *group, uint64_t number);

/* Fills the registers of a wave that begins. */
void aq_wave_start(aq_wave *w);

#endif
