/* SPDX-License-Identifier: MIT */
/*
 * Rules of strips (strip.h): loads of words from LDS and global memory. Where
 * all lanes are on, the words of eight lanes in a row are read at once, and so
 * is one word of LDS for all lanes; others are gathered, two words of a lane as
 * one: code that polls relies on that. Addresses are checked in the strip: in
 * LDS against its size, global ones against the range that the instruction
 * found last (access.inc). A strip that does not fit is left to the handlers,
 * which also find the next range.
 *
 * Loads of LDS at one address, with several offsets, have a leader: the first,
 * which checks the address for all of them and finds the strip's order.
 *
 * A load's part of the frame: of LDS where it lies, where the first lane's
 * address is, the last offset and the order; of global memory the base of the
 * lanes' offsets (with an SGPR), the range's base, the bytes of a strip's
 * last place in it, and its shift.
 */
#include "config.h"

#include <stddef.h>

#include "gpu/wave/core/code.h"
#include "gpu/wave/jit/strip.h"
#include "gpu/wave/jit/strip_avx.h"

enum {
  FRAME_BASE,
  FRAME_FIRST = 8,
  FRAME_LAST = 16,
  FRAME_ORDER = 20,
  FRAME_SHIFT = 24
};
enum { IN_A_ROW, ALL_ONE, ANY /* addresses of a strip */ };
enum { FULL = 0xff };

static int32_t frame_of(const aq_strip_op *op, int32_t at)
{
  return AQ_STRIP_AT_LOADS + 32 * op->load + at;
}

/* ---- LDS ---- */

static aq_strip_emit shared_load;

/* Offsets of the words from the lane's address, and the number added to that.
 */
typedef struct shared_words {
  uint32_t add, size;
  uint32_t parts[4];
} shared_words;

/* `number`: words of an element, and of two elements their scale above. */
static shared_words words_of(const aq_strip_op *op)
{
  const uint32_t n = op->rule->number & 15, scale = op->rule->number >> 4,
                 imm = (uint32_t)op->o->imm;
  shared_words w = {.add = scale ? 0 : imm, .size = 4 * n};
  const uint32_t unit = 4 * n * scale, first = (imm & 0xff) * unit,
                 second = (imm >> 8 & 0xff) * unit;
  for (uint32_t k = 0; k < n; k++) {
    w.parts[k] = (scale ? first : 0) + 4 * k;
    if (scale)
      w.parts[n + k] = second + 4 * k;
  }
  if (scale)
    w.size += first > second ? first : second;
  return w;
}

/* The frame of an instruction's leader. */
static int32_t shared_frame(const aq_strip *s, const aq_strip_op *op,
                            int32_t at)
{
  return AQ_STRIP_AT_LOADS + 32 * s->list[op->leader].load + at;
}

void aq_strip_load_join(aq_strip *s, aq_strip_op *op)
{
  op->leader = (uint8_t)s->count;
  if (op->rule->emit != shared_load) {
    s->reaches = true;
    return;
  }
  const shared_words w = words_of(op);
  op->bytes = w.add + w.size;
  for (unsigned i = s->count; i-- > 0;) {
    const aq_strip_op *before = &s->list[i];
    for (unsigned k = 0; k < before->result_count; k++)
      if (before->results[k] == op->sources[0].value)
        return;
    if (before->rule->emit != shared_load ||
        before->sources[0].value != op->sources[0].value)
      continue;
    op->leader = before->leader;
    aq_strip_op *leader = &s->list[op->leader];
    if (leader->bytes < op->bytes)
      leader->bytes = op->bytes;
    return;
  }
}

static void shared_prepare(aq_strip *s, const aq_strip_op *op)
{
  aq_x86 *x = s->x;
  if (op != &s->list[op->leader])
    return;
  aq_x86_wave(x, 0x8b, AQ_RAX, true, (int32_t)offsetof(aq_wave, grid));
  aq_x86_memory(x, 0x8b, AQ_RAX, false, AQ_RAX,
                (int32_t)offsetof(aq_wave_grid, lds_size));
  aq_x86_number(x, 5, AQ_RAX, false, (int32_t)op->bytes);
  aq_strip_leave_if(s, AQ_X86_B);
  aq_x86_memory(x, 0x89, AQ_RAX, false, AQ_RSP, frame_of(op, FRAME_LAST));
  aq_x86_wave(x, 0x8b, AQ_RAX, true, (int32_t)offsetof(aq_wave, group));
  aq_x86_memory(x, 0x8b, AQ_RAX, true, AQ_RAX,
                (int32_t)offsetof(aq_wave_group, lds));
  aq_x86_memory(x, 0x89, AQ_RAX, true, AQ_RSP, frame_of(op, FRAME_BASE));
}

