/* SPDX-License-Identifier: MIT */
/*
 * Lanes of a wave as rows of 64 words, for handlers that compute all lanes and
 * keep the lanes of EXEC. Included by handlers only; the compiler vectorizes
 * the loops for the level of the including file.
 */
#ifndef AQ_GPU_WAVE_CORE_LANES_H
#define AQ_GPU_WAVE_CORE_LANES_H

#include <math.h>

#include "gpu/wave/core/execution_state.h"
#include "gpu/wave/core/host_level.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define AQ_EACH_LANE(l)                                                        \
  _Pragma("GCC ivdep") for (int l = 0; l < AQ_WAVE_LANES; l++)

/* A row of all ones or 0 into a word of 64 bits. */
static inline uint64_t lanes_pack(const uint32_t *row)
{
  uint64_t bits = 0;
#if AQ_HOST_LEVEL >= 4
  for (int i = 0; i < 4; i++) {
    const __m512i x = _mm512_load_si512(row + 16 * i);
    bits |= (uint64_t)_mm512_test_epi32_mask(x, x) << (16 * i);
  }
#elif AQ_HOST_LEVEL >= 3
  for (int i = 0; i < 8; i++)
    bits |= (uint64_t)(uint32_t)_mm256_movemask_ps(
                _mm256_load_ps((const float *)(const void *)(row + 8 * i)))
            << (8 * i);
#elif defined(__SSE2__)
  for (int i = 0; i < 16; i++)
    bits |= (uint64_t)(uint32_t)_mm_movemask_ps(
                _mm_load_ps((const float *)(const void *)(row + 4 * i)))
            << (4 * i);
#else
  for (int l = 0; l < AQ_WAVE_LANES; l++)
    bits |= (uint64_t)(row[l] & 1) << l;
#endif
  return bits;
}

/* The reverse. */
static inline void lanes_expand(uint64_t bits, uint32_t *row)
{
#if AQ_HOST_LEVEL >= 4
  for (int i = 0; i < 4; i++)
    _mm512_store_si512(row + 16 * i, _mm512_maskz_set1_epi32(
                                         (__mmask16)(bits >> (16 * i)), -1));
#elif AQ_HOST_LEVEL >= 3
  for (int half = 0; half < 2; half++) {
    const uint32_t word = (uint32_t)(bits >> (32 * half));
    _Pragma("GCC ivdep") for (int l = 0; l < 32; l++) row[32 * half + l] =
        0u - (word >> l & 1);
  }
#else
  static const uint32_t of[8] = {1, 2, 4, 8, 16, 32, 64, 128};
  for (int i = 0; i < AQ_WAVE_LANES; i += 8) {
    const uint32_t byte = (uint32_t)(bits >> i);
    for (int l = 0; l < 8; l++)
      row[i + l] = (byte & of[l]) == of[l] ? UINT32_MAX : 0;
  }
#endif
}

/* Whether a row of f32 has a NaN. */
static inline bool lanes_have_nan(const uint32_t *row)
{
#if AQ_HOST_LEVEL >= 4
  __mmask16 nan = 0;
  for (int i = 0; i < AQ_WAVE_LANES; i += 16) {
    const __m512 x = _mm512_load_ps(row + i);
    nan = _kor_mask16(nan, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q));
  }
  return !_kortestz_mask16_u8(nan, nan);
#else
  uint32_t nan = 0;
  AQ_EACH_LANE(l) nan |= (row[l] & 0x7fffffff) > 0x7f800000;
  return nan != 0;
#endif
}

/* Whether a row has a number above `limit`, or one that is not `value`. */
static inline bool lanes_have_above(const uint32_t *row, uint32_t limit)
{
#if AQ_HOST_LEVEL >= 4
  const __m512i *x = (const void *)row;
  const __m512i most = _mm512_max_epu32(_mm512_max_epu32(x[0], x[1]),
                                        _mm512_max_epu32(x[2], x[3]));
  return _mm512_cmpgt_epu32_mask(most, _mm512_set1_epi32((int)limit)) != 0;
#else
  uint32_t above = 0;
  AQ_EACH_LANE(l) above |= row[l] > limit;
  return above != 0;
#endif
}

static inline bool lanes_have_other(const uint32_t *row, uint32_t value)
{
#if AQ_HOST_LEVEL >= 4
  const __m512i *x = (const void *)row, v = _mm512_set1_epi32((int)value);
  const __m512i differs = _mm512_or_si512(
      _mm512_or_si512(_mm512_xor_si512(x[0], v), _mm512_xor_si512(x[1], v)),
      _mm512_or_si512(_mm512_xor_si512(x[2], v), _mm512_xor_si512(x[3], v)));
  return _mm512_test_epi32_mask(differs, differs) != 0;
#else
  uint32_t differs = 0;
  AQ_EACH_LANE(l) differs |= row[l] ^ value;
  return differs != 0;
#endif
}

/* All ones in the lanes of EXEC. */
static inline const uint32_t *lanes_mask(aq_wave *w)
{
  const uint64_t exec = AQ_WAVE_EXEC(w);
  if (w->mask_for != exec) {
    lanes_expand(exec, w->mask);
    w->mask_for = exec;
  }
  return w->mask;
}

/* Puts results into a register's row, in the lanes of EXEC. */
static inline void lanes_keep(aq_wave *w, uint32_t *d, const uint32_t *row)
{
  if (AQ_WAVE_EXEC(w) == UINT64_MAX) {
    AQ_EACH_LANE(l) d[l] = row[l];
  } else {
    const uint32_t *m = lanes_mask(w);
    AQ_EACH_LANE(l) d[l] = (row[l] & m[l]) | (d[l] & ~m[l]);
  }
}

