/* SPDX-License-Identifier: MIT */
/*
 * Rules of strips (strip.h): f16, one or two of a lane. They compute in f32 as
 * vector_packed.inc does: a sum or a product of two rounds to f16 as the exact
 * one; the sum of a product is made odd before, where it is inexact.
 *
 * Two of a lane stay where they are: the host widens four lanes at once, low
 * and high half of each. One of a lane is packed before, so that eight are
 * widened at once, or comes from both halves that are f32 already. Rows stay in
 * these forms (AQ_STRIP_WIDE_HALVES, AQ_STRIP_FOURS) while registers last; a
 * result that the next instruction reads is widened from its f16.
 *
 * NaNs are the handlers', and all MODEs but one (aq_strip_halves_prepare).
 */
#include "config.h"

#include <stddef.h>

#include "gpu/wave/core/lanes.h"
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

/* Eight f16 as f32. */
static void eight_widen(aq_strip *s, int to, aq_x86_operand from)
{
  aq_x86_vex(s->x, 2, 1, false, 0x13, to, 0, from, false);
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
  eight_widen(s, to, aq_x86_ymm(to));
}

/* A constant as f32, by its lower and its upper half. */
static aq_x86_operand constant_widen(aq_strip *s, uint32_t number,
                                     aq_wave_select select)
{
  uint32_t words[8];
  for (unsigned i = 0; i < 8; i++) {
    const uint32_t half = number >> (select.second[i % 2] ? 16 : 0) & 0xffff;
    words[i] = lane_bits32(lane_f16((uint16_t)half)) ^
               (select.negative[i % 2] ? (uint32_t)INT32_MIN : 0);
  }
  return aq_x86_constant(s->x, words);
}

/* Whether a source is the lower or the upper half of a row's words. */
static bool is_half_of_row(const aq_strip_source *source, bool upper)
{
  const aq_wave_form_source *c = source->change;
  return source->value < AQ_STRIP_SCALAR &&
         (upper ? c && !c->up && c->down == 16 && !c->extends &&
                      c->keep == UINT32_MAX && !c->flip
                : !c);
}

/* Whether no other source of the instruction is the same value. */
static bool is_read_once(const aq_strip_op *op, unsigned i)
{
  unsigned count = 0;
  for (unsigned k = 0; k < op->source_count; k++)
    count += op->sources[k].value == op->sources[i].value;
  return count == 1;
}

/* One half of each lane as f32: of a row's own, the form of it. Rows that have
 * both halves as f32 need no conversion. */
static aq_x86_operand half_operand(aq_strip *s, const aq_strip_op *op,
                                   unsigned i)
{
  enum { SWAP_MIDDLE = 0xd8, SPREAD_HALF = 0x279 };
  const aq_strip_source *source = &op->sources[i];
  const bool low = is_half_of_row(source, false);
  const unsigned form = AQ_STRIP_WIDE_HALVES + source->value;
  uint32_t number;
  if (aq_strip_source_number(op, i, &number))
    return constant_widen(s, number, (aq_wave_select){.second = {false}});
  int to = low ? aq_strip_form_register(s, form) : -1;
  if (to >= 0)
    return aq_x86_ymm(to);
  int fours[2] = {-1, -1};
  for (unsigned k = 0; (low || is_half_of_row(source, true)) && k < 2; k++)
    fours[k] = aq_strip_form_register(s, AQ_STRIP_FOURS + source->value +
                                             k * AQ_WAVE_ROWS);
  const bool is_wide = fours[0] >= 0 && fours[1] >= 0,
             is_scalar = source->value >= AQ_STRIP_SCALAR && !source->change;
  const int from =
      is_wide || is_scalar ? -1 : aq_strip_source_register(s, op, i);
  to = low ? aq_strip_form_take(s, form) : aq_strip_temporary(s);
  if (is_wide) {
    avx_words_shuffle(s, to, fours[0], fours[1],
                      low ? AVX_LOW_WORDS : AVX_HIGH_WORDS);
    for (unsigned k = 0; k < 2 && is_read_once(op, i); k++)
      aq_strip_unpin(s, fours[k]);
    aq_x86_vex(s->x, 3, 1, true, 0x00, to, 0, aq_x86_ymm(to), true);
    aq_x86_byte(s->x, SWAP_MIDDLE); /* vpermq */
  } else if (is_scalar) {
    avx_any(s, SPREAD_HALF, to, 0,
            (aq_x86_operand){AQ_X86_WAVE, aq_strip_scalar_at(source->value -
                                                             AQ_STRIP_SCALAR)});
    eight_widen(s, to, aq_x86_ymm(to));
  } else {
    lower_widen(s, to, from);
    aq_strip_unpin(s, from);
  }
  return aq_x86_ymm(to);
}

