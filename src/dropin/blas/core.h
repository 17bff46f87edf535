/* SPDX-License-Identifier: MIT */
/*
 * BLAS on HIP: what hipBLAS's and rocBLAS's interfaces share.
 *
 * Work goes into the handle's stream. Vectors and matrices lie in memory of the
 * device, matrices by columns. `at` of a batch points to its first problem, or,
 * where the call is indirect, to an array of pointers. Operations, fills,
 * diagonals and sides are the numbers that both interfaces publish. Thread
 * rule: a handle belongs to one thread at a time.
 */
#ifndef AQ_DROPIN_BLAS_CORE_H
#define AQ_DROPIN_BLAS_CORE_H

#include <stdbool.h>
#include <stddef.h>

#include "dropin/blas/device_args.h"
#include "dropin/blas/hip.h"

typedef enum aqblas_status {
  AQBLAS_OK,
  AQBLAS_BAD_HANDLE,
  AQBLAS_BAD_SIZE,
  AQBLAS_BAD_POINTER,
  AQBLAS_BAD_ENUM,
  AQBLAS_NO_MEMORY,
  AQBLAS_NO_RUNTIME,
  AQBLAS_NO_CODE, /* for the device */
  AQBLAS_FAILED,  /* in HIP */
  AQBLAS_UNSUPPORTED
} aqblas_status;

enum {
  AQBLAS_NONE = 111,
  AQBLAS_TRANSPOSE = 112,
  AQBLAS_CONJUGATE = 113,
  AQBLAS_UPPER = 121,
  AQBLAS_LOWER = 122,
  AQBLAS_NON_UNIT = 131,
  AQBLAS_UNIT = 132,
  AQBLAS_LEFT = 141,
  AQBLAS_RIGHT = 142
};

typedef enum aqblas_kernel {
#define K(name, types) AQBLAS_##name##_##types,
#include "dropin/blas/kernels.def"
#undef K
  AQBLAS_KERNEL_COUNT
} aqblas_kernel;

typedef struct aqblas_handle {
  const aqblas_hip *hip;
  int device;
  void *stream; /* borrowed; NULL: the default one */
  bool scalars_on_device;
  int atomics, math; /* only returned to callers */
  void *module;
  void *kernels[AQBLAS_KERNEL_COUNT];
  void *results; /* in memory of the device, for reductions to the host */
  size_t results_bytes;
} aqblas_handle;

/* A matrix, or a vector whose increment is `step`. */
typedef struct aqblas_matrix {
  const void *at;
  int64_t step;   /* leading dimension, or increment; elements */
  int64_t stride; /* of a batch; elements */
} aqblas_matrix;

/* Of each call: */
typedef struct aqblas_batch {
  const char *name; /* the function that was called */
  int64_t count;    /* problems */
  bool indirect;
} aqblas_batch;

/* ---- core.c ---- */

aqblas_status aqblas_create(aqblas_handle **out);
aqblas_status aqblas_destroy(aqblas_handle *handle);

/* Says on standard error, once for each text, that a function is not supported,
 * and returns AQBLAS_UNSUPPORTED. */
