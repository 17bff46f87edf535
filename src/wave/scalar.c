/* SPDX-License-Identifier: MIT */
/* Scalar arithmetic: SOP1, SOP2, SOPC, SOPK. One line an instruction. */
#include "config.h"

#include "wave/state.h"

#define BODY(name)                                                             \
  static const aq_wave_op *name##_(aq_wave *w, const aq_wave_op *o)

/* Sources a and b, the result r; `SCC` is what becomes of the condition. */
#define A32(name, EXPR, SCC)                                                   \
  BODY(name)                                                                   \
  {                                                                            \
    const uint32_t a = aq_wave_s32(w, o, 0), b = aq_wave_s32(w, o, 1);         \
    uint32_t scc = w->scc;                                                     \
    (void)b, (void)a;                                                          \
    const uint32_t r = (uint32_t)(EXPR);                                       \
    SCC;                                                                       \
    w->scc = scc;                                                              \
    w->s[o->d] = r;                                                            \
    return aq_wave_next(o);                                                    \
  }
#define A64(name, EXPR, SCC)                                                   \
  BODY(name)                                                                   \
  {                                                                            \
    const uint64_t a = aq_wave_s64(w, o, 0), b = aq_wave_s64(w, o, 1);         \
    uint32_t scc = w->scc;                                                     \
    (void)b, (void)a;                                                          \
    const uint64_t r = (uint64_t)(EXPR);                                       \
    SCC;                                                                       \
    w->scc = scc;                                                              \
    aq_wave_put64(w, o->d, r);                                                 \
    return aq_wave_next(o);                                                    \
  }
/* 64 bits by a count or field of 32. */
#define S64(name, EXPR, SCC)                                                   \
  BODY(name)                                                                   \
  {                                                                            \
    const uint64_t a = aq_wave_s64(w, o, 0);                                   \
    const uint32_t b = aq_wave_s32(w, o, 1);                                   \
    uint32_t scc = w->scc;                                                     \
    const uint64_t r = (uint64_t)(EXPR);                                       \
    SCC;                                                                       \
    w->scc = scc;                                                              \
    aq_wave_put64(w, o->d, r);                                                 \
    return aq_wave_next(o);                                                    \
  }
/* 32 bits of one source of 64. */
#define N64(name, EXPR, SCC)                                                   \
  BODY(name)                                                                   \
  {                                                                            \
    const uint64_t a = aq_wave_s64(w, o, 0);                                   \
    uint32_t scc = w->scc;                                                     \
    const uint32_t r = (uint32_t)(EXPR);                                       \
    SCC;                                                                       \
    w->scc = scc;                                                              \
    w->s[o->d] = r;                                                            \
    return aq_wave_next(o);                                                    \
  }
#define KEEP    (void)0
#define NONZERO scc = r != 0

/* ---- two sources ---- */

static uint32_t bits_extract(uint64_t a, uint32_t b, unsigned width,
                             uint64_t *out)
{
  const unsigned first = b & (width - 1), count = (b >> 16) & 0x7f;
  uint64_t value = a >> first;
  if (count < width)
    value &= ((uint64_t)1 << count) - 1;
  *out = value;
  return count;
}

static uint64_t bfe_u(uint64_t a, uint32_t b, unsigned width)
{
  uint64_t value;
  bits_extract(a, b, width, &value);
  return value;
}

static uint64_t bfe_i(int64_t a, uint32_t b, unsigned width)
{
  const unsigned first = b & (width - 1);
  unsigned count = (b >> 16) & 0x7f;
  if (count == 0)
    return 0;
  const int64_t value = a >> first;
  return count >= 64 ? (uint64_t)value
                     : (uint64_t)((int64_t)((uint64_t)value << (64 - count)) >>
                                  (64 - count));
}

