/* SPDX-License-Identifier: MIT */
/*
 * Rules of strips (strip.h): floats. The thread computes with the wave's MODE,
 * and each rule computes what its line of vector.def says, with the same
 * operations of the host; NaNs are the handlers'.
 */
#include "config.h"

#include "gpu/wave/core/operand_modifiers.h"
#include "gpu/wave/jit/strip.h"
#include "gpu/wave/jit/strip_avx.h"

/* ---- f32 ---- */

static void plain2(aq_strip *s, const aq_strip_op *op)
{
  const int a = aq_strip_source_register(s, op, 0);
  const aq_x86_operand b = aq_strip_source_operand(s, op, 1);
  aq_strip_read(s, op);
  avx_float(s, op->rule->number, false, aq_strip_result(s, 0), a, b);
}

static void subrev(aq_strip *s, const aq_strip_op *op)
{
  const int b = aq_strip_source_register(s, op, 1);
  const aq_x86_operand a = aq_strip_source_operand(s, op, 0);
  aq_strip_read(s, op);
  avx_float(s, 0x5c, false, aq_strip_result(s, 0), b, a);
}

static void fma32(aq_strip *s, const aq_strip_op *op)
{
  const int a = aq_strip_source_register(s, op, 0),
            b = aq_strip_source_register(s, op, 1);
  const aq_x86_operand c = aq_strip_source_operand(s, op, 2);
  aq_strip_read(s, op);
  const int d = aq_strip_result(s, 0);
  enum { MULTIPLY_BY = 0xa8, ADD_PRODUCT = 0xb8 };
  if (d == a || d == b) {
    aq_x86_vex(s->x, 2, 1, false, MULTIPLY_BY, d, d == a ? b : a, c, false);
    return;
  }
  avx_load(s, d, c);
  aq_x86_vex(s->x, 2, 1, false, ADD_PRODUCT, d, a, aq_x86_ymm(b), false);
}

static void rcp(aq_strip *s, const aq_strip_op *op)
{
  const aq_x86_operand a = aq_strip_source_operand(s, op, 0);
  avx_load(s, AQ_STRIP_T0, avx_same(s, 0x3f800000));
  aq_strip_read(s, op);
  avx_float(s, 0x5e, false, aq_strip_result(s, 0), AQ_STRIP_T0, a);
}

static void sqrt32(aq_strip *s, const aq_strip_op *op)
{
  const aq_x86_operand a = aq_strip_source_operand(s, op, 0);
  aq_strip_read(s, op);
  avx_float(s, 0x51, false, aq_strip_result(s, 0), 0, a);
}

/* `number`: how the host rounds. The sign is the source's. */
static void integral(aq_strip *s, const aq_strip_op *op)
{
  const int a = aq_strip_source_register(s, op, 0);
  aq_x86_vex(s->x, 3, 1, false, 0x08, AQ_STRIP_T0, 0, aq_x86_ymm(a), true);
  aq_x86_byte(s->x, op->rule->number);
  avx_and(s, AQ_STRIP_T0, AQ_STRIP_T0, avx_same(s, 0x7fffffff));
  avx_and(s, AQ_STRIP_T1, a, avx_same(s, 0x80000000));
  aq_strip_read(s, op);
  avx_or(s, aq_strip_result(s, 0), AQ_STRIP_T0, aq_x86_ymm(AQ_STRIP_T1));
}

static void fract(aq_strip *s, const aq_strip_op *op)
{
  const int a = aq_strip_source_register(s, op, 0);
  aq_x86_vex(s->x, 3, 1, false, 0x08, AQ_STRIP_T0, 0, aq_x86_ymm(a), true);
  aq_x86_byte(s->x, 9);
  avx_float(s, 0x5c, false, AQ_STRIP_T0, a, aq_x86_ymm(AQ_STRIP_T0));
  avx_load(s, AQ_STRIP_T1, avx_same(s, 0x3f7fffff));
  aq_strip_read(s, op);
  avx_float(s, 0x5d, false, aq_strip_result(s, 0), AQ_STRIP_T1,
            aq_x86_ymm(AQ_STRIP_T0));
}

