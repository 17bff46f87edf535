// SPDX-License-Identifier: MIT
// Kernels with the names of HIP's own, and the arguments that HIP 6.2 and later
// give them: their code counts, not what is known of an older HIP's kernels.
#include <hip/hip_runtime.h>

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

// Copies `aligned_size` bytes a work-item up to `end`, and the remainder.
extern "C" __global__ void
__amd_rocclr_copyBuffer(const unsigned char *src, unsigned char *dst,
                        uint64_t size, uint32_t remainder,
                        uint32_t aligned_size, uint64_t end, uint32_t chunk)
{
  uint64_t id = blockIdx.x * blockDim.x + threadIdx.x;
  for (uint64_t at = id * aligned_size; (uint64_t)(dst + at) < end;
       at += (uint64_t)chunk * aligned_size)
    for (uint32_t i = 0; i < aligned_size; i++)
      dst[at + i] = src[at + i];
  if (id < remainder)
    dst[size * aligned_size + id] = src[size * aligned_size + id];
}

extern "C" __global__ void
__amd_rocclr_fillBufferAligned(unsigned char *buffer,
                               const unsigned char *pattern, uint32_t size,
                               uint32_t align, uint64_t end, uint32_t chunk)
{
  uint64_t id = blockIdx.x * blockDim.x + threadIdx.x;
  for (uint64_t at = id * size; (uint64_t)(buffer + at) < end;
       at += (uint64_t)chunk * size)
    for (uint32_t i = 0; i < size; i++)
      buffer[at + i] = pattern[i] + (unsigned char)(align - align);
}

static void check(const char *name, bool right)
{
  printf("%s %s\n", name, right ? "ok" : "WRONG");
}

int main()
{
  enum { WORDS = 1000, REST = 3, BYTES = 4 * WORDS + REST, ITEMS = 256 };
  std::vector<unsigned char> from(BYTES + 9), to(BYTES + 9, 0xee);
  unsigned char *a, *b, *pattern;
  const unsigned char bytes[] = {1, 2, 3, 4, 5, 6, 7, 8};
  for (int i = 0; i < BYTES; i++)
    from[i] = (unsigned char)(i * 7 + i / 256);
  MUST(hipMalloc((void **)&a, from.size()));
  MUST(hipMalloc((void **)&b, from.size()));
  MUST(hipMalloc((void **)&pattern, sizeof bytes));
  MUST(hipMemcpy(a, from.data(), from.size(), hipMemcpyHostToDevice));
  MUST(hipMemcpy(b, to.data(), to.size(), hipMemcpyHostToDevice));
  MUST(hipMemcpy(pattern, bytes, sizeof bytes, hipMemcpyHostToDevice));
  __amd_rocclr_copyBuffer<<<1, ITEMS>>>(a, b, WORDS, REST, 4,
                                        (uint64_t)(b + 4 * WORDS), ITEMS);
  MUST(hipMemcpy(to.data(), b, to.size(), hipMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0; i < BYTES + 9; i++)
    right = right && to[i] == (i < BYTES ? from[i] : 0xee);
  check("copyBuffer of 6.2", right);
  __amd_rocclr_fillBufferAligned<<<1, ITEMS>>>(b, pattern, 8, 1,
                                               (uint64_t)(b + 2400), ITEMS);
  MUST(hipMemcpy(to.data(), b, to.size(), hipMemcpyDeviceToHost));
  right = true;
  for (int i = 0; i < BYTES; i++)
    right = right && to[i] == (i < 2400 ? bytes[i % 8] : from[i]);
  check("fillBufferAligned of 6.2", right);
  // HIP's own of the same names, loaded besides.
  MUST(hipMemset(b, 9, BYTES));
  MUST(hipMemcpy(to.data(), b, BYTES, hipMemcpyDeviceToHost));
  right = true;
  for (int i = 0; i < BYTES; i++)
    right = right && to[i] == 9;
  check("hipMemset", right);
  return 0;
}