A32(s_add_u32, a + b, scc = r < a)
A32(s_sub_u32, a - b, scc = b > a)
A32(s_add_i32, a + b, scc = (~(a ^ b) & (a ^ r)) >> 31)
A32(s_sub_i32, a - b, scc = ((a ^ b) & (a ^ r)) >> 31)
A32(s_addc_u32, a + b + scc, scc = (uint64_t)a + b + w->scc > UINT32_MAX)
A32(s_subb_u32, a - b - scc, scc = (uint64_t)b + w->scc > a)
A32(s_min_i32, (int32_t)a < (int32_t)b ? a : b, scc = (int32_t)a < (int32_t)b)
A32(s_min_u32, a < b ? a : b, scc = a < b)
A32(s_max_i32, (int32_t)a > (int32_t)b ? a : b, scc = (int32_t)a > (int32_t)b)
A32(s_max_u32, a > b ? a : b, scc = a > b)
A32(s_cselect_b32, scc ? a : b, KEEP)
A64(s_cselect_b64, scc ? a : b, KEEP)
A32(s_and_b32, a &b, NONZERO)
A64(s_and_b64, a &b, NONZERO)
A32(s_or_b32, a | b, NONZERO)
A64(s_or_b64, a | b, NONZERO)
A32(s_xor_b32, a ^ b, NONZERO)
A64(s_xor_b64, a ^ b, NONZERO)
A32(s_andn2_b32, a & ~b, NONZERO)
A64(s_andn2_b64, a & ~b, NONZERO)
A32(s_orn2_b32, a | ~b, NONZERO)
A64(s_orn2_b64, a | ~b, NONZERO)
A32(s_nand_b32, ~(a &b), NONZERO)
A64(s_nand_b64, ~(a &b), NONZERO)
A32(s_nor_b32, ~(a | b), NONZERO)
A64(s_nor_b64, ~(a | b), NONZERO)
A32(s_xnor_b32, ~(a ^ b), NONZERO)
A64(s_xnor_b64, ~(a ^ b), NONZERO)
A32(s_lshl_b32, a << (b & 31), NONZERO)
S64(s_lshl_b64, a << (b & 63), NONZERO)
A32(s_lshr_b32, a >> (b & 31), NONZERO)
S64(s_lshr_b64, a >> (b & 63), NONZERO)
A32(s_ashr_i32, (int32_t)a >> (b & 31), NONZERO)
S64(s_ashr_i64, (int64_t)a >> (b & 63), NONZERO)
A32(s_bfm_b32, ((1u << (a & 31)) - 1) << (b & 31), KEEP)
A32(s_mul_i32, a *b, KEEP)
A32(s_mul_hi_u32, (uint64_t)a *b >> 32, KEEP)
A32(s_mul_hi_i32, (int64_t)(int32_t)a *(int32_t)b >> 32, KEEP)
A32(s_bfe_u32, bfe_u(a, b, 32), NONZERO)
A32(s_bfe_i32, bfe_i((int32_t)a, b, 32), NONZERO)
S64(s_bfe_u64, bfe_u(a, b, 64), NONZERO)
S64(s_bfe_i64, bfe_i((int64_t)a, b, 64), NONZERO)
A64(s_add_nc_u64, a + b, KEEP)
A64(s_sub_nc_u64, a - b, KEEP)
A64(s_mul_u64, a *b, KEEP)
A32(s_absdiff_i32, (int32_t)(a - b) < 0 ? b - a : a - b, NONZERO)
A32(s_lshl1_add_u32, (a << 1) + b, scc = ((uint64_t)a << 1) + b > UINT32_MAX)
A32(s_lshl2_add_u32, (a << 2) + b, scc = ((uint64_t)a << 2) + b > UINT32_MAX)
A32(s_lshl3_add_u32, (a << 3) + b, scc = ((uint64_t)a << 3) + b > UINT32_MAX)
A32(s_lshl4_add_u32, (a << 4) + b, scc = ((uint64_t)a << 4) + b > UINT32_MAX)
A32(s_pack_ll_b32_b16, (a & 0xffff) | b << 16, KEEP)
A32(s_pack_lh_b32_b16, (a & 0xffff) | (b & 0xffff0000), KEEP)
A32(s_pack_hl_b32_b16, a >> 16 | b << 16, KEEP)
A32(s_pack_hh_b32_b16, a >> 16 | (b & 0xffff0000), KEEP)

BODY(s_bfm_b64)
{
  const uint32_t a = aq_wave_s32(w, o, 0), b = aq_wave_s32(w, o, 1);
  aq_wave_put64(w, o->d, (((uint64_t)1 << (a & 63)) - 1) << (b & 63));
  return aq_wave_next(o);
}

/* ---- one source ---- */

static uint32_t reverse(uint32_t a)
{
  a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
  a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
  a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
  return __builtin_bswap32(a);
}

static uint64_t reverse64(uint64_t a)
{
  return (uint64_t)reverse((uint32_t)a) << 32 | reverse((uint32_t)(a >> 32));
}

