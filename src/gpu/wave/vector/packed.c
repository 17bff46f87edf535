/* SPDX-License-Identifier: MIT */
/*
 * VOP3P: two halves at once, mixed precision, dot products. Operand selection
 * and signs of halves are part of the instruction, so they are read here.
 */
#include "config.h"

#include <math.h>

#include "gpu/wave/core/lane_handlers.h"
#include "gpu/wave/core/output_modifiers.h"
#include "gpu/wave/core/packed.h"
#include "gpu/wave/core/small_floats.h"
#include "gpu/wave/core/vector_f16.h"

#pragma GCC optimize("fp-contract=off")

static bool bit(unsigned bits, int i)
{
  return bits >> i & 1;
}

/* The half of a source that goes to half `high` of the result. */
static uint16_t half_of(const aq_wave_select *s, uint32_t x, bool high)
{
  return (uint16_t)(s->second[high] ? x >> 16 : x);
}

/* With its sign, for halves that are floats. */
static uint16_t float_half(const aq_wave_select *s, uint32_t x, bool high)
{
  return half_of(s, x, high) ^ (s->negative[high] ? 0x8000 : 0);
}

/* How the sources of VOP3P are selected. */
#define SELECTS(a, b, c)                                                       \
  const aq_wave_select a = aq_wave_select_read(&o->decoded->inst, 0),          \
                       b = aq_wave_select_read(&o->decoded->inst, 1),          \
                       c = aq_wave_select_read(&o->decoded->inst, 2)

static uint16_t clamp16(const aq_wave *w, const aq_wave_op *o, uint16_t x)
{
  const double a = aq_wave_clamp_unit(w, (double)lane_f16(x));
  return !o->decoded->inst.clamp || a != a ? x : lane_half(a);
}

/* ---- halves ---- */

#define PACKED(name, PICK, FINISH, EXPR)                                       \
  BODY(name)                                                                   \
  {                                                                            \
    const uint32_t *pa = lanes_source(w, o, 0), *pb = lanes_source(w, o, 1),   \
                   *pc = lanes_source(w, o, 2);                                \
    const bool split = aq_wave_mode_is_split(w);                               \
    SELECTS(sa, sb, sc);                                                       \
    if (split)                                                                 \
      aq_wave_mode_enter64(w);                                                 \
    LANES(l)                                                                   \
    {                                                                          \
      uint32_t both = 0;                                                       \
      for (int high = 0; high < 2; high++) {                                   \
        const uint16_t a = PICK(&sa, pa[l], high), b = PICK(&sb, pb[l], high), \
                       c = PICK(&sc, pc[l], high);                             \
        (void)c;                                                               \
        const uint16_t r = (uint16_t)(EXPR);                                   \
        both |= (uint32_t)FINISH(w, o, r) << (16 * high);                      \
      }                                                                        \
      w->v[o->dest][l] = both;                                                 \
    }                                                                          \
    if (split)                                                                 \
      aq_wave_mode_enter(w);                                                   \
    return aq_wave_next(o);                                                    \
  }

static uint16_t as_is(const aq_wave *w, const aq_wave_op *o, uint16_t x)
{
  (void)w, (void)o;
  return x;
}

static uint16_t sat_i16(const aq_wave_op *o, int32_t x)
{
  if (o->decoded->inst.clamp)
    x = x > 32767 ? 32767 : x < -32768 ? -32768 : x;
  return (uint16_t)x;
}

static uint16_t sat_u16(const aq_wave_op *o, int64_t x)
{
  if (o->decoded->inst.clamp)
    x = x > 65535 ? 65535 : x < 0 ? 0 : x;
  return (uint16_t)x;
}

