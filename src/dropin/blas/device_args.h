/* SPDX-License-Identifier: MIT */
/*
 * The arguments of the kernels in device/kernels.c. Host and device code read
 * this same header, so it needs no library.
 *
 * A problem is one product, triangle or vector; a batch is many of them. The
 * groups of the grid's z count problems, at most AQBLAS_GROUPS_Z at a time.
 */
#ifndef AQ_DROPIN_BLAS_DEVICE_ARGS_H
#define AQ_DROPIN_BLAS_DEVICE_ARGS_H

#include <stdint.h>

enum {
  AQBLAS_TILE = 16,        /* gemm: a workgroup has TILE * TILE work-items */
  AQBLAS_WORKGROUP = 256,  /* of the others */
  AQBLAS_GROUPS_X = 65535, /* at most, of the kernels that loop over vectors */
  AQBLAS_GROUPS_Z = 65535
};

/* The types of elements and scalars. */
typedef enum aqblas_type {
  AQBLAS_F16,
  AQBLAS_BF16,
  AQBLAS_F32,
  AQBLAS_F64
} aqblas_type;

/* alpha or beta. */
typedef struct aqblas_scalar {
  const void *at; /* in device memory, or NULL: `value` */
  double value;
} aqblas_scalar;

/* A matrix or a vector: element (i, j) of problem p lies offset + i * row +
 * j * column elements behind the start of p, which is base + p * batch or, in
 * an indirect batch, the pointer number p at `base`. */
typedef struct aqblas_operand {
  const void *base;
  int64_t offset, row, column, batch; /* elements */
} aqblas_operand;

/* D = alpha A B + beta C. */
typedef struct aqblas_gemm_args {
  aqblas_scalar alpha, beta;
  aqblas_operand a, b, c, d;
  int64_t m, n, k;
  int64_t problems;
  uint32_t scalar_type; /* aqblas_type of scalars in device memory */
  uint32_t indirect;
} aqblas_gemm_args;

/* Solves A X = alpha B for X, in the place of B. */
typedef struct aqblas_trsm_args {
  aqblas_scalar alpha;
  aqblas_operand a, b;
  int64_t size;  /* of A */
  int64_t count; /* of the columns of B */
  int64_t problems;
  uint32_t scalar_type;
  uint32_t indirect;
  uint32_t lower; /* A is a lower triangle; else an upper one */
  uint32_t unit;  /* ones stand for its diagonal */
} aqblas_trsm_args;

/* Work on the vectors x and y; a reduction stores an element for each problem
 * at `result`. */
typedef struct aqblas_vector_args {
  aqblas_scalar alpha;
  aqblas_operand x, y;
  void *result;
  int64_t count; /* elements of a vector */
  int64_t problems;
  uint32_t scalar_type;
  uint32_t indirect;
  uint32_t groups; /* of the grid's x */
  /* Of `extreme`: */
  uint32_t smallest; /* or the largest */
  uint32_t wide;     /* the result is an int64_t, else an int32_t */
  uint32_t zero;
} aqblas_vector_args;

#endif
