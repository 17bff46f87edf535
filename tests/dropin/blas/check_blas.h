/* SPDX-License-Identifier: MIT */
/*
 * Shared by the checks of BLAS: matrices on the host and on the device, and
 * their values as doubles. Elements are small integers, unless a check says
 * otherwise, so that every type computes them exactly and results are compared
 * with ==.
 */
#ifndef AQ_TESTS_CHECK_BLAS_H
#define AQ_TESTS_CHECK_BLAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dropin/blas/hip_calls.h"
#include "dropin/blas/hipblas.h"

typedef enum element { F16, BF16, F32, F64, I32, I64, POINTER } element;

size_t element_size(element type);
void element_put(element type, void *at, size_t index, double value);
double element_get(element type, const void *at, size_t index);
/* A value as an element: rounded to the nearest, ties to even. */
double element_round(element type, double value);

/* Elements on the host as doubles, and their copy on the device. */
typedef struct array {
  element type;
  size_t count;
  double *host;
  void *device;
} array;

array array_make(element type, size_t count);
void array_fini(array *a);
void array_upload(const array *a);
void array_download(array *a);
/* Integers from -2 to 2, by the library's own generator. */
void array_randomize(array *a);
void array_fill(array *a, double value);
/* An array on the device of pointers, to each `step` elements of `a`. */
array array_pointers(const array *a, size_t count, size_t step);

/* Equal, or both NaN. */
bool same(double a, double b);

/* A scalar of a type, on the host or, where `device`, on the device. */
typedef struct scalar {
  _Alignas(8) char bytes[8];
  void *device;
} scalar;
const void *scalar_make(scalar *s, element type, double value, bool device);
void scalar_fini(scalar *s);

/* Counts a comparison; a failed one is printed, the first few of a check. */
void expect(bool right, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Ends a check: a line of TAP. */
void check_end(const char *name);

/* How a call gets its problems. */
typedef enum form { ONE, POINTERS, STRIDED } form;

/* The checks. */
void check_gemm(hipblasHandle_t handle);
void check_gemm_batches(hipblasHandle_t handle);
void check_gemm_values(hipblasHandle_t handle);
void check_gemv(hipblasHandle_t handle);
void check_trsm(hipblasHandle_t handle);
void check_vectors(hipblasHandle_t handle);
void check_vectors_ex(hipblasHandle_t handle);
void check_errors(hipblasHandle_t handle);
void check_rocblas(void);

#endif
