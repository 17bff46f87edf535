/* SPDX-License-Identifier: MIT */
/*
 * The kernels of RCCL and NCCL, by their name: ncclDevKernel_Generic_4,
 * ncclKernel_AllReduce_RING_LL_Sum_float, ncclAllReduceRingLLKernel_sum_f32,
 * mscclKernel_Sum_half_LL_1.
 * Thread rule: pure functions.
 */
#ifndef AQ_GPU_DURATION_RCCL_NAME_H
#define AQ_GPU_DURATION_RCCL_NAME_H

#include <stdbool.h>
#include <string.h>

static inline bool aq_kernel_is_of_rccl(const char *name)
{
  return strncmp(name, "nccl", 4) == 0 || strncmp(name, "msccl", 5) == 0;
}

#endif
