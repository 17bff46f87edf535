/* SPDX-License-Identifier: MIT */
/* AMD's GPUs as the kernels see them, by clang's names. */
#ifndef AQ_DROPIN_BLAS_DEVICE_DEVICE_H
#define AQ_DROPIN_BLAS_DEVICE_DEVICE_H

#ifdef __AMDGCN__

#include "dropin/blas/device_args.h"

#define KERNEL                                                                 \
  __attribute__((amdgpu_kernel, visibility("protected"),                       \
                 amdgpu_flat_work_group_size(1, AQBLAS_WORKGROUP))) void

/* Memory of the device, and of the workgroup. */
#define GLOBAL __attribute__((address_space(1)))
#define SHARED static __attribute__((address_space(3), loader_uninitialized))

#define GROUP(axis) ((int64_t)__builtin_amdgcn_workgroup_id_##axis())
#define ITEM(axis)  ((int64_t)__builtin_amdgcn_workitem_id_##axis())

/* Every work-item reads behind it the workgroup's earlier writes. */
static inline void workgroup_meet(void)
{
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

/* Where problem p of an operand begins. */
static inline GLOBAL void *operand(const aqblas_operand *o, uint32_t indirect,
                                   int64_t p, int64_t size)
{
  GLOBAL char *base = (GLOBAL char *)o->base;
  base = indirect ? (GLOBAL char *)((GLOBAL char *GLOBAL *)base)[p]
                  : base + p * o->batch * size;
  return base + o->offset * size;
}

static inline float bf16_widen(uint16_t value)
{
  const uint32_t bits = (uint32_t)value << 16;
  return __builtin_bit_cast(float, bits);
}

/* Rounds to the nearest, ties to even; a NaN stays one. */
static inline uint16_t bf16_narrow(float value)
{
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  if (value != value)
    return (uint16_t)(bits >> 16 | 0x40);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static inline double scalar_read(const aqblas_scalar *scalar, uint32_t type)
{
  if (!scalar->at)
    return scalar->value;
  switch (type) {
  case AQBLAS_F16:
    return *(const GLOBAL _Float16 *)scalar->at;
  case AQBLAS_BF16:
    return bf16_widen(*(const GLOBAL uint16_t *)scalar->at);
  case AQBLAS_F32:
    return *(const GLOBAL float *)scalar->at;
  default:
    return *(const GLOBAL double *)scalar->at;
  }
}

#endif
#endif
