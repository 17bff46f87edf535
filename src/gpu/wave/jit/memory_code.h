/* SPDX-License-Identifier: MIT */
/*
 * Transfers outside of strips as machine code: loads of scalars, and stores of
 * words of waves all of whose lanes are on: to global memory at addresses in a
 * row, to LDS where the addresses of each strip are in a row. All is checked
 * before the first word is moved. Others are left to the handler, which also
 * finds the range that the next one is checked against.
 *
 * Stores are no instructions of strips: lanes may store what later strips load.
 */
#ifndef AQ_GPU_WAVE_JIT_MEMORY_CODE_H
#define AQ_GPU_WAVE_JIT_MEMORY_CODE_H

#include "gpu/wave/jit/jit_table.h"
#include "gpu/wave/jit/x86.h"

/* Jumps to the handler. */
typedef struct aq_memory_misses {
  uint32_t at[48];
  unsigned count;
} aq_memory_misses;

/* Where the grid has the range that an instruction found last. */
int32_t aq_memory_range_at(const aq_wave_op *o);

/* Offsets of the elements of an access to LDS: of two, `scale` elements count
 * as one; 0: there is one element. */
void aq_memory_shared_offsets(const aq_wave_op *o, uint32_t words,
                              uint32_t scale, uint32_t out[2]);

/* Compares EXEC: equal where all lanes are on. */
void aq_memory_lanes_test(aq_x86 *x, bool wave32);

/* Writes a store of rows to checked memory, which rax points to: words of each
 * lane, of a wave all of whose lanes are on. */
void aq_memory_rows_store(aq_x86 *x, const aq_wave_op *o, unsigned words,
                          const aq_wave_op *ops, bool wave32);

/* Writes the instruction whose transfer is `t`. False: nothing is written, it
 * is the handler's. All registers that are free change. */
bool aq_memory_write(aq_x86 *x, const aq_wave_op *o, const aq_wave_transfer *t,
                     const aq_wave_op *ops, bool wave32,
                     aq_memory_misses *misses);

#endif
