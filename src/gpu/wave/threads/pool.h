/* SPDX-License-Identifier: MIT */
/*
 * Memory of waves, kept from one grid to the next: mapping and unmapping a
 * wave's registers costs more than a short kernel. A wave's vector registers
 * and private memory have undefined values at its start.
 *
 * One thread at a time.
 */
#ifndef AQ_GPU_WAVE_THREADS_POOL_H
#define AQ_GPU_WAVE_THREADS_POOL_H

#include "gpu/wave/core/execution_state.h"

/* All zero: empty. */
typedef struct aq_wave_pool {
  aq_wave *first;
  unsigned count;
  unsigned skew; /* of the last new wave in its pages */
} aq_wave_pool;

/* With `scratch` bytes of private memory a lane; NULL: out of memory. */
aq_wave *aq_wave_pool_acquire(aq_wave_pool *pool, uint32_t scratch);
void aq_wave_pool_release(aq_wave_pool *pool, aq_wave *w);
void aq_wave_pool_fini(aq_wave_pool *pool);

#endif
