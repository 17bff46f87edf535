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

/* Atomics of the whole system: everything before is seen by whoever acquires
 * the value, and what its last writer released is seen behind. */
#define DEVICE_ATOMICS(BITS)                                                   \
  static inline uint##BITS##_t device_change##BITS(                            \
      uint##BITS##_t *at, uint32_t op, uint##BITS##_t operand,                 \
      uint##BITS##_t expected)                                                 \
  {                                                                            \
    enum { ORDER = __ATOMIC_ACQ_REL, SCOPE = __MEMORY_SCOPE_SYSTEM };          \
    switch (op) {                                                              \
    case AQ_ATOMIC_ADD:                                                        \
      return __scoped_atomic_fetch_add(at, operand, ORDER, SCOPE);             \
    case AQ_ATOMIC_AND:                                                        \
      return __scoped_atomic_fetch_and(at, operand, ORDER, SCOPE);             \
    case AQ_ATOMIC_OR:                                                         \
      return __scoped_atomic_fetch_or(at, operand, ORDER, SCOPE);              \
    case AQ_ATOMIC_XOR:                                                        \
      return __scoped_atomic_fetch_xor(at, operand, ORDER, SCOPE);             \
    case AQ_ATOMIC_CAS:                                                        \
      __scoped_atomic_compare_exchange_n(at, &expected, operand, 0, ORDER,     \
                                         __ATOMIC_ACQUIRE, SCOPE);             \
      return expected;                                                         \
    default:                                                                   \
      return __scoped_atomic_exchange_n(at, operand, ORDER, SCOPE);            \
    }                                                                          \
  }                                                                            \
  static inline uint##BITS##_t device_look##BITS(const uint##BITS##_t *at)     \
  {                                                                            \
    return __scoped_atomic_load_n(at, __ATOMIC_ACQUIRE,                        \
                                  __MEMORY_SCOPE_SYSTEM);                      \
  }
DEVICE_ATOMICS(32)
DEVICE_ATOMICS(64)
#undef DEVICE_ATOMICS

/* Everything before is seen by whoever acquires this word, also the host and
 * the packet processor. */
static inline void device_publish(uint32_t *word, uint32_t value)
{
  __scoped_atomic_store_n(word, value, __ATOMIC_RELEASE, __MEMORY_SCOPE_SYSTEM);
}

#endif
#endif