#define IEEE (w->mode & AQ_WAVE_MODE_IEEE)
#define I(x) ((int16_t)(x))
PACKED(v_pk_mad_i16, half_of, as_is, sat_i16(o, I(a) * I(b) + I(c)))
PACKED(v_pk_mul_lo_u16, half_of, as_is, (uint32_t)a *b)
PACKED(v_pk_add_i16, half_of, as_is, sat_i16(o, I(a) + I(b)))
PACKED(v_pk_sub_i16, half_of, as_is, sat_i16(o, I(a) - I(b)))
PACKED(v_pk_lshlrev_b16, half_of, as_is, b << (a & 15))
PACKED(v_pk_lshrrev_b16, half_of, as_is, b >> (a & 15))
PACKED(v_pk_ashrrev_i16, half_of, as_is, I(b) >> (a & 15))
PACKED(v_pk_max_i16, half_of, as_is, I(a) > I(b) ? a : b)
PACKED(v_pk_min_i16, half_of, as_is, I(a) < I(b) ? a : b)
PACKED(v_pk_mad_u16, half_of, as_is, sat_u16(o, (int64_t)a *b + c))
PACKED(v_pk_add_u16, half_of, as_is, sat_u16(o, (int64_t)a + b))
PACKED(v_pk_sub_u16, half_of, as_is, sat_u16(o, (int64_t)a - b))
PACKED(v_pk_max_u16, half_of, as_is, a > b ? a : b)
PACKED(v_pk_min_u16, half_of, as_is, a < b ? a : b)
PACKED(v_pk_fma_f16, float_half, clamp16, half_fma(w, a, b, c))
PACKED(v_pk_add_f16, float_half, clamp16, half_add(w, a, b))
PACKED(v_pk_mul_f16, float_half, clamp16, half_multiply(w, a, b))
PACKED(v_pk_min_f16, float_half, clamp16, half_min(a, b, IEEE))
PACKED(v_pk_max_f16, float_half, clamp16, half_max(a, b, IEEE))

PACKED(v_pk_min_num_f16, float_half, clamp16, half_min_num(a, b))
PACKED(v_pk_max_num_f16, float_half, clamp16, half_max_num(a, b))
PACKED(v_pk_minimum_f16, float_half, clamp16, half_minimum(a, b))
PACKED(v_pk_maximum_f16, float_half, clamp16, half_maximum(a, b))
PACKED(v_pk_minimum3_f16, float_half, clamp16,
       half_minimum(half_minimum(a, b), c))
PACKED(v_pk_maximum3_f16, float_half, clamp16,
       half_maximum(half_maximum(a, b), c))

/* ---- pairs of f32 ---- */

static uint32_t clamp32(const aq_wave *w, const aq_wave_op *o, uint32_t x)
{
  const double a = aq_wave_clamp_unit(w, (double)lane_f32(x));
  return !o->decoded->inst.clamp || a != a ? x : lane_bits32((float)a);
}

/* Word `high` of a source of 64 bits, with its sign. */
static float pair_word(const aq_wave_select *s, const uint32_t *row, int l,
                       bool high)
{
  const uint32_t x = row[l + (s->second[high] ? AQ_WAVE_LANES : 0)];
  return lane_f32(x ^ (s->negative[high] ? 0x80000000 : 0));
}

#define PAIRS(name, EXPR)                                                      \
  BODY(name)                                                                   \
  {                                                                            \
    const uint32_t *pa = lanes_source64(w, o, 0),                              \
                   *pb = lanes_source64(w, o, 1),                              \
                   *pc = lanes_source64(w, o, 2);                              \
    SELECTS(sa, sb, sc);                                                       \
    LANES(l)                                                                   \
    {                                                                          \
      uint32_t r[2];                                                           \
      for (int high = 0; high < 2; high++) {                                   \
        const float a = pair_word(&sa, pa, l, high),                           \
                    b = pair_word(&sb, pb, l, high),                           \
                    c = pair_word(&sc, pc, l, high);                           \
        (void)c;                                                               \
        r[high] = clamp32(w, o, EXPR);                                         \
      }                                                                        \
      w->v[o->dest][l] = r[0];                                                 \
      w->v[o->dest + 1][l] = r[1];                                             \
    }                                                                          \
    return aq_wave_next(o);                                                    \
  }
PAIRS(v_pk_fma_f32, lane_nan3(fmaf(a, b, c), a, b, c))
PAIRS(v_pk_mul_f32, lane_nan2(a *b, a, b))
PAIRS(v_pk_add_f32, lane_nan2(a + b, a, b))

