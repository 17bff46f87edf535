// SPDX-License-Identifier: MIT
// Kernels of queues.c. A comment "FINDS CASE: KIND" is as in sites.hpp.
kernel void put(global int *a, int v)
{
  int i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  a[i] = v + i; // FINDS host_too_early: race between dispatches
}

kernel void thrice(global const int *a, global int *b)
{
  int i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  int x = a[i]; // FINDS unfenced: ordered but unfenced
  b[i] = 3 * x;
}

kernel void twice(global const int *a, global int *b)
{
  int i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  int x = a[i]; // FINDS other_queue no_barrier_bit: race between dispatches
  b[i] = 2 * x;
}

__attribute__((amdgpu_flat_work_group_size(1, 64)))
kernel void small(global int *a)
{
  a[__builtin_amdgcn_workitem_id_x()] = 1;
}

// 208 registers: a compute unit has room for eight waves.
__attribute__((amdgpu_flat_work_group_size(1, 1024)))
kernel void wide(global int *a)
{
  __asm__ volatile("v_mov_b32 v203, 0" : : : "v203");
  a[__builtin_amdgcn_workitem_id_x()] = 1;
}

kernel void box(global int *a)
{
  local int own[64];
  int i = __builtin_amdgcn_workitem_id_x();
  own[i] = i;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  a[i] = own[63 - i];
}

// Wait states between a scalar and its vector reader: gfx940 needs two.
kernel void scalar_bad(global int *a)
{
  int x = __builtin_amdgcn_workitem_id_x();
  __asm__ volatile("v_readfirstlane_b32 s20, %0\n" // FINDS scalar_to_vector: missing wait states
                   "v_add_u32 %0, s20, %0" : "+v"(x) : : "s20");
  a[__builtin_amdgcn_workitem_id_x()] = x;
}

kernel void scalar_fixed(global int *a)
{
  int x = __builtin_amdgcn_workitem_id_x();
  __asm__ volatile("v_readfirstlane_b32 s20, %0\n s_nop 1\n"
                   "v_add_u32 %0, s20, %0" : "+v"(x) : : "s20");
  a[__builtin_amdgcn_workitem_id_x()] = x;
}

// A wide store reads its data late: gfx940 needs two wait states.
kernel void wide_bad(global int *a)
{
  global int *to = a + 4 * __builtin_amdgcn_workitem_id_x();
  __asm__ volatile("v_mov_b32 v10, 1\n v_mov_b32 v11, 1\n" // FINDS wide_store: missing wait states
                   "v_mov_b32 v12, 1\n v_mov_b32 v13, 1\n"
                   "global_store_dwordx4 %0, v[10:13], off\n s_nop 0\n"
                   "v_mov_b32 v13, 2"
                   : : "v"(to) : "v10", "v11", "v12", "v13", "memory");
}

kernel void wide_fixed(global int *a)
{
  global int *to = a + 4 * __builtin_amdgcn_workitem_id_x();
  __asm__ volatile("v_mov_b32 v10, 1\n v_mov_b32 v11, 1\n"
                   "v_mov_b32 v12, 1\n v_mov_b32 v13, 1\n"
                   "global_store_dwordx4 %0, v[10:13], off\n s_nop 1\n"
                   "v_mov_b32 v13, 2"
                   : : "v"(to) : "v10", "v11", "v12", "v13", "memory");
}
