// SPDX-License-Identifier: MIT
// malloc() and free() in kernels: CASE bad|fixed. Without a case: their names.
#include <hip/hip_runtime.h>
#include <cstdlib>

#include "sites.hpp"

// Right: blocks of all sizes, across the allocator's classes; half of them go
// back, so that later ones get their places.
__global__ void churn(int **kept, int rounds)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < rounds; r++) {
    const int count = 1 + (i * 37 + r * 101) % 900;
    int *block = (int *)malloc(count * sizeof(int));
    block[0] = r;
    block[count - 1] = i;
    if (r % 2)
      free(block);
    else if (kept[i])
      free(kept[i]);
    if (r % 2 == 0)
      kept[i] = block;
  }
}

__global__ void drop(int **kept)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  free(kept[i]);
  free(nullptr);
}

struct lists {
  enum { BLOCKS = 4, ITEMS = 64 };
  int **at;
  lists()
  {
    OK(hipMalloc(&at, BLOCKS * ITEMS * sizeof(int *)));
    OK(hipMemset(at, 0, BLOCKS * ITEMS * sizeof(int *)));
    churn<<<BLOCKS, ITEMS>>>(at, 5);
  }
  ~lists()
  {
    drop<<<BLOCKS, ITEMS>>>(at);
    OK(hipDeviceSynchronize());
    OK(hipFree(at));
  }
};

__global__ void fill(int **to, int count, int shift)
{
  int *block = (int *)malloc(count * sizeof(int));
  for (int i = 0; i < count; i++)
    block[i + shift] = i; // FINDS heap_left: out of bounds
  to[threadIdx.x] = block;
}

static void heap_left(bool fixed)
{
  lists l;
  drop<<<1, 64>>>(l.at);
  fill<<<1, 64>>>(l.at, 10, !fixed);
}

// Too large for the allocator's own memory: each is an allocation of the host.
__global__ void large(int **to, int at)
{
  const int count = 5000;
  int *block = (int *)malloc(count * sizeof(int));
  block[at] = 1; // FINDS large_left: out of bounds
  to[threadIdx.x] = block;
}

static void large_left(bool fixed)
{
  lists l;
  drop<<<1, 2>>>(l.at);
  large<<<1, 2>>>(l.at, fixed ? 4999 : 5000);
}

__global__ void late(int **from, int *out, bool fixed)
{
  int *block = (int *)malloc(16);
  block[1] = 3;
  from[threadIdx.x] = nullptr;
  if (fixed)
    out[threadIdx.x] = block[1];
  free(block);
  if (!fixed)
    out[threadIdx.x] = block[1]; // FINDS heap_after_free: use after free
}

static void heap_after_free(bool fixed)
{
  lists l;
  int *out;
  OK(hipMalloc(&out, 64 * sizeof *out));
  drop<<<1, 64>>>(l.at);
  late<<<1, 64>>>(l.at, out, fixed);
  OK(hipDeviceSynchronize());
  OK(hipFree(out));
}

__global__ void again(int **from)
{
  free(from[threadIdx.x]); // FINDS freed_twice: double free
}

static void freed_twice(bool fixed)
{
  lists l;
  again<<<1, 64>>>(l.at);
  if (fixed)
    fill<<<1, 64>>>(l.at, 4, 0);
}

__global__ void inner(int **from, int shift)
{
  free(from[threadIdx.x] + shift); // FINDS freed_inside: invalid free
  from[threadIdx.x] = nullptr;
}

static void freed_inside(bool fixed)
{
  lists l;
  inner<<<1, 64>>>(l.at, !fixed);
}

__global__ void unset(int **to, int *out, int written)
{
  int *block = (int *)malloc(8 * sizeof(int));
  to[threadIdx.x] = block;
  for (int i = 0; i < written; i++)
    block[i] = i;
  if (block[7] > 3) // FINDS heap_unset: uninitialised branch
    out[threadIdx.x] = 1;
}

static void heap_unset(bool fixed)
{
  lists l;
  int *out;
  OK(hipMalloc(&out, 64 * sizeof *out));
  drop<<<1, 64>>>(l.at);
  unset<<<1, 64>>>(l.at, out, fixed ? 8 : 7);
  OK(hipDeviceSynchronize());
  OK(hipFree(out));
}

struct node {
  int value, next;
};

__global__ void objects(bool fixed)
{
  node *one = new node; // FINDS object_kept: leak
  one->value = threadIdx.x;
  node *all = new node[3];
  all[2].next = one->value;
  delete[] all;
  if (fixed)
    delete one;
}

// With HEAP_CODE the kernel of that file.
static void object_kept(bool fixed)
{
  const char *path = getenv("HEAP_CODE");
  hipModule_t module;
  hipFunction_t function;
  void *arguments[] = {&fixed};
  if (path) {
    OK(hipModuleLoad(&module, path));
    OK(hipModuleGetFunction(&function, module, "_Z7objectsb"));
    OK(hipModuleLaunchKernel(function, 2, 1, 1, 64, 1, 1, 0, nullptr, arguments,
                             nullptr));
  } else {
    objects<<<2, 64>>>(fixed);
  }
  OK(hipDeviceSynchronize());
}

__global__ void keep(int **to)
{
  to[threadIdx.x] = (int *)malloc(20); // FINDS blocks_left: leak
}

static void blocks_left(bool fixed)
{
  lists l;
  drop<<<1, 64>>>(l.at);
  keep<<<1, 64>>>(l.at);
  OK(hipDeviceSynchronize());
  if (!fixed)
    OK(hipMemset(l.at, 0, 64 * sizeof *l.at));
}

const std::map<std::string, std::function<void(bool)>> cases = {
    CASE(heap_left),   CASE(large_left),   CASE(heap_after_free),
    CASE(freed_twice), CASE(freed_inside), CASE(heap_unset),
    CASE(object_kept), CASE(blocks_left),
};
