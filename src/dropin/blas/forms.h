/* SPDX-License-Identifier: MIT */
/*
 * The functions of both interfaces, as macros that define one form each: ONE
 * problem, or a batch, BATCHED by arrays of pointers or STRIDED. hipBLAS and
 * rocBLAS have the same arguments in the same order.
 *
 * Macros of an interface: STATUS, its type of status, and
 * RETURNED(aqblas_status); OPERATION, SIDE, FILL and DIAGONAL, types; FUNCTION,
 * INDEXED and TYPED, names; of GEMM_TYPED also POINTERS(T, name), a batch's
 * argument, and C_IN and D, its results. T and TYPE: elements, S: their letter,
 * I: sizes, X: the end of a name for them.
 */
#ifndef AQ_DROPIN_BLAS_FORMS_H
#define AQ_DROPIN_BLAS_FORMS_H

#include "dropin/blas/typed.h"

/* ---- parts of a function, by its form ---- */

#define POINTER_ONE(T, name)     T *name
#define POINTER_BATCHED(T, name) T *const name[]
#define POINTER_STRIDED(T, name) T *name
#define STRIDE_ONE(name)
#define STRIDE_BATCHED(name)
#define STRIDE_STRIDED(name) , int64_t name
#define STEP_ONE(name)
#define STEP_BATCHED(name)
#define STEP_STRIDED(name) , name
#define COUNT_ONE(I)
#define COUNT_BATCHED(I) , I batchCount
#define COUNT_STRIDED(I) , I batchCount
#define BATCH_ONE                                                              \
  {                                                                            \
    __func__, 1, false                                                         \
  }
#define BATCH_BATCHED                                                          \
  {                                                                            \
    __func__, batchCount, true                                                 \
  }
#define BATCH_STRIDED                                                          \
  {                                                                            \
    __func__, batchCount, false                                                \
  }

/* Arguments, and the operand that they make. */
#define VECTOR_IN(FORM, T, I, v)                                               \
  POINTER_##FORM(T, v), I inc##v STRIDE_##FORM(stride##v)
#define MATRIX_IN(FORM, T, I, m, ld, stride)                                   \
  POINTER_##FORM(T, m), I ld STRIDE_##FORM(stride)
#define TYPED_IN(FORM, T, I, v)                                                \
  T *v, int v##Type, I inc##v STRIDE_##FORM(stride##v)
#define OPERAND(FORM, m, ld, stride)                                           \
  {                                                                            \
    m, ld STEP_##FORM(stride)                                                  \
  }
#define X_OPERAND(FORM) OPERAND(FORM, x, incx, stridex)
#define Y_OPERAND(FORM) OPERAND(FORM, y, incy, stridey)

#define TYPED_POINTER_ONE(T, name)     T *name
#define TYPED_POINTER_BATCHED(T, name) POINTERS(T, name)
#define TYPED_POINTER_STRIDED(T, name) T *name
#define TYPED_MATRIX_IN(FORM, T, I, m)                                         \
  TYPED_POINTER_##FORM(T, m), int m##Type, I ld##m STRIDE_##FORM(stride##m)
#define TYPED_OPERAND(FORM, m)  TYPED_OPERAND_(FORM, m)
#define TYPED_OPERAND_(FORM, m) OPERAND(FORM, m, ld##m, stride##m)
#define TYPE_OF(m)              TYPE_OF_(m)
#define TYPE_OF_(m)             m##Type

/* ---- vectors ---- */

#define VECTOR_CALL(FORM, TYPE, ...)                                           \
  RETURNED(aqblas_vector(handle, &(aqblas_vector_call){.batch = BATCH_##FORM,  \
                                                       .count = n,             \
                                                       .x = X_OPERAND(FORM),   \
                                                       .type = TYPE,           \
                                                       .scalar = TYPE,         \
                                                       __VA_ARGS__}))

