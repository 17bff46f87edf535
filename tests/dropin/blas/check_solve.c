/* SPDX-License-Identifier: MIT */
/* Checks of triangles, and of products with vectors. */
#include <math.h>
#include <stdio.h>

#include "dropin/blas/check_blas.h"

/* ---- trsm ---- */

typedef struct triangle {
  element type;
  form form;
  hipblasSideMode_t side;
  hipblasFillMode_t fill;
  hipblasOperation_t op;
  hipblasDiagType_t diagonal;
  int m, n, count, size, lda, ldb;
  long stride_a, stride_b;
  double alpha;
  bool device_scalar;
} triangle;

/* op(A) at a place; elements that A does not store are 0 or 1. */
static double op_element(const triangle *t, const double *a, int row,
                         int column)
{
  if (t->op != HIPBLAS_OP_N) {
    const int other = row;
    row = column;
    column = other;
  }
  if (row == column && t->diagonal == HIPBLAS_DIAG_UNIT)
    return 1;
  const bool stored =
      t->fill == HIPBLAS_FILL_MODE_LOWER ? row >= column : row <= column;
  return stored ? a[row + (long)column * t->lda] : 0;
}

/* B for a known X: op(A) X / alpha, or X op(A) / alpha. */
static double right_side(const triangle *t, const double *a, const double *x,
                         int row, int column)
{
  double sum = 0;
  for (int i = 0; i < t->size; i++)
    sum += t->side == HIPBLAS_SIDE_LEFT
               ? op_element(t, a, row, i) * x[i + (long)column * t->ldb]
               : x[row + (long)i * t->ldb] * op_element(t, a, i, column);
  return t->alpha == 0 ? (double)NAN : sum / t->alpha;
}

/* A diagonal of powers of two, and NaN wherever nothing is read. */
static void triangle_fill(const triangle *t, array *a)
{
  static const double powers[] = {1, -2, 0.5, -1};
  array_randomize(a);
  for (int p = 0; p < t->count; p++)
    for (long i = 0; i < t->stride_a; i++) {
      double *at = &a->host[p * t->stride_a + i];
      const int row = (int)(i % t->lda), column = (int)(i / t->lda);
      const bool stored =
          row < t->size && column < t->size &&
          (t->fill == HIPBLAS_FILL_MODE_LOWER ? row >= column : row <= column);
      if (row == column)
        *at = powers[row % 4];
      if (!stored || t->alpha == 0 ||
          (row == column && t->diagonal == HIPBLAS_DIAG_UNIT))
        *at = (double)NAN;
    }
  array_upload(a);
}

static hipblasStatus_t trsm_call(hipblasHandle_t h, const triangle *t,
                                 const void *alpha, const void *a, void *b)
{
#define CALL(S, T)                                                             \
  t->form == ONE                                                               \
      ? hipblas##S##trsm(h, t->side, t->fill, t->op, t->diagonal, t->m, t->n,  \
                         alpha, (const T *)a, t->lda, (T *)b, t->ldb)          \
  : t->form == POINTERS                                                        \
      ? hipblas##S##trsmBatched(h, t->side, t->fill, t->op, t->diagonal, t->m, \
                                t->n, alpha, (const T *const *)a, t->lda,      \
                                (T *const *)b, t->ldb, t->count)               \
      : hipblas##S##trsmStridedBatched(h, t->side, t->fill, t->op,             \
                                       t->diagonal, t->m, t->n, alpha,         \
                                       (const T *)a, t->lda, t->stride_a,      \
                                       (T *)b, t->ldb, t->stride_b, t->count)
  return t->type == F32 ? CALL(S, float) : CALL(D, double);
#undef CALL
}

