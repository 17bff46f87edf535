/* SPDX-License-Identifier: MIT */
/*
 * Hot code compiled for the host. A unit is the code of one page that can be
 * reached from an instruction by branches, as machine code (jit/emit_unit.h).
 *
 * The interpreter stays the reference: a unit executes as many instructions at
 * once as it may, with the same results, budgets, faults and checks, and calls
 * the handlers of all that it has no rule for. Profiles, traces and
 * checks interpret everything, as do the workgroups whose work is counted.
 *
 * A thread's code is touched by its thread only.
 */
#ifndef AQ_GPU_WAVE_CORE_JIT_H
#define AQ_GPU_WAVE_CORE_JIT_H

#include "common/diag.h"
#include "gpu/wave/core/code.h"
#include "gpu/wave/core/jit_options.h"

typedef struct aq_jit aq_jit;

/* NULL: out of memory. For handlers of a level. */
aq_jit *aq_jit_create(const aq_jit_options *options, unsigned level);
void aq_jit_destroy(aq_jit *native);

/* Runs a wave like the interpreter's loop. */
const aq_wave_op *aq_jit_run(aq_wave *w, const aq_wave_op *o, int64_t *left);

/* Of a wave whose compiled code touched memory that went away, with its
 * `strip.rest`: executes that run with handlers from the strip on, so that the
 * registers and the first access that fails are theirs. That access comes
 * within the caller's guard (guard.h), or the wave's state is FAULTS. */
void aq_jit_repeat(aq_wave *w);

/* The interpreted instructions of a page that make a unit worth emitting. */
uint64_t aq_jit_from(const aq_jit *native);

/* Before the first step of a kernel, when everything is compiled. */
void aq_jit_begin(aq_jit *native, aq_wave_code *code, uint64_t entry);

#endif