/* The least of a and b in T0, or the most: -0 is below +0. T1 and T2 change. */
static void least(aq_strip *s, bool most, int a, int b)
{
  const unsigned less = 0x11;
  avx_compare(s, false, AQ_STRIP_T1, a, aq_x86_ymm(b), less);
  avx_compare(s, false, AQ_STRIP_T2, b, aq_x86_ymm(a), less);
  avx_any(s, most ? 0x1db : 0x1eb, AQ_STRIP_T0, a, aq_x86_ymm(b));
  avx_pick(s, AQ_STRIP_T0, AQ_STRIP_T0, aq_x86_ymm(most ? a : b), AQ_STRIP_T2);
  avx_pick(s, AQ_STRIP_T0, AQ_STRIP_T0, aq_x86_ymm(most ? b : a), AQ_STRIP_T1);
}

/* `number`: 1: the most. */
static void minimum(aq_strip *s, const aq_strip_op *op)
{
  const int a = aq_strip_source_register(s, op, 0),
            b = aq_strip_source_register(s, op, 1);
  aq_strip_nans(s, a, b);
  least(s, op->rule->number, a, b);
  aq_strip_read(s, op);
  avx_load(s, aq_strip_result(s, 0), aq_x86_ymm(AQ_STRIP_T0));
}

/* Bit 0: of the first two, bit 1: of that and the third. */
static void minimum3(aq_strip *s, const aq_strip_op *op)
{
  const int a = aq_strip_source_register(s, op, 0),
            b = aq_strip_source_register(s, op, 1),
            c = aq_strip_source_register(s, op, 2), d = aq_strip_result(s, 0);
  aq_strip_nans(s, a, b);
  aq_strip_nans(s, c, c);
  least(s, op->rule->number & 1, a, b);
  avx_load(s, d, aq_x86_ymm(AQ_STRIP_T0));
  least(s, op->rule->number & 2, d, c);
  avx_load(s, d, aq_x86_ymm(AQ_STRIP_T0));
}

/* `number`: the host's comparison. */
static void compare(aq_strip *s, const aq_strip_op *op)
{
  const int a = aq_strip_source_register(s, op, 0);
  const aq_x86_operand b = aq_strip_source_operand(s, op, 1);
  const int m = aq_strip_result(s, 0);
  avx_compare(s, false, m, a, b, op->rule->number);
  aq_strip_mask(s, op, 0, m);
}

/* ---- conversions ---- */

static void from_i32(aq_strip *s, const aq_strip_op *op)
{
  const aq_x86_operand a = aq_strip_source_operand(s, op, 0);
  aq_strip_read(s, op);
  avx_float(s, 0x5b, false, aq_strip_result(s, 0), 0, a);
}

/* Byte `number` of the word. */
static void from_byte(aq_strip *s, const aq_strip_op *op)
{
  const int a = aq_strip_source_register(s, op, 0);
  avx_shift(s, 2, AQ_STRIP_T0, a, 8 * op->rule->number);
  avx_and(s, AQ_STRIP_T0, AQ_STRIP_T0, avx_same(s, 0xff));
  aq_strip_read(s, op);
  avx_float(s, 0x5b, false, aq_strip_result(s, 0), 0, aq_x86_ymm(AQ_STRIP_T0));
}

