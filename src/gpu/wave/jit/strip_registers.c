/* SPDX-License-Identifier: MIT */
/* Which register of the host has which value in a strip (strip.h): the part of
 * strips that rules call. */
#include "config.h"

#include "gpu/wave/jit/strip.h"
#include "gpu/wave/jit/strip_avx.h"

#include <stddef.h>

#include "gpu/wave/core/operand_modifiers.h"

enum { DEAD = AQ_STRIP_DEAD, END = AQ_STRIP_END };

/* ---- registers ---- */

void aq_strip_value_forget(aq_strip *s, unsigned value)
{
  const int reg = s->register_of[value];
  if (reg >= 0) {
    s->register_of[value] = -1;
    s->owner[reg] = -1;
  }
}

void aq_strip_forms_forget(aq_strip *s, unsigned row)
{
  aq_strip_value_forget(s, AQ_STRIP_WIDE_HALVES + row);
  aq_strip_value_forget(s, AQ_STRIP_FOURS + row);
  aq_strip_value_forget(s, AQ_STRIP_OTHER_FOURS + row);
  for (unsigned first = row > 0 ? row - 1 : 0; first <= row; first++) {
    aq_strip_value_forget(s, AQ_STRIP_PAIRS + first);
    aq_strip_value_forget(s, AQ_STRIP_OTHER_PAIRS + first);
  }
}

void aq_strip_register_store(aq_strip *s, int reg, aq_x86_operand to)
{
  aq_x86_vex(s->x, 1, 2, false, 0x7f, reg, 0, to, false);
}

void aq_strip_register_load(aq_strip *s, int reg, aq_x86_operand from)
{
  aq_x86_vex(s->x, 1, 2, false, 0x6f, reg, 0, from, false);
}

aq_x86_operand aq_strip_spill_operand(int spill)
{
  return aq_x86_frame(AQ_STRIP_AT_SPILLS + 32 * spill);
}

/* Whether only the register has it. */
static bool needs_spill(const aq_strip *s, unsigned value)
{
  if (value >= AQ_STRIP_VALUES || s->next_of[value] == DEAD ||
      s->spill_of[value] >= 0)
    return false;
  return value < AQ_STRIP_SCALAR
             ? s->is_dirty[value]
             : value >= AQ_STRIP_MASK && value < AQ_STRIP_MOVED &&
                   s->mask_is_ours[value - AQ_STRIP_MASK] &&
                   !s->mask_is_kept[value - AQ_STRIP_MASK];
}

/* ---- forms ---- */

/* Whether the register of a result has it where the form looks. */
static bool has_form(const aq_strip_op *op, unsigned form)
{
  if (form == AQ_STRIP_WIDE_HALVES && op->part)
    return op->part->first == 0 && op->part->mask == 0xffff && !op->keeps;
  return !op->part && !op->keeps;
}

/* Whether an instruction can compute with rows in a form, and whether it does
 * without another step. */
static bool can_take_form(const aq_strip_op *op, unsigned form)
{
  return op->rule->nan ==
         (form < AQ_STRIP_WIDE_HALVES ? AQ_STRIP_WIDE : AQ_STRIP_HALVES);
}

static bool takes_form(const aq_strip_op *op, unsigned form)
{
  return can_take_form(op, form) &&
         (form < AQ_STRIP_WIDE_HALVES ||
          aq_strip_is_pair(op) == (form >= AQ_STRIP_FOURS));
}

/* Whether a row's words wait in registers in the form that their next reader
 * takes. */
static bool is_read_as_form(const aq_strip *s, unsigned row)
{
  const unsigned next = s->next_of[row];
  const aq_strip_op *op = next < s->count ? &s->list[next] : NULL;
  if (!op)
    return false;
  if (takes_form(op, AQ_STRIP_PAIRS))
    return s->register_of[AQ_STRIP_PAIRS + row] >= 0 ||
           (row > 0 && s->register_of[AQ_STRIP_PAIRS + row - 1] >= 0);
  if (takes_form(op, AQ_STRIP_FOURS))
    return s->register_of[AQ_STRIP_FOURS + row] >= 0;
  return takes_form(op, AQ_STRIP_WIDE_HALVES) &&
         s->register_of[AQ_STRIP_WIDE_HALVES + row] >= 0;
}

