/* SPDX-License-Identifier: MIT */
/*
 * Types and functions of one lane that values.def computes with: gfx9's rules
 * for NaN, rounding and saturation where C's or the host's differ. Within wave.
 */
#ifndef AQ_WAVE_LANE_MATH_H
#define AQ_WAVE_LANE_MATH_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef uint32_t u32;
typedef int32_t i32;
typedef uint64_t u64;
typedef int64_t i64;
typedef uint16_t u16;
typedef int16_t i16;
typedef float f32;
typedef double f64;
typedef float f16; /* computes in float: one operation rounds once to half */
typedef u32 none;

#define LANE static inline __attribute__((always_inline))

LANE f32 as_f32(u32 bits)
{
  f32 value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

LANE u32 bits_f32(f32 value)
{
  u32 bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

LANE f64 as_f64(u64 bits)
{
  f64 value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

LANE u64 bits_f64(f64 value)
{
  u64 bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

LANE f32 as_f16(u32 bits)
{
  _Float16 half;
  const u16 low = (u16)bits;
  memcpy(&half, &low, sizeof half);
  return (f32)half;
}

LANE u32 bits_f16(f32 value)
{
  const _Float16 half = (_Float16)value;
  u16 bits;
  memcpy(&bits, &half, sizeof bits);
  return bits;
}

/* A double to half, rounded once. */
LANE u32 bits_f16_of_f64(f64 value)
{
  /* Rounding to odd on the way keeps the second rounding exact. */
  f32 narrow = (f32)value;
  if ((f64)narrow != value && !isnan(value)) {
    u32 bits = bits_f32(narrow);
    if (fabs((f64)narrow) > fabs(value))
      bits--;
    narrow = as_f32(bits | 1);
  }
  return bits_f16(narrow);
}

/* ---- NaN ---- */

enum { F32_QUIET = 0x400000, F32_NAN = 0x7fc00000 };
#define F64_QUIET UINT64_C(0x8000000000000)
#define F64_NAN   UINT64_C(0x7ff8000000000000)

/* The first source that is NaN, quiet, else the default NaN. */
LANE u32 nan_f32(f32 a, f32 b, f32 c)
{
  return a != a   ? bits_f32(a) | F32_QUIET
         : b != b ? bits_f32(b) | F32_QUIET
         : c != c ? bits_f32(c) | F32_QUIET
                  : F32_NAN;
}

LANE u64 nan_f64(f64 a, f64 b, f64 c)
{
  return a != a   ? bits_f64(a) | F64_QUIET
         : b != b ? bits_f64(b) | F64_QUIET
         : c != c ? bits_f64(c) | F64_QUIET
                  : F64_NAN;
}

LANE u32 result_f32(f32 r, f32 a, f32 b, f32 c)
{
  return r == r ? bits_f32(r) : nan_f32(a, b, c);
}

LANE u64 result_f64(f64 r, f64 a, f64 b, f64 c)
{
  return r == r ? bits_f64(r) : nan_f64(a, b, c);
}

LANE u32 result_f16(f32 r, f32 a, f32 b, f32 c)
{
  return r == r ? bits_f16(r)
                : (nan_f32(a, b, c) >> 13 & 0x3ff) | 0x7e00 |
                      (nan_f32(a, b, c) >> 16 & 0x8000);
}

LANE bool is_signaling_f32(f32 a)
{
  return a != a && !(bits_f32(a) & F32_QUIET);
}

LANE bool is_signaling_f64(f64 a)
{
  return a != a && !(bits_f64(a) & F64_QUIET);
}

/* IEEE mode: a signaling NaN makes the result NaN, a quiet one is ignored.
 * -0 is less than +0. */
LANE f32 max_f32(f32 a, f32 b)
{
  const f32 greater = a > b || (a == b && !(bits_f32(a) >> 31)) ? a : b;
  const f32 number = a != a ? b : b != b ? a : greater;
  return is_signaling_f32(a)   ? as_f32(bits_f32(a) | F32_QUIET)
         : is_signaling_f32(b) ? as_f32(bits_f32(b) | F32_QUIET)
                               : number;
}

LANE f32 min_f32(f32 a, f32 b)
{
  const f32 less = a < b || (a == b && bits_f32(a) >> 31) ? a : b;
  const f32 number = a != a ? b : b != b ? a : less;
  return is_signaling_f32(a)   ? as_f32(bits_f32(a) | F32_QUIET)
         : is_signaling_f32(b) ? as_f32(bits_f32(b) | F32_QUIET)
                               : number;
}

LANE f64 max_f64(f64 a, f64 b)
{
  const f64 greater = a > b || (a == b && !(bits_f64(a) >> 63)) ? a : b;
  const f64 number = a != a ? b : b != b ? a : greater;
  return is_signaling_f64(a)   ? as_f64(bits_f64(a) | F64_QUIET)
         : is_signaling_f64(b) ? as_f64(bits_f64(b) | F64_QUIET)
                               : number;
}

LANE f64 min_f64(f64 a, f64 b)
{
  const f64 less = a < b || (a == b && bits_f64(a) >> 63) ? a : b;
  const f64 number = a != a ? b : b != b ? a : less;
  return is_signaling_f64(a)   ? as_f64(bits_f64(a) | F64_QUIET)
         : is_signaling_f64(b) ? as_f64(bits_f64(b) | F64_QUIET)
                               : number;
}

/* The middle one; with a NaN, the minimum of all. */
LANE f32 med3_f32(f32 a, f32 b, f32 c)
{
  if (a != a || b != b || c != c)
    return min_f32(min_f32(a, b), c);
  const f32 greatest = max_f32(max_f32(a, b), c);
  return greatest == a   ? max_f32(b, c)
         : greatest == b ? max_f32(a, c)
                         : max_f32(a, b);
}

/* ---- conversions ---- */

LANE i32 i32_of(f64 value)
{
  return value != value           ? 0
         : value >= 2147483647.0  ? INT32_MAX
         : value <= -2147483648.0 ? INT32_MIN
                                  : (i32)value;
}

LANE u32 u32_of(f64 value)
{
  return !(value > 0) ? 0 : value >= 4294967295.0 ? UINT32_MAX : (u32)value;
}

/* ---- integers ---- */

LANE i32 sext24(u32 value)
{
  return (i32)(value << 8) >> 8;
}

LANE u32 min_u32(u32 a, u32 b)
{
  return a < b ? a : b;
}

LANE u32 max_u32(u32 a, u32 b)
{
  return a > b ? a : b;
}

LANE i32 min_i32(i32 a, i32 b)
{
  return a < b ? a : b;
}

LANE i32 max_i32(i32 a, i32 b)
{
  return a > b ? a : b;
}

LANE u32 bfe_u32(u32 a, u32 b, u32 c)
{
  return a >> (b & 31) & ((1u << (c & 31)) - 1);
}

LANE i32 bfe_i32(u32 a, u32 b, u32 c)
{
  const u32 width = c & 31, sign = width ? 1u << (width - 1) : 0;
  return (i32)((bfe_u32(a, b, c) ^ sign) - sign);
}

LANE u32 reverse_u32(u32 a)
{
  a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
  a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
  a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
  a = (a >> 8 & 0x00ff00ff) | (a & 0x00ff00ff) << 8;
  return a >> 16 | a << 16;
}

LANE u32 bits_set(u32 a)
{
  a -= a >> 1 & 0x55555555;
  a = (a & 0x33333333) + (a >> 2 & 0x33333333);
  return ((a + (a >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

/* Bytes of the pair: 0-3 of `low`, 4-7 of `high`; 8-11 sign bits of halves; 12:
 * 0; above: 0xff. */
LANE u32 perm_byte(u64 pair, u32 select)
{
  select &= 0xff;
  return select <= 7    ? (u32)(pair >> select * 8) & 0xff
         : select <= 11 ? (pair >> ((select - 8) * 16 + 15) & 1 ? 0xff : 0)
         : select == 12 ? 0
                        : 0xff;
}

LANE u32 perm_b32(u32 high, u32 low, u32 select)
{
  const u64 pair = (u64)high << 32 | low;
  return perm_byte(pair, select) | perm_byte(pair, select >> 8) << 8 |
         perm_byte(pair, select >> 16) << 16 |
         perm_byte(pair, select >> 24) << 24;
}

LANE u32 difference(u32 a, u32 b)
{
  return a > b ? a - b : b - a;
}

LANE u32 sad_u8(u32 a, u32 b)
{
  u32 sum = 0;
  for (unsigned i = 0; i < 32; i += 8)
    sum += difference(a >> i & 0xff, b >> i & 0xff);
  return sum;
}

/* ---- exponents ---- */

LANE u32 exponent_f32(f32 a)
{
  return bits_f32(a) >> 23 & 0xff;
}

LANE u32 exponent_f64(f64 a)
{
  return (u32)(bits_f64(a) >> 52) & 0x7ff;
}

LANE f32 mantissa_f32(f32 a)
{
  int exponent;
  return isfinite(a) ? frexpf(a, &exponent) : a;
}

LANE f64 mantissa_f64(f64 a)
{
  int exponent;
  return isfinite(a) ? frexp(a, &exponent) : a;
}

LANE i32 frexp_exponent(f64 a)
{
  int exponent = 0;
  if (isfinite(a))
    frexp(a, &exponent);
  return exponent;
}

/* Transcendentals of f32 take and give no denormals. */
LANE f32 flushed(f32 a)
{
  return exponent_f32(a) ? a : as_f32(bits_f32(a) & 0x80000000);
}

/* sin and cos take revolutions. */
LANE f32 turns(f32 a)
{
  return (f32)((f64)(a - floorf(a)) * 6.283185307179586476925);
}

LANE f64 fract_f64(f64 a)
{
  const f64 value = a - floor(a), most = as_f64(0x3fefffffffffffff);
  return value < most ? value : a != a || isinf(a) ? value : most;
}

LANE f32 fract_f32(f32 a)
{
  const f32 value = a - floorf(a), most = as_f32(0x3f7fffff);
  return value < most ? value : a != a || isinf(a) ? value : most;
}

/* 2/pi from its bit `shift` on, 53 bits of it. */
f64 aq_wave_trig_preop(f64 a, u32 part);

/* ---- division ---- */

LANE f32 div_fixup_f32(f32 q, f32 b, f32 c)
{
  const u32 sign = (bits_f32(b) ^ bits_f32(c)) & 0x80000000;
  if (c != c || b != b)
    return as_f32(nan_f32(c, b, 0));
  if ((b == 0 && c == 0) || (isinf(b) && isinf(c)))
    return as_f32(0xffc00000);
  if (b == 0 || isinf(c))
    return as_f32(sign | 0x7f800000);
  if (isinf(b) || c == 0)
    return as_f32(sign);
  if ((i32)exponent_f32(c) - (i32)exponent_f32(b) < -150)
    return as_f32(sign);
  if (q != q) /* its steps overflowed */
    return as_f32(sign | 0x7f800000);
  return as_f32(sign | (bits_f32(q) & 0x7fffffff));
}

LANE f64 div_fixup_f64(f64 q, f64 b, f64 c)
{
  const u64 sign = (bits_f64(b) ^ bits_f64(c)) & UINT64_C(1) << 63;
  if (c != c || b != b)
    return as_f64(nan_f64(c, b, 0));
  if ((b == 0 && c == 0) || (isinf(b) && isinf(c)))
    return as_f64(UINT64_C(0xfff8000000000000));
  if (b == 0 || isinf(c))
    return as_f64(sign | UINT64_C(0x7ff0000000000000));
  if (isinf(b) || c == 0)
    return as_f64(sign);
  if ((i32)exponent_f64(c) - (i32)exponent_f64(b) < -1075)
    return as_f64(sign);
  if (q != q) /* its steps overflowed */
    return as_f64(sign | UINT64_C(0x7ff0000000000000));
  return as_f64(sign | (bits_f64(q) & ~(UINT64_C(1) << 63)));
}

/* Scales numerator or denominator (the one that `a` equals) so that the
 * quotient's steps neither overflow nor underflow; returns whether the quotient
 * has to be scaled back. */
LANE bool div_scale_f32(f32 a, f32 b, f32 c, f32 *out)
{
  const bool reciprocal_tiny = !isnormal(1 / b) && 1 / b != 0;
  const bool quotient_tiny = !isnormal(c / b) && c / b != 0 && !isinf(c / b);
  *out = a;
  if (b == 0 || c == 0) {
    *out = as_f32(F32_NAN);
    return false;
  }
  if ((i32)exponent_f32(c) - (i32)exponent_f32(b) >= 96) {
    if (a == b)
      *out = a * 0x1p64f;
    return true;
  }
  if (exponent_f32(b) == 0) {
    *out = a * 0x1p64f;
    return false;
  }
  if (reciprocal_tiny && quotient_tiny) {
    if (a == b)
      *out = a * 0x1p-64f;
    return true;
  }
  if (reciprocal_tiny) {
    *out = a * 0x1p-64f;
    return false;
  }
  if (quotient_tiny) {
    if (a == c)
      *out = a * 0x1p64f;
    return true;
  }
  if (exponent_f32(c) <= 23)
    *out = a * 0x1p64f;
  return false;
}

LANE bool div_scale_f64(f64 a, f64 b, f64 c, f64 *out)
{
  const bool reciprocal_tiny = !isnormal(1 / b) && 1 / b != 0;
  const bool quotient_tiny = !isnormal(c / b) && c / b != 0 && !isinf(c / b);
  *out = a;
  if (b == 0 || c == 0) {
    *out = as_f64(F64_NAN);
    return false;
  }
  if ((i32)exponent_f64(c) - (i32)exponent_f64(b) >= 768) {
    if (a == b)
      *out = a * 0x1p128;
    return true;
  }
  if (exponent_f64(b) == 0) {
    *out = a * 0x1p128;
    return false;
  }
  if (reciprocal_tiny && quotient_tiny) {
    if (a == b)
      *out = a * 0x1p-128;
    return true;
  }
  if (reciprocal_tiny) {
    *out = a * 0x1p-128;
    return false;
  }
  if (quotient_tiny) {
    if (a == c)
      *out = a * 0x1p128;
    return true;
  }
  if (exponent_f64(c) <= 53)
    *out = a * 0x1p128;
  return false;
}

/* a * b + c with the quotient's scale undone, rounded once: up where the
 * denominator was scaled, down where the numerator was. */
LANE f32 div_fmas_f32(f32 a, f32 b, f32 c)
{
  const f64 product = (f64)a * (f64)b, sum = product + (f64)c;
  const f64 back = sum - product;
  const f64 error = (product - (sum - back)) + ((f64)c - back);
  u64 bits = bits_f64(sum);
  /* Rounding to odd on the way keeps the second rounding exact. */
  if (error != 0 && isfinite(sum) && !(bits & 1))
    bits += (error > 0) == (sum > 0) ? 1 : -(u64)1;
  return (f32)(as_f64(bits) * (exponent_f32(c) > 127 ? 0x1p64 : 0x1p-64));
}

LANE f64 div_fmas_f64(f64 a, f64 b, f64 c)
{
  const _Float128 sum = (_Float128)a * (_Float128)b + (_Float128)c;
  const _Float128 scale = exponent_f64(c) > 1023 ? 0x1p128 : 0x1p-128;
  return (f64)(sum * scale);
}

/* ---- classes ---- */

/* Bits of v_cmp_class: signaling, quiet, then from -inf up to +inf. */
LANE u32 class_f64(f64 a, bool denormal, bool signaling)
{
  const bool negative = bits_f64(a) >> 63;
  const u32 magnitude = isinf(a) ? 0 : a == 0 ? 3 : denormal ? 2 : 1;
  return a != a ? (signaling ? 1 : 2)
                : 1u << (negative ? 2 + magnitude : 9 - magnitude);
}

#endif
