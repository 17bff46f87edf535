/* SPDX-License-Identifier: MIT */
/*
 * Lanes in another order: by the pattern of an instruction (core/dpp.h), DPP,
 * or by their addresses, ds_bpermute_b32. The strips' loads of a row cannot
 * follow it, since a strip may write lanes that a later one reads. So the moved
 * row is written to the frame before the strips, all lanes at once, from the
 * wave's row.
 *
 * A pattern needs all lanes on, unless it may read lanes that are off: else the
 * run is left to the handlers. No strip of such a run leaves later:
 * its handlers would read lanes that other strips have written. A float that is
 * moved is a run of its own, which writes no row before all NaNs are found.
 */
#include "config.h"

#include "gpu/wave/core/dpp.h"
#include "gpu/wave/core/operand_modifiers.h"
#include "gpu/wave/jit/memory_code.h"
#include "gpu/wave/jit/strip.h"
#include "gpu/wave/jit/strip_avx.h"

enum { STRIP = 8 /* lanes */ };

static uint64_t lanes_all(const aq_strip *s)
{
  return s->wave32 ? UINT32_MAX : UINT64_MAX;
}

bool aq_strip_move_fits(const aq_strip_rule *rule, const aq_wave_op *o)
{
  bool fits = rule->nan == AQ_STRIP_PLAIN || rule->nan == AQ_STRIP_CHAINS ||
              rule->nan == AQ_STRIP_LOOKS;
  for (int i = 0; rule->nan != AQ_STRIP_PLAIN && i < 3; i++)
    fits &= !o->decoded->form->sources[i].changes;
  return fits && rule->results[0] == 'u' && !rule->results[1] &&
         rule->sources[0] == 'u' && o->kind[0] == AQ_WAVE_VGPR;
}

void aq_strip_move_join(aq_strip *s, aq_strip_op *op)
{
  const aq_wave_move *m = op->move;
  op->moved = (uint8_t)s->move_count++;
  if (!m)
    return;
  op->sources[0].value = (uint16_t)(AQ_STRIP_MOVED + op->moved);
  op->keeps = lanes_all(s) & ~(m->zeroes ? m->writes : m->writes & m->reads);
  if (op->keeps)
    op->sources[op->source_count++] =
        (aq_strip_source){.value = op->results[0]};
}

/* ---- before the strips ---- */

/* The strip whose lanes read the lanes of a strip in their order, or -1. */
static int strip_read(const aq_wave_move *m, unsigned first, unsigned lanes)
{
  const int at =
      m->from[first + (unsigned)__builtin_ctz(lanes)] - __builtin_ctz(lanes);
  for (unsigned i = 0; i < STRIP; i++)
    if (lanes >> i & 1 && m->from[first + i] != at + (int)i)
      return -1;
  return at % STRIP == 0 ? at / STRIP : -1;
}

/* The words of eight lanes from the row at `row`; T1 and T2 change. Whole
 * strips are loaded: for loads of another size than the stores the host would
 * wait. */
static void words_move(aq_strip *s, const aq_wave_move *m, unsigned first,
                       unsigned lanes, int32_t row, int to)
{
  uint32_t order[STRIP];
  const int straight = strip_read(m, first, lanes);
  if (straight >= 0) {
    avx_load(s, to, (aq_x86_operand){AQ_X86_WAVE, row + 4 * STRIP * straight});
    return;
  }
  unsigned from = 0;
  for (unsigned i = 0; i < STRIP; i++) {
    order[i] = m->from[first + i] % STRIP;
    if (lanes >> i & 1)
      from |= 1u << m->from[first + i] / STRIP;
  }
  avx_load(s, AQ_STRIP_T2, aq_x86_constant(s->x, order));
  for (bool is_first = true; from; from &= from - 1, is_first = false) {
    const unsigned strip = (unsigned)__builtin_ctz(from);
    unsigned here = 0;
    for (unsigned i = 0; i < STRIP; i++)
      here |= (unsigned)(m->from[first + i] / STRIP == strip) << i;
    avx_permute(s, is_first ? to : AQ_STRIP_T1, AQ_STRIP_T2,
                (aq_x86_operand){AQ_X86_WAVE, row + 4 * STRIP * (int)strip});
    if (!is_first)
      avx_blend(s, to, to, AQ_STRIP_T1, here);
  }
}

void aq_strip_move_load(aq_strip *s, const aq_strip_op *op, unsigned strip,
                        int to)
{
  const unsigned first = STRIP * strip,
                 lanes = (unsigned)(op->move->reads >> first) & 0xff;
  uint32_t mask[STRIP];
  if (!lanes) {
    avx_xor(s, to, to, aq_x86_ymm(to));
    return;
  }
  words_move(s, op->move, first, lanes, aq_strip_row_at(op->from), to);
  if (lanes == 0xff)
    return;
  for (unsigned i = 0; i < STRIP; i++)
    mask[i] = lanes >> i & 1 ? UINT32_MAX : 0;
  avx_and(s, to, to, aq_x86_constant(s->x, mask));
}

