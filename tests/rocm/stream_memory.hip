// SPDX-License-Identifier: MIT
// Streams that wait for words of memory, and write them: every comparison, both
// widths, words of the device and of the host.
#include <hip/hip_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#define MUST(call)                                                             \
  do {                                                                         \
    hipError_t error_ = (call);                                                \
    if (error_ != hipSuccess) {                                                \
      printf("%s: %s\n", #call, hipGetErrorString(error_));                    \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

__global__ void add(int *p, int n)
{
  atomicAdd(p, n);
}

static void check(const char *name, bool right)
{
  printf("%s %s\n", name, right ? "ok" : "WRONG");
}

static hipStream_t first, second;
static int *count;

static int counted()
{
  int n;
  MUST(hipMemcpy(&n, count, sizeof n, hipMemcpyDeviceToHost));
  return n;
}

// A stream waits for what another one, or the host, writes last.
template <typename Word, typename Wait, typename Write>
static void wait_check(const char *name, Word *word, Word before, Word after,
                       Word against, unsigned flags, Word mask, Wait wait,
                       Write write)
{
  int zero = 0;
  MUST(hipMemcpy(count, &zero, sizeof zero, hipMemcpyHostToDevice));
  MUST(write(first, word, before, 0));
  MUST(hipStreamSynchronize(first));
  MUST(wait(first, word, against, flags, mask));
  add<<<1, 1, 0, first>>>(count, 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const bool waits = hipStreamQuery(first) == hipErrorNotReady;
  MUST(write(second, word, after, 0));
  MUST(hipStreamSynchronize(first));
  check(name, waits && counted() == 1);
}

static void words_check(const char *name, void *memory)
{
  auto *narrow = (uint32_t *)memory;
  auto *wide = (uint64_t *)memory + 2;
  wait_check<uint32_t>(name, narrow, 1, 7, 7, hipStreamWaitValueEq, 0xffffffff,
                       hipStreamWaitValue32, hipStreamWriteValue32);
  wait_check<uint32_t>(name, narrow, 4, 5, 5, hipStreamWaitValueGte, 0xffffffff,
                       hipStreamWaitValue32, hipStreamWriteValue32);
  wait_check<uint32_t>(name, narrow, 0xf0, 0xf4, 4, hipStreamWaitValueAnd, 0xf,
                       hipStreamWaitValue32, hipStreamWriteValue32);
  wait_check<uint32_t>(name, narrow, 0xffffffff, 0xfffffffe, 0,
                       hipStreamWaitValueNor, 0xffffffff, hipStreamWaitValue32,
                       hipStreamWriteValue32);
  wait_check<uint64_t>(name, wide, 1, 1ull << 40, 1ull << 40,
                       hipStreamWaitValueEq, ~0ull, hipStreamWaitValue64,
                       hipStreamWriteValue64);
  wait_check<uint64_t>(name, wide, 5, (1ull << 40) + 1, 1ull << 40,
                       hipStreamWaitValueGte, ~0ull, hipStreamWaitValue64,
                       hipStreamWriteValue64);
  wait_check<uint64_t>(name, wide, 1, 1ull << 63, 1ull << 63,
                       hipStreamWaitValueAnd, ~0ull, hipStreamWaitValue64,
                       hipStreamWriteValue64);
}

// HIP answers by the packet that waits for a value, and takes it for MI200's and
// MI300's own; on other processors the same calls wait in a kernel.
static bool has_wait_packets(void)
{
  hipDeviceProp_t device;
  return hipGetDeviceProperties(&device, 0) == hipSuccess &&
         (!strncmp(device.gcnArchName, "gfx90a", 6) ||
          !strncmp(device.gcnArchName, "gfx942", 6));
}

int main()
{
  void *signal, *device;
  uint64_t *pinned;
  int can = 0;
  MUST(hipDeviceGetAttribute(&can, hipDeviceAttributeCanUseStreamWaitValue, 0));
  check("streams can wait", can || !has_wait_packets());
  MUST(hipStreamCreate(&first));
  MUST(hipStreamCreate(&second));
  MUST(hipMalloc(&count, sizeof *count));
  MUST(hipExtMallocWithFlags(&signal, 8, hipMallocSignalMemory));
  MUST(hipMalloc(&device, 64));
  MUST(hipHostMalloc((void **)&pinned, 64, 0));
  // Signal memory has one word.
  wait_check<uint64_t>("signal memory", (uint64_t *)signal, 1, 9, 9,
                       hipStreamWaitValueEq, ~0ull, hipStreamWaitValue64,
                       hipStreamWriteValue64);
  wait_check<uint64_t>("signal memory", (uint64_t *)signal, 1, 9, 9,
                       hipStreamWaitValueGte, ~0ull, hipStreamWaitValue64,
                       hipStreamWriteValue64);
  words_check("memory of the device", device);
  words_check("memory of the host", pinned);
  // The host writes.
  pinned[0] = 0;
  MUST(hipStreamWaitValue64(first, pinned, 3, hipStreamWaitValueEq, ~0ull));
  add<<<1, 1, 0, first>>>(count, 10);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const bool waits = hipStreamQuery(first) == hipErrorNotReady;
  __atomic_store_n(&pinned[0], 3, __ATOMIC_RELEASE);
  MUST(hipStreamSynchronize(first));
  check("the host's store", waits && counted() == 11);
  // Writes are in order with kernels.
  MUST(hipMemset(device, 0, 64));
  MUST(hipStreamWriteValue32(first, device, 40, 0));
  add<<<1, 1, 0, first>>>((int *)device, 2);
  MUST(hipStreamSynchronize(first));
  uint32_t got[2] = {0, 0};
  MUST(hipMemcpy(got, device, sizeof got, hipMemcpyDeviceToHost));
  check("a write before a kernel", got[0] == 42 && got[1] == 0);
  return 0;
}
