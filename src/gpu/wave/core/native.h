/* SPDX-License-Identifier: MIT */
/*
 * Hot code compiled for the host. A unit is the code of one page that can be
 * reached from an instruction by branches: C made of the texts of its
 * instructions (native_emit.h), built by a builder that the machine's user
 * gives, since this folder starts no compilers and loads no libraries.
 *
 * The interpreter stays the reference: a unit executes as many instructions at
 * once as it may, with the same results, budgets, faults and checks, and calls
 * the handlers of all that it has no text for. Profiles, traces, checks and
 * counts interpret everything.
 *
 * A hand's code is touched by its thread only, except in aq_wave_native_serve,
 * which runs while no other thread executes.
 */
#ifndef AQ_GPU_WAVE_CORE_NATIVE_H
#define AQ_GPU_WAVE_CORE_NATIVE_H

#include "common/diag.h"
#include "gpu/wave/core/code.h"
#include "gpu/wave/core/native_options.h"

typedef struct aq_wave_native aq_wave_native;

/* NULL: out of memory. For handlers of a level. */
aq_wave_native *aq_wave_native_create(const aq_wave_native_options *options,
                                      unsigned level);
void aq_wave_native_destroy(aq_wave_native *native);

/* Runs a wave like the interpreter's loop. */
const aq_wave_op *aq_wave_native_run(aq_wave *w, const aq_wave_op *o,
                                     int64_t *left);

/* The interpreted instructions of a page that make a unit worth looking for. */
uint64_t aq_wave_native_from(const aq_wave_native *native);

/* Before the first step of a kernel, when everything is compiled. */
void aq_wave_native_begin(aq_wave_native *native, aq_wave_code *code,
                          uint64_t entry);

/* Compiles what became hot in a step, and attaches it. */
void aq_wave_native_serve(aq_wave_native *native, aq_wave_code *code);

void aq_wave_native_put(const aq_wave_native *native,
                        aq_wave_native_counts *out);

#endif
