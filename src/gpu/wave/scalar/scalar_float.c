/* SPDX-License-Identifier: MIT */
/* Floats of scalars: gfx11.5 and gfx12. One line an instruction. */
#include "config.h"

#include "gpu/wave/core/lane_handlers.h"
#include "gpu/wave/core/vector_f16.h"

#pragma GCC optimize("fp-contract=off")

#include "gpu/wave/vector/vector_lane.inc"

#define IEEE (w->mode & AQ_WAVE_MODE_IEEE)

/* Sources a, b and c, result r. */
#define F32(name, EXPR)                                                        \
  BODY(name)                                                                   \
  {                                                                            \
    const float a = lane_f32(aq_wave_s32(w, o, 0)),                            \
                b = lane_f32(aq_wave_s32(w, o, 1)),                            \
                c = lane_f32(aq_wave_s32(w, o, 2)),                            \
                d = lane_f32(w->s[o->dest]);                                   \
    (void)a, (void)b, (void)c, (void)d;                                        \
    w->s[o->dest] = (EXPR);                                                    \
    return aq_wave_next(o);                                                    \
  }
#define COMPARE(name, EXPR)                                                    \
  BODY(name)                                                                   \
  {                                                                            \
    const float a = lane_f32(aq_wave_s32(w, o, 0)),                            \
                b = lane_f32(aq_wave_s32(w, o, 1));                            \
    w->scc = (EXPR);                                                           \
    return aq_wave_next(o);                                                    \
  }

/* The upper half of a result of 16 bits is 0: assumed. */
#define F16(name, EXPR)                                                        \
  BODY(name)                                                                   \
  {                                                                            \
    const uint16_t a = (uint16_t)aq_wave_s32(w, o, 0),                         \
                   b = (uint16_t)aq_wave_s32(w, o, 1),                         \
                   d = (uint16_t)w->s[o->dest];                                \
    (void)a, (void)b, (void)d;                                                 \
    ENTER(f16);                                                                \
    w->s[o->dest] = (uint32_t)(EXPR);                                          \
    LEAVE;                                                                     \
    return aq_wave_next(o);                                                    \
  }
#define COMPARE16(name, EXPR)                                                  \
  BODY(name)                                                                   \
  {                                                                            \
    const float a = lane_f16((uint16_t)aq_wave_s32(w, o, 0)),                  \
                b = lane_f16((uint16_t)aq_wave_s32(w, o, 1));                  \
    w->scc = (EXPR);                                                           \
    return aq_wave_next(o);                                                    \
  }
/* Bits of f32. */
#define B32(name, EXPR)                                                        \
  BODY(name)                                                                   \
  {                                                                            \
    const uint32_t a = aq_wave_s32(w, o, 0), b = aq_wave_s32(w, o, 1);         \
    (void)b;                                                                   \
    ENTER(f16);                                                                \
    w->s[o->dest] = (uint32_t)(EXPR);                                          \
    LEAVE;                                                                     \
    return aq_wave_next(o);                                                    \
  }

B32(s_min_f32, min_f32(a, b, IEEE))
B32(s_max_f32, max_f32(a, b, IEEE))
B32(s_min_num_f32, min_num_f32(a, b))
B32(s_max_num_f32, max_num_f32(a, b))
B32(s_minimum_f32, minimum_f32(a, b))
B32(s_maximum_f32, maximum_f32(a, b))
B32(s_cvt_f16_f32, half_from_f32(a))
B32(s_cvt_hi_f32_f16, half_to_f32((uint16_t)(a >> 16)))
B32(s_cvt_pk_rtz_f16_f32, half_toward_zero(a) | (uint32_t)half_toward_zero(b)
                                                    << 16)
