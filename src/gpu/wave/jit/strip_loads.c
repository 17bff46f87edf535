/* SPDX-License-Identifier: MIT */
/*
 * Rules of strips (strip.h): loads of words from global memory. Where all lanes
 * are on, the words of eight lanes in a row are read at once; others are
 * gathered, two words of a lane as one: code that polls relies on that.
 * Addresses are checked in the strip against the range that the instruction
 * found last (access.inc). A strip that does not fit is left to the handlers,
 * which also find the next range.
 *
 * The check is one of 32 bits: of the range counts the window of 2^32 bytes
 * that the same upper words select. It begins with the range; a strip outside
 * moves it to its own upper words, if the range has some of their bytes.
 *
 * A load's part of the frame: the range's base, the last place of a lane's
 * bytes behind it, and where the host sees it. Its window: the lower and upper
 * words where it begins, the last place of a lane's bytes and of a strip's
 * behind that, and where the host sees it.
 */
#include "config.h"

#include <stddef.h>

#include "gpu/wave/core/code.h"
#include "gpu/wave/jit/memory_code.h"
#include "gpu/wave/jit/strip.h"
#include "gpu/wave/jit/strip_avx.h"

enum { FRAME_FIRST, FRAME_LAST = 8, FRAME_HOST = 16 };
static int32_t frame_of(const aq_strip_op *op, int32_t at)
{
  return AQ_STRIP_AT_LOADS + 32 * op->load + at;
}

enum {
  WINDOW_LOW,
  WINDOW_HIGH = 4,
  WINDOW_LAST = 8,
  WINDOW_LAST_ROW = 16,
  WINDOW_HOST = 24
};
static int32_t window_of(const aq_strip_op *op, int32_t at)
{
  return AQ_STRIP_AT_WINDOWS + 32 * op->load + at;
}

/* The bits of a mask of lanes in ecx. */
static void bits_take(aq_strip *s, int mask)
{
  aq_x86_vex(s->x, 1, 0, false, 0x50, AQ_RCX, 0, aq_x86_ymm(mask), false);
}

void aq_strip_leave_unless(aq_strip *s, int mask)
{
  bits_take(s, mask);
  aq_x86_registers(s->x, 0xf7, 2, AQ_RCX, false); /* not */
  aq_x86_registers(s->x, 0x85, AQ_RBP, AQ_RCX, false);
  aq_strip_leave_if(s, AQ_X86_NE);
}

/* ---- words of lanes ---- */

/* Four words at the offsets of the lower half of `offsets`. */
static void fours_gather(aq_strip *s, int to, int base, int offsets, int32_t at)
{
  enum { EXTRACT = 0x16, INSERT = 0x22 };
  aq_x86 *x = s->x;
  const int pairs[2] = {AQ_RAX, AQ_RCX};
  aq_x86_vex128(x, 1, 1, true, 0x7e, offsets, 0, aq_x86_ymm(AQ_RAX));
  aq_x86_vex128(x, 3, 1, true, EXTRACT, offsets, 0, aq_x86_ymm(AQ_RCX));
  aq_x86_byte(x, 1);
  for (unsigned i = 0; i < 4; i++) {
    const int pair = pairs[i / 2], from = i % 2 ? pair : AQ_R8;
    if (i % 2)
      aq_x86_shift(x, 5, pair, true, 32);
    else
      aq_x86_registers(x, 0x89, pair, AQ_R8, false);
    if (i == 0) {
      aq_x86_vex128(x, 1, 1, false, 0x6e, to, 0, aq_x86_sum(base, from, at));
      continue;
    }
    aq_x86_vex128(x, 3, 1, false, INSERT, to, to, aq_x86_sum(base, from, at));
    aq_x86_byte(x, i);
  }
}

