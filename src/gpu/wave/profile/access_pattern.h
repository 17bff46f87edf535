/* SPDX-License-Identifier: MIT */
/*
 * How lanes access memory: distinct segments of 64 bytes, and cycles of the
 * banks of LDS. For profiles; doc/execution.md defines the figures.
 */
#ifndef AQ_GPU_WAVE_PROFILE_ACCESS_PATTERN_H
#define AQ_GPU_WAVE_PROFILE_ACCESS_PATTERN_H

#include "gpu/wave/core/execution_state.h"
#include "gpu/wave/core/observe.h"

/* The accesses of one instruction of one wave. */
typedef struct aq_wave_access_pattern {
  uint64_t bytes;
  uint64_t segments, segments_least;       /* memory */
  uint64_t bank_cycles, bank_cycles_least; /* LDS */
} aq_wave_access_pattern;

/* The bytes that a lane accesses by an instruction that reads or writes memory
 * of lanes, at each of its addresses; 0: it does not. */
unsigned aq_wave_access_bytes(const aq_isa_inst *inst);

/* Of the instruction that the wave executes next; `bytes` is of the function
 * above and not 0. */
aq_wave_access_pattern
aq_wave_access_pattern_find(aq_wave *w, const aq_wave_op *o, unsigned bytes);

/* Its cycles of the banks of LDS, of lanes that access LDS. */
unsigned aq_wave_bank_cycles(const aq_wave_access_info *t);

#endif
