// SPDX-License-Identifier: MIT
// Kernels for make cost-times: each is limited by another part of the executor.
#include <hip/hip_runtime.h>

extern "C" __global__ void copy(const float *in, float *out, unsigned rounds)
{
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned r = 0; r < rounds; r++)
    out[i] = in[i] + r;
}

extern "C" __global__ void arithmetic(const float *in, float *out, unsigned rounds)
{
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[i];
  for (unsigned r = 0; r < rounds; r++)
    v = v * 1.5f + 0.5f;
  out[i] = v;
}

extern "C" __global__ void lds(const float *in, float *out, unsigned rounds)
{
  __shared__ float s[256];
  const unsigned t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = in[i];
  __syncthreads();
  float v = 0;
  for (unsigned r = 0; r < rounds; r++) {
    v += s[(t + r * 7) & 255];
    s[t] = v;
  }
  out[i] = v;
}

// Each lane reads a line of its own.
extern "C" __global__ void gather(const float *in, float *out, unsigned rounds)
{
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned k = i * 2654435761u;
  float v = 0;
  for (unsigned r = 0; r < rounds; r++) {
    v += in[k & 4095];
    k = k * 1664525u + 1013904223u;
  }
  out[i] = v;
}
