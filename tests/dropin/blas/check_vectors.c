/* SPDX-License-Identifier: MIT */
/* Checks of vectors, of refused calls, and of copies. */
#include <math.h>
#include <stdlib.h>

#include "dropin/blas/check_blas.h"

/* It has no declaration in the header. */
hipblasStatus_t hipblasCgemm(hipblasHandle_t handle, ...);

enum {
  COUNT = 300,
  STEP = 1000
}; /* elements, and between vectors of a batch */

typedef enum operation {
  AXPY,
  SCAL,
  COPY,
  SWAP,
  DOT,
  NRM2,
  ASUM,
  AMAX,
  AMIN,
  OPERATIONS
} operation;

static const char *const names[] = {"axpy", "scal", "copy", "swap", "dot",
                                    "nrm2", "asum", "amax", "amin"};

typedef struct vectors {
  operation op;
  element type;
  form form;
  int n, incx, incy, count;
  double alpha;
  bool on_device; /* scalars and results */
  array x, y, result;
} vectors;

static hipblasStatus_t vectors_call(hipblasHandle_t h, const vectors *v,
                                    const void *alpha, void *x, void *y,
                                    void *result)
{
#define X_ONE  x, v->incx
#define Y_ONE  y, v->incy
#define X_STEP x, v->incx, STEP
#define Y_STEP y, v->incy, STEP
#define ALL    , v->count
#define CALLS(S, L, FORM, X, Y, N)                                             \
  switch (v->op) {                                                             \
  case AXPY:                                                                   \
    return hipblas##S##axpy##FORM(h, v->n, alpha, X, Y N);                     \
  case SCAL:                                                                   \
    return hipblas##S##scal##FORM(h, v->n, alpha, X N);                        \
  case COPY:                                                                   \
    return hipblas##S##copy##FORM(h, v->n, X, Y N);                            \
  case SWAP:                                                                   \
    return hipblas##S##swap##FORM(h, v->n, X, Y N);                            \
  case DOT:                                                                    \
    return hipblas##S##dot##FORM(h, v->n, X, Y N, result);                     \
  case NRM2:                                                                   \
    return hipblas##S##nrm2##FORM(h, v->n, X N, result);                       \
  case ASUM:                                                                   \
    return hipblas##S##asum##FORM(h, v->n, X N, result);                       \
  case AMAX:                                                                   \
    return hipblasI##L##amax##FORM(h, v->n, X N, result);                      \
  default:                                                                     \
    return hipblasI##L##amin##FORM(h, v->n, X N, result);                      \
  }
#define FORMS(S, L)                                                            \
  if (v->form == ONE)                                                          \
    CALLS(S, L, , X_ONE, Y_ONE, )                                              \
  else if (v->form == POINTERS)                                                \
    CALLS(S, L, Batched, X_ONE, Y_ONE, ALL)                                    \
  else                                                                         \
    CALLS(S, L, StridedBatched, X_STEP, Y_STEP, ALL)
  if (v->type == F32)
    FORMS(S, s)
  else
    FORMS(D, d)
}

static double *vector_at(array *a, int problem, int i, int n, int inc)
{
  const long at = inc < 0 ? (long)(i + 1 - n) * inc : (long)i * inc;
  return &a->host[(long)problem * STEP + at];
}

/* The result, or what becomes of x and y on the host. */
static double vectors_reference(vectors *v, int p)
{
  double sum = 0, best = 0;
  int place = 0;
  for (int i = 0; i < v->n; i++) {
    double *x = vector_at(&v->x, p, i, v->n, v->incx),
           *y = vector_at(&v->y, p, i, v->n, v->incy);
    const double kept = *x, size = fabs(*x);
    switch (v->op) {
    case AXPY:
      *y += v->alpha == 0 ? 0 : v->alpha * *x;
      break;
    case SCAL:
      *x *= v->alpha;
      break;
    case SWAP:
      *x = *y;
      *y = kept;
      break;
    case COPY:
      *y = *x;
      break;
    case DOT:
      sum += *x * *y;
      break;
    case NRM2:
      sum += *x * *x;
      break;
    case ASUM:
      sum += size;
      break;
    case AMAX:
    case AMIN:
      if (i == 0 || (v->op == AMAX ? size > best : size < best)) {
        best = size;
        place = i + 1;
      }
      break;
    default:
      break;
    }
  }
  return v->op == NRM2 ? sqrt(sum) : v->op >= AMAX ? place : sum;
}

