/* SPDX-License-Identifier: MIT */
/*
 * Counts the work of dispatches: what their time is predicted from
 * (common/counted.def). A part of the workgroups is counted, in a loop of their
 * own; the others run as they do without counting.
 *
 * A counting belongs to a machine. One thread at a time; of a grid's threads
 * the first alone counts (grid/parallel_step.c).
 */
#ifndef AQ_GPU_WAVE_CORE_WORK_COUNTERS_H
#define AQ_GPU_WAVE_CORE_WORK_COUNTERS_H

#include "common/record.h"
#include "gpu/wave/core/execution_state.h"
#include "gpu/wave/core/wave.h"

typedef struct aq_wave_counting aq_wave_counting;
typedef struct aq_work_counters aq_work_counters;       /* of a grid */
typedef struct aq_wave_group_tally aq_wave_group_tally; /* of a workgroup */

enum { AQ_WAVE_COUNTED_SLICE = 64 /* instructions: waves take short turns */ };

/* NULL: out of memory. */
aq_wave_counting *
aq_wave_counting_create(const aq_wave_counting_options *options);

/* Other options, for the grids that begin from now on. */
void aq_wave_counting_adjust(aq_wave_counting *counting,
                             const aq_wave_counting_options *options);

/* Counts this workgroup of each grid whichever others are counted. */
void aq_wave_counting_include(aq_wave_counting *counting, uint64_t number);

void aq_wave_counting_destroy(aq_wave_counting *counting);

/* Whether it predicts the times of the dispatches that it counts. */
bool aq_wave_counting_times(const aq_wave_counting *counting);

/* A grid begins; it ends, whether it was counted to its end or not. One that
 * takes the time of others is not counted: grid->repeats. */
aq_status aq_work_counters_open(aq_wave_counting *counting, aq_wave_grid *grid,
                                aq_diag *diag);
void aq_work_counters_close(aq_wave_grid *grid);

/* The first workgroup from `number` on that is executed; the grid's number of
 * workgroups: none. */
uint64_t aq_work_counters_next(const aq_wave_grid *grid, uint64_t number);

/* Whether several threads may execute the grid. */
bool aq_work_counters_joins(const aq_work_counters *tally);

/* Whether workgroups are being counted, or the next one would be; if not, the
 * window that it is in has ended. */
bool aq_work_counters_wants(aq_wave_grid *grid);

/* The first workgroup from the next one on that is counted; the grid's number
 * of workgroups: none. */
uint64_t aq_work_counters_fence(const aq_wave_grid *grid);

/* Whether others wait until the workgroups that are being counted have shown
 * how long they are. */
bool aq_work_counters_holds(aq_work_counters *tally);

/* A workgroup starts; false: out of memory. It ends, or its memory goes. */
bool aq_work_counters_group(aq_wave_group *group, uint64_t number);
void aq_work_counters_retire(aq_wave_group *group);
void aq_work_counters_free(aq_wave_group *group);

/* Its waves meet at a barrier. */
void aq_work_counters_barrier(aq_wave_group *group);

/* The loop of counted workgroups, as of instrumented_loop.h. */
const aq_wave_op *aq_wave_counted_run(aq_wave *w, const aq_wave_op *o,
                                      int64_t *left);

/* A dispatch executed instructions, counted or not. Any thread. */
void aq_wave_counting_add(aq_wave_counting *counting, uint64_t instructions);

/* All waves of the grid ended: keeps its row, and sets how long it takes; also
 * of one that takes the time of others. Code that read a clock is
 * not predicted where the counting has `repeats`. */
aq_status aq_work_counters_end(aq_wave_counting *counting, aq_wave_grid *grid,
                               aq_execution_step *out);

/* Puts all rows, the first time that it is called. */
aq_status aq_wave_counting_put(aq_wave_counting *counting, aq_record_sink *sink,
                               aq_diag *diag);

#endif
