/* SPDX-License-Identifier: MIT */
/* Writes a run of strips (strip.h), and executes the lanes that a strip leaves.
 */
#include "config.h"

#include <stddef.h>

#include "gpu/wave/core/operand_modifiers.h"
#include "gpu/wave/jit/memory_code.h"
#include "gpu/wave/jit/strip.h"
#include "gpu/wave/jit/strip_avx.h"

enum { DEAD = AQ_STRIP_DEAD, END = AQ_STRIP_END };

/* ---- strips that leave ---- */

int64_t aq_strip_rest_run(aq_wave *w, const aq_wave_op *ops,
                          const aq_strip_rest *rest, unsigned strip)
{
  const uint64_t exec = AQ_WAVE_EXEC(w), left = UINT64_MAX << 8 * strip;
  int64_t fault = -1;
  w->strip.rest = NULL;
  AQ_WAVE_EXEC(w) = exec & left;
  for (unsigned i = 0; i < rest->count && fault < 0; i++) {
    const aq_wave_op *o = ops + rest->list[i].op;
    if (!o->run(w, o))
      fault = rest->list[i].rest;
  }
  AQ_WAVE_EXEC(w) = exec;
  for (unsigned i = 0; i < rest->mask_count; i++) {
    const unsigned code = rest->masks[i];
    const uint64_t now =
        w->s[code] | (w->wave32 ? 0 : (uint64_t)w->s[code + 1] << 32);
    aq_wave_put_mask(w, (uint16_t)code,
                     (now & left) | (w->strip.masks[i] & ~left));
  }
  return fault;
}

/* ---- the run ---- */

/* The values of results, once the instruction is written. */
static void result_keep(aq_strip *s, const aq_strip_op *op, unsigned k, int reg)
{
  const unsigned value = op->results[k];
  aq_strip_value_forget(s, value);
  if (value < AQ_STRIP_SCALAR)
    aq_strip_forms_forget(s, value);
  s->spill_of[value] = (int16_t)(reg < 0 ? op->row_at[k] : -1);
  s->next_of[value] = op->nexts[k];
  if (value < AQ_STRIP_SCALAR && !s->is_dirty[value]) {
    s->is_dirty[value] = true;
    s->dirty_rows[s->dirty_count++] = (uint16_t)value;
  }
  if (op->nexts[k] != DEAD && reg >= 0) {
    s->owner[reg] = (int16_t)value;
    s->register_of[value] = (int16_t)reg;
  }
}

/* The result goes to a part of its register. */
static void part_place(aq_strip *s, const aq_wave_form *form,
                       aq_x86_operand old, int reg)
{
  if (form->first)
    avx_shift(s, 6, reg, reg, form->first);
  avx_and(s, reg, reg, avx_same(s, form->mask));
  if (!form->kept)
    return;
  avx_load(s, AQ_STRIP_T0, old);
  avx_and(s, AQ_STRIP_T0, AQ_STRIP_T0, avx_same(s, form->kept));
  avx_or(s, reg, reg, aq_x86_ymm(AQ_STRIP_T0));
}

/* Passes an instruction that is done: its rows lie in the frame. */
static void line_pass(aq_strip *s, const aq_strip_op *op)
{
  aq_strip_read(s, op);
  for (unsigned k = 0; k < op->result_count; k++)
    if (op->results[k] < AQ_STRIP_SCALAR)
      result_keep(s, op, k, -1);
}

static void op_write(aq_strip *s, const aq_strip_op *op)
{
  const int *regs = s->result_registers;
  if (op->is_dead)
    return;
  s->pinned = 0;
  if (s->fast && op->is_line && op->rule->nan != AQ_STRIP_LOAD) {
    line_pass(s, op);
    return;
  }
  aq_x86_operand old = {0};
  if (op->keeps || op->part)
    old = aq_strip_old(s, op);
  op->rule->emit(s, op);
  aq_strip_read(s, op);
  if (op->keeps)
    aq_strip_move_keep(s, op, old, regs[0]);
  if (op->part)
    part_place(s, op->part, old, regs[0]);
  if (op->looks && op->rule->nan == AQ_STRIP_CHAINS)
    aq_strip_nans(s, regs[0], regs[0]);
  for (unsigned k = 0; k < op->result_count; k++)
    result_keep(s, op, k, regs[k]);
  aq_strip_forms_keep(s);
}

