/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/jit/memory_code.h"

#include <stddef.h>

#include "gpu/wave/core/code.h"

enum { STRIP = 8 /* lanes */, STRIP_BYTES = 32 };
enum { Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7 };

/* Opcodes with the prefix 66, map in bits 8 to 11. */
enum {
  ADD = 0x1fe,
  SUB = 0x1fa,
  XOR = 0x1ef,
  OR = 0x1eb,
  MOST = 0x23f,  /* of words without a sign */
  LEAST = 0x23b, /* the same */
  SPREAD = 0x258,
  TEST = 0x217,
  UNPACK_LOW = 0x162, /* words of two registers, */
  UNPACK_HIGH = 0x16a,
  UNPACK_LOW_PAIRS = 0x16c,
  UNPACK_HIGH_PAIRS = 0x16d
};

typedef struct transfer {
  aq_x86 *x;
  const aq_wave_op *o, *ops;
  unsigned words, strips;
  aq_memory_misses *misses;
} transfer;

static void avx(aq_x86 *x, unsigned op, int to, int a, aq_x86_operand b)
{
  aq_x86_vex(x, op >> 8, 1, false, op & 0xff, to, a, b, false);
}

static void miss_if(const transfer *t, int condition)
{
  aq_memory_misses *misses = t->misses;
  const uint32_t at = aq_x86_jump_if(t->x, condition);
  if (misses->count < sizeof misses->at / sizeof *misses->at)
    misses->at[misses->count++] = at;
  else
    t->x->full = true;
}

/* The words of a strip. */
static int32_t row_at(unsigned row, unsigned strip)
{
  return (int32_t)(offsetof(aq_wave, v) + 4 * AQ_WAVE_LANES * row +
                   STRIP_BYTES * strip);
}

static aq_x86_operand row_of(unsigned row, unsigned strip)
{
  return (aq_x86_operand){AQ_X86_WAVE, row_at(row, strip)};
}

/* Distances of the lanes' words from the first one's, 8 * `first` further. */
static aq_x86_operand steps_of(const transfer *t, unsigned first)
{
  uint32_t steps[STRIP];
  for (unsigned i = 0; i < STRIP; i++)
    steps[i] = 4 * t->words * (STRIP * first + i);
  return aq_x86_constant(t->x, steps);
}

void aq_memory_lanes_test(aq_x86 *x, bool wave32)
{
  aq_x86_wave(x, 0x83, 7, !wave32,
              (int32_t)(offsetof(aq_wave, s) + 4 * AQ_ISA_EXEC));
  aq_x86_byte(x, 0xff); /* -1 */
}

/* ---- words ---- */

/* The lower and upper halves of a register. */
static void halves_store(aq_x86 *x, int from, int to, int32_t low, int32_t high)
{
  aq_x86_vex128(x, 1, 2, false, 0x7f, from, 0, aq_x86_at(to, low));
  aq_x86_vex(x, 3, 1, false, 0x39, from, 0, aq_x86_at(to, high), true);
  aq_x86_byte(x, 1); /* vextracti128 */
}

/* One, two or four words of each lane of a strip, from rows on, at `at` behind
 * the address in rax. */
static void strip_store(const transfer *t, unsigned row, unsigned strip,
                        int32_t at)
{
  aq_x86 *x = t->x;
  for (unsigned k = 0; k < t->words; k++)
    aq_x86_vex(x, 1, 2, false, 0x6f, (int)k, 0, row_of(row + k, strip), false);
  if (t->words == 1) {
    aq_x86_vex(x, 1, 2, false, 0x7f, Y0, 0, aq_x86_at(AQ_RAX, at), false);
    return;
  }
  avx(x, UNPACK_LOW, Y4, Y0, aq_x86_ymm(Y1));
  avx(x, UNPACK_HIGH, Y5, Y0, aq_x86_ymm(Y1));
  if (t->words == 2) {
    halves_store(x, Y4, AQ_RAX, at, at + 32);
    halves_store(x, Y5, AQ_RAX, at + 16, at + 48);
    return;
  }
  avx(x, UNPACK_LOW, Y6, Y2, aq_x86_ymm(Y3));
  avx(x, UNPACK_HIGH, Y7, Y2, aq_x86_ymm(Y3));
  avx(x, UNPACK_LOW_PAIRS, Y0, Y4, aq_x86_ymm(Y6));
  avx(x, UNPACK_HIGH_PAIRS, Y1, Y4, aq_x86_ymm(Y6));
  avx(x, UNPACK_LOW_PAIRS, Y2, Y5, aq_x86_ymm(Y7));
  avx(x, UNPACK_HIGH_PAIRS, Y3, Y5, aq_x86_ymm(Y7));
  for (int i = 0; i < 4; i++)
    halves_store(x, Y0 + i, AQ_RAX, at + 16 * i, at + 64 + 16 * i);
}

