/* SPDX-License-Identifier: MIT */
/* Vector instructions that gfx9 does not have. */
#include "config.h"

#include "wave/each.h"

S3(v_xor3_b32, b32, u32, u32, u32, a ^ b ^ c)

/* ---- 16 bits ---- */

S1(v_mov_b16, b32, u16, a)
S1(v_not_b16, b32, u16, (uint16_t)~a)
S2(v_and_b16, b32, u16, u16, a &b)
S2(v_or_b16, b32, u16, u16, a | b)
S2(v_xor_b16, b32, u16, u16, a ^ b)
S1(v_cvt_i32_i16, b32, u16, (uint32_t)(int16_t)a)
S1(v_cvt_u32_u16, b32, u16, a)

BODY(v_cndmask_b16)
{
  const uint64_t pick = aq_wave_s64(w, o, 2);
  const uint32_t *pa = lanes_source(w, o, 0), *pb = lanes_source(w, o, 1);
  LANES(l) w->v[o->d][l] = (pick >> l & 1 ? pb[l] : pa[l]) & 0xffff;
  return aq_wave_next(o);
}

/* ---- others ---- */

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define I(x)      ((int32_t)(x))
S3(v_maxmin_u32, b32, u32, u32, u32, MIN(MAX(a, b), c))
S3(v_minmax_u32, b32, u32, u32, u32, MAX(MIN(a, b), c))
S3(v_maxmin_i32, b32, u32, u32, u32, MIN(MAX(I(a), I(b)), I(c)))
S3(v_minmax_i32, b32, u32, u32, u32, MAX(MIN(I(a), I(b)), I(c)))

/* Zero times anything is zero. */
static uint32_t fma_legacy(float a, float b, float c)
{
  return a == 0 || b == 0 ? lane_nan2(0.0f + c, c, c)
                          : lane_nan3(fmaf(a, b, c), a, b, c);
}

S3(v_fma_legacy_f32, b32, f32, f32, f32, fma_legacy(a, b, c))

/* ---- lanes of a row of 16 ---- */

/* The lane that l reads: four bits of the two scalars, in its row or in the
 * other one of 32 lanes. */
static const aq_wave_op *permute_rows(aq_wave *w, const aq_wave_op *o,
                                      int other)
{
  enum { FETCH_INACTIVE = 1, BOUND_CONTROL = 2 };
  const uint64_t select = aq_wave_s32(w, o, 1) | (uint64_t)aq_wave_s32(w, o, 2)
                                                     << 32;
  const uint64_t exec = AQ_WAVE_EXEC(w);
  const unsigned flags = o->more->inst.op_sel;
  uint32_t from[AQ_WAVE_LANES];
  memcpy(from, lanes_source(w, o, 0), sizeof from);
  LANES(l)
  {
    const int lane = ((l & ~15) ^ other) | (int)(select >> (4 * (l & 15)) & 15);
    if (exec >> lane & 1 || flags & FETCH_INACTIVE)
      w->v[o->d][l] = from[lane];
    else if (flags & BOUND_CONTROL)
      w->v[o->d][l] = 0;
  }
  return aq_wave_next(o);
}

BODY(v_permlane16_b32)
{
  return permute_rows(w, o, 0);
}

BODY(v_permlanex16_b32)
{
  return permute_rows(w, o, 16);
}

/* ---- register indices ---- */

/* M0 is added to the source's row, the destination's or both. A row outside of
 * the register file is the program's mistake. */
static const aq_wave_op *move_relative(aq_wave *w, const aq_wave_op *o,
                                       uint32_t from, uint32_t to)
{
  const uint32_t d = o->d + to, s = o->r[0] + from;
  const bool vector = o->kind[0] == AQ_WAVE_V;
  if (d >= AQ_WAVE_ACC || (vector && s >= AQ_WAVE_ACC))
    return aq_wave_fault(w, o, AQ_EXECUTION_FAULT_ILLEGAL, 0,
                         "M0 leaves the registers");
  const uint32_t *row = vector ? w->v[s] : lanes_source(w, o, 0);
  LANES(l) w->v[d][l] = row[l];
  return aq_wave_next(o);
}

BODY(v_movrels_b32)
{
  return move_relative(w, o, w->s[AQ_ISA_M0], 0);
}

BODY(v_movreld_b32)
{
  return move_relative(w, o, 0, w->s[AQ_ISA_M0]);
}

BODY(v_movrelsd_b32)
{
  return move_relative(w, o, w->s[AQ_ISA_M0], w->s[AQ_ISA_M0]);
}

/* Ten bits for each. */
BODY(v_movrelsd_2_b32)
{
  const uint32_t m0 = w->s[AQ_ISA_M0];
  return move_relative(w, o, m0 & 0x3ff, m0 >> 16 & 0x3ff);
}

/* The halves of a wave of 64 change places; of 32 lanes nothing does. */
BODY(v_permlane64_b32)
{
  uint32_t from[AQ_WAVE_LANES];
  if (w->wave32)
    return aq_wave_next(o);
  memcpy(from, w->v[o->r[0]], sizeof from);
  LANES(l) w->v[o->d][l] = from[l ^ 32];
  return aq_wave_next(o);
}

/* clang-format off */
const aq_wave_semantics aq_wave_rdna[] = {
    H(v_mov_b16), H(v_not_b16), H(v_and_b16), H(v_or_b16), H(v_xor_b16),
    H(v_cvt_i32_i16), H(v_cvt_u32_u16), H(v_cndmask_b16), H(v_maxmin_u32),
    H(v_minmax_u32), H(v_maxmin_i32), H(v_minmax_i32), H(v_xor3_b32),
    H(v_fma_legacy_f32), AS(v_fmac_legacy_f32, v_fma_legacy_f32),
    H(v_permlane16_b32), H(v_permlanex16_b32), H(v_permlane64_b32),
    H(v_movrels_b32), H(v_movreld_b32), H(v_movrelsd_b32),
    H(v_movrelsd_2_b32), {NULL, NULL}};
/* clang-format on */