/* Rows that changed go to the wave, in the lanes of EXEC. */
static void rows_write(aq_strip *s, bool some)
{
  for (unsigned i = 0; i < s->dirty_count; i++) {
    const unsigned row = s->dirty_rows[i];
    const aq_x86_operand at = aq_strip_row_words(s, row);
    int reg = s->register_of[row];
    if (s->next_of[row] != END)
      continue;
    if (reg < 0) {
      reg = AQ_STRIP_T0;
      aq_strip_register_load(s, reg, aq_strip_spill_operand(s->spill_of[row]));
    }
    if (some) { /* vblendvps */
      aq_x86_vex(s->x, 3, 1, false, 0x4a, AQ_STRIP_T1, reg, at, true);
      aq_x86_byte(s->x, AQ_STRIP_T2 << 4);
      reg = AQ_STRIP_T1;
    }
    aq_strip_register_store(s, reg, at);
  }
}

/* The lanes that are off as a mask, in T2. */
static void lanes_off(aq_strip *s)
{
  aq_x86_registers(s->x, 0x89, AQ_RBP, AQ_RAX, false);
  aq_x86_registers(s->x, 0xf7, 2, AQ_RAX, false); /* not */
  aq_strip_bits_expand(s, AQ_STRIP_T2, AQ_RAX);
}

/* f64 computes with the thread's MODE, which is f32's. */
static void mode_test(aq_strip *s)
{
  enum { HALVES = 0x33 };
  aq_x86 *x = s->x;
  aq_x86_wave(x, 0x8b, AQ_RAX, false, (int32_t)offsetof(aq_wave, mode));
  aq_x86_registers(x, 0x89, AQ_RAX, AQ_RCX, false);
  aq_x86_shift(x, 5, AQ_RCX, false, 2);
  aq_x86_registers(x, 0x31, AQ_RAX, AQ_RCX, false);
  aq_x86_number(x, 4, AQ_RCX, false, HALVES);
  aq_strip_leave_if(s, AQ_X86_NE);
}

/* The description of a run that a strip left, for the handlers. */
static void rest_write(aq_strip *s)
{
  aq_x86 *x = s->x;
  while (x->size % 8 != 0 && !x->full)
    aq_x86_byte(x, 0);
  aq_x86_word(x, s->count | (uint32_t)s->mask_count << 16);
  for (unsigned i = 0; i < AQ_STRIP_MASKS; i += 2)
    aq_x86_word(x, s->masks[i] | (uint32_t)s->masks[i + 1] << 16);
  for (unsigned i = 0; i < s->count; i++)
    aq_x86_word(x, (uint32_t)(s->program[i].o - s->ops) |
                       (uint32_t)s->program[i].rest << 16);
}

static void masks_clear(aq_strip *s)
{
  aq_x86 *x = s->x;
  if (s->mask_count > 0)
    aq_x86_registers(x, 0x31, AQ_RAX, AQ_RAX, false);
  for (int i = 0; i < (int)s->mask_count; i++) {
    const int reg = aq_strip_mask_register(s, i);
    if (reg < 0 || s->reaches)
      aq_x86_wave(x, 0x89, AQ_RAX, true, aq_strip_mask_at(i));
    if (reg >= 0)
      aq_x86_registers(x, 0x31, reg, reg, false);
  }
}

static bool mask_is_kept(const aq_strip *s, unsigned code)
{
  for (unsigned i = 0; i < s->count; i++)
    for (unsigned k = 0; k < s->list[i].result_count; k++)
      if (s->list[i].results[k] == AQ_STRIP_MASK + code &&
          s->list[i].is_kept[k])
        return true;
  return false;
}

/* Masks in registers turn to the next strip's byte; others than kept ones are
 * 0. */
static void masks_turn(aq_strip *s)
{
  enum { RIGHT = 1 };
  for (int i = 0; i < (int)s->mask_count; i++)
    if (aq_strip_mask_register(s, i) >= 0 && mask_is_kept(s, s->masks[i]))
      aq_x86_shift(s->x, RIGHT, aq_strip_mask_register(s, i), !s->wave32, 8);
}