/* Each group of four bits becomes all ones if one of them is. */
static uint64_t quads(uint64_t a)
{
  a |= a >> 1 & 0x7777777777777777;
  a |= a >> 2 & 0x3333333333333333;
  return (a & 0x1111111111111111) * 15;
}

static uint64_t quad_bits(uint64_t a)
{
  uint64_t r = 0;
  a = quads(a);
  for (unsigned i = 0; i < 16; i++)
    r |= (a >> (4 * i) & 1) << i;
  return r;
}

static uint64_t replicate(uint32_t a)
{
  uint64_t r = 0;
  for (unsigned i = 0; i < 32; i++)
    r |= (uint64_t)(a >> i & 1) * 3 << (2 * i);
  return r;
}

A32(s_mov_b32, a, KEEP)
A64(s_mov_b64, a, KEEP)
A32(s_cmov_b32, scc ? a : w->s[o->d], KEEP)
A64(s_cmov_b64, scc ? a : (w->s[o->d] | (uint64_t)w->s[o->d + 1] << 32), KEEP)
A32(s_not_b32, ~a, NONZERO)
A64(s_not_b64, ~a, NONZERO)
A32(s_wqm_b32, quads(a), NONZERO)
A64(s_wqm_b64, quads(a), NONZERO)
A32(s_quadmask_b32, quad_bits(a), NONZERO)
A64(s_quadmask_b64, quad_bits(a), NONZERO)
A32(s_brev_b32, reverse(a), KEEP)
A64(s_brev_b64, reverse64(a), KEEP)
A32(s_bcnt0_i32_b32, 32 - __builtin_popcount(a), NONZERO)
N64(s_bcnt0_i32_b64, 64 - __builtin_popcountll(a), NONZERO)
A32(s_bcnt1_i32_b32, __builtin_popcount(a), NONZERO)
N64(s_bcnt1_i32_b64, __builtin_popcountll(a), NONZERO)
A32(s_ff0_i32_b32, ~a ? __builtin_ctz(~a) : -1, KEEP)
N64(s_ff0_i32_b64, ~a ? __builtin_ctzll(~a) : -1, KEEP)
A32(s_ff1_i32_b32, a ? __builtin_ctz(a) : -1, KEEP)
N64(s_ff1_i32_b64, a ? __builtin_ctzll(a) : -1, KEEP)
A32(s_flbit_i32_b32, a ? __builtin_clz(a) : -1, KEEP)
N64(s_flbit_i32_b64, a ? __builtin_clzll(a) : -1, KEEP)
A32(s_flbit_i32,
    (int32_t)a < 0 ? (~a ? __builtin_clz(~a) : -1)
                   : (a ? __builtin_clz(a) : -1),
    KEEP)
N64(s_flbit_i32_i64,
    (int64_t)a < 0 ? (~a ? __builtin_clzll(~a) : -1)
                   : (a ? __builtin_clzll(a) : -1),
    KEEP)
A32(s_sext_i32_i8, (int8_t)a, KEEP)
A32(s_sext_i32_i16, (int16_t)a, KEEP)
A32(s_abs_i32, (int32_t)a < 0 ? 0 - a : a, NONZERO)
A32(s_bitset0_b32, w->s[o->d] & ~(1u << (a & 31)), KEEP)
A32(s_bitset1_b32, w->s[o->d] | 1u << (a & 31), KEEP)

BODY(s_bitset0_b64)
{
  const uint64_t bit = (uint64_t)1 << (aq_wave_s32(w, o, 0) & 63);
  const uint64_t old = w->s[o->d] | (uint64_t)w->s[o->d + 1] << 32;
  aq_wave_put64(w, o->d, old & ~bit);
  return aq_wave_next(o);
}

BODY(s_bitset1_b64)
{
  const uint64_t bit = (uint64_t)1 << (aq_wave_s32(w, o, 0) & 63);
  const uint64_t old = w->s[o->d] | (uint64_t)w->s[o->d + 1] << 32;
  aq_wave_put64(w, o->d, old | bit);
  return aq_wave_next(o);
}

BODY(s_bitreplicate_b64_b32)
{
  aq_wave_put64(w, o->d, replicate(aq_wave_s32(w, o, 0)));
  return aq_wave_next(o);
}

/* EXEC becomes EXPR of the source a and itself, x; the old one is kept. */
#define SAVEEXEC(name, EXPR)                                                   \
  BODY(name)                                                                   \
  {                                                                            \
    const uint64_t a = aq_wave_s64(w, o, 0), x = AQ_WAVE_EXEC(w);              \
    const uint64_t r = EXPR;                                                   \
    aq_wave_put64(w, o->d, x);                                                 \
    AQ_WAVE_EXEC(w) = r;                                                       \
    w->scc = r != 0;                                                           \
    return aq_wave_next(o);                                                    \
  }
