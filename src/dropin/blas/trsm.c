/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/blas/core.h"

static aqblas_status trsm_check(const aqblas_trsm_call *call)
{
  if ((call->side != AQBLAS_LEFT && call->side != AQBLAS_RIGHT) ||
      (call->fill != AQBLAS_UPPER && call->fill != AQBLAS_LOWER) ||
      !aqblas_op_is(call->op) ||
      (call->diagonal != AQBLAS_UNIT && call->diagonal != AQBLAS_NON_UNIT))
    return AQBLAS_BAD_ENUM;
  const aqblas_status status =
      aqblas_sizes_check(&call->batch, call->m, call->n, 0);
  if (status != AQBLAS_OK)
    return status;
  const int64_t size = call->side == AQBLAS_LEFT ? call->m : call->n;
  return call->a.step < aqblas_least_step(size) ||
                 call->b.step < aqblas_least_step(call->m)
             ? AQBLAS_BAD_SIZE
             : AQBLAS_OK;
}

/* X op(A) = alpha B is op(A)^T X^T = alpha B^T. */
aqblas_status aqblas_trsm(aqblas_handle *h, const aqblas_trsm_call *call)
{
  if (!h)
    return AQBLAS_BAD_HANDLE;
  const aqblas_status status = trsm_check(call);
  if (status != AQBLAS_OK || call->m == 0 || call->n == 0 ||
      call->batch.count == 0)
    return status;
  if (!call->alpha || !call->b.at)
    return AQBLAS_BAD_POINTER;
  const bool left = call->side == AQBLAS_LEFT;
  const bool transposed = (call->op != AQBLAS_NONE) == left;
  const int64_t lda = call->a.step, ldb = call->b.step;
  aqblas_trsm_args args = {
      .alpha = aqblas_scalar_make(h, call->alpha, call->type),
      .a = {call->a.at, 0, transposed ? lda : 1, transposed ? 1 : lda,
            call->a.stride},
      .b = {call->b.at, 0, left ? 1 : ldb, left ? ldb : 1, call->b.stride},
      .size = left ? call->m : call->n,
      .count = left ? call->n : call->m,
      .problems = call->batch.count,
      .scalar_type = call->type,
      .indirect = call->batch.indirect,
      .lower = (call->fill == AQBLAS_LOWER) != transposed,
      .unit = call->diagonal == AQBLAS_UNIT};
  if ((args.alpha.at || args.alpha.value != 0) && !call->a.at)
    return AQBLAS_BAD_POINTER;
  const aqblas_grid grid = {
      (args.count + AQBLAS_WORKGROUP - 1) / AQBLAS_WORKGROUP, 1,
      aqblas_groups_z(args.problems), AQBLAS_WORKGROUP, 1};
  return aqblas_launch(h, call->batch.name,
                       call->type == AQBLAS_F64 ? AQBLAS_trsm_d : AQBLAS_trsm_s,
                       &grid, &args, sizeof args);
}