/* The same of a strip that leaves go to the frame, for the handlers. */
static void masks_leave(aq_strip *s)
{
  enum { LEFT = 0 };
  aq_x86 *x = s->x;
  for (int i = 0; i < (int)s->mask_count; i++) {
    const int reg = aq_strip_mask_register(s, i);
    if (reg < 0)
      continue;
    if (i == 0) {
      aq_x86_registers(x, 0x89, AQ_R15, AQ_RCX, false);
      aq_x86_shift(x, 4, AQ_RCX, false, 3);
    }
    aq_x86_registers(x, 0xd3, LEFT, reg, !s->wave32); /* by cl */
    aq_x86_wave(x, 0x89, reg, true, aq_strip_mask_at(i));
  }
}

static void masks_write(aq_strip *s)
{
  for (int i = 0; i < (int)s->mask_count; i++) {
    const int reg = aq_strip_mask_register(s, i);
    if (reg < 0)
      aq_x86_wave(s->x, 0x8b, AQ_RAX, !s->wave32, aq_strip_mask_at(i));
    aq_x86_wave(s->x, 0x89, reg < 0 ? AQ_RAX : reg, !s->wave32,
                aq_strip_scalar_at(s->masks[i]));
  }
}

static void leaves_write(aq_strip *s)
{
  aq_x86 *x = s->x;
  if (s->leave_count == 0)
    return;
  for (unsigned i = 0; i < s->leave_count; i++)
    aq_x86_land_here(x, s->leaves[i]);
  masks_leave(s);
  aq_x86_registers(x, 0x89, AQ_RBX, AQ_RDI, true);
  aq_x86_registers(x, 0x89, AQ_R12, AQ_RSI, true);
  const uint32_t list = aq_x86_code_address(x, AQ_RDX);
  aq_x86_registers(x, 0x89, AQ_R15, AQ_RCX, false);
  aq_strip_vzeroupper(x);
  aq_x86_load_wide(x, AQ_RAX, (uintptr_t)aq_strip_rest_run);
  aq_x86_registers(x, 0xff, 2, AQ_RAX, false); /* call */
  aq_x86_registers(x, 0x85, AQ_RAX, AQ_RAX, true);
  const uint32_t fine = aq_x86_jump_if(x, 8); /* js */
  aq_x86_registers(x, 0x01, AQ_RAX, AQ_R13, true);
  aq_x86_registers(x, 0x31, AQ_RAX, AQ_RAX, false);
  if (s->out_count == sizeof s->outs / sizeof *s->outs)
    s->failed = true;
  else
    s->outs[s->out_count++] = aq_x86_jump(x);
  while (x->size % 8 != 0 && !x->full)
    aq_x86_byte(x, 0xcc);
  aq_x86_land_here(x, list);
  if (s->reaches)
    aq_x86_land_here(x, s->rest);
  rest_write(s);
  aq_x86_land_here(x, fine);
}

/* Lets page faults find the run: what its rest is, and 0 behind it. */
static void reaching_begin(aq_strip *s)
{
  s->rest = aq_x86_code_address(s->x, AQ_RAX);
  aq_x86_wave(s->x, 0x89, AQ_RAX, true, (int32_t)offsetof(aq_wave, strip.rest));
}

/* A strip that touches memory: its last instruction that does is the wave's
 * last, unless the strip leaves. */
static void reaching_strip(aq_strip *s)
{
  unsigned last = s->count;
  while (s->list[--last].rule->nan != AQ_STRIP_LOAD ||
         aq_strip_is_shared(&s->list[last])) {
  }
  aq_x86_wave(s->x, 0x89, AQ_R15, true,
              (int32_t)offsetof(aq_wave, strip.number));
  if (s->strip > 0)
    return;
  aq_x86_address(
      s->x, AQ_RAX, AQ_R12,
      (int32_t)((s->list[last].o - s->ops) * (ptrdiff_t)sizeof *s->ops));
  aq_x86_wave(s->x, 0x89, AQ_RAX, true, (int32_t)offsetof(aq_wave, at));
}

static void reaching_end(aq_strip *s)
{
  aq_x86_wave(s->x, 0xc7, 0, true, (int32_t)offsetof(aq_wave, strip.rest));
  aq_x86_word(s->x, 0);
}

