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
#define POINTERS(T, name) T *name[]
#define C_IN(FORM, I)     TYPED_MATRIX_IN(FORM, void, I, c)
#define D                 c
#define ALGORITHM         hipblasGemmAlgo_t algorithm __attribute__((unused))
#define FLAGS             hipblasGemmFlags_t flags __attribute__((unused))
#define GEMM_EX(FORM, I, X)                                                    \
  GEMM_TYPED(TYPED(Gemm, gemm, FORM, X), FORM, I, ALGORITHM)                   \
  GEMM_TYPED(TYPED(Gemm, gemm, FORM, WithFlags##X), FORM, I, ALGORITHM, FLAGS)
#define GEMMS_EX(I, X) FORMS(GEMM_EX, I, X)

GEMMS_EX(int, )
GEMMS_EX(int64_t, _64)
GEMMS_EX(int, _v2)
GEMMS_EX(int64_t, _v2_64)
TYPED_VECTORS(int, _v2)
TYPED_VECTORS(int64_t, _v2_64)
