/* SPDX-License-Identifier: MIT */
/*
 * The functions of hipBLAS that Aqueduct's libhipblas.so has, for programs that
 * are built where hipBLAS is not. Names, arguments and values follow hipBLAS's
 * documentation. doc/libraries.md says which types each takes.
 *
 * Types of elements and of computation are passed as int: the library takes
 * hipDataType and hipblasComputeType_t of hipBLAS 2 and 3, and
 * hipblasDatatype_t of hipBLAS 1 and 2, whose values differ.
 */
#ifndef HIPBLAS_H
#define HIPBLAS_H

#include <stdint.h>

/* Programs that are compiled for HIP get it with this header, as with hipBLAS's
 * own; without it the one name of HIP is declared as HIP declares it. */
#if defined(__HIP_PLATFORM_AMD__) || defined(__HIP_PLATFORM_HCC__)
#include <hip/hip_runtime_api.h>
#include <hip/library_types.h>
#ifdef HIPBLAS_USE_HIP_HALF
#include <hip/hip_fp16.h>
#endif
#ifdef HIPBLAS_USE_HIP_BFLOAT16
#include <hip/hip_bfloat16.h>
#endif
#else
typedef struct ihipStream_t *hipStream_t;
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define hipblasVersionMajor 2
#define hipblasVersionMinor 4
#define hipblasVersionPatch 0

typedef void *hipblasHandle_t;
#ifdef HIPBLAS_USE_HIP_HALF
typedef __half hipblasHalf;
#else
typedef uint16_t hipblasHalf;
#endif
#ifdef HIPBLAS_USE_HIP_BFLOAT16
typedef hip_bfloat16 hipblasBfloat16;
#else
typedef struct hipblasBfloat16 {
  uint16_t data;
} hipblasBfloat16;
#endif
typedef int64_t hipblasStride;

typedef enum hipblasStatus_t {
  HIPBLAS_STATUS_SUCCESS = 0,
  HIPBLAS_STATUS_NOT_INITIALIZED = 1,
  HIPBLAS_STATUS_ALLOC_FAILED = 2,
  HIPBLAS_STATUS_INVALID_VALUE = 3,
  HIPBLAS_STATUS_MAPPING_ERROR = 4,
  HIPBLAS_STATUS_EXECUTION_FAILED = 5,
  HIPBLAS_STATUS_INTERNAL_ERROR = 6,
  HIPBLAS_STATUS_NOT_SUPPORTED = 7,
  HIPBLAS_STATUS_ARCH_MISMATCH = 8,
  HIPBLAS_STATUS_HANDLE_IS_NULLPTR = 9,
  HIPBLAS_STATUS_INVALID_ENUM = 10,
  HIPBLAS_STATUS_UNKNOWN = 11
} hipblasStatus_t;

typedef enum hipblasOperation_t {
  HIPBLAS_OP_N = 111,
  HIPBLAS_OP_T = 112,
  HIPBLAS_OP_C = 113
} hipblasOperation_t;

typedef enum hipblasFillMode_t {
  HIPBLAS_FILL_MODE_UPPER = 121,
  HIPBLAS_FILL_MODE_LOWER = 122,
  HIPBLAS_FILL_MODE_FULL = 123
} hipblasFillMode_t;

typedef enum hipblasDiagType_t {
  HIPBLAS_DIAG_NON_UNIT = 131,
  HIPBLAS_DIAG_UNIT = 132
} hipblasDiagType_t;

typedef enum hipblasSideMode_t {
  HIPBLAS_SIDE_LEFT = 141,
  HIPBLAS_SIDE_RIGHT = 142,
  HIPBLAS_SIDE_BOTH = 143
} hipblasSideMode_t;

typedef enum hipblasPointerMode_t {
  HIPBLAS_POINTER_MODE_HOST = 0,
  HIPBLAS_POINTER_MODE_DEVICE = 1
} hipblasPointerMode_t;

typedef enum hipblasAtomicsMode_t {
  HIPBLAS_ATOMICS_NOT_ALLOWED = 0,
  HIPBLAS_ATOMICS_ALLOWED = 1
} hipblasAtomicsMode_t;

