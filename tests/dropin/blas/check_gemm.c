/* SPDX-License-Identifier: MIT */
/* Checks of products. */
#include <math.h>

#include "dropin/blas/check_blas.h"

/* Types of a product; HAlf, Single and Double have functions of their own. */
typedef struct gemm_type {
  const char *name;
  element in, out, scalar;
  int in_type, out_type, compute; /* of hipblasGemmEx; -1: hipblas?gemm */
} gemm_type;

static const gemm_type types[] = {
    {"hgemm", F16, F16, F16, -1, 0, 0},
    {"sgemm", F32, F32, F32, -1, 0, 0},
    {"dgemm", F64, F64, F64, -1, 0, 0},
    {"f16", F16, F16, F16, 2, 2, HIPBLAS_COMPUTE_16F},
    {"f16 in f32", F16, F16, F32, 2, 2, HIPBLAS_COMPUTE_32F},
    {"f16 to f32", F16, F32, F32, 2, 0, HIPBLAS_COMPUTE_32F},
    {"bf16", BF16, BF16, F32, 14, 14, HIPBLAS_COMPUTE_32F},
    {"bf16 to f32", BF16, F32, F32, 14, 0, HIPBLAS_COMPUTE_32F_PEDANTIC},
    {"f32", F32, F32, F32, 0, 0, HIPBLAS_COMPUTE_32F_FAST_TF32},
    {"f64", F64, F64, F64, 1, 1, HIPBLAS_COMPUTE_64F},
    {"older f16", F16, F16, F32, HIPBLAS_R_16F, HIPBLAS_R_16F, HIPBLAS_R_32F},
    {"older bf16", BF16, BF16, F32, HIPBLAS_R_16B, HIPBLAS_R_16B,
     HIPBLAS_R_32F},
    {"older f32", F32, F32, F32, HIPBLAS_R_32F, HIPBLAS_R_32F, HIPBLAS_R_32F},
    {"older f64", F64, F64, F64, HIPBLAS_R_64F, HIPBLAS_R_64F, HIPBLAS_R_64F}};
enum { TYPES = sizeof types / sizeof *types };

/* One product, or a batch of them: sizes, and what there is of each. */
typedef struct product {
  const gemm_type *type;
  form form;
  hipblasOperation_t op_a, op_b;
  int m, n, k, lda, ldb, ldc, count;
  long stride_a, stride_b, stride_c;
  double alpha, beta;
  bool device_scalars;
  array a, b, c;
} product;

static hipblasStatus_t gemm_own(hipblasHandle_t h, const product *p,
                                const void *alpha, const void *a, const void *b,
                                const void *beta, void *c)
{
#define OWN(S, T)                                                              \
  p->form == ONE                                                               \
      ? hipblas##S##gemm(h, p->op_a, p->op_b, p->m, p->n, p->k, alpha, a,      \
                         p->lda, b, p->ldb, beta, c, p->ldc)                   \
  : p->form == POINTERS                                                        \
      ? hipblas##S##gemmBatched(h, p->op_a, p->op_b, p->m, p->n, p->k, alpha,  \
                                (const T *const *)a, p->lda,                   \
                                (const T *const *)b, p->ldb, beta,             \
                                (T *const *)c, p->ldc, p->count)               \
      : hipblas##S##gemmStridedBatched(h, p->op_a, p->op_b, p->m, p->n, p->k,  \
                                       alpha, a, p->lda, p->stride_a, b,       \
                                       p->ldb, p->stride_b, beta, c, p->ldc,   \
                                       p->stride_c, p->count)
  return p->type->in == F16   ? OWN(H, hipblasHalf)
         : p->type->in == F32 ? OWN(S, float)
                              : OWN(D, double);
#undef OWN
}

static hipblasStatus_t gemm_call(hipblasHandle_t h, const product *p,
                                 const void *alpha, const void *a,
                                 const void *b, const void *beta, void *c)
{
  static unsigned turn;
  const gemm_type *t = p->type;
  const hipblasGemmAlgo_t algo = HIPBLAS_GEMM_DEFAULT;
  const hipblasGemmFlags_t flags = HIPBLAS_GEMM_FLAGS_NONE;
  if (t->in_type < 0)
    return gemm_own(h, p, alpha, a, b, beta, c);
    /* Every name in turn. */
#define NAMES(FORM, ...)                                                       \
  switch (turn++ % 8) {                                                        \
  case 0:                                                                      \
    return hipblasGemm##FORM##Ex(__VA_ARGS__);                                 \
  case 1:                                                                      \
    return hipblasGemm##FORM##Ex_64(__VA_ARGS__);                              \
  case 2:                                                                      \
    return hipblasGemm##FORM##Ex_v2(__VA_ARGS__);                              \
  case 3:                                                                      \
    return hipblasGemm##FORM##Ex_v2_64(__VA_ARGS__);                           \
  case 4:                                                                      \
    return hipblasGemm##FORM##ExWithFlags(__VA_ARGS__, flags);                 \
  case 5:                                                                      \
    return hipblasGemm##FORM##ExWithFlags_64(__VA_ARGS__, flags);              \
  case 6:                                                                      \
    return hipblasGemm##FORM##ExWithFlags_v2(__VA_ARGS__, flags);              \
  default:                                                                     \
    return hipblasGemm##FORM##ExWithFlags_v2_64(__VA_ARGS__, flags);           \
  }
  switch (p->form) {
  case ONE:
    NAMES(, h, p->op_a, p->op_b, p->m, p->n, p->k, alpha, a, t->in_type, p->lda,
          b, t->in_type, p->ldb, beta, c, t->out_type, p->ldc, t->compute, algo)
  case POINTERS:
    NAMES(Batched, h, p->op_a, p->op_b, p->m, p->n, p->k, alpha,
          (const void **)(uintptr_t)a, t->in_type, p->lda,
          (const void **)(uintptr_t)b, t->in_type, p->ldb, beta, c, t->out_type,
          p->ldc, p->count, t->compute, algo)
  default:
    NAMES(StridedBatched, h, p->op_a, p->op_b, p->m, p->n, p->k, alpha, a,
          t->in_type, p->lda, p->stride_a, b, t->in_type, p->ldb, p->stride_b,
          beta, c, t->out_type, p->ldc, p->stride_c, p->count, t->compute, algo)
  }
#undef NAMES
}

