// SPDX-License-Identifier: MIT
// Right programs, which print the same whatever looks at them:
//   align   the alignment of large allocations
//   heap    a list that kernels build with malloc, walk and free
//   copies  copies of few and of many bytes, both ways
//   host    memory that the host shares with kernels
//   pools   memory of a pool that is used again
// `all` does all of them. Without a name: their names.
#include <hip/hip_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                            \
  do {                                                                         \
    hipError_t error = (call);                                                 \
    if (error != hipSuccess) {                                                 \
      printf("%s: %s\n", #call, hipGetErrorString(error));                     \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

static void align()
{
  for (size_t size : {2ul << 20, 3ul << 20, (4ul << 20) + 8, 16ul << 20}) {
    char *memory;
    CHECK(hipMalloc(&memory, size));
    printf("%zu bytes: %s\n", size,
           (uintptr_t)memory % (2 << 20) ? "unaligned" : "aligned to 2 MiB");
    CHECK(hipFree(memory));
  }
}

struct node {
  node *next;
  int value, pad[5];
};
__device__ node *head;

__global__ void push(int count)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  node *made = i < count ? (node *)malloc(sizeof *made) : nullptr;
  if (!made)
    return;
  made->value = i * 3;
  unsigned long long *at = (unsigned long long *)&head;
  unsigned long long old =
      __hip_atomic_load(at, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  unsigned long long seen;
  do {
    seen = old;
    made->next = (node *)seen;
    __threadfence();
    old = atomicCAS(at, seen, (unsigned long long)made);
  } while (old != seen);
}

__global__ void walk(long long *out)
{
  long long sum = 0, count = 0;
  for (node *p = head; p;) {
    node *next = p->next;
    sum += p->value;
    count++;
    free(p);
    p = next;
  }
  out[0] = sum;
  out[1] = count;
  head = nullptr;
}

static void heap()
{
  long long *out, got[2];
  CHECK(hipMalloc(&out, sizeof got));
  push<<<24, 128>>>(3000);
  walk<<<1, 1>>>(out);
  CHECK(hipMemcpy(got, out, sizeof got, hipMemcpyDeviceToHost));
  printf("%lld nodes, sum %lld\n", got[1], got[0]);
  CHECK(hipFree(out));
}

__global__ void invert(unsigned char *bytes, int count)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    bytes[i] = ~bytes[i];
}

static void copies()
{
  for (int size : {1, 4, 63, 64, 65, 4096, 16383, 16384, 300000}) {
    std::vector<unsigned char> from(size), to(size);
    unsigned char *memory;
    int wrong = 0;
    for (int i = 0; i < size; i++)
      from[i] = i * 7;
    CHECK(hipMalloc(&memory, size));
    CHECK(hipMemcpy(memory, from.data(), size, hipMemcpyHostToDevice));
    invert<<<(size + 255) / 256, 256>>>(memory, size);
    CHECK(hipMemcpy(to.data(), memory, size, hipMemcpyDeviceToHost));
    for (int i = 0; i < size; i++)
      wrong += to[i] != (unsigned char)~from[i];
    printf("%d bytes: %d wrong\n", size, wrong);
    CHECK(hipFree(memory));
  }
}

__global__ void twice(int *values)
{
  values[threadIdx.x] *= 2;
}

static void host()
{
  int *pinned, *managed;
  std::vector<int> own(64);
  CHECK(hipHostMalloc(&pinned, 256));
  CHECK(hipMallocManaged(&managed, 256));
  CHECK(hipHostRegister(own.data(), 256, 0));
  void *registered;
  CHECK(hipHostGetDevicePointer(&registered, own.data(), 0));
  for (int i = 0; i < 64; i++)
    pinned[i] = managed[i] = own[i] = i;
  twice<<<1, 64>>>(pinned);
  twice<<<1, 64>>>(managed);
  twice<<<1, 64>>>((int *)registered);
  CHECK(hipDeviceSynchronize());
  printf("%d %d %d\n", pinned[63], managed[63], own[63]);
  CHECK(hipHostUnregister(own.data()));
  CHECK(hipHostFree(pinned));
  CHECK(hipFree(managed));
}

static void pools()
{
  hipStream_t stream;
  CHECK(hipStreamCreate(&stream));
  for (int i = 0; i < 3; i++) {
    int *memory, got[64];
    CHECK(hipMallocAsync((void **)&memory, 256, stream));
    CHECK(hipMemsetAsync(memory, i, 256, stream));
    twice<<<1, 64, 0, stream>>>(memory);
    CHECK(hipMemcpyAsync(got, memory, 256, hipMemcpyDeviceToHost, stream));
    CHECK(hipFreeAsync(memory, stream));
    CHECK(hipStreamSynchronize(stream));
    printf("%d\n", got[63]);
  }
  // HIP 5.2.3 never returns from hipStreamDestroy() then
}

int main(int count, char **args)
{
  static const struct {
    const char *name;
    void (*run)();
  } parts[] = {{"align", align},
               {"heap", heap},
               {"copies", copies},
               {"host", host},
               {"pools", pools}};
  for (const auto &part : parts)
    if (count < 2)
      printf("%s ", part.name);
    else if (!strcmp(args[1], part.name) || !strcmp(args[1], "all"))
      part.run();
  return 0;
}
