/* SPDX-License-Identifier: MIT */
/* Checks of librocblas.so: its values, its own functions, and some that
 * libhipblas.so has, too. */
#include <string.h>

#include "dropin/blas/check_blas.h"

/* No header declares them. */
int rocblas_create_handle(void **handle);
int rocblas_destroy_handle(void *handle);
int rocblas_set_stream(void *handle, void *stream);
int rocblas_set_pointer_mode(void *handle, int mode);
const char *rocblas_status_to_string(int status);
int rocblas_sgemm(void *handle, int op_a, int op_b, int m, int n, int k,
                  const float *alpha, const float *a, int lda, const float *b,
                  int ldb, const float *beta, float *c, int ldc);
int rocblas_dgemm_strided_batched(void *handle, int op_a, int op_b, int m,
                                  int n, int k, const double *alpha,
                                  const double *a, int lda, int64_t stride_a,
                                  const double *b, int ldb, int64_t stride_b,
                                  const double *beta, double *c, int ldc,
                                  int64_t stride_c, int count);
#define GEMMS_EX(I, X)                                                         \
  int rocblas_gemm_ex##X(                                                      \
      void *handle, int op_a, int op_b, I m, I n, I k, const void *alpha,      \
      const void *a, int a_type, I lda, const void *b, int b_type, I ldb,      \
      const void *beta, const void *c, int c_type, I ldc, void *d, int d_type, \
      I ldd, int compute_type, int algo, int32_t solution, uint32_t flags);    \
  int rocblas_gemm_batched_ex##X(                                              \
      void *handle, int op_a, int op_b, I m, I n, I k, const void *alpha,      \
      const void *a, int a_type, I lda, const void *b, int b_type, I ldb,      \
      const void *beta, const void *c, int c_type, I ldc, void *d, int d_type, \
      I ldd, I count, int compute_type, int algo, int32_t solution,            \
      uint32_t flags);                                                         \
  int rocblas_gemm_strided_batched_ex##X(                                      \
      void *handle, int op_a, int op_b, I m, I n, I k, const void *alpha,      \
      const void *a, int a_type, I lda, int64_t stride_a, const void *b,       \
      int b_type, I ldb, int64_t stride_b, const void *beta, const void *c,    \
      int c_type, I ldc, int64_t stride_c, void *d, int d_type, I ldd,         \
      int64_t stride_d, I count, int compute_type, int algo, int32_t solution, \
      uint32_t flags);
GEMMS_EX(int, )
GEMMS_EX(int64_t, _64)
int rocblas_strsm(void *handle, int side, int fill, int op, int diagonal, int m,
                  int n, const float *alpha, const float *a, int lda, float *b,
                  int ldb);
int rocblas_ddot(void *handle, int n, const double *x, int incx,
                 const double *y, int incy, double *result);
int rocblas_isamax(void *handle, int n, const float *x, int incx, int *result);

enum { NONE = 111, TRANSPOSE = 112, F16_TYPE = 150, F32_TYPE = 151, N = 6 };

enum { PROBLEM = N * N, PROBLEMS = 3 };

static int gemm_ex_call(void *h, form f, bool wide, const void *const at[4])
{
  const float one = 1, minus = -1;
#define PLAIN(m) at[m], F16_TYPE, N
#define STEPS(m) at[m], F16_TYPE, N, PROBLEM
#define D_AT     (void *)(uintptr_t)at[3], F16_TYPE, N
#define CALL(X)                                                                \
  f == ONE ? rocblas_gemm_ex##X(h, NONE, TRANSPOSE, N, N, N, &one, PLAIN(0),   \
                                PLAIN(1), &minus, PLAIN(2), D_AT, F32_TYPE, 0, \
                                0, 0)                                          \
  : f == POINTERS                                                              \
      ? rocblas_gemm_batched_ex##X(h, NONE, TRANSPOSE, N, N, N, &one,          \
                                   PLAIN(0), PLAIN(1), &minus, PLAIN(2), D_AT, \
                                   PROBLEMS, F32_TYPE, 0, 0, 0)                \
      : rocblas_gemm_strided_batched_ex##X(                                    \
            h, NONE, TRANSPOSE, N, N, N, &one, STEPS(0), STEPS(1), &minus,     \
            STEPS(2), D_AT, PROBLEM, PROBLEMS, F32_TYPE, 0, 0, 0)
  return wide ? CALL(_64) : CALL();
#undef CALL
}