F16(s_cvt_f32_f16, half_to_f32(a))
F16(s_add_f16, half_add(w, a, b))
F16(s_sub_f16, half_subtract(w, a, b))
F16(s_mul_f16, half_multiply(w, a, b))
F16(s_fmac_f16, half_fma(w, a, b, d))
F16(s_min_f16, half_min(a, b, IEEE))
F16(s_max_f16, half_max(a, b, IEEE))
F16(s_min_num_f16, half_min_num(a, b))
F16(s_max_num_f16, half_max_num(a, b))
F16(s_minimum_f16, half_minimum(a, b))
F16(s_maximum_f16, half_maximum(a, b))
F16(s_ceil_f16, lane_nan3_16(ceilf(lane_f16(a)), a, a, a))
F16(s_floor_f16, lane_nan3_16(floorf(lane_f16(a)), a, a, a))
F16(s_trunc_f16, lane_nan3_16(truncf(lane_f16(a)), a, a, a))
F16(s_rndne_f16, lane_nan3_16(roundevenf(lane_f16(a)), a, a, a))
F32(s_add_f32, lane_nan2(a + b, a, b))
F32(s_sub_f32, lane_nan2(a - b, a, b))
F32(s_mul_f32, lane_nan2(a *b, a, b))
F32(s_fmac_f32, lane_nan3(fmaf(a, b, d), a, b, d))
F32(s_fmaak_f32, lane_nan3(fmaf(a, b, c), a, b, c))
F32(s_ceil_f32, N32(ceilf(a)))
F32(s_floor_f32, N32(floorf(a)))
F32(s_trunc_f32, N32(truncf(a)))
F32(s_rndne_f32, N32(roundevenf(a)))
F32(s_cvt_f32_i32, lane_bits32((float)(int32_t)lane_bits32(a)))
F32(s_cvt_f32_u32, lane_bits32((float)lane_bits32(a)))
F32(s_cvt_i32_f32, a != a                ? 0
                   : a >= 2147483648.0f  ? INT32_MAX
                   : a <= -2147483648.0f ? 0x80000000u
                                         : (uint32_t)(int32_t)a)
F32(s_cvt_u32_f32, a != a               ? 0
                   : a >= 4294967296.0f ? UINT32_MAX
                   : a <= 0             ? 0
                                        : (uint32_t)a)
#define BOTH(op, EXPR)                                                         \
  COMPARE(s_cmp_##op##_f32, EXPR)                                              \
  COMPARE16(s_cmp_##op##_f16, EXPR)
BOTH(lt, a < b)
BOTH(eq, a == b)
BOTH(le, a <= b)
BOTH(gt, a > b)
BOTH(lg, a<b || a> b)
BOTH(ge, a >= b)
BOTH(o, a == a && b == b)
BOTH(u, a != a || b != b)
BOTH(nge, !(a >= b))
BOTH(nlg, !(a < b || a > b))
BOTH(ngt, !(a > b))
BOTH(nle, !(a <= b))
BOTH(neq, a != b)
BOTH(nlt, !(a < b))

/* clang-format off */
const aq_wave_semantics aq_wave_scalar_float[] = {
    H(s_min_f32), H(s_max_f32), H(s_min_num_f32), H(s_max_num_f32),
    H(s_minimum_f32), H(s_maximum_f32), H(s_cvt_f16_f32),
    H(s_cvt_hi_f32_f16), H(s_cvt_pk_rtz_f16_f32), H(s_cvt_f32_f16),
    H(s_add_f16), H(s_sub_f16), H(s_mul_f16), H(s_fmac_f16), H(s_min_f16),
    H(s_max_f16), H(s_min_num_f16), H(s_max_num_f16), H(s_minimum_f16),
    H(s_maximum_f16), H(s_ceil_f16), H(s_floor_f16), H(s_trunc_f16),
    H(s_rndne_f16), H(s_cmp_lt_f16), H(s_cmp_eq_f16), H(s_cmp_le_f16), H(s_cmp_gt_f16), H(s_cmp_lg_f16), H(s_cmp_ge_f16), H(s_cmp_o_f16), H(s_cmp_u_f16), H(s_cmp_nge_f16), H(s_cmp_nlg_f16), H(s_cmp_ngt_f16), H(s_cmp_nle_f16), H(s_cmp_neq_f16), H(s_cmp_nlt_f16),
    H(s_add_f32), H(s_sub_f32), H(s_mul_f32), H(s_fmac_f32), H(s_fmaak_f32),
    AS(s_fmamk_f32, s_fmaak_f32), H(s_ceil_f32), H(s_floor_f32),
    H(s_trunc_f32), H(s_rndne_f32), H(s_cvt_f32_i32), H(s_cvt_f32_u32),
    H(s_cvt_i32_f32), H(s_cvt_u32_f32), H(s_cmp_lt_f32), H(s_cmp_eq_f32),
    H(s_cmp_le_f32), H(s_cmp_gt_f32), H(s_cmp_lg_f32), H(s_cmp_ge_f32),
    H(s_cmp_o_f32), H(s_cmp_u_f32), H(s_cmp_nge_f32), H(s_cmp_nlg_f32),
    H(s_cmp_ngt_f32), H(s_cmp_nle_f32), H(s_cmp_neq_f32), H(s_cmp_nlt_f32),
    {NULL, NULL}};
/* clang-format on */
