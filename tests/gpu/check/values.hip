// SPDX-License-Identifier: MIT
// Uses of values that nobody wrote, one a case, each with a fixed twin
// (sites.hpp).
#include "sites.hpp"

__global__ void gate_kernel(const int *a, int *b)
{
  int i = threadIdx.x;
  if (a[i] == 5) // FINDS branch_on_memory: uninitialised branch
    atomicAdd(b + i, 1);
}

static void branch_on_memory(bool fixed)
{
  int *a = make<int>(64), *b = make<int>(64);
  OK(hipMemset(b, 0, 256));
  if (fixed)
    OK(hipMemset(a, 0, 256));
  gate_kernel<<<1, 64>>>(a, b);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
  OK(hipFree(b));
}

__global__ void bound_kernel(const int *count, int *b)
{
  for (int k = 0; k < *count; k++) // FINDS loop_bound: uninitialised branch
    atomicAdd(b + k % 64, 1);
}

static void loop_bound(bool fixed)
{
  int *count = make<int>(1), *b = make<int>(64);
  OK(hipMemset(b, 0, 256));
  if (fixed)
    OK(hipMemset(count, 0, 4));
  bound_kernel<<<1, 64>>>(count, b);
  OK(hipDeviceSynchronize());
  OK(hipFree(count));
  OK(hipFree(b));
}

__global__ void gather_kernel(const int *index, const int *a, int *b)
{
  int i = threadIdx.x;
  b[i] = a[index[i] & 63]; // FINDS index_from_memory: uninitialised address
}

static void index_from_memory(bool fixed)
{
  int *index = make<int>(64), *a = make<int>(64), *b = make<int>(64);
  OK(hipMemset(a, 0, 256));
  if (fixed)
    OK(hipMemset(index, 0, 256));
  gather_kernel<<<1, 64>>>(index, a, b);
  OK(hipDeviceSynchronize());
  OK(hipFree(index));
  OK(hipFree(a));
  OK(hipFree(b));
}

__global__ void append_kernel(unsigned *count, int *list)
{
  unsigned at = atomicAdd(count, 1u);
  list[at & 63] = 1; // FINDS counter_not_zeroed: uninitialised address
}

static void counter_not_zeroed(bool fixed)
{
  unsigned *count = make<unsigned>(1);
  int *list = make<int>(64);
  if (fixed)
    OK(hipMemset(count, 0, 4));
  append_kernel<<<1, 64>>>(count, list);
  OK(hipDeviceSynchronize());
  OK(hipFree(count));
  OK(hipFree(list));
}

__global__ void halo_kernel(const int *a, int *b, int filled)
{
  __shared__ int box[128];
  int i = threadIdx.x;
  if (i < filled)
    box[i] = a[i];
  __syncthreads();
  if (box[127 - i] > 3) // FINDS shared_not_filled: uninitialised branch
    atomicAdd(b, 1);
}

static void shared_not_filled(bool fixed)
{
  int *a = make<int>(128), *b = make<int>(1);
  OK(hipMemset(a, 0, 512));
  OK(hipMemset(b, 0, 4));
  halo_kernel<<<1, 128>>>(a, b, fixed ? 128 : 120);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
  OK(hipFree(b));
}

__global__ void table_kernel(const int *a, int *b, int filled)
{
  __shared__ int table[64];
  int i = threadIdx.x;
  if (i < filled)
    table[i] = 63 - i;
  __syncthreads();
  b[i] = a[table[i] & 63]; // FINDS shared_index: uninitialised address
}

static void shared_index(bool fixed)
{
  int *a = make<int>(64), *b = make<int>(64);
  OK(hipMemset(a, 0, 256));
  table_kernel<<<1, 64>>>(a, b, fixed ? 64 : 32);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
  OK(hipFree(b));
}

__global__ void private_kernel(const int *a, int *b, int filled)
{
  int own[32];
  for (int k = 0; k < filled; k++)
    own[k ^ 1] = a[k];
  int at = a[threadIdx.x & 31] & 31;
  if (own[at] == 7) // FINDS private_not_filled: uninitialised branch
    atomicAdd(b, 1);
}

static void private_not_filled(bool fixed)
{
  int *a = make<int>(32), *b = make<int>(1), h[32];
  for (int k = 0; k < 32; k++)
    h[k] = k;
  OK(hipMemcpy(a, h, sizeof h, hipMemcpyHostToDevice));
  OK(hipMemset(b, 0, 4));
  private_kernel<<<1, 64>>>(a, b, fixed ? 32 : 16);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
  OK(hipFree(b));
}

__global__ void triple_kernel(const int *a, int *b)
{
  int i = threadIdx.x;
  b[i] = 3 * a[i]; // FINDS output_to_host: uninitialised output
}

static void output_to_host(bool fixed)
{
  int *a = make<int>(64), *h;
  OK(hipHostMalloc(&h, 256));
  if (fixed)
    OK(hipMemset(a, 0, 256));
  triple_kernel<<<1, 64>>>(a, h);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
  OK(hipHostFree(h));
}

