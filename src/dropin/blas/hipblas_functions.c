/* SPDX-License-Identifier: MIT */
/* hipBLAS's functions of vectors and matrices. */
#include "config.h"

#include "dropin/blas/forms.h"
#include "dropin/blas/hipblas_status.h"

#define STATUS                     hipblasStatus_t
#define RETURNED                   aqblas_hipblas_status
#define OPERATION                  hipblasOperation_t
#define SIDE                       hipblasSideMode_t
#define FILL                       hipblasFillMode_t
#define DIAGONAL                   hipblasDiagType_t
#define FUNCTION(S, name, FORM, X) JOIN(hipblas, S, name, FORM##_, , X)
#define INDEXED(L, name, FORM, X)  JOIN(hipblasI, L, name, FORM##_, , X)
#define TYPED(Name, name, FORM, X) JOIN(hipblas, Name, , FORM##_, Ex, X)
#define ONE_
#define BATCHED_                Batched
#define STRIDED_                StridedBatched
#define JOIN(a, b, c, d, e, f)  JOIN_(a, b, c, d, e, f)
#define JOIN_(a, b, c, d, e, f) a##b##c##d##e##f

#define LETTER(U, l) U
#define HALF         hipblasHalf
#define BFLOAT16     hipblasBfloat16
#include "dropin/blas/functions.inc"