typedef enum hipblasMath_t {
  HIPBLAS_DEFAULT_MATH = 0,
  HIPBLAS_XF32_XDL_MATH = 1,
  HIPBLAS_PEDANTIC_MATH = 2,
  HIPBLAS_TF32_TENSOR_OP_MATH = 3,
  HIPBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 4,
  HIPBLAS_TENSOR_OP_MATH = 5
} hipblasMath_t;

typedef enum hipblasGemmAlgo_t { HIPBLAS_GEMM_DEFAULT = 160 } hipblasGemmAlgo_t;

typedef enum hipblasGemmFlags_t {
  HIPBLAS_GEMM_FLAGS_NONE = 0,
  HIPBLAS_GEMM_FLAGS_USE_CU_EFFICIENCY = 2,
  HIPBLAS_GEMM_FLAGS_FP16_ALT_IMPL = 4,
  HIPBLAS_GEMM_FLAGS_CHECK_SOLUTION_INDEX = 8,
  HIPBLAS_GEMM_FLAGS_FP16_ALT_IMPL_RNZ = 16
} hipblasGemmFlags_t;

typedef enum hipblasDatatype_t {
  HIPBLAS_R_16F = 150,
  HIPBLAS_R_32F = 151,
  HIPBLAS_R_64F = 152,
  HIPBLAS_R_16B = 168,
  HIPBLAS_DATATYPE_INVALID = 255
} hipblasDatatype_t;

typedef enum hipblasComputeType_t {
  HIPBLAS_COMPUTE_16F = 0,
  HIPBLAS_COMPUTE_16F_PEDANTIC = 1,
  HIPBLAS_COMPUTE_32F = 2,
  HIPBLAS_COMPUTE_32F_PEDANTIC = 3,
  HIPBLAS_COMPUTE_32F_FAST_16F = 4,
  HIPBLAS_COMPUTE_32F_FAST_16BF = 5,
  HIPBLAS_COMPUTE_32F_FAST_TF32 = 6,
  HIPBLAS_COMPUTE_64F = 7,
  HIPBLAS_COMPUTE_64F_PEDANTIC = 8,
  HIPBLAS_COMPUTE_32I = 9,
  HIPBLAS_COMPUTE_32I_PEDANTIC = 10
} hipblasComputeType_t;

/* ---- handles ---- */

hipblasStatus_t hipblasCreate(hipblasHandle_t *handle);
hipblasStatus_t hipblasDestroy(hipblasHandle_t handle);
hipblasStatus_t hipblasSetStream(hipblasHandle_t handle, hipStream_t stream);
hipblasStatus_t hipblasGetStream(hipblasHandle_t handle, hipStream_t *stream);
hipblasStatus_t hipblasSetPointerMode(hipblasHandle_t handle,
                                      hipblasPointerMode_t mode);
hipblasStatus_t hipblasGetPointerMode(hipblasHandle_t handle,
                                      hipblasPointerMode_t *mode);
hipblasStatus_t hipblasSetMathMode(hipblasHandle_t handle, hipblasMath_t mode);
hipblasStatus_t hipblasGetMathMode(hipblasHandle_t handle, hipblasMath_t *mode);
hipblasStatus_t hipblasSetAtomicsMode(hipblasHandle_t handle,
                                      hipblasAtomicsMode_t mode);
hipblasStatus_t hipblasGetAtomicsMode(hipblasHandle_t handle,
                                      hipblasAtomicsMode_t *mode);
const char *hipblasStatusToString(hipblasStatus_t status);

/* ---- copies between host and device ---- */

hipblasStatus_t hipblasSetVector(int n, int elemSize, const void *x, int incx,
                                 void *y, int incy);
hipblasStatus_t hipblasGetVector(int n, int elemSize, const void *x, int incx,
                                 void *y, int incy);
hipblasStatus_t hipblasSetMatrix(int rows, int cols, int elemSize,
                                 const void *AP, int lda, void *BP, int ldb);
