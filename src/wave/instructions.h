/* SPDX-License-Identifier: MIT */
/*
 * Which function executes which instruction, by name. An instruction is a row
 * in one of these tables (or in values.def), and its function. Within wave.
 */
#ifndef AQ_WAVE_INSTRUCTIONS_H
#define AQ_WAVE_INSTRUCTIONS_H

#include <stddef.h>

#include "wave/state.h"

typedef struct aq_wave_instruction {
  const char *name;
  aq_wave_execute *execute;
} aq_wave_instruction;

/* NULL: not in the table. */
const aq_wave_instruction *
aq_wave_instruction_find(const aq_wave_instruction *table, size_t count,
                         const char *name);

const aq_wave_instruction *aq_wave_scalar_find(const char *name);

/* Vector instructions that are more than a value of each lane: lanes that look
 * at each other, or results in scalar registers. */
const aq_wave_instruction *aq_wave_cross_find(const char *name);

/* VOP3P but for matrices. */
const aq_wave_instruction *aq_wave_packed_find(const char *name);

/* Vector memory: also sets what the op says of its access. */
aq_wave_execute *aq_wave_memory_find(aq_wave_op *op);
aq_wave_execute *aq_wave_lds_find(aq_wave_op *op);
aq_wave_execute *aq_wave_atomic_find(aq_wave_op *op);

/* Executes op->value and op->mask. */
void aq_wave_value_execute(aq_wave *wave, const aq_wave_op *op);
void aq_wave_mask_execute(aq_wave *wave, const aq_wave_op *op);

/* The lanes of a source: in its registers, or in `rows` that are filled. */
const uint32_t *aq_wave_source_rows(const aq_wave *wave,
                                    const aq_wave_source *source,
                                    uint32_t *rows);

#endif
