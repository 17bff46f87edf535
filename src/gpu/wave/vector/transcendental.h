/* SPDX-License-Identifier: MIT */
/*
 * Handlers of transcendental functions that compute lane by lane, for lanes
 * that vector_functions.inc does not compute at once: NaNs, infinities, results
 * whose rounding is close.
 */
#ifndef AQ_GPU_WAVE_VECTOR_TRANSCENDENTAL_H
#define AQ_GPU_WAVE_VECTOR_TRANSCENDENTAL_H

#include "gpu/wave/core/execution_state.h"

aq_wave_handler aq_wave_by_lane_v_exp_f32, aq_wave_by_lane_v_log_f32,
    aq_wave_by_lane_v_sin_f32, aq_wave_by_lane_v_cos_f32;

#endif
