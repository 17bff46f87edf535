/* SPDX-License-Identifier: MIT */
/* Rules of strips (strip.h): integers, masks and moves. Sources that are read
 * twice are registers; `number` is an opcode of AVX2, map in bits 8 to 11. */
#include "config.h"

#include "gpu/wave/jit/strip.h"
#include "gpu/wave/jit/strip_avx.h"

#define OP(map, op) ((map) << 8 | (op))

/* ---- one instruction of the host ---- */

static void plain2(aq_strip *s, const aq_strip_op *op)
{
  const int a = aq_strip_source_register(s, op, 0);
  const aq_x86_operand b = aq_strip_source_operand(s, op, 1);
  aq_strip_read(s, op);
  avx_any(s, op->rule->number, aq_strip_result(s, 0), a, b);
}

static void plain2_reverse(aq_strip *s, const aq_strip_op *op)
{
  const int b = aq_strip_source_register(s, op, 1);
  const aq_x86_operand a = aq_strip_source_operand(s, op, 0);
  aq_strip_read(s, op);
  avx_any(s, op->rule->number, aq_strip_result(s, 0), b, a);
}

/* Three sources: the operation of the first two, then `number`'s upper half
 * with the third. */
static void plain3(aq_strip *s, const aq_strip_op *op)
{
  const int a = aq_strip_source_register(s, op, 0);
  const aq_x86_operand b = aq_strip_source_operand(s, op, 1),
                       c = aq_strip_source_operand(s, op, 2);
  avx_any(s, op->rule->number, AQ_STRIP_T0, a, b);
  aq_strip_read(s, op);
  avx_any(s, op->rule->number >> 16, aq_strip_result(s, 0), AQ_STRIP_T0, c);
}

static void mov(aq_strip *s, const aq_strip_op *op)
{
  const aq_x86_operand a = aq_strip_source_operand(s, op, 0);
  aq_strip_read(s, op);
  avx_load(s, aq_strip_result(s, 0), a);
}

static void mov64(aq_strip *s, const aq_strip_op *op)
{
  const aq_x86_operand a = aq_strip_source_operand(s, op, 0);
  const int low = aq_strip_result(s, 0);
  avx_load(s, low, a);
  const aq_x86_operand b = aq_strip_source_operand(s, op, 1);
  avx_load(s, aq_strip_result(s, 1), b);
}

static void complement(aq_strip *s, const aq_strip_op *op)
{
  const int a = aq_strip_source_register(s, op, 0);
  aq_strip_read(s, op);
  avx_xor(s, aq_strip_result(s, 0), a, avx_same(s, UINT32_MAX));
}

static void xnor(aq_strip *s, const aq_strip_op *op)
{
  const int a = aq_strip_source_register(s, op, 0);
  const aq_x86_operand b = aq_strip_source_operand(s, op, 1);
  aq_strip_read(s, op);
  const int d = aq_strip_result(s, 0);
  avx_xor(s, d, a, b);
  avx_xor(s, d, d, avx_same(s, UINT32_MAX));
}

/* ---- shifts ---- */

/* `to` becomes `from` shifted by source k; `kind`: 6 left, 2 right, 4 with the
 * sign. T1 is changed. */
static void shift_by(aq_strip *s, const aq_strip_op *op, unsigned k, int kind,
                     int to, int from)
{
  uint32_t by;
  if (aq_strip_source_number(op, k, &by)) {
    avx_shift(s, kind, to, from, by & 31);
    return;
  }
  avx_and(s, AQ_STRIP_T1, aq_strip_source_register(s, op, k), avx_same(s, 31));
  avx_shift_each(s, kind, to, from, aq_x86_ymm(AQ_STRIP_T1));
}

static void shift_reverse(aq_strip *s, const aq_strip_op *op)
{
  const int b = aq_strip_source_register(s, op, 1);
  const int d = aq_strip_result(s, 0);
  shift_by(s, op, 0, (int)op->rule->number, d, b);
}

static void lshl_add(aq_strip *s, const aq_strip_op *op)
{
  const int a = aq_strip_source_register(s, op, 0);
  const aq_x86_operand c = aq_strip_source_operand(s, op, 2);
  shift_by(s, op, 1, 6, AQ_STRIP_T0, a);
  aq_strip_read(s, op);
  avx_any(s, op->rule->number, aq_strip_result(s, 0), AQ_STRIP_T0, c);
}

static void add_lshl(aq_strip *s, const aq_strip_op *op)
{
  const int a = aq_strip_source_register(s, op, 0);
  const aq_x86_operand b = aq_strip_source_operand(s, op, 1);
  avx_add(s, AQ_STRIP_T0, a, b);
  const int d = aq_strip_result(s, 0);
  shift_by(s, op, 2, 6, d, AQ_STRIP_T0);
}