/* The bits of a mask of lanes in ecx. */
static void bits_take(aq_strip *s, int mask)
{
  aq_x86_vex(s->x, 1, 0, false, 0x50, AQ_RCX, 0, aq_x86_ymm(mask), false);
}

/* Leaves unless `mask` is set in all lanes that are on. */
static void leave_unless(aq_strip *s, int mask)
{
  bits_take(s, mask);
  aq_x86_registers(s->x, 0xf7, 2, AQ_RCX, false); /* not */
  aq_x86_registers(s->x, 0x85, AQ_RBP, AQ_RCX, false);
  aq_strip_leave_if(s, AQ_X86_NE);
}

/* Eight words at [rdx + part], or one for all lanes. */
static void words_load(aq_strip *s, int to, uint32_t part)
{
  avx_load(s, to, aq_x86_at(AQ_RDX, (int32_t)part));
}

static void word_broadcast(aq_strip *s, int to, uint32_t part)
{
  aq_x86_vex(s->x, 2, 1, false, 0x58, to, 0, aq_x86_at(AQ_RDX, (int32_t)part),
             false);
}

/* Where the words of all lanes lie, `bytes` of each in a row: T2 becomes the
 * distances from lane 0's, whose own is in eax. Returned are jumps to the
 * gather: some lane is off; and to the code for words out of order. */
static void order_find(aq_strip *s, int at, uint32_t bytes, uint32_t jumps[2])
{
  aq_x86 *x = s->x;
  uint32_t steps[8];
  for (uint32_t i = 0; i < 8; i++)
    steps[i] = i * bytes;
  aq_x86_number(x, 7, AQ_RBP, false, FULL);
  jumps[0] = aq_x86_jump_if(x, AQ_X86_NE);
  aq_x86_vex128(x, 1, 1, false, 0x7e, at, 0, aq_x86_ymm(AQ_RAX)); /* vmovd */
  aq_x86_vex(x, 2, 1, false, 0x58, AQ_STRIP_T1, 0, aq_x86_ymm(at), false);
  avx_sub(s, AQ_STRIP_T2, at, aq_x86_ymm(AQ_STRIP_T1));
  avx_any(s, 0x176, AQ_STRIP_T1, AQ_STRIP_T2, aq_x86_constant(x, steps));
  bits_take(s, AQ_STRIP_T1);
  aq_x86_number(x, 7, AQ_RCX, false, FULL);
  jumps[1] = aq_x86_jump_if(x, AQ_X86_NE);
}

/* Whether all distances in T2 are 0; returned is a jump if not. */
static uint32_t is_one(aq_strip *s)
{
  aq_x86_vex(s->x, 2, 1, false, 0x17, AQ_STRIP_T2, 0, aq_x86_ymm(AQ_STRIP_T2),
             false);
  return aq_x86_jump_if(s->x, AQ_X86_NE);
}

/* The leader's part: whether all addresses are in LDS, and their order. */
static void shared_order(aq_strip *s, const aq_strip_op *op, int address)
{
  aq_x86 *x = s->x;
  uint32_t jumps[2];
  aq_x86_vex(x, 2, 1, false, 0x58, AQ_STRIP_T1, 0,
             aq_x86_frame(frame_of(op, FRAME_LAST)), false);
  avx_any(s, 0x23b, AQ_STRIP_T1, address, aq_x86_ymm(AQ_STRIP_T1));
  avx_equal(s, AQ_STRIP_T1, AQ_STRIP_T1, address);
  leave_unless(s, AQ_STRIP_T1);
  aq_x86_memory(x, 0xc7, 0, false, AQ_RSP, frame_of(op, FRAME_ORDER));
  aq_x86_word(x, ANY);
  order_find(s, address, 4, jumps);
  aq_x86_load_number(x, AQ_RCX, IN_A_ROW);
  const uint32_t row = aq_x86_jump(x);
  aq_x86_land_here(x, jumps[1]);
  const uint32_t others = is_one(s);
  aq_x86_load_number(x, AQ_RCX, ALL_ONE);
  aq_x86_land_here(x, row);
  aq_x86_memory(x, 0x89, AQ_RCX, false, AQ_RSP, frame_of(op, FRAME_ORDER));
  aq_x86_memory(x, 0x03, AQ_RAX, true, AQ_RSP, frame_of(op, FRAME_BASE));
  aq_x86_memory(x, 0x89, AQ_RAX, true, AQ_RSP, frame_of(op, FRAME_FIRST));
  aq_x86_land_here(x, jumps[0]);
  aq_x86_land_here(x, others);
}