hipblasStatus_t hipblasGetMatrix(int rows, int cols, int elemSize,
                                 const void *AP, int lda, void *BP, int ldb);
hipblasStatus_t hipblasSetVectorAsync(int n, int elemSize, const void *x,
                                      int incx, void *y, int incy,
                                      hipStream_t stream);
hipblasStatus_t hipblasGetVectorAsync(int n, int elemSize, const void *x,
                                      int incx, void *y, int incy,
                                      hipStream_t stream);
hipblasStatus_t hipblasSetMatrixAsync(int rows, int cols, int elemSize,
                                      const void *AP, int lda, void *BP,
                                      int ldb, hipStream_t stream);
hipblasStatus_t hipblasGetMatrixAsync(int rows, int cols, int elemSize,
                                      const void *AP, int lda, void *BP,
                                      int ldb, hipStream_t stream);

/* ---- vectors and matrices of one type ----
 * T: elements, S and L: their letters, I: sizes, X: what ends a name for them.
 */

#define HIPBLAS_AXPYS_(S, T, I, X)                                             \
  hipblasStatus_t hipblas##S##axpy##X(hipblasHandle_t handle, I n,             \
                                      const T *alpha, const T *x, I incx,      \
                                      T *y, I incy);                           \
  hipblasStatus_t hipblas##S##axpyBatched##X(                                  \
      hipblasHandle_t handle, I n, const T *alpha, const T *const x[], I incx, \
      T *const y[], I incy, I batchCount);                                     \
  hipblasStatus_t hipblas##S##axpyStridedBatched##X(                           \
      hipblasHandle_t handle, I n, const T *alpha, const T *x, I incx,         \
      hipblasStride stridex, T *y, I incy, hipblasStride stridey,              \
      I batchCount);

#define HIPBLAS_DOTS_(S, T, I, X)                                              \
  hipblasStatus_t hipblas##S##dot##X(hipblasHandle_t handle, I n, const T *x,  \
                                     I incx, const T *y, I incy, T *result);   \
  hipblasStatus_t hipblas##S##dotBatched##X(                                   \
      hipblasHandle_t handle, I n, const T *const x[], I incx,                 \
      const T *const y[], I incy, I batchCount, T *result);                    \
  hipblasStatus_t hipblas##S##dotStridedBatched##X(                            \
      hipblasHandle_t handle, I n, const T *x, I incx, hipblasStride stridex,  \
      const T *y, I incy, hipblasStride stridey, I batchCount, T *result);