static void triangle_run(hipblasHandle_t h, triangle *t)
{
  scalar alpha;
  t->size = t->side == HIPBLAS_SIDE_LEFT ? t->m : t->n;
  t->lda = t->size + 2;
  t->ldb = t->m + 1;
  t->stride_a = (long)t->lda * t->size;
  t->stride_b = (long)t->ldb * t->n + 3;
  array a = array_make(t->type, (size_t)(t->stride_a * t->count)),
        x = array_make(t->type, (size_t)(t->stride_b * t->count)),
        b = array_make(t->type, (size_t)(t->stride_b * t->count));
  array pointers_a = array_pointers(&a, (size_t)t->count, (size_t)t->stride_a),
        pointers_b = array_pointers(&b, (size_t)t->count, (size_t)t->stride_b);
  triangle_fill(t, &a);
  array_randomize(&x);
  for (int p = 0; p < t->count; p++)
    for (long i = 0; i < t->stride_b; i++) {
      const long at = p * t->stride_b + i;
      const int row = (int)(i % t->ldb), column = (int)(i / t->ldb);
      b.host[at] = row < t->m && column < t->n
                       ? right_side(t, a.host + p * t->stride_a,
                                    x.host + p * t->stride_b, row, column)
                       : x.host[at];
    }
  array_upload(&b);
  hipblasSetPointerMode(h, (hipblasPointerMode_t)t->device_scalar);
  const void *at = scalar_make(&alpha, t->type, t->alpha, t->device_scalar);
  const bool pointers = t->form == POINTERS;
  const hipblasStatus_t status =
      trsm_call(h, t, at, pointers ? pointers_a.device : a.device,
                pointers ? pointers_b.device : b.device);
  hipblasSetPointerMode(h, HIPBLAS_POINTER_MODE_HOST);
  expect(status == HIPBLAS_STATUS_SUCCESS, "trsm: status %d", status);
  hipDeviceSynchronize();
  array_download(&b);
  for (size_t i = 0; i < b.count; i++) {
    const long inside = (long)i % t->stride_b;
    const bool solved =
        inside % t->ldb < t->m && inside / t->ldb < t->n && t->alpha == 0;
    expect(same(b.host[i], solved ? 0 : x.host[i]),
           "trsm %d %d %d %d, alpha %g: element %zu is %g, not %g", t->side,
           t->fill, t->op, t->diagonal, t->alpha, i, b.host[i],
           solved ? 0 : x.host[i]);
  }
  scalar_fini(&alpha);
  array_fini(&pointers_a);
  array_fini(&pointers_b);
  array_fini(&a);
  array_fini(&x);
  array_fini(&b);
}

void check_trsm(hipblasHandle_t h)
{
  static const double alphas[] = {1, -2, 0, 0.5};
  int turn = 0;
  for (int type = F32; type <= F64; type++) {
    for (int kind = 0; kind < 24; kind++)
      for (int f = ONE; f <= STRIDED; f++, turn++) {
        triangle t = {.type = (element)type,
                      .form = (form)f,
                      .side = kind % 2 ? HIPBLAS_SIDE_LEFT : HIPBLAS_SIDE_RIGHT,
                      .fill = kind / 2 % 2 ? HIPBLAS_FILL_MODE_LOWER
                                           : HIPBLAS_FILL_MODE_UPPER,
                      .op = (hipblasOperation_t)(HIPBLAS_OP_N + kind / 4 % 3),
                      .diagonal =
                          kind / 12 ? HIPBLAS_DIAG_UNIT : HIPBLAS_DIAG_NON_UNIT,
                      .m = turn % 5 ? 6 : 1,
                      .n = turn % 7 ? 9 : 1,
                      .count = f == ONE ? 1 : 2,
                      .alpha = alphas[(turn + kind) % 4],
                      .device_scalar = turn % 2};
        triangle_run(h, &t);
      }
    check_end(type == F32 ? "strsm" : "dtrsm");
  }
}

/* ---- gemv and ger ---- */

typedef struct line {
  element type;
  form form;
  hipblasOperation_t op;
  int m, n, lda, incx, incy, count;
  long stride_a, stride_x, stride_y;
  double alpha, beta;
} line;

/* Element i of n of a vector with an increment. */
static long place(int i, int n, int inc)
{
  return inc < 0 ? (long)(i + 1 - n) * inc : (long)i * inc;
}

static hipblasStatus_t gemv_call(hipblasHandle_t h, const line *l,
                                 const void *alpha, const void *a,
                                 const void *x, const void *beta, void *y)
{
#define CALL(S, T)                                                             \
  l->form == ONE ? hipblas##S##gemv(h, l->op, l->m, l->n, alpha, a, l->lda, x, \
                                    l->incx, beta, y, l->incy)                 \
  : l->form == POINTERS                                                        \
      ? hipblas##S##gemvBatched(h, l->op, l->m, l->n, alpha,                   \
                                (const T *const *)a, l->lda,                   \
                                (const T *const *)x, l->incx, beta,            \
                                (T *const *)y, l->incy, l->count)              \
      : hipblas##S##gemvStridedBatched(                                        \
            h, l->op, l->m, l->n, alpha, a, l->lda, l->stride_a, x, l->incx,   \
            l->stride_x, beta, y, l->incy, l->stride_y, l->count)
  return l->type == F32 ? CALL(S, float) : CALL(D, double);
#undef CALL
}

static hipblasStatus_t ger_call(hipblasHandle_t h, const line *l,
                                const void *alpha, const void *x, const void *y,
                                void *a)
{
#define CALL(S, T)                                                             \
  l->form == ONE ? hipblas##S##ger(h, l->m, l->n, alpha, x, l->incx, y,        \
                                   l->incy, a, l->lda)                         \
  : l->form == POINTERS                                                        \
      ? hipblas##S##gerBatched(h, l->m, l->n, alpha, (const T *const *)x,      \
                               l->incx, (const T *const *)y, l->incy,          \
                               (T *const *)a, l->lda, l->count)                \
      : hipblas##S##gerStridedBatched(h, l->m, l->n, alpha, x, l->incx,        \
                                      l->stride_x, y, l->incy, l->stride_y, a, \
                                      l->lda, l->stride_a, l->count)
  return l->type == F32 ? CALL(S, float) : CALL(D, double);
