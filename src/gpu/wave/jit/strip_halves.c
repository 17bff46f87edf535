/* SPDX-License-Identifier: MIT */
/*
 * Rules of strips (strip.h): f16, one or two of a lane. They compute in f32 as
 * vector_packed.inc does: a sum or a product of two rounds to f16 as the exact
 * one; the sum of a product is made odd before, where it is inexact.
 *
 * Two of a lane stay where they are: the host widens four lanes at once, low
 * and high half of each. One of a lane is packed before, so that eight are
 * widened at once.
 *
 * NaNs are the handlers', and all MODEs but one (aq_strip_halves_prepare).
 */
#include "config.h"

#include <stddef.h>

#include "gpu/wave/core/operand_modifiers.h"
#include "gpu/wave/core/packed.h"
#include "gpu/wave/jit/strip.h"
#include "gpu/wave/jit/strip_avx.h"

enum {
  ADD = 0x58,
  MUL = 0x59,
  SUBTRACT = 0x5c,
  FMA = 0,
  MIN = 0xea,
  MAX = 0xee
};
/* `number` of a rule: the operation, */
enum { PACKED = 1 << 8, SWAPS = 1 << 9 /* the sources */ };

bool aq_strip_is_pair(const aq_strip_op *op)
{
  return op->rule->number & PACKED;
}

bool aq_strip_half_is_taken(const aq_strip_op *op, unsigned k, bool upper)
{
  const aq_wave_form_source *c = op->sources[k].change;
  if (k >= strlen(op->rule->sources))
    return false; /* the rest of the register that it writes */
  if (!aq_strip_is_pair(op))
    return !upper && (!c || (!c->up && !c->down && c->keep == UINT32_MAX));
  const aq_wave_select select =
      aq_wave_select_read(&op->o->decoded->inst, (int)k);
  return select.second[0] == upper || select.second[1] == upper;
}

/* MODE keeps denormals of f16 and rounds to nearest, as the thread does. */
void aq_strip_halves_prepare(aq_strip *s)
{
  enum { ROUND_AND_HALVES = 0xcf, KEPT = 0xc0 };
  aq_x86 *x = s->x;
  aq_x86_wave(x, 0x8b, AQ_RAX, false, (int32_t)offsetof(aq_wave, mode));
  aq_x86_number(x, 4, AQ_RAX, false, ROUND_AND_HALVES);
  aq_x86_number(x, 7, AQ_RAX, false, KEPT);
  aq_strip_leave_if(s, AQ_X86_NE);
}

/* ---- sources ---- */

/* The halves that an instruction of two takes, with their signs. */
static int pair_pick(aq_strip *s, const aq_strip_op *op, unsigned i, int from)
{
  const aq_wave_select select =
      aq_wave_select_read(&op->o->decoded->inst, (int)i);
  const uint32_t flip =
      (select.negative[0] ? 0x8000 : 0) | (select.negative[1] ? 0x80000000 : 0);
  const uint32_t low = select.second[0] ? 0x0302 : 0x0100,
                 high = select.second[1] ? 0x0302 : 0x0100;
  if (!select.second[0] && select.second[1] && !flip)
    return from;
  const int to = aq_strip_temporary(s);
  uint32_t order[8]; /* of bytes, in each half of the register */
  for (uint32_t k = 0; k < 8; k++)
    order[k] = (low | high << 16) + k % 4 * 0x04040404;
  avx_any(s, 0x200, to, from, aq_x86_constant(s->x, order));
  if (flip)
    avx_xor(s, to, to, avx_same(s, flip));
  return to;
}

/* Words that an instruction of two takes, or of one, whose upper halves are 0.
 */
static int source_pick(aq_strip *s, const aq_strip_op *op, unsigned i)
{
  const int from = aq_strip_source_register(s, op, i);
  if (aq_strip_is_pair(op))
    return pair_pick(s, op, i, from);
  const int to = op->sources[i].change ? from : aq_strip_temporary(s);
  avx_and(s, to, from, avx_same(s, 0xffff));
  return to;
}

/* The lower halves of words as f32. */
static void lower_widen(aq_strip *s, int to, int from)
{
  enum { EVEN = 0x08 };
  static const uint32_t lower[8] = {0x05040100, 0x0d0c0908, UINT32_MAX,
                                    UINT32_MAX, 0x05040100, 0x0d0c0908,
                                    UINT32_MAX, UINT32_MAX};
  avx_any(s, 0x200, to, from, aq_x86_constant(s->x, lower)); /* vpshufb */
  aq_x86_vex(s->x, 3, 1, true, 0x00, to, 0, aq_x86_ymm(to), true);
  aq_x86_byte(s->x, EVEN); /* vpermq */
  aq_x86_vex(s->x, 2, 1, false, 0x13, to, 0, aq_x86_ymm(to), false);
}