static int32_t moved_at(const aq_strip_op *op)
{
  return AQ_STRIP_AT_MOVED + 4 * AQ_WAVE_LANES * op->moved;
}

/* The row as it is, 0 in lanes that are off. */
static void row_copy(aq_strip *s, const aq_strip_op *op)
{
  const int32_t row = aq_strip_row_at(op->from), to = moved_at(op);
  for (int32_t i = 0; i < (s->wave32 ? 4 : 8); i++) {
    aq_x86_wave(s->x, 0x0fb6, AQ_RAX, false, /* movzx */
                aq_strip_scalar_at(AQ_ISA_EXEC) + i);
    aq_strip_bits_expand(s, AQ_STRIP_T0, AQ_RAX);
    avx_and(s, AQ_STRIP_T0, AQ_STRIP_T0,
            (aq_x86_operand){AQ_X86_WAVE, row + 4 * STRIP * i});
    aq_strip_register_store(s, AQ_STRIP_T0, aq_x86_frame(to + 4 * STRIP * i));
  }
}

void aq_strip_move_prepare(aq_strip *s, const aq_strip_op *op)
{
  const aq_wave_move *m = op->move;
  aq_x86 *x = s->x;
  const int32_t to = moved_at(op);
  if (!m) {
    row_copy(s, op);
    return;
  }
  if (!m->fetches) {
    aq_memory_lanes_test(x, s->wave32);
    aq_strip_leave_if(s, AQ_X86_NE);
  }
  for (unsigned i = 0; i < (s->wave32 ? 4 : 8); i++) {
    aq_strip_move_load(s, op, i, AQ_STRIP_T0);
    aq_strip_register_store(s, AQ_STRIP_T0,
                            aq_x86_frame(to + 4 * STRIP * (int)i));
  }
  if (op->keeps) {
    aq_x86_load_wide(x, AQ_RAX, op->keeps);
    aq_x86_memory(x, 0x89, AQ_RAX, true, AQ_RSP,
                  AQ_STRIP_AT_KEEPS + 8 * op->moved);
  }
}

/* ---- in a strip ---- */

/* Lanes pull: halves of a wave of 64 lanes of RDNA 1 to 3 are apart. */
static void permute(aq_strip *s, const aq_strip_op *op)
{
  enum { WORDS = 4 * 31, HALF = 4 * 32 /* bytes of a row */ };
  const bool apart =
      s->wave32 || op->o->decoded->inst.target & (AQ_ISA_GFX10 | AQ_ISA_GFX11);
  aq_x86 *x = s->x;
  const int at = aq_strip_source_register(s, op, 0);
  aq_strip_read(s, op);
  const int d = aq_strip_result(s, 0);
  avx_add(s, AQ_STRIP_T0, at, avx_same(s, (uint32_t)op->o->imm));
  avx_and(s, AQ_STRIP_T0, AQ_STRIP_T0,
          avx_same(s, apart ? WORDS : WORDS | HALF));
  if (apart && !s->wave32) {
    aq_x86_registers(x, 0x89, AQ_R14, AQ_RAX, false);
    aq_x86_number(x, 4, AQ_RAX, false, HALF);
    aq_x86_vex128(x, 1, 1, false, 0x6e, AQ_STRIP_T1, 0, aq_x86_ymm(AQ_RAX));
    avx_spread(s, AQ_STRIP_T1, aq_x86_ymm(AQ_STRIP_T1));
    avx_or(s, AQ_STRIP_T0, AQ_STRIP_T0, aq_x86_ymm(AQ_STRIP_T1));
  }
  aq_strip_words_gather(s, d, AQ_RSP, AQ_STRIP_T0, moved_at(op));
}

const aq_strip_rule aq_strip_rules_moves[] = {
    {"ds_bpermute_b32", "u", "", permute, 0, AQ_STRIP_PLAIN},
    {NULL, NULL, NULL, NULL, 0, 0}};

void aq_strip_move_keep(aq_strip *s, const aq_strip_op *op, aq_x86_operand old,
                        int reg)
{
  if (s->strip >= 0) {
    aq_x86_vex(s->x, 3, 1, false, 0x02, reg, reg, old, true); /* vpblendd */
    aq_x86_byte(s->x, (unsigned)(op->keeps >> STRIP * s->strip) & 0xff);
    return;
  }
  aq_x86_byte(s->x, 0x42); /* movzx eax, byte [rsp + r15 + keeps] */
  aq_x86_byte(s->x, 0x0f);
  aq_x86_byte(s->x, 0xb6);
  aq_x86_byte(s->x, 0x84);
  aq_x86_byte(s->x, 0x3c);
  aq_x86_word(s->x, (uint32_t)(AQ_STRIP_AT_KEEPS + 8 * op->moved));
  aq_strip_bits_expand(s, AQ_STRIP_T0, AQ_RAX);
  avx_pick(s, reg, reg, old, AQ_STRIP_T0);
}