/* Both halves of the first four lanes of a row as f32, or of the others. */
static int fours_register(aq_strip *s, unsigned row, unsigned others)
{
  const unsigned form = AQ_STRIP_FOURS + row + others * AQ_WAVE_ROWS;
  int to = aq_strip_form_register(s, form);
  if (to >= 0)
    return to;
  if (s->register_of[row] >= 0)
    aq_strip_value_register(s, row); /* it stays */
  to = aq_strip_form_take(s, form);
  aq_x86_operand from = aq_strip_row_operand(s, row);
  if (from.kind == AQ_X86_YMM) {
    aq_strip_unpin(s, from.at);
    if (others)
      avx_upper(s, to, from.at);
    from.at = others ? to : from.at;
  } else if (others) {
    from.at += 16; /* bytes */
  }
  eight_widen(s, to, from);
  return to;
}

/* The halves that an instruction of two takes, in their order, with their
 * signs; `from`: the register of both halves. */
static int fours_pick(aq_strip *s, aq_wave_select select, int from)
{
  enum { LOW = 0x12, HIGH = 0x16, SWAP = 0xb1 };
  const bool *second = select.second, *negative = select.negative;
  const uint32_t sign = (uint32_t)INT32_MIN;
  int now = from;
  if ((!second[0] && second[1]) && !negative[0] && !negative[1])
    return from;
  const int to = aq_strip_temporary(s);
  if (second[0] == second[1]) { /* vmovsldup, vmovshdup */
    aq_x86_vex(s->x, 1, 2, false, second[0] ? HIGH : LOW, to, 0,
               aq_x86_ymm(from), false);
    now = to;
  } else if (second[0]) { /* vpermilps */
    aq_x86_vex(s->x, 3, 1, false, 0x04, to, 0, aq_x86_ymm(from), true);
    aq_x86_byte(s->x, SWAP);
    now = to;
  }
  const uint32_t a = negative[0] ? sign : 0, b = negative[1] ? sign : 0,
                 flip[8] = {a, b, a, b, a, b, a, b};
  if (a | b)
    avx_xor(s, to, now, aq_x86_constant(s->x, flip));
  return to;
}

/* Both halves of each lane as f32: of the four first ones, and of the others.
 */