static void alignbit(aq_strip *s, const aq_strip_op *op)
{
  const int a = aq_strip_source_register(s, op, 0),
            b = aq_strip_source_register(s, op, 1), d = aq_strip_result(s, 0);
  uint32_t by;
  if (aq_strip_source_number(op, 2, &by)) {
    avx_shift(s, 2, AQ_STRIP_T0, b, by & 31);
    avx_shift(s, 6, AQ_STRIP_T1, a, 32 - (by & 31)); /* by 32: 0 */
  } else {
    shift_by(s, op, 2, 2, AQ_STRIP_T0, b);
    avx_xor(s, AQ_STRIP_T2, AQ_STRIP_T1, avx_same(s, 31));
    avx_shift(s, 6, AQ_STRIP_T1, a, 1);
    avx_shift_each(s, 6, AQ_STRIP_T1, AQ_STRIP_T1, aq_x86_ymm(AQ_STRIP_T2));
  }
  avx_or(s, d, AQ_STRIP_T0, aq_x86_ymm(AQ_STRIP_T1));
}

static void bfe(aq_strip *s, const aq_strip_op *op)
{
  const int a = aq_strip_source_register(s, op, 0), d = aq_strip_result(s, 0);
  uint32_t count;
  shift_by(s, op, 1, 2, AQ_STRIP_T0, a);
  if (aq_strip_source_number(op, 2, &count)) {
    avx_and(s, d, AQ_STRIP_T0, avx_same(s, (1u << (count & 31)) - 1));
    return;
  }
  avx_and(s, AQ_STRIP_T1, aq_strip_source_register(s, op, 2), avx_same(s, 31));
  avx_load(s, AQ_STRIP_T2, avx_same(s, 1));
  avx_shift_each(s, 6, AQ_STRIP_T2, AQ_STRIP_T2, aq_x86_ymm(AQ_STRIP_T1));
  avx_add(s, AQ_STRIP_T2, AQ_STRIP_T2, avx_same(s, UINT32_MAX));
  avx_and(s, d, AQ_STRIP_T0, aq_x86_ymm(AQ_STRIP_T2));
}

/* Where both numbers are known: up and down again. */
static void bfe_signed(aq_strip *s, const aq_strip_op *op)
{
  const int a = aq_strip_source_register(s, op, 0), d = aq_strip_result(s, 0);
  uint32_t first, count;
  aq_strip_source_number(op, 1, &first);
  aq_strip_source_number(op, 2, &count);
  first &= 31;
  count &= 31;
  if (count == 0) {
    avx_xor(s, d, d, aq_x86_ymm(d));
  } else if (first + count >= 32) {
    avx_shift(s, 4, d, a, first);
  } else {
    avx_shift(s, 6, d, a, 32 - first - count);
    avx_shift(s, 4, d, d, 32 - count);
  }
}

/* ---- bits ---- */

static void bfi(aq_strip *s, const aq_strip_op *op)
{
  const int a = aq_strip_source_register(s, op, 0);
  const aq_x86_operand b = aq_strip_source_operand(s, op, 1),
                       c = aq_strip_source_operand(s, op, 2);
  avx_and(s, AQ_STRIP_T0, a, b);
  avx_andnot(s, AQ_STRIP_T1, a, c);
  avx_or(s, aq_strip_result(s, 0), AQ_STRIP_T0, aq_x86_ymm(AQ_STRIP_T1));
}

/* Bytes of the first source and of the second by the third's: 4 to 7, 0 to 3,
 * and 12 gives 0. Lanes with other numbers go to the handlers. */
static void perm(aq_strip *s, const aq_strip_op *op)
{
  enum { SHUFFLE = OP(2, 0x00), EQUAL_BYTES = OP(1, 0x74), ZERO = 0x0c0c0c0c };
  static const uint32_t lanes[8] = {0, 0x04040404, 0x08080808, 0x0c0c0c0c,
                                    0, 0x04040404, 0x08080808, 0x0c0c0c0c};
  const int a = aq_strip_source_register(s, op, 0),
            b = aq_strip_source_register(s, op, 1),
            c = aq_strip_source_register(s, op, 2), d = aq_strip_result(s, 0);
  avx_and(s, AQ_STRIP_T0, c, avx_same(s, 0x03030303));
  avx_or(s, AQ_STRIP_T0, AQ_STRIP_T0, aq_x86_constant(s->x, lanes));
  avx_any(s, SHUFFLE, AQ_STRIP_T1, a, aq_x86_ymm(AQ_STRIP_T0));
  avx_any(s, SHUFFLE, AQ_STRIP_T2, b, aq_x86_ymm(AQ_STRIP_T0));
  avx_shift(s, 6, AQ_STRIP_T0, c, 5); /* the bit of 4 to the byte's sign */
  aq_x86_vex(s->x, 3, 1, false, 0x4c, AQ_STRIP_T1, AQ_STRIP_T2,
             aq_x86_ymm(AQ_STRIP_T1), true); /* vpblendvb */
  aq_x86_byte(s->x, AQ_STRIP_T0 << 4);
  avx_any(s, EQUAL_BYTES, AQ_STRIP_T2, c, avx_same(s, ZERO));
  avx_andnot(s, d, AQ_STRIP_T2, aq_x86_ymm(AQ_STRIP_T1));
  avx_and(s, AQ_STRIP_T0, c, avx_same(s, 0xf8f8f8f8));
  avx_andnot(s, AQ_STRIP_T0, AQ_STRIP_T2, aq_x86_ymm(AQ_STRIP_T0));
  avx_xor(s, AQ_STRIP_T1, AQ_STRIP_T1, aq_x86_ymm(AQ_STRIP_T1));
  avx_equal(s, AQ_STRIP_T0, AQ_STRIP_T0, AQ_STRIP_T1);
  avx_xor(s, AQ_STRIP_T0, AQ_STRIP_T0, avx_same(s, UINT32_MAX));
  aq_strip_nans_mask(s, AQ_STRIP_T0);
}

