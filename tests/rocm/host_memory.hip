// SPDX-License-Identifier: MIT
// Host memory that a program registers, in every way that HIP hands it to a
// device: by the device's pointer, by copies, in structs and in memory.
#include <hip/hip_runtime.h>
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define MUST(call)                                                             \
  do {                                                                         \
    hipError_t error_ = (call);                                                \
    if (error_ != hipSuccess) {                                                \
      printf("%s: %s\n", #call, hipGetErrorString(error_));                    \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

struct span {
  int *first;
  int count;
};

__global__ void twice(int *p, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] *= 2;
}

__global__ void twice_of_struct(span s)
{
  for (int i = threadIdx.x; i < s.count; i += blockDim.x)
    s.first[i] *= 2;
}

__global__ void twice_of_memory(const span *s)
{
  for (int i = threadIdx.x; i < s->count; i += blockDim.x)
    atomicAdd(&s->first[i], s->first[i]);
}

static const int n = 5000;

static bool all(const int *p, int value)
{
  for (int i = 0; i < n; i++)
    if (p[i] != value + i)
      return false;
  return true;
}

static void check(const char *name, bool right)
{
  printf("%s %s\n", name, right ? "ok" : "WRONG");
}

static void memory_check(const char *name, int *host)
{
  int *device, *own;
  span *at;
  for (int i = 0; i < n; i++)
    host[i] = 0;
  MUST(hipHostRegister(host, n * sizeof(int), hipHostRegisterMapped));
  MUST(hipHostGetDevicePointer((void **)&device, host, 0));
  for (int i = 0; i < n; i++)
    host[i] = i;
  std::vector<int> want(n);
  for (int i = 0; i < n; i++)
    want[i] = i;
  twice<<<(n + 255) / 256, 256>>>(device, n);
  twice_of_struct<<<1, 256>>>(span{device, n});
  MUST(hipMalloc(&at, sizeof *at));
  span local = {device, n};
  MUST(hipMemcpy(at, &local, sizeof local, hipMemcpyHostToDevice));
  twice_of_memory<<<1, 256>>>(at);
  MUST(hipDeviceSynchronize());
  bool right = true;
  for (int i = 0; i < n; i++)
    right = right && host[i] == 8 * i;
  check(name, right);
  MUST(hipMalloc(&own, n * sizeof(int)));
  for (int i = 0; i < n; i++)
    host[i] = 7 + i;
  MUST(hipMemcpyAsync(own, host, n * sizeof(int), hipMemcpyHostToDevice, 0));
  MUST(hipMemcpyAsync(want.data(), own, n * sizeof(int), hipMemcpyDeviceToHost,
                      0));
  MUST(hipStreamSynchronize(0));
  check(name, all(want.data(), 7));
  MUST(hipMemset(own, 0, n * sizeof(int)));
  MUST(hipMemcpy(own, device, n * sizeof(int), hipMemcpyDefault));
  MUST(hipMemset(device, 0, n * sizeof(int)));
  MUST(hipDeviceSynchronize());
  check(name, host[0] == 0 && host[n - 1] == 0);
  MUST(hipMemcpy(device, own, n * sizeof(int), hipMemcpyDefault));
  check(name, all(host, 7));
  MUST(hipFree(own));
  MUST(hipFree(at));
  MUST(hipHostUnregister(host));
  check(name, hipHostUnregister(host) != hipSuccess);
}

int main()
{
  std::vector<int> heap(n);
  memory_check("heap", heap.data());
  memory_check("heap again", heap.data());
  memory_check("inside a page", (int *)malloc((n + 3) * sizeof(int)) + 3);
  memory_check("shared mapping",
               (int *)mmap(nullptr, n * sizeof(int), PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  static int data[n];
  memory_check("static", data);
  return 0;
}
