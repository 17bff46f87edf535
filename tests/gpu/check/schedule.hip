// SPDX-License-Identifier: MIT
// Programs that are right in one order of waves only (test_schedule.sh).
// `schedule lds`: a wave reads what the one before it writes, without a
// barrier. `schedule chain`: each workgroup waits for the one before it, which
// has to have started. Exit status 1: a wrong result.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define OK(call)                                                               \
  do {                                                                         \
    if ((call) != hipSuccess) {                                                \
      fprintf(stderr, "%s failed\n", #call);                                   \
      exit(3);                                                                 \
    }                                                                          \
  } while (0)

__global__ void lds(int *out, int seed)
{
  __shared__ int box[256];
  int i = threadIdx.x;
  box[i] = i + seed;
  out[blockIdx.x * 256 + i] = i < 64 ? i + seed : box[i - 64] + 64;
}

__global__ void chain(volatile int *done)
{
  int b = blockIdx.x;
  if (threadIdx.x == 0) {
    while (b > 0 && done[b - 1] == 0)
      ;
    done[b] = 1;
  }
}

int main(int argc, char **argv)
{
  const int groups = 400;
  int *out, *host = (int *)calloc(groups * 256, sizeof(int)), wrong = 0;
  if (argc != 2)
    return 2;
  OK(hipMalloc(&out, groups * 256 * sizeof(int)));
  OK(hipMemset(out, 0, groups * 256 * sizeof(int)));
  if (strcmp(argv[1], "lds") == 0)
    lds<<<8, 256>>>(out, 5);
  else
    chain<<<groups, 1024>>>(out);
  OK(hipMemcpy(host, out, groups * 256 * sizeof(int), hipMemcpyDeviceToHost));
  for (int i = 0; i < (*argv[1] == 'l' ? 8 * 256 : groups); i++)
    wrong += host[i] != (*argv[1] == 'l' ? i % 256 + 5 : 1);
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
