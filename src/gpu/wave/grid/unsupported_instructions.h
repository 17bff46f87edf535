/* SPDX-License-Identifier: MIT */
/*
 * Refuses a kernel before anything of it runs if its code can reach an
 * instruction that is not simulated: over both sides of branches, calls, and,
 * where a call goes to an address that is not known, functions whose address
 * that code takes. Functions that only tables in data name are not looked at.
 */
#ifndef AQ_GPU_WAVE_GRID_UNSUPPORTED_INSTRUCTIONS_H
#define AQ_GPU_WAVE_GRID_UNSUPPORTED_INSTRUCTIONS_H

#include "common/diag.h"
#include "gpu/wave/core/execution_state.h"
#include "gpu/wave/core/wave.h"

/* The instructions that a walk visits, and rows whose results are not exact.
 */
typedef struct aq_wave_census {
  uint64_t instructions;
  bool indirect; /* a call went to an address that is not known */
  aq_wave_inexact *rows;
  size_t count, capacity;
} aq_wave_census;

/* Looks through the code of the grid's kernel once, until code changes.
 * AQ_ERR_UNSUPPORTED names the kernel and the first such instruction;
 * AQ_ERR_NO_MEMORY. Reads memory of others: to be called in a guard (guard.h).
 * Fills the census, whose rows the caller frees whatever the result; NULL: it
 * is not wanted. It stays empty where the code was looked through before. */
aq_status aq_wave_missing_check(aq_wave_grid *grid, aq_wave_census *census,
                                aq_diag *diag);

#endif
