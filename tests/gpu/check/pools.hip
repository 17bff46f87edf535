// SPDX-License-Identifier: MIT
// Memory of pools of HIP, in the order of streams: CASE bad|fixed. Without a
// case: their names.
#include <hip/hip_runtime.h>

#include "sites.hpp"

// On the simulator HIP 5.2 hangs in hipStreamDestroy after hipFreeAsync.
static streams &two()
{
  static streams *const s = new streams;
  return *s;
}

static int *take(size_t count, hipStream_t stream)
{
  int *block;
  // clang-format off
  OK(hipMallocAsync((void **)&block, count * sizeof *block, stream)); // FINDS pool_kept: leak
  // clang-format on
  return block;
}

__global__ void fill(int *to, int count)
{
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    to[i] = i;
}

// Right: the memory goes to the next block, which is smaller or larger, and to
// the other stream once the host waited.
static void churn(const streams &s)
{
  for (int i = 0; i < 20; i++) {
    const int count = 100 + i * 37 % 900;
    int *block = take(count, s.a);
    fill<<<1, 64, 0, s.a>>>(block, count);
    OK(hipFreeAsync(block, s.a));
    OK(hipStreamSynchronize(s.a)); // or it is a race, see doc/checker.md
    int *other = take(count, s.b);
    fill<<<1, 64, 0, s.b>>>(other, count);
    if (i % 2)
      OK(hipFree(other));
    else
      OK(hipFreeAsync(other, s.b));
  }
}

__global__ void beyond(int *to, int count)
{
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    to[i] = i; // FINDS pool_left from_pool_left: out of bounds
}

static void pool_left(bool fixed)
{
  streams &s = two();
  churn(s);
  int *large = take(1000, s.a);
  fill<<<1, 64, 0, s.a>>>(large, 1000);
  OK(hipFreeAsync(large, s.a));
  int *small = take(100, s.a);
  beyond<<<1, 64, 0, s.a>>>(small, fixed ? 100 : 101);
  OK(hipFreeAsync(small, s.a));
}

static void from_pool_left(bool fixed)
{
  streams &s = two();
  hipMemPool_t pool;
  int *large, *small;
  OK(hipDeviceGetDefaultMemPool(&pool, 0));
  OK(hipMallocFromPoolAsync((void **)&large, 4000, pool, s.a));
  OK(hipFreeAsync(large, s.a));
  OK(hipMallocFromPoolAsync((void **)&small, 400, pool, s.a));
  beyond<<<1, 64, 0, s.a>>>(small, fixed ? 100 : 101);
  OK(hipFreeAsync(small, s.a));
}

__global__ void late(int *to)
{
  to[threadIdx.x] = 1; // FINDS freed_behind freed_by_host: use after free
}

static void freed_behind(bool fixed)
{
  streams &s = two();
  churn(s);
  int *block = take(64, s.a);
  if (fixed)
    late<<<1, 64, 0, s.a>>>(block);
  OK(hipFreeAsync(block, s.a));
  if (!fixed)
    late<<<1, 64, 0, s.a>>>(block);
}

static void freed_by_host(bool fixed)
{
  streams &s = two();
  int *block = take(64, s.a);
  if (fixed)
    late<<<1, 64, 0, s.a>>>(block);
  OK(hipFree(block));
  if (!fixed)
    late<<<1, 64, 0, s.a>>>(block);
}

// It comes before the free or behind it.
__global__ void unordered(int *to)
{
  to[threadIdx.x] = 1; // FINDS freed_elsewhere: use after free
  __threadfence();
  to[threadIdx.x] = 2; // FINDS freed_elsewhere: race between dispatches
}

static void freed_elsewhere(bool fixed)
{
  streams &s = two();
  int *block = take(64, s.b);
  OK(hipStreamSynchronize(s.b));
  unordered<<<1, 64, 0, s.a>>>(block);
  if (fixed)
    s.order();
  OK(hipFreeAsync(block, s.b));
}

__global__ void look(const int *from, int *out)
{
  if (from[threadIdx.x] > 3) // FINDS pool_unset: uninitialised branch
    *out = 1;
}

static void pool_unset(bool fixed)
{
  streams &s = two();
  int *out = make<int>(1);
  int *first = take(64, s.a);
  fill<<<1, 64, 0, s.a>>>(first, 64);
  OK(hipFreeAsync(first, s.a));
  int *next = take(64, s.a);
  fill<<<1, 64, 0, s.a>>>(next, fixed ? 64 : 63);
  look<<<1, 64, 0, s.a>>>(next, out);
  OK(hipFreeAsync(next, s.a));
  OK(hipDeviceSynchronize());
  OK(hipFree(out));
}

static void pool_kept(bool fixed)
{
  streams &s = two();
  churn(s);
  int *kept = take(50, s.a);
  fill<<<1, 64, 0, s.a>>>(kept, 50);
  if (fixed)
    OK(hipFreeAsync(kept, s.a));
}

const std::map<std::string, std::function<void(bool)>> cases = {
    CASE(pool_left),       CASE(from_pool_left), CASE(freed_behind),
    CASE(freed_by_host),   CASE(pool_unset),     CASE(pool_kept),
    CASE(freed_elsewhere),
};