#undef CALL
}

static void gemv_expect(const line *l, const array *a, const array *x,
                        const array *y, const array *before)
{
  const bool plain = l->op == HIPBLAS_OP_N;
  const int rows = plain ? l->m : l->n, columns = plain ? l->n : l->m;
  for (int p = 0; p < l->count; p++)
    for (int i = 0; i < rows; i++) {
      const long at = p * l->stride_y + place(i, rows, l->incy);
      double sum = l->beta == 0 ? 0 : l->beta * before->host[at];
      for (int j = 0; j < columns && l->alpha != 0; j++) {
        const long of_a = plain ? i + (long)j * l->lda : j + (long)i * l->lda;
        sum += l->alpha * a->host[p * l->stride_a + of_a] *
               x->host[p * l->stride_x + place(j, columns, l->incx)];
      }
      expect(same(y->host[at], sum), "gemv %d: y(%d) of %d is %g, not %g",
             l->op, i, p, y->host[at], sum);
    }
}

static void ger_expect(const line *l, const array *a, const array *x,
                       const array *y, const array *before)
{
  for (int p = 0; p < l->count; p++)
    for (long i = 0; i < l->stride_a; i++) {
      const long at = p * l->stride_a + i;
      const int row = (int)(i % l->lda), column = (int)(i / l->lda);
      double right = before->host[at];
      if (row < l->m && column < l->n)
        right += l->alpha *
                 x->host[p * l->stride_x + place(row, l->m, l->incx)] *
                 y->host[p * l->stride_y + place(column, l->n, l->incy)];
      expect(same(a->host[at], right), "ger: A(%d, %d) of %d is %g, not %g",
             row, column, p, a->host[at], right);
    }
}

/* gemv, or, where `outer`, ger. */
static void line_run(hipblasHandle_t h, line *l, bool outer)
{
  scalar alpha, beta;
  l->lda = l->m + 3;
  l->stride_a = (long)l->lda * l->n;
  l->stride_x = l->stride_y = 100;
  array a = array_make(l->type, (size_t)(l->stride_a * l->count)),
        x = array_make(l->type, (size_t)(l->stride_x * l->count)),
        y = array_make(l->type, (size_t)(l->stride_y * l->count));
  array *changed = outer ? &a : &y;
  array pointers[] = {
      array_pointers(&a, (size_t)l->count, (size_t)l->stride_a),
      array_pointers(&x, (size_t)l->count, (size_t)l->stride_x),
      array_pointers(&y, (size_t)l->count, (size_t)l->stride_y)};
  array_randomize(&a);
  array_randomize(&x);
  array_randomize(&y);
  if (!outer && l->beta == 0)
    array_fill(&y, (double)NAN);
  array before = array_make(l->type, changed->count);
  for (size_t i = 0; i < changed->count; i++)
    before.host[i] = changed->host[i];
  const void *at_alpha = scalar_make(&alpha, l->type, l->alpha, false),
             *at_beta = scalar_make(&beta, l->type, l->beta, false);
  const bool indirect = l->form == POINTERS;
  void *at_a = indirect ? pointers[0].device : a.device,
       *at_x = indirect ? pointers[1].device : x.device,
       *at_y = indirect ? pointers[2].device : y.device;
  const hipblasStatus_t status =
      outer ? ger_call(h, l, at_alpha, at_x, at_y, at_a)
            : gemv_call(h, l, at_alpha, at_a, at_x, at_beta, at_y);
  expect(status == HIPBLAS_STATUS_SUCCESS, "status %d", status);
  hipDeviceSynchronize();
  array_download(changed);
  if (outer)
    ger_expect(l, &a, &x, &y, &before);
  else
    gemv_expect(l, &a, &x, &y, &before);
  for (int i = 0; i < 3; i++)
    array_fini(&pointers[i]);
  array_fini(&before);
  array_fini(&a);
  array_fini(&x);
  array_fini(&y);
}

void check_gemv(hipblasHandle_t h)
{
  static const int incs[][2] = {{1, 1}, {2, 3}, {-1, 1}, {2, -2}};
  for (int outer = 0; outer <= 1; outer++) {
    for (int turn = 0; turn < 72; turn++) {
      line l = {.type = turn % 2 ? F32 : F64,
                .form = (form)(turn / 2 % 3),
                .op = (hipblasOperation_t)(HIPBLAS_OP_N + turn / 6 % 3),
                .m = 17,
                .n = 5,
                .incx = incs[turn / 18][0],
                .incy = incs[turn / 18][1],
                .count = turn / 2 % 3 == ONE ? 1 : 2,
                .alpha = turn % 5 == 0 ? 0 : -2,
                .beta = turn % 3 - 1};
      line_run(h, &l, outer);
    }
    check_end(outer ? "ger" : "gemv");
  }
}