/* T0's bits of each word, counted into `to`; T1 and T2 change. */
static void bits_count(aq_strip *s, int to)
{
  static const uint32_t counts[8] = {0x02010100, 0x03020201, 0x03020201,
                                     0x04030302, 0x02010100, 0x03020201,
                                     0x03020201, 0x04030302};
  const aq_x86_operand low = avx_same(s, 0x0f0f0f0f);
  avx_load(s, AQ_STRIP_T2, aq_x86_constant(s->x, counts));
  avx_and(s, AQ_STRIP_T1, AQ_STRIP_T0, low);
  avx_shift(s, 2, AQ_STRIP_T0, AQ_STRIP_T0, 4);
  avx_and(s, AQ_STRIP_T0, AQ_STRIP_T0, low);
  avx_any(s, OP(2, 0x00), AQ_STRIP_T1, AQ_STRIP_T2, aq_x86_ymm(AQ_STRIP_T1));
  avx_any(s, OP(2, 0x00), AQ_STRIP_T0, AQ_STRIP_T2, aq_x86_ymm(AQ_STRIP_T0));
  avx_any(s, OP(1, 0xfc), AQ_STRIP_T0, AQ_STRIP_T0, aq_x86_ymm(AQ_STRIP_T1));
  avx_any(s, OP(2, 0x04), AQ_STRIP_T0, AQ_STRIP_T0, avx_same(s, 0x01010101));
  avx_any(s, OP(1, 0xf5), to, AQ_STRIP_T0, avx_same(s, 0x00010001));
}

static void bcnt(aq_strip *s, const aq_strip_op *op)
{
  avx_load(s, AQ_STRIP_T0, aq_strip_source_operand(s, op, 0));
  const aq_x86_operand b = aq_strip_source_operand(s, op, 1);
  const int d = aq_strip_result(s, 0);
  bits_count(s, AQ_STRIP_T0);
  avx_add(s, d, AQ_STRIP_T0, b);
}

/* Bits of the lanes below each one: of `number` lanes, the upper half or the
 * lower. */
