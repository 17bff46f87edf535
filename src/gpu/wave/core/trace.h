/* SPDX-License-Identifier: MIT */
/*
 * Traces: the steps of one wave of each dispatch, with the registers that each
 * instruction reads and writes, as lines.
 *
 * A trace belongs to a machine. One thread at a time.
 */
#ifndef AQ_GPU_WAVE_CORE_TRACE_H
#define AQ_GPU_WAVE_CORE_TRACE_H

#include "gpu/wave/core/execution_state.h"
#include "gpu/wave/core/wave.h"

typedef struct aq_wave_trace aq_wave_trace;

/* NULL: out of memory. */
aq_wave_trace *aq_wave_trace_create(const aq_wave_trace_options *options);
void aq_wave_trace_destroy(aq_wave_trace *trace);

/* Whether the options choose the wave. */
bool aq_wave_trace_chooses(const aq_wave_trace_options *options,
                           const aq_wave *w);

/* Whether it traces the wave, and has lines left. */
bool aq_wave_trace_wants(const aq_wave_trace *trace, const aq_wave *w);

/* Around an instruction that the wave executes. */
void aq_wave_trace_before(aq_wave_trace *trace, const aq_wave *w,
                          const aq_wave_op *o);
void aq_wave_trace_after(aq_wave_trace *trace, const aq_wave *w,
                         const aq_wave_op *o);

#endif
