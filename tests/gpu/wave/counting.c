/* SPDX-License-Identifier: MIT */
/* Kernels whose work test_counting.c knows beforehand. */
#include "kernels.h"

#define LDS    __attribute__((address_space(3)))
#define SHARED static __attribute__((loader_uninitialized)) LDS

/* A line of 128 bytes holds 16 numbers. */
KERNEL(c_copy)
{
  const u32 i = work_item();
  (void)n, (void)b;
  out[i] = a[i];
}

/* Each lane has a line of its own. */
KERNEL(c_stride)
{
  const u32 i = work_item();
  (void)n, (void)b;
  out[i] = a[16 * i];
}

/* All lanes of a wave meet in one bank of LDS. */
SHARED u32 words[64 * 32];

KERNEL(c_banks)
{
  const u32 t = __builtin_amdgcn_workitem_id_x() & 63;
  (void)n, (void)b;
  ((volatile LDS u32 *)words)[32 * t] = (u32)a[work_item()];
  out[work_item()] = ((volatile LDS u32 *)words)[32 * t];
}

/* A chain of n loads, each of which needs the one before. */
KERNEL(c_chain)
{
  u64 at = a[work_item()];
  (void)b;
  for (u32 k = 0; k < n; k++)
    at = a[at];
  out[work_item()] = at;
}