/* The rows of a source: its own, or a temporary one that it is copied to. */
static inline const uint32_t *lanes_source(aq_wave *w, const aq_wave_op *o,
                                           int i)
{
  if (o->kind[i] == AQ_WAVE_VGPR)
    return w->v[o->source[i]];
  const uint32_t value = aq_wave_s32(w, o, i);
  uint32_t *row = w->v[AQ_WAVE_SCRATCH_ROWS + 2 * i];
  AQ_EACH_LANE(l) row[l] = value;
  return row;
}

static inline const uint32_t *lanes_source64(aq_wave *w, const aq_wave_op *o,
                                             int i)
{
  if (o->kind[i] == AQ_WAVE_VGPR)
    return w->v[o->source[i]];
  const uint64_t value = aq_wave_s64(w, o, i);
  uint32_t *row = w->v[AQ_WAVE_SCRATCH_ROWS + 2 * i];
  AQ_EACH_LANE(l) row[l] = (uint32_t)value;
  AQ_EACH_LANE(l) row[AQ_WAVE_LANES + l] = (uint32_t)(value >> 32);
  return row;
}

/* A function of a scalar, which a handler of vectors computes in lane 0. */
static inline const aq_wave_op *
lanes_scalar_run(aq_wave *w, const aq_wave_op *o, aq_wave_handler *vector)
{
  enum { RESULT_OF_SCALAR = AQ_WAVE_SCRATCH_ROWS + 18 };
  const uint64_t exec = AQ_WAVE_EXEC(w);
  aq_wave_op plain = *o;
  plain.dest = RESULT_OF_SCALAR;
  AQ_WAVE_EXEC(w) = 1;
  vector(w, &plain);
  AQ_WAVE_EXEC(w) = exec;
  w->s[o->dest] = w->v[RESULT_OF_SCALAR][0];
  return aq_wave_next(o);
}

/* ---- values of a lane ---- */

#include "gpu/wave/core/lane_values.inc"

static inline uint64_t lane_u64(const uint32_t *row, int l)
{
  return row[l] | (uint64_t)row[AQ_WAVE_LANES + l] << 32;
}

/* Moves `n` words between memory and rows, from a lane's place on; 64 bits at
 * once: an aligned access does not tear, which code that polls relies on. */
static inline void lane_words_load(uint32_t *to, const uint8_t *from,
                                   unsigned n)
{
  for (unsigned k = 0; k + 1 < n; k += 2) {
    uint64_t x;
    memcpy(&x, from + 4 * k, 8);
    to[AQ_WAVE_LANES * k] = (uint32_t)x;
    to[AQ_WAVE_LANES * (k + 1)] = (uint32_t)(x >> 32);
  }
  if (n & 1)
    memcpy(to + AQ_WAVE_LANES * (n - 1), from + 4 * (n - 1), 4);
}

static inline void lane_words_store(uint8_t *to, const uint32_t *from,
                                    unsigned n)
{
  for (unsigned k = 0; k + 1 < n; k += 2) {
    const uint64_t x = lane_u64(from + AQ_WAVE_LANES * k, 0);
    memcpy(to + 4 * k, &x, 8);
  }
  if (n & 1)
    memcpy(to + 4 * (n - 1), from + AQ_WAVE_LANES * (n - 1), 4);
}

/* f16 as f32, exactly. */
static inline float lane_f16(uint16_t bits)
{
  const uint32_t sign = (uint32_t)(bits & 0x8000) << 16, e = bits >> 10 & 31,
                 m = bits & 0x3ff;
  if (e == 31)
    return lane_f32(sign | 0x7f800000 | m << 13);
  if (e == 0)
    return lane_f32(sign | lane_bits32((float)m * 0x1p-24f));
  return lane_f32(sign | (e + 112) << 23 | m << 13);
}

/* To f16, rounded once as the unit rounds f64: adding a large number leaves a
 * sum of 11 bits. */
static inline uint16_t lane_half(double x)
{
  const uint16_t sign = (uint16_t)(lane_bits64(x) >> 48 & 0x8000);
  int e = (int)(lane_bits64(x) >> 52 & 0x7ff) - 1023;
  if (x != x)
    return sign | 0x7e00;
  if (e > 15) /* infinite, or the largest number: as f32 overflows */
    return sign | (isinf((float)(x * 0x1p200)) || isinf(x) ? 0x7c00 : 0x7bff);
  e = e < -14 ? -14 : e;
  uint64_t bits = (uint64_t)(e + 42 + 1023) << 52 | (uint64_t)1 << 51;
  const double large = lane_f64(bits | (uint64_t)sign << 48);
  const uint64_t r = lane_bits64((x + large) - large) & ~((uint64_t)1 << 63);
  const int re = (int)(r >> 52) - 1023;
  if (re > 15)
    return sign | 0x7c00;
  if (re < -14)
    return (uint16_t)(sign | (uint16_t)(lane_f64(r) * 0x1p24));
  return (uint16_t)(sign | (re + 15) << 10 | (int)(r >> 42 & 0x3ff));
}

static inline uint16_t lane_bits16(float x)
{
  return lane_half((double)x);
}

static inline bool lane_is_nan16(uint16_t bits)
{
  return (bits & 0x7fff) > 0x7c00;
}

/* The same for f16 sources, whose result is in f32. */
static inline uint16_t lane_nan3_16(float r, uint16_t a, uint16_t b, uint16_t c)
{
  if (r == r)
    return lane_bits16(r);
  return lane_is_nan16(a)   ? a | 0x200
         : lane_is_nan16(b) ? b | 0x200
         : lane_is_nan16(c) ? c | 0x200
                            : 0x7e00;
}

#endif