/* ---- global memory ---- */

/* Y1 becomes 0 where all addresses are in a row. */
static void row_check(const transfer *t)
{
  aq_x86 *x = t->x;
  const unsigned low = t->o->source[1];
  avx(x, SPREAD, Y0, 0, row_of(low, 0));
  for (unsigned i = 0; i < t->strips; i++) {
    const int to = i ? Y2 : Y1;
    avx(x, ADD, to, Y0, steps_of(t, i));
    avx(x, XOR, to, to, row_of(low, i));
    if (i)
      avx(x, OR, Y1, Y1, aq_x86_ymm(Y2));
  }
  if (t->o->dest2 != AQ_WAVE_NONE)
    return;
  avx(x, SPREAD, Y0, 0, row_of(low + 1, 0));
  for (unsigned i = 0; i < t->strips; i++) {
    avx(x, XOR, Y2, Y0, row_of(low + 1, i));
    avx(x, OR, Y1, Y1, aq_x86_ymm(Y2));
  }
}

/* The instruction is the last one that touched memory of others. */
static void at_put(const transfer *t)
{
  aq_x86_address(t->x, AQ_RCX, AQ_R12,
                 (int32_t)((t->o - t->ops) * (ptrdiff_t)sizeof *t->ops));
  aq_x86_wave(t->x, 0x89, AQ_RCX, true, (int32_t)offsetof(aq_wave, at));
}

/* rax becomes the first lane's address. */
static void address_load(const transfer *t, int32_t bytes)
{
  aq_x86 *x = t->x;
  const aq_wave_op *o = t->o;
  aq_x86_wave(x, 0x8b, AQ_RAX, false, row_at(o->source[1], 0));
  /* A row that passes 2^32 lies in two: its upper words are the same. */
  aq_x86_number(x, 7, AQ_RAX, false, -bytes);
  miss_if(t, AQ_X86_A);
  if (o->dest2 == AQ_WAVE_NONE) {
    aq_x86_wave(x, 0x8b, AQ_RCX, false, row_at(o->source[1] + 1u, 0));
    aq_x86_shift(x, 4, AQ_RCX, true, 32);
    aq_x86_registers(x, 0x01, AQ_RCX, AQ_RAX, true);
  } else {
    aq_x86_wave(x, 0x03, AQ_RAX, true,
                (int32_t)(offsetof(aq_wave, s) + 4u * o->dest2));
  }
  if (o->imm)
    aq_x86_number(x, 0, AQ_RAX, true, o->imm);
}

/* Misses unless `bytes` from rax on are in a range of the grid, to which rdx
 * points; rax becomes where the host sees them. */
static void range_check(const transfer *t, int32_t range, int32_t bytes)
{
  aq_x86 *x = t->x;
  aq_x86_memory(x, 0x3b, AQ_RAX, true, AQ_RDX,
                range + (int32_t)offsetof(aq_wave_range, base));
  miss_if(t, AQ_X86_B);
  aq_x86_memory(x, 0x8b, AQ_RCX, true, AQ_RDX,
                range + (int32_t)offsetof(aq_wave_range, end));
  aq_x86_registers(x, 0x29, AQ_RAX, AQ_RCX, true);
  miss_if(t, AQ_X86_B);
  aq_x86_number(x, 7, AQ_RCX, true, bytes);
  miss_if(t, AQ_X86_B);
  aq_x86_memory(x, 0x2b, AQ_RAX, true, AQ_RDX,
                range + (int32_t)offsetof(aq_wave_range, shift));
}

int32_t aq_memory_range_at(const aq_wave_op *o)
{
  const size_t i = (uintptr_t)o / sizeof *o % AQ_WAVE_RANGES;
  return (int32_t)(offsetof(aq_wave_grid, ranges) + i * sizeof(aq_wave_range));
}

/* To memory that was checked: rax points there, rdx to the grid. */
static void rows_store(const transfer *t)
{
  const int32_t each = (int32_t)(STRIP_BYTES * t->words);
  aq_x86_memory(t->x, 0xc6, 0, false, AQ_RDX,
                (int32_t)offsetof(aq_wave_grid, quiet));
  aq_x86_byte(t->x, false);
  at_put(t);
  for (unsigned i = 0; i < t->strips; i++)
    strip_store(t, t->o->source[2], i, (int32_t)i * each);
}