#define HIPBLAS_VECTORS_(S, L, T, I, X)                                        \
  hipblasStatus_t hipblas##S##scal##X(hipblasHandle_t handle, I n,             \
                                      const T *alpha, T *x, I incx);           \
  hipblasStatus_t hipblas##S##copy##X(hipblasHandle_t handle, I n, const T *x, \
                                      I incx, T *y, I incy);                   \
  hipblasStatus_t hipblas##S##swap##X(hipblasHandle_t handle, I n, T *x,       \
                                      I incx, T *y, I incy);                   \
  hipblasStatus_t hipblas##S##nrm2##X(hipblasHandle_t handle, I n, const T *x, \
                                      I incx, T *result);                      \
  hipblasStatus_t hipblas##S##asum##X(hipblasHandle_t handle, I n, const T *x, \
                                      I incx, T *result);                      \
  hipblasStatus_t hipblasI##L##amax##X(hipblasHandle_t handle, I n,            \
                                       const T *x, I incx, I *result);         \
  hipblasStatus_t hipblasI##L##amin##X(hipblasHandle_t handle, I n,            \
                                       const T *x, I incx, I *result);         \
  hipblasStatus_t hipblas##S##scalBatched##X(hipblasHandle_t handle, I n,      \
                                             const T *alpha, T *const x[],     \
                                             I incx, I batchCount);            \
  hipblasStatus_t hipblas##S##copyBatched##X(                                  \
      hipblasHandle_t handle, I n, const T *const x[], I incx, T *const y[],   \
      I incy, I batchCount);                                                   \
  hipblasStatus_t hipblas##S##swapBatched##X(                                  \
      hipblasHandle_t handle, I n, T *const x[], I incx, T *const y[], I incy, \
      I batchCount);                                                           \
  hipblasStatus_t hipblas##S##nrm2Batched##X(hipblasHandle_t handle, I n,      \
                                             const T *const x[], I incx,       \
                                             I batchCount, T *result);         \
  hipblasStatus_t hipblas##S##asumBatched##X(hipblasHandle_t handle, I n,      \
                                             const T *const x[], I incx,       \
                                             I batchCount, T *result);         \
  hipblasStatus_t hipblasI##L##amaxBatched##X(hipblasHandle_t handle, I n,     \
                                              const T *const x[], I incx,      \
                                              I batchCount, I *result);        \
  hipblasStatus_t hipblasI##L##aminBatched##X(hipblasHandle_t handle, I n,     \
                                              const T *const x[], I incx,      \
                                              I batchCount, I *result);        \
  hipblasStatus_t hipblas##S##scalStridedBatched##X(                           \
      hipblasHandle_t handle, I n, const T *alpha, T *x, I incx,               \
      hipblasStride stridex, I batchCount);                                    \
  hipblasStatus_t hipblas##S##copyStridedBatched##X(                           \
      hipblasHandle_t handle, I n, const T *x, I incx, hipblasStride stridex,  \
      T *y, I incy, hipblasStride stridey, I batchCount);                      \
  hipblasStatus_t hipblas##S##swapStridedBatched##X(                           \
      hipblasHandle_t handle, I n, T *x, I incx, hipblasStride stridex, T *y,  \
      I incy, hipblasStride stridey, I batchCount);                            \
  hipblasStatus_t hipblas##S##nrm2StridedBatched##X(                           \
      hipblasHandle_t handle, I n, const T *x, I incx, hipblasStride stridex,  \
      I batchCount, T *result);                                                \
  hipblasStatus_t hipblas##S##asumStridedBatched##X(                           \
      hipblasHandle_t handle, I n, const T *x, I incx, hipblasStride stridex,  \
      I batchCount, T *result);                                                \
  hipblasStatus_t hipblasI##L##amaxStridedBatched##X(                          \
      hipblasHandle_t handle, I n, const T *x, I incx, hipblasStride stridex,  \
      I batchCount, I *result);                                                \
  hipblasStatus_t hipblasI##L##aminStridedBatched##X(                          \
      hipblasHandle_t handle, I n, const T *x, I incx, hipblasStride stridex,  \
      I batchCount, I *result);

#define HIPBLAS_GEMMS_(S, T, I, X)                                             \
  hipblasStatus_t hipblas##S##gemm##X(                                         \
      hipblasHandle_t handle, hipblasOperation_t transA,                       \
      hipblasOperation_t transB, I m, I n, I k, const T *alpha, const T *AP,   \
      I lda, const T *BP, I ldb, const T *beta, T *CP, I ldc);                 \
  hipblasStatus_t hipblas##S##gemmBatched##X(                                  \
      hipblasHandle_t handle, hipblasOperation_t transA,                       \
      hipblasOperation_t transB, I m, I n, I k, const T *alpha,                \
      const T *const AP[], I lda, const T *const BP[], I ldb, const T *beta,   \
      T *const CP[], I ldc, I batchCount);                                     \
  hipblasStatus_t hipblas##S##gemmStridedBatched##X(                           \
      hipblasHandle_t handle, hipblasOperation_t transA,                       \
      hipblasOperation_t transB, I m, I n, I k, const T *alpha, const T *AP,   \
      I lda, hipblasStride strideA, const T *BP, I ldb, hipblasStride strideB, \
      const T *beta, T *CP, I ldc, hipblasStride strideC, I batchCount);

