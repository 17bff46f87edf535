/* SPDX-License-Identifier: MIT */
/*
 * What kernels.c needs of the machine it runs on: here AMD GPUs by clang. A
 * test that runs the same source on the host defines these itself.
 */
#ifndef AQ_DEVLIB_DEVICE_H
#define AQ_DEVLIB_DEVICE_H

#ifdef __AMDGCN__

#include <stdint.h>

#include "gpu/devlib/device_args.h"

#define DEVICE_KERNEL                                                          \
  __attribute__((amdgpu_kernel, visibility("protected"))) void

/* Of this work-item, in workgroups of AQ_DEVLIB_WORKGROUP. */
static inline uint64_t device_item(void)
{
  return (uint64_t)__builtin_amdgcn_workgroup_id_x() * AQ_DEVLIB_WORKGROUP +
         __builtin_amdgcn_workitem_id_x();
}

static inline const unsigned char *device_kernarg(void)
{
  return (const unsigned char *)__builtin_amdgcn_kernarg_segment_ptr();
}

/* Counts at a constant rate: 100 MHz, 25 MHz before gfx940. */
static inline uint64_t device_clock(void)
{
  return __builtin_readsteadycounter();
}

static inline void device_pause(void)
{
  __builtin_amdgcn_s_sleep(1); /* 64 cycles: others may issue */
}

/* Everything before is seen by whoever acquires this word, also the host and
 * the packet processor. */
static inline void device_publish(uint32_t *word, uint32_t value)
{
  __scoped_atomic_store_n(word, value, __ATOMIC_RELEASE, __MEMORY_SCOPE_SYSTEM);
}

#endif
#endif
