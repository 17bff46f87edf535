// SPDX-License-Identifier: MIT
// Weakens one s_waitcnt of a kernel: `waits FILE.co` prints how many there are,
// `waits FILE.co N` makes the N-th wait for nothing and runs the kernel (N beyond
// the last: as it is). With -DKERNEL it is that kernel's source.
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
  for (size_t i = 1; i < words.size(); i++)
    if (words[i] >> 16 == waits && words[i] != nothing &&
        words[i - 1] != barrier && count++ == chosen)
      words[i] = nothing;
  if (argc < 3) {
    printf("%d\n", count);
    return 0;
  }
  hipModule_t module;
  hipFunction_t mix;
  OK(hipModuleLoadData(&module, words.data()));
  OK(hipModuleGetFunction(&mix, module, "mix"));
  int *a, *b, *c, n = 3;
  OK(hipMalloc(&a, 256));
  OK(hipMalloc(&b, 256));
  OK(hipMalloc(&c, 256));
  OK(hipMemset(a, 0, 256));
  OK(hipMemset(b, 0, 256));
  void *args[] = {&a, &b, &c, &n};
  OK(hipModuleLaunchKernel(mix, 1, 1, 1, 64, 1, 1, 0, nullptr, args, nullptr));
  OK(hipDeviceSynchronize());
  return 0;
}
#endif