/* x, y and the results of the device must equal the host's. */
static void vectors_expect(vectors *v)
{
  array x = array_make(v->type, v->x.count),
        y = array_make(v->type, v->y.count);
  hipMemcpy(x.device, v->x.device, x.count * element_size(x.type), ON_DEVICE);
  hipMemcpy(y.device, v->y.device, y.count * element_size(y.type), ON_DEVICE);
  array_download(&x);
  array_download(&y);
  for (int p = 0; p < v->count; p++) {
    const double right = vectors_reference(v, p);
    if (v->op >= DOT)
      expect(fabs(v->result.host[p] - right) <= fabs(right) * 1e-6,
             "%s: %g, not %g", names[v->op], v->result.host[p], right);
  }
  for (size_t i = 0; i < x.count; i++)
    expect(same(x.host[i], v->x.host[i]) && same(y.host[i], v->y.host[i]),
           "%s: element %zu: %g %g, not %g %g", names[v->op], i, x.host[i],
           y.host[i], v->x.host[i], v->y.host[i]);
  array_fini(&x);
  array_fini(&y);
}

static void vectors_run(hipblasHandle_t h, vectors *v)
{
  scalar alpha;
  double results[8];
  const size_t size = (size_t)(v->count * STEP);
  v->x = array_make(v->type, size);
  v->y = array_make(v->type, size);
  v->result = array_make(v->op >= AMAX ? I32 : v->type, (size_t)v->count);
  array_randomize(&v->x);
  array_randomize(&v->y);
  array px = array_pointers(&v->x, (size_t)v->count, STEP),
        py = array_pointers(&v->y, (size_t)v->count, STEP);
  hipblasSetPointerMode(h, (hipblasPointerMode_t)v->on_device);
  const void *at = scalar_make(&alpha, v->type, v->alpha, v->on_device);
  const bool indirect = v->form == POINTERS;
  const hipblasStatus_t status =
      vectors_call(h, v, at, indirect ? px.device : v->x.device,
                   indirect ? py.device : v->y.device,
                   v->on_device ? v->result.device : results);
  hipblasSetPointerMode(h, HIPBLAS_POINTER_MODE_HOST);
  expect(status == HIPBLAS_STATUS_SUCCESS, "%s: status %d", names[v->op],
         status);
  hipDeviceSynchronize();
  if (v->op >= DOT && v->on_device)
    array_download(&v->result);
  else
    for (int i = 0; v->op >= DOT && i < v->count; i++)
      v->result.host[i] = element_get(v->result.type, results, (size_t)i);
  vectors_expect(v);
  scalar_fini(&alpha);
  array_fini(&px);
  array_fini(&py);
  array_fini(&v->x);
  array_fini(&v->y);
  array_fini(&v->result);
}

void check_vectors(hipblasHandle_t h)
{
  static const int incs[][2] = {{1, 1}, {2, 3}, {-1, 2}, {3, -1}};
  static const int counts[] = {COUNT, 1, 0};
  int turn = 0;
  for (int op = 0; op < OPERATIONS; op++) {
    const bool second = op == AXPY || op == COPY || op == SWAP || op == DOT;
    for (int type = F32; type <= F64; type++)
      for (int f = ONE; f <= STRIDED; f++)
        for (int i = 0; i < 4; i++, turn++) {
          vectors v = {.op = (operation)op,
                       .type = (element)type,
                       .form = (form)f,
                       .n = counts[turn % 4 < 2 ? 0 : turn % 3],
                       .incx = second ? incs[i][0] : abs(incs[i][0]),
                       .incy = incs[i][1],
                       .count = f == ONE ? 1 : 3,
                       .alpha = turn % 3 - 1,
                       .on_device = turn / 2 % 2};
          vectors_run(h, &v);
        }
    check_end(names[op]);
  }
}

/* ---- 16-bit vectors, ranges and NaNs ---- */

static void nrm2_ranges(hipblasHandle_t h)
{
  static const struct {
    element type;
    double size;
  } cases[] = {{F32, 1e30}, {F32, 1e-30}, {F64, 1e200}, {F64, 1e-200}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    array x = array_make(cases[i].type, 2);
    double result[1];
    x.host[0] = 3 * cases[i].size;
    x.host[1] = 4 * cases[i].size;
    array_upload(&x);
    if (x.type == F32)
      hipblasSnrm2(h, 2, x.device, 1, (float *)result);
    else
      hipblasDnrm2(h, 2, x.device, 1, result);
    const double got = element_get(x.type, result, 0);
    expect(fabs(got / cases[i].size - 5) < 1e-5, "nrm2 of %g: %g",
           cases[i].size, got);
    array_fini(&x);
  }
}

