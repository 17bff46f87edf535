// SPDX-License-Identifier: MIT
// Variables of a module: CASE bad|fixed. Without a case: their names.
#include <hip/hip_runtime.h>

#include "sites.hpp"

__device__ int first[64], second[64], third[64];
static __device__ int own[64];

__global__ void lanes(int shift)
{
  const int i = (int)threadIdx.x + shift;
  first[i] = i; // FINDS variable_left: out of bounds
}

// Right: the lanes choose variables.
__global__ void branches(int count)
{
  const int i = threadIdx.x;
  if (i < count)
    second[i] = first[i & 63];
  else
    third[i - count] = own[(i - count) & 63];
}

static void variable_left(bool fixed)
{
  lanes<<<1, 64>>>(!fixed);
  branches<<<1, 64>>>(40);
  OK(hipDeviceSynchronize());
}

__global__ void local(int shift)
{
  own[threadIdx.x + shift] = 3; // FINDS last_left: out of bounds
}

static void last_left(bool fixed)
{
  local<<<1, 64>>>(!fixed);
  OK(hipDeviceSynchronize());
}

// The compiler folds the constant into the address of the variable before.
__global__ void back(int shift)
{
  const int i = (int)threadIdx.x + shift;
  second[i - 64] = i; // FINDS before_left: out of bounds
}

static void before_left(bool fixed)
{
  back<<<1, 64>>>(fixed ? 64 : 63);
  OK(hipDeviceSynchronize());
}

__global__ void pick(int which)
{
  const int i = threadIdx.x;
  int *p = i & 1 ? &first[i] : &second[i];
  if (which & 2)
    p = &third[i];
  *p = i;
  if (which & 4)
    first[i + which] = i; // FINDS picked_left: out of bounds
}

static void picked_left(bool fixed)
{
  pick<<<1, 64>>>(fixed ? 0 : 4);
  pick<<<1, 64>>>(2);
  OK(hipDeviceSynchronize());
}

// The address of `second`, plus a distance and a carry. The carry went to
// registers that had the address of `first`: it is no address.
__global__ void carry(int shift)
{
  const int distance = 4 * ((int)threadIdx.x + shift);
  asm volatile("s_getpc_b64 s[40:41]\n" // FINDS added_left: out of bounds
               "s_add_u32 s40, s40, first@rel32@lo+4\n"
               "s_addc_u32 s41, s41, first@rel32@hi+12\n"
               "s_getpc_b64 s[42:43]\n"
               "s_add_u32 s42, s42, second@rel32@lo+4\n"
               "s_addc_u32 s43, s43, second@rel32@hi+12\n"
               "v_mov_b32 v10, %0\n"
               "v_mov_b32 v12, s42\n"
               "v_mov_b32 v13, s43\n"
               "v_add_co_u32_e64 v11, s[40:41], v10, v10\n"
               "v_addc_co_u32_e64 v12, vcc, v10, v12, s[40:41]\n"
               "v_addc_co_u32_e64 v13, vcc, 0, v13, vcc\n"
               "global_store_dword v[12:13], v10, off\n"
               "s_waitcnt vmcnt(0)\n"
               :
               : "v"(distance)
               : "s40", "s41", "s42", "s43", "v10", "v11", "v12", "v13", "vcc",
                 "scc", "memory");
}

static void added_left(bool fixed)
{
  carry<<<1, 64>>>(!fixed);
  OK(hipDeviceSynchronize());
}

const std::map<std::string, std::function<void(bool)>> cases = {
    CASE(added_left),  CASE(variable_left), CASE(last_left),
    CASE(before_left), CASE(picked_left),
};
