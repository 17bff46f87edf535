/* SPDX-License-Identifier: MIT */
/*
 * The HIP runtime that the program has loaded: its functions, found by name, so
 * that the library needs none of HIP to be built and runs on any of its
 * versions.
 */
#ifndef AQ_DROPIN_BLAS_HIP_H
#define AQ_DROPIN_BLAS_HIP_H

#include <stdbool.h>
#include <stddef.h>

/* F(name, arguments); each returns a hipError_t, 0: success. */
#define AQBLAS_HIP_FUNCTIONS(F)                                                \
  F(hipDeviceSynchronize, (void))                                              \
  F(hipFree, (void *at))                                                       \
  F(hipGetDevice, (int *device))                                               \
  F(hipMalloc, (void **out, size_t bytes))                                     \
  F(hipMemcpy2D, (void *to, size_t to_pitch, const void *from,                 \
                  size_t from_pitch, size_t width, size_t height, int kind))   \
  F(hipMemcpy2DAsync,                                                          \
    (void *to, size_t to_pitch, const void *from, size_t from_pitch,           \
     size_t width, size_t height, int kind, void *stream))                     \
  F(hipMemcpyAsync,                                                            \
    (void *to, const void *from, size_t bytes, int kind, void *stream))        \
  F(hipMemsetAsync, (void *at, int value, size_t bytes, void *stream))         \
  F(hipModuleGetFunction, (void **out, void *module, const char *name))        \
  F(hipModuleLaunchKernel,                                                     \
    (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,        \
     unsigned block_x, unsigned block_y, unsigned block_z,                     \
     unsigned shared_bytes, void *stream, void **params, void **extra))        \
  F(hipModuleLoadData, (void **out, const void *image))                        \
  F(hipModuleUnload, (void *module))                                           \
  F(hipSetDevice, (int device))                                                \
  F(hipStreamSynchronize, (void *stream))

enum { AQBLAS_TO_DEVICE = 1, AQBLAS_TO_HOST = 2 }; /* hipMemcpyKind */

typedef struct aqblas_hip {
#define F(name, args) int(*name) args;
  AQBLAS_HIP_FUNCTIONS(F)
#undef F
} aqblas_hip;

/* NULL: the program has no HIP runtime, which one line on standard error says.
 * Any thread. */
const aqblas_hip *aqblas_hip_find(void);

#endif