void aq_memory_rows_store(aq_x86 *x, const aq_wave_op *o, unsigned words,
                          const aq_wave_op *ops, bool wave32)
{
  const transfer t = {.x = x,
                      .o = o,
                      .ops = ops,
                      .words = words,
                      .strips = (wave32 ? 32 : 64) / STRIP};
  aq_x86_wave(x, 0x8b, AQ_RDX, true, (int32_t)offsetof(aq_wave, grid));
  rows_store(&t);
}

static void global_store(const transfer *t)
{
  aq_x86 *x = t->x;
  const int32_t range = aq_memory_range_at(t->o);
  const int32_t bytes = (int32_t)(STRIP_BYTES * t->words) * (int32_t)t->strips;
  row_check(t);
  avx(x, TEST, Y1, 0, aq_x86_ymm(Y1));
  miss_if(t, AQ_X86_NE);
  address_load(t, bytes);
  aq_x86_wave(x, 0x8b, AQ_RDX, true, (int32_t)offsetof(aq_wave, grid));
  aq_x86_memory(x, 0x80, 7, false, AQ_RDX,
                range + (int32_t)offsetof(aq_wave_range, writable));
  aq_x86_byte(x, 0);
  miss_if(t, AQ_X86_E);
  range_check(t, range, bytes);
  rows_store(t);
}

/* ---- LDS ---- */

/* Misses unless each strip's addresses are in a row and end `bytes` before the
 * end. */
static void shared_check(const transfer *t, uint32_t bytes)
{
  aq_x86 *x = t->x;
  const unsigned row = t->o->source[1];
  for (unsigned i = 0; i < t->strips; i++) {
    const int to = i ? Y2 : Y1;
    avx(x, SPREAD, Y0, 0, row_of(row, i));
    avx(x, ADD, Y0, Y0, steps_of(t, 0));
    avx(x, XOR, to, Y0, row_of(row, i));
    if (i)
      avx(x, OR, Y1, Y1, aq_x86_ymm(Y2));
    if (i)
      avx(x, MOST, Y3, Y3, row_of(row, i));
    else
      aq_x86_vex(x, 1, 2, false, 0x6f, Y3, 0, row_of(row, 0), false);
  }
  aq_x86_wave(x, 0x8b, AQ_RDX, true, (int32_t)offsetof(aq_wave, grid));
  aq_x86_memory(x, 0x8b, AQ_RCX, false, AQ_RDX,
                (int32_t)offsetof(aq_wave_grid, lds_size));
  aq_x86_number(x, 5, AQ_RCX, false, (int32_t)bytes);
  miss_if(t, AQ_X86_B);
  aq_x86_vex128(x, 1, 1, false, 0x6e, Y0, 0, aq_x86_ymm(AQ_RCX));
  avx(x, SPREAD, Y0, 0, aq_x86_ymm(Y0));
  avx(x, LEAST, Y0, Y0, aq_x86_ymm(Y3));
  avx(x, XOR, Y0, Y0, aq_x86_ymm(Y3));
  avx(x, OR, Y1, Y1, aq_x86_ymm(Y0));
  avx(x, TEST, Y1, 0, aq_x86_ymm(Y1));
  miss_if(t, AQ_X86_NE);
}

static void element_store(const transfer *t, unsigned data, uint32_t at)
{
  aq_x86 *x = t->x;
  for (unsigned i = 0; i < t->strips; i++) {
    aq_x86_wave(x, 0x8b, AQ_RAX, false, row_at(t->o->source[1], i));
    aq_x86_registers(x, 0x01, AQ_RDX, AQ_RAX, true);
    strip_store(t, data, i, (int32_t)at);
  }
}

void aq_memory_shared_offsets(const aq_wave_op *o, uint32_t words,
                              uint32_t scale, uint32_t out[2])
{
  const uint32_t imm = (uint32_t)o->imm, unit = 4 * words * scale;
  out[0] = scale ? (imm & 0xff) * unit : imm;
  out[1] = scale ? (imm >> 8 & 0xff) * unit : 0;
}

/* A word of the lane that ecx numbers in its strip, whose words r8 points to.
 */
