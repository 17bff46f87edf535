// SPDX-License-Identifier: MIT
// Matrix instructions between which the compiler puts s_nop: their results as A,
// as C in other registers, in vector instructions and in stores.
// test_waits.sh weakens each of them.
typedef float f4 __attribute__((ext_vector_type(4)));
typedef float f16 __attribute__((ext_vector_type(16)));
typedef double d4 __attribute__((ext_vector_type(4)));

#define MFMA(name, a, b, c) __builtin_amdgcn_mfma_##name(a, b, c, 0, 0, 0)

#define KERNEL(kernel_name, VECTOR, N, MATRIX)                                 \
  kernel void kernel_name(global float *a, global float *b)                    \
  {                                                                            \
    int i = __builtin_amdgcn_workitem_id_x();                                  \
    float x = b[i], y = b[63 - i];                                             \
    VECTOR sum = 0;                                                            \
    sum = MFMA(MATRIX, x, y, sum);                                             \
    sum = MFMA(MATRIX, sum[1], y, sum);                                        \
    sum = MFMA(MATRIX, x, sum[N - 1] + 1, sum);                                \
    for (int k = 0; k < 4; k++)                                                \
      a[64 * k + i] = sum[k];                                                  \
  }

KERNEL(small_products, f4, 4, f32_4x4x1f32)
KERNEL(middle_products, f4, 4, f32_16x16x4f32)
KERNEL(large_products, f16, 16, f32_32x32x2f32)

#ifdef DOUBLES
kernel void double_products(global double *a, global double *b)
{
  int i = __builtin_amdgcn_workitem_id_x() & 15;
  double x = b[i], y = b[15 - i];
  double one = MFMA(f64_4x4x4f64, x, y, x);
  d4 sum = {one, x, y, 1};
  sum = MFMA(f64_16x16x4f64, one, y, sum);
  sum = MFMA(f64_16x16x4f64, sum[3], y, sum);
  a[i] = sum[0] + x;
}
#else
kernel void double_products(global double *a, global double *b)
{
  a[0] = b[0];
}
#endif
