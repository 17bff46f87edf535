/* SPDX-License-Identifier: MIT */
/* Output modifiers of vector instructions: clamp and multiplication. */
#ifndef AQ_GPU_WAVE_CORE_OUTPUT_MODIFIERS_H
#define AQ_GPU_WAVE_CORE_OUTPUT_MODIFIERS_H

#include "gpu/wave/core/execution_state.h"
#include "gpu/wave/core/mode.h"

/* Modifies the result of `plain` in rows from `row` on, in the lanes of EXEC;
 * false: the instruction has no such modifier here. */
bool aq_wave_finish(aq_wave *w, const aq_wave_op *plain, uint16_t row);

/* Whether the instruction's clamp and multiplication are simulated. */
bool aq_wave_finish_executes(const aq_isa_inst *inst);

/* A float between 0 and 1. A NaN is 0 where MODE clamps like DX10. */
static inline double aq_wave_clamp_unit(const aq_wave *w, double x)
{
  if (x != x)
    return w->mode & AQ_WAVE_MODE_DX10_CLAMP ? 0 : x;
  return x > 0 ? (x > 1 ? 1 : x) : 0;
}

#endif