void aq_strip_words_gather(aq_strip *s, int to, int base, int offsets,
                           int32_t at)
{
  fours_gather(s, to, base, offsets, at);
  avx_upper(s, AQ_STRIP_T1, offsets);
  fours_gather(s, AQ_STRIP_T1, base, AQ_STRIP_T1, at);
  aq_x86_vex(s->x, 3, 1, false, 0x38, to, to, aq_x86_ymm(AQ_STRIP_T1), true);
  aq_x86_byte(s->x, 1); /* vinserti128 */
}

/* ---- global memory ---- */

static bool is_small(const aq_strip_op *op)
{
  return op->rule->number & AQ_STRIP_SMALL;
}

/* Stores the window that begins at rcx, of the lower words alone in ecx, and
 * has the last place of a lane rdx bytes behind; the host sees it at rsi. */
static void window_store(aq_strip *s, const aq_strip_op *op)
{
  aq_x86 *x = s->x;
  aq_x86_memory(x, 0x89, AQ_RCX, false, AQ_RSP, window_of(op, WINDOW_LOW));
  aq_x86_registers(x, 0xf7, 2, AQ_RCX, false); /* not */
  aq_x86_registers(x, 0x39, AQ_RCX, AQ_RDX, true);
  aq_x86_registers(x, 0x0f47, AQ_RDX, AQ_RCX, true); /* cmova */
  aq_x86_memory(x, 0x89, AQ_RDX, true, AQ_RSP, window_of(op, WINDOW_LAST));
  aq_x86_number(x, 5, AQ_RDX, true,
                7 * aq_strip_load_bytes(op)); /* below 0: no row */
  aq_x86_memory(x, 0x89, AQ_RDX, true, AQ_RSP, window_of(op, WINDOW_LAST_ROW));
  aq_x86_memory(x, 0x89, AQ_RSI, true, AQ_RSP, window_of(op, WINDOW_HOST));
}

/* Stores the window that begins at rax, or with the range behind that. rcx has
 * the range's base, rdx a lane's last place in it, rsi where the host sees it.
 * Leaves if the range has no byte in the window. */
static void window_place(aq_strip *s, const aq_strip_op *op)
{
  aq_x86 *x = s->x;
  aq_x86_registers(x, 0x29, AQ_RAX, AQ_RCX, true);
  const uint32_t within = aq_x86_jump_if(x, AQ_X86_B);
  aq_x86_registers(x, 0x89, AQ_RCX, AQ_RAX, true);
  aq_x86_shift(x, 5, AQ_RAX, true, 32);
  aq_strip_leave_if(s, AQ_X86_NE); /* the range begins behind all of it */
  const uint32_t found = aq_x86_jump(x);
  aq_x86_land_here(x, within);
  aq_x86_registers(x, 0x29, AQ_RCX, AQ_RSI, true);
  aq_x86_registers(x, 0x01, AQ_RCX, AQ_RDX, true);
  aq_strip_leave_if(s, AQ_X86_AE); /* it ends before the first */
  aq_x86_registers(x, 0x31, AQ_RCX, AQ_RCX, false);
  aq_x86_land_here(x, found);
  window_store(s, op);
}

/* The window of an address in two rows: rcx has the range's base, rdx a lane's
 * last place in it, rsi where the host sees it. */
static void pair_window_prepare(aq_strip *s, const aq_strip_op *op)
{
  aq_x86 *x = s->x;
  if (op->o->imm)
    aq_x86_number(x, 5, AQ_RCX, true, op->o->imm);
  aq_x86_registers(x, 0x89, AQ_RCX, AQ_RAX, true);
  aq_x86_shift(x, 5, AQ_RAX, true, 32);
  aq_x86_memory(x, 0x89, AQ_RAX, false, AQ_RSP, window_of(op, WINDOW_HIGH));
  window_store(s, op);
}

/* The same of offsets from an SGPR, which reach all of the window. */
static void offset_window_prepare(aq_strip *s, const aq_strip_op *op)
{
  aq_x86 *x = s->x;
  aq_x86_wave(x, 0x8b, AQ_RAX, true,
              (int32_t)(offsetof(aq_wave, s) + 4u * op->o->dest2));
  aq_x86_number(x, 0, AQ_RAX, true, op->o->imm);
  window_place(s, op);
}

