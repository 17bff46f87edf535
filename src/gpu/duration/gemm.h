/* SPDX-License-Identifier: MIT */
/*
 * Predicted durations of matrix products, by their size.
 *
 * gemm.def has the constants, which tools/fit_gemm.py fits to published tables;
 * doc/durations.md has the formula and its errors on shapes left out. Hot
 * repetitions of one kernel, without launch. Pure functions.
 */
#ifndef AQ_GPU_DURATION_GEMM_H
#define AQ_GPU_DURATION_GEMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/diag.h"

/* T(name, bytes of an element of A and B, two places for the residual) */
#define AQ_GEMM_TYPES(T)                                                       \
  T(bf16, 2.0, 0, 0)                                                           \
  T(a8w8, 1.0, 1, 0)                                                           \
  T(a8w8_blockscale, 1.0, 1, 1)                                                \
  T(a4w4_blockscale, 0.5, 2, 1)

typedef enum aq_gemm_type {
#define T(name, bytes, x, y) AQ_GEMM_##name,
  AQ_GEMM_TYPES(T)
#undef T
      AQ_GEMM_TYPE_COUNT
} aq_gemm_type;

/* L(name, two places for the residual) */
#define AQ_GEMM_LIBRARIES(L)                                                   \
  L(ck, 0, 0)                                                                  \
  L(cktile, 1, 0)                                                              \
  L(asm, 0, 1)                                                                 \
  L(flydsl, 1, 1)                                                              \
  L(triton, 2, 0)                                                              \
  L(torch, 2, 1)                                                               \
  L(opus, 0, 2)                                                                \
  L(skinny, 1, 2)                                                              \
  L(hipblaslt, 2, 2)

typedef enum aq_gemm_library {
#define L(name, x, y) AQ_GEMM_LIBRARY_##name,
  AQ_GEMM_LIBRARIES(L)
#undef L
      AQ_GEMM_LIBRARY_COUNT
} aq_gemm_library;

typedef struct aq_gemm {
  aq_gemm_type type;
  int64_t m, n, k;
  int64_t tile_m, tile_n; /* of the kernel; 0: not known */
  int64_t splits;         /* of K; at least 1 */
  aq_gemm_library library;
  bool shuffled; /* the weights are */
} aq_gemm;

/* A duration with its 90 % interval, in us. */
typedef struct aq_predicted {
  double us, least, most;
} aq_predicted;

/* Reads "m=4096", "n=512", "k=7168", "type=bf16", "tile=128x64", "splits=2",
 * "library=ck" and "shuffled=yes", the first four being mandatory.
 * AQ_ERR_INPUT names the word and the expected form. */
aq_status aq_gemm_read(const char *const *words, size_t count, aq_gemm *out,
                       aq_diag *diag);

/* AQ_ERR_INPUT: no table for this GPU or type; the diag lists those there are.
 * Where the table of a known tile is missing, the tile is not used. */
aq_status aq_gemm_predict(const aq_gemm *gemm, const char *gfx, int64_t cus,
                          aq_predicted *out, aq_diag *diag);

/* The same from a duration in us that another GPU took for the problem. */
aq_status aq_gemm_transfer(const aq_gemm *gemm, double us, const char *from_gfx,
                           int64_t from_cus, const char *gfx, int64_t cus,
                           aq_predicted *out, aq_diag *diag);

#endif
