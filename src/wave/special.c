/* SPDX-License-Identifier: MIT */
/*
 * Vector instructions that are computed a lane at a time: transcendental
 * functions, division, exponents, f16, classes.
 *
 * Of transcendental functions the hardware's last bits are not public. They are
 * computed in double precision and rounded once, so they lie within 1 ulp of
 * what any hardware with that error bound gives.
 */
#include "config.h"

#include <math.h>

#include "wave/lanes.h"
#include "wave/mode.h"

#pragma GCC optimize("fp-contract=off")

#define BODY(name)                                                             \
  static const aq_wave_op *name##_(aq_wave *w, const aq_wave_op *o)
#define LANES(l)                                                               \
  for (uint64_t rest = AQ_WAVE_EXEC(w); rest; rest &= rest - 1)                \
    for (int l = __builtin_ctzll(rest), once = 1; once; once = 0)

#define T_u32              uint32_t
#define T_f32              float
#define T_u64              uint64_t
#define T_f64              double
#define T_u16              uint16_t
#define T_f16              float
#define LOAD_u32(p, l)     (p)[l]
#define LOAD_f32(p, l)     lane_f32((p)[l])
#define LOAD_u64(p, l)     lane_u64(p, l)
#define LOAD_f64(p, l)     lane_f64(lane_u64(p, l))
#define LOAD_u16(p, l)     ((uint16_t)(p)[l])
#define LOAD_f16(p, l)     lane_f16((uint16_t)(p)[l])
#define ROWS_u32           lanes_source
#define ROWS_f32           lanes_source
#define ROWS_u16           lanes_source
#define ROWS_f16           lanes_source
#define ROWS_u64           lanes_source64
#define ROWS_f64           lanes_source64
#define T_b32              uint32_t
#define T_b64              uint64_t
#define STORE_b32(d, l, r) (d)[l] = (r)
#define STORE_b64(d, l, r)                                                     \
  ((d)[l] = (uint32_t)(r), (d)[AQ_WAVE_LANES + (l)] = (uint32_t)((r) >> 32))
/* f64 and f16 share a MODE of their own. */
#define SPLIT_f32 0
#define SPLIT_u32 0
#define SPLIT_f64 1
#define SPLIT_u64 1
#define SPLIT_f16 1
#define SPLIT_u16 1
#define ENTER(T)                                                               \
  const bool split = SPLIT_##T && aq_wave_mode_is_split(w);                    \
  if (split)                                                                   \
  aq_wave_mode_enter64(w)
#define LEAVE                                                                  \
  if (split)                                                                   \
  aq_wave_mode_enter(w)

#define S1(name, TD, TA, EXPR)                                                 \
  BODY(name)                                                                   \
  {                                                                            \
    const uint32_t *pa = ROWS_##TA(w, o, 0);                                   \
    uint32_t *pd = w->v[o->d];                                                 \
    ENTER(TA);                                                                 \
    LANES(l)                                                                   \
    {                                                                          \
      const T_##TA a = LOAD_##TA(pa, l);                                       \
      const T_##TD r = (T_##TD)(EXPR);                                         \
      STORE_##TD(pd, l, r);                                                    \
    }                                                                          \
    LEAVE;                                                                     \
    return aq_wave_next(o);                                                    \
  }
#define S2(name, TD, TA, TB, EXPR)                                             \
  BODY(name)                                                                   \
  {                                                                            \
    const uint32_t *pa = ROWS_##TA(w, o, 0), *pb = ROWS_##TB(w, o, 1);         \
    uint32_t *pd = w->v[o->d];                                                 \
    ENTER(TA);                                                                 \
    LANES(l)                                                                   \
    {                                                                          \
      const T_##TA a = LOAD_##TA(pa, l);                                       \
      const T_##TB b = LOAD_##TB(pb, l);                                       \
      const T_##TD r = (T_##TD)(EXPR);                                         \
      STORE_##TD(pd, l, r);                                                    \
    }                                                                          \
    LEAVE;                                                                     \
    return aq_wave_next(o);                                                    \
  }
