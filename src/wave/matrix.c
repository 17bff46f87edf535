/* SPDX-License-Identifier: MIT */
/*
 * Matrix instructions: D = A * B + C for one or more blocks of a wave, whatever
 * EXEC and MODE say.
 *
 * Exact: where an element lies (AMD's matrix instruction calculator), integers,
 * and, as MMA-Sim (arXiv 2511.10909) measured on devices:
 *   f32, f64     one fma after the other, in the order of k
 *   f16, bf16    gfx908, gfx90a: products and sums in f32, halves of a group
 *                first, then C + group; gfx90a flushes denormals. gfx940: the
 *                products of a group at 24 bits below the largest one, then
 *                with C, rounded once
 *   xf32, fp8    gfx940: like its f16; fp8 sums even and odd k apart
 * Assumed: a NaN is the positive default one; sums of integers wrap; f16 and
 * bf16 of gfx950 compute like gfx940. Other instructions are not simulated.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "wave/lanes.h"
#include "wave/mode.h"

#pragma GCC optimize("fp-contract=off")

typedef enum matrix_type {
  I8,
  FP8,
  BF8,
  F16,
  BF16,
  XF32,
  F32,
  F64
} matrix_type;

/* How k products become one sum. */
typedef enum matrix_sum { WRAP, CHAIN, PAIRS, FUSED, SPLIT } matrix_sum;

/* What BLGP selects; CBSZ and ABID select where there are several blocks. */
typedef enum matrix_blgp { NONE, LANES, NEGATE } matrix_blgp;

typedef struct matrix_shape {
  uint8_t m, k, blocks; /* n is m */
  uint8_t a, b;         /* matrix_type */
  uint8_t sum, group;   /* products summed at once */
  uint8_t blgp;
} matrix_shape;

/* An element; floats other than f32 and f64 are also m * 2^(e - bits of m). */
typedef struct matrix_number {
  double value;
  int32_t m, e;
} matrix_number;

enum { ELEMENTS = 64 * 8, RESULT_ROWS = 32 };

/* ---- elements ---- */

static const struct {
  uint8_t width, mantissa, bias;
  bool fnuz; /* one NaN, no infinities, no -0 */
} formats[] = {
    [I8] = {8, 0, 0, false},      [FP8] = {8, 3, 8, true},
    [BF8] = {8, 2, 16, true},     [F16] = {16, 10, 15, false},
    [BF16] = {16, 7, 127, false}, [XF32] = {32, 10, 127, false},
    [F32] = {32, 23, 127, false}, [F64] = {64, 52, 0, false},
};

static double power_of_2(int e)
{
  return lane_f64((uint64_t)(e + 1023) << 52);
}

static matrix_number float_split(matrix_type type, uint32_t bits)
{
  const int width = type == XF32 ? 19 : formats[type].width;
  const int mantissa = formats[type].mantissa, bias = formats[type].bias;
  const int top = (1 << (width - 1 - mantissa)) - 1;
  const int exponent = (int)(bits >> mantissa) & top;
  const int fraction = (int)bits & ((1 << mantissa) - 1);
  const bool negative = bits >> (width - 1) & 1;
  if (formats[type].fnuz && bits == 0x80)
    return (matrix_number){.value = NAN};
  if (!formats[type].fnuz && exponent == top)
    return (matrix_number){.value = fraction   ? NAN
                                    : negative ? -INFINITY
                                               : INFINITY};
  const int m = exponent ? fraction | 1 << mantissa : fraction;
  const int e = (exponent ? exponent : 1) - bias;
  const double value = m * power_of_2(e - mantissa);
  return (matrix_number){.value = negative ? -value : value,
                         .m = negative ? -m : m,
                         .e = m ? e : -126};
}

static matrix_number number_of(matrix_type type, uint64_t bits)
{
  switch (type) {
  case I8:
    return (matrix_number){.m = (int8_t)bits};
  case F32:
    return (matrix_number){.value = lane_f32((uint32_t)bits)};
  case F64:
    return (matrix_number){.value = lane_f64(bits)};
  case XF32:
    return float_split(type, (uint32_t)bits >> 13);
  default:
    return float_split(type, (uint32_t)bits);
  }
}

