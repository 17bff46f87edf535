/* SPDX-License-Identifier: MIT */
/* The blocks of a unit. One thread at a time. */
#ifndef AQ_GPU_WAVE_JIT_JIT_UNIT_H
#define AQ_GPU_WAVE_JIT_JIT_UNIT_H

#include "gpu/wave/core/code.h"
#include "gpu/wave/jit/jit_table.h"

enum { AQ_WAVE_PAGE_OPS = 1024 };

typedef struct aq_wave_blocks {
  bool is_member[AQ_WAVE_PAGE_OPS + 4], is_entry[AQ_WAVE_PAGE_OPS + 4];
  unsigned members, entries;
} aq_wave_blocks;

/* Whether a wave may stop at an instruction and continue behind it; whether it
 * can continue there at all; whether it does nothing. */
bool aq_wave_op_ends_block(const aq_wave_op *o);
bool aq_wave_op_goes_on(const aq_wave_op *o);
bool aq_wave_op_is_nothing(const aq_wave_op *o);

/* Finds the instructions that can be reached from `root` in its page. */
void aq_wave_blocks_find(aq_wave_code *code, aq_wave_op *root,
                         aq_wave_blocks *out);

#endif