/* When a register is read next; later if nothing is lost with it. */
static unsigned next_use(const aq_strip *s, unsigned value)
{
  if (value >= AQ_STRIP_VALUES) {
    const unsigned row = (value - AQ_STRIP_VALUES) % AQ_WAVE_ROWS,
                   next = s->next_of[row];
    return next >= s->count || can_take_form(&s->list[next], value) ? next + 1u
                                                                    : END + 1u;
  }
  const unsigned next = value < AQ_STRIP_SCALAR && is_read_as_form(s, value)
                            ? END
                            : s->next_of[value];
  return next + (s->is_dirty[value] ? 0u : 1u);
}

/* ---- registers ---- */

/* A free register, or the one whose value is read last. */
static int register_take(aq_strip *s)
{
  int best = -1;
  unsigned last = 0;
  for (int i = 0; i < AQ_STRIP_REGISTERS; i++) {
    if ((s->pinned | s->others) >> i & 1)
      continue;
    if (s->owner[i] < 0) {
      best = i;
      break;
    }
    const unsigned next = next_use(s, (unsigned)s->owner[i]);
    if (best < 0 || next > last) {
      best = i;
      last = next;
    }
  }
  if (best < 0) {
    s->failed = true;
    return 0;
  }
  if (s->owner[best] >= 0) {
    const unsigned value = (unsigned)s->owner[best];
    if (needs_spill(s, value)) {
      if (s->spill_count == AQ_STRIP_SPILLS)
        s->failed = true;
      else
        s->spill_of[value] = (int16_t)s->spill_count++;
      aq_strip_register_store(s, best,
                              aq_strip_spill_operand(s->spill_of[value]));
    }
    aq_strip_value_forget(s, value);
  }
  s->pinned |= 1u << best;
  return best;
}

int aq_strip_temporary(aq_strip *s)
{
  return register_take(s);
}

/* ---- forms ---- */

static void register_give(aq_strip *s, unsigned form, int reg)
{
  aq_strip_value_forget(s, form);
  s->register_of[form] = (int16_t)reg;
  s->owner[reg] = (int16_t)form;
}

int aq_strip_form_register(aq_strip *s, unsigned form)
{
  const int reg = s->register_of[form];
  if (reg >= 0)
    s->pinned |= 1u << reg;
  return reg;
}

int aq_strip_form_take(aq_strip *s, unsigned form)
{
  const int reg = register_take(s);
  register_give(s, form, reg);
  return reg;
}

int aq_strip_form_make(aq_strip *s, const aq_strip_op *op, unsigned k,
                       unsigned form, int had)
{
  const unsigned next = op->nexts[0];
  if (next >= s->count || !takes_form(&s->list[next], form) ||
      !has_form(op, form))
    return -1;
  if (had >= 0)
    aq_strip_value_forget(s, (unsigned)s->owner[had]);
  const int reg = had >= 0 ? had : register_take(s);
  s->made[k].form = (int16_t)(form + op->results[0]);
  s->made[k].reg = (int16_t)reg;
  return reg;
}

bool aq_strip_form_ends(const aq_strip *s, const aq_strip_op *op, unsigned k,
                        unsigned form)
{
  const unsigned next = op->sources[k].next;
  for (unsigned i = 0; i < op->source_count; i++)
    if (i != k && op->sources[i].value == op->sources[k].value)
      return false;
  return next >= s->count || !can_take_form(&s->list[next], form);
}

void aq_strip_sources_unpin(aq_strip *s)
{
  s->pinned = 0;
  for (int k = 0; k < 2; k++)
    if (s->made[k].form >= 0)
      s->pinned |= 1u << s->made[k].reg;
}

void aq_strip_forms_keep(aq_strip *s)
{
  for (int k = 0; k < 2; k++)
    if (s->made[k].form >= 0) {
      register_give(s, (unsigned)s->made[k].form, s->made[k].reg);
      s->made[k].form = -1;
    }
}