static void lane_word_load(aq_x86 *x, int reg, unsigned row)
{
  aq_x86_byte(x, 0x41); /* mov reg, [r8 + 4 * rcx + row] */
  aq_x86_byte(x, 0x8b);
  aq_x86_byte(x, 0x84 | (unsigned)reg << 3);
  aq_x86_byte(x, 0x88);
  aq_x86_word(x, (uint32_t)row_at(row, 0));
}

/* The words of a lane, from `data` on, at its address and `at`; `lane`: its
 * number in the strip, or -1: in ecx. Its address is at most esi. */
static void lane_store(const transfer *t, unsigned data, int lane, uint32_t at)
{
  aq_x86 *x = t->x;
  const unsigned address = t->o->source[1];
  for (unsigned k = 0; k <= t->words; k++) {
    const unsigned row = k ? data + k - 1 : address;
    const int reg = k ? AQ_RDX : AQ_RAX;
    if (lane < 0)
      lane_word_load(x, reg, row);
    else
      aq_x86_memory(x, 0x8b, reg, false, AQ_R8, row_at(row, 0) + 4 * lane);
    if (k == 0) {
      aq_x86_registers(x, 0x39, AQ_RSI, AQ_RAX, false);
      miss_if(t, AQ_X86_A);
      aq_x86_registers(x, 0x01, AQ_RDI, AQ_RAX, true);
    } else {
      aq_x86_memory(x, 0x89, AQ_RDX, false, AQ_RAX,
                    (int32_t)(at + 4 * (k - 1)));
    }
  }
}

/* The same of all lanes that are on, one after the other: the last one wins. */
static void lanes_store(const transfer *t, unsigned data, uint32_t at)
{
  enum { FULL = 0xff };
  aq_x86 *x = t->x;
  aq_x86_registers(x, 0x89, AQ_RBX, AQ_R8, true);
  aq_x86_registers(x, 0x31, AQ_R15, AQ_R15, false);
  const uint32_t top = x->size;
  aq_x86_byte(x, 0x42); /* movzx ebp, byte [rbx + r15 + EXEC] */
  aq_x86_byte(x, 0x0f);
  aq_x86_byte(x, 0xb6);
  aq_x86_byte(x, 0xac);
  aq_x86_byte(x, 0x3b);
  aq_x86_word(x, (uint32_t)(offsetof(aq_wave, s) + 4 * AQ_ISA_EXEC));
  aq_x86_number(x, 7, AQ_RBP, false, FULL);
  const uint32_t some = aq_x86_jump_if(x, AQ_X86_NE);
  for (int i = 0; i < STRIP; i++)
    lane_store(t, data, i, at);
  const uint32_t next = x->size;
  aq_x86_number(x, 0, AQ_R8, true, STRIP_BYTES);
  aq_x86_number(x, 0, AQ_R15, false, 1);
  aq_x86_number(x, 7, AQ_R15, false, (int32_t)t->strips);
  aq_x86_land(x, aq_x86_jump_if(x, AQ_X86_NE), top);
  const uint32_t done = aq_x86_jump(x);
  const uint32_t lane = x->size;
  aq_x86_registers(x, 0x0fbc, AQ_RCX, AQ_RBP, false); /* bsf */
  aq_x86_registers(x, 0x0fb3, AQ_RCX, AQ_RBP, false); /* btr ebp, ecx */
  lane_store(t, data, -1, at);
  aq_x86_land_here(x, some);
  aq_x86_registers(x, 0x85, AQ_RBP, AQ_RBP, false);
  aq_x86_land(x, aq_x86_jump_if(x, AQ_X86_NE), lane);
  aq_x86_land(x, aq_x86_jump(x), next);
  aq_x86_land_here(x, done);
}

/* Lanes that are not all on, or not in rows. If the address of one is outside,
 * the handler stores those before it again. */
static void shared_scatter(const transfer *t, unsigned scale,
                           const uint32_t at[2], uint32_t bytes)
{
  aq_x86 *x = t->x;
  aq_x86_wave(x, 0x8b, AQ_RDX, true, (int32_t)offsetof(aq_wave, grid));
  aq_x86_memory(x, 0x8b, AQ_RSI, false, AQ_RDX,
                (int32_t)offsetof(aq_wave_grid, lds_size));
  aq_x86_number(x, 5, AQ_RSI, false, (int32_t)bytes);
  miss_if(t, AQ_X86_B);
  aq_x86_wave(x, 0x8b, AQ_RDI, true, (int32_t)offsetof(aq_wave, group));
  aq_x86_memory(x, 0x8b, AQ_RDI, true, AQ_RDI,
                (int32_t)offsetof(aq_wave_group, lds));
  lanes_store(t, t->o->source[2], at[0]);
  if (scale)
    lanes_store(t, t->o->decoded->data2, at[1]);
}

