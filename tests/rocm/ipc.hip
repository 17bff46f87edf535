// SPDX-License-Identifier: MIT
// Memory and events of one process in another: a child waits for the parent's
// kernel by an event, and adds to the parent's block, which both read, from
// kernels and by copies; then the parent frees it while the child has it, and
// the child ends while it has a second one.
#include <hip/hip_runtime.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define MUST(call)                                                             \
  do {                                                                         \
    hipError_t error_ = (call);                                                \
    if (error_ != hipSuccess) {                                                \
      printf("%s: %s\n", #call, hipGetErrorString(error_));                    \
      fflush(stdout);                                                          \
      _exit(1);                                                                \
    }                                                                          \
  } while (0)

enum { COUNT = 1 << 16 };

static int to_child[2], to_parent[2];

__global__ void add(int *p, int n)
{
  p[blockIdx.x * blockDim.x + threadIdx.x] += n;
}

static void say(int to)
{
  const char byte = 1;
  if (write(to, &byte, 1) != 1)
    _exit(1);
}

static void hear(int from)
{
  char byte;
  if (read(from, &byte, 1) != 1)
    _exit(1);
}

// The sum of the elements, by a copy to the host.
static long sum(const int *p)
{
  std::vector<int> all(COUNT);
  long total = 0;
  MUST(hipMemcpy(all.data(), p, COUNT * sizeof(int), hipMemcpyDeviceToHost));
  for (int one : all)
    total += one;
  return total;
}

static int child()
{
  hipIpcMemHandle_t handles[2];
  hipIpcEventHandle_t event;
  hipEvent_t filled;
  hipStream_t stream;
  int *first, *second;
  if (read(to_child[0], handles, sizeof handles) != (ssize_t)sizeof handles ||
      read(to_child[0], &event, sizeof event) != (ssize_t)sizeof event)
    return 1;
  MUST(hipIpcOpenEventHandle(&filled, event));
  MUST(hipStreamCreate(&stream));
  MUST(hipStreamWaitEvent(stream, filled, 0));
  MUST(hipStreamSynchronize(stream));
  MUST(hipEventQuery(filled));
  MUST(hipIpcOpenMemHandle((void **)&first, handles[0],
                           hipIpcMemLazyEnablePeerAccess));
  MUST(hipIpcOpenMemHandle((void **)&second, handles[1],
                           hipIpcMemLazyEnablePeerAccess));
  printf("the child reads %ld and %ld\n", sum(first), sum(second));
  hipLaunchKernelGGL(add, dim3(COUNT / 256), dim3(256), 0, 0, first, 41);
  MUST(hipDeviceSynchronize());
  printf("and writes %ld\n", sum(first));
  fflush(stdout);
  say(to_parent[1]);
  hear(to_child[0]); // the parent has freed the first
  printf("the child keeps %ld\n", sum(first));
  MUST(hipIpcCloseMemHandle(first));
  fflush(stdout);
  say(to_parent[1]);
  _exit(0); // with the second open
}

int main()
{
  if (pipe(to_child) != 0 || pipe(to_parent) != 0)
    return 1;
  const pid_t pid = fork();
  if (pid == 0)
    return child();
  int *first, *second, status;
  hipIpcMemHandle_t handles[2];
  hipIpcEventHandle_t event;
  hipEvent_t filled;
  std::vector<int> ones(COUNT, 1);
  MUST(hipMalloc(&first, COUNT * sizeof(int)));
  MUST(hipMalloc(&second, COUNT * sizeof(int)));
  MUST(hipMemcpy(first, ones.data(), COUNT * sizeof(int), hipMemcpyHostToDevice));
  MUST(hipMemset(second, 0, COUNT * sizeof(int)));
  hipLaunchKernelGGL(add, dim3(COUNT / 256), dim3(256), 0, 0, second, 3);
  MUST(hipEventCreateWithFlags(&filled,
                               hipEventDisableTiming | hipEventInterprocess));
  MUST(hipEventRecord(filled, 0));
  MUST(hipIpcGetEventHandle(&event, filled));
  MUST(hipIpcGetMemHandle(&handles[0], first));
  MUST(hipIpcGetMemHandle(&handles[1], second));
  if (write(to_child[1], handles, sizeof handles) != (ssize_t)sizeof handles ||
      write(to_child[1], &event, sizeof event) != (ssize_t)sizeof event)
    return 1;
  hear(to_parent[0]);
  printf("the parent reads %ld\n", sum(first));
  MUST(hipFree(first));
  fflush(stdout);
  say(to_child[1]);
  hear(to_parent[0]);
  waitpid(pid, &status, 0);
  hipLaunchKernelGGL(add, dim3(COUNT / 256), dim3(256), 0, 0, second, 2);
  MUST(hipDeviceSynchronize());
  printf("the child ended with %d, and the second block has %ld\n",
         WEXITSTATUS(status), sum(second));
  MUST(hipFree(second));
  return 0;
}
