/* SPDX-License-Identifier: MIT */
/* Scalar instructions as machine code (emit_unit.c). They work on the wave's
 * registers in memory. One thread at a time. */
#ifndef AQ_GPU_WAVE_JIT_SCALAR_CODE_H
#define AQ_GPU_WAVE_JIT_SCALAR_CODE_H

#include "gpu/wave/jit/jit_table.h"
#include "gpu/wave/jit/x86.h"

/* The registers that an instruction with a text reads and writes: first codes
 * and counts. */
typedef struct aq_scalar_effects {
  uint16_t reads[3][2];
  unsigned read_count;
  unsigned write_first, write_count;
  bool exec; /* it writes EXEC */
} aq_scalar_effects;

void aq_scalar_effects_of(const aq_wave_op *o, const aq_wave_text *t,
                          aq_scalar_effects *out);

/* Writes it; false: its handler has to be called. */
bool aq_scalar_write(aq_x86 *x, const aq_wave_op *o, const aq_wave_text *t,
                     bool wave32);

#endif
