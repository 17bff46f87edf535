// SPDX-License-Identifier: MIT
// A HIP program as anybody writes it; it knows nothing of the simulator.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>

#define CHECK(call)                                                            \
  do {                                                                         \
    hipError_t error = (call);                                                 \
    if (error != hipSuccess) {                                                 \
      printf("%s: %s\n", #call, hipGetErrorString(error));                     \
      return 1;                                                                \
    }                                                                          \
  } while (0)

enum { N = 4096 };
static float host[N], back[N];

__global__ void vadd(const float *a, const float *b, float *c, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}

static bool is_filled(const float *values, unsigned char byte)
{
  for (size_t i = 0; i < N * sizeof *values; i++)
    if (((const unsigned char *)values)[i] != byte)
      return false;
  return true;
}

int main()
{
  hipDeviceProp_t device;
  hipStream_t stream;
  hipEvent_t begin, end;
  float *a, *b, *c, *pinned, ms;
  size_t size = sizeof host;
  CHECK(hipGetDeviceProperties(&device, 0));
  printf("device %s\n", device.gcnArchName);
  for (int i = 0; i < N; i++)
    host[i] = (float)i;
  CHECK(hipMalloc(&a, size));
  CHECK(hipMalloc(&b, size));
  CHECK(hipMalloc(&c, size));
  CHECK(hipHostMalloc(&pinned, size, 0));
  CHECK(hipMemcpy(a, host, size, hipMemcpyHostToDevice));
  CHECK(hipMemcpy(b, a, size, hipMemcpyDeviceToDevice));
  CHECK(hipMemcpy(back, b, size, hipMemcpyDeviceToHost));
  printf("memcpy %s\n", memcmp(back, host, size) ? "differs" : "agrees");
  CHECK(hipMemset(c, 0x5a, size));
  CHECK(hipMemcpy(back, c, size, hipMemcpyDeviceToHost));
  printf("memset %s\n", is_filled(back, 0x5a) ? "agrees" : "differs");
  CHECK(hipStreamCreate(&stream));
  CHECK(hipEventCreate(&begin));
  CHECK(hipEventCreate(&end));
  CHECK(hipEventRecord(begin, stream));
  vadd<<<N / 256, 256, 0, stream>>>(a, b, c, N);
  CHECK(hipEventRecord(end, stream));
  CHECK(hipMemcpyAsync(pinned, c, size, hipMemcpyDeviceToHost, stream));
  CHECK(hipStreamSynchronize(stream));
  CHECK(hipEventElapsedTime(&ms, begin, end));
  printf("elapsed %s\n", ms > 0 && ms < 1 ? "plausible" : "odd");
  bool right = true;
  for (int i = 0; i < N; i++)
    right &= pinned[i] == 2 * host[i];
  printf("vadd %s\n", right ? "agrees" : "differs");
  CHECK(hipFree(a));
  return 0;
}