static void global_prepare(aq_strip *s, const aq_strip_op *op)
{
  aq_x86 *x = s->x;
  const aq_wave_op *o = op->o;
  const int32_t range = aq_memory_range_at(o);
  aq_x86_wave(x, 0x8b, AQ_RAX, true, (int32_t)offsetof(aq_wave, grid));
  aq_x86_memory(x, 0x8b, AQ_RCX, true, AQ_RAX,
                range + (int32_t)offsetof(aq_wave_range, base));
  aq_x86_memory(x, 0x8b, AQ_RDX, true, AQ_RAX,
                range + (int32_t)offsetof(aq_wave_range, end));
  aq_x86_memory(x, 0x8b, AQ_RAX, true, AQ_RAX,
                range + (int32_t)offsetof(aq_wave_range, shift));
  aq_x86_registers(x, 0x29, AQ_RCX, AQ_RDX, true);
  aq_x86_number(x, 5, AQ_RDX, true, aq_strip_load_bytes(op));
  aq_strip_leave_if(s, AQ_X86_B);
  aq_x86_registers(x, 0x89, AQ_RCX, AQ_RSI, true);
  aq_x86_registers(x, 0x29, AQ_RAX, AQ_RSI, true);
  if (o->dest2 != AQ_WAVE_NONE) {
    offset_window_prepare(s, op);
    return;
  }
  aq_x86_memory(x, 0x89, AQ_RCX, true, AQ_RSP, frame_of(op, FRAME_FIRST));
  aq_x86_memory(x, 0x89, AQ_RDX, true, AQ_RSP, frame_of(op, FRAME_LAST));
  aq_x86_memory(x, 0x89, AQ_RSI, true, AQ_RSP, frame_of(op, FRAME_HOST));
  pair_window_prepare(s, op);
}

/* T2 becomes the number of the first lane that is on, in all lanes. */
static void lane_find(aq_strip *s)
{
  aq_x86_registers(s->x, 0x0fbc, AQ_RCX, AQ_RBP, false); /* bsf */
  aq_x86_vex128(s->x, 1, 1, false, 0x6e, AQ_STRIP_T2, 0, aq_x86_ymm(AQ_RCX));
  avx_spread(s, AQ_STRIP_T2, aq_x86_ymm(AQ_STRIP_T2));
}

/* Moves the window to the upper words of the lanes that are on; leaves if they
 * differ, or the range has no byte there. */
static void window_move(aq_strip *s, const aq_strip_op *op, int high)
{
  aq_x86 *x = s->x;
  lane_find(s);
  avx_permute(s, AQ_STRIP_T1, AQ_STRIP_T2, aq_x86_ymm(high));
  avx_equal(s, AQ_STRIP_T2, AQ_STRIP_T1, high);
  aq_strip_leave_unless(s, AQ_STRIP_T2);
  aq_x86_vex128(x, 1, 1, false, 0x7e, AQ_STRIP_T1, 0, aq_x86_ymm(AQ_RAX));
  aq_x86_memory(x, 0x89, AQ_RAX, false, AQ_RSP, window_of(op, WINDOW_HIGH));
  aq_x86_shift(x, 4, AQ_RAX, true, 32);
  if (op->o->imm)
    aq_x86_number(x, 0, AQ_RAX, true, op->o->imm);
  aq_x86_memory(x, 0x8b, AQ_RCX, true, AQ_RSP, frame_of(op, FRAME_FIRST));
  aq_x86_memory(x, 0x8b, AQ_RDX, true, AQ_RSP, frame_of(op, FRAME_LAST));
  aq_x86_memory(x, 0x8b, AQ_RSI, true, AQ_RSP, frame_of(op, FRAME_HOST));
  window_place(s, op);
}

/* T0 becomes the lanes' offsets in the window; the zero flag: whether no lane
 * outside is on. rcx changes, and T1 and T2. */