/* One half of each lane as f32: of a row's own, the form of it. */
static int half_register(aq_strip *s, const aq_strip_op *op, unsigned i)
{
  const aq_strip_source *source = &op->sources[i];
  const bool is_row = source->value < AQ_STRIP_SCALAR && !source->change;
  const unsigned form = AQ_STRIP_WIDE_HALVES + source->value;
  int to = is_row ? aq_strip_form_register(s, form) : -1;
  if (to >= 0)
    return to;
  const int from = aq_strip_source_register(s, op, i);
  to = is_row ? aq_strip_form_take(s, form) : aq_strip_temporary(s);
  lower_widen(s, to, from);
  aq_strip_unpin(s, from);
  return to;
}

/* Both halves of the four lower or upper lanes. */
static void widen(aq_strip *s, int to, int from, bool upper)
{
  if (upper) {
    avx_upper(s, to, from);
    from = to;
  }
  aq_x86_vex(s->x, 2, 1, false, 0x13, to, 0, aq_x86_ymm(from), false);
}

/* To nearest. */
static void narrow(aq_strip *s, int to, int from)
{
  aq_x86_vex(s->x, 3, 1, false, 0x1d, from, 0, aq_x86_ymm(to), true);
  aq_x86_byte(s->x, 0);
}

/* ---- results ---- */

/* Lanes with a NaN among their halves in `reg`. */
static void nans_find(aq_strip *s, const aq_strip_op *op, int reg)
{
  enum { SIGNS = 0x7fff7fff, INFINITE = 0x7c007c00 };
  avx_and(s, AQ_STRIP_T0, reg, avx_same(s, SIGNS));
  avx_any(s, 0x165, AQ_STRIP_T0, AQ_STRIP_T0,
          avx_same(s, aq_strip_is_pair(op) ? INFINITE : INFINITE & 0xffff));
  avx_shift(s, 6, AQ_STRIP_T1, AQ_STRIP_T0, 16); /* of low halves */
  avx_or(s, AQ_STRIP_T0, AQ_STRIP_T0, aq_x86_ymm(AQ_STRIP_T1));
  aq_strip_nans_mask(s, AQ_STRIP_T0);
}

/* T0 becomes T0 * T1 + T2: the sum moves to an odd number next to it, toward
 * the exact one, if it is even and inexact. `error` of infinities is a NaN,
 * which is no number above or below 0. a and b change. */
static void odd_sum(aq_strip *s, int a, int b)
{
  enum { LESS_OR_GREATER = 0x0c, SUB = SUBTRACT };
  avx_float(s, MUL, false, AQ_STRIP_T0, AQ_STRIP_T0, aq_x86_ymm(AQ_STRIP_T1));
  avx_float(s, ADD, false, AQ_STRIP_T1, AQ_STRIP_T0, aq_x86_ymm(AQ_STRIP_T2));
  avx_float(s, SUB, false, a, AQ_STRIP_T1, aq_x86_ymm(AQ_STRIP_T0));
  avx_float(s, SUB, false, b, AQ_STRIP_T1, aq_x86_ymm(a));
  avx_float(s, SUB, false, b, AQ_STRIP_T0, aq_x86_ymm(b));
  avx_float(s, SUB, false, a, AQ_STRIP_T2, aq_x86_ymm(a));
  avx_float(s, ADD, false, b, b, aq_x86_ymm(a)); /* the error */
  avx_xor(s, a, a, aq_x86_ymm(a));
  avx_compare(s, false, a, b, aq_x86_ymm(a), LESS_OR_GREATER);
  avx_xor(s, b, b, aq_x86_ymm(AQ_STRIP_T1));
  avx_shift(s, 4, b, b, 31);
  avx_or(s, b, b, avx_same(s, 1)); /* 1 away from 0, -1 toward it */
  avx_and(s, b, b, aq_x86_ymm(a));
  avx_shift(s, 6, a, AQ_STRIP_T1, 31);
  avx_shift(s, 4, a, a, 31);
  avx_andnot(s, b, a, aq_x86_ymm(b));
  avx_add(s, AQ_STRIP_T0, AQ_STRIP_T1, aq_x86_ymm(b));
}

/* r becomes T0 * T1 + T2, so that it rounds to f16 as the exact sum does. The
 * host's own sum, rounded to 24 bits, does not only where it lies in the middle
 * of two f16, or among the denormals, where those are apart otherwise. */
