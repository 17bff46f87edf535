// SPDX-License-Identifier: MIT
// Kernels whose waits queues.c weakens, one by one: all of the compiler's are
// needed.
#define ITEM __builtin_amdgcn_workitem_id_x()
typedef int int2 __attribute__((ext_vector_type(2)));
typedef int int4 __attribute__((ext_vector_type(4)));

kernel void mix(global const int *a, global int *c)
{
  local int box[64];
  int i = ITEM;
  int x = a[i], y = a[i + 64];
  box[i] = x;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  int z = box[63 - i];
  for (int k = 0; k < 2; k++)
    z += a[i ^ k] * y;
  c[i] = z + a[z & 63];
}

// Loads of several widths, a wait for a part of them.
kernel void parts(global const int *a, global int *c)
{
  int i = ITEM & 15;
  int4 x = ((global const int4 *)a)[i & 3];
  int2 y = ((global const int2 *)a)[(i & 7) + 16];
  c[i] = x.x + x.w * y.x;
  c[i + 16] = x.y + x.z + y.y + a[63 - i];
}

// Atomics with results, flat accesses, scalar loads.
kernel void counts(global int *a, global int *c)
{
  local int box[64];
  int i = ITEM, n = a[0];
  box[i] = a[n & 31];
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  int at = __scoped_atomic_fetch_add(&box[i & 7], a[i], __ATOMIC_RELAXED,
                                     __MEMORY_SCOPE_WRKGRP);
  int old = __scoped_atomic_fetch_add(c + (at & 15), n, __ATOMIC_RELAXED,
                                      __MEMORY_SCOPE_DEVICE);
  int *from = n > 2 ? (int *)a : (int *)box;
  c[(old & 15) + 16] = from[i & 31] + box[63 - i];
}
