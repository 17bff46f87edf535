/* SPDX-License-Identifier: MIT */
/*
 * The workgroup dispatcher as doc/device.md describes it, one workgroup at a
 * time and nothing clever: what tests compare the real one with.
 */
#ifndef AQ_TESTS_BACKEND_SIM_REFERENCE_H
#define AQ_TESTS_BACKEND_SIM_REFERENCE_H

#include "backend_sim/dispatch/dispatcher.h"

enum { REFERENCE_KERNELS = 8 };

typedef struct reference_kernel {
  aqsim_grid_desc desc;
  /* From just after `mask_at` on (AQ_TIME_NONE: never) it has these. */
  aq_time mask_at;
  aqsim_cu_set mask;
  /* None starts after `hold_at` (the same) until `release_at`. */
  aq_time hold_at, release_at;
  aq_time first, end; /* results */
} reference_kernel;

/* Kernels in the order of submission. Returns how often something happened to
 * a workgroup. */
uint64_t reference_run(const aqsim_model *model, reference_kernel *kernels,
                       int count);

#endif
