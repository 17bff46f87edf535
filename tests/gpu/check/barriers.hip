// SPDX-License-Identifier: MIT
// Barriers and waits of machine code, one defect a case, each with a fixed twin
// (sites.hpp). The instructions stand in assembly where a compiler would not
// write them.
#include "sites.hpp"

// __syncthreads(), whose instructions have the line of the header.
#define MEET()                                                                 \
  do {                                                                         \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                     \
    __builtin_amdgcn_s_barrier();                                              \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");                     \
  } while (0)

__global__ void part_kernel(int *a, int fixed)
{
  int i = threadIdx.x;
  a[i] = i;
  if (i % 64 < 10 || fixed)
    MEET(); // FINDS barrier_of_a_part: barrier in divergent flow
  a[i] += 1;
}

static void barrier_of_a_part(bool fixed)
{
  int *a = make<int>(128);
  part_kernel<<<1, 128>>>(a, fixed);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
}

__global__ void loop_kernel(int *a, int fixed)
{
  int i = threadIdx.x, rounds = fixed ? 3 : 1 + i % 3;
  for (int k = 0; k < rounds; k++) {
    a[i] = k;
    MEET(); // FINDS barrier_in_uneven_loop: barrier in divergent flow
  }
  a[i] += 1;
}

static void barrier_in_uneven_loop(bool fixed)
{
  int *a = make<int>(128);
  loop_kernel<<<1, 128>>>(a, fixed);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
}

// More barriers than 15 bits count.
__global__ void late_kernel(int *a, int fixed)
{
  int i = threadIdx.x;
  for (int k = 0; k < 40000; k++)
    MEET();
  a[i] = i;
  if (fixed)
    MEET();
  a[128 + i] = a[i ^ 64]; // FINDS race_behind_many_barriers: race in a workgroup
}

static void race_behind_many_barriers(bool fixed)
{
  int *a = make<int>(256);
  late_kernel<<<1, 128>>>(a, fixed);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
}

__global__ void branch_kernel(int *a, int fixed)
{
  int i = threadIdx.x;
  if (fixed) {
    a[i] = 3;
    MEET();
  } else if (__builtin_amdgcn_readfirstlane(i) < 64) {
    a[i] = 1;
    MEET(); // FINDS two_barriers: mismatched barriers
    asm volatile("; the first");
  } else {
    a[i] = 2;
    MEET(); // FINDS two_barriers: mismatched barriers
    asm volatile("; the second");
  }
  a[i] += 1;
}

static void two_barriers(bool fixed)
{
  int *a = make<int>(128);
  branch_kernel<<<1, 128>>>(a, fixed);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
}

__global__ void early_kernel(int *a, int n, int fixed)
{
  int i = threadIdx.x;
  if (i >= n && !fixed)
    return;
  a[i] = i;
  MEET(); // FINDS ended_before_barrier: barrier without ended waves
  a[i] += 1;
}

static void ended_before_barrier(bool fixed)
{
  int *a = make<int>(256);
  early_kernel<<<1, 256>>>(a, 128, fixed);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
}

template <bool FIXED> __global__ void load_kernel(const int *a, int *b)
{
  int x, offset = threadIdx.x * 4;
  asm volatile("global_load_dword %0, %1, %2\n" : "=v"(x) : "v"(offset), "s"(a));
  if (FIXED)
    asm volatile("s_waitcnt vmcnt(0)" ::: "memory");
  asm volatile("v_add_u32 %0, 1, %0" : "+v"(x)); // FINDS load_not_waited: missing wait
  asm volatile("s_waitcnt vmcnt(0)" ::: "memory");
  b[threadIdx.x] = x;
}

static void load_not_waited(bool fixed)
{
  int *a = make<int>(64), *b = make<int>(64);
  OK(hipMemset(a, 0, 256));
  if (fixed)
    load_kernel<true><<<1, 64>>>(a, b);
  else
    load_kernel<false><<<1, 64>>>(a, b);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
  OK(hipFree(b));
}

template <bool FIXED> __global__ void shared_kernel(int *b)
{
  __shared__ int box[64];
  box[threadIdx.x] = threadIdx.x;
  MEET();
  int x, at = threadIdx.x * 4;
  asm volatile("ds_read_b32 %0, %1" : "=v"(x) : "v"(at));
  if (FIXED)
    asm volatile("s_waitcnt lgkmcnt(0)" ::: "memory");
  asm volatile("v_add_u32 %0, 1, %0" : "+v"(x)); // FINDS shared_not_waited: missing wait
  asm volatile("s_waitcnt lgkmcnt(0)" ::: "memory");
  b[threadIdx.x] = x;
}

static void shared_not_waited(bool fixed)
{
  int *b = make<int>(64);
  if (fixed)
    shared_kernel<true><<<1, 64>>>(b);
  else
    shared_kernel<false><<<1, 64>>>(b);
  OK(hipDeviceSynchronize());
  OK(hipFree(b));
}

template <bool FIXED> __global__ void scalar_kernel(const int *a, int *b)
{
  int x;
  asm volatile("s_load_dword %0, %1, 0x0" : "=s"(x) : "s"(a));
  if (FIXED)
    asm volatile("s_waitcnt lgkmcnt(0)" ::: "memory");
  asm volatile("s_add_u32 %0, %0, 1" : "+s"(x)); // FINDS scalar_not_waited: missing wait
  asm volatile("s_waitcnt lgkmcnt(0)" ::: "memory");
  b[threadIdx.x] = x;
}

static void scalar_not_waited(bool fixed)
{
  int *a = make<int>(64), *b = make<int>(64);
  OK(hipMemset(a, 0, 256));
  if (fixed)
    scalar_kernel<true><<<1, 64>>>(a, b);
  else
    scalar_kernel<false><<<1, 64>>>(a, b);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
  OK(hipFree(b));
}

template <bool FIXED> __global__ void counted_kernel(const int *a, int *b)
{
  int x, y, offset = threadIdx.x * 4;
  asm volatile("global_load_dword %0, %2, %3\n"
               "global_load_dword %1, %2, %3 offset:4\n"
               : "=&v"(x), "=&v"(y)
               : "v"(offset), "s"(a));
  if (FIXED)
    asm volatile("s_waitcnt vmcnt(0)" ::: "memory");
  else
    asm volatile("s_waitcnt vmcnt(1)" ::: "memory"); // of the first one only
  asm volatile("v_add_u32 %0, %0, %1" : "+v"(x) : "v"(y)); // FINDS wait_for_too_few: missing wait
  asm volatile("s_waitcnt vmcnt(0)" ::: "memory");
  b[threadIdx.x] = x;
}

static void wait_for_too_few(bool fixed)
{
  int *a = make<int>(65), *b = make<int>(64);
  OK(hipMemset(a, 0, 260));
  if (fixed)
    counted_kernel<true><<<1, 64>>>(a, b);
  else
    counted_kernel<false><<<1, 64>>>(a, b);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
  OK(hipFree(b));
}

template <bool FIXED> __global__ void meet_kernel(int *b)
{
  __shared__ int box[128];
  int at = threadIdx.x * 4, x = threadIdx.x;
  box[127 - threadIdx.x] = 0;
  MEET();
  asm volatile("ds_write_b32 %0, %1" ::"v"(at), "v"(x) : "memory");
  if (FIXED)
    asm volatile("s_waitcnt lgkmcnt(0)" ::: "memory");
  asm volatile("s_barrier" ::: "memory"); // FINDS write_not_waited: missing wait
  asm volatile("s_waitcnt lgkmcnt(0)" ::: "memory");
  b[threadIdx.x] = box[127 - threadIdx.x];
}

static void write_not_waited(bool fixed)
{
  int *b = make<int>(128);
  if (fixed)
    meet_kernel<true><<<1, 128>>>(b);
  else
    meet_kernel<false><<<1, 128>>>(b);
  OK(hipDeviceSynchronize());
  OK(hipFree(b));
}

// Reads v41, that was loaded, as v40 moved by 1. The wait is between the moved
// instructions.
#define MOVED_READ(WAIT)                                                       \
  asm volatile("global_load_dword v41, %1, %2\n"                               \
               "s_set_gpr_idx_on 1, gpr_idx(SRC0)\n" WAIT "\n"                 \
               "v_mov_b32 %0, v40\n"                                           \
               "s_set_gpr_idx_off\n"                                           \
               "v_add_u32 %0, %0, v41\n"                                       \
               "s_waitcnt vmcnt(0)\n"                                          \
               : "=&v"(x)                                                      \
               : "v"(offset), "s"(a)                                           \
               : "v40", "v41", "m0", "memory")

template <bool FIXED> __global__ void moved_kernel(const int *a, int *b)
{
  int x, offset = threadIdx.x * 4;
  if (FIXED)
    MOVED_READ("s_waitcnt vmcnt(0)");
  else
    MOVED_READ("s_nop 0"); // FINDS moved_not_waited: missing wait
  b[threadIdx.x] = x;
}

static void moved_not_waited(bool fixed)
{
  int *a = make<int>(64), *b = make<int>(64);
  OK(hipMemset(a, 0, 256));
  if (fixed)
    moved_kernel<true><<<1, 64>>>(a, b);
  else
    moved_kernel<false><<<1, 64>>>(a, b);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
  OK(hipFree(b));
}

const std::map<std::string, std::function<void(bool)>> cases = {
    CASE(barrier_of_a_part),    CASE(barrier_in_uneven_loop),
    CASE(two_barriers),         CASE(ended_before_barrier),
    CASE(load_not_waited),      CASE(shared_not_waited),
    CASE(scalar_not_waited),    CASE(wait_for_too_few),
    CASE(write_not_waited),     CASE(moved_not_waited),
    CASE(race_behind_many_barriers),
};
