/* SPDX-License-Identifier: MIT */
/*
 * rocBLAS's interface, as its documentation publishes it. A rocblas_handle is
 * an aqblas_handle; all enums are int, and no header declares the functions.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "dropin/blas/forms.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC visibility push(default)

enum {
  ROCBLAS_SUCCESS = 0,
  ROCBLAS_INVALID_HANDLE = 1,
  ROCBLAS_NOT_IMPLEMENTED = 2,
  ROCBLAS_INVALID_POINTER = 3,
  ROCBLAS_INVALID_SIZE = 4,
  ROCBLAS_MEMORY_ERROR = 5,
  ROCBLAS_INTERNAL_ERROR = 6,
  ROCBLAS_INVALID_VALUE = 11,
  ROCBLAS_ARCH_MISMATCH = 15
};

static int rocblas_status(aqblas_status status)
{
  static const int published[] = {
      [AQBLAS_OK] = ROCBLAS_SUCCESS,
      [AQBLAS_BAD_HANDLE] = ROCBLAS_INVALID_HANDLE,
      [AQBLAS_BAD_SIZE] = ROCBLAS_INVALID_SIZE,
      [AQBLAS_BAD_POINTER] = ROCBLAS_INVALID_POINTER,
      [AQBLAS_BAD_ENUM] = ROCBLAS_INVALID_VALUE,
      [AQBLAS_NO_MEMORY] = ROCBLAS_MEMORY_ERROR,
      [AQBLAS_NO_RUNTIME] = ROCBLAS_INTERNAL_ERROR,
      [AQBLAS_NO_CODE] = ROCBLAS_ARCH_MISMATCH,
      [AQBLAS_FAILED] = ROCBLAS_INTERNAL_ERROR,
      [AQBLAS_UNSUPPORTED] = ROCBLAS_NOT_IMPLEMENTED};
  return published[status];
}

const char *rocblas_status_to_string(int status)
{
  static const char *const names[] = {"rocblas_status_success",
                                      "rocblas_status_invalid_handle",
                                      "rocblas_status_not_implemented",
                                      "rocblas_status_invalid_pointer",
                                      "rocblas_status_invalid_size",
                                      "rocblas_status_memory_error",
                                      "rocblas_status_internal_error",
                                      "rocblas_status_perf_degraded",
                                      "rocblas_status_size_query_mismatch",
                                      "rocblas_status_size_increased",
                                      "rocblas_status_size_unchanged",
                                      "rocblas_status_invalid_value",
                                      "rocblas_status_continue",
                                      "rocblas_status_check_numerics_fail",
                                      "rocblas_status_excluded_from_build",
                                      "rocblas_status_arch_mismatch"};
  return status >= 0 && status < (int)(sizeof names / sizeof *names)
             ? names[status]
             : "<undefined rocblas_status value>";
}

/* ---- handles ---- */

void rocblas_initialize(void) {}

int rocblas_create_handle(aqblas_handle **handle)
{
  return handle ? rocblas_status(aqblas_create(handle))
                : ROCBLAS_INVALID_POINTER;
}

int rocblas_destroy_handle(aqblas_handle *handle)
{
  return rocblas_status(aqblas_destroy(handle));
}

int rocblas_set_stream(aqblas_handle *handle, void *stream)
{
  if (!handle)
    return ROCBLAS_INVALID_HANDLE;
  handle->stream = stream;
  return ROCBLAS_SUCCESS;
}

int rocblas_get_stream(const aqblas_handle *handle, void **stream)
{
  if (!handle)
    return ROCBLAS_INVALID_HANDLE;
  if (!stream)
    return ROCBLAS_INVALID_POINTER;
  *stream = handle->stream;
  return ROCBLAS_SUCCESS;
}

/* The settings of a handle: NAME of the functions, and the field, whose values
 * are below COUNT. */
