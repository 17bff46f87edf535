// SPDX-License-Identifier: MIT
// NaNs, infinities and flushed denormals (--check=float), a case each with a
// fixed twin (sites.hpp). Fixed ones make such values, too, that never reach
// memory.
#include "sites.hpp"
#include <hip/hip_fp16.h>

// Runs a kernel on N inputs that are all `value`.
template <class T, class KERNEL> static void on_values(KERNEL kernel, T value)
{
  std::vector<T> h(N, value);
  T *a = make<T>(N), *b = make<T>(N);
  OK(hipMemcpy(a, h.data(), N * sizeof(T), hipMemcpyHostToDevice));
  kernel<<<N / 64, 64>>>(a, b);
  OK(hipDeviceSynchronize());
  OK(hipFree(a));
  OK(hipFree(b));
}

#define ITEM int i = blockIdx.x * blockDim.x + threadIdx.x

__global__ void one_by(const float *a, float *b)
{
  ITEM;
  b[i] = 1 / a[i]; // FINDS division_by_zero: infinity
}
static void division_by_zero(bool fixed)
{
  on_values(one_by, fixed ? 3.0f : 0.0f);
}

__global__ void part_of_sum(const float *a, float *b)
{
  ITEM;
  b[i] = a[i] / (a[i] + a[N - 1 - i]); // FINDS zero_by_zero: NaN
}
static void zero_by_zero(bool fixed)
{
  on_values(part_of_sum, fixed ? 3.0f : 0.0f);
}

__global__ void squared(const float *a, float *b)
{
  ITEM;
  b[i] = a[i] * a[i] + 1; // FINDS product_overflows: infinity
}
static void product_overflows(bool fixed)
{
  on_values(squared, fixed ? 1e18f : 1e30f);
}

__global__ void narrowed(const float *a, float *b)
{
  ITEM;
  ((__half *)b)[i] = __float2half(a[i]); // FINDS half_too_small: infinity
}
static void half_too_small(bool fixed)
{
  on_values(narrowed, fixed ? 60000.0f : 70000.0f);
}

__global__ void half_sum(const __half *a, __half *b)
{
  ITEM;
  b[i] = __hadd(a[i], a[N - 1 - i]); // FINDS half_overflows: infinity
}
static void half_overflows(bool fixed)
{
  on_values(half_sum, __half(fixed ? 1000.0f : 60000.0f));
}

__global__ void root(const float *a, float *b)
{
  ITEM;
  b[i] = sqrtf(a[i]); // FINDS root_of_negative: NaN
}
static void root_of_negative(bool fixed)
{
  on_values(root, fixed ? 0.0f : -2.0f);
}

__global__ void logarithm(const double *a, double *b)
{
  ITEM;
  b[i] = 1 / a[i] + 1; // FINDS double_division_by_zero: infinity
}
static void double_division_by_zero(bool fixed)
{
  on_values(logarithm, fixed ? 2.0 : 0.0);
}

// 1 / (1 + exp(88)) is 0, whatever exp makes; its logarithm is not.
template <bool FIXED> __global__ void sigmoid(const float *a, float *b)
{
  ITEM;
  float y = 1 / (1 + __expf(-a[i]));
  if (FIXED)
    b[i] = y;
  else
    b[i] = __logf(y); // FINDS logarithm_of_sigmoid: infinity
}
static void logarithm_of_sigmoid(bool fixed)
{
  on_values(fixed ? sigmoid<true> : sigmoid<false>, -120.0f);
}

// The largest value of a row without values is -inf.
__global__ void softmax(const float *a, float *b)
{
  ITEM;
  float most = fmaxf(a[i], a[N - 1 - i]);
  b[i] = __expf(a[i] - most); // FINDS softmax_of_nothing: NaN of infinities
}
static void softmax_of_nothing(bool fixed)
{
  on_values(softmax, fixed ? -1.0f : -INFINITY);
}

// Through other lanes, LDS and a scalar register.
__global__ void shared_sum(const float *a, float *b)
{
  __shared__ float box[64];
  ITEM;
  float x = __shfl_xor(a[i] * 2e38f, 1); // FINDS seen_in_shared: infinity
  box[threadIdx.x] = __shfl(x, 0);
  __syncthreads();
  b[i] = box[63 - threadIdx.x];
}
static void seen_in_shared(bool fixed)
{
  on_values(shared_sum, fixed ? 1.0f : 4.0f);
}

typedef float f32x16 __attribute__((ext_vector_type(16)));
__global__ void matrix(const float *a, float *b)
{
  f32x16 sum = {0};
  int l = threadIdx.x;
  if (blockIdx.x > 0)
    return;
  sum = __builtin_amdgcn_mfma_f32_32x32x2f32(a[l], a[63 - l], sum, 0, 0, 0); // FINDS matrix_overflows: infinity
  for (int k = 0; k < 4; k++)
    b[64 * k + l] = sum[k];
}
static void matrix_overflows(bool fixed)
{
  on_values(matrix, fixed ? 2.0f : 1e20f);
}

template <bool FIXED> __global__ void tiny(const float *a, float *b)
{
  ITEM;
  float x = a[i];
  if (!FIXED)
    asm volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0\n s_nop 2"
                 : "+v"(x));
  x *= 0.25f; // FINDS denormal_flushed: flushed denormal
  asm volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3\n s_nop 2"
               : "+v"(x));
  b[i] = x;
}
static void denormal_flushed(bool fixed)
{
  on_values(fixed ? tiny<true> : tiny<false>, 1.5e-38f);
}

const std::map<std::string, std::function<void(bool)>> cases = {
    CASE(division_by_zero),
    CASE(zero_by_zero),
    CASE(product_overflows),
    CASE(half_too_small),
    CASE(half_overflows),
    CASE(root_of_negative),
    CASE(double_division_by_zero),
    CASE(logarithm_of_sigmoid),
    CASE(softmax_of_nothing),
    CASE(seen_in_shared),
    CASE(matrix_overflows),
    CASE(denormal_flushed),
};