void aq_strip_unpin(aq_strip *s, int reg)
{
  s->pinned &= ~(1u << reg);
}

/* Bits of eight lanes as a mask. */
void aq_strip_bits_expand(aq_strip *s, int reg, int from)
{
  static const uint32_t bits[8] = {1, 2, 4, 8, 16, 32, 64, 128};
  aq_x86 *x = s->x;
  aq_x86_vex128(x, 1, 1, false, 0x6e, reg, 0, aq_x86_ymm(from));
  avx_spread(s, reg, aq_x86_ymm(reg));
  aq_x86_vex(x, 1, 1, false, 0xdb, reg, reg, aq_x86_constant(x, bits), false);
  aq_x86_vex(x, 1, 1, false, 0x76, reg, reg, aq_x86_constant(x, bits), false);
}

void aq_strip_lanes(aq_strip *s, int reg)
{
  aq_strip_bits_expand(s, reg, AQ_RBP);
}

/* movzx eax, byte [rbx + r15 + at] */
static void strip_byte_load(aq_strip *s, int32_t at)
{
  aq_x86_byte(s->x, 0x42);
  aq_x86_byte(s->x, 0x0f);
  aq_x86_byte(s->x, 0xb6);
  aq_x86_byte(s->x, 0x84);
  aq_x86_byte(s->x, 0x3b);
  aq_x86_word(s->x, (uint32_t)at);
}

int aq_strip_mask_slot(const aq_strip *s, unsigned code)
{
  for (unsigned i = 0; i < s->mask_count; i++)
    if (s->masks[i] == code)
      return (int)i;
  return 0;
}

/* movzx eax, dil, or sil */
static void low_byte_load(aq_strip *s, int from)
{
  aq_x86_byte(s->x, 0x40);
  aq_x86_registers(s->x, 0x0fb6, AQ_RAX, from, false);
}

static void mask_load(aq_strip *s, int reg, unsigned code)
{
  const int slot = aq_strip_mask_slot(s, code);
  if (!s->mask_is_ours[code])
    strip_byte_load(s, aq_strip_scalar_at(code));
  else if (aq_strip_mask_register(s, slot) >= 0)
    low_byte_load(s, aq_strip_mask_register(s, slot));
  else
    strip_byte_load(s, aq_strip_mask_at(slot));
  aq_strip_bits_expand(s, reg, AQ_RAX);
}

static aq_x86_operand moved_operand(unsigned value)
{
  return (aq_x86_operand){
      AQ_X86_FRAME_ROW,
      AQ_STRIP_AT_MOVED + 4 * AQ_WAVE_LANES * (int)(value - AQ_STRIP_MOVED)};
}

static void value_load(aq_strip *s, int reg, unsigned value)
{
  if (s->spill_of[value] >= 0)
    aq_strip_register_load(s, reg, aq_strip_spill_operand(s->spill_of[value]));
  else if (value >= AQ_STRIP_WINDOWS)
    aq_strip_register_load(
        s, reg,
        aq_x86_frame(AQ_STRIP_AT_INDICES +
                     32 * (int32_t)(value - AQ_STRIP_WINDOWS)));
  else if (value >= AQ_STRIP_MOVED)
    aq_strip_register_load(s, reg, moved_operand(value));
  else if (value >= AQ_STRIP_MASK)
    mask_load(s, reg, value - AQ_STRIP_MASK);
  else if (value >= AQ_STRIP_SCALAR)
    avx_spread(s, reg,
               (aq_x86_operand){AQ_X86_WAVE,
                                aq_strip_scalar_at(value - AQ_STRIP_SCALAR)});
  else
    aq_strip_register_load(s, reg, aq_strip_row_words(s, value));
}

int aq_strip_value_register(aq_strip *s, unsigned value)
{
  int reg = s->register_of[value];
  if (reg < 0) {
    reg = register_take(s);
    value_load(s, reg, value);
    s->register_of[value] = (int16_t)reg;
    s->owner[reg] = (int16_t)value;
  }
  s->pinned |= 1u << reg;
  return reg;
}

