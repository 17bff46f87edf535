/* SPDX-License-Identifier: MIT */
/* Arithmetic of f16, by their bits. Included by handlers only; callers have
 * entered the MODE of f64 and f16. */
#ifndef AQ_GPU_WAVE_CORE_VECTOR_F16_H
#define AQ_GPU_WAVE_CORE_VECTOR_F16_H

#include <math.h>

#include "gpu/wave/core/lanes.h"

/* A denormal source or result as MODE says: kept, or a zero of its sign. */
static inline uint16_t half_in(const aq_wave *w, uint16_t h)
{
  return w->mode >> 6 & 1 || h & 0x7c00 ? h : h & 0x8000;
}

static inline uint16_t half_out(const aq_wave *w, uint16_t h)
{
  return w->mode >> 6 & 2 || h & 0x7c00 ? h : h & 0x8000;
}

/* A product of f32 or f16 is exact in double; a sum that is not is made odd, so
 * that it rounds once when it is rounded to fewer bits. */
static inline double half_fma_odd(float a, float b, float c)
{
  const double p = (double)a * (double)b, z = (double)c, s = p + z;
  const double back = s - p, error = (p - (s - back)) + (z - back);
  uint64_t bits = lane_bits64(s);
  if (error != 0 && !isinf(s) && !(bits & 1))
    bits += ((error > 0) == (s > 0)) ? 1 : (uint64_t)-1;
  return lane_f64(bits);
}

static inline uint16_t half_fma(const aq_wave *w, uint16_t a, uint16_t b,
                                uint16_t c)
{
  const double s =
      half_fma_odd(lane_f16(half_in(w, a)), lane_f16(half_in(w, b)),
                   lane_f16(half_in(w, c)));
  return s == s ? half_out(w, lane_half(s)) : lane_nan3_16((float)NAN, a, b, c);
}

static inline uint16_t half_add(const aq_wave *w, uint16_t a, uint16_t b)
{
  const float s = lane_f16(half_in(w, a)) + lane_f16(half_in(w, b));
  return half_out(w, lane_nan3_16(s, a, b, a));
}

static inline uint16_t half_multiply(const aq_wave *w, uint16_t a, uint16_t b)
{
  const float p = lane_f16(half_in(w, a)) * lane_f16(half_in(w, b));
  return half_out(w, lane_nan3_16(p, a, b, a));
}

/* A difference: the sign of a NaN stays. */
static inline uint16_t half_subtract(const aq_wave *w, uint16_t a, uint16_t b)
{
  const float d = lane_f16(half_in(w, a)) - lane_f16(half_in(w, b));
  return half_out(w, lane_nan3_16(d, a, b, a));
}

/* A signalling NaN gives its quiet self where MODE says IEEE; another one the
 * other source. -0 is below +0. */
static inline uint16_t half_min(uint16_t x, uint16_t y, bool ieee)
{
  const bool nx = lane_is_nan16(x), ny = lane_is_nan16(y);
  if (ieee && nx && !(x & 0x200))
    return x | 0x200;
  if (ieee && ny && !(y & 0x200))
    return y | 0x200;
  if (nx || ny)
    return nx ? y : x;
  const float a = lane_f16(x), b = lane_f16(y);
  return a < b ? x : b < a ? y : x | y;
}

static inline uint16_t half_max(uint16_t x, uint16_t y, bool ieee)
{
  const bool nx = lane_is_nan16(x), ny = lane_is_nan16(y);
  if (ieee && nx && !(x & 0x200))
    return x | 0x200;
  if (ieee && ny && !(y & 0x200))
    return y | 0x200;
  if (nx || ny)
    return nx ? y : x;
  const float a = lane_f16(x), b = lane_f16(y);
  return a > b ? x : b > a ? y : x & y;
}

/* gfx12: a NaN gives the other source, two of them the first, made quiet. */
static inline uint16_t half_min_num(uint16_t x, uint16_t y)
{
  return lane_is_nan16(x) && lane_is_nan16(y) ? x | 0x200
                                              : half_min(x, y, false);
}

static inline uint16_t half_max_num(uint16_t x, uint16_t y)
{
  return lane_is_nan16(x) && lane_is_nan16(y) ? x | 0x200
                                              : half_max(x, y, false);
}

static inline uint16_t half_med3_num(uint16_t a, uint16_t b, uint16_t c)
{
  if (lane_is_nan16(a) || lane_is_nan16(b) || lane_is_nan16(c))
    return half_min_num(half_min_num(a, b), c);
  const float most = lane_f16(half_max_num(half_max_num(a, b), c));
  return most == lane_f16(a)   ? half_max_num(b, c)
         : most == lane_f16(b) ? half_max_num(a, c)
                               : half_max_num(a, b);
}

/* A NaN of any source is the result: a signalling one first, made quiet. */
static inline uint16_t half_limit(uint16_t x, uint16_t y, bool most)
{
  const bool nx = lane_is_nan16(x), ny = lane_is_nan16(y);
  if (nx || ny)
    return nx && !(x & 0x200)   ? x | 0x200
           : ny && !(y & 0x200) ? y | 0x200
           : nx                 ? x
                                : y;
  return most ? half_max(x, y, false) : half_min(x, y, false);
}

static inline uint16_t half_minimum(uint16_t x, uint16_t y)
{
  return half_limit(x, y, false);
}

static inline uint16_t half_maximum(uint16_t x, uint16_t y)
{
  return half_limit(x, y, true);
}

/* From f32, toward zero. */
static inline uint16_t half_toward_zero(uint32_t x)
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

static inline uint16_t half_from_f32(uint32_t x)
{
  return lane_f32(x) == lane_f32(x)
             ? lane_bits16(lane_f32(x))
             : (uint16_t)((x >> 16 & 0x8000) | 0x7e00 | (x >> 13 & 0x1ff));
}

static inline uint32_t half_to_f32(uint16_t a)
{
  return lane_is_nan16(a) ? (uint32_t)(a & 0x8000) << 16 | 0x7fc00000 |
                                (uint32_t)(a & 0x1ff) << 13
                          : lane_bits32(lane_f16(a));
}

#endif