static void window_check(aq_strip *s, const aq_strip_op *op, int low, int high)
{
  aq_x86 *x = s->x;
  avx_spread(s, AQ_STRIP_T1, aq_x86_frame(window_of(op, WINDOW_LOW)));
  avx_spread(s, AQ_STRIP_T2, aq_x86_frame(window_of(op, WINDOW_LAST)));
  avx_sub(s, AQ_STRIP_T0, low, aq_x86_ymm(AQ_STRIP_T1));
  avx_least(s, AQ_STRIP_T1, AQ_STRIP_T0, aq_x86_ymm(AQ_STRIP_T2));
  avx_equal(s, AQ_STRIP_T1, AQ_STRIP_T1, AQ_STRIP_T0);
  if (high >= 0) {
    avx_spread(s, AQ_STRIP_T2, aq_x86_frame(window_of(op, WINDOW_HIGH)));
    avx_equal(s, AQ_STRIP_T2, AQ_STRIP_T2, high);
    avx_and(s, AQ_STRIP_T1, AQ_STRIP_T1, aq_x86_ymm(AQ_STRIP_T2));
  }
  bits_take(s, AQ_STRIP_T1);
  aq_x86_registers(x, 0xf7, 2, AQ_RCX, false); /* not */
  aq_x86_registers(x, 0x85, AQ_RBP, AQ_RCX, false);
}

/* The offsets in T0 of lanes that are off become that of one which is on: what
 * lies at theirs, or where the range begins, may be unmapped by now. rcx
 * changes, and T1 and T2. */
static void offsets_settle(aq_strip *s)
{
  enum { FULL = 0xff };
  aq_x86_number(s->x, 7, AQ_RBP, false, FULL);
  const uint32_t all = aq_x86_jump_if(s->x, AQ_X86_E);
  lane_find(s);
  avx_permute(s, AQ_STRIP_T2, AQ_STRIP_T2, aq_x86_ymm(AQ_STRIP_T0));
  aq_strip_lanes(s, AQ_STRIP_T1);
  avx_pick(s, AQ_STRIP_T0, AQ_STRIP_T2, aq_x86_ymm(AQ_STRIP_T0), AQ_STRIP_T1);
  aq_x86_land_here(s->x, all);
}

/* Sign extends four words to pairs of words. */
static void pairs_extend(aq_strip *s, int to, int from)
{
  aq_x86_vex(s->x, 2, 1, false, 0x25, to, 0, aq_x86_ymm(from), false);
}

/* Two words of each lane at the offsets in T0, from rax on. */
static void pair_gather(aq_strip *s, int32_t at, int first, int second)
{
  aq_x86 *x = s->x;
  aq_strip_lanes(s, AQ_STRIP_T1);
  pairs_extend(s, AQ_STRIP_T2, AQ_STRIP_T1);
  aq_x86_gather(x, true, first, AQ_RAX, AQ_STRIP_T0, at, AQ_STRIP_T2);
  avx_upper(s, AQ_STRIP_T1, AQ_STRIP_T1);
  pairs_extend(s, AQ_STRIP_T2, AQ_STRIP_T1);
  avx_upper(s, AQ_STRIP_T1, AQ_STRIP_T0);
  aq_x86_gather(x, true, second, AQ_RAX, AQ_STRIP_T1, at, AQ_STRIP_T2);
  avx_part_in_order(s, first, second);
}

