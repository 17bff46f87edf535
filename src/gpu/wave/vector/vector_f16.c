/* SPDX-License-Identifier: MIT */
/* f16. */
#include "config.h"

#include "gpu/wave/core/lane_handlers.h"
#include "gpu/wave/core/packed.h"
#include "gpu/wave/core/vector_f16.h"

#pragma GCC optimize("fp-contract=off")

#define IEEE            (w->mode & AQ_WAVE_MODE_IEEE)
#define N16(r, x, y, z) lane_nan3_16(r, x, y, z)

static uint16_t mad16(uint16_t a, uint16_t b, uint16_t c)
{
  const uint16_t p = lane_bits16(lane_f16(a) * lane_f16(b));
  return N16(lane_f16(p) + lane_f16(c), a, b, c);
}

/* The larger of the two that are not the largest. */
static uint16_t med16(uint16_t a, uint16_t b, uint16_t c, bool ieee)
{
  if (lane_is_nan16(a) || lane_is_nan16(b) || lane_is_nan16(c))
    return half_min(half_min(a, b, ieee), c, ieee);
  const float most = lane_f16(half_max(half_max(a, b, ieee), c, ieee));
  return most == lane_f16(a)   ? half_max(b, c, ieee)
         : most == lane_f16(b) ? half_max(a, c, ieee)
                               : half_max(a, b, ieee);
}

/* The NaN is that of the first source all the same. */
static uint16_t subrev16(const aq_wave *w, uint16_t a, uint16_t b)
{
  const float d = lane_f16(half_in(w, b)) - lane_f16(half_in(w, a));
  return half_out(w, lane_nan3_16(d, a, b, a));
}

