/* SPDX-License-Identifier: MIT */
/*
 * Decoded instructions made ready to execute: constants by their values,
 * registers as rows and scalar codes, the form around the handler.
 */
#ifndef AQ_GPU_WAVE_DECODE_LOWER_H
#define AQ_GPU_WAVE_DECODE_LOWER_H

#include "gpu/wave/core/execution_state.h"

/* Fills `o` from more->inst; o->run is the instruction's handler. False: the
 * instruction's fields cannot be executed. */
bool aq_wave_lower(aq_wave_op *o, aq_wave_decoded *more);

/* Whether an instruction's fields can be executed, if it has a handler. */
bool aq_wave_lowers(const aq_isa_inst *inst);

/* Whether no public source documents the results of a target for an instruction
 * that has a handler: gfx1250's buffers and matrices. */
bool aq_wave_row_is_unproven(const aq_isa_row *row, uint16_t target);

/* The handler of an instruction that has none: the wave faults. */
aq_wave_handler aq_wave_not_simulated;

#endif
