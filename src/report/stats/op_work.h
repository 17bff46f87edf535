/* SPDX-License-Identifier: MIT */
/*
 * Operations and bytes of an operator of PyTorch, from the shapes, types and
 * values that its profiler recorded. doc/stats.md has the formulas. Pure.
 */
#ifndef AQ_REPORT_STATS_OP_WORK_H
#define AQ_REPORT_STATS_OP_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* F(id, name) */
#define AQ_OP_FAMILIES(F)                                                      \
  F(OTHER, "other op")                                                         \
  F(GEMM, "gemm")                                                              \
  F(CONVOLUTION, "convolution")                                                \
  F(ATTENTION, "attention")                                                    \
  F(NORM, "norm")                                                              \
  F(ELEMENTWISE, "elementwise")                                                \
  F(REDUCE, "reduce")                                                          \
  F(COMMUNICATION, "communication")                                            \
  F(COPY, "copy")

typedef enum aq_op_family {
#define F(id, name) AQ_OP_FAMILY_##id,
  AQ_OP_FAMILIES(F)
#undef F
      AQ_OP_FAMILY_COUNT
} aq_op_family;

extern const char *const aq_op_family_names[AQ_OP_FAMILY_COUNT];

/* T(id, name, bytes): types of elements. */
#define AQ_OP_TYPES(T)                                                         \
  T(UNKNOWN, "?", 0)                                                           \
  T(F64, "f64", 8)                                                             \
  T(F32, "f32", 4)                                                             \
  T(F16, "f16", 2)                                                             \
  T(BF16, "bf16", 2)                                                           \
  T(F8, "f8", 1)                                                               \
  T(I64, "i64", 8)                                                             \
  T(I32, "i32", 4)                                                             \
  T(I16, "i16", 2)                                                             \
  T(I8, "i8", 1)                                                               \
  T(U8, "u8", 1)                                                               \
  T(BOOL, "bool", 1)

typedef enum aq_op_type {
#define T(id, name, bytes) AQ_TYPE_##id,
  AQ_OP_TYPES(T)
#undef T
      AQ_TYPE_COUNT
} aq_op_type;

extern const char *const aq_op_type_names[AQ_TYPE_COUNT];

typedef struct aq_op_work {
  aq_op_family family;
  aq_op_type type;     /* of the first input */
  bool known;          /* the figures below; of communication the bytes */
  bool unreadable;     /* its arguments, or the type or rank of an input */
  double flops, bytes; /* bytes: inputs read once, outputs written once; of a
                          collective its message */
  double bus_bytes;    /* of a collective: what each rank's link carries */
  int64_t ranks;       /* of a collective; -1: not known */
} aq_op_work;

/* The work of an operator with these arguments (host_op.def; NULL: not
 * recorded). `shape`, the caller's to free, gets
 * "aten::mm(bf16[8,16], bf16[16,32])", or of a collective
 * "allreduce f32[1024], 4 ranks"; a type or shape that is not readable is "?".
 * `group`, the caller's too, gets the name and ranks of a collective's process
 * group, "" where they are not known. False: no memory. */
bool aq_op_work_of(const char *name, const char *arguments, aq_op_work *work,
                   char **shape, char **group);

/* Whether all ranks wait for all in the collective of this name or shape. */
bool aq_op_waits_for_all(const char *collective);

/* Whether a family's operators include those inside of them: their kernels
 * belong to the outermost one. */
static inline bool aq_op_family_is_whole(aq_op_family family)
{
  return family == AQ_OP_FAMILY_ATTENTION ||
         family == AQ_OP_FAMILY_CONVOLUTION || family == AQ_OP_FAMILY_NORM ||
         family == AQ_OP_FAMILY_COMMUNICATION;
}

/* Whether a family's operators run on the matrix units, where a type has them.
 */
static inline bool aq_op_family_has_matrix(aq_op_family family)
{
  return family == AQ_OP_FAMILY_GEMM || family == AQ_OP_FAMILY_CONVOLUTION ||
         family == AQ_OP_FAMILY_ATTENTION;
}

#endif
