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

const std::map<std::string, std::function<void(bool)>> cases = {
    CASE(variable_left),
    CASE(last_left),
    CASE(before_left),
    CASE(picked_left),
};
