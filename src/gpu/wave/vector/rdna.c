/* SPDX-License-Identifier: MIT */
/* Vector instructions that gfx9 does not have. */
#include "config.h"

#include <float.h>

#include "gpu/wave/core/lane_handlers.h"
#include "gpu/wave/core/vector_f16.h"

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
  LANES(l) w->v[o->dest][l] = (pick >> l & 1 ? pb[l] : pa[l]) & 0xffff;
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

/* A product for lighting: the least number where b or c means no light.
 * AMD's documents leave open whether zero times infinity is zero. */
BODY(v_mullit_f32)
{
  const uint32_t *pa = lanes_source(w, o, 0), *pb = lanes_source(w, o, 1),
                 *pc = lanes_source(w, o, 2);
  LANES(l)
  {
    const float a = lane_f32(pa[l]), b = lane_f32(pb[l]), c = lane_f32(pc[l]);
    if (!(b > -FLT_MAX) || !(c > 0)) {
      w->v[o->dest][l] = lane_bits32(-FLT_MAX);
      continue;
    }
    if ((a == 0 && isinf(b)) || (b == 0 && !isfinite(a)))
      return aq_wave_fault(w, o, AQ_EXECUTION_FAULT_ILLEGAL, 0,
                           "zero times infinity or a NaN is not simulated");
    w->v[o->dest][l] = lane_nan2(a * b, a, b);
  }
  return aq_wave_next(o);
}

/* Toward zero, saturated. */
static uint32_t f32_to_i16(float a)
{
  return a != a ? 0 : (uint16_t)(int16_t)fminf(fmaxf(truncf(a), -32768), 32767);
}

static uint32_t f32_to_u16(float a)
{
  return a != a ? 0 : (uint16_t)fminf(fmaxf(truncf(a), 0), 65535);
}

S2(v_cvt_pk_i16_f32, b32, f32, f32, f32_to_i16(a) | f32_to_i16(b) << 16)
S2(v_cvt_pk_u16_f32, b32, f32, f32, f32_to_u16(a) | f32_to_u16(b) << 16)

/* Sums that are rounded after each product. */
static uint16_t dot2_f16(const aq_wave *w, uint32_t a, uint32_t b, uint16_t c)
{
  const uint16_t low = half_fma(w, (uint16_t)a, (uint16_t)b, c);
  return half_fma(w, (uint16_t)(a >> 16), (uint16_t)(b >> 16), low);
}

