/* SPDX-License-Identifier: MIT */
/*
 * Which registers a unit's instructions may still read: compiled code leaves
 * out the others. Before code outside the unit, and before instructions whose
 * registers are not known, all are alive.
 *
 * A vector instruction writes the lanes that EXEC has; the others keep their
 * values. So a row's life is known for lanes that are on and for lanes that are
 * off apart: an EXEC that shrinks turns some of the first into the second, as
 * at the end of a loop's turn, and one that grows the other way round, behind
 * the loop.
 * Constant after aq_wave_lives_find.
 */
#ifndef AQ_GPU_WAVE_JIT_JIT_LIVENESS_H
#define AQ_GPU_WAVE_JIT_JIT_LIVENESS_H

#include "gpu/wave/jit/jit_table.h"
#include "gpu/wave/jit/jit_unit.h"

typedef struct aq_wave_lives aq_wave_lives;

/* NULL: out of memory. */
aq_wave_lives *aq_wave_lives_find(const aq_wave_blocks *blocks,
                                  const aq_wave_op *ops,
                                  const aq_wave_texts *texts, bool wave32);
void aq_wave_lives_free(aq_wave_lives *lives);

/* Whether a scalar may be read after instruction `at` of the page. */
bool aq_wave_lives_scalar(const aq_wave_lives *lives, unsigned at,
                          unsigned code);

/* The rows that may be read after it: a bit each. */
const uint64_t *aq_wave_lives_rows(const aq_wave_lives *lives, unsigned at);

/* Where a direct branch goes, if that is in the page. */
const aq_wave_op *aq_wave_branch_near(const aq_wave_op *ops,
                                      const aq_wave_op *o);

#endif