static void nans_leave(aq_strip *s)
{
  aq_x86 *x = s->x;
  if (!s->nans)
    return;
  aq_x86_vex(x, 1, 0, false, 0x50, AQ_RAX, 0, aq_x86_ymm(AQ_STRIP_NANS), false);
  aq_x86_registers(x, 0x85, AQ_RBP, AQ_RAX, false);
  aq_strip_leave_if(s, AQ_X86_NE);
}

/* The end of the last strip. */
static void strips_end(aq_strip *s)
{
  masks_write(s);
  if (s->reaches)
    reaching_end(s);
}

/* The next strip, or the end. */
static void strip_turn(aq_strip *s, uint32_t top)
{
  aq_x86 *x = s->x;
  masks_turn(s);
  aq_x86_number(x, 0, AQ_R14, false, 32);
  aq_x86_number(x, 0, AQ_R15, false, 1);
  aq_x86_number(x, 7, AQ_R15, false, s->wave32 ? 4 : 8);
  aq_x86_land(x, aq_x86_jump_if(x, AQ_X86_NE), top);
  strips_end(s);
}

/* Behind the body of a strip: its rows, and the next strip. */
static void strip_end(aq_strip *s, uint32_t top, uint32_t skip)
{
  aq_x86 *x = s->x;
  uint32_t some = 0;
  nans_leave(s);
  if (s->dirty_count > 0) {
    aq_x86_number(x, 7, AQ_RBP, false, 0xff);
    some = aq_x86_jump_if(x, AQ_X86_NE);
    rows_write(s, false);
  }
  const uint32_t next = x->size;
  aq_x86_land_here(x, skip);
  strip_turn(s, top);
  if (!some && s->leave_count == 0) {
    aq_strip_vzeroupper(x);
    return;
  }
  const uint32_t done = aq_x86_jump(x);
  if (some) {
    aq_x86_land_here(x, some);
    lanes_off(s);
    rows_write(s, true);
    aq_x86_land(x, aq_x86_jump(x), next);
  }
  s->done = done;
}

static void rare_write(aq_strip *s)
{
  for (unsigned i = 0; i < s->rare_count; i++) {
    const aq_strip_rare *rare = &s->rare[i];
    for (unsigned k = 0; k < rare->from_count; k++)
      aq_x86_land_here(s->x, rare->from[k]);
    rare->write(s, rare);
    aq_x86_land(s->x, aq_x86_jump(s->x), rare->back);
  }
}

/* Whether a run is so short that its moved row stays in registers, eight at
 * most, and the others are enough. */
static bool is_short_move(const aq_strip *s)
{
  if (s->count > 2 || !s->list[0].move || s->list[0].is_dead)
    return false;
  for (unsigned i = 0; i < s->count; i++) {
    const aq_strip_op *op = &s->list[i];
    if (op->rule->nan != AQ_STRIP_PLAIN || op->result_count > 1 ||
        (i > 0 && op->moves))
      return false;
    for (unsigned k = 0; k < op->source_count; k++)
      if (op->sources[k].change)
        return false;
  }
  return true;
}

/* Begins a strip of a run of moved rows without a loop: its part of the moved
 * row is in the register of its number. */
static void moved_strip_begin(aq_strip *s, int strip, const uint16_t *nexts)
{
  const unsigned moved = AQ_STRIP_MOVED + s->list[0].moved,
                 leaves = s->leave_count;
  const bool nans = s->nans;
  memcpy(s->next_of, nexts, sizeof s->next_of);
  aq_strip_registers_reset(s);
  s->leave_count = leaves;
  s->nans = nans;
  s->strip = strip;
  s->register_of[moved] = (int16_t)strip;
  s->owner[strip] = (int16_t)moved;
  aq_x86_load_number(s->x, AQ_R14, 32 * (uint32_t)strip);
}

/* Whether the strip's lanes all keep their words. */
static bool strip_is_kept(const aq_strip_op *op, int strip)
{
  return (op->keeps >> 8 * strip & 0xff) == 0xff;
}

/* Writes a run of short moves for waves all of whose lanes are on, strip by
 * strip without a loop. Returned is the jump behind it. */