/* Halves are exact, and so is the upper one's product: one sum rounds. */
static void from_u32(aq_strip *s, const aq_strip_op *op)
{
  const int a = aq_strip_source_register(s, op, 0);
  avx_shift(s, 2, AQ_STRIP_T0, a, 16);
  avx_and(s, AQ_STRIP_T1, a, avx_same(s, 0xffff));
  avx_float(s, 0x5b, false, AQ_STRIP_T0, 0, aq_x86_ymm(AQ_STRIP_T0));
  avx_float(s, 0x5b, false, AQ_STRIP_T1, 0, aq_x86_ymm(AQ_STRIP_T1));
  avx_float(s, 0x59, false, AQ_STRIP_T0, AQ_STRIP_T0, avx_same(s, 0x47800000));
  aq_strip_read(s, op);
  avx_float(s, 0x58, false, aq_strip_result(s, 0), AQ_STRIP_T0,
            aq_x86_ymm(AQ_STRIP_T1));
}

/* To the integer towards 0; 0x80000000 where there is none. */
static void truncate(aq_strip *s, int to, int from)
{
  aq_x86_vex(s->x, 1, 2, false, 0x5b, to, 0, aq_x86_ymm(from), false);
}

static void to_i32(aq_strip *s, const aq_strip_op *op)
{
  enum { LESS_OR_EQUAL = 0x12, ORDERED = 7 };
  const int a = aq_strip_source_register(s, op, 0), d = aq_strip_result(s, 0);
  truncate(s, AQ_STRIP_T0, a);
  avx_load(s, AQ_STRIP_T1, avx_same(s, 0x4f000000));
  avx_compare(s, false, AQ_STRIP_T1, AQ_STRIP_T1, aq_x86_ymm(a), LESS_OR_EQUAL);
  avx_xor(s, AQ_STRIP_T0, AQ_STRIP_T0, aq_x86_ymm(AQ_STRIP_T1));
  avx_compare(s, false, AQ_STRIP_T1, a, aq_x86_ymm(a), ORDERED);
  avx_and(s, d, AQ_STRIP_T0, aq_x86_ymm(AQ_STRIP_T1));
}

static void to_u32(aq_strip *s, const aq_strip_op *op)
{
  enum { LESS_OR_EQUAL = 0x12, POWER_31 = 0x4f000000, POWER_32 = 0x4f800000 };
  const int a = aq_strip_source_register(s, op, 0), d = aq_strip_result(s, 0);
  avx_xor(s, AQ_STRIP_T1, AQ_STRIP_T1, aq_x86_ymm(AQ_STRIP_T1));
  avx_float(s, 0x5f, false, AQ_STRIP_T0, a, aq_x86_ymm(AQ_STRIP_T1)); /* max */
  avx_float(s, 0x5c, false, AQ_STRIP_T1, AQ_STRIP_T0, avx_same(s, POWER_31));
  avx_load(s, AQ_STRIP_T2, avx_same(s, POWER_32));
  avx_compare(s, false, AQ_STRIP_T2, AQ_STRIP_T2, aq_x86_ymm(AQ_STRIP_T0),
              LESS_OR_EQUAL);
  truncate(s, AQ_STRIP_T0, AQ_STRIP_T0);
  truncate(s, AQ_STRIP_T1, AQ_STRIP_T1);
  avx_shift(s, 4, d, AQ_STRIP_T0, 31);
  avx_and(s, d, d, aq_x86_ymm(AQ_STRIP_T1));
  avx_or(s, d, d, aq_x86_ymm(AQ_STRIP_T0));
  avx_or(s, d, d, aq_x86_ymm(AQ_STRIP_T2));
}

/* ---- f64: lanes 0, 1, 4, 5, and the others ---- */

static void join(aq_strip *s, bool others, int to, int low, aq_x86_operand high)
{
  avx_float(s, others ? 0x15 : 0x14, false, to, low, high);
}

/* Whether words k and k + 1 of the sources are a row and the next, with no more
 * than a change of the sign. */
static bool is_pair(const aq_strip_op *op, unsigned k)
{
  const struct aq_wave_form_source *c = op->sources[k + 1].change;
  return op->sources[k].value < AQ_STRIP_SCALAR && (!c || (!c->up && !c->down));
}

