/* SPDX-License-Identifier: MIT */
/*
 * C for a unit: the instructions of a page that can be reached from one of
 * them, as one function (jit.h). Instructions without a text are calls of
 * their handlers. Runs of the others are segments: scalars in variables, then
 * lanes in groups of sixteen, which the host's compiler vectorizes, then
 * stores. One thread at a time.
 */
#ifndef AQ_GPU_WAVE_JIT_JIT_EMIT_H
#define AQ_GPU_WAVE_JIT_JIT_EMIT_H

#include <stdio.h>

#include "gpu/wave/jit/jit_liveness.h"

enum { AQ_WAVE_SEGMENT_MAX = 128 };

typedef struct aq_wave_segment aq_wave_segment;

/* NULL: out of memory. Texts, lives and file are borrowed; instructions lie at
 * `ops`.
 */
aq_wave_segment *aq_wave_segment_create(const aq_wave_texts *texts,
                                        const aq_wave_op *ops,
                                        const aq_wave_lives *lives, bool wave32,
                                        FILE *out);
void aq_wave_segment_destroy(aq_wave_segment *segment);

/* Adds an instruction; a segment that it cannot join is written first; false:
 * it has no text, and the segment before it was written. `rest`: the
 * instructions of its block behind it. */
bool aq_wave_segment_add(aq_wave_segment *segment, const aq_wave_op *o,
                         unsigned rest);

/* Writes the segment. */
void aq_wave_segment_flush(aq_wave_segment *segment);

/* Writes the segment as the body of a loop that runs while `condition` (C, of
 * the scalar scc0) holds and the budget lasts: each group of lanes makes all
 * turns at once, since the scalars do not depend on lanes. False, and nothing
 * is written: it is not `added` instructions, or they do. A turn is `count`
 * instructions of the budget; one turn was taken. Without f64 a loop gains
 * nothing: its groups overlap in the host better than its turns. */
bool aq_wave_segment_loop(aq_wave_segment *segment, const char *condition,
                          unsigned added, unsigned count);

/* What every unit begins with. */
void aq_wave_prelude_write(FILE *out, bool wave32);

#endif
