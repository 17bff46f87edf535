/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/blas/typed.h"

#include "dropin/blas/hipblas.h"

/* hipblasComputeType_t, the variants of a type in a row, or an older type. */
static bool compute_read(int number, aqblas_type *out)
{
  static const aqblas_type types[] = {
      [HIPBLAS_COMPUTE_16F] = AQBLAS_F16,
      [HIPBLAS_COMPUTE_16F_PEDANTIC] = AQBLAS_F16,
      [HIPBLAS_COMPUTE_32F] = AQBLAS_F32,
      [HIPBLAS_COMPUTE_32F_PEDANTIC] = AQBLAS_F32,
      [HIPBLAS_COMPUTE_32F_FAST_16F] = AQBLAS_F32,
      [HIPBLAS_COMPUTE_32F_FAST_16BF] = AQBLAS_F32,
      [HIPBLAS_COMPUTE_32F_FAST_TF32] = AQBLAS_F32,
      [HIPBLAS_COMPUTE_64F] = AQBLAS_F64,
      [HIPBLAS_COMPUTE_64F_PEDANTIC] = AQBLAS_F64};
  if (number >= HIPBLAS_R_16F)
    return aqblas_type_read(number, out);
  if (number < 0 || number > HIPBLAS_COMPUTE_64F_PEDANTIC)
    return false;
  *out = types[number];
  return true;
}

aqblas_status aqblas_gemm_typed(aqblas_handle *handle,
                                const aqblas_gemm_call *call,
                                const aqblas_gemm_types *numbers)
{
  aqblas_gemm_call typed = *call;
  aqblas_type b, d;
  if (!handle)
    return AQBLAS_BAD_HANDLE;
  if (aqblas_type_read(numbers->a, &typed.in) &&
      aqblas_type_read(numbers->b, &b) && typed.in == b &&
      aqblas_type_read(numbers->c, &typed.out) &&
      aqblas_type_read(numbers->d, &d) && typed.out == d &&
      compute_read(numbers->compute, &typed.compute))
    return aqblas_gemm(handle, &typed);
  return aqblas_refuse(call->batch.name,
                       " with the types A %d, B %d, C %d, D %d, computation %d",
                       numbers->a, numbers->b, numbers->c, numbers->d,
                       numbers->compute);
}

/* f16 and bf16 are computed in f32, as which they may also be asked for. */
static bool is_computed(aqblas_type type, aqblas_type compute)
{
  return compute == type || (type != AQBLAS_F64 && compute == AQBLAS_F32);
}

aqblas_status aqblas_vector_typed(aqblas_handle *handle,
                                  const aqblas_vector_call *call,
                                  const aqblas_vector_types *numbers)
{
  aqblas_vector_call typed = *call;
  aqblas_type y, result, compute;
  if (!handle)
    return AQBLAS_BAD_HANDLE;
  if (aqblas_type_read(numbers->x, &typed.type) &&
      aqblas_type_read(numbers->y, &y) && y == typed.type &&
      aqblas_type_read(numbers->result, &result) && result == typed.type &&
      aqblas_type_read(numbers->compute, &compute) &&
      is_computed(typed.type, compute) &&
      aqblas_type_read(numbers->alpha, &typed.scalar) &&
      is_computed(typed.type, typed.scalar))
    return aqblas_vector(handle, &typed);
  return aqblas_refuse(
      call->batch.name,
      " with the types alpha %d, x %d, y %d, result %d, computation %d",
      numbers->alpha, numbers->x, numbers->y, numbers->result,
      numbers->compute);
}