static void shared_load(aq_strip *s, const aq_strip_op *op)
{
  aq_x86 *x = s->x;
  const shared_words w = words_of(op);
  const int address = aq_strip_source_register(s, op, 0);
  int d[4];
  for (unsigned k = 0; k < op->result_count; k++)
    d[k] = aq_strip_result(s, k);
  if (op == &s->list[op->leader])
    shared_order(s, op, address);
  aq_x86_memory(x, 0x83, 7, false, AQ_RSP, shared_frame(s, op, FRAME_ORDER));
  aq_x86_byte(x, ALL_ONE);
  aq_x86_memory(x, 0x8b, AQ_RDX, true, AQ_RSP,
                shared_frame(s, op, FRAME_FIRST));
  const uint32_t other = aq_x86_jump_if(x, AQ_X86_AE);
  for (unsigned k = 0; k < op->result_count; k++)
    words_load(s, d[k], w.add + w.parts[k]);
  const uint32_t done = aq_x86_jump(x);
  aq_x86_land_here(x, other);
  const uint32_t any = aq_x86_jump_if(x, AQ_X86_NE);
  for (unsigned k = 0; k < op->result_count; k++)
    word_broadcast(s, d[k], w.add + w.parts[k]);
  const uint32_t done_too = aq_x86_jump(x);
  aq_x86_land_here(x, any);
  aq_x86_memory(x, 0x8b, AQ_RDX, true, AQ_RSP, shared_frame(s, op, FRAME_BASE));
  for (unsigned k = 0; k < op->result_count; k++) {
    aq_strip_lanes(s, AQ_STRIP_T1);
    aq_x86_gather(x, false, d[k], AQ_RDX, address,
                  (int32_t)(w.add + w.parts[k]), AQ_STRIP_T1);
  }
  aq_x86_land_here(x, done);
  aq_x86_land_here(x, done_too);
}

/* ---- global memory ---- */

static int32_t range_at(const aq_wave_op *o, size_t field)
{
  const size_t i = (uintptr_t)o / sizeof *o % AQ_WAVE_RANGES;
  return (int32_t)(offsetof(aq_wave_grid, ranges) + i * sizeof(aq_wave_range) +
                   field);
}

/* Bytes of a lane. */
static int32_t bytes_of(const aq_strip_op *op)
{
  return 4 * (int32_t)op->rule->number;
}

static void global_prepare(aq_strip *s, const aq_strip_op *op)
{
  aq_x86 *x = s->x;
  const aq_wave_op *o = op->o;
  aq_x86_wave(x, 0x8b, AQ_RAX, true, (int32_t)offsetof(aq_wave, grid));
  aq_x86_memory(x, 0x8b, AQ_RCX, true, AQ_RAX,
                range_at(o, offsetof(aq_wave_range, base)));
  aq_x86_memory(x, 0x8b, AQ_RDX, true, AQ_RAX,
                range_at(o, offsetof(aq_wave_range, end)));
  aq_x86_memory(x, 0x8b, AQ_RAX, true, AQ_RAX,
                range_at(o, offsetof(aq_wave_range, shift)));
  aq_x86_memory(x, 0x89, AQ_RCX, true, AQ_RSP, frame_of(op, FRAME_FIRST));
  aq_x86_memory(x, 0x89, AQ_RAX, true, AQ_RSP, frame_of(op, FRAME_SHIFT));
  aq_x86_registers(x, 0x29, AQ_RCX, AQ_RDX, true);
  aq_x86_number(x, 5, AQ_RDX, true, 8 * bytes_of(op));
  aq_strip_leave_if(s, AQ_X86_B);
  aq_x86_memory(x, 0x89, AQ_RDX, true, AQ_RSP, frame_of(op, FRAME_LAST));
  if (o->dest2 != AQ_WAVE_NONE) {
    aq_x86_wave(x, 0x8b, AQ_RAX, true,
                (int32_t)(offsetof(aq_wave, s) + 4u * o->dest2));
    aq_x86_number(x, 0, AQ_RAX, true, o->imm);
    aq_x86_memory(x, 0x89, AQ_RAX, true, AQ_RSP, frame_of(op, FRAME_BASE));
  }
}