/* ---- mixed precision ---- */

/* op_sel_hi: the source is f16, of the half that op_sel names. */
static float mix_source(const aq_wave_op *o, uint32_t x, int i)
{
  const aq_isa_inst *inst = &o->decoded->inst;
  uint32_t a = bit(inst->op_sel_hi, i)
                   ? lane_bits32(lane_f16(
                         (uint16_t)(bit(inst->op_sel, i) ? x >> 16 : x)))
                   : x;
  for (unsigned k = 0; k < inst->operand_count; k++) {
    if (inst->operands[k].role != 'A' + i)
      continue;
    if (inst->operands[k].modifiers & AQ_ISA_ABS)
      a &= 0x7fffffff;
    if (inst->operands[k].modifiers & AQ_ISA_NEG)
      a ^= 0x80000000;
  }
  return lane_f32(a);
}

/* v_mad_mix rounds the product and flushes denormals, as v_mad_f32 does. */
static uint32_t mad_mix(float a, float b, float c)
{
  a = each_flush(a), b = each_flush(b), c = each_flush(c);
  const float product = each_flush(a * b);
  return lane_bits32(each_flush(lane_f32(lane_nan3(product + c, a, b, c))));
}

static uint32_t fma_mix(float a, float b, float c)
{
  return lane_nan3(fmaf(a, b, c), a, b, c);
}

/* To f16 with the rounding of f16; a NaN keeps its upper bits. */
static uint16_t mix_half(aq_wave *w, uint32_t x)
{
  const float a = lane_f32(x);
  if (a != a)
    return (uint16_t)((x >> 16 & 0x8000) | 0x7e00 | (x >> 13 & 0x1ff));
  const bool split = aq_wave_mode_is_split(w);
  if (split)
    aq_wave_mode_enter64(w);
  const uint16_t half = lane_bits16(a);
  if (split)
    aq_wave_mode_enter(w);
  return half;
}

#define MIX(name, EXPR, STORE)                                                 \
  BODY(name)                                                                   \
  {                                                                            \
    const uint32_t *pa = lanes_source(w, o, 0), *pb = lanes_source(w, o, 1),   \
                   *pc = lanes_source(w, o, 2);                                \
    LANES(l)                                                                   \
    {                                                                          \
      const float a = mix_source(o, pa[l], 0), b = mix_source(o, pb[l], 1),    \
                  c = mix_source(o, pc[l], 2);                                 \
      uint32_t *d = &w->v[o->dest][l];                                         \
      const uint32_t x = clamp32(w, o, EXPR(a, b, c));                         \
      STORE;                                                                   \
    }                                                                          \
    return aq_wave_next(o);                                                    \
  }
#define TO_LOW  *d = (*d & 0xffff0000) | mix_half(w, x)
#define TO_HIGH *d = (*d & 0xffff) | (uint32_t)mix_half(w, x) << 16
MIX(v_fma_mix_f32, fma_mix, *d = x)
MIX(v_fma_mixlo_f16, fma_mix, TO_LOW)
MIX(v_fma_mixhi_f16, fma_mix, TO_HIGH)
MIX(v_mad_mix_f32, mad_mix, *d = x)
MIX(v_mad_mixlo_f16, mad_mix, TO_LOW)
MIX(v_mad_mixhi_f16, mad_mix, TO_HIGH)

/* ---- dot products ---- */

static uint32_t dot_sat(const aq_wave_op *o, int64_t sum)
{
  if (o->decoded->inst.clamp)
    sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
  return (uint32_t)sum;
}

static uint32_t dot_sat_u(const aq_wave_op *o, uint64_t sum)
{
  return o->decoded->inst.clamp && sum > UINT32_MAX ? UINT32_MAX
                                                    : (uint32_t)sum;
}

/* The sum over fields of `width` bits. */
static int64_t dot_signed(uint32_t a, uint32_t b, int width)
{
  int64_t sum = 0;
  for (int i = 0; i < 32; i += width)
    sum += (int64_t)((int32_t)(a << (32 - width - i)) >> (32 - width)) *
           ((int32_t)(b << (32 - width - i)) >> (32 - width));
  return sum;
}