#define SETTING(NAME, field, COUNT)                                            \
  int rocblas_set_##NAME(aqblas_handle *handle, int mode)                      \
  {                                                                            \
    if (!handle)                                                               \
      return ROCBLAS_INVALID_HANDLE;                                           \
    if (mode < 0 || mode >= COUNT)                                             \
      return ROCBLAS_INVALID_VALUE;                                            \
    handle->field = mode;                                                      \
    return ROCBLAS_SUCCESS;                                                    \
  }                                                                            \
  int rocblas_get_##NAME(const aqblas_handle *handle, int *mode)               \
  {                                                                            \
    if (!handle)                                                               \
      return ROCBLAS_INVALID_HANDLE;                                           \
    if (!mode)                                                                 \
      return ROCBLAS_INVALID_POINTER;                                          \
    *mode = handle->field;                                                     \
    return ROCBLAS_SUCCESS;                                                    \
  }

SETTING(pointer_mode, scalars_on_device, 2)
SETTING(math_mode, math, 2)
SETTING(atomics_mode, atomics, 2)

/* ---- copies ---- */

/* An element of a vector is a row of the copy, and a column of a matrix one. */
#define VECTOR(kind)                                                           \
  &(aqblas_copy)                                                               \
  {                                                                            \
    y, x, incy, incx, 1, n, size, kind                                         \
  }
#define MATRIX(kind)                                                           \
  &(aqblas_copy)                                                               \
  {                                                                            \
    b, a, ldb, lda, rows, columns, size, kind                                  \
  }
#define COPIES(set, kind)                                                      \
  int rocblas_##set##_vector(int n, int size, const void *x, int incx,         \
                             void *y, int incy)                                \
  {                                                                            \
    return rocblas_status(aqblas_copy_do(VECTOR(kind), true, NULL));           \
  }                                                                            \
  int rocblas_##set##_matrix(int rows, int columns, int size, const void *a,   \
                             int lda, void *b, int ldb)                        \
  {                                                                            \
    return rocblas_status(aqblas_copy_do(MATRIX(kind), true, NULL));           \
  }                                                                            \
  int rocblas_##set##_vector_async(int n, int size, const void *x, int incx,   \
                                   void *y, int incy, void *stream)            \
  {                                                                            \
    return rocblas_status(aqblas_copy_do(VECTOR(kind), false, stream));        \
  }                                                                            \
  int rocblas_##set##_matrix_async(int rows, int columns, int size,            \
                                   const void *a, int lda, void *b, int ldb,   \
                                   void *stream)                               \
  {                                                                            \
    return rocblas_status(aqblas_copy_do(MATRIX(kind), false, stream));        \
  }

COPIES(set, AQBLAS_TO_DEVICE)
COPIES(get, AQBLAS_TO_HOST)

/* ---- vectors and matrices ---- */

#define STATUS                     int
#define RETURNED                   rocblas_status
#define OPERATION                  int
#define SIDE                       int
#define FILL                       int
#define DIAGONAL                   int
#define FUNCTION(S, name, FORM, X) JOIN(rocblas_, S, name, FORM##_, , X)
#define INDEXED(L, name, FORM, X)  JOIN(rocblas_i, L, name, FORM##_, , X)
#define TYPED(Name, name, FORM, X) JOIN(rocblas_, name, , FORM##_, _ex, X)
#define ONE_
#define BATCHED_                _batched
#define STRIDED_                _strided_batched
#define JOIN(a, b, c, d, e, f)  JOIN_(a, b, c, d, e, f)
#define JOIN_(a, b, c, d, e, f) a##b##c##d##e##f

#define LETTER(U, l) l
#define HALF         uint16_t
#define BFLOAT16     uint16_t
#include "dropin/blas/functions.inc"

/* C and D are two matrices here. */
#define POINTERS(T, name) T *name
#define C_IN(FORM, I)                                                          \
  TYPED_MATRIX_IN(FORM, const void, I, c), TYPED_MATRIX_IN(FORM, void, I, d)
#define D      d
#define UNUSED __attribute__((unused))
#define GEMM_EX(FORM, I, X)                                                    \
  GEMM_TYPED(TYPED(Gemm, gemm, FORM, X), FORM, I, int algorithm UNUSED,        \
             int32_t solution UNUSED, uint32_t flags UNUSED)
FORMS(GEMM_EX, int, )
FORMS(GEMM_EX, int64_t, _64)
