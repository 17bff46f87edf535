/* SPDX-License-Identifier: MIT */
/*
 * Sources that are a condition of the wave: SCC, EXECZ and VCCZ as the numbers
 * 0 and 1. Within wave only.
 */
#ifndef AQ_GPU_WAVE_CORE_CONDITION_SOURCES_H
#define AQ_GPU_WAVE_CORE_CONDITION_SOURCES_H

#include "gpu/wave/core/execution_state.h"

/* Whether an operand is such a source. */
bool aq_wave_flag_is(const aq_isa_operand *operand);

/* Makes an instruction whose sources are lowered read its conditions when it
 * runs, where it has some. False: it is one whose handler does more than
 * arithmetic. */
bool aq_wave_flags_lower(aq_wave_op *o, aq_wave_decoded *more);

#endif