/* Two words and more of lanes that the window has; T0 to T2 change. */
static void words_gather(aq_strip *s, const aq_strip_op *op, int low,
                         const int *d)
{
  enum { SIGN = INT32_MIN };
  aq_x86 *x = s->x;
  const unsigned n = op->rule->number;
  aq_x86_memory(x, 0x8b, AQ_RAX, true, AQ_RSP, window_of(op, WINDOW_HOST));
  aq_x86_number(x, 5, AQ_RAX, true, SIGN);
  for (unsigned k = 0; k < n; k += 2) {
    /* The host's gather adds numbers with signs. */
    avx_spread(s, AQ_STRIP_T1, aq_x86_frame(window_of(op, WINDOW_LOW)));
    avx_sub(s, AQ_STRIP_T0, low, aq_x86_ymm(AQ_STRIP_T1));
    avx_xor(s, AQ_STRIP_T0, AQ_STRIP_T0, avx_same(s, (uint32_t)SIGN));
    if (k + 1 < n) {
      pair_gather(s, 4 * (int32_t)k, d[k], d[k + 1]);
      continue;
    }
    aq_strip_lanes(s, AQ_STRIP_T1);
    aq_x86_gather(x, false, d[k], AQ_RAX, AQ_STRIP_T0, 4 * (int32_t)k,
                  AQ_STRIP_T1);
  }
}

/* Behind another place in memory. */
static aq_x86_operand behind(aq_x86_operand at, int32_t bytes)
{
  at.at += bytes * 16;
  return at;
}

/* Four words of each of eight lanes in a row. */
static void fours_load(aq_strip *s, const int *d, aq_x86_operand at)
{
  enum { UNPACK = 0x14, UNPACK_UPPER = 0x15, BYTES = 16 /* of a lane */ };
  aq_x86 *x = s->x;
  for (int i = 0; i < 4; i++) {
    aq_x86_vex128(x, 1, 2, false, 0x6f, d[i], 0, behind(at, BYTES * i));
    aq_x86_vex(x, 3, 1, false, 0x38, d[i], d[i], /* vinserti128 */
               behind(at, BYTES * (i + 4)), true);
    aq_x86_byte(x, 1);
  }
  avx_float(s, UNPACK, false, AQ_STRIP_T0, d[0], aq_x86_ymm(d[1]));
  avx_float(s, UNPACK_UPPER, false, AQ_STRIP_T1, d[0], aq_x86_ymm(d[1]));
  avx_float(s, UNPACK_UPPER, false, AQ_STRIP_T2, d[2], aq_x86_ymm(d[3]));
  avx_float(s, UNPACK, false, d[0], d[2], aq_x86_ymm(d[3]));
  avx_float(s, UNPACK_UPPER, true, d[1], AQ_STRIP_T0, aq_x86_ymm(d[0]));
  avx_float(s, UNPACK, true, d[0], AQ_STRIP_T0, aq_x86_ymm(d[0]));
  avx_float(s, UNPACK, true, d[2], AQ_STRIP_T1, aq_x86_ymm(AQ_STRIP_T2));
  avx_float(s, UNPACK_UPPER, true, d[3], AQ_STRIP_T1, aq_x86_ymm(AQ_STRIP_T2));
}

static void small_extend(aq_strip *s, const aq_strip_op *op, int to,
                         aq_x86_operand from)
{
  enum { BYTES = 0x231, HALVES = 0x233, SIGNS = 0x10 };
  avx_any(s,
          (aq_strip_load_bytes(op) == 2 ? HALVES : BYTES) -
              (op->rule->number & AQ_STRIP_SIGNED ? SIGNS : 0),
          to, 0, from);
}

/* One, two or four words of each, or less. */
static void row_load(aq_strip *s, const aq_strip_op *op, const int *d,
                     aq_x86_operand at)
{
  enum { STRIP_BYTES = 32 };
  const unsigned n = op->result_count;
  if (is_small(op)) {
    small_extend(s, op, d[0], at);
    return;
  }
  if (n == 4) {
    fours_load(s, d, at);
    return;
  }
  for (unsigned i = 0; i < n; i++)
    avx_load(s, d[i], behind(at, STRIP_BYTES * (int32_t)i));
  if (n == 2)
    avx_part_in_order(s, d[0], d[1]);
}

/* Bytes or halves at offsets from `base` on, extended to words. rax, rcx and r8
 * change, and T1. */