#define HIPBLAS_MATRICES_(S, T, I, X)                                          \
  hipblasStatus_t hipblas##S##gemv##X(                                         \
      hipblasHandle_t handle, hipblasOperation_t trans, I m, I n,              \
      const T *alpha, const T *AP, I lda, const T *x, I incx, const T *beta,   \
      T *y, I incy);                                                           \
  hipblasStatus_t hipblas##S##ger##X(hipblasHandle_t handle, I m, I n,         \
                                     const T *alpha, const T *x, I incx,       \
                                     const T *y, I incy, T *AP, I lda);        \
  hipblasStatus_t hipblas##S##trsm##X(                                         \
      hipblasHandle_t handle, hipblasSideMode_t side, hipblasFillMode_t uplo,  \
      hipblasOperation_t trans, hipblasDiagType_t diag, I m, I n,              \
      const T *alpha, const T *AP, I lda, T *BP, I ldb);                       \
  hipblasStatus_t hipblas##S##gemvBatched##X(                                  \
      hipblasHandle_t handle, hipblasOperation_t trans, I m, I n,              \
      const T *alpha, const T *const AP[], I lda, const T *const x[], I incx,  \
      const T *beta, T *const y[], I incy, I batchCount);                      \
  hipblasStatus_t hipblas##S##gerBatched##X(                                   \
      hipblasHandle_t handle, I m, I n, const T *alpha, const T *const x[],    \
      I incx, const T *const y[], I incy, T *const AP[], I lda, I batchCount); \
  hipblasStatus_t hipblas##S##trsmBatched##X(                                  \
      hipblasHandle_t handle, hipblasSideMode_t side, hipblasFillMode_t uplo,  \
      hipblasOperation_t trans, hipblasDiagType_t diag, I m, I n,              \
      const T *alpha, const T *const AP[], I lda, T *const BP[], I ldb,        \
      I batchCount);                                                           \
  hipblasStatus_t hipblas##S##gemvStridedBatched##X(                           \
      hipblasHandle_t handle, hipblasOperation_t trans, I m, I n,              \
      const T *alpha, const T *AP, I lda, hipblasStride strideA, const T *x,   \
      I incx, hipblasStride stridex, const T *beta, T *y, I incy,              \
      hipblasStride stridey, I batchCount);                                    \
  hipblasStatus_t hipblas##S##gerStridedBatched##X(                            \
      hipblasHandle_t handle, I m, I n, const T *alpha, const T *x, I incx,    \
      hipblasStride stridex, const T *y, I incy, hipblasStride stridey, T *AP, \
      I lda, hipblasStride strideA, I batchCount);                             \
  hipblasStatus_t hipblas##S##trsmStridedBatched##X(                           \
      hipblasHandle_t handle, hipblasSideMode_t side, hipblasFillMode_t uplo,  \
      hipblasOperation_t trans, hipblasDiagType_t diag, I m, I n,              \
      const T *alpha, const T *AP, I lda, hipblasStride strideA, T *BP, I ldb, \
      hipblasStride strideB, I batchCount);

#define HIPBLAS_WIDTHS_(FUNCTIONS, S, T)                                       \
  FUNCTIONS(S, T, int, )                                                       \
  FUNCTIONS(S, T, int64_t, _64)
HIPBLAS_WIDTHS_(HIPBLAS_AXPYS_, H, hipblasHalf)
HIPBLAS_WIDTHS_(HIPBLAS_AXPYS_, S, float)
HIPBLAS_WIDTHS_(HIPBLAS_AXPYS_, D, double)
HIPBLAS_WIDTHS_(HIPBLAS_DOTS_, H, hipblasHalf)
HIPBLAS_WIDTHS_(HIPBLAS_DOTS_, Bf, hipblasBfloat16)
HIPBLAS_WIDTHS_(HIPBLAS_DOTS_, S, float)
HIPBLAS_WIDTHS_(HIPBLAS_DOTS_, D, double)
HIPBLAS_VECTORS_(S, s, float, int, )
HIPBLAS_VECTORS_(S, s, float, int64_t, _64)
HIPBLAS_VECTORS_(D, d, double, int, )
HIPBLAS_VECTORS_(D, d, double, int64_t, _64)
HIPBLAS_WIDTHS_(HIPBLAS_GEMMS_, H, hipblasHalf)
HIPBLAS_WIDTHS_(HIPBLAS_GEMMS_, S, float)
HIPBLAS_WIDTHS_(HIPBLAS_GEMMS_, D, double)
HIPBLAS_WIDTHS_(HIPBLAS_MATRICES_, S, float)
HIPBLAS_WIDTHS_(HIPBLAS_MATRICES_, D, double)

