/* SPDX-License-Identifier: MIT */
/*
 * A step of a grid, by one thread or by several: each executes a part, a grid
 * of its own whose workgroups come from the common count. A workgroup stays
 * with the thread that started it.
 */
#ifndef AQ_GPU_WAVE_GRID_PARALLEL_STEP_H
#define AQ_GPU_WAVE_GRID_PARALLEL_STEP_H

#include "gpu/wave/grid/grid.h"
#include "gpu/wave/threads/thread_context.h"
#include "gpu/wave/threads/thread_pool.h"

/* The threads that may execute the parts. */
typedef struct aq_wave_threads {
  aq_thread_pool *thread_pool; /* NULL: the caller alone */
  aq_wave_thread *threads;     /* of the pool's threads; [0] made the grid */
} aq_wave_threads;

/* Executes about `budget` instructions, or in each of several threads four
 * times that, and up to eight times that while other threads are behind. A step
 * that begins with few instructions to execute is not worth other threads. */
aq_execution_state aq_wave_parallel_step(aq_wave_grid *grid,
                                         const aq_wave_threads *threads,
                                         uint64_t budget, uint64_t ticks,
                                         aq_execution_step *out);

/* Frees the parts of other threads. */
void aq_wave_parallel_fini(aq_wave_grid *grid);

#endif
