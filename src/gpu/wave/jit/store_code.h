/* SPDX-License-Identifier: MIT */
/*
 * Stores of words to global memory and LDS as machine code: of waves all of
 * whose lanes are on, at addresses in a row; of LDS, where those of each strip
 * are. All is checked before the first word is stored. Others are left to the
 * handler, which also finds the range that the next one is checked against.
 *
 * Stores are no instructions of strips: lanes may store what later strips load.
 */
#ifndef AQ_GPU_WAVE_JIT_STORE_CODE_H
#define AQ_GPU_WAVE_JIT_STORE_CODE_H

#include "gpu/wave/jit/jit_table.h"
#include "gpu/wave/jit/x86.h"

/* Jumps to the handler. */
typedef struct aq_store_misses {
  uint32_t at[8];
  unsigned count;
} aq_store_misses;

/* Writes the store whose transfer is `t`. False: nothing is written, it is the
 * handler's. All registers that are free change. */
bool aq_store_write(aq_x86 *x, const aq_wave_op *o, const aq_wave_transfer *t,
                    const aq_wave_op *ops, bool wave32,
                    aq_store_misses *misses);

#endif