static uint32_t brain_fma(uint32_t a, uint32_t b, uint32_t c)
{
  const double sum =
      half_fma_odd(lane_f32(a << 16), lane_f32(b << 16), lane_f32(c << 16));
  uint32_t bits = lane_bits32((float)sum);
  if (sum != sum)
    return 0x7fc0;
  const double back = (double)lane_f32(bits); /* odd where it is not exact */
  if (back != sum && !(bits & 1) && !isinf(lane_f32(bits)))
    bits += (fabs(back) < fabs(sum)) ? 1 : (uint32_t)-1;
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

S3(v_dot2_f16_f16, b32, u32, u32, u16, dot2_f16(w, a, b, c))
S3(v_dot2_bf16_bf16, b32, u32, u32, u16,
   brain_fma(a >> 16, b >> 16, brain_fma(a & 0xffff, b & 0xffff, c)))

/* Halves change places. */
BODY(v_swap_b16)
{
  const aq_isa_inst *inst = &o->decoded->inst;
  const int d = aq_isa_operand_find(inst, 'D')->select == 5 ? 16 : 0,
            s = aq_isa_operand_find(inst, 'A')->select == 5 ? 16 : 0;
  const uint32_t low = 0xffff;
  LANES(l)
  {
    const uint32_t x = w->v[o->dest][l] >> d & low,
                   y = w->v[o->source[0]][l] >> s & low;
    w->v[o->dest][l] = (w->v[o->dest][l] & ~(low << d)) | y << d;
    w->v[o->source[0]][l] = (w->v[o->source[0]][l] & ~(low << s)) | x << s;
  }
  return aq_wave_next(o);
}

/* ---- lanes of a row of 16 ---- */

/* Lane l reads the lane `in[l]` of its row, or of the other row of 32 lanes. */
static const aq_wave_op *permute_rows(aq_wave *w, const aq_wave_op *o,
                                      const uint8_t in[AQ_WAVE_LANES],
                                      int other)
{
  enum { FETCH_INACTIVE = 1, BOUND_CONTROL = 2 };
  const uint64_t exec = AQ_WAVE_EXEC(w);
  const unsigned flags = o->decoded->inst.op_sel;
  uint32_t from[AQ_WAVE_LANES];
  memcpy(from, lanes_source(w, o, 0), sizeof from);
  LANES(l)
  {
    const int lane = ((l & ~15) ^ other) | in[l];
    if (exec >> lane & 1 || flags & FETCH_INACTIVE)
      w->v[o->dest][l] = from[lane];
    else if (flags & BOUND_CONTROL)
      w->v[o->dest][l] = 0;
  }
  return aq_wave_next(o);
}

/* Four bits a lane of the two scalars; or of gfx12 a register of numbers. */
static const aq_wave_op *permute_scalar(aq_wave *w, const aq_wave_op *o,
                                        int other)
{
  const uint64_t select = aq_wave_s32(w, o, 1) | (uint64_t)aq_wave_s32(w, o, 2)
                                                     << 32;
  uint8_t in[AQ_WAVE_LANES];
  for (int l = 0; l < AQ_WAVE_LANES; l++)
    in[l] = select >> (4 * (l & 15)) & 15;
  return permute_rows(w, o, in, other);
}

static const aq_wave_op *permute_vector(aq_wave *w, const aq_wave_op *o,
                                        int other)
{
  uint8_t in[AQ_WAVE_LANES];
  for (int l = 0; l < AQ_WAVE_LANES; l++)
    in[l] = w->v[o->source[1]][l] & 15;
  return permute_rows(w, o, in, other);
}

BODY(v_permlane16_b32)
{
  return permute_scalar(w, o, 0);
}

BODY(v_permlanex16_b32)
{
  return permute_scalar(w, o, 16);
}

BODY(v_permlane16_var_b32)
{
  return permute_vector(w, o, 0);
}

BODY(v_permlanex16_var_b32)
{
  return permute_vector(w, o, 16);
}

/* ---- register indices ---- */

/* M0 is added to the source's row, the destination's or both. A row outside of
 * the register file is the program's mistake. */
static const aq_wave_op *move_relative(aq_wave *w, const aq_wave_op *o,
                                       uint32_t from, uint32_t to)
{
  const uint32_t d = o->dest + to, s = o->source[0] + from;
  const bool vector = o->kind[0] == AQ_WAVE_VGPR;
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

BODY(v_swaprel_b32)
{
  const uint32_t m0 = w->s[AQ_ISA_M0];
  const uint32_t d = o->dest + (m0 >> 16 & 0x3ff),
                 s = o->source[0] + (m0 & 0x3ff);
  if (d >= AQ_WAVE_ACC || s >= AQ_WAVE_ACC)
    return aq_wave_fault(w, o, AQ_EXECUTION_FAULT_ILLEGAL, 0,
                         "M0 leaves the registers");
  LANES(l)
  {
    const uint32_t x = w->v[s][l];
    w->v[s][l] = w->v[d][l];
    w->v[d][l] = x;
  }
  return aq_wave_next(o);
}

/* The halves of a wave of 64 change places; of 32 lanes nothing does. */
BODY(v_permlane64_b32)
{
  uint32_t from[AQ_WAVE_LANES];
  if (w->wave32)
    return aq_wave_next(o);
  memcpy(from, w->v[o->source[0]], sizeof from);
  LANES(l) w->v[o->dest][l] = from[l ^ 32];
  return aq_wave_next(o);
}

/* clang-format off */
const aq_wave_semantics aq_wave_rdna[] = {
    H(v_mov_b16), H(v_not_b16), H(v_and_b16), H(v_or_b16), H(v_xor_b16),
    H(v_cvt_i32_i16), H(v_cvt_u32_u16), H(v_cndmask_b16), H(v_maxmin_u32),
    H(v_minmax_u32), H(v_maxmin_i32), H(v_minmax_i32), H(v_xor3_b32),
    H(v_fma_legacy_f32), AS(v_fmac_legacy_f32, v_fma_legacy_f32),
    H(v_cvt_pk_i16_f32), H(v_cvt_pk_u16_f32), H(v_dot2_f16_f16),
    H(v_dot2_bf16_bf16), H(v_swap_b16), H(v_permlane16_var_b32),
    H(v_permlanex16_var_b32), H(v_permlane16_b32), H(v_permlanex16_b32), H(v_permlane64_b32),
    H(v_movrels_b32), H(v_movreld_b32), H(v_movrelsd_b32),
    H(v_movrelsd_2_b32), H(v_swaprel_b32), H(v_mullit_f32), {NULL, NULL}};
/* clang-format on */
