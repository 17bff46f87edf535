/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/jit/x86.h"

#include <string.h>

/* ---- bytes ---- */

void aq_x86_byte(aq_x86 *x, unsigned byte)
{
  if (x->size < x->room)
    x->bytes[x->size++] = (uint8_t)byte;
  else
    x->full = true;
}

void aq_x86_word(aq_x86 *x, uint32_t word)
{
  for (int i = 0; i < 32; i += 8)
    aq_x86_byte(x, word >> i & 0xff);
}

void aq_x86_land(aq_x86 *x, uint32_t at, uint32_t to)
{
  const uint32_t distance = to - (at + 4);
  if (!x->full)
    memcpy(x->bytes + at, &distance, 4);
}

void aq_x86_land_here(aq_x86 *x, uint32_t at)
{
  aq_x86_land(x, at, x->size);
}

/* ---- general registers ---- */

static void rex(aq_x86 *x, bool wide, int reg, int rm)
{
  const unsigned bits =
      (wide ? 8u : 0) | (unsigned)(reg >> 3) << 2 | (unsigned)(rm >> 3);
  if (bits)
    aq_x86_byte(x, 0x40 | bits);
}

/* An opcode of one byte, or of two, 0x0f first. */
static void opcode(aq_x86 *x, unsigned op)
{
  if (op > 0xff)
    aq_x86_byte(x, op >> 8);
  aq_x86_byte(x, op & 0xff);
}

void aq_x86_memory(aq_x86 *x, unsigned op, int reg, bool wide, int base,
                   int32_t at)
{
  rex(x, wide, reg, base);
  opcode(x, op);
  aq_x86_byte(x, 0x80u | (unsigned)(reg & 7) << 3 | (unsigned)(base & 7));
  if ((base & 7) == AQ_RSP)
    aq_x86_byte(x, 0x24);
  aq_x86_word(x, (uint32_t)at);
}

void aq_x86_wave(aq_x86 *x, unsigned op, int reg, bool wide, int32_t at)
{
  aq_x86_memory(x, op, reg, wide, AQ_RBX, at);
}

void aq_x86_registers(aq_x86 *x, unsigned op, int reg, int rm, bool wide)
{
  rex(x, wide, reg, rm);
  opcode(x, op);
  aq_x86_byte(x, 0xc0u | (unsigned)(reg & 7) << 3 | (unsigned)(rm & 7));
}

void aq_x86_number(aq_x86 *x, int extension, int rm, bool wide, int32_t number)
{
  aq_x86_registers(x, 0x81, extension, rm, wide);
  aq_x86_word(x, (uint32_t)number);
}

void aq_x86_shift(aq_x86 *x, int extension, int rm, bool wide, int by)
{
  aq_x86_registers(x, 0xc1, extension, rm, wide);
  aq_x86_byte(x, (unsigned)by);
}

void aq_x86_load_number(aq_x86 *x, int reg, uint32_t number)
{
  rex(x, false, 0, reg);
  aq_x86_byte(x, 0xb8u | (unsigned)(reg & 7));
  aq_x86_word(x, number);
}

void aq_x86_load_wide(aq_x86 *x, int reg, uint64_t number)
{
  rex(x, true, 0, reg);
  aq_x86_byte(x, 0xb8u | (unsigned)(reg & 7));
  aq_x86_word(x, (uint32_t)number);
  aq_x86_word(x, (uint32_t)(number >> 32));
}

void aq_x86_address(aq_x86 *x, int reg, int base, int32_t at)
{
  aq_x86_memory(x, 0x8d, reg, true, base, at);
}

uint32_t aq_x86_code_address(aq_x86 *x, int reg)
{
  rex(x, true, reg, 0); /* lea reg, [rip + ...] */
  aq_x86_byte(x, 0x8d);
  aq_x86_byte(x, 0x05u | (unsigned)(reg & 7) << 3);
  aq_x86_word(x, 0);
  return x->size - 4;
}

uint32_t aq_x86_jump(aq_x86 *x)
{
  aq_x86_byte(x, 0xe9);
  aq_x86_word(x, 0);
  return x->size - 4;
}

uint32_t aq_x86_jump_if(aq_x86 *x, int condition)
{
  aq_x86_byte(x, 0x0f);
  aq_x86_byte(x, 0x80u | (unsigned)condition);
  aq_x86_word(x, 0);
  return x->size - 4;
}

void aq_x86_set(aq_x86 *x, int condition, int reg)
{
  aq_x86_registers(x, 0x0f90u | (unsigned)condition, 0, reg, false);
  aq_x86_registers(x, 0x0fb6, reg, reg, false);
}

/* ---- vectors ---- */

static void refer(aq_x86 *x, unsigned vector, bool tail)
{
  if (x->reference_count == AQ_X86_REFERENCES)
    x->full = true;
  else
    x->references[x->reference_count++] = (aq_x86_reference){
        .at = x->size, .vector = (uint16_t)vector, .behind = tail};
  aq_x86_word(x, 0);
}

