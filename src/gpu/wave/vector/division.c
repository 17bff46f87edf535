/* SPDX-License-Identifier: MIT */
/* The steps of a division, and the reduction of large arguments. */
#include "config.h"

#include "gpu/wave/core/lane_handlers.h"
#include "gpu/wave/core/packed.h"
#include "gpu/wave/core/vector_f16.h"

#pragma GCC optimize("fp-contract=off")

static float scaled32(float a, int e)
{
  return (float)scalbn((double)a, e);
}

/* d, and whether the quotient has to be scaled back. */
static bool div_scale32(float a, float b, float c, uint32_t *d)
{
  const double quotient = (double)c / (double)b, inverse = 1.0 / (double)b;
  const bool tiny_quotient = each_is_denormal32((float)quotient);
  const bool tiny_inverse = fabs(inverse) < 0x1p-126 && inverse != 0;
  const uint32_t same = lane_bits32(a);
  *d = same;
  if (c == 0 || b == 0) {
    *d = 0x7fc00000;
    return false;
  }
  if (each_exponent32(c) - each_exponent32(b) >= 96) {
    if (same == lane_bits32(b))
      *d = lane_bits32(scaled32(a, 64));
    return true;
  }
  if (each_is_denormal32(b)) {
    *d = lane_bits32(scaled32(a, 64));
    return false;
  }
  if (tiny_inverse && tiny_quotient) {
    if (same == lane_bits32(b))
      *d = lane_bits32(scaled32(a, -64));
    return true;
  }
  if (tiny_inverse) {
    *d = lane_bits32(scaled32(a, -64));
    return false;
  }
  if (tiny_quotient) {
    if (same == lane_bits32(c))
      *d = lane_bits32(scaled32(a, 64));
    return true;
  }
  if (each_exponent32(c) <= 23)
    *d = lane_bits32(scaled32(a, 64));
  return false;
}

static bool div_scale64(double a, double b, double c, uint64_t *d)
{
  const long double quotient = (long double)c / b, inverse = 1.0L / b;
  const bool tiny_quotient = each_is_denormal64((double)quotient);
  const bool tiny_inverse = inverse != 0 && fabsl(inverse) < 0x1p-1022L;
  const uint64_t same = lane_bits64(a);
  *d = same;
  if (c == 0 || b == 0) {
    *d = 0x7ff8000000000000;
    return false;
  }
  if (each_exponent64(c) - each_exponent64(b) >= 768) {
    if (same == lane_bits64(b))
      *d = lane_bits64(scalbn(a, 128));
    return true;
  }
  if (each_is_denormal64(b)) {
    *d = lane_bits64(scalbn(a, 128));
    return false;
  }
  if (tiny_inverse && tiny_quotient) {
    if (same == lane_bits64(b))
      *d = lane_bits64(scalbn(a, -128));
    return true;
  }
  if (tiny_inverse) {
    *d = lane_bits64(scalbn(a, -128));
    return false;
  }
  if (tiny_quotient) {
    if (same == lane_bits64(c))
      *d = lane_bits64(scalbn(a, 128));
    return true;
  }
  if (each_exponent64(c) <= 53)
    *d = lane_bits64(scalbn(a, 128));
  return false;
}

#define DIV_SCALE(name, ROWS, LOAD, T, STORE, FUNCTION)                        \
  BODY(name)                                                                   \
  {                                                                            \
    const uint32_t *pa = ROWS(w, o, 0), *pb = ROWS(w, o, 1),                   \
                   *pc = ROWS(w, o, 2);                                        \
    uint32_t *pd = w->v[o->dest];                                              \
    uint64_t out = 0;                                                          \
    LANES(l)                                                                   \
    {                                                                          \
      T d;                                                                     \
      if (FUNCTION(LOAD(pa, l), LOAD(pb, l), LOAD(pc, l), &d))                 \
        out |= (uint64_t)1 << l;                                               \
      STORE(pd, l, d);                                                         \
    }                                                                          \
    aq_wave_put_mask(w, o->dest2, out);                                        \
    return aq_wave_next(o);                                                    \
  }
DIV_SCALE(v_div_scale_f32, lanes_source, LOAD_f32, uint32_t, STORE_b32,
          div_scale32)
DIV_SCALE(v_div_scale_f64, lanes_source64, LOAD_f64, uint64_t, STORE_b64,
          div_scale64)

/* More bits than a product of f64 has. */
#if defined(__SIZEOF_FLOAT128__)
typedef __float128 quad;
#else
typedef long double quad;
#endif

static double fma_scaled64(double a, double b, double c)
{
  const quad sum = (quad)a * (quad)b + (quad)c;
  const quad scale = each_exponent64(c) > 1023 ? 0x1p128 : 0x1p-128;
  return (double)(sum * scale);
}