static double element_of(const double *matrix, hipblasOperation_t op, int ld,
                         int row, int column)
{
  return op == HIPBLAS_OP_N ? matrix[row + (long)column * ld]
                            : matrix[column + (long)row * ld];
}

static double reference(const product *p, int problem, int row, int column,
                        double c)
{
  const double *a = p->a.host + problem * p->stride_a,
               *b = p->b.host + problem * p->stride_b;
  double sum = 0;
  for (int i = 0; p->alpha != 0 && i < p->k; i++)
    sum += element_of(a, p->op_a, p->lda, row, i) *
           element_of(b, p->op_b, p->ldb, i, column);
  return (p->alpha == 0 ? 0 : p->alpha * sum) +
         (p->beta == 0 ? 0 : p->beta * c);
}

/* Calls, and compares all of C, also what lies between its columns; `bound`:
 * how far a result may be off, 0: not at all. */
static void product_run(hipblasHandle_t h, product *p, double bound)
{
  scalar alpha, beta;
  array before = array_make(p->type->out, p->c.count);
  array a = {0}, b = {0}, c = {0};
  for (size_t i = 0; i < p->c.count; i++)
    before.host[i] = p->c.host[i];
  hipblasSetPointerMode(h, (hipblasPointerMode_t)p->device_scalars);
  const void *at_alpha =
      scalar_make(&alpha, p->type->scalar, p->alpha, p->device_scalars);
  const void *at_beta =
      scalar_make(&beta, p->type->scalar, p->beta, p->device_scalars);
  const bool pointers = p->form == POINTERS;
  if (pointers) {
    a = array_pointers(&p->a, (size_t)p->count, (size_t)p->stride_a);
    b = array_pointers(&p->b, (size_t)p->count, (size_t)p->stride_b);
    c = array_pointers(&p->c, (size_t)p->count, (size_t)p->stride_c);
  }
  const hipblasStatus_t status =
      gemm_call(h, p, at_alpha, pointers ? a.device : p->a.device,
                pointers ? b.device : p->b.device, at_beta,
                pointers ? c.device : p->c.device);
  hipblasSetPointerMode(h, HIPBLAS_POINTER_MODE_HOST);
  expect(status == HIPBLAS_STATUS_SUCCESS, "%s: status %d", p->type->name,
         status);
  hipDeviceSynchronize();
  array_download(&p->c);
  for (int problem = 0; problem < p->count; problem++)
    for (long i = 0; i < p->stride_c; i++) {
      const long at = problem * p->stride_c + i;
      const int row = (int)(i % p->ldc), column = (int)(i / p->ldc);
      const double old = before.host[at], got = p->c.host[at];
      const double right =
          row < p->m && column < p->n
              ? element_round(p->type->out,
                              reference(p, problem, row, column, old))
              : old;
      expect(same(got, right) || fabs(got - right) <= bound,
             "%s %d %d of %dx%dx%d, alpha %g, beta %g: C(%d, %d) of %d is %g, "
             "not %g",
             p->type->name, p->op_a, p->op_b, p->m, p->n, p->k, p->alpha,
             p->beta, row, column, problem, got, right);
    }
  if (pointers) {
    array_fini(&a);
    array_fini(&b);
    array_fini(&c);
  }
  scalar_fini(&alpha);
  scalar_fini(&beta);
  array_fini(&before);
}

static void product_open(product *p)
{
  const bool plain_a = p->op_a == HIPBLAS_OP_N,
             plain_b = p->op_b == HIPBLAS_OP_N;
  const int columns_a = plain_a ? p->k : p->m,
            columns_b = plain_b ? p->n : p->k;
  p->lda = (plain_a ? p->m : p->k) + 3;
  p->ldb = (plain_b ? p->k : p->n) + 1;
  p->ldc = p->m + 2;
  p->stride_a = (long)p->lda * columns_a + 5;
  p->stride_b = (long)p->ldb * columns_b;
  p->stride_c = (long)p->ldc * p->n + 1;
  p->a = array_make(p->type->in, (size_t)(p->stride_a * p->count));
  p->b = array_make(p->type->in, (size_t)(p->stride_b * p->count));
  p->c = array_make(p->type->out, (size_t)(p->stride_c * p->count));
  array_randomize(&p->a);
  array_randomize(&p->b);
  array_randomize(&p->c);
}

