/* SPDX-License-Identifier: MIT */
/*
 * Handlers that compute a lane at a time: S1, S2 and S3 make one of an
 * expression of the sources a, b and c. Types of registers are u32, i32, f32,
 * u16, f16 and, in two rows, u64 and f64; results are bits, b32 or b64.
 * Included by handlers only.
 */
#ifndef AQ_GPU_WAVE_CORE_LANE_HANDLERS_H
#define AQ_GPU_WAVE_CORE_LANE_HANDLERS_H

#include <math.h>

#include "gpu/wave/core/lanes.h"
#include "gpu/wave/core/mode.h"

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
    uint32_t *pd = w->v[o->dest];                                              \
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
    uint32_t *pd = w->v[o->dest];                                              \
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
    uint32_t *pd = w->v[o->dest];                                              \
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

/* The exponent's bits. */
static inline int each_exponent32(float a)
{
  return (int)(lane_bits32(a) >> 23 & 0xff);
}

static inline int each_exponent64(double a)
{
  return (int)(lane_bits64(a) >> 52 & 0x7ff);
}

static inline bool each_is_denormal32(float a)
{
  return a != 0 && each_exponent32(a) == 0;
}

static inline bool each_is_denormal64(double a)
{
  return a != 0 && each_exponent64(a) == 0;
}

static inline uint32_t each_frexp_exp32(float a)
{
  int e = 0;
  if (a == a && !isinf(a) && a != 0)
    frexpf(a, &e);
  return (uint32_t)e;
}

static inline float each_frexp_mant32(float a)
{
  int e;
  return a == a && !isinf(a) ? frexpf(a, &e) : a;
}

/* The sine of `a` turns; -0 gives itself. The rest of a turn is exact. */
static inline double each_turn_sin(double a)
{
  const double part = a - trunc(a);
  return a == 0 ? a : part == 0 || fabs(part) == 0.5 ? 0 : sin(part * 2 * M_PI);
}

static inline double each_turn_cos(double a)
{
  const double part = fabs(a - trunc(a));
  return part == 0.25 || part == 0.75 ? 0 : cos(part * 2 * M_PI);
}

/* A denormal becomes a zero of its sign. */
static inline float each_flush(float a)
{
  return lane_f32(lane_bits32(a) & 0x7f800000 ? lane_bits32(a)
                                              : lane_bits32(a) & 0x80000000);
}

#define N32(r) lane_nan2(r, a, a)
#define N64(r) lane_nan2_64(r, a, a)

#define SCALAR(name, vector)                                                   \
  BODY(name)                                                                   \
  {                                                                            \
    return lanes_scalar_run(w, o, vector##_);                                  \
  }

/* Entries of a list of handlers. */
#define H(name)                                                                \
  {                                                                            \
#name, name##_                                                             \
  }
#define AS(name, handler)                                                      \
  {                                                                            \
#name, handler##_                                                          \
  }

#endif
