/* SPDX-License-Identifier: MIT */
/* Products; gemv and ger are products with a matrix of one row or column. */
#include "config.h"

#include "dropin/blas/core.h"

/* Elements are real, so that a conjugate transpose is a transpose. */
static aqblas_operand matrix_operand(const aqblas_matrix *m, int op)
{
  return op == AQBLAS_NONE ? (aqblas_operand){m->at, 0, 1, m->step, m->stride}
                           : (aqblas_operand){m->at, 0, m->step, 1, m->stride};
}

static aqblas_operand operand_transpose(aqblas_operand o)
{
  return (aqblas_operand){o.base, o.offset, o.column, o.row, o.batch};
}

aqblas_status aqblas_sizes_check(const aqblas_batch *batch, int64_t m,
                                 int64_t n, int64_t k)
{
  if (m < 0 || n < 0 || k < 0 || batch->count < 0)
    return AQBLAS_BAD_SIZE;
  return m > INT32_MAX || n > INT32_MAX
             ? aqblas_refuse(batch->name, " for sizes above 2^31 - 1")
             : AQBLAS_OK;
}

static aqblas_status gemm_launch(const aqblas_handle *h, const char *name,
                                 aqblas_kernel kernel, aqblas_gemm_args *args)
{
  const aqblas_grid grid = {(args->m + AQBLAS_TILE - 1) / AQBLAS_TILE,
                            (args->n + AQBLAS_TILE - 1) / AQBLAS_TILE,
                            aqblas_groups_z(args->problems), AQBLAS_TILE,
                            AQBLAS_TILE};
  return aqblas_launch(h, name, kernel, &grid, args, sizeof *args);
}

/* ---- gemm ---- */

static const struct {
  aqblas_type in, out, compute;
  aqblas_kernel kernel;
} gemms[] = {{AQBLAS_F16, AQBLAS_F16, AQBLAS_F16, AQBLAS_gemm_h},
             {AQBLAS_F16, AQBLAS_F16, AQBLAS_F32, AQBLAS_gemm_h},
             {AQBLAS_F16, AQBLAS_F32, AQBLAS_F32, AQBLAS_gemm_hs},
             {AQBLAS_BF16, AQBLAS_BF16, AQBLAS_F32, AQBLAS_gemm_b},
             {AQBLAS_BF16, AQBLAS_F32, AQBLAS_F32, AQBLAS_gemm_bs},
             {AQBLAS_F32, AQBLAS_F32, AQBLAS_F32, AQBLAS_gemm_s},
             {AQBLAS_F64, AQBLAS_F64, AQBLAS_F64, AQBLAS_gemm_d}};

static aqblas_status gemm_kernel(const aqblas_gemm_call *call,
                                 aqblas_kernel *out)
{
  for (size_t i = 0; i < sizeof gemms / sizeof *gemms; i++)
    if (gemms[i].in == call->in && gemms[i].out == call->out &&
        gemms[i].compute == call->compute) {
      *out = gemms[i].kernel;
      return AQBLAS_OK;
    }
  return aqblas_refuse(call->batch.name,
                       " with A and B in %s, C in %s, %s computed",
                       aqblas_type_name(call->in), aqblas_type_name(call->out),
                       aqblas_type_name(call->compute));
}

static aqblas_status gemm_check(const aqblas_gemm_call *call)
{
  if (!aqblas_op_is(call->op_a) || !aqblas_op_is(call->op_b))
    return AQBLAS_BAD_ENUM;
  const aqblas_status status =
      aqblas_sizes_check(&call->batch, call->m, call->n, call->k);
  if (status != AQBLAS_OK)
    return status;
  const int64_t rows_a = call->op_a == AQBLAS_NONE ? call->m : call->k,
                rows_b = call->op_b == AQBLAS_NONE ? call->k : call->n;
  return call->a.step < aqblas_least_step(rows_a) ||
                 call->b.step < aqblas_least_step(rows_b) ||
                 call->c.step < aqblas_least_step(call->m) ||
                 call->d.step < aqblas_least_step(call->m)
             ? AQBLAS_BAD_SIZE
             : AQBLAS_OK;
}

/* Whether the operands that are read exist; of a scalar in memory of the device
 * any value is possible. */
static bool gemm_pointers(const aqblas_gemm_call *call,
                          const aqblas_gemm_args *args)
{
  const bool product =
      call->k > 0 && (args->alpha.at || args->alpha.value != 0);
  const bool addend = args->beta.at || args->beta.value != 0;
  return (!product || (call->a.at && call->b.at)) && (!addend || call->c.at) &&
         call->d.at;
}

