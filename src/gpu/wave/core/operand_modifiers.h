/* SPDX-License-Identifier: MIT */
/*
 * Forms of vector instructions: SDWA, DPP, signs, clamp, output modifiers,
 * operand selection. Decoding reads a form once, as changes of the sources and
 * of the result around the plain handler. The move of DPP is the instruction's
 * own (dpp.h).
 */
#ifndef AQ_GPU_WAVE_CORE_OPERAND_MODIFIERS_H
#define AQ_GPU_WAVE_CORE_OPERAND_MODIFIERS_H

#include "gpu/wave/core/execution_state.h"

/* A word x becomes ((x << up >> down) & keep) ^ flip, of 64 bits the upper
 * word. */
typedef struct aq_wave_form_source {
  bool changes; /* else the handler reads the source itself */
  bool is_wide; /* 64 bits */
  bool extends; /* the shift down copies the sign */
  uint8_t up, down;
  uint32_t keep, flip;
} aq_wave_form_source;

typedef struct aq_wave_form {
  aq_wave_form_source sources[3];
  /* Result: a vector; into a part of the register, or all of it (mask 0). */
  bool is_vector, is_wide, sets_exec, finishes;
  bool adds_upper; /* the destination's upper half is the third source */
  uint8_t first, width;
  uint32_t mask;  /* of the part */
  uint32_t kept;  /* bits that the register keeps */
  uint32_t signs; /* bits that copy the part's sign */
} aq_wave_form;

/* Reads the form of o->decoded->inst; `o` has its operands. */
void aq_wave_form_read(const aq_wave_op *o, aq_wave_form *form);

/* RDNA: whether a result of 16 bits leaves the other half of its register. */
bool aq_wave_form_keeps_half(const aq_isa_inst *inst);

/* Runs an instruction that has a form: o->decoded->form around
 * o->decoded->base. */
aq_wave_handler aq_wave_form_run;

#endif