#define S3(name, TD, TA, TB, TC, EXPR)                                         \
  BODY(name)                                                                   \
  {                                                                            \
    const uint32_t *pa = ROWS_##TA(w, o, 0), *pb = ROWS_##TB(w, o, 1),         \
                   *pc = ROWS_##TC(w, o, 2);                                   \
    uint32_t *pd = w->v[o->d];                                                 \
    ENTER(TA);                                                                 \
    LANES(l)                                                                   \
    {                                                                          \
      const T_##TA a = LOAD_##TA(pa, l);                                       \
      const T_##TB b = LOAD_##TB(pb, l);                                       \
      const T_##TC c = LOAD_##TC(pc, l);                                       \
      const T_##TD r = (T_##TD)(EXPR);                                         \
      STORE_##TD(pd, l, r);                                                    \
    }                                                                          \
    LEAVE;                                                                     \
    return aq_wave_next(o);                                                    \
  }

/* ---- exponents and parts ---- */

static int exponent32(float a)
{
  return (int)(lane_bits32(a) >> 23 & 0xff);
}

static int exponent64(double a)
{
  return (int)(lane_bits64(a) >> 52 & 0x7ff);
}

static bool is_denormal32(float a)
{
  return a != 0 && exponent32(a) == 0;
}

static bool is_denormal64(double a)
{
  return a != 0 && exponent64(a) == 0;
}

#define N32(r) lane_nan2(r, a, a)
#define N64(r) lane_nan2_64(r, a, a)

static uint32_t fract32(float a)
{
  if (a != a || isinf(a))
    return lane_nan2(NAN, a, a);
  const float r = a - floorf(a), below = 0x1.fffffep-1f;
  return lane_bits32(r < below ? r : below);
}

static uint64_t fract64(double a)
{
  if (a != a || isinf(a))
    return lane_nan2_64((double)NAN, a, a);
  const double r = a - floor(a), below = 0x1.fffffffffffffp-1;
  return lane_bits64(r < below ? r : below);
}

static uint32_t frexp_exp32(float a)
{
  int e = 0;
  if (a == a && !isinf(a) && a != 0)
    frexpf(a, &e);
  return (uint32_t)e;
}

static uint32_t frexp_exp64(double a)
{
  int e = 0;
  if (a == a && !isinf(a) && a != 0)
    frexp(a, &e);
  return (uint32_t)e;
}

static float frexp_mant32(float a)
{
  int e;
  return a == a && !isinf(a) ? frexpf(a, &e) : a;
}

static double frexp_mant64(double a)
{
  int e;
  return a == a && !isinf(a) ? frexp(a, &e) : a;
}

static int clamp_exponent(uint32_t e)
{
  const int32_t x = (int32_t)e;
  return x > 10000 ? 10000 : x < -10000 ? -10000 : x;
}

S1(v_fract_f32, b32, f32, fract32(a))
S1(v_trunc_f32, b32, f32, N32(truncf(a)))
S1(v_ceil_f32, b32, f32, N32(ceilf(a)))
S1(v_rndne_f32, b32, f32, N32(roundevenf(a)))
S1(v_floor_f32, b32, f32, N32(floorf(a)))
S1(v_fract_f64, b64, f64, fract64(a))
S1(v_trunc_f64, b64, f64, N64(trunc(a)))
S1(v_ceil_f64, b64, f64, N64(ceil(a)))
S1(v_rndne_f64, b64, f64, N64(roundeven(a)))
S1(v_floor_f64, b64, f64, N64(floor(a)))
S1(v_frexp_exp_i32_f32, b32, f32, frexp_exp32(a))
S1(v_frexp_mant_f32, b32, f32, N32(frexp_mant32(a)))
S1(v_frexp_exp_i32_f64, b32, f64, frexp_exp64(a))
S1(v_frexp_mant_f64, b64, f64, N64(frexp_mant64(a)))
S2(v_ldexp_f32, b32, f32, u32, N32((float)scalbn((double)a, clamp_exponent(b))))
S2(v_ldexp_f64, b64, f64, u32, N64(scalbn(a, clamp_exponent(b))))
S1(v_cvt_rpi_i32_f32, b32, f32,
   a != a ? 0
          : (uint32_t)(int32_t)fmin(fmax(floor((double)a + 0.5), -2147483648.0),
                                    2147483647.0))
S1(v_cvt_flr_i32_f32, b32, f32,
   a != a ? 0
          : (uint32_t)(int32_t)fmin(fmax(floor((double)a), -2147483648.0),
                                    2147483647.0))
S1(v_cvt_off_f32_i4, b32, u32,
   lane_bits32((float)((int32_t)(a << 28) >> 28) * 0.0625f))

/* ---- transcendental functions ---- */

