/* SPDX-License-Identifier: MIT */
/* The instructions of AVX2 that rules of strips (strip.h) write, by name. */
#ifndef AQ_GPU_WAVE_JIT_STRIP_AVX_H
#define AQ_GPU_WAVE_JIT_STRIP_AVX_H

#include "gpu/wave/jit/strip.h"

/* `op`: the map of the opcode in bits 8 to 11; with the prefix 66. */
static inline void avx_any(aq_strip *s, uint32_t op, int to, int a,
                           aq_x86_operand b)
{
  aq_x86_vex(s->x, op >> 8 & 15, 1, false, op & 0xff, to, a, b, false);
}

/* Of floats, without a prefix; `f64`: with 66. */
static inline void avx_float(aq_strip *s, uint32_t op, bool f64, int to, int a,
                             aq_x86_operand b)
{
  aq_x86_vex(s->x, 1, f64, false, op, to, a, b, false);
}

static inline aq_x86_operand avx_same(aq_strip *s, uint32_t word)
{
  return aq_x86_same(s->x, word);
}

static inline void avx_load(aq_strip *s, int to, aq_x86_operand from)
{
  if (from.kind == AQ_X86_YMM && from.at == to)
    return;
  aq_x86_vex(s->x, 1, 2, false, 0x6f, to, 0, from, false);
}

static inline void avx_add(aq_strip *s, int to, int a, aq_x86_operand b)
{
  avx_any(s, 0x1fe, to, a, b);
}

static inline void avx_sub(aq_strip *s, int to, int a, aq_x86_operand b)
{
  avx_any(s, 0x1fa, to, a, b);
}

static inline void avx_mul(aq_strip *s, int to, int a, aq_x86_operand b)
{
  avx_any(s, 0x240, to, a, b);
}

static inline void avx_and(aq_strip *s, int to, int a, aq_x86_operand b)
{
  avx_any(s, 0x1db, to, a, b);
}

/* b without the bits of a. */
static inline void avx_andnot(aq_strip *s, int to, int a, aq_x86_operand b)
{
  avx_any(s, 0x1df, to, a, b);
}

static inline void avx_or(aq_strip *s, int to, int a, aq_x86_operand b)
{
  avx_any(s, 0x1eb, to, a, b);
}

static inline void avx_xor(aq_strip *s, int to, int a, aq_x86_operand b)
{
  avx_any(s, 0x1ef, to, a, b);
}

static inline void avx_equal(aq_strip *s, int to, int a, int b)
{
  avx_any(s, 0x176, to, a, aq_x86_ymm(b));
}

/* The lesser words, without a sign. */
static inline void avx_least(aq_strip *s, int to, int a, aq_x86_operand b)
{
  avx_any(s, 0x23b, to, a, b);
}

/* The first word of `from` in all lanes. */
static inline void avx_spread(aq_strip *s, int to, aq_x86_operand from)
{
  avx_any(s, 0x258, to, 0, from);
}

/* The words of `from` by the lanes' numbers in `order`. */
static inline void avx_permute(aq_strip *s, int to, int order,
                               aq_x86_operand from)
{
  avx_any(s, 0x236, to, order, from);
}

/* The zero flag: whether a and b have no bit in common. */
static inline void avx_test(aq_strip *s, int a, aq_x86_operand b)
{
  aq_x86_vex(s->x, 2, 1, false, 0x17, a, 0, b, false);
}

/* By a number, from 32 on to 0; `kind`: 6 left, 2 right, 4 right with the sign.
 */
static inline void avx_shift(aq_strip *s, int kind, int to, int from,
                             uint32_t by)
{
  aq_x86_vex(s->x, 1, 1, false, 0x72, kind, to, aq_x86_ymm(from), true);
  aq_x86_byte(s->x, by);
}

/* Each lane by its own number; 32 and more give 0, or the sign. */
static inline void avx_shift_each(aq_strip *s, int kind, int to, int from,
                                  aq_x86_operand by)
{
  avx_any(s, kind == 6 ? 0x247 : kind == 2 ? 0x245 : 0x246, to, from, by);
}

static inline void avx_shuffle(aq_strip *s, int to, int from, unsigned order)
{
  aq_x86_vex(s->x, 1, 1, false, 0x70, to, 0, aq_x86_ymm(from), true);
  aq_x86_byte(s->x, order);
}

/* b in the lanes of `lanes`, a in the others. */
static inline void avx_blend(aq_strip *s, int to, int a, int b, unsigned lanes)
{
  aq_x86_vex(s->x, 3, 1, false, 0x02, to, a, aq_x86_ymm(b), true);
  aq_x86_byte(s->x, lanes);
}

/* b in the lanes of a mask, a in the others. */
static inline void avx_pick(aq_strip *s, int to, int a, aq_x86_operand b,
                            int mask)
{
  aq_x86_vex(s->x, 3, 1, false, 0x4a, to, a, b, true);
  aq_x86_byte(s->x, (unsigned)mask << 4);
}

/* Comparison number `how` of the host's 32. */
static inline void avx_compare(aq_strip *s, bool f64, int to, int a,
                               aq_x86_operand b, unsigned how)
{
  aq_x86_vex(s->x, 1, f64, false, 0xc2, to, a, b, true);
  aq_x86_byte(s->x, how);
}

enum { AVX_LOW_WORDS = 0x88, AVX_HIGH_WORDS = 0xdd /* of pairs */ };

static inline void avx_words_shuffle(aq_strip *s, int to, int a, int b,
                                     unsigned which)
{
  aq_x86_vex(s->x, 1, 0, false, 0xc6, to, a, aq_x86_ymm(b), true);
  aq_x86_byte(s->x, which);
}

/* Pairs of words of lanes 0 to 3 in `to`, 4 to 7 in `other`, become the first
 * words and the second ones there. T0 and T1 change. */
static inline void avx_part_in_order(aq_strip *s, int to, int other)
{
  enum { SWAP_MIDDLE = 0xd8 };
  avx_words_shuffle(s, AQ_STRIP_T0, to, other, AVX_LOW_WORDS);
  avx_words_shuffle(s, AQ_STRIP_T1, to, other, AVX_HIGH_WORDS);
  const int from[2] = {AQ_STRIP_T0, AQ_STRIP_T1}, at[2] = {to, other};
  for (int i = 0; i < 2; i++) {
    aq_x86_vex(s->x, 3, 1, true, 0x00, at[i], 0, aq_x86_ymm(from[i]), true);
    aq_x86_byte(s->x, SWAP_MIDDLE);
  }
}

/* The upper half of a register. */
static inline void avx_upper(aq_strip *s, int to, int from)
{
  aq_x86_vex(s->x, 3, 1, false, 0x39, from, 0, aq_x86_ymm(to), true);
  aq_x86_byte(s->x, 1);
}

#endif
