/* SPDX-License-Identifier: MIT */
/*
 * Calls whose arguments name the types, by number: a hipDataType, or the older
 * types from 150 on, which hipBLAS and rocBLAS share; a type of computation
 * also as a hipblasComputeType_t. Unknown ones are refused.
 */
#ifndef AQ_DROPIN_BLAS_TYPED_H
#define AQ_DROPIN_BLAS_TYPED_H

#include "dropin/blas/core.h"

typedef struct aqblas_gemm_types {
  int a, b, c, d, compute;
} aqblas_gemm_types;

aqblas_status aqblas_gemm_typed(aqblas_handle *handle,
                                const aqblas_gemm_call *call,
                                const aqblas_gemm_types *numbers);

/* Of a call's vectors; a vector or scalar that it lacks has the type of x. */
typedef struct aqblas_vector_types {
  int alpha, x, y, result, compute;
} aqblas_vector_types;

aqblas_status aqblas_vector_typed(aqblas_handle *handle,
                                  const aqblas_vector_call *call,
                                  const aqblas_vector_types *numbers);

#endif