/* Element `at` of a lane's registers. */
static uint64_t element_read(const uint32_t *rows, int lane, int at, int width)
{
  if (width == 64)
    return lane_u64(rows + 2 * at * AQ_WAVE_LANES, lane);
  const uint32_t word = rows[at * width / 32 * AQ_WAVE_LANES + lane];
  return width == 32 ? word : word >> at * width % 32 & ((1u << width) - 1);
}

/* The lane whose B a lane reads. */
static int lane_selected(unsigned blgp, int lane)
{
  switch (blgp) {
  case 0:
    return lane;
  case 1:
    return lane % 32;
  case 2:
    return lane % 32 + 32;
  case 3:
    return (lane + 16) % 64;
  default:
    return lane % 16 + 16 * ((int)blgp - 4);
  }
}

/* Reads A or B: rows of m by block, each with the k of it in order. */
static void elements_read(const matrix_shape *s, matrix_type type,
                          const uint32_t *rows, unsigned blgp,
                          matrix_number *out)
{
  const int columns = s->m * s->blocks, each = s->k * columns / AQ_WAVE_LANES;
  for (int lane = 0; lane < AQ_WAVE_LANES; lane++)
    for (int at = 0; at < each; at++)
      out[lane % columns * s->k + lane / columns * each + at] =
          number_of(type, element_read(rows, lane_selected(blgp, lane), at,
                                       formats[type].width));
}

/* ---- sums ---- */

static uint64_t sum_wrap(int k, const matrix_number *a, const matrix_number *b,
                         uint64_t c)
{
  uint32_t sum = (uint32_t)c;
  for (int i = 0; i < k; i++)
    sum += (uint32_t)(a[i].m * b[i].m);
  return sum;
}

static uint64_t bits32(float x)
{
  return x == x ? lane_bits32(x) : 0x7fc00000;
}

static uint64_t sum_chain(const matrix_shape *s, const matrix_number *a,
                          const matrix_number *b, uint64_t c)
{
  if (s->a == F64) {
    double sum = lane_f64(c);
    for (int i = 0; i < s->k; i++)
      sum = fma(a[i].value, b[i].value, sum);
    return sum == sum ? lane_bits64(sum) : 0x7ff8000000000000;
  }
  float sum = lane_f32((uint32_t)c);
  for (int i = 0; i < s->k; i++)
    sum = fmaf((float)a[i].value, (float)b[i].value, sum);
  return bits32(sum);
}

