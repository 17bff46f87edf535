/* SPDX-License-Identifier: MIT */
/* hipBLAS's handles, and its copies between host and device. */
#include "config.h"

#include "dropin/blas/hipblas_status.h"

hipblasStatus_t aqblas_hipblas_status(aqblas_status status)
{
  static const hipblasStatus_t published[] = {
      [AQBLAS_OK] = HIPBLAS_STATUS_SUCCESS,
      [AQBLAS_BAD_HANDLE] = HIPBLAS_STATUS_NOT_INITIALIZED,
      [AQBLAS_BAD_SIZE] = HIPBLAS_STATUS_INVALID_VALUE,
      [AQBLAS_BAD_POINTER] = HIPBLAS_STATUS_INVALID_VALUE,
      [AQBLAS_BAD_ENUM] = HIPBLAS_STATUS_INVALID_ENUM,
      [AQBLAS_NO_MEMORY] = HIPBLAS_STATUS_ALLOC_FAILED,
      [AQBLAS_NO_RUNTIME] = HIPBLAS_STATUS_NOT_INITIALIZED,
      [AQBLAS_NO_CODE] = HIPBLAS_STATUS_ARCH_MISMATCH,
      [AQBLAS_FAILED] = HIPBLAS_STATUS_EXECUTION_FAILED,
      [AQBLAS_UNSUPPORTED] = HIPBLAS_STATUS_NOT_SUPPORTED};
  return published[status];
}

const char *hipblasStatusToString(hipblasStatus_t status)
{
  switch (status) {
#define STATUS(name)                                                           \
  case HIPBLAS_STATUS_##name:                                                  \
    return "HIPBLAS_STATUS_" #name;
    STATUS(SUCCESS)
    STATUS(NOT_INITIALIZED)
    STATUS(ALLOC_FAILED)
    STATUS(INVALID_VALUE)
    STATUS(MAPPING_ERROR)
    STATUS(EXECUTION_FAILED)
    STATUS(INTERNAL_ERROR)
    STATUS(NOT_SUPPORTED)
    STATUS(ARCH_MISMATCH)
    STATUS(HANDLE_IS_NULLPTR)
    STATUS(INVALID_ENUM)
    STATUS(UNKNOWN)
#undef STATUS
  }
  return "<undefined hipblasStatus_t value>";
}

/* ---- handles ---- */

hipblasStatus_t hipblasCreate(hipblasHandle_t *handle)
{
  aqblas_handle *made;
  if (!handle)
    return HIPBLAS_STATUS_HANDLE_IS_NULLPTR;
  const aqblas_status status = aqblas_create(&made);
  if (status == AQBLAS_OK)
    *handle = made;
  return aqblas_hipblas_status(status);
}

hipblasStatus_t hipblasDestroy(hipblasHandle_t handle)
{
  return aqblas_hipblas_status(aqblas_destroy(handle));
}

/* The settings of a handle: NAME of the functions, their type, and the field,
 * whose values are below COUNT. */
#define SETTING(NAME, type, field, COUNT)                                      \
  hipblasStatus_t hipblasSet##NAME(hipblasHandle_t handle, type mode)          \
  {                                                                            \
    if (!handle)                                                               \
      return HIPBLAS_STATUS_NOT_INITIALIZED;                                   \
    if ((int)mode < 0 || (int)mode >= COUNT)                                   \
      return HIPBLAS_STATUS_INVALID_ENUM;                                      \
    ((aqblas_handle *)handle)->field = mode;                                   \
    return HIPBLAS_STATUS_SUCCESS;                                             \
  }                                                                            \
  hipblasStatus_t hipblasGet##NAME(hipblasHandle_t handle, type *mode)         \
  {                                                                            \
    if (!handle)                                                               \
      return HIPBLAS_STATUS_NOT_INITIALIZED;                                   \
    if (!mode)                                                                 \
      return HIPBLAS_STATUS_INVALID_VALUE;                                     \
    *mode = (type)((aqblas_handle *)handle)->field;                            \
    return HIPBLAS_STATUS_SUCCESS;                                             \
  }

SETTING(PointerMode, hipblasPointerMode_t, scalars_on_device, 2)
SETTING(MathMode, hipblasMath_t, math, 6)
SETTING(AtomicsMode, hipblasAtomicsMode_t, atomics, 2)

hipblasStatus_t hipblasSetStream(hipblasHandle_t handle, hipStream_t stream)
{
  if (!handle)
    return HIPBLAS_STATUS_NOT_INITIALIZED;
  ((aqblas_handle *)handle)->stream = stream;
  return HIPBLAS_STATUS_SUCCESS;
}

hipblasStatus_t hipblasGetStream(hipblasHandle_t handle, hipStream_t *stream)
{
  if (!handle)
    return HIPBLAS_STATUS_NOT_INITIALIZED;
  if (!stream)
    return HIPBLAS_STATUS_INVALID_VALUE;
  *stream = ((aqblas_handle *)handle)->stream;
  return HIPBLAS_STATUS_SUCCESS;
}

/* ---- copies ---- */

/* An element of a vector is a row of the copy, and a column of a matrix one. */
#define VECTOR(to_kind)                                                        \
  &(aqblas_copy)                                                               \
  {                                                                            \
    y, x, incy, incx, 1, n, elemSize, to_kind                                  \
  }
#define MATRIX(to_kind)                                                        \
  &(aqblas_copy)                                                               \
  {                                                                            \
    BP, AP, ldb, lda, rows, cols, elemSize, to_kind                            \
  }
#define COPIES(Set, kind)                                                      \
  hipblasStatus_t hipblas##Set##Vector(int n, int elemSize, const void *x,     \
                                       int incx, void *y, int incy)            \
  {                                                                            \
    return aqblas_hipblas_status(aqblas_copy_do(VECTOR(kind), true, NULL));    \
  }                                                                            \
  hipblasStatus_t hipblas##Set##Matrix(int rows, int cols, int elemSize,       \
                                       const void *AP, int lda, void *BP,      \
                                       int ldb)                                \
  {                                                                            \
    return aqblas_hipblas_status(aqblas_copy_do(MATRIX(kind), true, NULL));    \
  }                                                                            \
  hipblasStatus_t hipblas##Set##VectorAsync(int n, int elemSize,               \
                                            const void *x, int incx, void *y,  \
                                            int incy, hipStream_t stream)      \
  {                                                                            \
    return aqblas_hipblas_status(aqblas_copy_do(VECTOR(kind), false, stream)); \
  }                                                                            \
  hipblasStatus_t hipblas##Set##MatrixAsync(int rows, int cols, int elemSize,  \
                                            const void *AP, int lda, void *BP, \
                                            int ldb, hipStream_t stream)       \
  {                                                                            \
    return aqblas_hipblas_status(aqblas_copy_do(MATRIX(kind), false, stream)); \
  }

COPIES(Set, AQBLAS_TO_DEVICE)
COPIES(Get, AQBLAS_TO_HOST)
