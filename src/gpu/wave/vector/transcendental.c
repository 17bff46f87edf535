/* SPDX-License-Identifier: MIT */
/*
 * Vector instructions that are computed a lane at a time: transcendental
 * functions, exponents, classes.
 *
 * Of transcendental functions the hardware's last bits are not public. They are
 * computed in double precision and rounded once, so they lie within 1 ulp of
 * what any hardware with that error bound gives.
 */
#include "config.h"

#include "gpu/wave/core/lane_handlers.h"
#include "gpu/wave/core/packed.h"
#include "gpu/wave/vector/transcendental.h"

#pragma GCC optimize("fp-contract=off")

/* ---- exponents and parts ---- */

static uint32_t frexp_exp64(double a)
{
  int e = 0;
  if (a == a && !isinf(a) && a != 0)
    frexp(a, &e);
  return (uint32_t)e;
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

S1(v_frexp_exp_i32_f32, b32, f32, each_frexp_exp32(a))
S1(v_frexp_mant_f32, b32, f32, N32(each_frexp_mant32(a)))
S1(v_frexp_exp_i32_f64, b32, f64, frexp_exp64(a))
S1(v_frexp_mant_f64, b64, f64, N64(frexp_mant64(a)))
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
  return each_is_denormal32(a) ? copysignf(0, a) : a;
}

static uint32_t sine(float a, double (*function)(double))
{
  if (a != a || isinf(a))
    return lane_nan2(NAN, a, a);
  return lane_bits32((float)function((double)a));
}

S1(v_exp_f32, b32, f32, N32((float)exp2((double)flushed(a))))
S1(v_log_f32, b32, f32, N32((float)log2((double)flushed(a))))
S1(v_rsq_f64, b64, f64, N64((double)(1.0L / sqrtl((long double)a))))
S1(v_sin_f32, b32, f32, sine(a, each_turn_sin))
S1(v_cos_f32, b32, f32, sine(a, each_turn_cos))

AQ_WAVE_BY_LANE(v_exp_f32)
AQ_WAVE_BY_LANE(v_log_f32)
AQ_WAVE_BY_LANE(v_sin_f32)
AQ_WAVE_BY_LANE(v_cos_f32)

/* gfx12 computes these for a scalar. */
SCALAR(v_s_exp_f32, v_exp_f32)
SCALAR(v_s_log_f32, v_log_f32)

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
    aq_wave_put_mask(w, o->dest, out);                                         \
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

/* Fractions of 32767 or 65535, saturated. */
static uint16_t norm_i16(float a)
{
  const double x = fmin(fmax((double)a, -1.0), 1.0) * 32767;
  return a != a ? 0 : (uint16_t)(int16_t)roundeven(x);
}

static uint16_t norm_u16(float a)
{
  const double x = fmin(fmax((double)a, 0.0), 1.0) * 65535;
  return a != a ? 0 : (uint16_t)roundeven(x);
}

S2(v_cvt_pknorm_i16_f32, b32, f32, f32,
   norm_i16(a) | (uint32_t)norm_i16(b) << 16)
S2(v_cvt_pknorm_u16_f32, b32, f32, f32,
   norm_u16(a) | (uint32_t)norm_u16(b) << 16)
S2(v_cvt_pknorm_i16_f16, b32, f16, f16,
   norm_i16(a) | (uint32_t)norm_i16(b) << 16)
S2(v_cvt_pknorm_u16_f16, b32, f16, f16,
   norm_u16(a) | (uint32_t)norm_u16(b) << 16)
S1(v_cvt_norm_i16_f16, b32, f16, norm_i16(a))
S1(v_cvt_norm_u16_f16, b32, f16, norm_u16(a))
S3(v_cvt_pk_u8_f32, b32, f32, u32, u32,
   (c & ~(0xffu << (8 * (b & 3)))) |
       (uint32_t)(a != a ? 0 : fminf(fmaxf(roundevenf(a), 0), 255))
           << (8 * (b & 3)))

/* clang-format off */
const aq_wave_semantics aq_wave_special[] = {
    H(v_frexp_exp_i32_f32),
    H(v_frexp_mant_f32), H(v_frexp_exp_i32_f64), H(v_frexp_mant_f64),
    H(v_ldexp_f64), H(v_cvt_rpi_i32_f32),
    H(v_cvt_flr_i32_f32), H(v_cvt_off_f32_i4), H(v_exp_f32), H(v_log_f32),
    H(v_rsq_f64), H(v_s_exp_f32), H(v_s_log_f32), H(v_sin_f32), H(v_cos_f32), H(v_cvt_pknorm_i16_f32),
    H(v_cvt_pknorm_u16_f32), H(v_cvt_pknorm_i16_f16),
    H(v_cvt_pknorm_u16_f16), H(v_cvt_norm_i16_f16), H(v_cvt_norm_u16_f16),
    H(v_cvt_pk_u8_f32), H(v_cmp_class_f32),
    H(v_cmpx_class_f32), H(v_cmp_class_f64), H(v_cmpx_class_f64),
    H(v_cmp_class_f16), H(v_cmpx_class_f16),
    AS(v_exp_legacy_f32, v_exp_f32), AS(v_log_legacy_f32, v_log_f32), {NULL,
    NULL}};
/* clang-format on */