static float float_flush(bool flushes, float x)
{
  return flushes && fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

static uint64_t sum_pairs(const matrix_shape *s, bool flushes,
                          const matrix_number *a, const matrix_number *b,
                          uint64_t c)
{
  float sum = lane_f32((uint32_t)c);
  if (flushes && fabsf(sum) < 0x1p-126f)
    sum = 0;
  for (int i = 0; i < s->k; i += s->group) {
    float part[4] = {0};
    for (int g = 0; g < s->group; g++)
      part[g] =
          float_flush(flushes, (float)(a[i + g].value * b[i + g].value + 0.0));
    for (int n = s->group; n > 1; n /= 2)
      for (int g = 0; g < n / 2; g++)
        part[g] = float_flush(flushes, part[2 * g] + part[2 * g + 1]);
    sum = float_flush(flushes, sum + part[0]);
  }
  return bits32(sum);
}

/* A sum in units of 2^(e - 24). */
typedef struct fixed {
  int64_t m;
  int e;
} fixed;

/* Shifts right, to minus infinity. */
static int64_t shift_floor(int64_t x, int by)
{
  return x >> (by > 63 ? 63 : by);
}

/* The products of every `step`-th k, cut off below the largest exponent. */
static fixed products_add(const matrix_shape *s, const matrix_number *a,
                          const matrix_number *b, int step)
{
  const int up = 24 - formats[s->a].mantissa - formats[s->b].mantissa;
  fixed sum = {0, INT32_MIN};
  for (int i = 0; i < s->group; i += step)
    sum.e = a[i].e + b[i].e > sum.e ? a[i].e + b[i].e : sum.e;
  for (int i = 0; i < s->group; i += step) {
    const int64_t p = (int64_t)a[i].m * b[i].m;
    const int by = sum.e - a[i].e - b[i].e;
    const int64_t size = shift_floor((p < 0 ? -p : p) << up, by);
    sum.m += p < 0 ? -size : size;
  }
  return sum;
}

/* Infinite or NaN where the sum is; products beyond f32 are infinite. */
static double sum_special(int k, const matrix_number *a, const matrix_number *b,
                          double c)
{
  double sum = 0;
  bool above = false, below = false;
  for (int i = 0; i < k; i++) {
    const double p = a[i].value * b[i].value;
    sum += p;
    above |= p >= 0x1p128;
    below |= p <= -0x1p128;
  }
  sum += c;
  if (!isfinite(sum))
    return sum;
  return above && below ? NAN : above ? INFINITY : below ? -INFINITY : 0;
}

static float fused_add(const matrix_shape *s, const matrix_number *a,
                       const matrix_number *b, float c)
{
  const double special = sum_special(s->group, a, b, c);
  if (!isfinite(special))
    return (float)special;
  fixed sum;
  if (s->sum == SPLIT) {
    const fixed even = products_add(s, a, b, 2),
                odd = products_add(s, a + 1, b + 1, 2);
    sum.e = even.e > odd.e ? even.e : odd.e;
    sum.m =
        shift_floor(even.m, sum.e - even.e) + shift_floor(odd.m, sum.e - odd.e);
  } else {
    sum = products_add(s, a, b, 1);
  }
  const uint32_t bits = lane_bits32(c);
  const int exponent = (int)(bits >> 23 & 0xff);
  const int32_t fraction = (int32_t)(bits & 0x7fffff);
  const int32_t m = exponent ? fraction | 0x800000 : fraction;
  const int ec = exponent ? exponent - 127 : -126;
  const int e = sum.e > ec ? sum.e : ec;
  /* C at 24 bits below the larger exponent, the products at 31. */
  int64_t addend = shift_floor(2 * (int64_t)(bits >> 31 ? -m : m), e - ec);
  if (s->sum == SPLIT && ec < e - 25)
    addend = 0;
  const int64_t total = shift_floor(sum.m * 128, e - sum.e) + addend * 128;
  return (float)((double)total * power_of_2(e - 31));
}

static uint64_t sum_fused(const matrix_shape *s, const matrix_number *a,
                          const matrix_number *b, uint64_t c)
{
  float sum = lane_f32((uint32_t)c);
  for (int i = 0; i < s->k; i += s->group)
    sum = fused_add(s, a + i, b + i, sum);
  return bits32(sum);
}

static uint64_t sum_of(const matrix_shape *s, bool flushes,
                       const matrix_number *a, const matrix_number *b,
                       uint64_t c)
{
  switch (s->sum) {
  case WRAP:
    return sum_wrap(s->k, a, b, c);
  case CHAIN:
    return sum_chain(s, a, b, c);
  case PAIRS:
    return sum_pairs(s, flushes, a, b, c);
  default:
    return sum_fused(s, a, b, c);
  }
}

/* ---- instructions ---- */

static bool modifiers_are_valid(const matrix_shape *s, const aq_isa_inst *inst)
{
  const unsigned copies = 1u << inst->cbsz;
  return copies <= s->blocks && inst->abid < copies &&
         (s->a != F64 || inst->cbsz == 0) && (inst->blgp == 0 || s->blgp);
}

typedef struct matrix_place {
  int block, i; /* column: the lane modulo m */
} matrix_place;

/* Which element of D a lane has in a register: `height` rows next to each
 * other, then the next lanes, then the next registers. */
static matrix_place place_of(const matrix_shape *s, int at, int lane)
{
  const int height = s->a == F64 ? 1 : 4, strips = s->m / height;
  const int across = AQ_WAVE_LANES / s->m, i = at % height;
  const int strip = at / height * across + lane / s->m;
  /* Blocks lie side by side where one does not fill a register. */
  if (across > strips)
    return (matrix_place){strip % s->blocks, strip / s->blocks * height + i};
  return (matrix_place){strip / strips, strip % strips * height + i};
}

static void numbers_negate(matrix_number *x, int count)
{
  for (int i = 0; i < count; i++)
    x[i].value = -x[i].value;
}

static void numbers_flush(matrix_type type, matrix_number *x, int count)
{
  for (int i = 0; i < count; i++)
    if (abs(x[i].m) < 1 << formats[type].mantissa && isfinite(x[i].value))
      x[i].value = 0;
}

/* The sums of gfx950's fp8 are not known. */
static bool is_simulated(const matrix_shape *s, const aq_isa_inst *inst)
{
  return modifiers_are_valid(s, inst) &&
         !(inst->target == AQ_ISA_GFX950 && s->sum == SPLIT);
}

static const aq_wave_op *matrix_run(aq_wave *w, const aq_wave_op *o,
                                    const matrix_shape *s)
{
  const aq_isa_inst *inst = &o->more->inst;
  const bool wide = s->a == F64;
  const bool flushes = inst->target == AQ_ISA_GFX90A && s->sum == PAIRS;
  const int count = s->m * s->k * s->blocks;
  const bool negates = s->blgp == NEGATE;
  const unsigned blgp = inst->blgp;
  const int results = s->m * s->m * s->blocks / AQ_WAVE_LANES;
  matrix_number a[ELEMENTS], b[ELEMENTS];
  uint32_t d[RESULT_ROWS][AQ_WAVE_LANES];
  if (!is_simulated(s, inst))
    return aq_wave_fault(w, o, AQ_EXECUTION_FAULT_ILLEGAL, 0,
                         "the instruction is not simulated");
  aq_wave_mode_enter_nearest();
  elements_read(s, s->a, w->v[o->r[0]], 0, a);
  elements_read(s, s->b, w->v[o->r[1]], negates ? 0 : blgp, b);
  if (negates && ((blgp ^ blgp >> 1) & 1))
    numbers_negate(a, count);
  if (flushes) {
    numbers_flush(s->a, a, count);
    numbers_flush(s->b, b, count);
  }
  const unsigned keep = ~((1u << inst->cbsz) - 1);
  for (int at = 0; at < results; at++)
    for (int lane = 0; lane < AQ_WAVE_LANES; lane++) {
      const matrix_place place = place_of(s, at, lane);
      const int block = (int)(((unsigned)place.block & keep) + inst->abid);
      uint64_t c = o->kind[2] == AQ_WAVE_K ? o->k[2]
                   : wide ? lane_u64(w->v[o->r[2] + 2 * at], lane)
                          : w->v[o->r[2] + at][lane];
      if (negates && blgp & 4)
        c ^= UINT64_C(1) << 63;
      const uint64_t x =
          sum_of(s, flushes, a + (block * s->m + place.i) * s->k,
                 b + (place.block * s->m + lane % s->m) * s->k, c);
      if (wide) {
        d[2 * at][lane] = (uint32_t)x;
        d[2 * at + 1][lane] = (uint32_t)(x >> 32);
      } else {
        d[at][lane] = (uint32_t)x;
      }
    }
  memcpy(w->v[o->d], d, sizeof d[0] * (size_t)(wide ? 2 * results : results));
  aq_wave_mode_enter(w);
  return aq_wave_next(o);
}

/* name, m and n, k, blocks, A, B, sum, group, BLGP */
#define SHAPES(X)                                                              \
  X(v_mfma_f32_32x32x1f32, 32, 1, 2, F32, F32, CHAIN, 1, LANES)                \
  X(v_mfma_f32_32x32x1_2b_f32, 32, 1, 2, F32, F32, CHAIN, 1, LANES)            \
  X(v_mfma_f32_16x16x1f32, 16, 1, 4, F32, F32, CHAIN, 1, LANES)                \
  X(v_mfma_f32_16x16x1_4b_f32, 16, 1, 4, F32, F32, CHAIN, 1, LANES)            \
  X(v_mfma_f32_4x4x1f32, 4, 1, 16, F32, F32, CHAIN, 1, LANES)                  \
  X(v_mfma_f32_4x4x1_16b_f32, 4, 1, 16, F32, F32, CHAIN, 1, LANES)             \
  X(v_mfma_f32_32x32x2f32, 32, 2, 1, F32, F32, CHAIN, 1, LANES)                \
  X(v_mfma_f32_32x32x2_f32, 32, 2, 1, F32, F32, CHAIN, 1, LANES)               \
  X(v_mfma_f32_16x16x4f32, 16, 4, 1, F32, F32, CHAIN, 1, LANES)                \
  X(v_mfma_f32_16x16x4_f32, 16, 4, 1, F32, F32, CHAIN, 1, LANES)               \
  X(v_mfma_f32_32x32x4f16, 32, 4, 2, F16, F16, PAIRS, 4, LANES)                \
  X(v_mfma_f32_32x32x4_2b_f16, 32, 4, 2, F16, F16, FUSED, 4, LANES)            \
  X(v_mfma_f32_16x16x4f16, 16, 4, 4, F16, F16, PAIRS, 4, LANES)                \
  X(v_mfma_f32_16x16x4_4b_f16, 16, 4, 4, F16, F16, FUSED, 4, LANES)            \
  X(v_mfma_f32_4x4x4f16, 4, 4, 16, F16, F16, PAIRS, 4, LANES)                  \
  X(v_mfma_f32_4x4x4_16b_f16, 4, 4, 16, F16, F16, FUSED, 4, LANES)             \
  X(v_mfma_f32_32x32x8f16, 32, 8, 1, F16, F16, PAIRS, 4, LANES)                \
  X(v_mfma_f32_32x32x8_f16, 32, 8, 1, F16, F16, FUSED, 8, NONE)                \
  X(v_mfma_f32_16x16x16f16, 16, 16, 1, F16, F16, PAIRS, 4, LANES)              \
  X(v_mfma_f32_16x16x16_f16, 16, 16, 1, F16, F16, FUSED, 8, NONE)              \
  X(v_mfma_f32_32x32x4bf16_1k, 32, 4, 2, BF16, BF16, PAIRS, 4, LANES)          \
  X(v_mfma_f32_32x32x4_2b_bf16, 32, 4, 2, BF16, BF16, FUSED, 4, LANES)         \
  X(v_mfma_f32_16x16x4bf16_1k, 16, 4, 4, BF16, BF16, PAIRS, 4, LANES)          \
  X(v_mfma_f32_16x16x4_4b_bf16, 16, 4, 4, BF16, BF16, FUSED, 4, LANES)         \
  X(v_mfma_f32_4x4x4bf16_1k, 4, 4, 16, BF16, BF16, PAIRS, 4, LANES)            \
  X(v_mfma_f32_4x4x4_16b_bf16, 4, 4, 16, BF16, BF16, FUSED, 4, LANES)          \
  X(v_mfma_f32_32x32x8bf16_1k, 32, 8, 1, BF16, BF16, PAIRS, 4, LANES)          \
  X(v_mfma_f32_32x32x8_bf16, 32, 8, 1, BF16, BF16, FUSED, 8, NONE)             \
  X(v_mfma_f32_16x16x16bf16_1k, 16, 16, 1, BF16, BF16, PAIRS, 4, LANES)        \
  X(v_mfma_f32_16x16x16_bf16, 16, 16, 1, BF16, BF16, FUSED, 8, NONE)           \
  X(v_mfma_f32_32x32x2bf16, 32, 2, 2, BF16, BF16, PAIRS, 2, LANES)             \
  X(v_mfma_f32_16x16x2bf16, 16, 2, 4, BF16, BF16, PAIRS, 2, LANES)             \
  X(v_mfma_f32_4x4x2bf16, 4, 2, 16, BF16, BF16, PAIRS, 2, LANES)               \
  X(v_mfma_f32_32x32x4bf16, 32, 4, 1, BF16, BF16, PAIRS, 2, LANES)             \
  X(v_mfma_f32_16x16x8bf16, 16, 8, 1, BF16, BF16, PAIRS, 2, LANES)             \
  X(v_mfma_i32_32x32x4i8, 32, 4, 2, I8, I8, WRAP, 1, LANES)                    \
  X(v_mfma_i32_32x32x4_2b_i8, 32, 4, 2, I8, I8, WRAP, 1, LANES)                \
  X(v_mfma_i32_16x16x4i8, 16, 4, 4, I8, I8, WRAP, 1, LANES)                    \
  X(v_mfma_i32_16x16x4_4b_i8, 16, 4, 4, I8, I8, WRAP, 1, LANES)                \
  X(v_mfma_i32_4x4x4i8, 4, 4, 16, I8, I8, WRAP, 1, LANES)                      \
  X(v_mfma_i32_4x4x4_16b_i8, 4, 4, 16, I8, I8, WRAP, 1, LANES)                 \
  X(v_mfma_i32_32x32x8i8, 32, 8, 1, I8, I8, WRAP, 1, LANES)                    \
  X(v_mfma_i32_16x16x16i8, 16, 16, 1, I8, I8, WRAP, 1, LANES)                  \
  X(v_mfma_i32_32x32x16_i8, 32, 16, 1, I8, I8, WRAP, 1, NONE)                  \
  X(v_mfma_i32_16x16x32_i8, 16, 32, 1, I8, I8, WRAP, 1, NONE)                  \
  X(v_mfma_f64_16x16x4f64, 16, 4, 1, F64, F64, CHAIN, 1, NONE)                 \
  X(v_mfma_f64_16x16x4_f64, 16, 4, 1, F64, F64, CHAIN, 1, NEGATE)              \
  X(v_mfma_f64_4x4x4f64, 4, 4, 4, F64, F64, CHAIN, 1, NONE)                    \
  X(v_mfma_f64_4x4x4_4b_f64, 4, 4, 4, F64, F64, CHAIN, 1, NEGATE)              \
  X(v_mfma_f32_16x16x8_xf32, 16, 8, 1, XF32, XF32, FUSED, 4, NONE)             \
  X(v_mfma_f32_32x32x4_xf32, 32, 4, 1, XF32, XF32, FUSED, 4, NONE)             \
  X(v_mfma_f32_16x16x32_bf8_bf8, 16, 32, 1, BF8, BF8, SPLIT, 16, NONE)         \
  X(v_mfma_f32_16x16x32_bf8_fp8, 16, 32, 1, BF8, FP8, SPLIT, 16, NONE)         \
  X(v_mfma_f32_16x16x32_fp8_bf8, 16, 32, 1, FP8, BF8, SPLIT, 16, NONE)         \
  X(v_mfma_f32_16x16x32_fp8_fp8, 16, 32, 1, FP8, FP8, SPLIT, 16, NONE)         \
  X(v_mfma_f32_32x32x16_bf8_bf8, 32, 16, 1, BF8, BF8, SPLIT, 16, NONE)         \
  X(v_mfma_f32_32x32x16_bf8_fp8, 32, 16, 1, BF8, FP8, SPLIT, 16, NONE)         \
  X(v_mfma_f32_32x32x16_fp8_bf8, 32, 16, 1, FP8, BF8, SPLIT, 16, NONE)         \
  X(v_mfma_f32_32x32x16_fp8_fp8, 32, 16, 1, FP8, FP8, SPLIT, 16, NONE)

#define HANDLER(name, m, k, blocks, a, b, sum, group, blgp)                    \
  static const aq_wave_op *name##_(aq_wave *w, const aq_wave_op *o)            \
  {                                                                            \
    static const matrix_shape shape = {m, k, blocks, a, b, sum, group, blgp};  \
    return matrix_run(w, o, &shape);                                           \
  }
SHAPES(HANDLER)

#define ENTRY(name, ...) {#name, name##_},
const aq_wave_semantics aq_wave_matrix[] = {SHAPES(ENTRY){NULL, NULL}};

bool aq_wave_matrix_executes(const aq_isa_inst *inst)
{
#define SHAPE(name, ...) {#name, {__VA_ARGS__}},
  static const struct {
    const char *name;
    matrix_shape shape;
  } shapes[] = {SHAPES(SHAPE)};
#undef SHAPE
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    if (strcmp(shapes[i].name, inst->row->name) == 0)
      return is_simulated(&shapes[i].shape, inst);
  return true;
}