/* The new EXEC goes to the destination too. */
#define WREXEC(name, EXPR)                                                     \
  BODY(name)                                                                   \
  {                                                                            \
    const uint64_t a = aq_wave_s64(w, o, 0), x = AQ_WAVE_EXEC(w);              \
    const uint64_t r = EXPR;                                                   \
    aq_wave_put64(w, o->d, r);                                                 \
    AQ_WAVE_EXEC(w) = r;                                                       \
    w->scc = r != 0;                                                           \
    return aq_wave_next(o);                                                    \
  }
SAVEEXEC(s_and_saveexec_b64, a &x)
SAVEEXEC(s_or_saveexec_b64, a | x)
SAVEEXEC(s_xor_saveexec_b64, a ^ x)
SAVEEXEC(s_andn2_saveexec_b64, a & ~x)
SAVEEXEC(s_orn2_saveexec_b64, a | ~x)
SAVEEXEC(s_nand_saveexec_b64, ~(a &x))
SAVEEXEC(s_nor_saveexec_b64, ~(a | x))
SAVEEXEC(s_xnor_saveexec_b64, ~(a ^ x))
SAVEEXEC(s_andn1_saveexec_b64, ~a &x)
SAVEEXEC(s_orn1_saveexec_b64, ~a | x)
WREXEC(s_andn1_wrexec_b64, ~a &x)
WREXEC(s_andn2_wrexec_b64, a & ~x)

/* The same in waves of 32 lanes. */
#define EXEC32(name, EXPR, KEPT)                                               \
  BODY(name)                                                                   \
  {                                                                            \
    const uint32_t a = aq_wave_s32(w, o, 0), x = w->s[AQ_ISA_EXEC];            \
    const uint32_t r = EXPR;                                                   \
    w->s[o->d] = KEPT;                                                         \
    w->s[AQ_ISA_EXEC] = r;                                                     \
    w->scc = r != 0;                                                           \
    return aq_wave_next(o);                                                    \
  }
EXEC32(s_and_saveexec_b32, a &x, x)
EXEC32(s_or_saveexec_b32, a | x, x)
EXEC32(s_xor_saveexec_b32, a ^ x, x)
EXEC32(s_andn2_saveexec_b32, a & ~x, x)
EXEC32(s_orn2_saveexec_b32, a | ~x, x)
EXEC32(s_nand_saveexec_b32, ~(a &x), x)
EXEC32(s_nor_saveexec_b32, ~(a | x), x)
EXEC32(s_xnor_saveexec_b32, ~(a ^ x), x)
EXEC32(s_andn1_saveexec_b32, ~a &x, x)
EXEC32(s_orn1_saveexec_b32, ~a | x, x)
EXEC32(s_andn1_wrexec_b32, ~a &x, r)
EXEC32(s_andn2_wrexec_b32, a & ~x, r)

/* Register indices: M0 is added, in range of the register file. */
BODY(s_movrels_b32)
{
  w->s[o->d] = w->s[(o->r[0] + w->s[AQ_ISA_M0]) & 127];
  return aq_wave_next(o);
}

BODY(s_movreld_b32)
{
  w->s[(o->d + w->s[AQ_ISA_M0]) & 127] = aq_wave_s32(w, o, 0);
  return aq_wave_next(o);
}

BODY(s_movrels_b64)
{
  const unsigned from = (o->r[0] + w->s[AQ_ISA_M0]) & 126;
  aq_wave_put64(w, o->d, w->s[from] | (uint64_t)w->s[from + 1] << 32);
  return aq_wave_next(o);
}

BODY(s_movreld_b64)
{
  const unsigned to = (o->d + w->s[AQ_ISA_M0]) & 126;
  aq_wave_put64(w, (uint16_t)to, aq_wave_s64(w, o, 0));
  return aq_wave_next(o);
}

/* ---- comparisons ---- */

#define CMP32(name, T, OP)                                                     \
  BODY(name)                                                                   \
  {                                                                            \
    w->scc = (T)aq_wave_s32(w, o, 0) OP(T) aq_wave_s32(w, o, 1);               \
    return aq_wave_next(o);                                                    \
  }