static uint32_t short_move_write(aq_strip *s)
{
  aq_x86 *x = s->x;
  uint16_t nexts[AQ_STRIP_VALUES];
  const int strips = s->wave32 ? 4 : 8;
  aq_memory_lanes_test(s->x, s->wave32);
  const uint32_t some = aq_x86_jump_if(x, AQ_X86_NE);
  memcpy(nexts, s->next_of, sizeof nexts);
  masks_clear(s);
  for (int i = 0; i < strips; i++)
    aq_strip_move_load(s, &s->list[0], (unsigned)i, i);
  aq_x86_load_number(x, AQ_RBP, 0xff);
  for (int i = 0; i < strips; i++) {
    if (s->count == 1 && strip_is_kept(&s->list[0], i))
      continue;
    moved_strip_begin(s, i, nexts);
    s->others = (1u << strips) - (2u << i);
    aq_x86_load_number(x, AQ_R15, (uint32_t)i);
    for (unsigned k = 0; k < s->count; k++)
      op_write(s, &s->list[k]);
    rows_write(s, false);
  }
  memcpy(s->next_of, nexts, sizeof nexts);
  s->strip = -1;
  s->others = 0;
  masks_write(s);
  aq_strip_vzeroupper(x);
  const uint32_t done = aq_x86_jump(x);
  aq_x86_land_here(x, some);
  return done;
}

/* Writes a float of other lanes: rows do not change before all results are
 * numbers, so that the handler can do it all. */
static void moved_float_write(aq_strip *s)
{
  aq_x86 *x = s->x;
  uint16_t nexts[AQ_STRIP_VALUES];
  const aq_strip_op *op = &s->list[0];
  const int strips = s->wave32 ? 4 : 8;
  if (op->is_dead)
    return;
  memcpy(nexts, s->next_of, sizeof nexts);
  aq_strip_registers_reset(s);
  aq_x86_registers(x, 0x31, AQ_R15, AQ_R15, false);
  aq_memory_lanes_test(s->x, s->wave32);
  aq_strip_leave_if(s, AQ_X86_NE);
  for (int i = 0; i < strips; i++)
    if (!strip_is_kept(op, i))
      aq_strip_move_load(s, op, (unsigned)i, i);
  for (int i = 0; i < strips; i++) {
    if (strip_is_kept(op, i))
      continue;
    moved_strip_begin(s, i, nexts);
    s->others = ((1u << strips) - 1) & ~(1u << i);
    op_write(s, op);
    avx_load(s, i, aq_x86_ymm(s->register_of[op->results[0]]));
  }
  s->strip = -1;
  s->others = 0;
  if (s->nans) {
    aq_x86_vex(x, 1, 0, false, 0x50, AQ_RAX, 0, aq_x86_ymm(AQ_STRIP_NANS),
               false);
    aq_x86_registers(x, 0x85, AQ_RAX, AQ_RAX, false);
    aq_strip_leave_if(s, AQ_X86_NE);
  }
  for (int i = 0; i < strips; i++)
    if (!strip_is_kept(op, i))
      aq_strip_register_store(
          s, i,
          (aq_x86_operand){AQ_X86_WAVE,
                           aq_strip_row_at(op->results[0]) + 32 * i});
  s->done = aq_x86_jump(x);
  leaves_write(s);
  aq_x86_land_here(x, s->done);
  aq_strip_vzeroupper(x);
}

static void modes_test(aq_strip *s)
{
  if (s->doubles)
    mode_test(s);
  if (s->halves)
    aq_strip_halves_prepare(s);
}

/* The body of a strip of the fast form. */
static void fast_strip_write(aq_strip *s)
{
  if (s->reaches && !(s->restarts && s->strip > 0))
    reaching_strip(s);
  for (unsigned i = 0; i < s->count; i++)
    op_write(s, &s->list[i]);
  if (!s->restarts)
    nans_leave(s);
  rows_write(s, false);
  aq_strip_lines_turn(s);
}

