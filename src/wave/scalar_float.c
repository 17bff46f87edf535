/* SPDX-License-Identifier: MIT */
/* Floats of scalars: gfx11.5 and gfx12. One line an instruction. */
#include "config.h"

#include "wave/each.h"

/* Sources a, b and c, result r. */
#define F32(name, EXPR)                                                        \
  BODY(name)                                                                   \
  {                                                                            \
    const float a = lane_f32(aq_wave_s32(w, o, 0)),                            \
                b = lane_f32(aq_wave_s32(w, o, 1)),                            \
                c = lane_f32(aq_wave_s32(w, o, 2)), d = lane_f32(w->s[o->d]);  \
    (void)a, (void)b, (void)c, (void)d;                                        \
    w->s[o->d] = (EXPR);                                                       \
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
COMPARE(s_cmp_lt_f32, a < b)
COMPARE(s_cmp_eq_f32, a == b)
COMPARE(s_cmp_le_f32, a <= b)
COMPARE(s_cmp_gt_f32, a > b)
COMPARE(s_cmp_lg_f32, a<b || a> b)
COMPARE(s_cmp_ge_f32, a >= b)
COMPARE(s_cmp_o_f32, a == a && b == b)
COMPARE(s_cmp_u_f32, a != a || b != b)
COMPARE(s_cmp_nge_f32, !(a >= b))
COMPARE(s_cmp_nlg_f32, !(a < b || a > b))
COMPARE(s_cmp_ngt_f32, !(a > b))
COMPARE(s_cmp_nle_f32, !(a <= b))
COMPARE(s_cmp_neq_f32, a != b)
COMPARE(s_cmp_nlt_f32, !(a < b))

/* clang-format off */
const aq_wave_semantics aq_wave_scalar_float[] = {
    H(s_add_f32), H(s_sub_f32), H(s_mul_f32), H(s_fmac_f32), H(s_fmaak_f32),
    AS(s_fmamk_f32, s_fmaak_f32), H(s_ceil_f32), H(s_floor_f32),
    H(s_trunc_f32), H(s_rndne_f32), H(s_cvt_f32_i32), H(s_cvt_f32_u32),
    H(s_cvt_i32_f32), H(s_cvt_u32_f32), H(s_cmp_lt_f32), H(s_cmp_eq_f32),
    H(s_cmp_le_f32), H(s_cmp_gt_f32), H(s_cmp_lg_f32), H(s_cmp_ge_f32),
    H(s_cmp_o_f32), H(s_cmp_u_f32), H(s_cmp_nge_f32), H(s_cmp_nlg_f32),
    H(s_cmp_ngt_f32), H(s_cmp_nle_f32), H(s_cmp_neq_f32), H(s_cmp_nlt_f32),
    {NULL, NULL}};
/* clang-format on */
