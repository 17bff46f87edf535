/* SPDX-License-Identifier: MIT */
/*
 * Rules of strips (strip.h): the steps of divisions of f32 whose inverse and
 * quotient are normal, as in vector_division.inc. A strip with another division
 * is left to the handlers.
 */
#include "config.h"

#include "gpu/wave/jit/strip.h"
#include "gpu/wave/jit/strip_avx.h"

/* `bad` gets bits in lanes where `from` + `add` is above `most`, unsigned; T2
 * changes. */
static void range_test(aq_strip *s, int bad, int from, int32_t add,
                       uint32_t most)
{
  const int to = aq_strip_temporary(s);
  avx_add(s, AQ_STRIP_T2, from, avx_same(s, (uint32_t)add));
  avx_least(s, to, AQ_STRIP_T2, avx_same(s, most));
  avx_xor(s, to, to, aq_x86_ymm(AQ_STRIP_T2));
  avx_or(s, bad, bad, aq_x86_ymm(to));
  aq_strip_unpin(s, to);
}

static void exponent_take(aq_strip *s, int to, int from)
{
  avx_shift(s, 6, to, from, 1);
  avx_shift(s, 2, to, to, 24);
}

/* Least and most of the exponents of a divisor and a dividend, and of the
 * distance from one to the other. */
typedef struct limits {
  int32_t divisor[2], dividend[2], apart[2];
} limits;

/* `bad` gets bits where the exponents of b and c exceed their limits; T0 to T2
 * change. */
static void exponents_test(aq_strip *s, int bad, int b, int c, const limits *l)
{
  exponent_take(s, AQ_STRIP_T0, b);
  exponent_take(s, AQ_STRIP_T1, c);
  range_test(s, bad, AQ_STRIP_T0, -l->divisor[0],
             (uint32_t)(l->divisor[1] - l->divisor[0]));
  range_test(s, bad, AQ_STRIP_T1, -l->dividend[0],
             (uint32_t)(l->dividend[1] - l->dividend[0]));
  avx_sub(s, AQ_STRIP_T0, AQ_STRIP_T1, aq_x86_ymm(AQ_STRIP_T0));
  range_test(s, bad, AQ_STRIP_T0, -l->apart[0],
             (uint32_t)(l->apart[1] - l->apart[0]));
}

/* Lanes with bits in `bad` go to the handlers. */
static void bad_leave(aq_strip *s, int bad)
{
  avx_xor(s, AQ_STRIP_T0, AQ_STRIP_T0, aq_x86_ymm(AQ_STRIP_T0));
  avx_equal(s, AQ_STRIP_T0, AQ_STRIP_T0, bad);
  avx_xor(s, AQ_STRIP_T0, AQ_STRIP_T0, avx_same(s, UINT32_MAX));
  aq_strip_nans_mask(s, AQ_STRIP_T0);
}

/* Nothing is scaled: no lane is in the mask. */
static void scale(aq_strip *s, const aq_strip_op *op)
{
  static const limits normal = {{1, 252}, {24, 254}, {-125, 95}};
  const int a = aq_strip_source_register(s, op, 0),
            b = aq_strip_source_register(s, op, 1),
            c = aq_strip_source_register(s, op, 2), bad = aq_strip_temporary(s);
  avx_xor(s, bad, bad, aq_x86_ymm(bad));
  exponents_test(s, bad, b, c, &normal);
  bad_leave(s, bad);
  const int d = aq_strip_result(s, 0), m = aq_strip_result(s, 1);
  avx_load(s, d, aq_x86_ymm(a));
  if (aq_strip_is_dead(op, 1))
    return;
  avx_xor(s, m, m, aq_x86_ymm(m));
  aq_strip_mask(s, op, 1, m);
}

/* Of lanes that were not scaled. */
static void fmas(aq_strip *s, const aq_strip_op *op)
{
  enum { ADD_PRODUCT = 0xb8 };
  const int a = aq_strip_source_register(s, op, 0),
            b = aq_strip_source_register(s, op, 1),
            c = aq_strip_source_register(s, op, 2);
  aq_strip_nans_mask(s, aq_strip_source_register(s, op, 3));
  const int d = aq_strip_result(s, 0);
  avx_load(s, d, aq_x86_ymm(c));
  aq_x86_vex(s->x, 2, 1, false, ADD_PRODUCT, d, a, aq_x86_ymm(b), false);
  aq_strip_nans(s, d, d);
}

/* The quotient, which is finite, gets the sign of the division. */
static void fixup(aq_strip *s, const aq_strip_op *op)
{
  static const limits normal = {{1, 254}, {1, 254}, {-150, 254}};
  enum { SIGN = INT32_MIN, FINITE = 0x7f7fffff };
  const int a = aq_strip_source_register(s, op, 0),
            b = aq_strip_source_register(s, op, 1),
            c = aq_strip_source_register(s, op, 2), bad = aq_strip_temporary(s);
  avx_xor(s, bad, bad, aq_x86_ymm(bad));
  exponents_test(s, bad, b, c, &normal);
  avx_and(s, AQ_STRIP_T0, a, avx_same(s, INT32_MAX));
  range_test(s, bad, AQ_STRIP_T0, 0, FINITE);
  avx_xor(s, AQ_STRIP_T1, b, aq_x86_ymm(c));
  const int d = aq_strip_result(s, 0);
  avx_and(s, AQ_STRIP_T1, AQ_STRIP_T1, avx_same(s, (uint32_t)SIGN));
  avx_or(s, d, AQ_STRIP_T0, aq_x86_ymm(AQ_STRIP_T1));
  bad_leave(s, bad);
}

/* clang-format off */
const aq_strip_rule aq_strip_rules_divisions[] = {
    {"v_div_scale_f32", "um", "uuu", scale, 0, AQ_STRIP_LOOKS},
    {"v_div_fmas_f32", "u", "uuu", fmas, 0, AQ_STRIP_LOOKS_VCC},
    {"v_div_fixup_f32", "u", "uuu", fixup, 0, AQ_STRIP_LOOKS},
    {NULL, NULL, NULL, NULL, 0, 0}};
/* clang-format on */