#define CMP64(name, OP)                                                        \
  BODY(name)                                                                   \
  {                                                                            \
    w->scc = aq_wave_s64(w, o, 0) OP aq_wave_s64(w, o, 1);                     \
    return aq_wave_next(o);                                                    \
  }
/* With the immediate value, sign- or zero-extended as T says. */
#define CMPK(name, T, N, OP)                                                   \
  BODY(name)                                                                   \
  {                                                                            \
    w->scc = (T)w->s[o->d] OP(T)(N) o->imm;                                    \
    return aq_wave_next(o);                                                    \
  }
#define BIT(name, W, FETCH, WANT)                                              \
  BODY(name)                                                                   \
  {                                                                            \
    w->scc = (FETCH(w, o, 0) >> (aq_wave_s32(w, o, 1) & (W - 1)) & 1) == WANT; \
    return aq_wave_next(o);                                                    \
  }
CMP32(s_cmp_eq_i32, int32_t, ==)
CMP32(s_cmp_lg_i32, int32_t, !=)
CMP32(s_cmp_gt_i32, int32_t, >)
CMP32(s_cmp_ge_i32, int32_t, >=)
CMP32(s_cmp_lt_i32, int32_t, <)
CMP32(s_cmp_le_i32, int32_t, <=)
CMP32(s_cmp_eq_u32, uint32_t, ==)
CMP32(s_cmp_lg_u32, uint32_t, !=)
CMP32(s_cmp_gt_u32, uint32_t, >)
CMP32(s_cmp_ge_u32, uint32_t, >=)
CMP32(s_cmp_lt_u32, uint32_t, <)
CMP32(s_cmp_le_u32, uint32_t, <=)
CMP64(s_cmp_eq_u64, ==)
CMP64(s_cmp_lg_u64, !=)
CMPK(s_cmpk_eq_i32, int32_t, int16_t, ==)
CMPK(s_cmpk_lg_i32, int32_t, int16_t, !=)
CMPK(s_cmpk_gt_i32, int32_t, int16_t, >)
CMPK(s_cmpk_ge_i32, int32_t, int16_t, >=)
CMPK(s_cmpk_lt_i32, int32_t, int16_t, <)
CMPK(s_cmpk_le_i32, int32_t, int16_t, <=)
CMPK(s_cmpk_eq_u32, uint32_t, uint16_t, ==)
CMPK(s_cmpk_lg_u32, uint32_t, uint16_t, !=)
CMPK(s_cmpk_gt_u32, uint32_t, uint16_t, >)
CMPK(s_cmpk_ge_u32, uint32_t, uint16_t, >=)
CMPK(s_cmpk_lt_u32, uint32_t, uint16_t, <)
CMPK(s_cmpk_le_u32, uint32_t, uint16_t, <=)
BIT(s_bitcmp0_b32, 32, aq_wave_s32, 0)
BIT(s_bitcmp1_b32, 32, aq_wave_s32, 1)
BIT(s_bitcmp0_b64, 64, aq_wave_s64, 0)
BIT(s_bitcmp1_b64, 64, aq_wave_s64, 1)

BODY(s_movk_i32)
{
  w->s[o->d] = (uint32_t)(int16_t)o->imm;
  return aq_wave_next(o);
}

BODY(s_cmovk_i32)
{
  if (w->scc)
    w->s[o->d] = (uint32_t)(int16_t)o->imm;
  return aq_wave_next(o);
}

BODY(s_addk_i32)
{
  const uint32_t a = w->s[o->d], b = (uint32_t)(int16_t)o->imm, r = a + b;
  w->scc = (~(a ^ b) & (a ^ r)) >> 31;
  w->s[o->d] = r;
  return aq_wave_next(o);
}

BODY(s_mulk_i32)
{
  w->s[o->d] *= (uint32_t)(int16_t)o->imm;
  return aq_wave_next(o);
}