static void small_gather(aq_strip *s, const aq_strip_op *op, int to, int base,
                         int offsets)
{
  enum { EXTRACT = 0x16, INSERT_BYTE = 0x20, INSERT_HALF = 0xc4 };
  aq_x86 *x = s->x;
  const bool half = aq_strip_load_bytes(op) == 2;
  avx_upper(s, AQ_STRIP_T1, offsets);
  avx_xor(s, to, to, aq_x86_ymm(to));
  for (unsigned i = 0; i < 8; i++) {
    if (i % 4 == 0) {
      const int four = i ? AQ_STRIP_T1 : offsets;
      aq_x86_vex128(x, 1, 1, true, 0x7e, four, 0, aq_x86_ymm(AQ_RAX));
      aq_x86_vex128(x, 3, 1, true, EXTRACT, four, 0, aq_x86_ymm(AQ_RCX));
      aq_x86_byte(x, 1);
    }
    const int pair = i % 4 < 2 ? AQ_RAX : AQ_RCX, from = i % 2 ? pair : AQ_R8;
    if (i % 2)
      aq_x86_shift(x, 5, pair, true, 32);
    else
      aq_x86_registers(x, 0x89, pair, AQ_R8, false);
    aq_x86_vex128(x, half ? 1 : 3, 1, false, half ? INSERT_HALF : INSERT_BYTE,
                  to, to, aq_x86_sum(base, from, 0));
    aq_x86_byte(x, i);
  }
  small_extend(s, op, to, aq_x86_ymm(to));
}

/* The lanes are not in a row, or not all on. */
static void lanes_load(aq_strip *s, const aq_strip_rare *rare)
{
  aq_x86 *x = s->x;
  const aq_strip_op *op = rare->op;
  const int low = rare->address[0], high = rare->address[1];
  window_check(s, op, low, high);
  if (high < 0) {
    aq_strip_leave_if(s, AQ_X86_NE);
  } else {
    const uint32_t fits = aq_x86_jump_if(x, AQ_X86_E);
    window_move(s, op, high);
    window_check(s, op, low, high);
    aq_strip_leave_if(s, AQ_X86_NE);
    aq_x86_land_here(x, fits);
  }
  if (op->result_count > 1) {
    words_gather(s, op, low, rare->to);
    return;
  }
  offsets_settle(s);
  aq_x86_memory(x, 0x8b, AQ_RDX, true, AQ_RSP, window_of(op, WINDOW_HOST));
  if (is_small(op))
    small_gather(s, op, rare->to[0], AQ_RDX, AQ_STRIP_T0);
  else
    aq_strip_words_gather(s, rare->to[0], AQ_RDX, AQ_STRIP_T0, 0);
}

/* Jumps to the rare way unless all lanes are on, in a row of addresses in the
 * range; rax becomes where the host sees the first. */
static void row_find(aq_strip *s, aq_strip_rare *rare)
{
  enum { FULL = 0xff };
  aq_x86 *x = s->x;
  const aq_strip_op *op = rare->op;
  const int low = rare->address[0], high = rare->address[1];
  uint32_t steps[8];
  for (uint32_t i = 0; i < 8; i++)
    steps[i] = i * (uint32_t)aq_strip_load_bytes(op);
  aq_x86_number(x, 7, AQ_RBP, false, FULL);
  aq_strip_rare_if(s, rare, AQ_X86_NE);
  avx_spread(s, AQ_STRIP_T0, aq_x86_ymm(low));
  avx_sub(s, AQ_STRIP_T0, low, aq_x86_ymm(AQ_STRIP_T0));
  avx_xor(s, AQ_STRIP_T0, AQ_STRIP_T0, aq_x86_constant(x, steps));
  if (high >= 0) {
    avx_spread(s, AQ_STRIP_T1, aq_x86_frame(window_of(op, WINDOW_HIGH)));
    avx_xor(s, AQ_STRIP_T1, AQ_STRIP_T1, aq_x86_ymm(high));
    avx_or(s, AQ_STRIP_T0, AQ_STRIP_T0, aq_x86_ymm(AQ_STRIP_T1));
  }
  avx_test(s, AQ_STRIP_T0, aq_x86_ymm(AQ_STRIP_T0));
  aq_strip_rare_if(s, rare, AQ_X86_NE);
  aq_x86_vex128(x, 1, 1, false, 0x7e, low, 0, aq_x86_ymm(AQ_RAX)); /* vmovd */
  aq_x86_memory(x, 0x2b, AQ_RAX, false, AQ_RSP, window_of(op, WINDOW_LOW));
  aq_x86_memory(x, 0x3b, AQ_RAX, true, AQ_RSP, window_of(op, WINDOW_LAST_ROW));
  aq_strip_rare_if(s, rare, AQ_X86_G);
  aq_x86_memory(x, 0x03, AQ_RAX, true, AQ_RSP, window_of(op, WINDOW_HOST));
}