/* The sign of pairs changes as that of their upper words. */
static int pair_change(aq_strip *s, const struct aq_wave_form_source *c,
                       int from)
{
  uint32_t keep[8], flip[8];
  const int to = aq_strip_temporary(s);
  for (unsigned i = 0; i < 8; i++) {
    keep[i] = i % 2 ? c->keep : UINT32_MAX;
    flip[i] = i % 2 ? c->flip : 0;
  }
  avx_and(s, to, from, aq_x86_constant(s->x, keep));
  avx_xor(s, to, to, aq_x86_constant(s->x, flip));
  return to;
}

static unsigned pair_form(bool others)
{
  return others ? AQ_STRIP_OTHER_PAIRS : AQ_STRIP_PAIRS;
}

/* The f64 of words k and k + 1 of the sources, which may be constants. */
static aq_x86_operand pair_operand(aq_strip *s, const aq_strip_op *op,
                                   unsigned k, bool others)
{
  uint32_t words[8];
  if (aq_strip_source_number(op, k, &words[0]) &&
      aq_strip_source_number(op, k + 1, &words[1])) {
    for (unsigned i = 2; i < 8; i++)
      words[i] = words[i % 2];
    return aq_x86_constant(s->x, words);
  }
  const bool is_row = is_pair(op, k);
  const struct aq_wave_form_source *change = op->sources[k + 1].change;
  const unsigned first = op->sources[k].value, form = first + pair_form(others);
  int reg = is_row ? aq_strip_form_register(s, form) : -1;
  if (reg < 0 && is_row) {
    const int low = aq_strip_value_register(s, first);
    if (s->register_of[first + 1] >= 0)
      aq_strip_value_register(s, first + 1); /* it stays */
    reg = aq_strip_form_take(s, form);
    const aq_x86_operand high = aq_strip_row_operand(s, first + 1);
    join(s, others, reg, low, high);
    aq_strip_unpin(s, low);
    if (high.kind == AQ_X86_YMM)
      aq_strip_unpin(s, high.at);
  } else if (reg < 0) {
    const int low = aq_strip_source_register(s, op, k),
              high = aq_strip_source_register(s, op, k + 1);
    reg = aq_strip_temporary(s);
    join(s, others, reg, low, aq_x86_ymm(high));
    aq_strip_unpin(s, low);
    aq_strip_unpin(s, high);
  }
  return aq_x86_ymm(is_row && change ? pair_change(s, change, reg) : reg);
}

static int pair_register(aq_strip *s, const aq_strip_op *op, unsigned k,
                         bool others)
{
  const aq_x86_operand from = pair_operand(s, op, k, others);
  if (from.kind == AQ_X86_YMM)
    return from.at;
  const int to = aq_strip_temporary(s);
  avx_load(s, to, from);
  return to;
}

/* A register for the numbers of a result: where its next reader looks for them,
 * or T0 or T1. `had`: one that they may take over, or -1. */
static int pair_result(aq_strip *s, const aq_strip_op *op, bool others, int had)
{
  const int form = aq_strip_form_make(s, op, others, pair_form(others), had);
  return form >= 0 ? form : AQ_STRIP_T0 + others;
}

/* Looks for NaNs where no other f64 finds them, and parts the numbers in two
 * registers into words. */
static void part(aq_strip *s, const aq_strip_op *op, const int from[2])
{
  enum { UNORDERED = 3 };
  if (op->looks) {
    const int other = aq_strip_temporary(s);
    avx_compare(s, true, AQ_STRIP_T2, from[0], aq_x86_ymm(from[0]), UNORDERED);
    avx_compare(s, true, other, from[1], aq_x86_ymm(from[1]), UNORDERED);
    avx_words_shuffle(s, AQ_STRIP_T2, AQ_STRIP_T2, other, AVX_HIGH_WORDS);
    aq_strip_nans_mask(s, AQ_STRIP_T2);
  }
  aq_strip_read(s, op);
  const int d = aq_strip_result(s, 0), e = aq_strip_result(s, 1);
  avx_words_shuffle(s, d, from[0], from[1], AVX_LOW_WORDS);
  avx_words_shuffle(s, e, from[0], from[1], AVX_HIGH_WORDS);
}

