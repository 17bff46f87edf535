// SPDX-License-Identifier: MIT
// Defects that each processor's code shows in a way of its own: kernels
// CASE_bad and CASE_fixed, which queues.c runs with two workgroups of 128, `a` and
// `b` of zeros, and `c` that nobody wrote. A comment "FINDS CASE: KIND" is as in sites.hpp.
#define LOAD(p, order) __scoped_atomic_load_n(p, order, __MEMORY_SCOPE_DEVICE)
#define STORE(p, v, order) __scoped_atomic_store_n(p, v, order, __MEMORY_SCOPE_DEVICE)
#define ITEM __builtin_amdgcn_workitem_id_x()
#define GROUP __builtin_amdgcn_workgroup_id_x()

static void barrier(void)
{
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

kernel void in_group_bad(global int *a, global int *b)
{
  int i = GROUP * 128 + ITEM;
  a[i] = i;
  b[i] = a[i ^ 64]; // FINDS in_group: race in a workgroup
}

kernel void in_group_fixed(global int *a, global int *b)
{
  int i = GROUP * 128 + ITEM;
  a[i] = i;
  barrier();
  b[i] = a[i ^ 64];
}

kernel void in_lds_bad(global int *a, global int *b)
{
  local int own[128];
  int i = ITEM;
  own[i] = i;
  b[GROUP * 128 + i] = own[i ^ 64]; // FINDS in_lds: race in LDS
}

kernel void in_lds_fixed(global int *a, global int *b)
{
  local int own[128];
  int i = ITEM;
  own[i] = i;
  barrier();
  b[GROUP * 128 + i] = own[i ^ 64];
}

// Group 0 writes, then raises a flag; group 1 waits for it. b[0] is the flag.
kernel void not_acquired_bad(global int *a, global int *b)
{
  int i = ITEM;
  if (GROUP == 0) {
    a[i] = i;
    barrier();
    if (i == 0)
      STORE(b, 1, __ATOMIC_RELEASE);
    return;
  }
  while (LOAD(b, __ATOMIC_RELAXED) == 0)
    __builtin_amdgcn_s_sleep(1);
  b[i + 128] = a[i]; // FINDS not_acquired: race between workgroups
}

kernel void not_acquired_fixed(global int *a, global int *b)
{
  int i = ITEM;
  if (GROUP == 0) {
    a[i] = i;
    barrier();
    if (i == 0)
      STORE(b, 1, __ATOMIC_RELEASE);
    return;
  }
  while (LOAD(b, __ATOMIC_ACQUIRE) == 0)
    __builtin_amdgcn_s_sleep(1);
  b[i + 128] = a[i];
}

// A flag that is no atomic.
kernel void plain_flag_bad(global int *a, global int *b)
{
  int i = ITEM;
  if (GROUP == 0)
    a[i] = i;
  else
    b[i] = a[i]; // FINDS plain_flag: race between workgroups
}

kernel void plain_flag_fixed(global int *a, global int *b)
{
  int i = ITEM;
  if (GROUP == 0)
    a[i] = i;
  else
    b[i] = a[i + 128];
}

kernel void half_at_barrier_bad(global int *a, global int *b)
{
  int i = ITEM;
  if (i & 1)
    __builtin_amdgcn_s_barrier(); // FINDS half_at_barrier: barrier in divergent flow
  b[GROUP * 128 + i] = i;
}

kernel void half_at_barrier_fixed(global int *a, global int *b)
{
  int i = ITEM;
  __builtin_amdgcn_s_barrier();
  b[GROUP * 128 + i] = i;
}

kernel void past_end_bad(global int *a, global int *b)
{
  int i = GROUP * 128 + ITEM;
  a[i + 1] = i; // FINDS past_end: out of bounds
}

kernel void past_end_fixed(global int *a, global int *b)
{
  int i = GROUP * 128 + ITEM;
  a[i] = i;
}

kernel void unset_branch_bad(global int *a, global int *b, global int *c)
{
  int i = GROUP * 128 + ITEM;
  if (c[i] > a[i]) // FINDS unset_branch: uninitialised branch
    b[i] = i;
}

// A copy of an unwritten value is no use of it, nor is a bit that is masked.
kernel void unset_branch_fixed(global int *a, global int *b, global int *c)
{
  int i = GROUP * 128 + ITEM;
  int x = c[i];
  b[i] = x;
  if ((x & a[i]) == 0)
    b[i] = x + 1;
}

kernel void unset_address_bad(global int *a, global int *b, global int *c)
{
  int i = ITEM;
  b[c[i] & 63] = 1; // FINDS unset_address: uninitialised address
}

kernel void unset_address_fixed(global int *a, global int *b, global int *c)
{
  b[GROUP * 128 + (a[ITEM] & 63) + ITEM] = 1;
}

kernel void unset_lds_bad(global int *a, global int *b, global int *c)
{
  local int own[256];
  int i = ITEM;
  own[i] = a[i];
  barrier();
  if (own[255 - i] == 0) // FINDS unset_lds: uninitialised branch
    b[GROUP * 128 + i] = 1;
}

kernel void unset_lds_fixed(global int *a, global int *b, global int *c)
{
  local int own[256];
  int i = ITEM;
  own[i] = a[i];
  barrier();
  if (own[127 - i] == 0)
    b[GROUP * 128 + i] = 1;
}
