// SPDX-License-Identifier: MIT
#include <hip/hip_runtime.h>

#include "factor.h"

extern "C" __global__ void scale(float *out, int count)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    out[i] = FACTOR * out[i] + OFFSET;
}
