/* SPDX-License-Identifier: MIT */
/*
 * Plug-ins of kernels: host functions that play the kernels of code objects on
 * the simulator, by name. A plug-in is a shared object that defines
 * aq_kernels_plugin; AQUEDUCT_KERNELS names it.
 *
 * A function is called once a dispatch, for the whole grid, when the simulated
 * kernel ends; it reads its arguments from call->kernarg, laid out as the code
 * object's metadata says, and the grid from call->packet. It must not wait.
 */
#ifndef AQ_COMMON_KERNEL_H
#define AQ_COMMON_KERNEL_H

#include "export.h"
#include "transport.h"

#define AQ_KERNELS_ABI 2u

typedef struct aq_kernel_entry {
  const char *name; /* without ".kd" */
  void (*function)(const aq_kernel_call *call);
  aq_cost cost; /* how long it takes; all zero: the usual cost */
} aq_kernel_entry;

typedef struct aq_kernels {
  uint32_t abi;  /* AQ_KERNELS_ABI */
  uint32_t size; /* sizeof(aq_kernels) */
  const char *name;
  const char *summary;            /* one line */
  const aq_kernel_entry *entries; /* a NULL name ends them */
} aq_kernels;

/* What a plug-in defines (plug-ins only): its table, static. */
AQ_API const aq_kernels *aq_kernels_plugin(void);

#endif