static uint16_t fract16(uint16_t a)
{
  const float x = lane_f16(a);
  if (x != x || isinf(x))
    return lane_nan3_16((float)NAN, a, a, a);
  return lane_bits16(fminf(x - floorf(x), 0x1.ffcp-1f));
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
S2(v_add_f16, b32, u16, u16, half_add(w, a, b))
S2(v_sub_f16, b32, u16, u16, half_subtract(w, a, b))
S2(v_subrev_f16, b32, u16, u16, subrev16(w, a, b))
S2(v_mul_f16, b32, u16, u16, half_multiply(w, a, b))
S2(v_min_f16, b32, u16, u16, half_min(a, b, IEEE))
S2(v_max_f16, b32, u16, u16, half_max(a, b, IEEE))
S2(v_ldexp_f16, b32, u16, u16,
   N16((float)scalbn((double)F(a), (int16_t)b), a, a, a))
S3(v_fma_f16, b32, u16, u16, u16, half_fma(w, a, b, c))
S3(v_mad_f16, b32, u16, u16, u16, mad16(a, b, c))
S3(v_min3_f16, b32, u16, u16, u16, half_min(half_min(a, b, IEEE), c, IEEE))
S3(v_max3_f16, b32, u16, u16, u16, half_max(half_max(a, b, IEEE), c, IEEE))
S3(v_med3_f16, b32, u16, u16, u16, med16(a, b, c, IEEE))
S3(v_minmax_f16, b32, u16, u16, u16, half_max(half_min(a, b, IEEE), c, IEEE))
S3(v_maxmin_f16, b32, u16, u16, u16, half_min(half_max(a, b, IEEE), c, IEEE))
S2(v_min_num_f16, b32, u16, u16, half_min_num(a, b))
S2(v_max_num_f16, b32, u16, u16, half_max_num(a, b))
S3(v_min3_num_f16, b32, u16, u16, u16, half_min_num(half_min_num(a, b), c))
S3(v_max3_num_f16, b32, u16, u16, u16, half_max_num(half_max_num(a, b), c))
S3(v_med3_num_f16, b32, u16, u16, u16, half_med3_num(a, b, c))
S3(v_minmax_num_f16, b32, u16, u16, u16, half_max_num(half_min_num(a, b), c))
S3(v_maxmin_num_f16, b32, u16, u16, u16, half_min_num(half_max_num(a, b), c))
S2(v_minimum_f16, b32, u16, u16, half_minimum(a, b))
S2(v_maximum_f16, b32, u16, u16, half_maximum(a, b))
S3(v_minimum3_f16, b32, u16, u16, u16, half_minimum(half_minimum(a, b), c))
S3(v_maximum3_f16, b32, u16, u16, u16, half_maximum(half_maximum(a, b), c))
S3(v_minimummaximum_f16, b32, u16, u16, u16,
   half_maximum(half_minimum(a, b), c))
S3(v_maximumminimum_f16, b32, u16, u16, u16,
   half_minimum(half_maximum(a, b), c))
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
S1(v_fract_f16, b32, u16, fract16(a))
S1(v_sin_f16, b32, u16,
   N16(isinf(F(a)) ? NAN : (float)each_turn_sin((double)F(a)), a, a, a))
S1(v_cos_f16, b32, u16,
   N16(isinf(F(a)) ? NAN : (float)each_turn_cos((double)F(a)), a, a, a))
S1(v_frexp_mant_f16, b32, u16, N16(each_frexp_mant32(F(a)), a, a, a))
S1(v_frexp_exp_i16_f16, b32, u16, (uint16_t)each_frexp_exp32(F(a)))
S1(v_cvt_f16_f32, b32, u32, half_from_f32(a))
S1(v_cvt_f32_f16, b32, u16, half_to_f32(a))
S1(v_cvt_f16_u16, b32, u16, lane_bits16((float)a))
S1(v_cvt_f16_i16, b32, u16, lane_bits16((float)(int16_t)a))
S1(v_cvt_u16_f16, b32, u16,
   lane_is_nan16(a) ? 0 : (uint16_t)fminf(fmaxf(truncf(F(a)), 0), 65535))
S1(v_cvt_i16_f16, b32, u16,
   lane_is_nan16(a)
       ? 0
       : (uint16_t)(int16_t)fminf(fmaxf(truncf(F(a)), -32768), 32767))

/* gfx12 computes these for a scalar. */
SCALAR(v_s_exp_f16, v_exp_f16)
SCALAR(v_s_log_f16, v_log_f16)
SCALAR(v_s_rcp_f16, v_rcp_f16)
SCALAR(v_s_rsq_f16, v_rsq_f16)
SCALAR(v_s_sqrt_f16, v_sqrt_f16)

/* Two f32 as f16, toward zero. */
BODY(v_cvt_pkrtz)
{
  const uint32_t *pa = lanes_source(w, o, 0), *pb = lanes_source(w, o, 1);
  uint32_t *pd = w->v[o->dest];
  LANES(l)
  pd[l] = half_toward_zero(pa[l]) | (uint32_t)half_toward_zero(pb[l]) << 16;
  return aq_wave_next(o);
}

/* For vector_packed.inc. */
AQ_WAVE_BY_LANE(v_add_f16)
AQ_WAVE_BY_LANE(v_sub_f16)
AQ_WAVE_BY_LANE(v_subrev_f16)
AQ_WAVE_BY_LANE(v_mul_f16)
AQ_WAVE_BY_LANE(v_fma_f16)
AQ_WAVE_BY_LANE(v_min_f16)
AQ_WAVE_BY_LANE(v_max_f16)
AQ_WAVE_BY_LANE(v_cvt_f16_f32)
AQ_WAVE_BY_LANE(v_cvt_f32_f16)
AQ_WAVE_BY_LANE(v_cvt_pkrtz)

/* clang-format off */
const aq_wave_semantics aq_wave_half[] = {
    H(v_minmax_f16), H(v_maxmin_f16), H(v_min_num_f16), H(v_max_num_f16),
    H(v_min3_num_f16), H(v_max3_num_f16), H(v_med3_num_f16),
    H(v_minmax_num_f16), H(v_maxmin_num_f16), H(v_minimum_f16),
    H(v_maximum_f16), H(v_minimum3_f16), H(v_maximum3_f16),
    H(v_minimummaximum_f16), H(v_maximumminimum_f16), H(v_s_exp_f16),
    H(v_s_log_f16), H(v_s_rcp_f16), H(v_s_rsq_f16), H(v_s_sqrt_f16),
    H(v_add_f16), H(v_sub_f16), H(v_subrev_f16), H(v_mul_f16), H(v_min_f16),
    H(v_max_f16), H(v_ldexp_f16), H(v_fma_f16), H(v_mad_f16), H(v_min3_f16),
    H(v_max3_f16), H(v_med3_f16), H(v_div_fixup_f16), H(v_pack_b32_f16),
    H(v_rcp_f16), H(v_sqrt_f16), H(v_rsq_f16), H(v_log_f16), H(v_exp_f16),
    H(v_floor_f16), H(v_ceil_f16), H(v_trunc_f16), H(v_rndne_f16),
    H(v_fract_f16), H(v_sin_f16), H(v_cos_f16), H(v_frexp_mant_f16),
    H(v_frexp_exp_i16_f16), H(v_cvt_f16_f32), H(v_cvt_f32_f16),
    H(v_cvt_f16_u16), H(v_cvt_f16_i16), H(v_cvt_u16_f16), H(v_cvt_i16_f16),
    AS(v_cvt_pkrtz_f16_f32, v_cvt_pkrtz), AS(v_fmac_f16, v_fma_f16),
    AS(v_mac_f16, v_mad_f16), AS(v_madmk_f16, v_mad_f16),
    AS(v_madak_f16, v_mad_f16), AS(v_mad_legacy_f16, v_mad_f16),
    AS(v_fma_legacy_f16, v_fma_f16),
    AS(v_div_fixup_legacy_f16, v_div_fixup_f16), {NULL, NULL}};
/* clang-format on */
