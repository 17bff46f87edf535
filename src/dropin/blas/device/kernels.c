/* SPDX-License-Identifier: MIT */
/*
 * The kernels of BLAS. `make regenerate-blas` compiles this file for the
 * targets of the device library; the objects lie beside it and are embedded.
 *
 * f16 and bf16 are computed in f32 and rounded once, when they are stored.
 */
#include "dropin/blas/device/device.h"

#define JOIN_(a, b) aqblas_##a##_##b
#define JOIN(a, b)  JOIN_(a, b)

/* In a kernel of vectors: where one of problem p begins, the loops over
 * problems and over the elements of this work-item, and the element there. */
#define VECTOR(o) operand(&args.o, args.indirect, p, sizeof(STORED))
#define PROBLEMS                                                               \
  for (int64_t p = GROUP(z); p < args.problems; p += AQBLAS_GROUPS_Z)
#define ELEMENTS                                                               \
  for (int64_t i = GROUP(x) * AQBLAS_WORKGROUP + ITEM(x); i < args.count;      \
       i += (int64_t)args.groups * AQBLAS_WORKGROUP)
#define X x[i * args.x.row]
#define Y y[i * args.y.row]

#define STORED       _Float16
#define REAL         float
#define ROOT         __builtin_sqrtf
#define READ(value)  ((float)(value))
#define WRITE(value) ((_Float16)(value))
#define NAME(what)   JOIN(what, h)
#include "dropin/blas/device/vector.inc"
#define OUT      STORED
#define READ_OUT READ
#include "dropin/blas/device/gemm.inc"
#undef NAME
#undef WRITE
#define NAME(what)      JOIN(what, hs)
#define WRITE(value)    (value)
#define OUT             float
#define READ_OUT(value) (value)
#include "dropin/blas/device/gemm.inc"
#undef STORED
#undef READ
#undef WRITE
#undef NAME

#define STORED     uint16_t
#define READ       bf16_widen
#define WRITE      bf16_narrow
#define NAME(what) JOIN(what, b)
#include "dropin/blas/device/vector.inc"
#define OUT      STORED
#define READ_OUT READ
#include "dropin/blas/device/gemm.inc"
#undef NAME
#undef WRITE
#define NAME(what)      JOIN(what, bs)
#define WRITE(value)    (value)
#define OUT             float
#define READ_OUT(value) (value)
#include "dropin/blas/device/gemm.inc"
#undef STORED
#undef READ
#undef NAME

#define STORED      float
#define READ(value) (value)
#define NAME(what)  JOIN(what, s)
#include "dropin/blas/device/trsm.inc"
#include "dropin/blas/device/vector.inc"
#include "dropin/blas/device/vector_float.inc"
#define OUT      STORED
#define READ_OUT READ
#include "dropin/blas/device/gemm.inc"
#undef STORED
#undef REAL
#undef ROOT
#undef NAME

#define STORED     double
#define REAL       double
#define ROOT       __builtin_sqrt
#define NAME(what) JOIN(what, d)
#include "dropin/blas/device/trsm.inc"
#include "dropin/blas/device/vector.inc"
#include "dropin/blas/device/vector_float.inc"
#define OUT      STORED
#define READ_OUT READ
#include "dropin/blas/device/gemm.inc"