/* ---- types as arguments ----
 * The names with _v2 are hipBLAS 2's under HIPBLAS_V2; both take all values. */

#define HIPBLAS_EX_(I, X)                                                      \
  hipblasStatus_t hipblasGemmEx##X(                                            \
      hipblasHandle_t handle, hipblasOperation_t transA,                       \
      hipblasOperation_t transB, I m, I n, I k, const void *alpha,             \
      const void *A, int aType, I lda, const void *B, int bType, I ldb,        \
      const void *beta, void *C, int cType, I ldc, int computeType,            \
      hipblasGemmAlgo_t algo);                                                 \
  hipblasStatus_t hipblasGemmExWithFlags##X(                                   \
      hipblasHandle_t handle, hipblasOperation_t transA,                       \
      hipblasOperation_t transB, I m, I n, I k, const void *alpha,             \
      const void *A, int aType, I lda, const void *B, int bType, I ldb,        \
      const void *beta, void *C, int cType, I ldc, int computeType,            \
      hipblasGemmAlgo_t algo, hipblasGemmFlags_t flags);                       \
  hipblasStatus_t hipblasAxpyEx##X(hipblasHandle_t handle, I n,                \
                                   const void *alpha, int alphaType,           \
                                   const void *x, int xType, I incx, void *y,  \
                                   int yType, I incy, int executionType);      \
  hipblasStatus_t hipblasDotEx##X(hipblasHandle_t handle, I n, const void *x,  \
                                  int xType, I incx, const void *y, int yType, \
                                  I incy, void *result, int resultType,        \
                                  int executionType);                          \
  hipblasStatus_t hipblasDotcEx##X(hipblasHandle_t handle, I n, const void *x, \
                                   int xType, I incx, const void *y,           \
                                   int yType, I incy, void *result,            \
                                   int resultType, int executionType);         \
  hipblasStatus_t hipblasNrm2Ex##X(hipblasHandle_t handle, I n, const void *x, \
                                   int xType, I incx, void *result,            \
                                   int resultType, int executionType);         \
  hipblasStatus_t hipblasScalEx##X(hipblasHandle_t handle, I n,                \
                                   const void *alpha, int alphaType, void *x,  \
                                   int xType, I incx, int executionType);      \
  hipblasStatus_t hipblasGemmBatchedEx##X(                                     \
      hipblasHandle_t handle, hipblasOperation_t transA,                       \
      hipblasOperation_t transB, I m, I n, I k, const void *alpha,             \
      const void *A[], int aType, I lda, const void *B[], int bType, I ldb,    \
      const void *beta, void *C[], int cType, I ldc, I batchCount,             \
      int computeType, hipblasGemmAlgo_t algo);                                \
  hipblasStatus_t hipblasGemmBatchedExWithFlags##X(                            \
      hipblasHandle_t handle, hipblasOperation_t transA,                       \
      hipblasOperation_t transB, I m, I n, I k, const void *alpha,             \
      const void *A[], int aType, I lda, const void *B[], int bType, I ldb,    \
      const void *beta, void *C[], int cType, I ldc, I batchCount,             \
      int computeType, hipblasGemmAlgo_t algo, hipblasGemmFlags_t flags);      \
  hipblasStatus_t hipblasAxpyBatchedEx##X(                                     \
      hipblasHandle_t handle, I n, const void *alpha, int alphaType,           \
      const void *x, int xType, I incx, void *y, int yType, I incy,            \
      I batchCount, int executionType);                                        \
  hipblasStatus_t hipblasDotBatchedEx##X(                                      \
      hipblasHandle_t handle, I n, const void *x, int xType, I incx,           \
      const void *y, int yType, I incy, I batchCount, void *result,            \
      int resultType, int executionType);                                      \
  hipblasStatus_t hipblasDotcBatchedEx##X(                                     \
      hipblasHandle_t handle, I n, const void *x, int xType, I incx,           \
      const void *y, int yType, I incy, I batchCount, void *result,            \
      int resultType, int executionType);                                      \
  hipblasStatus_t hipblasNrm2BatchedEx##X(                                     \
      hipblasHandle_t handle, I n, const void *x, int xType, I incx,           \
      I batchCount, void *result, int resultType, int executionType);          \
  hipblasStatus_t hipblasScalBatchedEx##X(                                     \
      hipblasHandle_t handle, I n, const void *alpha, int alphaType, void *x,  \
      int xType, I incx, I batchCount, int executionType);                     \
  hipblasStatus_t hipblasGemmStridedBatchedEx##X(                              \
      hipblasHandle_t handle, hipblasOperation_t transA,                       \
      hipblasOperation_t transB, I m, I n, I k, const void *alpha,             \
      const void *A, int aType, I lda, hipblasStride strideA, const void *B,   \
      int bType, I ldb, hipblasStride strideB, const void *beta, void *C,      \
      int cType, I ldc, hipblasStride strideC, I batchCount, int computeType,  \
      hipblasGemmAlgo_t algo);                                                 \
  hipblasStatus_t hipblasGemmStridedBatchedExWithFlags##X(                     \
      hipblasHandle_t handle, hipblasOperation_t transA,                       \
      hipblasOperation_t transB, I m, I n, I k, const void *alpha,             \
      const void *A, int aType, I lda, hipblasStride strideA, const void *B,   \
      int bType, I ldb, hipblasStride strideB, const void *beta, void *C,      \
      int cType, I ldc, hipblasStride strideC, I batchCount, int computeType,  \
      hipblasGemmAlgo_t algo, hipblasGemmFlags_t flags);                       \
  hipblasStatus_t hipblasAxpyStridedBatchedEx##X(                              \
      hipblasHandle_t handle, I n, const void *alpha, int alphaType,           \
      const void *x, int xType, I incx, hipblasStride stridex, void *y,        \
      int yType, I incy, hipblasStride stridey, I batchCount,                  \
      int executionType);                                                      \
  hipblasStatus_t hipblasDotStridedBatchedEx##X(                               \
      hipblasHandle_t handle, I n, const void *x, int xType, I incx,           \
      hipblasStride stridex, const void *y, int yType, I incy,                 \
      hipblasStride stridey, I batchCount, void *result, int resultType,       \
      int executionType);                                                      \
  hipblasStatus_t hipblasDotcStridedBatchedEx##X(                              \
      hipblasHandle_t handle, I n, const void *x, int xType, I incx,           \
      hipblasStride stridex, const void *y, int yType, I incy,                 \
      hipblasStride stridey, I batchCount, void *result, int resultType,       \
      int executionType);                                                      \
  hipblasStatus_t hipblasNrm2StridedBatchedEx##X(                              \
      hipblasHandle_t handle, I n, const void *x, int xType, I incx,           \
      hipblasStride stridex, I batchCount, void *result, int resultType,       \
      int executionType);                                                      \
  hipblasStatus_t hipblasScalStridedBatchedEx##X(                              \
      hipblasHandle_t handle, I n, const void *alpha, int alphaType, void *x,  \
      int xType, I incx, hipblasStride stridex, I batchCount,                  \
      int executionType);

HIPBLAS_EX_(int, )
HIPBLAS_EX_(int64_t, _64)
HIPBLAS_EX_(int, _v2)
HIPBLAS_EX_(int64_t, _v2_64)

#undef HIPBLAS_WIDTHS_
#undef HIPBLAS_AXPYS_
#undef HIPBLAS_DOTS_
#undef HIPBLAS_VECTORS_
#undef HIPBLAS_GEMMS_
#undef HIPBLAS_MATRICES_
#undef HIPBLAS_EX_

#ifdef __cplusplus
}
#endif

#endif