aq_x86_operand aq_strip_row_operand(const aq_strip *s, unsigned row)
{
  if (s->register_of[row] >= 0)
    return aq_x86_ymm(s->register_of[row]);
  return s->spill_of[row] >= 0 ? aq_strip_spill_operand(s->spill_of[row])
                               : aq_strip_row_words(s, row);
}

/* A word as its form changes it, in another register. */
static int value_change(aq_strip *s, const aq_wave_form_source *c, int from)
{
  const int to = register_take(s);
  aq_x86 *x = s->x;
  int now = from;
  if (c->up) {
    aq_x86_vex(x, 1, 1, false, 0x72, 6, to, aq_x86_ymm(now), true);
    aq_x86_byte(x, c->up);
    now = to;
  }
  if (c->down) {
    aq_x86_vex(x, 1, 1, false, 0x72, c->extends ? 4 : 2, to, aq_x86_ymm(now),
               true);
    aq_x86_byte(x, c->down);
    now = to;
  }
  if (c->keep != UINT32_MAX) {
    aq_x86_vex(x, 1, 1, false, 0xdb, to, now, aq_x86_same(x, c->keep), false);
    now = to;
  }
  if (c->flip) {
    aq_x86_vex(x, 1, 1, false, 0xef, to, now, aq_x86_same(x, c->flip), false);
    now = to;
  }
  if (now == from)
    aq_strip_register_load(s, to, aq_x86_ymm(from));
  return to;
}

int aq_strip_source_register(aq_strip *s, const aq_strip_op *op, unsigned k)
{
  const aq_strip_source *source = &op->sources[k];
  int reg;
  if (source->value == AQ_STRIP_NUMBER) {
    reg = register_take(s);
    aq_strip_register_load(s, reg, aq_x86_same(s->x, source->number));
  } else {
    reg = aq_strip_value_register(s, source->value);
  }
  return source->change ? value_change(s, source->change, reg) : reg;
}

aq_x86_operand aq_strip_source_operand(aq_strip *s, const aq_strip_op *op,
                                       unsigned k)
{
  const aq_strip_source *source = &op->sources[k];
  if (source->change)
    return aq_x86_ymm(aq_strip_source_register(s, op, k));
  if (source->value == AQ_STRIP_NUMBER)
    return aq_x86_same(s->x, source->number);
  if (source->value < AQ_STRIP_SCALAR && s->register_of[source->value] < 0 &&
      source->next >= END)
    return aq_strip_row_operand(s, source->value);
  if (source->value >= AQ_STRIP_MOVED && s->register_of[source->value] < 0)
    return moved_operand(source->value);
  return aq_x86_ymm(aq_strip_value_register(s, source->value));
}

bool aq_strip_source_number(const aq_strip_op *op, unsigned k, uint32_t *out)
{
  const aq_strip_source *source = &op->sources[k];
  *out = source->number;
  return source->value == AQ_STRIP_NUMBER && !source->change;
}

void aq_strip_read(aq_strip *s, const aq_strip_op *op)
{
  aq_strip_sources_unpin(s);
  for (unsigned i = 0; i < op->source_count; i++) {
    const unsigned value = op->sources[i].value;
    if (value == AQ_STRIP_NUMBER)
      continue;
    s->next_of[value] = op->sources[i].next;
    if (s->next_of[value] == DEAD)
      aq_strip_value_forget(s, value);
  }
}

int aq_strip_result(aq_strip *s, unsigned k)
{
  return s->result_registers[k] = register_take(s);
}

aq_x86_operand aq_strip_old(aq_strip *s, const aq_strip_op *op)
{
  const unsigned row = op->results[0];
  if (!s->is_dirty[row])
    return aq_strip_row_words(s, row);
  if (s->register_of[row] < 0)
    return aq_strip_spill_operand(s->spill_of[row]);
  aq_strip_register_store(s, s->register_of[row],
                          aq_x86_frame(AQ_STRIP_AT_OLD));
  return aq_x86_frame(AQ_STRIP_AT_OLD);
}

/* ---- masks and NaNs ---- */

