/* SPDX-License-Identifier: MIT */
/* hipBLAS's interface and the core below it. A hipblasHandle_t is an
 * aqblas_handle. */
#ifndef AQ_DROPIN_BLAS_HIPBLAS_STATUS_H
#define AQ_DROPIN_BLAS_HIPBLAS_STATUS_H

/* The interface is all that the library exports. */
#pragma GCC visibility push(default)
#include "dropin/blas/hipblas.h"
#pragma GCC visibility pop

#include "dropin/blas/core.h"

hipblasStatus_t aqblas_hipblas_status(aqblas_status status);

#endif