static uint64_t dot_unsigned(uint32_t a, uint32_t b, int width)
{
  const uint32_t mask = (1u << width) - 1;
  uint64_t sum = 0;
  for (int i = 0; i < 32; i += width)
    sum += (uint64_t)(a >> i & mask) * (b >> i & mask);
  return sum;
}

static uint32_t select_halves(const aq_wave_select *s, uint32_t x)
{
  return half_of(s, x, false) | (uint32_t)half_of(s, x, true) << 16;
}

#define DOT(name, A, B, EXPR)                                                  \
  BODY(name)                                                                   \
  {                                                                            \
    const uint32_t *pa = lanes_source(w, o, 0), *pb = lanes_source(w, o, 1),   \
                   *pc = lanes_source(w, o, 2);                                \
    SELECTS(sa, sb, sc);                                                       \
    (void)sa, (void)sb, (void)sc;                                              \
    LANES(l)                                                                   \
    {                                                                          \
      const uint32_t a = A, b = B, c = pc[l];                                  \
      w->v[o->dest][l] = EXPR;                                                 \
    }                                                                          \
    return aq_wave_next(o);                                                    \
  }
DOT(v_dot2_i32_i16, select_halves(&sa, pa[l]), select_halves(&sb, pb[l]),
    dot_sat(o, dot_signed(a, b, 16) + (int32_t)c))
DOT(v_dot2_u32_u16, select_halves(&sa, pa[l]), select_halves(&sb, pb[l]),
    dot_sat_u(o, dot_unsigned(a, b, 16) + c))
DOT(v_dot4_i32_i8, pa[l], pb[l], dot_sat(o, dot_signed(a, b, 8) + (int32_t)c))
DOT(v_dot4_u32_u8, pa[l], pb[l], dot_sat_u(o, dot_unsigned(a, b, 8) + c))
DOT(v_dot8_i32_i4, pa[l], pb[l], dot_sat(o, dot_signed(a, b, 4) + (int32_t)c))
DOT(v_dot8_u32_u4, pa[l], pb[l], dot_sat_u(o, dot_unsigned(a, b, 4) + c))

/* The sum over fields, of which a bit each of NEG says that A's and B's are
 * signed. */
static uint32_t dot_mixed(const aq_wave_op *o, uint32_t a, uint32_t b,
                          uint32_t c, int width)
{
  const unsigned is_signed = o->decoded->inst.words[1] >> 29;
  const uint32_t mask = (1u << width) - 1, sign = 1u << (width - 1);
  int64_t sum = (int32_t)c;
  for (int i = 0; i < 32; i += width) {
    const uint32_t x = a >> i & mask, y = b >> i & mask;
    sum +=
        (int64_t)(is_signed & 1 ? (int32_t)((x ^ sign) - sign) : (int32_t)x) *
        (is_signed & 2 ? (int32_t)((y ^ sign) - sign) : (int32_t)y);
  }
  return dot_sat(o, sum);
}
DOT(v_dot4_i32_iu8, pa[l], pb[l], dot_mixed(o, a, b, c, 8))
DOT(v_dot8_i32_iu4, pa[l], pb[l], dot_mixed(o, a, b, c, 4))