void aq_strip_vzeroupper(aq_x86 *x)
{
  aq_x86_byte(x, 0xc5);
  aq_x86_byte(x, 0xf8);
  aq_x86_byte(x, 0x77);
}

void aq_strip_mask(aq_strip *s, const aq_strip_op *op, unsigned k, int reg)
{
  const unsigned code = op->results[k] - AQ_STRIP_MASK;
  aq_x86 *x = s->x;
  s->mask_is_ours[code] = true;
  s->mask_is_kept[code] = op->is_kept[k];
  if (!op->is_kept[k])
    return;
  aq_x86_vex(x, 1, 0, false, 0x50, AQ_RAX, 0, aq_x86_ymm(reg), false);
  if (!s->fast)
    aq_x86_registers(x, 0x21, AQ_RBP, AQ_RAX, false);
  const int slot = aq_strip_mask_slot(s, code),
            byte = aq_strip_mask_register(s, slot);
  if (byte >= 0) { /* mov dil, al, or sil */
    aq_x86_byte(x, 0x40);
    aq_x86_registers(x, 0x88, AQ_RAX, byte, false);
    if (!s->reaches)
      return;
  }
  /* mov [rbx + r15 + at], al */
  aq_x86_byte(x, 0x42);
  aq_x86_byte(x, 0x88);
  aq_x86_byte(x, 0x84);
  aq_x86_byte(x, 0x3b);
  aq_x86_word(x, (uint32_t)aq_strip_mask_at(slot));
}

void aq_strip_nans_mask(aq_strip *s, int mask)
{
  if (s->nans)
    aq_x86_vex(s->x, 1, 1, false, 0xeb, AQ_STRIP_NANS, AQ_STRIP_NANS,
               aq_x86_ymm(mask), false);
  else
    aq_strip_register_load(s, AQ_STRIP_NANS, aq_x86_ymm(mask));
  s->nans = true;
}

void aq_strip_nans(aq_strip *s, int a, int b)
{
  const int to = s->nans ? AQ_STRIP_T0 : AQ_STRIP_NANS;
  aq_x86_vex(s->x, 1, 0, false, 0xc2, to, a, aq_x86_ymm(b), true);
  aq_x86_byte(s->x, 3); /* unordered */
  if (s->nans)
    aq_strip_nans_mask(s, to);
  s->nans = true;
}

/* ---- the strip ---- */

static void leave_by(aq_strip *s, uint32_t jump)
{
  if (s->leave_count == sizeof s->leaves / sizeof *s->leaves)
    s->failed = true;
  else
    s->leaves[s->leave_count++] = jump;
}

void aq_strip_leave(aq_strip *s)
{
  leave_by(s, aq_x86_jump(s->x));
}

void aq_strip_leave_if(aq_strip *s, int condition)
{
  leave_by(s, aq_x86_jump_if(s->x, condition));
}

aq_strip_rare *aq_strip_rare_begin(aq_strip *s, const aq_strip_op *op)
{
  aq_strip_rare *rare = &s->rare[s->rare_count++];
  *rare = (aq_strip_rare){.op = op};
  return rare;
}

void aq_strip_rare_if(aq_strip *s, aq_strip_rare *rare, int condition)
{
  const uint32_t at = aq_x86_jump_if(s->x, condition);
  if (rare->from_count < sizeof rare->from / sizeof *rare->from)
    rare->from[rare->from_count++] = at;
  else
    s->failed = true;
}

void aq_strip_registers_reset(aq_strip *s)
{
  memset(s->register_of, 0xff, sizeof s->register_of);
  memset(s->spill_of, 0xff, sizeof s->spill_of);
  memset(s->owner, 0xff, sizeof s->owner);
  memset(s->is_dirty, 0, sizeof s->is_dirty);
  memset(s->mask_is_ours, 0, sizeof s->mask_is_ours);
  s->dirty_count = s->spill_count = s->leave_count = 0;
  s->rare_count = s->window_count = 0;
  memset(s->window_base, 0xff, sizeof s->window_base);
  s->made[0].form = s->made[1].form = -1;
  s->nans = false;
}
