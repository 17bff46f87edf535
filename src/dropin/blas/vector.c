/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/blas/core.h"

#include <string.h>

/* The operations: kernels by type, -1: none; and whether there is an alpha, a
 * second vector, and a result. */
static const struct {
  int kernels[4]; /* by aqblas_type */
  bool alpha, second, result;
} ops[] = {
    [AQBLAS_AXPY] = {{AQBLAS_axpy_h, AQBLAS_axpy_b, AQBLAS_axpy_s,
                      AQBLAS_axpy_d},
                     true,
                     true,
                     false},
    [AQBLAS_SCAL] = {{AQBLAS_scal_h, AQBLAS_scal_b, AQBLAS_scal_s,
                      AQBLAS_scal_d},
                     true,
                     false,
                     false},
    [AQBLAS_COPY] = {{-1, -1, AQBLAS_copy_s, AQBLAS_copy_d},
                     false,
                     true,
                     false},
    [AQBLAS_SWAP] = {{-1, -1, AQBLAS_swap_s, AQBLAS_swap_d},
                     false,
                     true,
                     false},
    [AQBLAS_DOT] = {{AQBLAS_dot_h, AQBLAS_dot_b, AQBLAS_dot_s, AQBLAS_dot_d},
                    false,
                    true,
                    true},
    [AQBLAS_NRM2] = {{AQBLAS_nrm2_h, AQBLAS_nrm2_b, AQBLAS_nrm2_s,
                      AQBLAS_nrm2_d},
                     false,
                     false,
                     true},
    [AQBLAS_ASUM] = {{-1, -1, AQBLAS_asum_s, AQBLAS_asum_d},
                     false,
                     false,
                     true},
    [AQBLAS_AMAX] = {{-1, -1, AQBLAS_extreme_s, AQBLAS_extreme_d},
                     false,
                     false,
                     true},
    [AQBLAS_AMIN] = {
        {-1, -1, AQBLAS_extreme_s, AQBLAS_extreme_d}, false, false, true}};

static size_t result_size(const aqblas_vector_call *call)
{
  if (call->op != AQBLAS_AMAX && call->op != AQBLAS_AMIN)
    return aqblas_type_size(call->type);
  return call->wide ? sizeof(int64_t) : sizeof(int32_t);
}

/* Memory of the device for the results on their way to the host. */
static aqblas_status results_reserve(aqblas_handle *h, const char *name,
                                     size_t bytes)
{
  if (bytes <= h->results_bytes)
    return AQBLAS_OK;
  aqblas_status status = aqblas_device_check(h, name);
  if (status == AQBLAS_OK && h->results) /* waits for its users */
    status = AQBLAS_CALL(h->hip, hipFree, h->results);
  if (status != AQBLAS_OK)
    return status;
  h->results = NULL;
  h->results_bytes = 0;
  status = AQBLAS_CALL(h->hip, hipMalloc, &h->results, bytes);
  if (status == AQBLAS_OK)
    h->results_bytes = bytes;
  return status;
}

static aqblas_status vector_check(const aqblas_vector_call *call)
{
  if (call->batch.count < 0)
    return AQBLAS_BAD_SIZE;
  if (ops[call->op].kernels[call->type] < 0)
    return aqblas_refuse(call->batch.name, " for %s",
                         aqblas_type_name(call->type));
  return ops[call->op].result && !call->result ? AQBLAS_BAD_POINTER : AQBLAS_OK;
}

/* The operation of an empty vector: 0 is its result. A single vector whose
 * increment is not positive is empty, as in the reference. */
static aqblas_status empty_vector(const aqblas_handle *h,
                                  const aqblas_vector_call *call)
{
  const size_t bytes = result_size(call) * (size_t)call->batch.count;
  if (!ops[call->op].result)
    return AQBLAS_OK;
  if (!h->scalars_on_device) {
    memset(call->result, 0, bytes);
    return AQBLAS_OK;
  }
  return AQBLAS_CALL(h->hip, hipMemsetAsync, call->result, 0, bytes, h->stream);
}

static aqblas_status vector_launch(aqblas_handle *h,
                                   const aqblas_vector_call *call, void *result)
{
  const int64_t groups =
      (call->count + AQBLAS_WORKGROUP - 1) / AQBLAS_WORKGROUP;
  aqblas_vector_args args = {.x = aqblas_vector_operand(&call->x, call->count),
                             .y = aqblas_vector_operand(&call->y, call->count),
                             .result = result,
                             .count = call->count,
                             .problems = call->batch.count,
                             .scalar_type = call->scalar,
                             .indirect = call->batch.indirect,
                             .groups = ops[call->op].result ? 1
                                       : groups < AQBLAS_GROUPS_X
                                           ? (uint32_t)groups
                                           : AQBLAS_GROUPS_X,
                             .smallest = call->op == AQBLAS_AMIN,
                             .wide = call->wide};
  if (ops[call->op].alpha)
    args.alpha = aqblas_scalar_make(h, call->alpha, call->scalar);
  const aqblas_grid grid = {args.groups, 1, aqblas_groups_z(args.problems),
                            AQBLAS_WORKGROUP, 1};
  return aqblas_launch(h, call->batch.name,
                       (aqblas_kernel)ops[call->op].kernels[call->type], &grid,
                       &args, sizeof args);
}

aqblas_status aqblas_vector(aqblas_handle *h, const aqblas_vector_call *call)
{
  const bool second = ops[call->op].second, result = ops[call->op].result;
  if (!h)
    return AQBLAS_BAD_HANDLE;
  aqblas_status status = vector_check(call);
  if (status != AQBLAS_OK || call->batch.count == 0)
    return status;
  if (call->count <= 0 || (!second && call->x.step <= 0))
    return empty_vector(h, call);
  /* Work-items would write the same element in no order. */
  if (second && !result &&
      (call->y.step == 0 || (call->op == AQBLAS_SWAP && call->x.step == 0)))
    return aqblas_refuse(call->batch.name, " with an increment of 0");
  if (!call->x.at || (second && !call->y.at) ||
      (ops[call->op].alpha && !call->alpha))
    return AQBLAS_BAD_POINTER;
  if (!result || h->scalars_on_device)
    return vector_launch(h, call, call->result);
  const size_t bytes = result_size(call) * (size_t)call->batch.count;
  status = results_reserve(h, call->batch.name, bytes);
  if (status == AQBLAS_OK)
    status = vector_launch(h, call, h->results);
  if (status == AQBLAS_OK)
    status = AQBLAS_CALL(h->hip, hipMemcpyAsync, call->result, h->results,
                         bytes, AQBLAS_TO_HOST, h->stream);
  return status == AQBLAS_OK
             ? AQBLAS_CALL(h->hip, hipStreamSynchronize, h->stream)
             : status;
}