/* Scales the quotient back, up or down as it is large or small. */
#define SCALED_BACK (AQ_WAVE_VCC(w) >> l & 1)
S3(v_div_fmas_f32, b32, f32, f32, f32,
   SCALED_BACK ? lane_nan3((float)scalbn(half_fma_odd(a, b, c),
                                         each_exponent32(c) > 127 ? 64 : -64),
                           a, b, c)
               : lane_nan3(fmaf(a, b, c), a, b, c))
S3(v_div_fmas_f64, b64, f64, f64, f64,
   SCALED_BACK ? lane_nan3_64(fma_scaled64(a, b, c), a, b, c)
               : lane_nan3_64(fma(a, b, c), a, b, c))

/* The quotient a of c / b, with the special cases put right. */
static uint32_t div_fixup32(float a, float b, float c)
{
  const bool negative = signbit(b) != signbit(c);
  if (c != c)
    return lane_bits32(c) | 0x400000;
  if (b != b)
    return lane_bits32(b) | 0x400000;
  if ((b == 0 && c == 0) || (isinf(b) && isinf(c)))
    return 0xffc00000;
  const float sign = negative ? -1.0f : 1.0f;
  if (b == 0 || isinf(c))
    return lane_bits32(copysignf(INFINITY, sign));
  if (isinf(b) || c == 0 || each_exponent32(c) - each_exponent32(b) < -150)
    return lane_bits32(copysignf(0, sign));
  /* A quotient that is no number overflowed on its way. */
  return lane_bits32(copysignf(a == a ? a : INFINITY, sign));
}

static uint64_t div_fixup64(double a, double b, double c)
{
  const bool negative = signbit(b) != signbit(c);
  const uint64_t quiet = (uint64_t)1 << 51;
  if (c != c)
    return lane_bits64(c) | quiet;
  if (b != b)
    return lane_bits64(b) | quiet;
  if ((b == 0 && c == 0) || (isinf(b) && isinf(c)))
    return 0xfff8000000000000;
  const double sign = negative ? -1.0 : 1.0;
  if (b == 0 || isinf(c))
    return lane_bits64(copysign((double)INFINITY, sign));
  if (isinf(b) || c == 0 || each_exponent64(c) - each_exponent64(b) < -1075)
    return lane_bits64(copysign(0, sign));
  return lane_bits64(copysign(a == a ? a : (double)INFINITY, sign));
}

S3(v_div_fixup_f32, b32, f32, f32, f32, div_fixup32(a, b, c))
S3(v_div_fixup_f64, b64, f64, f64, f64, div_fixup64(a, b, c))

/* 2/pi, 1201 bits from the first on. */
static const uint64_t two_over_pi[] = {0xa2f9836e4e441529,
                                       0xfc2757d1f534ddc0,
                                       0xdb6295993c439041,
                                       0xfe5163abdebbc561,
                                       0xb7246e3a424dd2e0,
                                       0x06492eea09d1921c,
                                       0xfe1deb1cb129a73e,
                                       0xe88235f52ebb4484,
                                       0xe99c7026b45f7e41,
                                       0x3991d639835339f4,
                                       0x9c845f8bbdf9283b,
                                       0x1ff897ffde05980f,
                                       0xef2f118b5a0a6d1f,
                                       0x6d367ecf27cb09b7,
                                       0x4f463f669e5fea2d,
                                       0x7527bac7ebe5f17b,
                                       0x3d0739f78a5292ea,
                                       0x6bfb5fb11f8d5d08,
                                       0x56033046fc7b0000,
                                       0,
                                       0};

/* A piece of 53 bits of 2/pi, for the reduction of large arguments. */
static uint64_t trig_preop(double a, uint32_t b)
{
  const int e = each_exponent64(a);
  unsigned shift = (b & 31) * 53;
  if (e > 1077)
    shift += (unsigned)(e - 1077);
  if (shift + 64 + 53 > 64 * (sizeof two_over_pi / sizeof *two_over_pi))
    return 0;
  const unsigned word = shift / 64, first = shift % 64;
  uint64_t bits = two_over_pi[word] << first;
  if (first)
    bits |= two_over_pi[word + 1] >> (64 - first);
  const int scale = -53 - (int)shift + (e >= 1968 ? 128 : 0);
  return lane_bits64(scalbn((double)(bits >> 11), scale));
}

S2(v_trig_preop_f64, b64, f64, u32, trig_preop(a, b))

/* For vector_division.inc. */
AQ_WAVE_BY_LANE(v_div_scale_f32)
AQ_WAVE_BY_LANE(v_div_scale_f64)
AQ_WAVE_BY_LANE(v_div_fmas_f32)
AQ_WAVE_BY_LANE(v_div_fmas_f64)
AQ_WAVE_BY_LANE(v_div_fixup_f32)
AQ_WAVE_BY_LANE(v_div_fixup_f64)

/* clang-format off */
const aq_wave_semantics aq_wave_division[] = {
    H(v_div_scale_f32), H(v_div_scale_f64), H(v_div_fmas_f32),
    H(v_div_fmas_f64), H(v_div_fixup_f32), H(v_div_fixup_f64),
    H(v_trig_preop_f64), {NULL, NULL}};
/* clang-format on */