/* clang-format off */
#define H(name) {#name, name##_}
const aq_wave_semantics aq_wave_scalar[] = {
    H(s_add_u32), H(s_sub_u32), H(s_add_i32), H(s_sub_i32), H(s_addc_u32),
    H(s_subb_u32), H(s_min_i32), H(s_min_u32), H(s_max_i32), H(s_max_u32),
    H(s_cselect_b32), H(s_cselect_b64), H(s_and_b32), H(s_and_b64), H(s_or_b32),
    H(s_or_b64), H(s_xor_b32), H(s_xor_b64), H(s_andn2_b32), H(s_andn2_b64),
    H(s_orn2_b32), H(s_orn2_b64), H(s_nand_b32), H(s_nand_b64), H(s_nor_b32),
    H(s_nor_b64), H(s_xnor_b32), H(s_xnor_b64), H(s_lshl_b32), H(s_lshl_b64),
    H(s_lshr_b32), H(s_lshr_b64), H(s_ashr_i32), H(s_ashr_i64), H(s_bfm_b32),
    H(s_mul_i32), H(s_mul_hi_u32), H(s_mul_hi_i32), H(s_bfe_u32), H(s_bfe_i32),
    H(s_bfe_u64), H(s_bfe_i64), H(s_absdiff_i32), H(s_lshl1_add_u32),
    H(s_lshl2_add_u32), H(s_lshl3_add_u32), H(s_lshl4_add_u32),
    H(s_pack_ll_b32_b16), H(s_pack_lh_b32_b16), H(s_pack_hh_b32_b16), H(s_pack_hl_b32_b16), H(s_add_nc_u64),
    H(s_sub_nc_u64), H(s_mul_u64),
    H(s_bfm_b64), H(s_mov_b32), H(s_mov_b64), H(s_cmov_b32), H(s_cmov_b64),
    H(s_not_b32), H(s_not_b64), H(s_wqm_b32), H(s_wqm_b64), H(s_quadmask_b32),
    H(s_quadmask_b64), H(s_brev_b32), H(s_brev_b64), H(s_bcnt0_i32_b32),
    H(s_bcnt0_i32_b64), H(s_bcnt1_i32_b32), H(s_bcnt1_i32_b64),
    H(s_ff0_i32_b32), H(s_ff0_i32_b64), H(s_ff1_i32_b32), H(s_ff1_i32_b64),
    H(s_flbit_i32_b32), H(s_flbit_i32_b64), H(s_flbit_i32), H(s_flbit_i32_i64),
    H(s_sext_i32_i8), H(s_sext_i32_i16), H(s_abs_i32), H(s_bitset0_b32),
    H(s_bitset1_b32), H(s_bitset0_b64), H(s_bitset1_b64),
    H(s_bitreplicate_b64_b32), H(s_and_saveexec_b64), H(s_or_saveexec_b64),
    H(s_xor_saveexec_b64), H(s_andn2_saveexec_b64), H(s_orn2_saveexec_b64),
    H(s_nand_saveexec_b64), H(s_nor_saveexec_b64), H(s_xnor_saveexec_b64),
    H(s_andn1_saveexec_b64), H(s_orn1_saveexec_b64), H(s_andn1_wrexec_b64),
    H(s_andn2_wrexec_b64), H(s_movrels_b32), H(s_movreld_b32), H(s_movrels_b64),
    H(s_movreld_b64), H(s_cmp_eq_i32),
    H(s_cmp_lg_i32), H(s_cmp_gt_i32), H(s_cmp_ge_i32), H(s_cmp_lt_i32),
    H(s_cmp_le_i32), H(s_cmp_eq_u32), H(s_cmp_lg_u32), H(s_cmp_gt_u32),
    H(s_cmp_ge_u32), H(s_cmp_lt_u32), H(s_cmp_le_u32), H(s_cmp_eq_u64),
    H(s_cmp_lg_u64), H(s_cmpk_eq_i32), H(s_cmpk_lg_i32), H(s_cmpk_gt_i32),
    H(s_cmpk_ge_i32), H(s_cmpk_lt_i32), H(s_cmpk_le_i32), H(s_cmpk_eq_u32),
    H(s_cmpk_lg_u32), H(s_cmpk_gt_u32), H(s_cmpk_ge_u32), H(s_cmpk_lt_u32),
    H(s_cmpk_le_u32), H(s_bitcmp0_b32), H(s_bitcmp1_b32), H(s_bitcmp0_b64),
    H(s_bitcmp1_b64), H(s_movk_i32), H(s_cmovk_i32), H(s_addk_i32),
    H(s_mulk_i32), H(s_and_saveexec_b32), H(s_or_saveexec_b32),
    H(s_xor_saveexec_b32), H(s_andn2_saveexec_b32), H(s_orn2_saveexec_b32),
    H(s_nand_saveexec_b32), H(s_nor_saveexec_b32), H(s_xnor_saveexec_b32),
    H(s_andn1_saveexec_b32), H(s_orn1_saveexec_b32), H(s_andn1_wrexec_b32),
    H(s_andn2_wrexec_b32), {NULL, NULL}};
/* clang-format on */
