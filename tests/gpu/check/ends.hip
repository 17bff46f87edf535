// SPDX-License-Identifier: MIT
// Memory that is never freed (--check=leak) and waits that cannot end, a case
// each with a fixed twin (sites.hpp).
#include "sites.hpp"

static void memory_leaked(bool fixed)
{
  void *a;
  OK(hipMalloc((void **)&a, 5000)); // FINDS memory_leaked: leak
  OK(hipMemset(a, 0, 5000));
  OK(hipDeviceSynchronize());
  if (fixed)
    OK(hipFree(a));
}

static void host_memory_leaked(bool fixed)
{
  void *a, *b;
  OK(hipHostMalloc((void **)&a, 4096, 0)); // FINDS host_memory_leaked: leak
  OK(hipHostMalloc((void **)&b, 4096, 0));
  if (fixed)
    OK(hipHostFree(a));
  OK(hipHostFree(b));
}

__global__ void await(int *flag, int *b)
{
  while (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0) // FINDS flag_never_set: endless wait
    ;
  *b = 1;
}
static void flag_never_set(bool fixed)
{
  int *a = make<int>(2);
  OK(hipMemset(a, fixed, 8));
  await<<<1, 64>>>(a, a + 1);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
}

// A lock that the host holds.
__global__ void enter(int *lock, int *b)
{
  int free = 0;
  while (!__hip_atomic_compare_exchange_strong(lock, &free, 1, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) // FINDS lock_never_freed: endless wait
    free = 0;
  *b = 1;
}

static void lock_never_freed(bool fixed)
{
  int *a = make<int>(2);
  OK(hipMemset(a, !fixed, 8));
  enter<<<1, 1>>>(a, a + 1);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
}

// Each workgroup waits until as many have come as the host says.
__global__ void meet(int *count, int expected)
{
  if (threadIdx.x == 0) {
    __hip_atomic_fetch_add(count, 1, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
    while (__hip_atomic_load(count, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) < expected) // FINDS too_many_expected: endless wait
      ;
  }
  __syncthreads();
}
static void too_many_expected(bool fixed)
{
  int *a = make<int>(1);
  OK(hipMemset(a, 0, 4));
  meet<<<4, 128>>>(a, fixed ? 4 : 5);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
}

const std::map<std::string, std::function<void(bool)>> cases = {
    CASE(memory_leaked),
    CASE(host_memory_leaked),
    CASE(flag_never_set),
    CASE(lock_never_freed),
    CASE(too_many_expected),
};