static void nans(hipblasHandle_t h)
{
  array x = array_make(F32, 4);
  float result;
  int number;
  array_fill(&x, 1);
  x.host[1] = (double)NAN;
  x.host[3] = -7;
  array_upload(&x);
  hipblasSnrm2(h, 4, x.device, 1, &result);
  expect(isnan(result), "nrm2 of a NaN: %g", (double)result);
  hipblasSasum(h, 4, x.device, 1, &result);
  expect(isnan(result), "asum of a NaN: %g", (double)result);
  hipblasIsamax(h, 4, x.device, 1, &number);
  expect(number == 4, "amax beside a NaN: %d", number);
  x.host[0] = (double)NAN;
  array_upload(&x);
  hipblasIsamin(h, 4, x.device, 1, &number);
  expect(number == 1, "amin behind a NaN: %d", number);
  x.host[1] = x.host[2] = x.host[0] = (double)INFINITY;
  array_upload(&x);
  hipblasSnrm2(h, 4, x.device, 1, &result);
  expect(isinf(result), "nrm2 of infinities: %g", (double)result);
  array_fini(&x);
}

/* The functions of one type for 16 bits, and names that end in _64. */
static void other_names(hipblasHandle_t h)
{
  enum { COUNT_64 = 5, BATCH = 2, PART = 8 };
  array x = array_make(F16, PART * BATCH), y = array_make(F16, PART * BATCH),
        b = array_make(BF16, PART), f = array_make(F32, PART);
  hipblasHalf minus, dot;
  hipblasBfloat16 square;
  int64_t place[2] = {0, -1};
  double right = 0, right_square = 0;
  array_randomize(&x);
  array_randomize(&y);
  array_randomize(&b);
  array_fill(&f, 1);
  f.host[3] = -2;
  array_upload(&f);
  for (int i = 0; i < COUNT_64; i++) {
    right += x.host[i] * y.host[i];
    right_square += b.host[i] * b.host[i];
  }
  element_put(F16, &minus, 0, -1);
  expect(hipblasHdot(h, COUNT_64, x.device, 1, y.device, 1, &dot) == 0 &&
             element_get(F16, &dot, 0) == right,
         "Hdot");
  expect(hipblasBfdot_64(h, COUNT_64, b.device, 1, b.device, 1, &square) == 0 &&
             element_get(BF16, &square, 0) == right_square,
         "Bfdot_64");
  expect(hipblasIsamax_64(h, PART, f.device, 1, place) == 0 && place[0] == 4 &&
             place[1] == -1,
         "Isamax_64: %ld", (long)place[0]);
  expect(hipblasHaxpy(h, COUNT_64, &minus, x.device, 1, y.device, 1) == 0,
         "Haxpy");
  /* Once more, in a batch, so that the first vector has it twice. */
  expect(hipblasAxpyStridedBatchedEx_v2_64(h, COUNT_64, &minus, 2, x.device, 2,
                                           1, PART, y.device, 2, 1, PART, BATCH,
                                           0) == 0,
         "AxpyStridedBatchedEx_v2_64");
  array sums = array_make(F16, y.count);
  hipMemcpy(sums.device, y.device, y.count * 2, ON_DEVICE);
  array_download(&sums);
  for (size_t i = 0; i < y.count; i++) {
    const double times = i % PART >= COUNT_64 ? 0 : i < PART ? 2 : 1;
    expect(same(sums.host[i], y.host[i] - times * x.host[i]),
           "axpy: element %zu is %g", i, sums.host[i]);
  }
  array_fini(&x);
  array_fini(&y);
  array_fini(&b);
  array_fini(&f);
  array_fini(&sums);
}