/* Before the next strip without a loop: scalars stay in their registers. */
static void registers_turn(aq_strip *s)
{
  int16_t owner[AQ_STRIP_REGISTERS];
  const unsigned leaves = s->leave_count;
  const bool nans = s->nans;
  memcpy(owner, s->owner, sizeof owner);
  aq_strip_registers_reset(s);
  s->leave_count = leaves;
  s->nans = nans && s->restarts;
  s->spill_count = s->line_rows;
  for (int i = 0; i < AQ_STRIP_REGISTERS; i++)
    if (owner[i] >= AQ_STRIP_SCALAR && owner[i] < AQ_STRIP_MASK) {
      s->owner[i] = owner[i];
      s->register_of[owner[i]] = (int16_t)i;
    }
}

/* Strips one behind the other: a loop would take longer than its body. */
static void fast_strips_write(aq_strip *s)
{
  uint16_t nexts[AQ_STRIP_VALUES];
  memcpy(nexts, s->next_of, sizeof nexts);
  for (int i = 0; i < (s->wave32 ? 4 : 8); i++) {
    s->strip = i;
    if (i) {
      registers_turn(s);
      memcpy(s->next_of, nexts, sizeof nexts);
      aq_x86_load_number(s->x, AQ_R15, (uint32_t)i);
    }
    fast_strip_write(s);
    masks_turn(s);
  }
  s->strip = -1;
  if (s->restarts)
    nans_leave(s);
}

/* Whether a run may begin anew after strips of it: it keeps no mask, and writes
 * no row that it reads before that. */
static bool may_restart(const aq_strip *s)
{
  uint64_t written[AQ_WAVE_ROWS / 64] = {0};
  for (unsigned i = s->count; i-- > 0;) {
    const aq_strip_op *op = &s->list[i];
    for (unsigned k = 0; k < op->result_count; k++) {
      const unsigned row = op->results[k];
      if (op->is_kept[k] && row >= AQ_STRIP_SCALAR)
        return false;
      if (op->is_kept[k])
        written[row / 64] |= (uint64_t)1 << row % 64;
    }
  }
  for (unsigned i = 0; i < s->count; i++)
    for (unsigned k = 0; k < s->list[i].source_count; k++) {
      const unsigned row = s->list[i].sources[k].value;
      if (row < AQ_STRIP_SCALAR && written[row / 64] >> row % 64 & 1 &&
          aq_strip_writer_of(s, i, row) < 0)
        return false;
    }
  return true;
}

/* Whether a run's strips have few instructions. */
static bool is_short(const aq_strip *s)
{
  enum { FEW = 6 };
  unsigned count = 0;
  for (unsigned i = 0; i < s->count; i++) {
    const aq_strip_op *op = &s->list[i];
    if (op->is_dead || (op->is_line && op->rule->nan != AQ_STRIP_LOAD))
      continue;
    /* The code of halves is long: a loop takes less of the caches. */
    count += op->rule->nan == AQ_STRIP_HALVES ? FEW : 1;
  }
  return count <= FEW;
}

/* Writes the fast form of a run, and the store behind it, if there is one.
 * The general form behind it executes strips that leave. Returned is the jump
 * behind that. */
static uint32_t fast_write(aq_strip *s)
{
  enum { FULL = 0xff };
  aq_x86 *x = s->x;
  aq_strip_registers_reset(s);
  s->fast = true;
  aq_memory_lanes_test(x, s->wave32);
  aq_strip_leave_if(s, AQ_X86_NE);
  modes_test(s);
  for (unsigned i = 0; i < s->count; i++)
    if (aq_strip_is_shared(&s->list[i]))
      aq_strip_load_prepare(s, &s->list[i]);
  const bool is_unrolled = is_short(s);
  s->restarts = is_unrolled && may_restart(s);
  aq_strip_lines_prepare(s, is_unrolled);
  aq_x86_load_number(x, AQ_RBP, FULL);
  if (is_unrolled) {
    fast_strips_write(s);
    strips_end(s);
  } else {
    const uint32_t top = x->size;
    fast_strip_write(s);
    strip_turn(s, top);
  }
  if (s->store)
    aq_strip_lines_store(s);
  aq_strip_vzeroupper(x);
  const uint32_t done = aq_x86_jump(x);
  for (unsigned i = 0; i < s->leave_count; i++)
    aq_x86_land_here(x, s->leaves[i]);
  if (s->restarts)
    aq_x86_registers(x, 0x31, AQ_R15, AQ_R15, false);
  if (is_unrolled) {
    aq_x86_registers(x, 0x89, AQ_R15, AQ_R14, false);
    aq_x86_shift(x, 4, AQ_R14, false, 5);
  }
  s->restarts = false;
  s->fast = false;
  return done;
}