__global__ void product_kernel(const float *a, const float *b, float *c)
{
  int i = threadIdx.x;
  float x = a[i];
  float y = b[i] * x;
  c[i] = y + 1; // FINDS output_by_copy: uninitialised output
}

static void output_by_copy(bool fixed)
{
  float *a = make<float>(64), *b = make<float>(64), *c = make<float>(64);
  float h[8192];
  OK(hipMemset(a, 0x41, 256));
  OK(hipMemset(b, 0x41, fixed ? 256 : 128));
  product_kernel<<<1, 64>>>(a, b, c);
  OK(hipMemcpy(h, c, 256, hipMemcpyDeviceToHost));
  OK(hipFree(a));
  OK(hipFree(b));
  OK(hipFree(c));
}

__global__ void pick_kernel(const int *a, int *b)
{
  int i = threadIdx.x;
  if (a[i] > 0) // FINDS copied_first: uninitialised branch
    atomicAdd(b, 1);
}

static void copied_first(bool fixed)
{
  int *from = make<int>(64), *a = make<int>(64), *b = make<int>(1);
  OK(hipMemset(b, 0, 4));
  OK(hipMemset(a, 0, 256));
  OK(hipMemset(from, 0, fixed ? 256 : 128));
  OK(hipMemcpy(a, from, 256, hipMemcpyDeviceToDevice));
  pick_kernel<<<1, 64>>>(a, b);
  OK(hipDeviceSynchronize());
  OK(hipFree(from));
  OK(hipFree(a));
  OK(hipFree(b));
}

__global__ void scale_kernel(const float *a, float *b, float f)
{
  b[threadIdx.x] = a[threadIdx.x] * f + 1;
}

__global__ void clip_kernel(float *b, int *hits)
{
  if (b[threadIdx.x] > 2) // FINDS through_two_kernels: uninitialised branch
    atomicAdd(hits, 1);
}

static void through_two_kernels(bool fixed)
{
  float *a = make<float>(64), *b = make<float>(64);
  int *hits = make<int>(1);
  OK(hipMemset(hits, 0, 4));
  if (fixed)
    OK(hipMemset(a, 0, 256));
  scale_kernel<<<1, 64>>>(a, b, 2);
  clip_kernel<<<1, 64>>>(b, hits);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
  OK(hipFree(b));
  OK(hipFree(hits));
}

__global__ void bits_kernel(const unsigned *a, unsigned *b, unsigned mask)
{
  if (a[threadIdx.x] & mask) // FINDS bit_not_set: uninitialised branch
    atomicAdd(b, 1u);
}

__global__ void low_kernel(unsigned char *a)
{
  a[4 * threadIdx.x] = 1;
}

// Only the low byte of each word is written: a test of another bit is a
// defect, a test of that byte is none.
static void bit_not_set(bool fixed)
{
  unsigned *a = make<unsigned>(64), *b = make<unsigned>(1);
  OK(hipMemset(b, 0, 4));
  low_kernel<<<1, 64>>>((unsigned char *)a);
  bits_kernel<<<1, 64>>>(a, b, fixed ? 0x80 : 0x100);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
  OK(hipFree(b));
}

template <bool FIXED> __global__ void register_kernel(int *b)
{
  int x = 0;
  if (!FIXED)
    asm volatile("v_mov_b32 %0, v77" : "=v"(x) : : "v77");
  b[x & 7] = 1; // FINDS register_never_written: uninitialised address
}

static void register_never_written(bool fixed)
{
  int *b = make<int>(8);
  OK(hipMemset(b, 0, 32));
  if (fixed)
    register_kernel<true><<<1, 1>>>(b);
  else
    register_kernel<false><<<1, 1>>>(b);
  OK(hipDeviceSynchronize());
  OK(hipFree(b));
}

// Writes the row `index` behind v40, and reads v41.
__global__ void moved_kernel(int *b, int index)
{
  int x;
#ifdef __gfx1030__
  asm volatile("s_mov_b32 m0, %1\n"
               "v_movreld_b32 v40, 7\n"
#else
  asm volatile("s_set_gpr_idx_on %1, gpr_idx(DST)\n"
               "v_mov_b32 v40, 7\n"
               "s_set_gpr_idx_off\n"
#endif
               "v_mov_b32 %0, v41\n"
               : "=v"(x)
               : "s"(index)
               : "v40", "v41", "m0");
  if (x == 7) // FINDS moved_elsewhere: uninitialised branch
    atomicAdd(b, 1);
}

static void moved_elsewhere(bool fixed)
{
  int *b = make<int>(1);
  OK(hipMemset(b, 0, 4));
  moved_kernel<<<1, 64>>>(b, fixed ? 1 : 0);
  OK(hipDeviceSynchronize());
  OK(hipFree(b));
}

const std::map<std::string, std::function<void(bool)>> cases = {
    CASE(branch_on_memory),   CASE(loop_bound),
    CASE(output_by_copy),
    CASE(index_from_memory),  CASE(counter_not_zeroed),
    CASE(shared_not_filled),  CASE(shared_index),
    CASE(private_not_filled), CASE(output_to_host),
    CASE(copied_first),       CASE(through_two_kernels),
    CASE(bit_not_set),        CASE(register_never_written),
    CASE(moved_elsewhere),
};