static void plain64(aq_strip *s, const aq_strip_op *op)
{
  int r[2];
  for (int i = 0; i < 2; i++) {
    const int a = pair_register(s, op, 0, i);
    const aq_x86_operand b = pair_operand(s, op, 2, i);
    r[i] = pair_result(s, op, i, -1);
    avx_float(s, op->rule->number, true, r[i], a, b);
    aq_strip_sources_unpin(s);
  }
  part(s, op, r);
}

/* The sum is written over the third source's form, if nothing reads that any
 * more. */
static void fma64(aq_strip *s, const aq_strip_op *op)
{
  enum { ADD_PRODUCT = 0xb8 };
  int r[2];
  for (int i = 0; i < 2; i++) {
    const int a = pair_register(s, op, 0, i), b = pair_register(s, op, 2, i);
    const aq_x86_operand c = pair_operand(s, op, 4, i);
    const bool ends = c.kind == AQ_X86_YMM && is_pair(op, 4) &&
                      !op->sources[5].change &&
                      aq_strip_form_ends(s, op, 4, pair_form(i));
    r[i] = pair_result(s, op, i, ends ? c.at : -1);
    avx_load(s, r[i], c);
    aq_x86_vex(s->x, 2, 1, true, ADD_PRODUCT, r[i], a, aq_x86_ymm(b), false);
    aq_strip_sources_unpin(s);
  }
  part(s, op, r);
}

/* `number`: the prefix of the host's conversion, opcode in bits 8 to 15. */
static void to_f64(aq_strip *s, const aq_strip_op *op)
{
  enum { SWAP_MIDDLE = 0xd8 };
  const unsigned prefix = op->rule->number & 3, code = op->rule->number >> 8;
  const int a = aq_strip_source_register(s, op, 0);
  aq_x86_vex(s->x, 3, 1, true, 0x00, AQ_STRIP_T0, 0, aq_x86_ymm(a), true);
  aq_x86_byte(s->x, SWAP_MIDDLE); /* vpermq */
  avx_upper(s, AQ_STRIP_T1, AQ_STRIP_T0);
  int r[2];
  for (int i = 0; i < 2; i++) {
    r[i] = pair_result(s, op, i, -1);
    aq_x86_vex(s->x, 1, prefix, false, code, r[i], 0,
               aq_x86_ymm(AQ_STRIP_T0 + i), false);
  }
  part(s, op, r);
}

static void to_f32(aq_strip *s, const aq_strip_op *op)
{
  for (int i = 0; i < 2; i++) {
    const int a = pair_register(s, op, 0, i);
    aq_x86_vex(s->x, 1, 1, false, 0x5a, AQ_STRIP_T0 + i, 0, aq_x86_ymm(a),
               false);
  }
  aq_strip_read(s, op);
  const int d = aq_strip_result(s, 0);
  avx_any(s, 0x16c, AQ_STRIP_T2, AQ_STRIP_T0, aq_x86_ymm(AQ_STRIP_T1));
  avx_any(s, 0x16d, AQ_STRIP_T0, AQ_STRIP_T0, aq_x86_ymm(AQ_STRIP_T1));
  aq_x86_vex(s->x, 3, 1, false, 0x38, d, AQ_STRIP_T2, aq_x86_ymm(AQ_STRIP_T0),
             true);
  aq_x86_byte(s->x, 1);
}

/* ---- the table ---- */

#define COMPARE(name, how)                                                     \
  {                                                                            \
    "v_cmp_" name "_f32", "m", "uu", compare, how, 0                           \
  }

