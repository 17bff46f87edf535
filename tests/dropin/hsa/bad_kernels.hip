/* SPDX-License-Identifier: MIT */
/* Kernels that go wrong as programs do: test_bad_hip.sh has the table of their
 * ends. `p` is what the table says, `n` its number. */
#include <hip/hip_runtime.h>
#include <cassert>
#include <cstdint>
#include <cstdlib>

#define KERNEL(name) extern "C" __global__ void name(int *p, int n)

__device__ int depth(int n); /* recursive */
typedef void function(int *);

KERNEL(good) { p[threadIdx.x] = 1; }
KERNEL(load) { p[1] = p[n] + 1; }
KERNEL(store) { p[n] = (int)threadIdx.x; }
KERNEL(store_lane) { p[threadIdx.x == 5 ? n : (int)threadIdx.x] = 1; }
KERNEL(add_atomic) { atomicAdd(p + n, 1); }
KERNEL(add_double) { atomicAdd((double *)p + n, 1.0); }
KERNEL(copy_wide) { ((int4 *)p)[0] = ((int4 *)p)[n]; }

/* A loop of the host's kind: the same pointer in each lane. */
KERNEL(load_scalar)
{
  int sum = 0;
  for (int i = 0; i < 4; i++)
    sum += p[n + i];
  __builtin_amdgcn_s_sleep(1);
  asm volatile("" ::"s"(sum));
}

KERNEL(add_misaligned) { atomicAdd((int *)((char *)p + 2), n); }
KERNEL(add_misaligned_wide)
{
  atomicAdd((unsigned long long *)((char *)p + 4), 1ull);
}

KERNEL(shared_store)
{
  __shared__ volatile int shared[64];
  shared[threadIdx.x + n] = 1;
  p[0] = shared[threadIdx.x];
}

KERNEL(shared_dynamic)
{
  extern __shared__ volatile int dynamic[];
  dynamic[n] = 1;
  p[0] = dynamic[0];
}

KERNEL(shared_flat)
{
  __shared__ int shared[64];
  volatile int *flat = threadIdx.x < 65 ? shared : p;
  asm volatile("" : "+v"(flat));
  p[0] = flat[n];
}

KERNEL(private_store)
{
  volatile int own[16];
  own[n + threadIdx.x] = 1;
  p[0] = own[3];
}

__device__ __attribute__((noinline)) int depth(int n)
{
  volatile int own[64];
  own[n & 63] = n;
  return n == 0 ? own[0] : depth(n - 1) + own[n & 63];
}

KERNEL(recursion) { p[0] = depth(n); }
KERNEL(call) { ((function *)(p + n))(p); }
KERNEL(abort_lane)
{
  if (threadIdx.x == 7)
    abort();
}
KERNEL(trap_all) { __builtin_trap(); }
KERNEL(assert_item) { assert(p[threadIdx.x] == 0 && "p is zero"); }
KERNEL(image)
{
  asm volatile("image_atomic_add v0, v[0:1], s[0:7] dmask:0x1 unorm" ::
                   : "v0");
}
KERNEL(no_instruction) { asm volatile(".long 0xbfff0000"); }
KERNEL(halts) { asm volatile("s_sethalt 1"); }

/* Writes what is left of malloc when memory has run out. */
KERNEL(null_of_malloc)
{
  int *made = (int *)(uintptr_t)(n - 1);
  made[threadIdx.x] = 1;
}

/* No end: a loop, a flag that stays 0, a barrier that half of the group never
 * reaches. */
KERNEL(loops)
{
  for (volatile int i = 0;; i = i + 1)
    ;
}
KERNEL(waits)
{
  while (*(volatile int *)(p + n) == 0)
    __builtin_amdgcn_s_sleep(1);
}
KERNEL(barrier_half)
{
  __shared__ volatile int flag;
  flag = 0;
  if (threadIdx.x >= 64) {
    while (flag == 0)
      __builtin_amdgcn_s_sleep(1);
  }
  __syncthreads();
  flag = 1;
}
