/* SPDX-License-Identifier: MIT */
/*
 * Moves between the lanes of a wave by a pattern in the instruction: DPP, DPP8
 * and ds_swizzle_b32. The pattern is read once, as the lane that each lane
 * reads.
 */
#ifndef AQ_GPU_WAVE_CORE_DPP_H
#define AQ_GPU_WAVE_CORE_DPP_H

#include "gpu/wave/core/execution_state.h"

typedef struct aq_wave_move {
  uint64_t reads;  /* lanes that read a lane of the wave; the others none */
  uint64_t writes; /* lanes that the masks of rows and banks let write */
  bool zeroes;     /* a lane that reads none, or one that is off, gets 0 */
  bool fetches;    /* lanes that are off can be read */
  uint8_t from[AQ_WAVE_LANES];
} aq_wave_move;

/* The move of an instruction of a form of DPP. */
void aq_wave_move_dpp(const aq_isa_inst *inst, aq_wave_move *move);

/* The move of ds_swizzle_b32 by its offset; false in its FFT mode. */
bool aq_wave_move_swizzle(uint32_t pattern, aq_wave_move *move);

/* Moves `words` rows of `source` to `to`, which is another place. Returns the
 * lanes of EXEC that get a value; the other lanes of `to` are undefined. */
uint64_t aq_wave_move_rows(const aq_wave *w, const aq_wave_move *move,
                           uint32_t *to, const uint32_t *source,
                           unsigned words);

#endif