static void product_close(product *p)
{
  array_fini(&p->a);
  array_fini(&p->b);
  array_fini(&p->c);
}

/* alpha, beta, and whether NaNs lie where nothing is read. */
static const struct {
  double alpha, beta;
} scalars[] = {{1, 0}, {-2, 1}, {0, 2}, {0, 0}, {1, -1}};
enum { SCALARS = sizeof scalars / sizeof *scalars };

static void nans_put(product *p)
{
  if (p->alpha == 0) {
    array_fill(&p->a, (double)NAN);
    array_fill(&p->b, (double)NAN);
  }
  if (p->beta == 0)
    array_fill(&p->c, (double)NAN);
}

void check_gemm(hipblasHandle_t h)
{
  static const int sizes[][3] = {{1, 1, 1}, {17, 5, 19}, {6, 33, 0}};
  for (int t = 0; t < TYPES; t++) {
    for (int ops = 0; ops < 9; ops++)
      for (int turn = 0; turn < 3 * SCALARS; turn++) {
        const int s = turn / SCALARS;
        product p = {.type = &types[t],
                     .op_a = (hipblasOperation_t)(HIPBLAS_OP_N + ops % 3),
                     .op_b = (hipblasOperation_t)(HIPBLAS_OP_N + ops / 3),
                     .m = sizes[s][0],
                     .n = sizes[s][1],
                     .k = sizes[s][2],
                     .count = 1,
                     .device_scalars = (turn + ops) % 2 == 0};
        p.alpha = scalars[turn % SCALARS].alpha;
        p.beta = scalars[turn % SCALARS].beta;
        product_open(&p);
        nans_put(&p);
        product_run(h, &p, 0);
        product_close(&p);
      }
    check_end(types[t].name);
  }
}

void check_gemm_batches(hipblasHandle_t h)
{
  int turn = 0;
  for (int t = 0; t < TYPES; t++)
    for (int f = POINTERS; f <= STRIDED; f++)
      for (int count = 0; count <= 3; count += 3, turn++) {
        product p = {.type = &types[t],
                     .form = (form)f,
                     .op_a = turn % 3 ? HIPBLAS_OP_N : HIPBLAS_OP_T,
                     .op_b = turn % 2 ? HIPBLAS_OP_N : HIPBLAS_OP_C,
                     .m = 5,
                     .n = 18,
                     .k = 7,
                     .count = count,
                     .alpha = scalars[turn % SCALARS].alpha,
                     .beta = scalars[turn % SCALARS].beta,
                     .device_scalars = turn % 4 == 0};
        product_open(&p);
        nans_put(&p);
        product_run(h, &p, 0);
        product_close(&p);
      }
  /* More problems than a grid has groups. */
  product many = {.type = &types[1],
                  .form = STRIDED,
                  .op_a = HIPBLAS_OP_N,
                  .op_b = HIPBLAS_OP_N,
                  .m = 1,
                  .n = 1,
                  .k = 1,
                  .count = 65536 + 2,
                  .alpha = -2,
                  .beta = 1};
  product_open(&many);
  product_run(h, &many, 0);
  product_close(&many);
  check_end("batches of products");
}

/* A and B as they are rounded to their type: of many sizes where `wide`. */
static void fractions_put(product *p, bool wide)
{
  for (size_t i = 0; i < p->a.count; i++)
    p->a.host[i] = element_round(
        p->type->in, ldexp(sin((double)i), wide ? (int)(i % 9) * 4 - 14 : -1));
  for (size_t i = 0; i < p->b.count; i++)
    p->b.host[i] = element_round(p->type->in, cos((double)i) / 2);
  array_upload(&p->a);
  array_upload(&p->b);
}

/* Sums of fractions are near; a single product is rounded once, to the bit,
 * also where it is subnormal or infinite in f16. */
void check_gemm_values(hipblasHandle_t h)
{
  static const double bounds[] = {
      [F16] = 4e-3, [BF16] = 3e-2, [F32] = 1e-5, [F64] = 1e-13};
  for (int t = 0; t < TYPES; t++)
    for (int single = 0; single <= 1; single++) {
      product p = {.type = &types[t],
                   .op_a = HIPBLAS_OP_N,
                   .op_b = HIPBLAS_OP_T,
                   .m = 30,
                   .n = 21,
                   .k = single ? 1 : 11,
                   .count = 1,
                   .alpha = single ? 1 : 0.75,
                   .beta = single ? 0 : 0.5};
      product_open(&p);
      fractions_put(&p, single);
      product_run(h, &p, single ? 0 : bounds[p.type->out]);
      product_close(&p);
    }
  check_end("products of fractions");
}
