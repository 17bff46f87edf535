/* SPDX-License-Identifier: MIT */
/* hipBLAS's functions that are not here. */
#include "config.h"

#include "dropin/blas/hipblas_status.h"

/* The caller passes arguments that nothing reads. */
#define R(name)                                                                \
  __attribute__((visibility("default"))) hipblasStatus_t hipblas##name(void);  \
  hipblasStatus_t hipblas##name(void)                                          \
  {                                                                            \
    return aqblas_hipblas_status(aqblas_refuse("hipblas" #name, "%s", ""));    \
  }
#include "dropin/blas/refused.def"
