/* SPDX-License-Identifier: MIT */
/*
 * Matrix instructions: D = A * B + C for one or more blocks of a wave, whatever
 * EXEC and MODE say. Sparse ones (SMFMAC): D = A * B + D, where A holds two of
 * four elements and its index says which.
 *
 * Exact: where an element lies (AMD's matrix instruction calculator; for gfx950
 * AMD's examples), integers, and, as MMA-Sim (arXiv 2511.10909) measured on
 * devices:
 *   f32, f64     one fma after the other, in the order of k
 *   f16, bf16    gfx908, gfx90a: products and sums in f32, halves of a group
 *                first, then C + group; gfx90a flushes denormals. gfx940: the
 *                products of a group at 24 bits below the largest one, then
 *                with C, rounded once
 *   xf32, fp8    gfx940: like its f16; fp8 sums even and odd k apart
 * Assumed: a NaN is the positive default one; sums of integers wrap; gfx950
 * adds like gfx940, its fp6, fp4 and scaled products like fp8, a scale being a
 * part of the products' exponents; sparse ones add the elements of A, in its
 * order.
 *
 * matrix.inc computes 16 columns at once, for levels of the host's processor.
 * matrix.c computes elements with infinities, NaNs or products beyond f32, one
 * after the other.
 */
#ifndef AQ_GPU_WAVE_MATRIX_MATRIX_H
#define AQ_GPU_WAVE_MATRIX_MATRIX_H

#include "gpu/wave/core/small_floats.h"

/* How k products become one sum. */
typedef enum matrix_sum { WRAP, CHAIN, PAIRS, FUSED, SPLIT } matrix_sum;

/* What BLGP selects; CBSZ and ABID select where there are several blocks. */
typedef enum matrix_blgp { NONE, LANES, NEGATE } matrix_blgp;

/* MIXED: CBSZ and BLGP say which types. SCALED: and there are scales. */
typedef enum matrix_kind { DENSE, SPARSE, MIXED, SCALED } matrix_kind;

typedef struct matrix_shape {
  uint8_t m, k, blocks; /* n is m */
  uint8_t a, b;         /* element_type */
  uint8_t sum, group;   /* products summed at once */
  uint8_t blgp, kind;
} matrix_shape;

enum {
  MATRIX_ELEMENTS = 64 * 32, /* of A or B */
  MATRIX_K = 128,            /* products of an element of D, at most */
  MATRIX_RESULTS = 32,       /* rows of D */
};

/* One sum of FUSED or SPLIT, of elements as bits. `scale` is added to the
 * exponents of 32 products each; NULL: none. */
typedef struct matrix_terms {
  element_type a_type, b_type;
  bool split;
  int k, group;
  uint32_t a[MATRIX_K], b[MATRIX_K];
  int scale[MATRIX_K / 32]; /* MATRIX_NAN: a scale is a NaN */
} matrix_terms;

enum { MATRIX_NAN = 1 << 16, MATRIX_SCALED = 32 };

uint32_t aq_wave_matrix_sum(const matrix_terms *terms, uint32_t c);

/* Whether the target and the modifiers of an instruction are simulated. */
bool aq_wave_matrix_simulates(const matrix_shape *s, const aq_isa_inst *inst);

extern const aq_wave_semantics aq_wave_matrix_base[];
#if defined(__x86_64__)
extern const aq_wave_semantics aq_wave_matrix_v3[];
extern const aq_wave_semantics aq_wave_matrix_v4[];
#endif

#endif
