// SPDX-License-Identifier: MIT
// Weakens one s_waitcnt of kernels: `waits FILE.co` prints how many ways there are
// to do so, `waits FILE.co N` makes a wait one for nothing, or one counter of it
// larger by one, and runs the kernels (N beyond the last: as they are). With -DKERNEL it is those kernels' source.
#include <hip/hip_runtime.h>
#ifdef KERNEL
extern "C" __global__ void mix(const int *a, const int *b, int *c, int n)
{
  __shared__ int box[64];
  int i = threadIdx.x;
  int x = a[i], y = b[i];
  box[i] = x + n;
  __syncthreads();
  int z = box[63 - i];
  for (int k = 0; k < 2; k++)
    z += a[i ^ k] * y;
  c[i] = z + b[z & 63];
}
// Loads of several widths, a wait for a part of them.
extern "C" __global__ void wide(const int *a, const int *b, int *c, int n)
{
  int i = threadIdx.x & 15;
  int4 x = ((const int4 *)a)[i & 3];
  int2 y = ((const int2 *)b)[i & 7];
  c[i] = x.x + x.w * y.x;
  c[i + 16] = x.y + x.z + y.y + a[n & 15];
}

// Atomics with results, flat accesses, scalar loads.
extern "C" __global__ void counts(const int *a, const int *b, int *c, int n)
{
  __shared__ int box[64];
  int i = threadIdx.x;
  box[i] = a[n & 31];
  __syncthreads();
  int at = atomicAdd(&box[i & 7], b[i]);
  int old = atomicAdd(c + (at & 15), n);
  const int *from = n > 2 ? a : box;
  c[(old & 15) + 16] = from[i & 31] + box[63 - i];
}
#else
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define OK(call)                                                               \
  do {                                                                         \
    if ((call) != hipSuccess) {                                                \
      fprintf(stderr, "%s failed\n", #call);                                   \
      exit(3);                                                                 \
    }                                                                          \
  } while (0)

// One more may be under way: of vmcnt, of lgkmcnt; how many of these there are.
// vmcnt before the barrier is redundant: the load is waited for behind it.
static int weaken(uint32_t &word, int chosen, bool memory)
{
  const uint32_t vm = (word & 15) | (word >> 10 & 0x30), lgkm = word >> 8 & 15;
  int count = 0;
  if (memory && vm < 63 && count++ == chosen)
    word = (word & ~0xc00fu) | ((vm + 1) & 15) | ((vm + 1) & 0x30) << 10;
  if (lgkm < 15 && count++ == chosen)
    word = (word & ~0xf00u) | (lgkm + 1) << 8;
  return count;
}

int main(int argc, char **argv)
{
  const uint32_t waits = 0xbf8c, nothing = 0xbf8ccf7f, barrier = 0xbf8a0000;
  std::vector<uint32_t> words(1 << 20);
  FILE *in = fopen(argv[1], "rb");
  if (!in)
    return 2;
  words.resize(fread(words.data(), 4, words.size(), in));
  fclose(in);
  int count = 0, chosen = argc > 2 ? atoi(argv[2]) : -1;
  // One behind a barrier is redundant: a wait for everything is before it.
  for (size_t i = 1; i + 1 < words.size(); i++) {
    if (words[i] >> 16 != waits || words[i] == nothing ||
        words[i - 1] == barrier)
      continue;
    const bool memory = words[i + 1] != barrier;
    if (count++ == chosen)
      words[i] = nothing;
    else
      count += weaken(words[i], count <= chosen ? chosen - count : -1, memory);
  }
  if (argc < 3) {
    printf("%d\n", count);
    return 0;
  }
  hipModule_t module;
  OK(hipModuleLoadData(&module, words.data()));
  int *a, *b, *c, n = 3;
  OK(hipMalloc(&a, 256));
  OK(hipMalloc(&b, 256));
  OK(hipMalloc(&c, 256));
  OK(hipMemset(a, 0, 256));
  OK(hipMemset(b, 0, 256));
  void *args[] = {&a, &b, &c, &n};
  for (const char *name : {"mix", "wide", "counts"}) {
    hipFunction_t kernel;
    OK(hipModuleGetFunction(&kernel, module, name));
    OK(hipModuleLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, nullptr, args,
                             nullptr));
    OK(hipDeviceSynchronize());
  }
  return 0;
}
#endif
