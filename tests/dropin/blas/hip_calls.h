/* SPDX-License-Identifier: MIT */
/* The functions of HIP that the tests of BLAS call, so that they need no
 * headers of HIP; each returns 0 on success. hip_stand_in.c has them where HIP
 * is not installed, and on processors that the installed HIP does not know. */
#ifndef AQ_TESTS_HIP_CALLS_H
#define AQ_TESTS_HIP_CALLS_H

#include <stddef.h>

enum { TO_DEVICE = 1, TO_HOST = 2, ON_DEVICE = 3 }; /* hipMemcpyKind */

#pragma GCC visibility push(default) /* the library looks for them */

int hipDeviceSynchronize(void);
int hipFree(void *at);
int hipGetDevice(int *device);
int hipSetDevice(int device);
int hipMalloc(void **out, size_t bytes);
int hipMemcpy(void *to, const void *from, size_t bytes, int kind);
int hipMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                size_t width, size_t height, int kind);
int hipMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                     size_t from_pitch, size_t width, size_t height, int kind,
                     void *stream);
int hipMemcpyAsync(void *to, const void *from, size_t bytes, int kind,
                   void *stream);
int hipMemsetAsync(void *at, int value, size_t bytes, void *stream);
int hipModuleGetFunction(void **out, void *module, const char *name);
int hipModuleLaunchKernel(void *function, unsigned grid_x, unsigned grid_y,
                          unsigned grid_z, unsigned block_x, unsigned block_y,
                          unsigned block_z, unsigned shared_bytes, void *stream,
                          void **params, void **extra);
int hipModuleLoadData(void **out, const void *image);
int hipModuleUnload(void *module);
int hipStreamCreate(void **out);
int hipStreamDestroy(void *stream);
int hipStreamSynchronize(void *stream);

#pragma GCC visibility pop

#endif