/* Sources and results that are denormal are flushed, as MODE says; exp and log
 * of denormals are flushed always. */
static float flushed(float a)
{
  return is_denormal32(a) ? copysignf(0, a) : a;
}

/* The sine of `a` turns. */
static double turn_sin(double a)
{
  const double part = a - floor(a);
  return part == 0 || part == 0.5 ? 0 : sin(part * 2 * M_PI);
}

static double turn_cos(double a)
{
  const double part = a - floor(a);
  return part == 0.25 || part == 0.75 ? 0 : cos(part * 2 * M_PI);
}

static uint32_t sine(float a, double (*function)(double))
{
  if (a != a || isinf(a))
    return lane_nan2(NAN, a, a);
  return lane_bits32((float)function((double)a));
}

S1(v_exp_f32, b32, f32, N32((float)exp2((double)flushed(a))))
S1(v_log_f32, b32, f32, N32((float)log2((double)flushed(a))))
S1(v_rcp_f32, b32, f32, N32(1.0f / a))
S1(v_rsq_f32, b32, f32, N32((float)(1.0 / sqrt((double)a))))
S1(v_sqrt_f32, b32, f32, N32(sqrtf(a)))
S1(v_rcp_f64, b64, f64, N64(1.0 / a))
S1(v_rsq_f64, b64, f64, N64((double)(1.0L / sqrtl((long double)a))))
S1(v_sqrt_f64, b64, f64, N64(sqrt(a)))
S1(v_sin_f32, b32, f32, sine(a, turn_sin))
S1(v_cos_f32, b32, f32, sine(a, turn_cos))

/* ---- division ---- */

static float scaled32(float a, int e)
{
  return (float)scalbn((double)a, e);
}

