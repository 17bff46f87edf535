/* SPDX-License-Identifier: MIT */
/*
 * The kernels of RCCL, by their name.
 * Thread rule: pure functions.
 */
#ifndef AQ_GPU_DURATION_RCCL_NAME_H
#define AQ_GPU_DURATION_RCCL_NAME_H

#include <stdbool.h>
#include <string.h>

static inline bool aq_kernel_is_of_rccl(const char *name)
{
  return strncmp(name, "ncclDevKernel", 13) == 0 ||
         strncmp(name, "ncclKernel", 10) == 0;
}

#endif