static void vex(aq_x86 *x, unsigned map, unsigned prefix, bool wide,
                unsigned op, int reg, int second, aq_x86_operand m, bool tail,
                bool wide_vector)
{
  const unsigned g = (unsigned)(reg & 7) << 3;
  const bool sum = m.kind == AQ_X86_SUM;
  const bool base = m.kind == AQ_X86_YMM || m.kind == AQ_X86_AT || sum
                        ? m.at >> 3 & 1
                        : false;
  const bool index = m.kind == AQ_X86_ROW || m.kind == AQ_X86_FRAME_ROW ||
                     (sum && m.at >> 7 & 1);
  aq_x86_byte(x, 0xc4);
  aq_x86_byte(x, (reg & 8 ? 0 : 0x80) | (index ? 0 : 0x40u) |
                     (base ? 0 : 0x20u) | map);
  aq_x86_byte(x, (wide ? 0x80u : 0) | (~(unsigned)second & 15) << 3 |
                     (wide_vector ? 4u : 0) | prefix);
  aq_x86_byte(x, op);
  switch (m.kind) {
  case AQ_X86_YMM:
    aq_x86_byte(x, 0xc0 | g | (unsigned)(m.at & 7));
    break;
  case AQ_X86_ROW:
    aq_x86_byte(x, 0x84 | g);
    aq_x86_byte(x, 0x33);
    aq_x86_word(x, (uint32_t)m.at);
    break;
  case AQ_X86_FRAME:
    aq_x86_byte(x, 0x84 | g);
    aq_x86_byte(x, 0x24);
    aq_x86_word(x, (uint32_t)m.at);
    break;
  case AQ_X86_FRAME_ROW:
    aq_x86_byte(x, 0x84 | g);
    aq_x86_byte(x, 0x34);
    aq_x86_word(x, (uint32_t)m.at);
    break;
  case AQ_X86_WAVE:
    aq_x86_byte(x, 0x83 | g);
    aq_x86_word(x, (uint32_t)m.at);
    break;
  case AQ_X86_VECTOR:
    aq_x86_byte(x, 0x05 | g);
    refer(x, (unsigned)m.at, tail);
    break;
  case AQ_X86_AT: /* with a displacement: of any register */
    aq_x86_byte(x, 0x80 | g | (unsigned)(m.at & 7));
    aq_x86_word(x, (uint32_t)(m.at >> 4));
    break;
  case AQ_X86_SUM:
    aq_x86_byte(x, 0x84 | g);
    aq_x86_byte(x, (unsigned)(m.at >> 4 & 7) << 3 | (unsigned)(m.at & 7));
    aq_x86_word(x, (uint32_t)(m.at >> 8));
    break;
  }
}

void aq_x86_vex(aq_x86 *x, unsigned map, unsigned prefix, bool wide,
                unsigned op, int reg, int second, aq_x86_operand m, bool tail)
{
  vex(x, map, prefix, wide, op, reg, second, m, tail, true);
}

void aq_x86_vex128(aq_x86 *x, unsigned map, unsigned prefix, bool wide,
                   unsigned op, int reg, int second, aq_x86_operand m)
{
  vex(x, map, prefix, wide, op, reg, second, m, false, false);
}

void aq_x86_gather(aq_x86 *x, bool wide, int to, int base, int index,
                   int32_t at, int mask)
{
  aq_x86_byte(x, 0xc4);
  aq_x86_byte(x, (to & 8 ? 0 : 0x80u) | (index & 8 ? 0 : 0x40u) |
                     (base & 8 ? 0 : 0x20u) | 2);
  aq_x86_byte(x, (wide ? 0x80u : 0) | (~(unsigned)mask & 15) << 3 | 5);
  aq_x86_byte(x, 0x90);
  aq_x86_byte(x, 0x84u | (unsigned)(to & 7) << 3);
  aq_x86_byte(x, (unsigned)(index & 7) << 3 | (unsigned)(base & 7));
  aq_x86_word(x, (uint32_t)at);
}

aq_x86_operand aq_x86_constant(aq_x86 *x, const uint32_t words[8])
{
  unsigned i = 0;
  while (i < x->vector_count &&
         memcmp(x->vectors[i].words, words, sizeof x->vectors[i].words) != 0)
    i++;
  if (i == AQ_X86_VECTORS) {
    x->full = true;
    i = 0;
  } else if (i == x->vector_count) {
    memcpy(x->vectors[x->vector_count++].words, words,
           sizeof x->vectors[i].words);
  }
  return (aq_x86_operand){AQ_X86_VECTOR, (int32_t)i};
}

aq_x86_operand aq_x86_same(aq_x86 *x, uint32_t word)
{
  const uint32_t words[8] = {word, word, word, word, word, word, word, word};
  return aq_x86_constant(x, words);
}

void aq_x86_finish(aq_x86 *x)
{
  while (x->size % 32 != 0 && !x->full)
    aq_x86_byte(x, 0xcc);
  const uint32_t first = x->size;
  for (unsigned i = 0; i < x->vector_count; i++)
    for (int k = 0; k < 8; k++)
      aq_x86_word(x, x->vectors[i].words[k]);
  for (unsigned i = 0; i < x->reference_count && !x->full; i++) {
    const aq_x86_reference *r = &x->references[i];
    const uint32_t distance =
        first + 32u * r->vector - (r->at + 4u + r->behind);
    memcpy(x->bytes + r->at, &distance, 4);
  }
}