static void fused_sum(aq_strip *s, int r, int a, int b)
{
  enum {
    ADD_PRODUCT = 0xb8,
    REST = 0x1fff, /* bits that f16 has no room for */
    MIDDLE = 0x1000,
    LEAST = 0x38800000 /* that is no denormal of f16 */
  };
  aq_x86 *x = s->x;
  avx_load(s, r, aq_x86_ymm(AQ_STRIP_T2));
  aq_x86_vex(x, 2, 1, false, ADD_PRODUCT, r, AQ_STRIP_T0,
             aq_x86_ymm(AQ_STRIP_T1), false);
  avx_and(s, a, r, avx_same(s, INT32_MAX));
  avx_add(s, a, a, avx_same(s, UINT32_MAX)); /* 0 becomes the largest */
  avx_least(s, b, a, avx_same(s, LEAST - 2));
  avx_equal(s, b, b, a);
  avx_and(s, a, r, avx_same(s, REST));
  avx_any(s, 0x176, a, a, avx_same(s, MIDDLE));
  avx_or(s, b, b, aq_x86_ymm(a));
  aq_x86_vex(x, 1, 0, false, 0x50, AQ_RAX, 0, aq_x86_ymm(b), false);
  aq_x86_registers(x, 0x85, AQ_RAX, AQ_RAX, false);
  const uint32_t fine = aq_x86_jump_if(x, AQ_X86_E);
  odd_sum(s, a, b);
  avx_load(s, r, aq_x86_ymm(AQ_STRIP_T0));
  aq_x86_land_here(x, fine);
}

/* r becomes the result of f32 in T0 to T2, or T0 does. */
static void compute(aq_strip *s, unsigned code, int r, int a, int b)
{
  if (code == FMA)
    fused_sum(s, r, a, b);
  else
    avx_float(s, code, false, AQ_STRIP_T0, AQ_STRIP_T0,
              aq_x86_ymm(AQ_STRIP_T1));
}

static void arithmetic(aq_strip *s, const aq_strip_op *op)
{
  const unsigned code = op->rule->number & 0xff,
                 swaps = op->rule->number & SWAPS ? 1 : 0;
  const unsigned sources = code == FMA ? 3 : 2;
  const bool packed = aq_strip_is_pair(op);
  int from[3] = {0}, r = AQ_STRIP_T0, a = 0, b = 0;
  for (unsigned i = 0; i < sources; i++)
    from[i ^ swaps] = packed ? source_pick(s, op, i) : half_register(s, op, i);
  if (code == FMA) {
    r = aq_strip_temporary(s);
    a = aq_strip_temporary(s);
    b = aq_strip_temporary(s);
  }
  const int d = aq_strip_result(s, 0);
  for (int upper = 0; upper < (packed ? 2 : 1); upper++) {
    for (unsigned i = 0; i < sources; i++)
      if (packed)
        widen(s, AQ_STRIP_T0 + (int)i, from[i], upper);
      else
        avx_load(s, AQ_STRIP_T0 + (int)i, aq_x86_ymm(from[i]));
    compute(s, code, r, a, b);
    narrow(s, upper ? AQ_STRIP_T0 : d, r);
  }
  if (packed) {
    aq_x86_vex(s->x, 3, 1, false, 0x38, d, d, aq_x86_ymm(AQ_STRIP_T0), true);
    aq_x86_byte(s->x, 1); /* vinserti128 */
  } else {
    widen(s, AQ_STRIP_T2, d, false);
    aq_strip_form_make(s, op, 0, AQ_STRIP_WIDE_HALVES, AQ_STRIP_T2);
    aq_x86_vex(s->x, 2, 1, false, 0x33, d, 0, aq_x86_ymm(d), false);
  }
  if (op->looks)
    nans_find(s, op, d);
}

/* The order of the bits becomes the numbers', and back: -0 is below +0. */
static void key_make(aq_strip *s, int to, int from, int temporary)
{
  aq_x86_vex(s->x, 1, 1, false, 0x71, 4, temporary, aq_x86_ymm(from), true);
  aq_x86_byte(s->x, 15);
  aq_x86_vex(s->x, 1, 1, false, 0x71, 2, temporary, aq_x86_ymm(temporary),
             true);
  aq_x86_byte(s->x, 1);
  avx_xor(s, to, from, aq_x86_ymm(temporary));
}

static void extreme(aq_strip *s, const aq_strip_op *op)
{
  const int a = source_pick(s, op, 0), b = source_pick(s, op, 1),
            d = aq_strip_result(s, 0);
  nans_find(s, op, a);
  nans_find(s, op, b);
  key_make(s, AQ_STRIP_T0, a, AQ_STRIP_T2);
  key_make(s, AQ_STRIP_T1, b, AQ_STRIP_T2);
  avx_any(s, 0x100 | (op->rule->number & 0xff), AQ_STRIP_T0, AQ_STRIP_T0,
          aq_x86_ymm(AQ_STRIP_T1));
  key_make(s, d, AQ_STRIP_T0, AQ_STRIP_T2);
}