/* Leaves unless the upper words of all lanes that are on are the same; rax
 * becomes the base of the lower ones. T1 and T2 change. */
static void upper_find(aq_strip *s, const aq_strip_op *op, int high)
{
  aq_x86 *x = s->x;
  if (high < 0) {
    aq_x86_memory(x, 0x8b, AQ_RAX, true, AQ_RSP, frame_of(op, FRAME_BASE));
    return;
  }
  aq_x86_vex(x, 1, 2, false, 0x7f, high, 0, aq_x86_frame(AQ_STRIP_AT_WORDS),
             false);
  aq_x86_registers(x, 0x0fbc, AQ_RCX, AQ_RBP, false); /* bsf */
  aq_x86_byte(x, 0x8b); /* mov eax, [rsp + 4 rcx + words] */
  aq_x86_byte(x, 0x84);
  aq_x86_byte(x, 0x8c);
  aq_x86_word(x, AQ_STRIP_AT_WORDS);
  aq_x86_vex128(x, 1, 1, false, 0x6e, AQ_STRIP_T1, 0, aq_x86_ymm(AQ_RAX));
  aq_x86_vex(x, 2, 1, false, 0x58, AQ_STRIP_T1, 0, aq_x86_ymm(AQ_STRIP_T1),
             false);
  avx_equal(s, AQ_STRIP_T1, AQ_STRIP_T1, high);
  leave_unless(s, AQ_STRIP_T1);
  aq_x86_shift(x, 4, AQ_RAX, true, 32);
  aq_x86_number(x, 0, AQ_RAX, true, op->o->imm);
}

/* Leaves unless the lanes' bytes at the lower words from rax on lie in the
 * range. rcx, rsi and rdi change, and T0 and T1. */