aqblas_status aqblas_refuse(const char *name, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The type of a number of hipDataType, or of the older types from 150 on that
 * rocBLAS shares; false: another type. */
bool aqblas_type_read(int number, aqblas_type *out);
const char *aqblas_type_name(aqblas_type type);
size_t aqblas_type_size(aqblas_type type);

aqblas_scalar aqblas_scalar_make(const aqblas_handle *handle, const void *at,
                                 aqblas_type type);

/* A grid of workgroups; the arguments are copied. */
typedef struct aqblas_grid {
  int64_t x, y, z; /* workgroups */
  unsigned block_x, block_y;
} aqblas_grid;

static inline bool aqblas_op_is(int op)
{
  return op >= AQBLAS_NONE && op <= AQBLAS_CONJUGATE;
}

/* The least leading dimension of a matrix. */
static inline int64_t aqblas_least_step(int64_t rows)
{
  return rows < 1 ? 1 : rows;
}

/* A vector as a matrix of one column. */
static inline aqblas_operand aqblas_vector_operand(const aqblas_matrix *v,
                                                   int64_t count)
{
  return (aqblas_operand){v->at, v->step < 0 ? (1 - count) * v->step : 0,
                          v->step, 0, v->stride};
}

/* The problems of a batch that have workgroups of their own. */
static inline int64_t aqblas_groups_z(int64_t problems)
{
  return problems < AQBLAS_GROUPS_Z ? problems : AQBLAS_GROUPS_Z;
}

/* The status for an error of HIP's function; a line says which failed. */
aqblas_status aqblas_hip_status(const char *function, int error);
#define AQBLAS_CALL(hip, function, ...)                                        \
  aqblas_hip_status(#function, (hip)->function(__VA_ARGS__))

/* Refused, with a line that has the caller's name, unless the handle's device
 * is the current one: its code and memory are there. */
aqblas_status aqblas_device_check(const aqblas_handle *handle,
                                  const char *name);

aqblas_status aqblas_launch(const aqblas_handle *handle, const char *name,
                            aqblas_kernel kernel, const aqblas_grid *grid,
                            void *args, size_t size);

/* A copy of `height` rows of `width` bytes. */
typedef struct aqblas_copy {
  void *to;
  const void *from;
  int64_t to_pitch, from_pitch; /* elements */
  int64_t width, height;        /* elements, rows */
  int64_t element;              /* bytes */
  int kind;
} aqblas_copy;

/* Sets or gets a matrix, or a vector as one with rows of one element; `wait`:
 * until it is done, else in a stream. */
aqblas_status aqblas_copy_do(const aqblas_copy *copy, bool wait, void *stream);

/* ---- gemm.c ---- */

/* Of matrices with m or n columns or rows; refused above a grid's most. */
aqblas_status aqblas_sizes_check(const aqblas_batch *batch, int64_t m,
                                 int64_t n, int64_t k);

/* D = alpha op(A) op(B) + beta C. */
typedef struct aqblas_gemm_call {
  aqblas_batch batch;
  int op_a, op_b;
  int64_t m, n, k;
  const void *alpha, *beta;
  aqblas_matrix a, b, c, d;
  aqblas_type in, out; /* of A and B, of C and D */
  aqblas_type compute; /* of the scalars, too */
} aqblas_gemm_call;

aqblas_status aqblas_gemm(aqblas_handle *handle, const aqblas_gemm_call *call);

/* y = alpha op(A) x + beta y. */
typedef struct aqblas_gemv_call {
  aqblas_batch batch;
  int op;
  int64_t m, n; /* of A */
  const void *alpha, *beta;
  aqblas_matrix a, x, y;
  aqblas_type type;
} aqblas_gemv_call;

aqblas_status aqblas_gemv(aqblas_handle *handle, const aqblas_gemv_call *call);

/* A = alpha x y^T + A; no `op`, no `beta`. */
aqblas_status aqblas_ger(aqblas_handle *handle, const aqblas_gemv_call *call);

/* ---- trsm.c ---- */

/* op(A) X = alpha B, or X op(A) = alpha B; X takes the place of B. */
typedef struct aqblas_trsm_call {
  aqblas_batch batch;
  int side, fill, op, diagonal;
  int64_t m, n; /* of B */
  const void *alpha;
  aqblas_matrix a, b;
  aqblas_type type;
} aqblas_trsm_call;

aqblas_status aqblas_trsm(aqblas_handle *handle, const aqblas_trsm_call *call);

/* ---- vector.c ---- */

typedef enum aqblas_vector_op {
  AQBLAS_AXPY,
  AQBLAS_SCAL,
  AQBLAS_COPY,
  AQBLAS_SWAP,
  AQBLAS_DOT,
  AQBLAS_NRM2,
  AQBLAS_ASUM,
  AQBLAS_AMAX,
  AQBLAS_AMIN,
  AQBLAS_VECTOR_OP_COUNT
} aqblas_vector_op;

typedef struct aqblas_vector_call {
  aqblas_batch batch;
  aqblas_vector_op op;
  int64_t count;      /* elements */
  const void *alpha;  /* axpy, scal */
  aqblas_matrix x, y; /* y: axpy, copy, swap, dot */
  void *result;       /* of the others */
  bool wide;          /* numbers of elements are int64_t, else int */
  aqblas_type type;   /* of the vectors and of results */
  aqblas_type scalar; /* of alpha */
} aqblas_vector_call;

aqblas_status aqblas_vector(aqblas_handle *handle,
                            const aqblas_vector_call *call);

#endif
