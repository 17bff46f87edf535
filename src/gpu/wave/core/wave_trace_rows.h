/* SPDX-License-Identifier: MIT */
/*
 * Steps of a wave of each dispatch, with the cycles of its counted timeline
 * (work_counters.h), as rows of the run.
 *
 * A list of steps belongs to a machine. One thread at a time.
 */
#ifndef AQ_GPU_WAVE_CORE_WAVE_TRACE_ROWS_H
#define AQ_GPU_WAVE_CORE_WAVE_TRACE_ROWS_H

#include "common/record.h"
#include "gpu/wave/core/execution_state.h"
#include "gpu/wave/core/wave.h"

typedef struct aq_wave_steps aq_wave_steps;

/* NULL: out of memory. */
aq_wave_steps *aq_wave_steps_create(const aq_wave_trace_options *options,
                                    const aq_wave_clocks *clocks);
void aq_wave_steps_destroy(aq_wave_steps *steps);

/* Whether it keeps the wave's steps. */
bool aq_wave_steps_wants(const aq_wave_steps *steps, const aq_wave *w);

/* An instruction that the wave executes next, from `cycle` to `end`; `dispatch`
 * numbers the grids. False: out of memory. */
bool aq_wave_steps_add(aq_wave_steps *steps, const aq_wave *w,
                       const aq_wave_op *o, uint32_t dispatch, int64_t cycle,
                       int64_t end);

/* Puts all rows, the first time that it is called, and prints how many steps
 * were left out. */
aq_status aq_wave_steps_put(aq_wave_steps *steps, aq_record_sink *sink,
                            aq_diag *diag);

#endif