/* ---- conversions and mixed precision ---- */

static void to_f32(aq_strip *s, const aq_strip_op *op)
{
  const int a = half_register(s, op, 0);
  aq_strip_nans(s, a, a);
  avx_load(s, aq_strip_result(s, 0), aq_x86_ymm(a));
}

static void from_f32(aq_strip *s, const aq_strip_op *op)
{
  const int a = aq_strip_source_register(s, op, 0), d = aq_strip_result(s, 0);
  aq_strip_nans(s, a, a);
  narrow(s, d, a);
  aq_x86_vex(s->x, 2, 1, false, 0x33, d, 0, aq_x86_ymm(d), false);
}

/* A source of v_fma_mix_f32: f32, or where op_sel_hi is set the half that
 * op_sel names. */
static int mixed_register(aq_strip *s, const aq_strip_op *op, unsigned i)
{
  const aq_isa_inst *inst = &op->o->decoded->inst;
  unsigned signs = 0;
  for (unsigned k = 0; k < inst->operand_count; k++)
    if (inst->operands[k].role == (char)('A' + i))
      signs = inst->operands[k].modifiers;
  const int from = aq_strip_source_register(s, op, i);
  const bool half = inst->op_sel_hi >> i & 1;
  if (!half && !signs)
    return from;
  const int to = aq_strip_temporary(s);
  avx_load(s, to, aq_x86_ymm(from));
  if (half && inst->op_sel >> i & 1)
    avx_shift(s, 2, to, to, 16);
  if (half)
    lower_widen(s, to, to);
  if (signs & AQ_ISA_ABS)
    avx_and(s, to, to, avx_same(s, INT32_MAX));
  if (signs & AQ_ISA_NEG)
    avx_xor(s, to, to, avx_same(s, (uint32_t)INT32_MIN));
  return to;
}

static void fma_mix(aq_strip *s, const aq_strip_op *op)
{
  enum { ADD_PRODUCT = 0xb8 };
  int from[3];
  for (unsigned i = 0; i < 3; i++)
    from[i] = mixed_register(s, op, i);
  const int d = aq_strip_result(s, 0);
  avx_load(s, d, aq_x86_ymm(from[2]));
  aq_x86_vex(s->x, 2, 1, false, ADD_PRODUCT, d, from[0], aq_x86_ymm(from[1]),
             false);
  aq_strip_nans(s, d, d);
}

/* ---- the table ---- */

/* clang-format off */
const aq_strip_rule aq_strip_rules_halves[] = {
    {"v_add_f16", "u", "uu", arithmetic, ADD, AQ_STRIP_HALVES},
    {"v_sub_f16", "u", "uu", arithmetic, SUBTRACT, AQ_STRIP_HALVES},
    {"v_subrev_f16", "u", "uu", arithmetic, SUBTRACT | SWAPS, AQ_STRIP_HALVES},
    {"v_mul_f16", "u", "uu", arithmetic, MUL, AQ_STRIP_HALVES},
    {"v_fma_f16", "u", "uuu", arithmetic, FMA, AQ_STRIP_HALVES},
    {"v_min_f16", "u", "uu", extreme, MIN, AQ_STRIP_HALVES},
    {"v_max_f16", "u", "uu", extreme, MAX, AQ_STRIP_HALVES},
    {"v_pk_add_f16", "u", "uu", arithmetic, ADD | PACKED, AQ_STRIP_HALVES},
    {"v_pk_mul_f16", "u", "uu", arithmetic, MUL | PACKED, AQ_STRIP_HALVES},
    {"v_pk_fma_f16", "u", "uuu", arithmetic, FMA | PACKED, AQ_STRIP_HALVES},
    {"v_pk_min_f16", "u", "uu", extreme, MIN | PACKED, AQ_STRIP_HALVES},
    {"v_pk_max_f16", "u", "uu", extreme, MAX | PACKED, AQ_STRIP_HALVES},
    {"v_cvt_f32_f16", "u", "u", to_f32, 0, AQ_STRIP_MIXES},
    {"v_cvt_f16_f32", "u", "u", from_f32, 0, AQ_STRIP_MIXES},
    {"v_fma_mix_f32", "u", "uuu", fma_mix, 0, AQ_STRIP_MIXES},
    {NULL, NULL, NULL, NULL, 0, 0}};
/* clang-format on */