/* clang-format off */
const aq_strip_rule aq_strip_rules_floats[] = {
    {"v_add_f32", "u", "uu", plain2, 0x58, AQ_STRIP_CHAINS},
    {"v_sub_f32", "u", "uu", plain2, 0x5c, AQ_STRIP_CHAINS},
    {"v_subrev_f32", "u", "uu", subrev, 0, AQ_STRIP_CHAINS},
    {"v_mul_f32", "u", "uu", plain2, 0x59, AQ_STRIP_CHAINS},
    {"v_fma_f32", "u", "uuu", fma32, 0, AQ_STRIP_CHAINS},
    {"v_rcp_f32", "u", "u", rcp, 0, AQ_STRIP_CHAINS},
    {"v_sqrt_f32", "u", "u", sqrt32, 0, AQ_STRIP_CHAINS},
    {"v_trunc_f32", "u", "u", integral, 11, AQ_STRIP_CHAINS},
    {"v_ceil_f32", "u", "u", integral, 10, AQ_STRIP_CHAINS},
    {"v_floor_f32", "u", "u", integral, 9, AQ_STRIP_CHAINS},
    {"v_fract_f32", "u", "u", fract, 0, AQ_STRIP_CHAINS},
    {"v_min_f32", "u", "uu", minimum, 0, AQ_STRIP_LOOKS},
    {"v_max_f32", "u", "uu", minimum, 1, AQ_STRIP_LOOKS},
    {"v_min3_f32", "u", "uuu", minimum3, 0, AQ_STRIP_LOOKS},
    {"v_max3_f32", "u", "uuu", minimum3, 3, AQ_STRIP_LOOKS},
    {"v_maxmin_f32", "u", "uuu", minimum3, 1, AQ_STRIP_LOOKS},
    {"v_minmax_f32", "u", "uuu", minimum3, 2, AQ_STRIP_LOOKS},
    {"v_min_num_f32", "u", "uu", minimum, 0, AQ_STRIP_LOOKS},
    {"v_max_num_f32", "u", "uu", minimum, 1, AQ_STRIP_LOOKS},
    {"v_cvt_f32_i32", "u", "u", from_i32, 0, 0},
    {"v_cvt_f32_u32", "u", "u", from_u32, 0, 0},
    {"v_cvt_f32_ubyte0", "u", "u", from_byte, 0, 0},
    {"v_cvt_f32_ubyte1", "u", "u", from_byte, 1, 0},
    {"v_cvt_f32_ubyte2", "u", "u", from_byte, 2, 0},
    {"v_cvt_f32_ubyte3", "u", "u", from_byte, 3, 0},
    {"v_cvt_i32_f32", "u", "u", to_i32, 0, 0},
    {"v_cvt_u32_f32", "u", "u", to_u32, 0, 0},
    {"v_add_f64", "U", "UU", plain64, 0x58, AQ_STRIP_WIDE},
    {"v_mul_f64", "U", "UU", plain64, 0x59, AQ_STRIP_WIDE},
    {"v_fma_f64", "U", "UUU", fma64, 0, AQ_STRIP_WIDE},
    {"v_cvt_f64_f32", "U", "u", to_f64, 0x5a00, AQ_STRIP_WIDE},
    {"v_cvt_f64_i32", "U", "u", to_f64, 0xe602, 0},
    {"v_cvt_f32_f64", "u", "U", to_f32, 0, 0},
    COMPARE("lt", 0x11), COMPARE("eq", 0x00), COMPARE("le", 0x12),
    COMPARE("gt", 0x1e), COMPARE("lg", 0x0c), COMPARE("ge", 0x1d),
    COMPARE("o", 0x07), COMPARE("u", 0x03), COMPARE("nge", 0x19),
    COMPARE("nlg", 0x08), COMPARE("ngt", 0x1a), COMPARE("nle", 0x16),
    COMPARE("neq", 0x04), COMPARE("nlt", 0x15),
    {NULL, NULL, NULL, NULL, 0, 0}};
/* clang-format on */
