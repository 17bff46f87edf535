/* SPDX-License-Identifier: MIT */
/*
 * One kernel a matrix instruction: each lane loads its registers of A, B and C,
 * and stores its registers of D. Without C: the constant 0 or 1 stands for it.
 */
#define GLOBAL       __attribute__((address_space(1)))
#define VEC(type, n) type __attribute__((ext_vector_type(n)))

typedef long long i64;
typedef float f32;
typedef double f64;
typedef VEC(float, 2) f32x2;
typedef VEC(float, 4) f32x4;
typedef VEC(float, 16) f32x16;
typedef VEC(float, 32) f32x32;
typedef VEC(double, 4) f64x4;
typedef VEC(_Float16, 4) f16x4;
typedef VEC(short, 2) i16x2;
typedef VEC(short, 4) i16x4;
typedef VEC(int, 4) i32x4;
typedef VEC(int, 16) i32x16;
typedef VEC(int, 32) i32x32;

#define MATRIX_WITH(name, builtin, AB, CD, C, ...)                             \
  __attribute__((amdgpu_kernel)) void name(const GLOBAL AB *a,                 \
                                           const GLOBAL AB *b,                 \
                                           const GLOBAL CD *c, GLOBAL CD *d)   \
  {                                                                            \
    const unsigned l = __builtin_amdgcn_workitem_id_x();                       \
    (void)c;                                                                   \
    d[l] = __builtin_amdgcn_mfma_##builtin(a[l], b[l], C, __VA_ARGS__);        \
  }
#define MATRIX(name, builtin, AB, CD)                                          \
  MATRIX_WITH(name, builtin, AB, CD, c[l], 0, 0, 0)

#if defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__)
MATRIX(m_32x32x1f32, f32_32x32x1f32, f32, f32x32)
MATRIX(m_16x16x1f32, f32_16x16x1f32, f32, f32x16)
MATRIX(m_4x4x1f32, f32_4x4x1f32, f32, f32x4)
MATRIX(m_32x32x2f32, f32_32x32x2f32, f32, f32x16)
MATRIX(m_16x16x4f32, f32_16x16x4f32, f32, f32x4)
MATRIX(m_32x32x4f16, f32_32x32x4f16, f16x4, f32x32)
MATRIX(m_16x16x4f16, f32_16x16x4f16, f16x4, f32x16)
MATRIX(m_4x4x4f16, f32_4x4x4f16, f16x4, f32x4)
MATRIX(m_32x32x8f16, f32_32x32x8f16, f16x4, f32x16)
MATRIX(m_16x16x16f16, f32_16x16x16f16, f16x4, f32x4)
MATRIX(m_32x32x4i8, i32_32x32x4i8, int, i32x32)
MATRIX(m_16x16x4i8, i32_16x16x4i8, int, i32x16)
MATRIX(m_4x4x4i8, i32_4x4x4i8, int, i32x4)
#endif

#if defined(__gfx908__) || defined(__gfx90a__)
MATRIX(m_32x32x2bf16, f32_32x32x2bf16, i16x2, f32x32)
MATRIX(m_16x16x2bf16, f32_16x16x2bf16, i16x2, f32x16)
MATRIX(m_4x4x2bf16, f32_4x4x2bf16, i16x2, f32x4)
MATRIX(m_32x32x4bf16, f32_32x32x4bf16, i16x2, f32x16)
MATRIX(m_16x16x8bf16, f32_16x16x8bf16, i16x2, f32x4)
MATRIX(m_32x32x8i8, i32_32x32x8i8, int, i32x16)
MATRIX(m_16x16x16i8, i32_16x16x16i8, int, i32x4)
#endif

#if defined(__gfx90a__) || defined(__gfx942__)
MATRIX(m_32x32x4bf16_1k, f32_32x32x4bf16_1k, i16x4, f32x32)
MATRIX(m_16x16x4bf16_1k, f32_16x16x4bf16_1k, i16x4, f32x16)
MATRIX(m_4x4x4bf16_1k, f32_4x4x4bf16_1k, i16x4, f32x4)
MATRIX(m_32x32x8bf16_1k, f32_32x32x8bf16_1k, i16x4, f32x16)
MATRIX(m_16x16x16bf16_1k, f32_16x16x16bf16_1k, i16x4, f32x4)
MATRIX(m_16x16x4f64, f64_16x16x4f64, f64, f64x4)
MATRIX(m_4x4x4f64, f64_4x4x4f64, f64, f64)
#endif

#if defined(__gfx942__)
MATRIX(m_32x32x16_i8, i32_32x32x16_i8, i64, i32x16)
MATRIX(m_16x16x32_i8, i32_16x16x32_i8, i64, i32x4)
MATRIX(m_16x16x8_xf32, f32_16x16x8_xf32, f32x2, f32x4)
MATRIX(m_32x32x4_xf32, f32_32x32x4_xf32, f32x2, f32x16)
MATRIX(m_16x16x32_bf8_bf8, f32_16x16x32_bf8_bf8, i64, f32x4)
MATRIX(m_16x16x32_bf8_fp8, f32_16x16x32_bf8_fp8, i64, f32x4)
MATRIX(m_16x16x32_fp8_bf8, f32_16x16x32_fp8_bf8, i64, f32x4)
MATRIX(m_16x16x32_fp8_fp8, f32_16x16x32_fp8_fp8, i64, f32x4)
MATRIX(m_32x32x16_bf8_bf8, f32_32x32x16_bf8_bf8, i64, f32x16)
MATRIX(m_32x32x16_bf8_fp8, f32_32x32x16_bf8_fp8, i64, f32x16)
MATRIX(m_32x32x16_fp8_bf8, f32_32x32x16_fp8_bf8, i64, f32x16)
MATRIX(m_32x32x16_fp8_fp8, f32_32x32x16_fp8_fp8, i64, f32x16)
#endif

/* A of one block for several, B of other lanes, C a constant. */
#define SELECT(cbsz, abid, blgp)                                               \
  MATRIX_WITH(s_##cbsz##_##abid##_##blgp, f32_4x4x1f32, f32, f32x4, c[l],      \
              cbsz, abid, blgp)
SELECT(1, 0, 0)
SELECT(1, 1, 3)
SELECT(2, 3, 1)
SELECT(3, 5, 2)
SELECT(4, 9, 0)
SELECT(0, 0, 4)
SELECT(0, 0, 5)
SELECT(0, 0, 6)
SELECT(0, 0, 7)
MATRIX_WITH(c_zero, f32_32x32x2f32, f32, f32x16, (f32x16)0, 0, 0, 0)
MATRIX_WITH(c_one, f32_16x16x4f32, f32, f32x4, (f32x4)1, 0, 0, 0)
#if !defined(__gfx908__)
MATRIX_WITH(c_zero_f64, f64_16x16x4f64, f64, f64x4, (f64x4)0, 0, 0, 0)
MATRIX_WITH(c_one_f64, f64_16x16x4f64, f64, f64x4, (f64x4)1, 0, 0, 0)
#endif
#if defined(__gfx942__)
MATRIX_WITH(n_a, f64_16x16x4f64, f64, f64x4, c[l], 0, 0, 1)
MATRIX_WITH(n_b, f64_4x4x4f64, f64, f64, c[l], 0, 0, 2)
MATRIX_WITH(n_abc, f64_16x16x4f64, f64, f64x4, c[l], 0, 0, 7)
#endif
