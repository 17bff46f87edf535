// SPDX-License-Identifier: MIT
// A grid whose work is known: each item reads and writes a number.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

__global__ void twice(const float *in, float *out)
{
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] * 2;
}

// How many workgroups were executed.
extern "C" __global__ void visit(unsigned *out)
{
  if (threadIdx.x == 0)
    atomicAdd(out, 1);
}

int main(int argc, char **argv)
{
  const unsigned n = argc > 1 ? atoi(argv[1]) : 1 << 16;
  float *in, *out, last = 1;
  if (hipMalloc(&in, n * sizeof *in) != hipSuccess ||
      hipMalloc(&out, n * sizeof *out) != hipSuccess)
    return 1;
  hipMemset(in, 0, n * sizeof *in);
  twice<<<n / 256, 256>>>(in, out);
  hipMemcpy(&last, out, sizeof last, hipMemcpyDeviceToHost);
  printf("%g\n", last);
  return last != 0;
}
