/* SPDX-License-Identifier: MIT */
/* The kernels for which kernels.c stands, as a GPU runs them. Makefile compiles
 * it. */
#include <stdint.h>

#define KERNEL __attribute__((amdgpu_kernel, visibility("protected"))) void
#define GLOBAL __attribute__((address_space(1)))
#define LDS    __attribute__((address_space(3)))

enum { GROUP = 256 };

static uint32_t item_in_grid(void)
{
  return __builtin_amdgcn_workgroup_id_x() * GROUP +
         __builtin_amdgcn_workitem_id_x();
}

static void workgroup_barrier(void)
{
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

KERNEL vadd(const float GLOBAL *a, const float GLOBAL *b, float GLOBAL *sum,
            uint32_t count)
{
  const uint32_t i = item_in_grid();
  if (i < count)
    sum[i] = a[i] + b[i];
}

/* One sum a workgroup of 256. */
KERNEL reduce(const float GLOBAL *in, float GLOBAL *sums, uint32_t count)
{
  static LDS float part[GROUP] __attribute__((loader_uninitialized));
  const uint32_t at = __builtin_amdgcn_workitem_id_x(), i = item_in_grid();
  part[at] = i < count ? in[i] : 0;
  workgroup_barrier();
  for (uint32_t half = GROUP / 2; half > 0; half /= 2) {
    if (at < half)
      part[at] += part[at + half];
    workgroup_barrier();
  }
  if (at == 0)
    sums[__builtin_amdgcn_workgroup_id_x()] = part[0];
}