/* d, and whether the quotient has to be scaled back. */
static bool div_scale32(float a, float b, float c, uint32_t *d)
{
  const double quotient = (double)c / (double)b, inverse = 1.0 / (double)b;
  const bool tiny_quotient = is_denormal32((float)quotient);
  const bool tiny_inverse = fabs(inverse) < 0x1p-126 && inverse != 0;
  const uint32_t same = lane_bits32(a);
  *d = same;
  if (c == 0 || b == 0) {
    *d = 0x7fc00000;
    return false;
  }
  if (exponent32(c) - exponent32(b) >= 96) {
    if (same == lane_bits32(b))
      *d = lane_bits32(scaled32(a, 64));
    return true;
  }
  if (is_denormal32(b)) {
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
  if (exponent32(c) <= 23)
    *d = lane_bits32(scaled32(a, 64));
  return false;
}

static bool div_scale64(double a, double b, double c, uint64_t *d)
{
  const long double quotient = (long double)c / b, inverse = 1.0L / b;
  const bool tiny_quotient = is_denormal64((double)quotient);
  const bool tiny_inverse = inverse != 0 && fabsl(inverse) < 0x1p-1022L;
  const uint64_t same = lane_bits64(a);
  *d = same;
  if (c == 0 || b == 0) {
    *d = 0x7ff8000000000000;
    return false;
  }
  if (exponent64(c) - exponent64(b) >= 768) {
    if (same == lane_bits64(b))
      *d = lane_bits64(scalbn(a, 128));
    return true;
  }
  if (is_denormal64(b)) {
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
  if (exponent64(c) <= 53)
    *d = lane_bits64(scalbn(a, 128));
  return false;
}

#define DIV_SCALE(name, ROWS, LOAD, T, STORE, FUNCTION)                        \
  BODY(name)                                                                   \
  {                                                                            \
    const uint32_t *pa = ROWS(w, o, 0), *pb = ROWS(w, o, 1),                   \
                   *pc = ROWS(w, o, 2);                                        \
    uint32_t *pd = w->v[o->d];                                                 \
    uint64_t out = 0;                                                          \
    LANES(l)                                                                   \
    {                                                                          \
      T d;                                                                     \
      if (FUNCTION(LOAD(pa, l), LOAD(pb, l), LOAD(pc, l), &d))                 \
        out |= (uint64_t)1 << l;                                               \
      STORE(pd, l, d);                                                         \
    }                                                                          \
    aq_wave_put64(w, o->e, out);                                               \
    return aq_wave_next(o);                                                    \
  }
DIV_SCALE(v_div_scale_f32, lanes_source, LOAD_f32, uint32_t, STORE_b32,
          div_scale32)
DIV_SCALE(v_div_scale_f64, lanes_source64, LOAD_f64, uint64_t, STORE_b64,
          div_scale64)

/* A sum of a product and c that rounds once when it is rounded again. */
static double fma_odd(float a, float b, float c)
{
  const double p = (double)a * (double)b, z = (double)c, s = p + z;
  const double back = s - p, error = (p - (s - back)) + (z - back);
  uint64_t bits = lane_bits64(s);
  if (error != 0 && !isinf(s) && !(bits & 1))
    bits += ((error > 0) == (s > 0)) ? 1 : (uint64_t)-1;
  return lane_f64(bits);
}

/* More bits than a product of f64 has. */
#if defined(__SIZEOF_FLOAT128__)
typedef __float128 quad;
#else
typedef long double quad;
#endif

static double fma_scaled64(double a, double b, double c)
{
  const quad sum = (quad)a * (quad)b + (quad)c;
  const quad scale = exponent64(c) > 1023 ? 0x1p128 : 0x1p-128;
  return (double)(sum * scale);
}

/* Scales the quotient back, up or down as it is large or small. */
#define SCALED_BACK (AQ_WAVE_VCC(w) >> l & 1)
S3(v_div_fmas_f32, b32, f32, f32, f32,
   SCALED_BACK ? lane_nan3((float)scalbn(fma_odd(a, b, c),
                                         exponent32(c) > 127 ? 64 : -64),
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
  if (isinf(b) || c == 0 || exponent32(c) - exponent32(b) < -150)
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
  if (isinf(b) || c == 0 || exponent64(c) - exponent64(b) < -1075)
    return lane_bits64(copysign(0, sign));
  return lane_bits64(copysign(a == a ? a : (double)INFINITY, sign));
}

S3(v_div_fixup_f32, b32, f32, f32, f32, div_fixup32(a, b, c))
S3(v_div_fixup_f64, b64, f64, f64, f64, div_fixup64(a, b, c))

/* 2/pi, 1280 bits from the first on. */
static const uint64_t two_over_pi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
    0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c,
    0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
    0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab, 0xf0cfbc209af4361d};

/* A piece of 53 bits of 2/pi, for the reduction of large arguments. */
static uint64_t trig_preop(double a, uint32_t b)
{
  const int e = exponent64(a);
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

/* ---- classes ---- */

static unsigned class_of(bool nan, bool quiet, bool infinite, bool zero,
                         bool denormal, bool negative)
{
  if (nan)
    return quiet ? 1u << 1 : 1u << 0;
  if (infinite)
    return negative ? 1u << 2 : 1u << 9;
  if (zero)
    return negative ? 1u << 5 : 1u << 6;
  if (denormal)
    return negative ? 1u << 4 : 1u << 7;
  return negative ? 1u << 3 : 1u << 8;
}

static unsigned class32(uint32_t x)
{
  const uint32_t e = x >> 23 & 0xff, m = x & 0x7fffff;
  return class_of(e == 255 && m, m >> 22, e == 255 && !m, !e && !m, !e && m,
                  x >> 31);
}

static unsigned class64(uint64_t x)
{
  const uint64_t e = x >> 52 & 0x7ff, m = x & 0xfffffffffffff;
  return class_of(e == 2047 && m, m >> 51 & 1, e == 2047 && !m, !e && !m,
                  !e && m, x >> 63);
}

static unsigned class16(uint16_t x)
{
  const unsigned e = x >> 10 & 31, m = x & 0x3ff;
  return class_of(e == 31 && m, m >> 9, e == 31 && !m, !e && !m, !e && m,
                  x >> 15);
}

#define CLASS(T, EXEC_TOO, name)                                               \
  BODY(name)                                                                   \
  {                                                                            \
    const uint32_t *pa = ROWS_u##T(w, o, 0), *pb = lanes_source(w, o, 1);      \
    uint64_t out = 0;                                                          \
    LANES(l)                                                                   \
    {                                                                          \
      if (class##T(LOAD_u##T(pa, l)) & pb[l])                                  \
        out |= (uint64_t)1 << l;                                               \
    }                                                                          \
    aq_wave_put64(w, o->d, out);                                               \
    if (EXEC_TOO)                                                              \
      AQ_WAVE_EXEC(w) = out;                                                   \
    return aq_wave_next(o);                                                    \
  }
CLASS(32, false, v_cmp_class_f32)
CLASS(32, true, v_cmpx_class_f32)
CLASS(64, false, v_cmp_class_f64)
CLASS(64, true, v_cmpx_class_f64)
CLASS(16, false, v_cmp_class_f16)
CLASS(16, true, v_cmpx_class_f16)

/* ---- 16 bits ---- */

#define N16(r, x, y, z) lane_nan3_16(r, x, y, z)

/* A product and a sum of f16 are exact in double but for the sum's last bits:
 * those are kept by making an inexact sum odd, so that it rounds once. */
static uint16_t fma16(uint16_t a, uint16_t b, uint16_t c)
{
  const double p = (double)lane_f16(a) * (double)lane_f16(b);
  const double z = (double)lane_f16(c);
  double s = p + z;
  const double back = s - p, error = (p - (s - back)) + (z - back);
  if (error != 0 && !isinf(s)) {
    uint64_t bits = lane_bits64(s);
    if (!(bits & 1))
      bits += ((error > 0) == (s > 0)) ? 1 : (uint64_t)-1;
    s = lane_f64(bits);
  }
  return s == s ? lane_half(s) : N16(NAN, a, b, c);
}

static uint16_t mad16(uint16_t a, uint16_t b, uint16_t c)
{
  const uint16_t p = lane_bits16(lane_f16(a) * lane_f16(b));
  return N16(lane_f16(p) + lane_f16(c), a, b, c);
}

static uint16_t min16(uint16_t x, uint16_t y)
{
  if (lane_is_nan16(x))
    return x & 0x200 ? y : x | 0x200;
  if (lane_is_nan16(y))
    return y & 0x200 ? x : y | 0x200;
  const float a = lane_f16(x), b = lane_f16(y);
  return a < b ? x : b < a ? y : x | y;
}

static uint16_t max16(uint16_t x, uint16_t y)
{
  if (lane_is_nan16(x))
    return x & 0x200 ? y : x | 0x200;
  if (lane_is_nan16(y))
    return y & 0x200 ? x : y | 0x200;
  const float a = lane_f16(x), b = lane_f16(y);
  return a > b ? x : b > a ? y : x & y;
}

static uint16_t med16(uint16_t a, uint16_t b, uint16_t c)
{
  if (lane_is_nan16(a) || lane_is_nan16(b) || lane_is_nan16(c))
    return min16(min16(a, b), c);
  return max16(min16(a, b), min16(max16(a, b), c));
}

static uint16_t div_fixup16(uint16_t a, uint16_t b, uint16_t c)
{
  const float x = lane_f16(b), y = lane_f16(c);
  const uint16_t sign = (b ^ c) & 0x8000;
  if (lane_is_nan16(c))
    return c | 0x200;
  if (lane_is_nan16(b))
    return b | 0x200;
  if ((x == 0 && y == 0) || (isinf(x) && isinf(y)))
    return 0xfe00;
  if (x == 0 || isinf(y))
    return sign | 0x7c00;
  if (isinf(x) || y == 0)
    return sign;
  return sign | (a & 0x7fff);
}

#define F(x) lane_f16(x)
S2(v_add_f16, b32, u16, u16, N16(F(a) + F(b), a, b, a))
S2(v_sub_f16, b32, u16, u16, N16(F(a) - F(b), a, b, a))
S2(v_subrev_f16, b32, u16, u16, N16(F(b) - F(a), a, b, a))
S2(v_mul_f16, b32, u16, u16, N16(F(a) * F(b), a, b, a))
S2(v_min_f16, b32, u16, u16, min16(a, b))
S2(v_max_f16, b32, u16, u16, max16(a, b))
S2(v_ldexp_f16, b32, u16, u16,
   N16((float)scalbn((double)F(a), (int16_t)b), a, a, a))
S3(v_fma_f16, b32, u16, u16, u16, fma16(a, b, c))
S3(v_mad_f16, b32, u16, u16, u16, mad16(a, b, c))
S3(v_min3_f16, b32, u16, u16, u16, min16(min16(a, b), c))
S3(v_max3_f16, b32, u16, u16, u16, max16(max16(a, b), c))
S3(v_med3_f16, b32, u16, u16, u16, med16(a, b, c))
S3(v_div_fixup_f16, b32, u16, u16, u16, div_fixup16(a, b, c))
S2(v_pack_b32_f16, b32, u16, u16, a | (uint32_t)b << 16)
S1(v_rcp_f16, b32, u16, N16(1.0f / F(a), a, a, a))
S1(v_sqrt_f16, b32, u16, N16(sqrtf(F(a)), a, a, a))
S1(v_rsq_f16, b32, u16, N16((float)(1.0 / sqrt((double)F(a))), a, a, a))
S1(v_log_f16, b32, u16, N16((float)log2((double)F(a)), a, a, a))
S1(v_exp_f16, b32, u16, N16((float)exp2((double)F(a)), a, a, a))
S1(v_floor_f16, b32, u16, N16(floorf(F(a)), a, a, a))
S1(v_ceil_f16, b32, u16, N16(ceilf(F(a)), a, a, a))
S1(v_trunc_f16, b32, u16, N16(truncf(F(a)), a, a, a))
S1(v_rndne_f16, b32, u16, N16(roundevenf(F(a)), a, a, a))
S1(v_fract_f16, b32, u16,
   N16(isinf(F(a)) ? NAN : fminf(F(a) - floorf(F(a)), 0x1.ffcp-1f), a, a, a))
S1(v_sin_f16, b32, u16,
   N16(isinf(F(a)) ? NAN : (float)turn_sin((double)F(a)), a, a, a))
S1(v_cos_f16, b32, u16,
   N16(isinf(F(a)) ? NAN : (float)turn_cos((double)F(a)), a, a, a))
S1(v_frexp_mant_f16, b32, u16, N16(frexp_mant32(F(a)), a, a, a))
S1(v_frexp_exp_i16_f16, b32, u16, (uint16_t)frexp_exp32(F(a)))
S1(v_cvt_f16_f32, b32, u32,
   lane_f32(a) == lane_f32(a)
       ? lane_bits16(lane_f32(a))
       : (uint16_t)((a >> 16 & 0x8000) | 0x7e00 | (a >> 13 & 0x1ff)))
S1(v_cvt_f32_f16, b32, u16,
   lane_is_nan16(a)
       ? (uint32_t)(a & 0x8000) << 16 | 0x7fc00000 | (uint32_t)(a & 0x1ff) << 13
       : lane_bits32(F(a)))
S1(v_cvt_f16_u16, b32, u16, lane_bits16((float)a))
S1(v_cvt_f16_i16, b32, u16, lane_bits16((float)(int16_t)a))
S1(v_cvt_u16_f16, b32, u16,
   lane_is_nan16(a) ? 0 : (uint16_t)fminf(fmaxf(truncf(F(a)), 0), 65535))
S1(v_cvt_i16_f16, b32, u16,
   lane_is_nan16(a)
       ? 0
       : (uint16_t)(int16_t)fminf(fmaxf(truncf(F(a)), -32768), 32767))
S2(v_add_u16, b32, u16, u16, (uint16_t)(a + b))
S2(v_sub_u16, b32, u16, u16, (uint16_t)(a - b))
S2(v_subrev_u16, b32, u16, u16, (uint16_t)(b - a))
S2(v_mul_lo_u16, b32, u16, u16, (uint16_t)((uint32_t)a *b))
S2(v_lshlrev_b16, b32, u16, u16, (uint16_t)(b << (a & 15)))
S2(v_lshrrev_b16, b32, u16, u16, b >> (a & 15))
S2(v_ashrrev_i16, b32, u16, u16, (uint16_t)((int16_t)b >> (a & 15)))
S2(v_max_u16, b32, u16, u16, a > b ? a : b)
S2(v_max_i16, b32, u16, u16, (int16_t)a > (int16_t)b ? a : b)
S2(v_min_u16, b32, u16, u16, a < b ? a : b)
S2(v_min_i16, b32, u16, u16, (int16_t)a < (int16_t)b ? a : b)
S3(v_mad_u16, b32, u16, u16, u16, (uint16_t)((uint32_t)a *b + c))
S3(v_mad_u32_u16, b32, u16, u16, u32, (uint32_t)a *b + c)
S3(v_mad_i32_i16, b32, u16, u16, u32, (uint32_t)((int16_t)a *(int16_t)b) + c)
S3(v_min3_u16, b32, u16, u16, u16, a < b ? (a < c ? a : c) : b < c ? b : c)
S3(v_max3_u16, b32, u16, u16, u16, a > b ? (a > c ? a : c) : b > c ? b : c)

#define CMP16(op, EXPR)                                                        \
  CMP16X(op, EXPR, false, v_cmp_##op##_f16)                                    \
  CMP16X(op, EXPR, true, v_cmpx_##op##_f16)
#define CMP16X(op, EXPR, EXEC_TOO, name)                                       \
  BODY(name)                                                                   \
  {                                                                            \
    const uint32_t *pa = lanes_source(w, o, 0), *pb = lanes_source(w, o, 1);   \
    uint64_t out = 0;                                                          \
    LANES(l)                                                                   \
    {                                                                          \
      const float a = LOAD_f16(pa, l), b = LOAD_f16(pb, l);                    \
      (void)a, (void)b;                                                        \
      if (EXPR)                                                                \
        out |= (uint64_t)1 << l;                                               \
    }                                                                          \
    aq_wave_put64(w, o->d, out);                                               \
    if (EXEC_TOO)                                                              \
      AQ_WAVE_EXEC(w) = out;                                                   \
    return aq_wave_next(o);                                                    \
  }
CMP16(f, false)
CMP16(lt, a < b)
CMP16(eq, a == b)
CMP16(le, a <= b)
CMP16(gt, a > b)
CMP16(lg, a<b || a> b)
CMP16(ge, a >= b)
CMP16(o, a == a && b == b)
CMP16(u, a != a || b != b)
CMP16(nge, !(a >= b))
CMP16(nlg, !(a < b || a > b))
CMP16(ngt, !(a > b))
CMP16(nle, !(a <= b))
CMP16(neq, a != b)
CMP16(nlt, !(a < b))
CMP16(tru, true)

/* Two f32 as f16, toward zero. */
static uint16_t to_f16_toward_zero(uint32_t x)
{
  const float a = lane_f32(x);
  if (a != a)
    return (uint16_t)((x >> 16 & 0x8000) | 0x7e00 | (x >> 13 & 0x1ff));
  if (isinf(a))
    return (uint16_t)((x >> 16 & 0x8000) | 0x7c00);
  const uint16_t near = lane_bits16(a);
  const float back = lane_f16(near);
  return fabsf(back) > fabsf(a) ? (uint16_t)(near - 1) : near;
}

BODY(v_cvt_pkrtz)
{
  const uint32_t *pa = lanes_source(w, o, 0), *pb = lanes_source(w, o, 1);
  uint32_t *pd = w->v[o->d];
  LANES(l)
  pd[l] = to_f16_toward_zero(pa[l]) | (uint32_t)to_f16_toward_zero(pb[l]) << 16;
  return aq_wave_next(o);
}

/* Fractions of 32767 or 65535, saturated. */
static uint16_t norm_i16(float a)
{
  return a != a ? 0
                : (uint16_t)(int16_t)roundevenf(fminf(fmaxf(a, -1.0f), 1.0f) *
                                                32767.0f);
}

static uint16_t norm_u16(float a)
{
  return a != a ? 0
                : (uint16_t)roundevenf(fminf(fmaxf(a, 0.0f), 1.0f) * 65535.0f);
}

S2(v_cvt_pknorm_i16_f32, b32, f32, f32,
   norm_i16(a) | (uint32_t)norm_i16(b) << 16)
S2(v_cvt_pknorm_u16_f32, b32, f32, f32,
   norm_u16(a) | (uint32_t)norm_u16(b) << 16)
S3(v_cvt_pk_u8_f32, b32, f32, u32, u32,
   (c & ~(0xffu << (8 * (b & 3)))) |
       (uint32_t)(a != a ? 0 : fminf(fmaxf(roundevenf(a), 0), 255))
           << (8 * (b & 3)))

/* clang-format off */
#define H(name) {#name, name##_}
#define AS(name, handler) {#name, handler##_}
const aq_wave_semantics aq_wave_special[] = {
    H(v_fract_f32), H(v_trunc_f32), H(v_ceil_f32), H(v_rndne_f32),
    H(v_floor_f32), H(v_fract_f64), H(v_trunc_f64), H(v_ceil_f64),
    H(v_rndne_f64), H(v_floor_f64), H(v_frexp_exp_i32_f32), H(v_frexp_mant_f32),
    H(v_frexp_exp_i32_f64), H(v_frexp_mant_f64), H(v_ldexp_f32), H(v_ldexp_f64),
    H(v_cvt_rpi_i32_f32), H(v_cvt_flr_i32_f32), H(v_cvt_off_f32_i4),
    H(v_exp_f32), H(v_log_f32), H(v_rcp_f32), H(v_rsq_f32), H(v_sqrt_f32),
    H(v_rcp_f64), H(v_rsq_f64), H(v_sqrt_f64), H(v_sin_f32), H(v_cos_f32),
    H(v_div_scale_f32), H(v_div_scale_f64), H(v_div_fmas_f32),
    H(v_div_fmas_f64), H(v_div_fixup_f32), H(v_div_fixup_f64),
    H(v_trig_preop_f64), H(v_add_f16), H(v_sub_f16), H(v_subrev_f16),
    H(v_mul_f16), H(v_min_f16), H(v_max_f16), H(v_ldexp_f16), H(v_fma_f16),
    H(v_mad_f16), H(v_min3_f16), H(v_max3_f16), H(v_med3_f16),
    H(v_div_fixup_f16), H(v_pack_b32_f16), H(v_rcp_f16), H(v_sqrt_f16),
    H(v_rsq_f16), H(v_log_f16), H(v_exp_f16), H(v_floor_f16), H(v_ceil_f16),
    H(v_trunc_f16), H(v_rndne_f16), H(v_fract_f16), H(v_sin_f16), H(v_cos_f16),
    H(v_frexp_mant_f16), H(v_frexp_exp_i16_f16), H(v_cvt_f16_f32),
    H(v_cvt_f32_f16), H(v_cvt_f16_u16), H(v_cvt_f16_i16), H(v_cvt_u16_f16),
    H(v_cvt_i16_f16), H(v_add_u16), H(v_sub_u16), H(v_subrev_u16),
    H(v_mul_lo_u16), H(v_lshlrev_b16), H(v_lshrrev_b16), H(v_ashrrev_i16),
    H(v_max_u16), H(v_max_i16), H(v_min_u16), H(v_min_i16), H(v_mad_u16),
    H(v_mad_u32_u16), H(v_mad_i32_i16), H(v_min3_u16), H(v_max3_u16),
    H(v_cvt_pknorm_i16_f32), H(v_cvt_pknorm_u16_f32), H(v_cvt_pk_u8_f32),
    H(v_cmp_class_f32), H(v_cmpx_class_f32), H(v_cmp_class_f64),
    H(v_cmpx_class_f64), H(v_cmp_class_f16), H(v_cmpx_class_f16),
    H(v_cmp_f_f16), H(v_cmpx_f_f16), H(v_cmp_lt_f16), H(v_cmpx_lt_f16),
    H(v_cmp_eq_f16), H(v_cmpx_eq_f16), H(v_cmp_le_f16), H(v_cmpx_le_f16),
    H(v_cmp_gt_f16), H(v_cmpx_gt_f16), H(v_cmp_lg_f16), H(v_cmpx_lg_f16),
    H(v_cmp_ge_f16), H(v_cmpx_ge_f16), H(v_cmp_o_f16), H(v_cmpx_o_f16),
    H(v_cmp_u_f16), H(v_cmpx_u_f16), H(v_cmp_nge_f16), H(v_cmpx_nge_f16),
    H(v_cmp_nlg_f16), H(v_cmpx_nlg_f16), H(v_cmp_ngt_f16), H(v_cmpx_ngt_f16),
    H(v_cmp_nle_f16), H(v_cmpx_nle_f16), H(v_cmp_neq_f16), H(v_cmpx_neq_f16),
    H(v_cmp_nlt_f16), H(v_cmpx_nlt_f16), H(v_cmp_tru_f16), H(v_cmpx_tru_f16),
    AS(v_rcp_iflag_f32, v_rcp_f32), AS(v_exp_legacy_f32, v_exp_f32),
    AS(v_log_legacy_f32, v_log_f32), AS(v_cvt_pkrtz_f16_f32, v_cvt_pkrtz),
    AS(v_fmac_f16, v_fma_f16), AS(v_mac_f16, v_mad_f16),
    AS(v_madmk_f16, v_mad_f16), AS(v_madak_f16, v_mad_f16),
    AS(v_mad_legacy_f16, v_mad_f16), AS(v_mad_legacy_u16, v_mad_u16),
    AS(v_mad_legacy_i16, v_mad_u16), AS(v_mad_i16, v_mad_u16),
    AS(v_fma_legacy_f16, v_fma_f16),
    AS(v_div_fixup_legacy_f16, v_div_fixup_f16), AS(v_add_i16, v_add_u16),
    AS(v_sub_i16, v_sub_u16), {NULL, NULL}};
/* clang-format on */