static void shared_store(const transfer *t, unsigned scale, bool wave32)
{
  aq_x86 *x = t->x;
  aq_memory_misses others = {.count = 0};
  transfer rows = *t;
  uint32_t at[2];
  aq_memory_shared_offsets(t->o, t->words, scale, at);
  const uint32_t bytes = (at[0] > at[1] ? at[0] : at[1]) + 4 * t->words;
  rows.misses = &others;
  aq_memory_lanes_test(x, wave32);
  miss_if(&rows, AQ_X86_NE);
  shared_check(&rows, bytes);
  aq_x86_wave(x, 0x8b, AQ_RDX, true, (int32_t)offsetof(aq_wave, group));
  aq_x86_memory(x, 0x8b, AQ_RDX, true, AQ_RDX,
                (int32_t)offsetof(aq_wave_group, lds));
  element_store(t, t->o->source[2], at[0]);
  if (scale)
    element_store(t, t->o->decoded->data2, at[1]);
  const uint32_t done = aq_x86_jump(x);
  for (unsigned i = 0; i < others.count; i++)
    aq_x86_land_here(x, others.at[i]);
  shared_scatter(t, scale, at, bytes);
  aq_x86_land_here(x, done);
}

/* ---- scalars ---- */

/* Against the range that the grid touched last, as the handler. */
static void scalar_load(const transfer *t)
{
  enum { ALIGNED = -4, VECTOR = 16 /* bytes */ };
  aq_x86 *x = t->x;
  const aq_wave_op *o = t->o;
  const int32_t bytes = o->decoded->bytes;
  aq_x86_wave(x, 0x8b, AQ_RAX, true,
              (int32_t)(offsetof(aq_wave, s) + 4u * o->source[0]));
  if (o->imm)
    aq_x86_number(x, 0, AQ_RAX, true, o->imm);
  if (o->decoded->scalar != AQ_WAVE_NONE) {
    aq_x86_wave(x, 0x8b, AQ_RCX, false,
                (int32_t)(offsetof(aq_wave, s) + 4u * o->decoded->scalar));
    aq_x86_registers(x, 0x01, AQ_RCX, AQ_RAX, true);
  }
  aq_x86_number(x, 4, AQ_RAX, true, ALIGNED);
  aq_x86_wave(x, 0x8b, AQ_RDX, true, (int32_t)offsetof(aq_wave, grid));
  range_check(t, (int32_t)offsetof(aq_wave_grid, range), bytes);
  at_put(t);
  int32_t at = 0, to = (int32_t)(offsetof(aq_wave, s) + 4u * o->dest);
  for (; bytes - at >= VECTOR; at += VECTOR) {
    aq_x86_vex128(x, 1, 2, false, 0x6f, Y0, 0, aq_x86_at(AQ_RAX, at));
    aq_x86_vex128(x, 1, 2, false, 0x7f, Y0, 0,
                  (aq_x86_operand){AQ_X86_WAVE, to + at});
  }
  for (bool wide; at < bytes; at += wide ? 8 : 4) {
    wide = bytes - at >= 8;
    aq_x86_memory(x, 0x8b, AQ_RCX, wide, AQ_RAX, at);
    aq_x86_wave(x, 0x89, AQ_RCX, wide, to + at);
  }
}

bool aq_memory_write(aq_x86 *x, const aq_wave_op *o, const aq_wave_transfer *t,
                     const aq_wave_op *ops, bool wave32,
                     aq_memory_misses *misses)
{
  const transfer s = {.x = x,
                      .o = o,
                      .ops = ops,
                      .words = t->words,
                      .strips = (wave32 ? 32 : 64) / STRIP,
                      .misses = misses};
  misses->count = 0;
  if (t->scalar &&
      (o->decoded->scalar == AQ_WAVE_NONE || o->decoded->element_bytes == 1)) {
    scalar_load(&s);
    return true;
  }
  if (!t->store || t->words == 3)
    return false;
  if (t->shared) {
    /* Each takes up to 3 KB: a page full of them leaves room for the rest. */
    if (x->size > x->room / 2)
      return false;
    shared_store(&s, t->scale, wave32);
    return true;
  }
  aq_memory_lanes_test(x, wave32);
  miss_if(&s, AQ_X86_NE);
  global_store(&s);
  return true;
}