void check_vectors_ex(hipblasHandle_t h)
{
  enum { N = 20 };
  static const struct {
    element type;
    int number, older;
  } types[] = {{F16, 2, HIPBLAS_R_16F}, {BF16, 14, HIPBLAS_R_16B}};
  const float minus = -2;
  for (size_t t = 0; t < 2; t++) {
    const element type = types[t].type;
    const int f32 = HIPBLAS_R_32F;
    array x = array_make(type, N), y = array_make(type, N);
    uint16_t result;
    double dot = 0, squares = 0;
    array_randomize(&x);
    array_randomize(&y);
    hipblasStatus_t status =
        hipblasDotEx(h, N, x.device, types[t].number, 1, y.device,
                     types[t].number, 1, &result, types[t].number, 0);
    for (int i = 0; i < N; i++) {
      dot += x.host[i] * y.host[i];
      squares += x.host[i] * x.host[i];
    }
    expect(status == 0 && same(element_get(type, &result, 0), dot), "DotEx");
    status = hipblasNrm2Ex(h, N, x.device, types[t].older, 1, &result,
                           types[t].older, f32);
    expect(status == 0 &&
               fabs(element_get(type, &result, 0) - sqrt(squares)) < 0.05,
           "Nrm2Ex");
    status = hipblasAxpyEx(h, N, &minus, f32, x.device, types[t].older, 1,
                           y.device, types[t].older, 1, f32);
    expect(status == 0, "AxpyEx: status %d", status);
    status = hipblasScalEx(h, N, &minus, f32, x.device, types[t].older, 1, f32);
    expect(status == 0, "ScalEx: status %d", status);
    array ax = array_make(type, N), ay = array_make(type, N);
    hipMemcpy(ax.device, x.device, N * 2, ON_DEVICE);
    hipMemcpy(ay.device, y.device, N * 2, ON_DEVICE);
    array_download(&ax);
    array_download(&ay);
    for (int i = 0; i < N; i++)
      expect(same(ay.host[i], y.host[i] - 2 * x.host[i]) &&
                 same(ax.host[i], -2 * x.host[i]),
             "element %d: %g and %g", i, ax.host[i], ay.host[i]);
    array_fini(&x);
    array_fini(&y);
    array_fini(&ax);
    array_fini(&ay);
  }
  other_names(h);
  nrm2_ranges(h);
  nans(h);
  check_end("vectors of 16 bits, ranges and NaNs");
}

/* ---- refused calls, and copies ---- */

static void copies(void)
{
  enum { ROWS = 3, COLUMNS = 4 };
  float from[ROWS * COLUMNS], to[5 * COLUMNS] = {0};
  array there = array_make(F32, 64);
  for (int i = 0; i < ROWS * COLUMNS; i++)
    from[i] = (float)i;
  expect(hipblasSetMatrix(ROWS, COLUMNS, 4, from, ROWS, there.device, 7) == 0,
         "SetMatrix");
  expect(hipblasGetMatrix(ROWS, COLUMNS, 4, there.device, 7, to, 5) == 0,
         "GetMatrix");
  for (int i = 0; i < 5 * COLUMNS; i++)
    expect(to[i] == (i % 5 < ROWS ? from[i % 5 + i / 5 * ROWS] : 0),
           "matrix element %d is %g", i, (double)to[i]);
  expect(hipblasSetVector(4, 4, from, 3, there.device, 2) == 0, "SetVector");
  expect(hipblasGetVectorAsync(4, 4, there.device, 2, to, 1, NULL) == 0,
         "GetVectorAsync");
  hipDeviceSynchronize();
  for (int i = 0; i < 4; i++)
    expect(to[i] == from[3 * i], "vector element %d is %g", i, (double)to[i]);
  expect(hipblasSetMatrix(3, 1, 4, from, 2, there.device, 3) ==
             HIPBLAS_STATUS_INVALID_VALUE,
         "SetMatrix with a small leading dimension");
  array_fini(&there);
}

static void settings(hipblasHandle_t h)
{
  hipStream_t stream = (hipStream_t)h;
  hipblasPointerMode_t mode = HIPBLAS_POINTER_MODE_DEVICE;
  expect(hipblasGetStream(h, &stream) == 0 && !stream, "GetStream");
  expect(hipblasGetPointerMode(h, &mode) == 0 &&
             mode == HIPBLAS_POINTER_MODE_HOST,
         "GetPointerMode");
  expect(hipblasCreate(NULL) == HIPBLAS_STATUS_HANDLE_IS_NULLPTR, "Create");
  expect(hipblasDestroy(NULL) == HIPBLAS_STATUS_NOT_INITIALIZED, "Destroy");
  expect(hipblasSetPointerMode(h, (hipblasPointerMode_t)2) ==
             HIPBLAS_STATUS_INVALID_ENUM,
         "SetPointerMode");
}

/* A real HIP has often one device: then there is nothing to refuse. */
static void check_other_device(hipblasHandle_t h, float *at)
{
  const float one = 1;
  float sum = 0;
  if (hipSetDevice(1) != 0)
    return;
  expect(hipblasSgemm(h, HIPBLAS_OP_N, HIPBLAS_OP_N, 2, 2, 2, &one, at, 2, at,
                      2, &one, at, 2) == HIPBLAS_STATUS_NOT_SUPPORTED,
         "gemm on another device");
  expect(hipblasSasum(h, 2, at, 1, &sum) == HIPBLAS_STATUS_NOT_SUPPORTED,
         "a result on another device");
  expect(hipSetDevice(0) == 0, "hipSetDevice");
  expect(hipblasSasum(h, 2, at, 1, &sum) == HIPBLAS_STATUS_SUCCESS && sum == 6,
         "the result on its own: %g", (double)sum);
}