static void fours_operands(aq_strip *s, const aq_strip_op *op, unsigned i,
                           aq_x86_operand to[2])
{
  const unsigned value = op->sources[i].value;
  const aq_wave_select select =
      aq_wave_select_read(&op->o->decoded->inst, (int)i);
  uint32_t number;
  if (aq_strip_source_number(op, i, &number)) {
    to[0] = to[1] = constant_widen(s, number, select);
    return;
  }
  for (unsigned k = 0; k < 2; k++) {
    int from;
    if (value < AQ_STRIP_SCALAR) {
      from = fours_register(s, value, k);
    } else if (k == 0) {
      from = aq_strip_temporary(s);
      eight_widen(s, from, aq_x86_ymm(aq_strip_source_register(s, op, i)));
    } else {
      to[1] = to[0];
      return;
    }
    to[k] = aq_x86_ymm(fours_pick(s, select, from));
    if (to[k].at != from && is_read_once(op, i))
      aq_strip_unpin(s, from);
  }
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

/* Sources of f32 of up to three operands: eight lanes, or four and four. */
typedef struct wide_sources {
  aq_x86_operand of[2][3];
  unsigned parts;
  bool packed;
} wide_sources;

static int register_put(aq_strip *s, int to, aq_x86_operand from)
{
  avx_load(s, to, from);
  return to;
}

/* `to` becomes a * b + c as the host rounds it; T2 may change. */
static void host_sum(aq_strip *s, int to, const aq_x86_operand *of)
{
  enum { ADD_PRODUCT = 0xb8 };
  const unsigned first = of[0].kind != AQ_X86_YMM && of[1].kind == AQ_X86_YMM;
  const int a = of[first].kind == AQ_X86_YMM
                    ? of[first].at
                    : register_put(s, AQ_STRIP_T2, of[first]);
  avx_load(s, to, of[2]);
  aq_x86_vex(s->x, 2, 1, false, ADD_PRODUCT, to, a, of[!first], false);
}

/* The same, made odd: the sum moves to an odd number next to it, toward the
 * exact one, if it is even and inexact. `error` of infinities is a NaN, which
 * is no number above or below 0. T2 changes, and e and t. */
static void odd_sum(aq_strip *s, int to, const aq_x86_operand *of, int e, int t)
{
  enum { LESS_OR_GREATER = 0x0c, SUB = SUBTRACT };
  const int sum = AQ_STRIP_T2;
  avx_load(s, to, of[0]);
  avx_float(s, MUL, false, to, to, of[1]);
  avx_float(s, ADD, false, sum, to, of[2]);
  avx_float(s, SUB, false, t, sum, aq_x86_ymm(to));
  avx_float(s, SUB, false, e, sum, aq_x86_ymm(t));
  avx_float(s, SUB, false, e, to, aq_x86_ymm(e));
  avx_load(s, to, of[2]);
  avx_float(s, SUB, false, to, to, aq_x86_ymm(t));
  avx_float(s, ADD, false, e, e, aq_x86_ymm(to)); /* the error */
  avx_xor(s, t, t, aq_x86_ymm(t));
  avx_compare(s, false, t, e, aq_x86_ymm(t), LESS_OR_GREATER);
  avx_xor(s, e, e, aq_x86_ymm(sum));
  avx_shift(s, 4, e, e, 31);
  avx_or(s, e, e, avx_same(s, 1)); /* 1 away from 0, -1 toward it */
  avx_and(s, e, e, aq_x86_ymm(t));
  avx_shift(s, 6, t, sum, 31);
  avx_shift(s, 4, t, t, 31);
  avx_andnot(s, e, t, aq_x86_ymm(e));
  avx_add(s, to, sum, aq_x86_ymm(e));
}

/* The sums in T0 and T1 as f16 in d; of two a lane, T1 has the upper lanes. */
static void parts_narrow(aq_strip *s, const wide_sources *w, int d)
{
  narrow(s, d, AQ_STRIP_T0);
  if (!w->packed)
    return;
  narrow(s, AQ_STRIP_T1, AQ_STRIP_T1);
  aq_x86_vex(s->x, 3, 1, false, 0x38, d, d, aq_x86_ymm(AQ_STRIP_T1), true);
  aq_x86_byte(s->x, 1); /* vinserti128 */
}

/* d becomes a * b + c in f16, rounded once. The host's own sum, rounded to 24
 * bits, rounds to f16 as the exact one does, but where it lies in the middle of
 * two f16, or among the denormals, where those are apart otherwise: up to the
 * least number that is none. (Sums that become 0 are exact.) */
static void fused_sums(aq_strip *s, const wide_sources *w, int d)
{
  enum {
    REST = 0x1fff, /* bits that f16 has no room for */
    MIDDLE = 0x1000,
    SIGNS = 0x7fff7fff,
    LEAST = 0x0400,
    EQUAL = 0x175, /* of halves, */
    LESSER = 0x23a,
    ADD_HALVES = 0x1fd
  };
  aq_x86 *x = s->x;
  const int e = aq_strip_temporary(s);
  for (unsigned k = 0; k < w->parts; k++)
    host_sum(s, AQ_STRIP_T0 + (int)k, w->of[k]);
  for (unsigned k = 0; k < w->parts; k++) {
    const int to = k ? d : AQ_STRIP_T2;
    avx_and(s, to, AQ_STRIP_T0 + (int)k, avx_same(s, REST));
    avx_any(s, 0x176, to, to, avx_same(s, MIDDLE));
  }
  if (w->packed)
    avx_or(s, AQ_STRIP_T2, AQ_STRIP_T2, aq_x86_ymm(d));
  parts_narrow(s, w, d);
  avx_and(s, e, d, avx_same(s, SIGNS));
  avx_any(s, ADD_HALVES, e, e, avx_same(s, UINT32_MAX));
  avx_any(s, LESSER, AQ_STRIP_T0, e, avx_same(s, (LEAST - 1) * 0x10001u));
  avx_any(s, EQUAL, AQ_STRIP_T0, AQ_STRIP_T0, aq_x86_ymm(e));
  avx_or(s, AQ_STRIP_T2, AQ_STRIP_T2, aq_x86_ymm(AQ_STRIP_T0));
  avx_any(s, 0x1d7, AQ_RAX, 0, aq_x86_ymm(AQ_STRIP_T2)); /* vpmovmskb */
  aq_x86_registers(x, 0x85, AQ_RAX, AQ_RAX, false);
  const uint32_t fine = aq_x86_jump_if(x, AQ_X86_E);
  for (unsigned k = 0; k < w->parts; k++)
    odd_sum(s, AQ_STRIP_T0 + (int)k, w->of[k], e, d);
  parts_narrow(s, w, d);
  aq_x86_land_here(x, fine);
  aq_strip_unpin(s, e);
}

static void arithmetic(aq_strip *s, const aq_strip_op *op)
{
  const unsigned code = op->rule->number & 0xff,
                 swaps = op->rule->number & SWAPS ? 1 : 0;
  const unsigned sources = code == FMA ? 3 : 2;
  const bool packed = aq_strip_is_pair(op);
  wide_sources w = {.packed = packed, .parts = packed ? 2 : 1};
  for (unsigned i = 0; i < sources; i++)
    if (packed) {
      aq_x86_operand both[2];
      fours_operands(s, op, i, both);
      w.of[0][i ^ swaps] = both[0];
      w.of[1][i ^ swaps] = both[1];
    } else {
      w.of[0][i ^ swaps] = half_operand(s, op, i);
    }
  const int d = aq_strip_result(s, 0);
  for (unsigned k = 0; code != FMA && k < w.parts; k++) {
    const int to = AQ_STRIP_T0 + (int)k;
    const aq_x86_operand *of = w.of[k];
    avx_float(s, code, false, to,
              of[0].kind == AQ_X86_YMM ? of[0].at : register_put(s, to, of[0]),
              of[1]);
  }
  if (code == FMA)
    fused_sums(s, &w, d);
  else
    parts_narrow(s, &w, d);
  for (unsigned k = 0; k < w.parts; k++) {
    const int form = aq_strip_form_make(
        s, op, k,
        packed ? AQ_STRIP_FOURS + k * AQ_WAVE_ROWS : AQ_STRIP_WIDE_HALVES, -1);
    if (form >= 0)
      eight_widen(s, form, aq_x86_ymm(k ? AQ_STRIP_T1 : d));
  }
  if (!packed)
    aq_x86_vex(s->x, 2, 1, false, 0x33, d, 0, aq_x86_ymm(d), false);
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
  const aq_x86_operand from = half_operand(s, op, 0);
  const int d = aq_strip_result(s, 0);
  avx_load(s, d, from);
  aq_strip_nans(s, d, d);
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