static void mbcnt(aq_strip *s, const aq_strip_op *op)
{
  static const uint32_t lanes[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  const int a = aq_strip_source_register(s, op, 0);
  const aq_x86_operand b = aq_strip_source_operand(s, op, 1);
  const int d = aq_strip_result(s, 0);
  /* The lane's number, less 32 for the upper half: below 0 none is below, and
   * from 32 on all are, as shifts by more than 31 give 0. */
  aq_x86_address(s->x, AQ_RAX, AQ_R15, op->rule->number ? -4 : 0);
  aq_x86_shift(s->x, 4, AQ_RAX, false, 3);
  aq_x86_vex128(s->x, 1, 1, false, 0x6e, AQ_STRIP_T0, 0, aq_x86_ymm(AQ_RAX));
  avx_spread(s, AQ_STRIP_T0, aq_x86_ymm(AQ_STRIP_T0));
  avx_add(s, AQ_STRIP_T0, AQ_STRIP_T0, aq_x86_constant(s->x, lanes));
  avx_any(s, OP(1, 0xef), AQ_STRIP_T2, AQ_STRIP_T2, aq_x86_ymm(AQ_STRIP_T2));
  avx_any(s, OP(2, 0x3d), AQ_STRIP_T0, AQ_STRIP_T0, aq_x86_ymm(AQ_STRIP_T2));
  avx_load(s, AQ_STRIP_T1, avx_same(s, UINT32_MAX));
  avx_shift_each(s, 6, AQ_STRIP_T1, AQ_STRIP_T1, aq_x86_ymm(AQ_STRIP_T0));
  avx_andnot(s, AQ_STRIP_T0, AQ_STRIP_T1, aq_x86_ymm(a));
  bits_count(s, AQ_STRIP_T0);
  avx_add(s, d, AQ_STRIP_T0, b);
}

/* ---- products ---- */

/* A source of 24 bits in T0 or T1; `number`: with its sign. */
static void extend24(aq_strip *s, const aq_strip_op *op, unsigned k, int to)
{
  if (op->rule->number) {
    avx_shift(s, 6, to, aq_strip_source_register(s, op, k), 8);
    avx_shift(s, 4, to, to, 8);
  } else {
    avx_and(s, to, aq_strip_source_register(s, op, k), avx_same(s, 0xffffff));
  }
}

static void mul24(aq_strip *s, const aq_strip_op *op)
{
  extend24(s, op, 0, AQ_STRIP_T0);
  extend24(s, op, 1, AQ_STRIP_T1);
  aq_strip_read(s, op);
  avx_mul(s, aq_strip_result(s, 0), AQ_STRIP_T0, aq_x86_ymm(AQ_STRIP_T1));
}

static void mad24(aq_strip *s, const aq_strip_op *op)
{
  extend24(s, op, 0, AQ_STRIP_T0);
  extend24(s, op, 1, AQ_STRIP_T1);
  const aq_x86_operand c = aq_strip_source_operand(s, op, 2);
  avx_mul(s, AQ_STRIP_T0, AQ_STRIP_T0, aq_x86_ymm(AQ_STRIP_T1));
  aq_strip_read(s, op);
  avx_add(s, aq_strip_result(s, 0), AQ_STRIP_T0, c);
}

/* The upper words of products: the host multiplies every second lane. T0 to T2
 * change. */
static void product_high(aq_strip *s, uint32_t op, int to, int a, int b)
{
  enum { HIGH = 0xf5, ODD = 0xaa };
  avx_any(s, op, AQ_STRIP_T0, a, aq_x86_ymm(b));
  avx_shuffle(s, AQ_STRIP_T1, a, HIGH);
  avx_shuffle(s, AQ_STRIP_T2, b, HIGH);
  avx_any(s, op, AQ_STRIP_T1, AQ_STRIP_T1, aq_x86_ymm(AQ_STRIP_T2));
  avx_shuffle(s, AQ_STRIP_T0, AQ_STRIP_T0, HIGH);
  avx_blend(s, to, AQ_STRIP_T0, AQ_STRIP_T1, ODD);
}

static void mul_hi(aq_strip *s, const aq_strip_op *op)
{
  const int a = aq_strip_source_register(s, op, 0),
            b = aq_strip_source_register(s, op, 1);
  aq_strip_read(s, op);
  product_high(s, op->rule->number, aq_strip_result(s, 0), a, b);
}

/* Every second byte of words with its sign, or without, as halves. */
static void bytes_extend(aq_strip *s, bool is_signed, bool upper, int to,
                         int from)
{
  enum { HALVES_LEFT = 6, HALVES_RIGHT = 2, HALVES_SIGNED = 4 };
  const int right = is_signed ? HALVES_SIGNED : HALVES_RIGHT;
  aq_x86 *x = s->x;
  if (!upper) {
    aq_x86_vex(x, 1, 1, false, 0x71, HALVES_LEFT, to, aq_x86_ymm(from), true);
    aq_x86_byte(x, 8);
    from = to;
  }
  aq_x86_vex(x, 1, 1, false, 0x71, right, to, aq_x86_ymm(from), true);
  aq_x86_byte(x, 8);
}

/* Four products of bytes and a word; `number`: with signs. */
static void dot4(aq_strip *s, const aq_strip_op *op)
{
  enum { MULTIPLY_AND_ADD = OP(1, 0xf5) };
  const int a = aq_strip_source_register(s, op, 0),
            b = aq_strip_source_register(s, op, 1);
  const aq_x86_operand c = aq_strip_source_operand(s, op, 2);
  const bool is_signed = op->rule->number;
  const int d = aq_strip_result(s, 0);
  for (int upper = 0; upper < 2; upper++) {
    bytes_extend(s, is_signed, upper, AQ_STRIP_T0, a);
    bytes_extend(s, is_signed, upper, AQ_STRIP_T1, b);
    avx_any(s, MULTIPLY_AND_ADD, upper ? AQ_STRIP_T0 : AQ_STRIP_T2, AQ_STRIP_T0,
            aq_x86_ymm(AQ_STRIP_T1));
  }
  avx_add(s, AQ_STRIP_T0, AQ_STRIP_T0, aq_x86_ymm(AQ_STRIP_T2));
  avx_add(s, d, AQ_STRIP_T0, c);
}

/* ---- carries ---- */

/* All ones in T0 where a < b, unsigned: a is not the larger one. */
static void below(aq_strip *s, int a, int b)
{
  avx_any(s, OP(2, 0x3f), AQ_STRIP_T0, a, aq_x86_ymm(b));
  avx_any(s, OP(1, 0x76), AQ_STRIP_T0, AQ_STRIP_T0, aq_x86_ymm(a));
  avx_xor(s, AQ_STRIP_T0, AQ_STRIP_T0, avx_same(s, UINT32_MAX));
}

static void mask_keep(aq_strip *s, const aq_strip_op *op, unsigned k, int from)
{
  const int m = aq_strip_result(s, k);
  if (aq_strip_is_dead(op, k))
    return;
  if (m != from)
    avx_load(s, m, aq_x86_ymm(from));
  aq_strip_mask(s, op, k, m);
}

/* `number`: which of the sources is subtracted from the other; 0: a sum. */
static void carry(aq_strip *s, const aq_strip_op *op)
{
  const unsigned sub = op->rule->number;
  const int a = aq_strip_source_register(s, op, sub == 2),
            b = aq_strip_source_register(s, op, sub != 2),
            d = aq_strip_result(s, 0);
  const bool in = op->source_count == 3;
  const int i = in ? aq_strip_source_register(s, op, 2) : 0;
  if (!sub) {
    avx_add(s, d, a, aq_x86_ymm(b));
    if (in)
      avx_sub(s, d, d, aq_x86_ymm(i));
    if (!aq_strip_is_dead(op, 1))
      below(s, d, a);
    if (in)
      avx_equal(s, AQ_STRIP_T1, d, a);
  } else {
    avx_sub(s, d, a, aq_x86_ymm(b));
    if (in)
      avx_add(s, d, d, aq_x86_ymm(i));
    if (!aq_strip_is_dead(op, 1))
      below(s, a, b);
    if (in)
      avx_equal(s, AQ_STRIP_T1, a, b);
  }
  if (in && !aq_strip_is_dead(op, 1)) {
    avx_and(s, AQ_STRIP_T1, AQ_STRIP_T1, aq_x86_ymm(i));
    avx_or(s, AQ_STRIP_T0, AQ_STRIP_T0, aq_x86_ymm(AQ_STRIP_T1));
  }
  mask_keep(s, op, 1, AQ_STRIP_T0);
}

static void mad_u64(aq_strip *s, const aq_strip_op *op)
{
  const bool carries = !aq_strip_is_dead(op, 2);
  const int a = aq_strip_source_register(s, op, 0);
  if (aq_strip_is_dead(op, 1) && !carries) {
    const aq_x86_operand by = aq_strip_source_operand(s, op, 1),
                         more = aq_strip_source_operand(s, op, 2);
    avx_mul(s, AQ_STRIP_T1, a, by);
    avx_add(s, aq_strip_result(s, 0), AQ_STRIP_T1, more);
    aq_strip_result(s, 1);
    aq_strip_result(s, 2);
    return;
  }
  const int b = aq_strip_source_register(s, op, 1),
            low = aq_strip_source_register(s, op, 2), d = aq_strip_result(s, 0),
            e = aq_strip_result(s, 1), carried = aq_strip_result(s, 2);
  const int high = aq_strip_source_register(s, op, 3),
            product = aq_strip_temporary(s);
  product_high(s, OP(1, 0xf4), product, a, b);
  avx_mul(s, AQ_STRIP_T1, a, aq_x86_ymm(b));
  avx_add(s, d, AQ_STRIP_T1, aq_x86_ymm(low));
  below(s, d, AQ_STRIP_T1); /* T0: the carry of the lower words */
  avx_add(s, AQ_STRIP_T2, product, aq_x86_ymm(high));
  avx_sub(s, e, AQ_STRIP_T2, aq_x86_ymm(AQ_STRIP_T0));
  if (!carries)
    return;
  below(s, AQ_STRIP_T2, product);
  avx_load(s, AQ_STRIP_T1, aq_x86_ymm(AQ_STRIP_T0));
  below(s, e, AQ_STRIP_T2);
  avx_or(s, carried, AQ_STRIP_T0, aq_x86_ymm(AQ_STRIP_T1));
  aq_strip_mask(s, op, 2, carried);
}

/* ---- words of two rows ---- */

/* Shifts by a known number. */
static void lshl64(aq_strip *s, const aq_strip_op *op)
{
  const int low = aq_strip_source_register(s, op, 1),
            high = aq_strip_source_register(s, op, 2),
            d = aq_strip_result(s, 0), e = aq_strip_result(s, 1);
  uint32_t by;
  aq_strip_source_number(op, 0, &by);
  by &= 63;
  if (by >= 32) {
    avx_shift(s, 6, e, low, by - 32);
    avx_xor(s, d, d, aq_x86_ymm(d));
  } else if (by == 0) {
    avx_load(s, d, aq_x86_ymm(low));
    avx_load(s, e, aq_x86_ymm(high));
  } else {
    avx_shift(s, 6, e, high, by);
    avx_shift(s, 2, AQ_STRIP_T0, low, 32 - by);
    avx_or(s, e, e, aq_x86_ymm(AQ_STRIP_T0));
    avx_shift(s, 6, d, low, by);
  }
}

/* `number`: 2, or 4 with the sign. */
static void right64(aq_strip *s, const aq_strip_op *op)
{
  const int low = aq_strip_source_register(s, op, 1),
            high = aq_strip_source_register(s, op, 2),
            d = aq_strip_result(s, 0), e = aq_strip_result(s, 1),
            kind = (int)op->rule->number;
  uint32_t by;
  aq_strip_source_number(op, 0, &by);
  by &= 63;
  if (by >= 32) {
    avx_shift(s, kind, d, high, by - 32);
    if (kind == 4)
      avx_shift(s, 4, e, high, 31);
    else
      avx_xor(s, e, e, aq_x86_ymm(e));
  } else if (by == 0) {
    avx_load(s, d, aq_x86_ymm(low));
    avx_load(s, e, aq_x86_ymm(high));
  } else {
    avx_shift(s, 2, d, low, by);
    avx_shift(s, 6, AQ_STRIP_T0, high, 32 - by);
    avx_or(s, d, d, aq_x86_ymm(AQ_STRIP_T0));
    avx_shift(s, kind, e, high, by);
  }
}

static void lshl_add64(aq_strip *s, const aq_strip_op *op)
{
  const int low = aq_strip_source_register(s, op, 0),
            high = aq_strip_source_register(s, op, 1),
            c = aq_strip_source_register(s, op, 3),
            f = aq_strip_source_register(s, op, 4), d = aq_strip_result(s, 0),
            e = aq_strip_result(s, 1);
  uint32_t by;
  aq_strip_source_number(op, 2, &by);
  by &= 7;
  avx_shift(s, 6, AQ_STRIP_T1, high, by);
  if (by) {
    avx_shift(s, 2, AQ_STRIP_T0, low, 32 - by);
    avx_or(s, AQ_STRIP_T1, AQ_STRIP_T1, aq_x86_ymm(AQ_STRIP_T0));
  }
  avx_add(s, e, AQ_STRIP_T1, aq_x86_ymm(f));
  avx_shift(s, 6, AQ_STRIP_T1, low, by);
  avx_add(s, d, AQ_STRIP_T1, aq_x86_ymm(c));
  below(s, d, AQ_STRIP_T1);
  avx_sub(s, e, e, aq_x86_ymm(AQ_STRIP_T0));
}

/* ---- comparisons ---- */

enum { COMPARE_SIGNED = 8, COMPARE_NOT = 16 };
enum { COMPARE_FALSE, COMPARE_EQUAL, COMPARE_LESS, COMPARE_GREATER };

static void compare(aq_strip *s, const aq_strip_op *op)
{
  const unsigned number = op->rule->number;
  const int a = aq_strip_source_register(s, op, 0),
            b = aq_strip_source_register(s, op, 1), m = aq_strip_result(s, 0);
  const int x = (number & 7) == COMPARE_LESS ? b : a,
            y = (number & 7) == COMPARE_LESS ? a : b;
  if ((number & 7) == COMPARE_FALSE) {
    avx_xor(s, m, m, aq_x86_ymm(m));
  } else if ((number & 7) == COMPARE_EQUAL) {
    avx_equal(s, m, a, b);
  } else if (number & COMPARE_SIGNED) {
    avx_any(s, OP(1, 0x66), m, x, aq_x86_ymm(y));
  } else { /* greater is the negation of: the least one is x */
    avx_any(s, OP(2, 0x3b), AQ_STRIP_T0, x, aq_x86_ymm(y));
    avx_equal(s, m, AQ_STRIP_T0, x);
    if (!(number & COMPARE_NOT))
      avx_xor(s, m, m, avx_same(s, UINT32_MAX));
    aq_strip_mask(s, op, 0, m);
    return;
  }
  if (number & COMPARE_NOT)
    avx_xor(s, m, m, avx_same(s, UINT32_MAX));
  aq_strip_mask(s, op, 0, m);
}

/* Whether two pairs are equal; `number`: or differ. */
static void compare64(aq_strip *s, const aq_strip_op *op)
{
  const int m = aq_strip_result(s, 0), a = aq_strip_source_register(s, op, 0),
            b = aq_strip_source_register(s, op, 1);
  const aq_x86_operand c = aq_strip_source_operand(s, op, 2),
                       d = aq_strip_source_operand(s, op, 3);
  avx_xor(s, AQ_STRIP_T0, a, c);
  avx_xor(s, AQ_STRIP_T1, b, d);
  avx_or(s, AQ_STRIP_T0, AQ_STRIP_T0, aq_x86_ymm(AQ_STRIP_T1));
  avx_xor(s, AQ_STRIP_T1, AQ_STRIP_T1, aq_x86_ymm(AQ_STRIP_T1));
  avx_equal(s, m, AQ_STRIP_T0, AQ_STRIP_T1);
  if (op->rule->number)
    avx_xor(s, m, m, avx_same(s, UINT32_MAX));
  aq_strip_mask(s, op, 0, m);
}

/* Whether a pair is less or greater: upper words decide, unless they are equal.
 * The mask is first that of lanes where it is not. */
static void order64(aq_strip *s, const aq_strip_op *op)
{
  const unsigned number = op->rule->number,
                 a = (number & 7) == COMPARE_LESS ? 0 : 2, b = 2 - a;
  const int low = aq_strip_source_register(s, op, b),
            high = aq_strip_source_register(s, op, b + 1),
            other = aq_strip_source_register(s, op, a + 1),
            m = aq_strip_result(s, 0);
  avx_least(s, AQ_STRIP_T0, low, aq_strip_source_operand(s, op, a));
  avx_equal(s, AQ_STRIP_T0, AQ_STRIP_T0, low);
  if (number & COMPARE_SIGNED) {
    avx_any(s, OP(1, 0x66), AQ_STRIP_T1, other, aq_x86_ymm(high));
  } else {
    avx_least(s, AQ_STRIP_T1, high, aq_x86_ymm(other));
    avx_equal(s, AQ_STRIP_T1, AQ_STRIP_T1, high);
  }
  avx_equal(s, AQ_STRIP_T2, high, other);
  avx_pick(s, m, AQ_STRIP_T1, aq_x86_ymm(AQ_STRIP_T0), AQ_STRIP_T2);
  if (!(number & COMPARE_NOT))
    avx_xor(s, m, m, avx_same(s, UINT32_MAX));
  aq_strip_mask(s, op, 0, m);
}

static void cndmask(aq_strip *s, const aq_strip_op *op)
{
  const int m = aq_strip_source_register(s, op, 2),
            a = aq_strip_source_register(s, op, 0);
  const aq_x86_operand b = aq_strip_source_operand(s, op, 1);
  aq_strip_read(s, op);
  avx_pick(s, aq_strip_result(s, 0), a, b, m);
}

/* ---- the table ---- */

#define INTEGERS(t, sign)                                                      \
  {"v_cmp_f_" t, "m", "uu", compare, COMPARE_FALSE, 0},                        \
      {"v_cmp_lt_" t, "m", "uu", compare, COMPARE_LESS | (sign), 0},           \
      {"v_cmp_eq_" t, "m", "uu", compare, COMPARE_EQUAL, 0},                   \
      {"v_cmp_le_" t,                                                          \
       "m",                                                                    \
       "uu",                                                                   \
       compare,                                                                \
       COMPARE_GREATER | COMPARE_NOT | (sign),                                 \
       0},                                                                     \
      {"v_cmp_gt_" t, "m", "uu", compare, COMPARE_GREATER | (sign), 0},        \
      {"v_cmp_ne_" t, "m", "uu", compare, COMPARE_EQUAL | COMPARE_NOT, 0},     \
      {"v_cmp_ge_" t,                                                          \
       "m",                                                                    \
       "uu",                                                                   \
       compare,                                                                \
       COMPARE_LESS | COMPARE_NOT | (sign),                                    \
       0},                                                                     \
  {                                                                            \
    "v_cmp_t_" t, "m", "uu", compare, COMPARE_FALSE | COMPARE_NOT, 0           \
  }

#define ORDERS(t, sign)                                                        \
  {"v_cmp_lt_" t, "m", "UU", order64, COMPARE_LESS | (sign), 0},               \
      {"v_cmp_le_" t,                                                          \
       "m",                                                                    \
       "UU",                                                                   \
       order64,                                                                \
       COMPARE_GREATER | COMPARE_NOT | (sign),                                 \
       0},                                                                     \
      {"v_cmp_gt_" t, "m", "UU", order64, COMPARE_GREATER | (sign), 0},        \
  {                                                                            \
    "v_cmp_ge_" t, "m", "UU", order64, COMPARE_LESS | COMPARE_NOT | (sign), 0  \
  }

enum {
  ADD = OP(1, 0xfe),
  SUB = OP(1, 0xfa),
  AND = OP(1, 0xdb),
  OR = OP(1, 0xeb),
  XOR = OP(1, 0xef),
  MIN_I = OP(2, 0x39),
  MIN_U = OP(2, 0x3b),
  MAX_I = OP(2, 0x3d),
  MAX_U = OP(2, 0x3f),
};

/* clang-format off */
const aq_strip_rule aq_strip_rules_words[] = {
    {"v_mov_b32", "u", "u", mov, 0, 0},
    {"v_mov_b64", "U", "U", mov64, 0, 0},
    {"v_not_b32", "u", "u", complement, 0, 0},
    {"v_and_b32", "u", "uu", plain2, AND, 0},
    {"v_or_b32", "u", "uu", plain2, OR, 0},
    {"v_xor_b32", "u", "uu", plain2, XOR, 0},
    {"v_xnor_b32", "u", "uu", xnor, 0, 0},
    {"v_add_u32", "u", "uu", plain2, ADD, 0},
    {"v_sub_u32", "u", "uu", plain2, SUB, 0},
    {"v_subrev_u32", "u", "uu", plain2_reverse, SUB, 0},
    {"v_min_i32", "u", "uu", plain2, MIN_I, 0},
    {"v_max_i32", "u", "uu", plain2, MAX_I, 0},
    {"v_min_u32", "u", "uu", plain2, MIN_U, 0},
    {"v_max_u32", "u", "uu", plain2, MAX_U, 0},
    {"v_mul_lo_u32", "u", "uu", plain2, OP(2, 0x40), 0},
    {"v_lshrrev_b32", "u", "uu", shift_reverse, 2, 0},
    {"v_ashrrev_i32", "u", "uu", shift_reverse, 4, 0},
    {"v_lshlrev_b32", "u", "uu", shift_reverse, 6, 0},
    {"v_lshlrev_b64", "U", "nU", lshl64, 0, 0},
    {"v_lshrrev_b64", "U", "nU", right64, 2, 0},
    {"v_ashrrev_i64", "U", "nU", right64, 4, 0},
    {"v_lshl_add_u64", "U", "UnU", lshl_add64, 0, 0},
    {"v_mul_u32_u24", "u", "uu", mul24, 0, 0},
    {"v_mul_i32_i24", "u", "uu", mul24, 1, 0},
    {"v_mad_u32_u24", "u", "uuu", mad24, 0, 0},
    {"v_mad_i32_i24", "u", "uuu", mad24, 1, 0},
    {"v_dot4_i32_i8", "u", "uuu", dot4, 1, 0},
    {"v_dot4c_i32_i8", "u", "uuu", dot4, 1, 0},
    {"v_dot4_u32_u8", "u", "uuu", dot4, 0, 0},
    {"v_mul_hi_u32", "u", "uu", mul_hi, OP(1, 0xf4), 0},
    {"v_mul_hi_i32", "u", "uu", mul_hi, OP(2, 0x28), 0},
    {"v_mad_u64_u32", "Um", "uuU", mad_u64, 0, 0},
    {"v_bcnt_u32_b32", "u", "uu", bcnt, 0, 0},
    {"v_mbcnt_lo_u32_b32", "u", "uu", mbcnt, 0, 0},
    {"v_mbcnt_hi_u32_b32", "u", "uu", mbcnt, 32, 0},
    {"v_bfe_u32", "u", "uuu", bfe, 0, 0},
    {"v_bfe_i32", "u", "unn", bfe_signed, 0, 0},
    {"v_bfi_b32", "u", "uuu", bfi, 0, 0},
    {"v_perm_b32", "u", "uuu", perm, 0, AQ_STRIP_LOOKS},
    {"v_alignbit_b32", "u", "uuu", alignbit, 0, 0},
    {"v_min3_i32", "u", "uuu", plain3, MIN_I | MIN_I << 16, 0},
    {"v_min3_u32", "u", "uuu", plain3, MIN_U | MIN_U << 16, 0},
    {"v_max3_i32", "u", "uuu", plain3, MAX_I | MAX_I << 16, 0},
    {"v_max3_u32", "u", "uuu", plain3, MAX_U | MAX_U << 16, 0},
    {"v_xad_u32", "u", "uuu", plain3, XOR | ADD << 16, 0},
    {"v_add3_u32", "u", "uuu", plain3, ADD | ADD << 16, 0},
    {"v_and_or_b32", "u", "uuu", plain3, AND | OR << 16, 0},
    {"v_or3_b32", "u", "uuu", plain3, OR | OR << 16, 0},
    {"v_lshl_add_u32", "u", "uuu", lshl_add, ADD, 0},
    {"v_lshl_or_b32", "u", "uuu", lshl_add, OR, 0},
    {"v_add_lshl_u32", "u", "uuu", add_lshl, 0, 0},
    {"v_add_co_u32", "um", "uu", carry, 0, 0},
    {"v_sub_co_u32", "um", "uu", carry, 1, 0},
    {"v_subrev_co_u32", "um", "uu", carry, 2, 0},
    {"v_addc_co_u32", "um", "uum", carry, 0, 0},
    {"v_subb_co_u32", "um", "uum", carry, 1, 0},
    {"v_subbrev_co_u32", "um", "uum", carry, 2, 0},
    {"v_cndmask_b32", "u", "uum", cndmask, 0, 0},
    INTEGERS("u32", 0),
    INTEGERS("i32", COMPARE_SIGNED),
    {"v_cmp_eq_u64", "m", "UU", compare64, 0, 0},
    {"v_cmp_ne_u64", "m", "UU", compare64, 1, 0},
    {"v_cmp_eq_i64", "m", "UU", compare64, 0, 0},
    {"v_cmp_ne_i64", "m", "UU", compare64, 1, 0},
    ORDERS("u64", 0),
    ORDERS("i64", COMPARE_SIGNED),
    {NULL, NULL, NULL, NULL, 0, 0}};
/* clang-format on */
