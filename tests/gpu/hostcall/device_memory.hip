/* SPDX-License-Identifier: MIT */
/* Kernels that allocate and free memory, and a program that runs them. */
#define __HIP_ENABLE_DEVICE_MALLOC__ 1
#include <hip/hip_runtime.h>
#include <cassert>
#include <cstdio>

struct node {
  node *next;
  int value;
};

__device__ node *heads[4096];

extern "C" __global__ void make(int count, int *failed)
{
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  node *head = nullptr;
  for (int i = 0; i < count; i++) {
    node *made = (node *)malloc(sizeof *made);
    if (!made) {
      atomicAdd(failed, 1);
      break;
    }
    made->next = head;
    made->value = item + i;
    head = made;
  }
  heads[item] = head;
}

extern "C" __global__ void take(int *sums)
{
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (node *at = heads[item], *next; at; at = next) {
    next = at->next;
    sum += at->value;
    free(at);
  }
  sums[item] = sum;
}

extern "C" __global__ void both(int count, int *sums)
{
  const int item = blockIdx.x * blockDim.x + threadIdx.x;
  int *made = (int *)malloc(count * sizeof(int)), sum = 0;
  for (int i = 0; i < count; i++)
    made[i] = item + i;
  for (int i = 0; i < count; i++)
    sum += made[i];
  free(made);
  sums[item] = sum;
}

/* Blocks that it gets before malloc returns null. */
extern "C" __global__ void greedy(unsigned long size, int *blocks)
{
  int count = 0;
  while (malloc(size))
    count++;
  *blocks = count;
}

/* Blocks one after the other, more than there is memory. */
extern "C" __global__ void again(unsigned long size, int *out)
{
  for (int i = 0; i < 40; i++) {
    int *made = (int *)malloc(size);
    out[i] = made ? i : -1;
    made[0] = i;
    free(made);
  }
}

/* A block of its own is freed memory at once. */
extern "C" __global__ void after_free(int *out)
{
  int *made = (int *)malloc(1 << 20);
  made[7] = 1;
  free(made);
  *out = ((volatile int *)made)[7];
}

extern "C" __global__ void checked(int limit, int *out)
{
  const int item = threadIdx.x;
  printf("item %d\n", item);
  assert(item < limit);
  out[item] = item;
}

int main()
{
  int *memory, sums[256];
  if (hipMalloc(&memory, 1024) != hipSuccess)
    return 1;
  hipMemset(memory, 0, 1024);
  make<<<4, 64>>>(3, memory);
  take<<<4, 64>>>(memory);
  hipMemcpy(sums, memory, 1024, hipMemcpyDeviceToHost);
  printf("%d %d\n", sums[0], sums[255]);
  both<<<4, 64>>>(10000, memory);
  hipMemcpy(sums, memory, 1024, hipMemcpyDeviceToHost);
  printf("%d %d\n", sums[0], sums[255]);
  return hipDeviceSynchronize() != hipSuccess;
}
