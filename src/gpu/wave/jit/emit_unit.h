/* SPDX-License-Identifier: MIT */
/*
 * Machine code for a unit: the instructions of a page that can be reached from
 * one of them (jit_unit.h), as one function. One thread at a time.
 */
#ifndef AQ_GPU_WAVE_JIT_EMIT_UNIT_H
#define AQ_GPU_WAVE_JIT_EMIT_UNIT_H

#include "gpu/wave/jit/jit_unit.h"

typedef struct aq_emitter aq_emitter;

/* Why this host executes no such code; NULL: it does. */
const char *aq_emitter_refusal(void);

/* NULL: out of memory, or this host executes no such code; *why says which. */
aq_emitter *aq_emitter_create(const char **why);
void aq_emitter_destroy(aq_emitter *emitter);

/* NULL: this unit does not fit, or no more does, as *why says; else *why is
 * NULL. The function lives as long as the emitter. */
aq_wave_unit_run *aq_emitter_unit(aq_emitter *emitter,
                                  const aq_wave_blocks *blocks,
                                  const aq_wave_op *ops,
                                  const aq_wave_texts *texts, bool wave32,
                                  const char **why);

#endif