/* D = A B^T - C, in f16, with f32 scalars: C stays as it is. */
static void gemm_ex(void *h, form f, bool wide)
{
  const int problems = f == ONE ? 1 : PROBLEMS;
  array m[4], pointers[4];
  double kept[PROBLEM * PROBLEMS];
  const void *at[4];
  for (int i = 0; i < 4; i++) {
    m[i] = array_make(F16, PROBLEM * PROBLEMS);
    array_randomize(&m[i]);
    pointers[i] = array_pointers(&m[i], PROBLEMS, PROBLEM);
    at[i] = f == POINTERS ? pointers[i].device : m[i].device;
  }
  memcpy(kept, m[2].host, sizeof kept);
  expect(gemm_ex_call(h, f, wide, at) == 0, "gemm_ex");
  hipDeviceSynchronize();
  array_download(&m[2]);
  array_download(&m[3]);
  for (int i = 0; i < problems * PROBLEM; i++) {
    const double *a = m[0].host + i / PROBLEM * PROBLEM,
                 *b = m[1].host + i / PROBLEM * PROBLEM;
    double right = -kept[i];
    for (int k = 0; k < N; k++)
      right += a[i % N + k * N] * b[i % PROBLEM / N + k * N];
    expect(same(m[3].host[i], right) && same(m[2].host[i], kept[i]),
           "gemm_ex, form %d: D %g, not %g; C %g, not %g", (int)f, m[3].host[i],
           right, m[2].host[i], kept[i]);
  }
  for (int i = 0; i < 4; i++) {
    array_fini(&m[i]);
    array_fini(&pointers[i]);
  }
}

static void strided(void *h)
{
  enum { COUNT = 3, SIZE = N * N + 1 };
  const double two = 2, zero = 0;
  array a = array_make(F64, COUNT * SIZE), b = array_make(F64, COUNT * SIZE),
        c = array_make(F64, COUNT * SIZE);
  array_randomize(&a);
  array_randomize(&b);
  array_fill(&c, 7);
  expect(rocblas_dgemm_strided_batched(h, TRANSPOSE, NONE, N, N, N, &two,
                                       a.device, N, SIZE, b.device, N, SIZE,
                                       &zero, c.device, N, SIZE, COUNT) == 0,
         "dgemm_strided_batched");
  hipDeviceSynchronize();
  array_download(&c);
  for (int i = 0; i < COUNT * SIZE; i++) {
    const int inside = i % SIZE;
    const double *at_a = a.host + i / SIZE * SIZE,
                 *at_b = b.host + i / SIZE * SIZE;
    double right = inside < N * N ? 0 : 7;
    for (int k = 0; k < N && inside < N * N; k++)
      right += 2 * at_a[k + inside % N * N] * at_b[k + inside / N * N];
    expect(same(c.host[i], right), "element %d is %g, not %g", i, c.host[i],
           right);
  }
  array_fini(&a);
  array_fini(&b);
  array_fini(&c);
}

/* Solves with twice the unit matrix; then the largest of the solution. */
static void others(void *h)
{
  const float one = 1;
  array a = array_make(F32, N * N), b = array_make(F32, N);
  array x = array_make(F64, N), result = array_make(F64, 1);
  int largest;
  array_fill(&a, 0);
  for (int i = 0; i < N; i++) {
    a.host[i + i * N] = 2;
    b.host[i] = i == 3 ? -20 : i;
    x.host[i] = i;
  }
  array_upload(&a);
  array_upload(&b);
  array_upload(&x);
  expect(rocblas_strsm(h, 141, 121, NONE, 131, N, 1, &one, a.device, N,
                       b.device, N) == 0,
         "strsm");
  expect(rocblas_isamax(h, N, b.device, 1, &largest) == 0 && largest == 4,
         "isamax: %d", largest);
  array_download(&b);
  for (int i = 0; i < N; i++)
    expect(b.host[i] == (i == 3 ? -10 : i / 2.0), "strsm: element %d is %g", i,
           b.host[i]);
  rocblas_set_pointer_mode(h, 1);
  expect(rocblas_ddot(h, N, x.device, 1, x.device, 1, result.device) == 0,
         "ddot");
  rocblas_set_pointer_mode(h, 0);
  hipDeviceSynchronize();
  array_download(&result);
  expect(result.host[0] == 55, "ddot: %g", result.host[0]);
  array_fini(&a);
  array_fini(&b);
  array_fini(&x);
  array_fini(&result);
}

void check_rocblas(void)
{
  const float one = 1;
  void *h;
  expect(rocblas_create_handle(NULL) == 3, "no place for a handle");
  expect(rocblas_create_handle(&h) == 0, "create_handle");
  for (form f = ONE; f <= STRIDED; f++) {
    gemm_ex(h, f, false);
    gemm_ex(h, f, true);
  }
  strided(h);
  others(h);
  expect(rocblas_sgemm(NULL, NONE, NONE, 1, 1, 1, &one, &one, 1, &one, 1, &one,
                       NULL, 1) == 1,
         "no handle");
  expect(rocblas_sgemm(h, NONE, NONE, 2, 1, 1, &one, &one, 1, &one, 1, &one,
                       NULL, 2) == 4,
         "a leading dimension");
  expect(rocblas_sgemm(h, NONE, NONE, 1, 1, 1, NULL, NULL, 1, NULL, 1, &one,
                       NULL, 1) == 3,
         "no alpha");
  expect(rocblas_sgemm(h, 5, NONE, 1, 1, 1, &one, NULL, 1, NULL, 1, &one, NULL,
                       1) == 11,
         "an operation");
  expect(strcmp(rocblas_status_to_string(4), "rocblas_status_invalid_size") ==
             0,
         "status_to_string");
  expect(rocblas_destroy_handle(h) == 0, "destroy_handle");
  check_end("rocBLAS");
}