/* Of a wave whose row was found before its strips. */
static void fast_load(aq_strip *s, const aq_strip_op *op)
{
  int to[AQ_STRIP_RESULTS];
  aq_strip_read(s, op);
  for (unsigned k = 0; k < op->result_count; k++)
    to[k] = aq_strip_result(s, k);
  row_load(s, op, to, aq_strip_line_load(s, op));
}

static void global_load(aq_strip *s, const aq_strip_op *op)
{
  if (s->fast) {
    fast_load(s, op);
    return;
  }
  aq_strip_rare *rare = aq_strip_rare_begin(s, op);
  rare->write = lanes_load;
  rare->address[0] = aq_strip_source_register(s, op, 0);
  rare->address[1] =
      op->source_count == 2 ? aq_strip_source_register(s, op, 1) : -1;
  for (unsigned k = 0; k < op->result_count; k++)
    rare->to[k] = aq_strip_result(s, k);
  if (op->result_count == 3) {
    rare->from[rare->from_count++] = aq_x86_jump(s->x);
  } else {
    row_find(s, rare);
    row_load(s, op, rare->to, aq_x86_at(AQ_RAX, 0));
  }
  rare->back = s->x->size;
}

/* ---- the table ---- */

/* clang-format off */
#define LOAD(name, words, address, number)                                     \
  {"global_load_" name, words, address, global_load, number, AQ_STRIP_LOAD}
#define LOADS(address)                                                         \
  {                                                                            \
    LOAD("dword", "1", address, 1),                                            \
    LOAD("dwordx2", "2", address, 2),                                          \
    LOAD("dwordx3", "3", address, 3),                                          \
    LOAD("dwordx4", "4", address, 4),                                          \
    LOAD("ubyte", "1", address, 1 | AQ_STRIP_SMALL),                           \
    LOAD("sbyte", "1", address, 1 | AQ_STRIP_SMALL | AQ_STRIP_SIGNED),         \
    LOAD("ushort", "1", address, 2 | AQ_STRIP_SMALL),                          \
    LOAD("sshort", "1", address, 2 | AQ_STRIP_SMALL | AQ_STRIP_SIGNED),        \
    {NULL, NULL, NULL, NULL, 0, 0}                                             \
  }
/* clang-format on */

const aq_strip_rule aq_strip_rules_loads[] = LOADS("U");
const aq_strip_rule aq_strip_rules_offset_loads[] = LOADS("u");

const aq_strip_rule *aq_strip_load_rule(const aq_wave_texts *texts,
                                        const aq_wave_op *o)
{
  const aq_wave_transfer *t = aq_wave_transfer_for(texts, o);
  const aq_wave_ruled *small = t ? NULL : aq_wave_ruled_for(texts, o);
  if (t ? t->store || t->scalar : !small || !small->loads)
    return NULL;
  return aq_strip_rule_in(t && t->shared ? aq_strip_rules_shared
                          : o->dest2 == AQ_WAVE_NONE
                              ? aq_strip_rules_loads
                              : aq_strip_rules_offset_loads,
                          t ? t->name : small->name);
}

void aq_strip_load_prepare(aq_strip *s, const aq_strip_op *op)
{
  if (aq_strip_is_shared(op))
    aq_strip_shared_prepare(s, op);
  else
    global_prepare(s, op);
}