void check_errors(hipblasHandle_t h)
{
  const float one = 1;
  const hipblasOperation_t n = HIPBLAS_OP_N;
  array a = array_make(F32, 16);
  float *at = a.device;
#define GEMM(h, op, m, k, alpha, a, lda, ldb, ldc)                             \
  hipblasSgemm(h, op, n, m, 2, k, alpha, a, lda, at, ldb, &one, at, ldc)
  const struct {
    const char *what;
    hipblasStatus_t expected, got;
  } cases[] = {
      {"no handle", HIPBLAS_STATUS_NOT_INITIALIZED,
       GEMM(NULL, n, 2, 2, &one, at, 2, 2, 2)},
      {"operation", HIPBLAS_STATUS_INVALID_ENUM,
       GEMM(h, (hipblasOperation_t)7, 2, 2, &one, at, 2, 2, 2)},
      {"m < 0", HIPBLAS_STATUS_INVALID_VALUE,
       GEMM(h, n, -1, 2, &one, at, 2, 2, 2)},
      {"lda", HIPBLAS_STATUS_INVALID_VALUE,
       GEMM(h, n, 2, 2, &one, at, 1, 2, 2)},
      {"lda of a transpose", HIPBLAS_STATUS_INVALID_VALUE,
       GEMM(h, HIPBLAS_OP_T, 2, 3, &one, at, 2, 3, 2)},
      {"ldb", HIPBLAS_STATUS_INVALID_VALUE,
       GEMM(h, n, 2, 3, &one, at, 2, 2, 2)},
      {"ldc", HIPBLAS_STATUS_INVALID_VALUE,
       GEMM(h, n, 2, 2, &one, at, 2, 2, 1)},
      {"no alpha", HIPBLAS_STATUS_INVALID_VALUE,
       GEMM(h, n, 2, 2, NULL, at, 2, 2, 2)},
      {"no A", HIPBLAS_STATUS_INVALID_VALUE,
       GEMM(h, n, 2, 2, &one, NULL, 2, 2, 2)},
      {"nothing to do", HIPBLAS_STATUS_SUCCESS,
       GEMM(h, n, 0, 2, NULL, NULL, 1, 2, 1)},
      {"integers", HIPBLAS_STATUS_NOT_SUPPORTED,
       hipblasGemmEx(h, n, n, 2, 2, 2, &one, at, 3, 2, at, 3, 2, &one, at, 10,
                     2, HIPBLAS_COMPUTE_32I, HIPBLAS_GEMM_DEFAULT)},
      {"f32 in f64", HIPBLAS_STATUS_NOT_SUPPORTED,
       hipblasGemmEx(h, n, n, 2, 2, 2, &one, at, 0, 2, at, 0, 2, &one, at, 0, 2,
                     HIPBLAS_COMPUTE_64F, HIPBLAS_GEMM_DEFAULT)},
      {"an increment of 0", HIPBLAS_STATUS_NOT_SUPPORTED,
       hipblasSaxpy(h, 2, &one, at, 1, at, 0)},
      {"side", HIPBLAS_STATUS_INVALID_ENUM,
       hipblasStrsm(h, HIPBLAS_SIDE_BOTH, HIPBLAS_FILL_MODE_UPPER, n,
                    HIPBLAS_DIAG_UNIT, 2, 2, &one, at, 2, at, 2)},
      {"lda of trsm", HIPBLAS_STATUS_INVALID_VALUE,
       hipblasStrsm(h, HIPBLAS_SIDE_RIGHT, HIPBLAS_FILL_MODE_UPPER, n,
                    HIPBLAS_DIAG_UNIT, 2, 3, &one, at, 2, at, 2)},
      {"incx of gemv", HIPBLAS_STATUS_INVALID_VALUE,
       hipblasSgemv(h, n, 2, 2, &one, at, 2, at, 0, &one, at, 1)},
      {"a function of no body", HIPBLAS_STATUS_NOT_SUPPORTED, hipblasCgemm(h)}};
#undef GEMM
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    expect(cases[i].got == cases[i].expected, "%s: status %d, not %d",
           cases[i].what, cases[i].got, cases[i].expected);
  array_fill(&a, -3);
  check_other_device(h, at);
  settings(h);
  copies();
  array_fini(&a);
  check_end("errors, settings and copies");
}