static void extent_check(aq_strip *s, const aq_strip_op *op, int low)
{
  aq_x86 *x = s->x;
  /* rcx: the least offset, 0 if the range begins before; rsi: how many follow,
   * at most 2^32 - 1. */
  aq_x86_memory(x, 0x8b, AQ_RCX, true, AQ_RSP, frame_of(op, FRAME_FIRST));
  aq_x86_registers(x, 0x89, AQ_RCX, AQ_RSI, true);
  aq_x86_memory(x, 0x03, AQ_RSI, true, AQ_RSP, frame_of(op, FRAME_LAST));
  aq_x86_number(x, 0, AQ_RSI, true, 7 * bytes_of(op)); /* of one lane */
  aq_x86_registers(x, 0x29, AQ_RAX, AQ_RSI, true);
  aq_strip_leave_if(s, AQ_X86_B);
  aq_x86_registers(x, 0x31, AQ_RDI, AQ_RDI, false);
  aq_x86_registers(x, 0x29, AQ_RAX, AQ_RCX, true);
  aq_x86_registers(x, 0x0f42, AQ_RCX, AQ_RDI, true); /* cmovb */
  aq_x86_load_number(x, AQ_RDI, UINT32_MAX);
  aq_x86_registers(x, 0x39, AQ_RDI, AQ_RCX, true);
  aq_strip_leave_if(s, AQ_X86_A);
  aq_x86_registers(x, 0x39, AQ_RDI, AQ_RSI, true);
  aq_x86_registers(x, 0x0f47, AQ_RSI, AQ_RDI, true); /* cmova */
  aq_x86_registers(x, 0x29, AQ_RCX, AQ_RSI, true);
  aq_strip_leave_if(s, AQ_X86_B);
  aq_x86_vex128(x, 1, 1, false, 0x6e, AQ_STRIP_T0, 0, aq_x86_ymm(AQ_RCX));
  aq_x86_vex128(x, 1, 1, false, 0x6e, AQ_STRIP_T1, 0, aq_x86_ymm(AQ_RSI));
  for (int t = AQ_STRIP_T0; t <= AQ_STRIP_T1; t++)
    aq_x86_vex(x, 2, 1, false, 0x58, t, 0, aq_x86_ymm(t), false);
  avx_sub(s, AQ_STRIP_T0, low, aq_x86_ymm(AQ_STRIP_T0));
  avx_any(s, 0x23b, AQ_STRIP_T1, AQ_STRIP_T0, aq_x86_ymm(AQ_STRIP_T1));
  avx_equal(s, AQ_STRIP_T1, AQ_STRIP_T1, AQ_STRIP_T0);
  leave_unless(s, AQ_STRIP_T1);
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

/* The words of the lanes at the lower words from rax on; T0 to T2 change. */
static void words_gather(aq_strip *s, const aq_strip_op *op, int low,
                         const int *d)
{
  enum { SIGN = INT32_MIN };
  aq_x86 *x = s->x;
  const unsigned n = op->rule->number;
  extent_check(s, op, low);
  aq_x86_memory(x, 0x2b, AQ_RAX, true, AQ_RSP, frame_of(op, FRAME_SHIFT));
  aq_x86_number(x, 5, AQ_RAX, true, SIGN);
  for (unsigned k = 0; k < n; k += 2) {
    /* The host's gather adds numbers with signs. */
    avx_xor(s, AQ_STRIP_T0, low, avx_same(s, (uint32_t)SIGN));
    if (k + 1 < n) {
      pair_gather(s, 4 * (int32_t)k, d[k], d[k + 1]);
      continue;
    }
    aq_strip_lanes(s, AQ_STRIP_T1);
    aq_x86_gather(x, false, d[k], AQ_RAX, AQ_STRIP_T0, 4 * (int32_t)k,
                  AQ_STRIP_T1);
  }
}

/* Four words of each of eight lanes in a row at rax. */
static void fours_load(aq_strip *s, const int *d)
{
  enum { UNPACK = 0x14, UNPACK_UPPER = 0x15, BYTES = 16 /* of a lane */ };
  aq_x86 *x = s->x;
  for (int i = 0; i < 4; i++) {
    aq_x86_vex128(x, 1, 2, false, 0x6f, d[i], 0, aq_x86_at(AQ_RAX, BYTES * i));
    aq_x86_vex(x, 3, 1, false, 0x38, d[i], d[i], /* vinserti128 */
               aq_x86_at(AQ_RAX, BYTES * (i + 4)), true);
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

/* One, two or four words of each. */
static void row_load(aq_strip *s, unsigned n, const int *d)
{
  enum { STRIP_BYTES = 32 };
  if (n == 4) {
    fours_load(s, d);
    return;
  }
  for (unsigned i = 0; i < n; i++)
    avx_load(s, d[i], aq_x86_at(AQ_RAX, STRIP_BYTES * (int32_t)i));
  if (n == 2)
    avx_part_in_order(s, d[0], d[1]);
}

/* The words if they are a row, else a jump to the gather; rax: the base. The
 * jump that is returned leads behind the gather. */
static uint32_t row_try(aq_strip *s, const aq_strip_op *op, int low,
                        const int *d)
{
  aq_x86 *x = s->x;
  uint32_t jumps[2];
  aq_x86_registers(x, 0x89, AQ_RAX, AQ_R8, true);
  order_find(s, low, (uint32_t)bytes_of(op), jumps);
  /* A row that passes 2^32 lies in two: its upper words are the same. */
  aq_x86_number(x, 7, AQ_RAX, false, -8 * bytes_of(op));
  const uint32_t passes = aq_x86_jump_if(x, AQ_X86_A);
  aq_x86_registers(x, 0x01, AQ_R8, AQ_RAX, true);
  aq_x86_registers(x, 0x89, AQ_RAX, AQ_RCX, true);
  aq_x86_memory(x, 0x2b, AQ_RCX, true, AQ_RSP, frame_of(op, FRAME_FIRST));
  aq_x86_memory(x, 0x3b, AQ_RCX, true, AQ_RSP, frame_of(op, FRAME_LAST));
  aq_strip_leave_if(s, AQ_X86_A);
  aq_x86_memory(x, 0x2b, AQ_RAX, true, AQ_RSP, frame_of(op, FRAME_SHIFT));
  row_load(s, op->rule->number, d);
  const uint32_t done = aq_x86_jump(x);
  for (int i = 0; i < 2; i++)
    aq_x86_land_here(x, jumps[i]);
  aq_x86_land_here(x, passes);
  aq_x86_registers(x, 0x89, AQ_R8, AQ_RAX, true);
  return done;
}

static void global_load(aq_strip *s, const aq_strip_op *op)
{
  aq_x86 *x = s->x;
  const bool wide = op->source_count == 2;
  const unsigned n = op->rule->number;
  const int low = aq_strip_source_register(s, op, 0),
            high = wide ? aq_strip_source_register(s, op, 1) : -1;
  int d[4];
  for (unsigned k = 0; k < n; k++)
    d[k] = aq_strip_result(s, k);
  aq_x86_address(x, AQ_RAX, AQ_R12,
                 (int32_t)((op->o - s->ops) * (ptrdiff_t)sizeof *op->o));
  aq_x86_wave(x, 0x89, AQ_RAX, true, (int32_t)offsetof(aq_wave, at));
  upper_find(s, op, high);
  if (n == 3) {
    words_gather(s, op, low, d);
    return;
  }
  const uint32_t done = row_try(s, op, low, d);
  words_gather(s, op, low, d);
  aq_x86_land_here(x, done);
}

/* ---- the table ---- */

static const aq_strip_rule rules[] = {
    {"global_load_dword", "1", "U", global_load, 1, AQ_STRIP_LOAD},
    {"global_load_dwordx2", "2", "U", global_load, 2, AQ_STRIP_LOAD},
    {"global_load_dwordx3", "3", "U", global_load, 3, AQ_STRIP_LOAD},
    {"global_load_dwordx4", "4", "U", global_load, 4, AQ_STRIP_LOAD},
    {"ds_read_b32", "1", "u", shared_load, 1, AQ_STRIP_LOAD},
    {"ds_read_b64", "2", "u", shared_load, 2, AQ_STRIP_LOAD},
    {"ds_read_b96", "3", "u", shared_load, 3, AQ_STRIP_LOAD},
    {"ds_read_b128", "4", "u", shared_load, 4, AQ_STRIP_LOAD},
    {"ds_read2_b32", "2", "u", shared_load, 1 | 1 << 4, AQ_STRIP_LOAD},
    {"ds_read2_b64", "4", "u", shared_load, 2 | 1 << 4, AQ_STRIP_LOAD},
    {"ds_read2st64_b32", "2", "u", shared_load, 1 | 64 << 4, AQ_STRIP_LOAD},
    {"ds_read2st64_b64", "4", "u", shared_load, 2 | 64 << 4, AQ_STRIP_LOAD}};

/* With an SGPR, whose lanes' offsets are words. */
static const aq_strip_rule offset_rules[] = {
    {"global_load_dword", "1", "u", global_load, 1, AQ_STRIP_LOAD},
    {"global_load_dwordx2", "2", "u", global_load, 2, AQ_STRIP_LOAD},
    {"global_load_dwordx3", "3", "u", global_load, 3, AQ_STRIP_LOAD},
    {"global_load_dwordx4", "4", "u", global_load, 4, AQ_STRIP_LOAD}};

const aq_strip_rule *aq_strip_load_rule(const aq_wave_texts *texts,
                                        const aq_wave_op *o)
{
  const aq_wave_transfer *t = aq_wave_transfer_for(texts, o);
  if (!t || t->store || t->scalar)
    return NULL;
  if (!t->shared)
    return o->dest2 == AQ_WAVE_NONE ? &rules[t->words - 1]
                                    : &offset_rules[t->words - 1];
  for (size_t i = 4; i < sizeof rules / sizeof *rules; i++)
    if (strcmp(rules[i].name, t->name) == 0)
      return &rules[i];
  return NULL;
}

void aq_strip_load_prepare(aq_strip *s, const aq_strip_op *op)
{
  if (op->rule->emit == shared_load)
    shared_prepare(s, op);
  else
    global_prepare(s, op);
}
