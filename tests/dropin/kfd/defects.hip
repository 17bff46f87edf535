// SPDX-License-Identifier: MIT
// A defect of each kind that a checker below AMD's runtime sees, and a kernel
// without one.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void right(int *p)
{
  p[threadIdx.x] = threadIdx.x;
}

__global__ void unwritten(const int *p, int *out)
{
  if (p[threadIdx.x] > 5)
    out[threadIdx.x] = 1;
}

__global__ void racing(int *p)
{
  p[0] = blockIdx.x;
}

__global__ void wild(int *p, size_t at)
{
  p[at] = 1;
}

int main()
{
  const size_t bytes = 4 << 20, far = 64 << 20;
  int *a, *b;
  if (hipMalloc((void **)&a, bytes) != hipSuccess ||
      hipMalloc((void **)&b, bytes) != hipSuccess)
    return 1;
  right<<<1, 64>>>(b);
  unwritten<<<1, 64>>>(a, b);
  racing<<<2, 64>>>(b);
  wild<<<1, 1>>>(a, far);
  printf("%s\n", hipGetErrorString(hipDeviceSynchronize()));
  return 0;
}
