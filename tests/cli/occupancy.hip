// SPDX-License-Identifier: MIT
// Prints the occupancy that HIP calculates: kernel, work-items, bytes of
// dynamic group segment memory, workgroups a compute unit.
#include <cstdio>

#include <hip/hip_runtime.h>

__global__ void small(float *p)
{
  p[threadIdx.x] = 1;
}

__global__ void shared(float *p)
{
  __shared__ float s[5000];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[255 - threadIdx.x];
}

__global__ void registers(float *p)
{
  asm volatile("" ::: "v99");
  p[0] = 1;
}

static void print(const char *name, void (*kernel)(float *))
{
  for (int items : {64, 256, 512})
    for (size_t bytes : {0, 10000}) {
      int groups = -1;
      if (hipOccupancyMaxActiveBlocksPerMultiprocessor(&groups, kernel, items,
                                                       bytes) != hipSuccess)
        groups = -1;
      printf("%s %d %zu %d\n", name, items, bytes, groups);
    }
}

int main()
{
  print("small", small);
  print("shared", shared);
  print("registers", registers);
}