/* hipBLAS 2 has two names for two sets of types; each takes both here. */
#define GEMMS_EX(I, X)                                                         \
  hipblasStatus_t hipblasGemmEx##X(                                            \
      hipblasHandle_t handle, hipblasOperation_t transA,                       \
      hipblasOperation_t transB, I m, I n, I k, const void *alpha,             \
      const void *A, int aType, I lda, const void *B, int bType, I ldb,        \
      const void *beta, void *C, int cType, I ldc, int computeType,            \
      hipblasGemmAlgo_t algo)                                                  \
  {                                                                            \
    (void)algo;                                                                \
    return aqblas_hipblas_status(aqblas_gemm_typed(                            \
        handle,                                                                \
        &(aqblas_gemm_call){.batch = {__func__, 1, false},                     \
                            .op_a = transA,                                    \
                            .op_b = transB,                                    \
                            .m = m,                                            \
                            .n = n,                                            \
                            .k = k,                                            \
                            .alpha = alpha,                                    \
                            .beta = beta,                                      \
                            .a = {A, lda},                                     \
                            .b = {B, ldb},                                     \
                            .c = {C, ldc},                                     \
                            .d = {C, ldc}},                                    \
        &(aqblas_gemm_types){aType, bType, cType, cType, computeType}));       \
  }                                                                            \
  hipblasStatus_t hipblasGemmExWithFlags##X(                                   \
      hipblasHandle_t handle, hipblasOperation_t transA,                       \
      hipblasOperation_t transB, I m, I n, I k, const void *alpha,             \
      const void *A, int aType, I lda, const void *B, int bType, I ldb,        \
      const void *beta, void *C, int cType, I ldc, int computeType,            \
      hipblasGemmAlgo_t algo, hipblasGemmFlags_t flags)                        \
  {                                                                            \
    (void)algo;                                                                \
    (void)flags;                                                               \
    return aqblas_hipblas_status(aqblas_gemm_typed(                            \
        handle,                                                                \
        &(aqblas_gemm_call){.batch = {__func__, 1, false},                     \
                            .op_a = transA,                                    \
                            .op_b = transB,                                    \
                            .m = m,                                            \
                            .n = n,                                            \
                            .k = k,                                            \
                            .alpha = alpha,                                    \
                            .beta = beta,                                      \
                            .a = {A, lda},                                     \
                            .b = {B, ldb},                                     \
                            .c = {C, ldc},                                     \
                            .d = {C, ldc}},                                    \
        &(aqblas_gemm_types){aType, bType, cType, cType, computeType}));       \
  }                                                                            \
  hipblasStatus_t hipblasGemmBatchedEx##X(                                     \
      hipblasHandle_t handle, hipblasOperation_t transA,                       \
      hipblasOperation_t transB, I m, I n, I k, const void *alpha,             \
      const void *A[], int aType, I lda, const void *B[], int bType, I ldb,    \
      const void *beta, void *C[], int cType, I ldc, I batchCount,             \
      int computeType, hipblasGemmAlgo_t algo)                                 \
  {                                                                            \
    (void)algo;                                                                \
    return aqblas_hipblas_status(aqblas_gemm_typed(                            \
        handle,                                                                \
        &(aqblas_gemm_call){.batch = {__func__, batchCount, true},             \
                            .op_a = transA,                                    \
                            .op_b = transB,                                    \
                            .m = m,                                            \
                            .n = n,                                            \
                            .k = k,                                            \
                            .alpha = alpha,                                    \
                            .beta = beta,                                      \
                            .a = {A, lda},                                     \
                            .b = {B, ldb},                                     \
                            .c = {C, ldc},                                     \
                            .d = {C, ldc}},                                    \
        &(aqblas_gemm_types){aType, bType, cType, cType, computeType}));       \
  }                                                                            \
  hipblasStatus_t hipblasGemmBatchedExWithFlags##X(                            \
      hipblasHandle_t handle, hipblasOperation_t transA,                       \
      hipblasOperation_t transB, I m, I n, I k, const void *alpha,             \
      const void *A[], int aType, I lda, const void *B[], int bType, I ldb,    \
      const void *beta, void *C[], int cType, I ldc, I batchCount,             \
      int computeType, hipblasGemmAlgo_t algo, hipblasGemmFlags_t flags)       \
  {                                                                            \
    (void)algo;                                                                \
    (void)flags;                                                               \
    return aqblas_hipblas_status(aqblas_gemm_typed(                            \
        handle,                                                                \
        &(aqblas_gemm_call){.batch = {__func__, batchCount, true},             \
                            .op_a = transA,                                    \
                            .op_b = transB,                                    \
                            .m = m,                                            \
                            .n = n,                                            \
                            .k = k,                                            \
                            .alpha = alpha,                                    \
                            .beta = beta,                                      \
                            .a = {A, lda},                                     \
                            .b = {B, ldb},                                     \
                            .c = {C, ldc},                                     \
                            .d = {C, ldc}},                                    \
        &(aqblas_gemm_types){aType, bType, cType, cType, computeType}));       \
  }                                                                            \
  hipblasStatus_t hipblasGemmStridedBatchedEx##X(                              \
      hipblasHandle_t handle, hipblasOperation_t transA,                       \
      hipblasOperation_t transB, I m, I n, I k, const void *alpha,             \
      const void *A, int aType, I lda, hipblasStride strideA, const void *B,   \
      int bType, I ldb, hipblasStride strideB, const void *beta, void *C,      \
      int cType, I ldc, hipblasStride strideC, I batchCount, int computeType,  \
      hipblasGemmAlgo_t algo)                                                  \
  {                                                                            \
    (void)algo;                                                                \
    return aqblas_hipblas_status(aqblas_gemm_typed(                            \
        handle,                                                                \
        &(aqblas_gemm_call){.batch = {__func__, batchCount, false},            \
                            .op_a = transA,                                    \
                            .op_b = transB,                                    \
                            .m = m,                                            \
                            .n = n,                                            \
                            .k = k,                                            \
                            .alpha = alpha,                                    \
                            .beta = beta,                                      \
                            .a = {A, lda, strideA},                            \
                            .b = {B, ldb, strideB},                            \
                            .c = {C, ldc, strideC},                            \
                            .d = {C, ldc, strideC}},                           \
        &(aqblas_gemm_types){aType, bType, cType, cType, computeType}));       \
  }                                                                            \
  hipblasStatus_t hipblasGemmStridedBatchedExWithFlags##X(                     \
      hipblasHandle_t handle, hipblasOperation_t transA,                       \
      hipblasOperation_t transB, I m, I n, I k, const void *alpha,             \
      const void *A, int aType, I lda, hipblasStride strideA, const void *B,   \
      int bType, I ldb, hipblasStride strideB, const void *beta, void *C,      \
      int cType, I ldc, hipblasStride strideC, I batchCount, int computeType,  \
      hipblasGemmAlgo_t algo, hipblasGemmFlags_t flags)                        \
  {                                                                            \
    (void)algo;                                                                \
    (void)flags;                                                               \
    return aqblas_hipblas_status(aqblas_gemm_typed(                            \
        handle,                                                                \
        &(aqblas_gemm_call){.batch = {__func__, batchCount, false},            \
                            .op_a = transA,                                    \
                            .op_b = transB,                                    \
                            .m = m,                                            \
                            .n = n,                                            \
                            .k = k,                                            \
                            .alpha = alpha,                                    \
                            .beta = beta,                                      \
                            .a = {A, lda, strideA},                            \
                            .b = {B, ldb, strideB},                            \
                            .c = {C, ldc, strideC},                            \
                            .d = {C, ldc, strideC}},                           \
        &(aqblas_gemm_types){aType, bType, cType, cType, computeType}));       \
  }

GEMMS_EX(int, )
GEMMS_EX(int64_t, _64)
GEMMS_EX(int, _v2)
GEMMS_EX(int64_t, _v2_64)
TYPED_VECTORS(int, _v2)
TYPED_VECTORS(int64_t, _v2_64)
