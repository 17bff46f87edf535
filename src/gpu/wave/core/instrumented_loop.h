/* SPDX-License-Identifier: MIT */
/*
 * The loop of grids whose instructions are counted (profile.h) or traced
 * (trace.h). Grids that are not watched run in a loop without any of it.
 */
#ifndef AQ_GPU_WAVE_CORE_INSTRUMENTED_LOOP_H
#define AQ_GPU_WAVE_CORE_INSTRUMENTED_LOOP_H

#include "gpu/wave/core/execution_state.h"

/* Runs one decoded instruction, counted and traced. */
const aq_wave_op *aq_wave_watched_step(aq_wave *w, const aq_wave_op *o,
                                       bool traced);

/* Runs instructions from `o` on, until the wave stops or `*left` of them ran;
 * the one that stopped it, or the next. */
const aq_wave_op *aq_wave_watched_run(aq_wave *w, const aq_wave_op *o,
                                      int64_t *left);

#endif
