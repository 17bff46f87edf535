// SPDX-License-Identifier: MIT
// What the host does with memory of kernels. CASE BYTES:
//   output   copies out BYTES that nothing wrote
//   read     copies out BYTES that a kernel of another stream still writes
//   write    copies in BYTES that a kernel of another stream still writes
//   pinned   a kernel writes 4096 bytes of host memory, which the host reads,
//            beside memory that no kernel touches
//   padded   copies out structs of which a kernel wrote all members
//   stored   a kernel copies such structs to memory of the host
//   second   copies out integers of which a kernel wrote every second one
//   large    a kernel writes every 16 MiB of BYTES, and the host copies one out
//   unlike   the same, and the host copies out one that no kernel wrote
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define CHECK(call)                                                            \
  do {                                                                         \
    hipError_t error = (call);                                                 \
    if (error != hipSuccess) {                                                 \
      printf("%s: %s\n", #call, hipGetErrorString(error));                     \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

__global__ void fill(int *out, int rounds)
{
  int value = 0;
  for (int i = 0; i < rounds; i++)
    value = value * 3 + i;
  out[threadIdx.x] = value | 1;
}

__global__ void touch(char *out, size_t size)
{
  for (size_t at = (size_t)threadIdx.x << 24; at < size; at += 64ul << 24)
    out[at] = 1;
}

struct entry {
  char kind;
  double value;
  short count;
};

__global__ void members(entry *out)
{
  out[threadIdx.x].kind = 1;
  out[threadIdx.x].value = threadIdx.x;
  out[threadIdx.x].count = 3;
}

__global__ void whole(const entry *in, entry *out)
{
  out[threadIdx.x] = in[threadIdx.x];
}

__global__ void second(int *out)
{
  out[2 * threadIdx.x] = 1;
}

// KiB of memory that the process had at most.
static long resident()
{
  char line[200];
  long size = 0;
  FILE *file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file))
    sscanf(line, "VmHWM: %ld", &size);
  return size;
}

int main(int, char **args)
{
  const std::string name = args[1];
  const size_t size = strtoull(args[2], nullptr, 0);
  std::vector<char> host(name == "large" || name == "unlike" ? 1 : size);
  char *memory;
  if (name == "pinned") {
    char *idle;
    CHECK(hipHostMalloc(&memory, 4096));
    CHECK(hipHostMalloc(&idle, 8192));
    fill<<<1, 1024>>>((int *)memory, 10);
    CHECK(hipDeviceSynchronize());
    printf("%d\n", memory[0] + (idle[0] = 1));
    return 0;
  }
  if (name == "large" || name == "unlike") {
    CHECK(hipMalloc(&memory, size));
    touch<<<1, 64>>>(memory, size);
    CHECK(hipMemcpy(host.data(), memory + (3 << 24) + (name == "unlike"), 1,
                    hipMemcpyDeviceToHost));
    printf("byte %d, %ld MiB\n", host[0] == 1, resident() >> 10);
    return 0;
  }
  CHECK(hipMalloc(&memory, 65536));
  if (name == "stored") {
    entry *pinned;
    CHECK(hipHostMalloc(&pinned, 64 * sizeof *pinned));
    members<<<1, 64>>>((entry *)memory);
    whole<<<1, 64>>>((entry *)memory, pinned);
    CHECK(hipDeviceSynchronize());
    return pinned[63].value != 63;
  }
  if (name == "padded")
    members<<<1, 64>>>((entry *)memory);
  else if (name == "second")
    second<<<1, 64>>>((int *)memory);
  else if (name != "output") {
    hipStream_t stream;
    CHECK(hipMemset(memory, 0, 65536));
    CHECK(hipDeviceSynchronize());
    CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    fill<<<1, 1024, 0, stream>>>((int *)memory, 3000);
  }
  if (name == "write")
    CHECK(hipMemcpy(memory, host.data(), size, hipMemcpyHostToDevice));
  else
    CHECK(hipMemcpy(host.data(), memory, size, hipMemcpyDeviceToHost));
  CHECK(hipDeviceSynchronize());
  return 0;
}