#define AXPY(FORM, S, T, TYPE, I, X)                                           \
  STATUS FUNCTION(S, axpy, FORM, X)(void *handle, I n, const T *alpha,         \
                                    VECTOR_IN(FORM, const T, I, x),            \
                                    VECTOR_IN(FORM, T, I, y) COUNT_##FORM(I))  \
  {                                                                            \
    return VECTOR_CALL(FORM, TYPE, .op = AQBLAS_AXPY, .y = Y_OPERAND(FORM),    \
                       .alpha = alpha);                                        \
  }

#define SCAL(FORM, S, T, TYPE, I, X)                                           \
  STATUS FUNCTION(S, scal, FORM, X)(void *handle, I n, const T *alpha,         \
                                    VECTOR_IN(FORM, T, I, x) COUNT_##FORM(I))  \
  {                                                                            \
    return VECTOR_CALL(FORM, TYPE, .op = AQBLAS_SCAL, .alpha = alpha);         \
  }

#define COPY(FORM, S, T, TYPE, I, X)                                           \
  STATUS FUNCTION(S, copy, FORM, X)(void *handle, I n,                         \
                                    VECTOR_IN(FORM, const T, I, x),            \
                                    VECTOR_IN(FORM, T, I, y) COUNT_##FORM(I))  \
  {                                                                            \
    return VECTOR_CALL(FORM, TYPE, .op = AQBLAS_COPY, .y = Y_OPERAND(FORM));   \
  }

#define SWAP(FORM, S, T, TYPE, I, X)                                           \
  STATUS FUNCTION(S, swap, FORM, X)(void *handle, I n,                         \
                                    VECTOR_IN(FORM, T, I, x),                  \
                                    VECTOR_IN(FORM, T, I, y) COUNT_##FORM(I))  \
  {                                                                            \
    return VECTOR_CALL(FORM, TYPE, .op = AQBLAS_SWAP, .y = Y_OPERAND(FORM));   \
  }

#define DOT(FORM, S, T, TYPE, I, X)                                            \
  STATUS FUNCTION(S, dot, FORM, X)(                                            \
      void *handle, I n, VECTOR_IN(FORM, const T, I, x),                       \
      VECTOR_IN(FORM, const T, I, y) COUNT_##FORM(I), T *result)               \
  {                                                                            \
    return VECTOR_CALL(FORM, TYPE, .op = AQBLAS_DOT, .y = Y_OPERAND(FORM),     \
                       .result = result);                                      \
  }

#define REDUCTION(NAME, OP, R, FORM, T, TYPE, I)                               \
  STATUS NAME(void *handle, I n,                                               \
              VECTOR_IN(FORM, const T, I, x) COUNT_##FORM(I), R *result)       \
  {                                                                            \
    return VECTOR_CALL(FORM, TYPE, .op = OP, .result = result,                 \
                       .wide = sizeof(I) == 8);                                \
  }
#define NRM2(FORM, S, T, TYPE, I, X)                                           \
  REDUCTION(FUNCTION(S, nrm2, FORM, X), AQBLAS_NRM2, T, FORM, T, TYPE, I)
#define ASUM(FORM, S, T, TYPE, I, X)                                           \
  REDUCTION(FUNCTION(S, asum, FORM, X), AQBLAS_ASUM, T, FORM, T, TYPE, I)
#define AMAX(FORM, S, T, TYPE, I, X)                                           \
  REDUCTION(INDEXED(S, amax, FORM, X), AQBLAS_AMAX, I, FORM, T, TYPE, I)
#define AMIN(FORM, S, T, TYPE, I, X)                                           \
  REDUCTION(INDEXED(S, amin, FORM, X), AQBLAS_AMIN, I, FORM, T, TYPE, I)

/* ---- vectors whose types are arguments ---- */

#define TYPED_CALL(FORM, TYPES, ...)                                           \
  RETURNED(aqblas_vector_typed(handle,                                         \
                               &(aqblas_vector_call){.batch = BATCH_##FORM,    \
                                                     .count = n,               \
                                                     .x = X_OPERAND(FORM),     \
                                                     __VA_ARGS__},             \
                               &TYPES))

#define AXPY_TYPED(FORM, I, X)                                                 \
  STATUS TYPED(Axpy, axpy, FORM, X)(                                           \
      void *handle, I n, const void *alpha, int alphaType,                     \
      TYPED_IN(FORM, const void, I, x),                                        \
      TYPED_IN(FORM, void, I, y) COUNT_##FORM(I), int executionType)           \
  {                                                                            \
    const aqblas_vector_types types = {alphaType, xType, yType, xType,         \
                                       executionType};                         \
    return TYPED_CALL(FORM, types, .op = AQBLAS_AXPY, .y = Y_OPERAND(FORM),    \
                      .alpha = alpha);                                         \
  }

#define SCAL_TYPED(FORM, I, X)                                                 \
  STATUS TYPED(Scal, scal, FORM, X)(                                           \
      void *handle, I n, const void *alpha, int alphaType,                     \
      TYPED_IN(FORM, void, I, x) COUNT_##FORM(I), int executionType)           \
  {                                                                            \
    const aqblas_vector_types types = {alphaType, xType, xType, xType,         \
                                       executionType};                         \
    return TYPED_CALL(FORM, types, .op = AQBLAS_SCAL, .alpha = alpha);         \
  }

#define NRM2_TYPED(FORM, I, X)                                                 \
  STATUS TYPED(Nrm2, nrm2, FORM, X)(                                           \
      void *handle, I n, TYPED_IN(FORM, const void, I, x) COUNT_##FORM(I),     \
      void *result, int resultType, int executionType)                         \
  {                                                                            \
    const aqblas_vector_types types = {xType, xType, xType, resultType,        \
                                       executionType};                         \
    return TYPED_CALL(FORM, types, .op = AQBLAS_NRM2, .result = result);       \
  }

#define DOTS_TYPED(NAME, FORM, I)                                              \
  STATUS NAME(void *handle, I n, TYPED_IN(FORM, const void, I, x),             \
              TYPED_IN(FORM, const void, I, y) COUNT_##FORM(I), void *result,  \
              int resultType, int executionType)                               \
  {                                                                            \
    const aqblas_vector_types types = {xType, xType, yType, resultType,        \
                                       executionType};                         \
    return TYPED_CALL(FORM, types, .op = AQBLAS_DOT, .y = Y_OPERAND(FORM),     \
                      .result = result);                                       \
  }
#define DOT_TYPED(FORM, I, X) DOTS_TYPED(TYPED(Dot, dot, FORM, X), FORM, I)
/* Elements are real. */
#define DOTC_TYPED(FORM, I, X) DOTS_TYPED(TYPED(Dotc, dotc, FORM, X), FORM, I)

/* ---- matrices ---- */

#define GEMM(FORM, S, T, TYPE, I, X)                                           \
  STATUS FUNCTION(S, gemm, FORM, X)(                                           \
      void *handle, OPERATION transA, OPERATION transB, I m, I n, I k,         \
      const T *alpha, MATRIX_IN(FORM, const T, I, a, lda, strideA),            \
      MATRIX_IN(FORM, const T, I, b, ldb, strideB), const T *beta,             \
      MATRIX_IN(FORM, T, I, c, ldc, strideC) COUNT_##FORM(I))                  \
  {                                                                            \
    return RETURNED(aqblas_gemm(                                               \
        handle, &(aqblas_gemm_call){.batch = BATCH_##FORM,                     \
                                    .op_a = transA,                            \
                                    .op_b = transB,                            \
                                    .m = m,                                    \
                                    .n = n,                                    \
                                    .k = k,                                    \
                                    .alpha = alpha,                            \
                                    .beta = beta,                              \
                                    .a = OPERAND(FORM, a, lda, strideA),       \
                                    .b = OPERAND(FORM, b, ldb, strideB),       \
                                    .c = OPERAND(FORM, c, ldc, strideC),       \
                                    .d = OPERAND(FORM, c, ldc, strideC),       \
                                    .in = TYPE,                                \
                                    .out = TYPE,                               \
                                    .compute = TYPE}));                        \
  }

/* A product whose types are arguments; at the end arguments that are not used.
 */
#define GEMM_TYPED(NAME, FORM, I, ...)                                         \
  STATUS NAME(void *handle, OPERATION transA, OPERATION transB, I m, I n, I k, \
              const void *alpha, TYPED_MATRIX_IN(FORM, const void, I, a),      \
              TYPED_MATRIX_IN(FORM, const void, I, b), const void *beta,       \
              C_IN(FORM, I) COUNT_##FORM(I), int computeType, __VA_ARGS__)     \
  {                                                                            \
    return RETURNED(aqblas_gemm_typed(                                         \
        handle,                                                                \
        &(aqblas_gemm_call){.batch = BATCH_##FORM,                             \
                            .op_a = transA,                                    \
                            .op_b = transB,                                    \
                            .m = m,                                            \
                            .n = n,                                            \
                            .k = k,                                            \
                            .alpha = alpha,                                    \
                            .beta = beta,                                      \
                            .a = TYPED_OPERAND(FORM, a),                       \
                            .b = TYPED_OPERAND(FORM, b),                       \
                            .c = TYPED_OPERAND(FORM, c),                       \
                            .d = TYPED_OPERAND(FORM, D)},                      \
        &(aqblas_gemm_types){aType, bType, cType, TYPE_OF(D), computeType}));  \
  }

#define GEMV(FORM, S, T, TYPE, I, X)                                           \
  STATUS FUNCTION(S, gemv, FORM,                                               \
                  X)(void *handle, OPERATION trans, I m, I n, const T *alpha,  \
                     MATRIX_IN(FORM, const T, I, a, lda, strideA),             \
                     VECTOR_IN(FORM, const T, I, x), const T *beta,            \
                     VECTOR_IN(FORM, T, I, y) COUNT_##FORM(I))                 \
  {                                                                            \
    return RETURNED(aqblas_gemv(                                               \
        handle, &(aqblas_gemv_call){.batch = BATCH_##FORM,                     \
                                    .op = trans,                               \
                                    .m = m,                                    \
                                    .n = n,                                    \
                                    .alpha = alpha,                            \
                                    .beta = beta,                              \
                                    .a = OPERAND(FORM, a, lda, strideA),       \
                                    .x = X_OPERAND(FORM),                      \
                                    .y = Y_OPERAND(FORM),                      \
                                    .type = TYPE}));                           \
  }

#define GER(FORM, S, T, TYPE, I, X)                                            \
  STATUS FUNCTION(S, ger, FORM, X)(                                            \
      void *handle, I m, I n, const T *alpha, VECTOR_IN(FORM, const T, I, x),  \
      VECTOR_IN(FORM, const T, I, y),                                          \
      MATRIX_IN(FORM, T, I, a, lda, strideA) COUNT_##FORM(I))                  \
  {                                                                            \
    return RETURNED(aqblas_ger(                                                \
        handle, &(aqblas_gemv_call){.batch = BATCH_##FORM,                     \
                                    .m = m,                                    \
                                    .n = n,                                    \
                                    .alpha = alpha,                            \
                                    .a = OPERAND(FORM, a, lda, strideA),       \
                                    .x = X_OPERAND(FORM),                      \
                                    .y = Y_OPERAND(FORM),                      \
                                    .type = TYPE}));                           \
  }

#define TRSM(FORM, S, T, TYPE, I, X)                                           \
  STATUS FUNCTION(S, trsm, FORM, X)(                                           \
      void *handle, SIDE side, FILL uplo, OPERATION trans, DIAGONAL diag, I m, \
      I n, const T *alpha, MATRIX_IN(FORM, const T, I, a, lda, strideA),       \
      MATRIX_IN(FORM, T, I, b, ldb, strideB) COUNT_##FORM(I))                  \
  {                                                                            \
    return RETURNED(aqblas_trsm(                                               \
        handle, &(aqblas_trsm_call){.batch = BATCH_##FORM,                     \
                                    .side = side,                              \
                                    .fill = uplo,                              \
                                    .op = trans,                               \
                                    .diagonal = diag,                          \
                                    .m = m,                                    \
                                    .n = n,                                    \
                                    .alpha = alpha,                            \
                                    .a = OPERAND(FORM, a, lda, strideA),       \
                                    .b = OPERAND(FORM, b, ldb, strideB),       \
                                    .type = TYPE}));                           \
  }

#endif
