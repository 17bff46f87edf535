/* SPDX-License-Identifier: MIT */
/*
 * The MODE register: rounding and denormals of floats, as the host's floating
 * point unit knows them.
 *
 * f32 has settings of its own, f64 and f16 share the others; where the two
 * differ, handlers of f64 and f16 switch for their instruction.
 */
#ifndef AQ_GPU_WAVE_CORE_MODE_H
#define AQ_GPU_WAVE_CORE_MODE_H

#include "gpu/wave/core/execution_state.h"

enum {
  AQ_WAVE_MODE_IEEE = 1 << 9,
  AQ_WAVE_MODE_DX10_CLAMP = 1 << 8,
};

/* Whether the host's floating point unit can be set. */
#if defined(__x86_64__) || defined(__aarch64__)
#define AQ_WAVE_HOST_IS_KNOWN true
#else
#define AQ_WAVE_HOST_IS_KNOWN false
#endif

/* The calling thread computes as the wave's MODE says, for f32. */
void aq_wave_mode_enter(aq_wave *w);

/* The setting of the host's unit; to be restored after a step. */
uint32_t aq_wave_mode_save(void);
void aq_wave_mode_restore(uint32_t saved);

/* Whether f64 and f16 need other settings than f32. */
static inline bool aq_wave_mode_is_split(const aq_wave *w)
{
  return (w->mode & 3) != (w->mode >> 2 & 3) ||
         (w->mode >> 4 & 3) != (w->mode >> 6 & 3);
}

/* Sets the unit for f64 and f16. */
void aq_wave_mode_enter64(aq_wave *w);

/* Rounds to nearest and keeps denormals, whatever MODE says. */
void aq_wave_mode_enter_nearest(void);

#endif
