/* SPDX-License-Identifier: MIT */
/* The compiled units (jit.h) of a page of code. One thread at a time. */
#ifndef AQ_GPU_WAVE_CORE_JIT_PAGE_H
#define AQ_GPU_WAVE_CORE_JIT_PAGE_H

#include "gpu/wave/core/execution_state.h"

/* Where a unit stopped, and the rest of its budget. The lowest bit of
 * `next`: the budget is too small for the next block. 0: the wave stopped. */
typedef struct aq_wave_outcome {
  uintptr_t next;
  int64_t left;
} aq_wave_outcome;

/* A compiled unit: begins at an entry of the page whose instructions lie at
 * `ops`. */
typedef aq_wave_outcome aq_wave_unit_run(aq_wave *w, const aq_wave_op *ops,
                                         int64_t left, unsigned entry);

/* The units of a page and the heat that compiles more of them. */
typedef struct aq_jit_page {
  aq_wave_unit_run **units; /* by op->entry - 1 */
  unsigned count;
  uint64_t heat; /* instructions interpreted since the last unit */
  bool looked;   /* no unit can be made */
} aq_jit_page;

/* Forgets the units of a page whose bytes changed. */
void aq_jit_page_fini(aq_jit_page *jit_page);

#endif
