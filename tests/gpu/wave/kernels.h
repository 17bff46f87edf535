/* SPDX-License-Identifier: MIT */
/*
 * Kernels of the same source for the device and for the host. Each reads one
 * element of two arrays and writes one; the host calls it once a work-item.
 */
#ifndef AQ_TESTS_WAVE_KERNELS_H
#define AQ_TESTS_WAVE_KERNELS_H

typedef unsigned int u32;
typedef int i32;
typedef unsigned long long u64;
typedef long long i64;

#if defined(__AMDGCN__)
#define GLOBAL __attribute__((address_space(1)))
#define KERNEL(name)                                                           \
  __attribute__((amdgpu_kernel)) void name(                                    \
      const GLOBAL u64 *a, const GLOBAL u64 *b, GLOBAL u64 *out, u32 n)
static inline u32 work_item(void)
{
  return __builtin_amdgcn_workgroup_id_x() * 256u +
         __builtin_amdgcn_workitem_id_x();
}
#else
#define GLOBAL
#define KERNEL(name)                                                           \
  static void name(__attribute__((unused)) const u64 *a,                       \
                   __attribute__((unused)) const u64 *b, u64 *out, u32 n)
static u32 work_item_of_host;
static inline u32 work_item(void)
{
  return work_item_of_host;
}
#endif

#define ITEM                                                                   \
  const u32 i = work_item();                                                   \
  if (i >= n)                                                                  \
  return

static inline float f32_of(u32 bits)
{
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

static inline u32 bits_of_f32(float value)
{
  u32 bits;
  if (value != value)
    return 0x7fc00000;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline double f64_of(u64 bits)
{
  double value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

static inline u64 bits_of_f64(double value)
{
  u64 bits;
  if (value != value)
    return 0x7ff8000000000000;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}

#endif