/* Writes the general form of a run: a loop over its strips. */
static void strips_write(aq_strip *s)
{
  aq_x86 *x = s->x;
  aq_strip_registers_reset(s);
  s->done = 0;
  modes_test(s);
  for (unsigned i = 0; i < s->count; i++)
    if (s->list[i].rule->nan == AQ_STRIP_LOAD)
      aq_strip_load_prepare(s, &s->list[i]);
    else if (s->list[i].moves && !s->list[i].is_dead)
      aq_strip_move_prepare(s, &s->list[i]);
  const uint32_t top = x->size;
  aq_x86_byte(x, 0x42); /* movzx ebp, byte [rbx + r15 + EXEC] */
  aq_x86_byte(x, 0x0f);
  aq_x86_byte(x, 0xb6);
  aq_x86_byte(x, 0xac);
  aq_x86_byte(x, 0x3b);
  aq_x86_word(x, (uint32_t)aq_strip_scalar_at(AQ_ISA_EXEC));
  aq_x86_registers(x, 0x85, AQ_RBP, AQ_RBP, false);
  const uint32_t skip = aq_x86_jump_if(x, AQ_X86_E);
  if (s->reaches)
    reaching_strip(s);
  for (unsigned i = 0; i < s->count; i++)
    op_write(s, &s->list[i]);
  strip_end(s, top, skip);
  rare_write(s);
  leaves_write(s);
  if (s->done) {
    aq_x86_land_here(x, s->done);
    aq_strip_vzeroupper(x);
  }
}

/* Writes a run in one form or two. Returned is a jump behind its store, or 0.
 */
static uint32_t forms_write(aq_strip *s)
{
  aq_x86 *x = s->x;
  s->masks_turn = true;
  masks_clear(s);
  aq_x86_registers(x, 0x31, AQ_R14, AQ_R14, false);
  aq_x86_registers(x, 0x31, AQ_R15, AQ_R15, false);
  if (s->reaches)
    reaching_begin(s);
  aq_strip_nexts_find(s, s->store);
  bool fast = aq_strip_lines_find(s) && !s->plain;
  /* A strip that leaves must not have left out rows that the store reads. */
  if (s->store && !(fast && is_short(s) && may_restart(s))) {
    s->store = NULL;
    aq_strip_nexts_find(s, NULL);
    fast = aq_strip_lines_find(s) && !s->plain;
  }
  if (!fast)
    fast = !s->plain && s->move_count == 0 && !s->reaches && is_short(s);
  const uint32_t behind = fast ? fast_write(s) : 0;
  aq_strip_nexts_find(s, NULL);
  strips_write(s);
  s->masks_turn = false;
  if (!behind || s->store)
    return behind;
  aq_x86_land_here(x, behind);
  return 0;
}

static void run_forget(aq_strip *s)
{
  s->count = s->mask_count = s->rows_written = s->load_count = 0;
  s->move_count = 0;
  s->doubles = s->halves = s->reaches = s->may_leave = false;
  memset(s->written, 0, sizeof s->written);
  memset(s->scalars_read, 0, sizeof s->scalars_read);
  memset(s->masks, 0, sizeof s->masks);
}

uint32_t aq_strip_flush_before(aq_strip *s, const aq_wave_op *store,
                               unsigned words)
{
  uint32_t behind = 0;
  if (s->count == 0)
    return 0;
  aq_strip_shared_sink(s);
  s->store = store;
  s->store_words = words;
  aq_strip_nexts_find(s, NULL);
  if (aq_strip_is_moved_float(&s->list[0])) {
    moved_float_write(s);
  } else {
    const uint32_t moved = is_short_move(s) ? short_move_write(s) : 0;
    behind = forms_write(s);
    if (moved)
      aq_x86_land_here(s->x, moved);
  }
  run_forget(s);
  return behind;
}

void aq_strip_flush(aq_strip *s)
{
  aq_strip_flush_before(s, NULL, 0);
}