aqblas_status aqblas_gemm(aqblas_handle *h, const aqblas_gemm_call *call)
{
  aqblas_kernel kernel = AQBLAS_gemm_s;
  if (!h)
    return AQBLAS_BAD_HANDLE;
  aqblas_status status = gemm_check(call);
  if (status == AQBLAS_OK)
    status = gemm_kernel(call, &kernel);
  if (status != AQBLAS_OK || call->m == 0 || call->n == 0 ||
      call->batch.count == 0)
    return status;
  if (!call->alpha || !call->beta)
    return AQBLAS_BAD_POINTER;
  aqblas_gemm_args args = {
      .alpha = aqblas_scalar_make(h, call->alpha, call->compute),
      .beta = aqblas_scalar_make(h, call->beta, call->compute),
      .a = matrix_operand(&call->a, call->op_a),
      .b = matrix_operand(&call->b, call->op_b),
      .c = matrix_operand(&call->c, AQBLAS_NONE),
      .d = matrix_operand(&call->d, AQBLAS_NONE),
      .m = call->m,
      .n = call->n,
      .k = call->k,
      .problems = call->batch.count,
      .scalar_type = call->compute,
      .indirect = call->batch.indirect};
  return gemm_pointers(call, &args)
             ? gemm_launch(h, call->batch.name, kernel, &args)
             : AQBLAS_BAD_POINTER;
}

/* ---- gemv and ger ---- */

static aqblas_status vectors_check(const aqblas_gemv_call *call)
{
  const aqblas_status status =
      aqblas_sizes_check(&call->batch, call->m, call->n, 0);
  if (status != AQBLAS_OK)
    return status;
  return call->a.step < aqblas_least_step(call->m) || call->x.step == 0 ||
                 call->y.step == 0
             ? AQBLAS_BAD_SIZE
             : AQBLAS_OK;
}

static bool is_empty(const aqblas_gemv_call *call)
{
  return call->m == 0 || call->n == 0 || call->batch.count == 0;
}

static aqblas_kernel gemv_kernel(const aqblas_gemv_call *call)
{
  return call->type == AQBLAS_F64 ? AQBLAS_gemm_d : AQBLAS_gemm_s;
}

aqblas_status aqblas_gemv(aqblas_handle *h, const aqblas_gemv_call *call)
{
  if (!h)
    return AQBLAS_BAD_HANDLE;
  if (!aqblas_op_is(call->op))
    return AQBLAS_BAD_ENUM;
  const aqblas_status status = vectors_check(call);
  if (status != AQBLAS_OK || is_empty(call))
    return status;
  if (!call->alpha || !call->beta || !call->y.at)
    return AQBLAS_BAD_POINTER;
  const int64_t rows = call->op == AQBLAS_NONE ? call->m : call->n,
                columns = call->op == AQBLAS_NONE ? call->n : call->m;
  aqblas_gemm_args args = {
      .alpha = aqblas_scalar_make(h, call->alpha, call->type),
      .beta = aqblas_scalar_make(h, call->beta, call->type),
      .a = matrix_operand(&call->a, call->op),
      .b = aqblas_vector_operand(&call->x, columns),
      .c = aqblas_vector_operand(&call->y, rows),
      .d = aqblas_vector_operand(&call->y, rows),
      .m = rows,
      .n = 1,
      .k = columns,
      .problems = call->batch.count,
      .scalar_type = call->type,
      .indirect = call->batch.indirect};
  if ((args.alpha.at || args.alpha.value != 0) && (!call->a.at || !call->x.at))
    return AQBLAS_BAD_POINTER;
  return gemm_launch(h, call->batch.name, gemv_kernel(call), &args);
}

aqblas_status aqblas_ger(aqblas_handle *h, const aqblas_gemv_call *call)
{
  if (!h)
    return AQBLAS_BAD_HANDLE;
  const aqblas_status status = vectors_check(call);
  if (status != AQBLAS_OK || is_empty(call))
    return status;
  if (!call->alpha || !call->a.at || !call->x.at || !call->y.at)
    return AQBLAS_BAD_POINTER;
  aqblas_gemm_args args = {
      .alpha = aqblas_scalar_make(h, call->alpha, call->type),
      .beta = {.value = 1},
      .a = aqblas_vector_operand(&call->x, call->m),
      .b = operand_transpose(aqblas_vector_operand(&call->y, call->n)),
      .c = matrix_operand(&call->a, AQBLAS_NONE),
      .d = matrix_operand(&call->a, AQBLAS_NONE),
      .m = call->m,
      .n = call->n,
      .k = 1,
      .problems = call->batch.count,
      .scalar_type = call->type,
      .indirect = call->batch.indirect};
  return gemm_launch(h, call->batch.name, gemv_kernel(call), &args);
}
