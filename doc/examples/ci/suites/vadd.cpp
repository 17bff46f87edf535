// SPDX-License-Identifier: MIT
// Adds two vectors on the GPU: a program, and a function for other languages.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <vector>

__global__ void vadd(const float *a, const float *b, float *c, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}

// Returns 0, or an error of HIP.
extern "C" int vadd_run(const float *a, const float *b, float *c, int n)
{
  const size_t bytes = n * sizeof(float);
  float *device = nullptr;
  hipError_t error = hipMalloc(&device, 3 * bytes);
  if (error != hipSuccess)
    return error;
  float *da = device, *db = da + n, *dc = db + n;
  error = hipMemcpy(da, a, bytes, hipMemcpyHostToDevice);
  if (error == hipSuccess)
    error = hipMemcpy(db, b, bytes, hipMemcpyHostToDevice);
  if (error == hipSuccess)
    vadd<<<(n + 255) / 256, 256>>>(da, db, dc, n);
  if (error == hipSuccess)
    error = hipMemcpy(c, dc, bytes, hipMemcpyDeviceToHost);
  const hipError_t freed = hipFree(device);
  return error == hipSuccess ? freed : error;
}

int main()
{
  const int n = 1000;
  std::vector<float> a(n, 1), b(n, 2), c(n);
  const int error = vadd_run(a.data(), b.data(), c.data(), n);
  int wrong = error != 0;
  for (int i = 0; i < n; i++)
    wrong += c[i] != 3;
  std::printf("vadd: error %d, %d wrong\n", error, wrong);
  return wrong != 0;
}
