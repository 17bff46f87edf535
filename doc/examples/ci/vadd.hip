// SPDX-License-Identifier: MIT
// Adds two vectors on the GPU, and says how long that took.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <vector>

#define MUST(call)                                                             \
  do {                                                                         \
    hipError_t error_ = (call);                                                \
    if (error_ != hipSuccess) {                                                \
      fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(error_));           \
      return 1;                                                                \
    }                                                                          \
  } while (0)

__global__ void vadd(const float *a, const float *b, float *c, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}

int main()
{
  const int n = 1 << 16;
  const size_t bytes = n * sizeof(float);
  std::vector<float> a(n), b(n), c(n);
  float *ga, *gb, *gc, ms = 0;
  hipEvent_t begin, end;
  for (int i = 0; i < n; i++) {
    a[i] = i;
    b[i] = 2 * i;
  }
  MUST(hipMalloc(&ga, bytes));
  MUST(hipMalloc(&gb, bytes));
  MUST(hipMalloc(&gc, bytes));
  MUST(hipMemcpy(ga, a.data(), bytes, hipMemcpyHostToDevice));
  MUST(hipMemcpy(gb, b.data(), bytes, hipMemcpyHostToDevice));
  MUST(hipEventCreate(&begin));
  MUST(hipEventCreate(&end));
  MUST(hipEventRecord(begin));
  vadd<<<n / 256, 256>>>(ga, gb, gc, n);
  MUST(hipGetLastError());
  MUST(hipEventRecord(end));
  MUST(hipMemcpy(c.data(), gc, bytes, hipMemcpyDeviceToHost));
  MUST(hipEventElapsedTime(&ms, begin, end));
  for (int i = 0; i < n; i++)
    if (c[i] != a[i] + b[i]) {
      fprintf(stderr, "element %d: %g; expected %g\n", i, c[i], a[i] + b[i]);
      return 1;
    }
  printf("vadd: %.1f us\n", ms * 1000);
  return 0;
}