/* Products of floats of 8 bits, one fma after the other; C with its signs. */
static uint32_t dot4_small(const aq_wave_op *o, uint32_t a, element_type a_type,
                           uint32_t b, element_type b_type, uint32_t c)
{
  const aq_isa_inst *inst = &o->decoded->inst;
  if (inst->neg_hi & 4)
    c &= 0x7fffffff;
  if (inst->words[1] >> 31)
    c ^= 0x80000000;
  float sum = lane_f32(c);
  for (int i = 0; i < 32; i += 8)
    sum = fmaf((float)element_split(a_type, a >> i & 255).value,
               (float)element_split(b_type, b >> i & 255).value, sum);
  return sum == sum ? lane_bits32(sum) : 0x7fc00000;
}
#define SMALL(name, A, B)                                                      \
  DOT(name, pa[l], pb[l], dot4_small(o, a, OCP_##A, b, OCP_##B, c))
SMALL(v_dot4_f32_fp8_bf8, FP8, BF8)
SMALL(v_dot4_f32_bf8_fp8, BF8, FP8)
SMALL(v_dot4_f32_fp8_fp8, FP8, FP8)
SMALL(v_dot4_f32_bf8_bf8, BF8, BF8)

/* A fused sum of the low halves, then of the high ones. */
static uint32_t dot2_floats(const aq_wave *w, const aq_wave_op *o,
                            const float a[2], const float b[2], uint32_t c)
{
  uint32_t sum = c;
  for (int i = 0; i < 2; i++)
    sum = fma_mix(a[i], b[i], lane_f32(sum));
  return clamp32(w, o, sum);
}

static uint32_t dot2_f16(const aq_wave *w, const aq_wave_op *o, uint32_t a,
                         uint32_t b, uint32_t c)
{
  const float x[] = {lane_f16((uint16_t)a), lane_f16((uint16_t)(a >> 16))};
  const float y[] = {lane_f16((uint16_t)b), lane_f16((uint16_t)(b >> 16))};
  return dot2_floats(w, o, x, y, c);
}

static uint32_t dot2_bf16(const aq_wave *w, const aq_wave_op *o, uint32_t a,
                          uint32_t b, uint32_t c)
{
  const float x[] = {lane_f32(a << 16), lane_f32(a & 0xffff0000)};
  const float y[] = {lane_f32(b << 16), lane_f32(b & 0xffff0000)};
  return dot2_floats(w, o, x, y, c);
}

static uint32_t float_halves(const aq_wave_select *s, uint32_t x)
{
  return float_half(s, x, false) | (uint32_t)float_half(s, x, true) << 16;
}
DOT(v_dot2_f32_f16, float_halves(&sa, pa[l]), float_halves(&sb, pb[l]),
    dot2_f16(w, o, a, b, c))
DOT(v_dot2_f32_bf16, float_halves(&sa, pa[l]), float_halves(&sb, pb[l]),
    dot2_bf16(w, o, a, b, c))

/* Short forms accumulate into the destination, their third source. */
DOT(v_dot2c_f32_f16, pa[l], pb[l], dot2_f16(w, o, a, b, c))
DOT(v_dot2c_f32_bf16, pa[l], pb[l], dot2_bf16(w, o, a, b, c))
DOT(v_dot2c_i32_i16, pa[l], pb[l],
    dot_sat(o, dot_signed(a, b, 16) + (int32_t)c))
DOT(v_dot4c_i32_i8, pa[l], pb[l], dot_sat(o, dot_signed(a, b, 8) + (int32_t)c))
DOT(v_dot8c_i32_i4, pa[l], pb[l], dot_sat(o, dot_signed(a, b, 4) + (int32_t)c))
DOT(v_pk_fmac_f16, pa[l], pb[l],
    clamp16(w, o, half_fma(w, (uint16_t)a, (uint16_t)b, (uint16_t)c)) |
        (uint32_t)clamp16(w, o,
                          half_fma(w, (uint16_t)(a >> 16), (uint16_t)(b >> 16),
                                   (uint16_t)(c >> 16)))
            << 16)

BODY(v_accvgpr)
{
  lanes_keep(w, w->v[o->dest], lanes_source(w, o, 0));
  return aq_wave_next(o);
}

/* For vector_packed.inc. */
AQ_WAVE_BY_LANE(v_pk_add_f16)
AQ_WAVE_BY_LANE(v_pk_mul_f16)
AQ_WAVE_BY_LANE(v_pk_fma_f16)
AQ_WAVE_BY_LANE(v_pk_min_f16)
AQ_WAVE_BY_LANE(v_pk_max_f16)
AQ_WAVE_BY_LANE(v_pk_add_f32)
AQ_WAVE_BY_LANE(v_pk_mul_f32)
AQ_WAVE_BY_LANE(v_pk_fma_f32)
AQ_WAVE_BY_LANE(v_fma_mix_f32)
AQ_WAVE_BY_LANE(v_fma_mixlo_f16)
AQ_WAVE_BY_LANE(v_fma_mixhi_f16)
AQ_WAVE_BY_LANE(v_pk_mad_i16)
AQ_WAVE_BY_LANE(v_pk_mad_u16)
AQ_WAVE_BY_LANE(v_pk_mul_lo_u16)
AQ_WAVE_BY_LANE(v_pk_add_i16)
AQ_WAVE_BY_LANE(v_pk_add_u16)
AQ_WAVE_BY_LANE(v_pk_sub_i16)
AQ_WAVE_BY_LANE(v_pk_sub_u16)
AQ_WAVE_BY_LANE(v_pk_lshlrev_b16)
AQ_WAVE_BY_LANE(v_pk_lshrrev_b16)
AQ_WAVE_BY_LANE(v_pk_ashrrev_i16)
AQ_WAVE_BY_LANE(v_pk_max_i16)
AQ_WAVE_BY_LANE(v_pk_min_i16)
AQ_WAVE_BY_LANE(v_pk_max_u16)
AQ_WAVE_BY_LANE(v_pk_min_u16)
AQ_WAVE_BY_LANE(v_dot2_f32_f16)
AQ_WAVE_BY_LANE(v_dot2c_f32_f16)
AQ_WAVE_BY_LANE(v_dot4_i32_i8)
AQ_WAVE_BY_LANE(v_dot4c_i32_i8)
AQ_WAVE_BY_LANE(v_dot4_u32_u8)
AQ_WAVE_BY_LANE(v_dot2_i32_i16)
AQ_WAVE_BY_LANE(v_dot2_u32_u16)
AQ_WAVE_BY_LANE(v_dot2c_i32_i16)
AQ_WAVE_BY_LANE(v_dot8_i32_i4)
AQ_WAVE_BY_LANE(v_dot8c_i32_i4)
AQ_WAVE_BY_LANE(v_dot8_u32_u4)

/* clang-format off */
const aq_wave_semantics aq_wave_packed[] = {
    H(v_pk_mad_i16), H(v_pk_mul_lo_u16), H(v_pk_add_i16), H(v_pk_sub_i16),
    H(v_pk_lshlrev_b16), H(v_pk_lshrrev_b16), H(v_pk_ashrrev_i16),
    H(v_pk_max_i16), H(v_pk_min_i16), H(v_pk_mad_u16), H(v_pk_add_u16),
    H(v_pk_sub_u16), H(v_pk_max_u16), H(v_pk_min_u16), H(v_pk_fma_f16),
    H(v_pk_add_f16), H(v_pk_mul_f16), H(v_pk_min_f16), H(v_pk_max_f16),
    H(v_pk_min_num_f16), H(v_pk_max_num_f16), H(v_pk_minimum_f16),
    H(v_pk_maximum_f16), H(v_pk_fmac_f16), H(v_pk_fma_f32), H(v_pk_mul_f32), H(v_pk_add_f32),
    H(v_fma_mix_f32), H(v_fma_mixlo_f16), H(v_fma_mixhi_f16),
    H(v_dot2_i32_i16), H(v_dot2_u32_u16), H(v_dot4_i32_i8), H(v_dot4_u32_u8),
    H(v_dot4_i32_iu8), H(v_dot8_i32_iu4), H(v_dot4_f32_fp8_bf8),
    H(v_dot4_f32_bf8_fp8), H(v_dot4_f32_fp8_fp8), H(v_dot4_f32_bf8_bf8),
    H(v_dot8_i32_i4), H(v_dot8_u32_u4), H(v_dot2_f32_f16), H(v_dot2c_f32_f16),
    H(v_dot2c_i32_i16), H(v_dot4c_i32_i8), H(v_dot8c_i32_i4), H(v_dot2_f32_bf16),
    H(v_dot2c_f32_bf16), H(v_mad_mix_f32), H(v_mad_mixlo_f16),
    H(v_mad_mixhi_f16), H(v_pk_minimum3_f16), H(v_pk_maximum3_f16),
    AS(v_accvgpr_read_b32, v_accvgpr), AS(v_accvgpr_write_b32, v_accvgpr),
    AS(v_accvgpr_mov_b32, v_accvgpr), {NULL, NULL}};
/* clang-format on */
