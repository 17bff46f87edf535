/* SPDX-License-Identifier: MIT */
/*
 * Forms of vector instructions: SDWA, DPP, signs, clamp, output modifiers,
 * operand selection. The sources are copied as the form says, the plain handler
 * runs on the copies, and its result is put where the form says.
 */
#include "config.h"

#include "wave/finish.h"
#include "wave/lanes.h"

enum {
  SOURCES = AQ_WAVE_TEMP + 8, /* copies, a pair of rows each */
  RESULT = AQ_WAVE_TEMP + 16,
};

#define LANES(l)                                                               \
  for (uint64_t rest = AQ_WAVE_EXEC(w); rest; rest &= rest - 1)                \
    for (int l = __builtin_ctzll(rest), once = 1; once; once = 0)

/* ---- DPP ---- */

/* The lane that l reads, or -1. */
static int dpp_lane(unsigned control, int l)
{
  const int row = l & ~15, in = l & 15, n = (int)(control & 15);
  if (control < 0x100)
    return (l & ~3) | (int)(control >> (2 * (l & 3)) & 3);
  switch (control & 0x1f0) {
  case 0x100: /* row_shl */
    return in + n < 16 ? l + n : -1;
  case 0x110: /* row_shr */
    return in >= n ? l - n : -1;
  case 0x120: /* row_ror */
    return row | ((in - n) & 15);
  case 0x150: /* row_newbcast, row_share */
    return row | n;
  case 0x160: /* row_xmask */
    return row | (in ^ n);
  default:
    break;
  }
  switch (control) {
  case 0x130: /* wave_shl */
    return l < 63 ? l + 1 : -1;
  case 0x134: /* wave_rol */
    return (l + 1) & 63;
  case 0x138: /* wave_shr */
    return l > 0 ? l - 1 : -1;
  case 0x13c: /* wave_ror */
    return (l - 1) & 63;
  case 0x140: /* row_mirror */
    return row | (15 - in);
  case 0x141: /* row_half_mirror */
    return (l & ~7) | (7 - (l & 7));
  case 0x142: /* row_bcast15: the last lane of the row before */
    return l >= 16 ? row - 1 : -1;
  case 0x143: /* row_bcast31 */
    return l >= 32 ? 31 : -1;
  default:
    return -1;
  }
}

static int form_lane(const aq_isa_inst *inst, int l)
{
  return inst->form == AQ_ISA_DPP || inst->form == AQ_ISA_E64_DPP
             ? dpp_lane(inst->dpp_ctrl, l)
             : (l & ~7) | (int)(inst->lanes >> (3 * (l & 7)) & 7);
}

/* Whether a lane writes: DPP8 has no masks, and reads lanes that are off as 0.
 */
static bool form_writes(const aq_isa_inst *inst, int l, bool valid)
{
  if (inst->form == AQ_ISA_DPP8 || inst->form == AQ_ISA_E64_DPP8)
    return true;
  return inst->row_mask >> (l / 16) & 1 && inst->bank_mask >> (l / 4 & 3) & 1 &&
         (valid || inst->bound_ctrl);
}

/* Moves the copy's lanes; the result is which lanes write. */
static uint64_t dpp_move(const aq_wave *w, const aq_isa_inst *inst,
                         uint32_t *row, bool wide)
{
  uint32_t old[2 * AQ_WAVE_LANES];
  const uint64_t exec = AQ_WAVE_EXEC(w);
  uint64_t writes = 0;
  memcpy(old, row, (wide ? 2 : 1) * sizeof *old * AQ_WAVE_LANES);
  for (int l = 0; l < AQ_WAVE_LANES; l++) {
    const int from = form_lane(inst, l);
    const bool valid = from >= 0 && (exec >> from & 1 || inst->fetch_inactive);
    if (!form_writes(inst, l, valid))
      continue;
    writes |= (uint64_t)1 << l;
    row[l] = valid ? old[from] : 0;
    if (wide)
      row[AQ_WAVE_LANES + l] = valid ? old[AQ_WAVE_LANES + from] : 0;
  }
  return writes & exec;
}

/* ---- sources ---- */

static uint32_t select_part(uint32_t x, unsigned select, bool is_signed)
{
  if (select < 4) {
    x = x >> (8 * select) & 0xff;
    return is_signed ? (uint32_t)(int8_t)x : x;
  }
  if (select < 6) {
    x = x >> (16 * (select - 4)) & 0xffff;
    return is_signed ? (uint32_t)(int16_t)x : x;
  }
  return x;
}

static void signs_apply(uint32_t *row, unsigned bits, unsigned modifiers)
{
  const uint32_t sign = bits == 16 ? 0x8000 : 0x80000000;
  uint32_t *word = bits == 64 ? row + AQ_WAVE_LANES : row;
  const uint32_t keep = modifiers & AQ_ISA_ABS ? ~sign : UINT32_MAX;
  const uint32_t flip = modifiers & AQ_ISA_NEG ? sign : 0;
  AQ_EACH_LANE(l) word[l] = (word[l] & keep) ^ flip;
}

/* Copies source i for an operand; false: it needs no copy. */
static bool source_copy(aq_wave *w, const aq_wave_op *o, int i,
                        const aq_isa_operand *operand, uint64_t *writes,
                        aq_wave_op *plain)
{
  const aq_isa_inst *inst = &o->more->inst;
  const bool wide = operand->bits == 64;
  const bool part = operand->select < 6;
  const bool dpp = aq_isa_form_is_dpp(inst->form) && i == 0;
  const bool high =
      inst->row->flags & AQ_ISA_OPSEL && !part && inst->op_sel >> i & 1;
  const unsigned signs = operand->modifiers & (AQ_ISA_NEG | AQ_ISA_ABS);
  if (!(part || dpp || high || signs))
    return false;
  const uint32_t *from = wide ? lanes_source64(w, o, i) : lanes_source(w, o, i);
  uint32_t *row = w->v[SOURCES + 2 * i];
  memcpy(row, from, (wide ? 2 : 1) * sizeof *row * AQ_WAVE_LANES);
  if (dpp)
    *writes = dpp_move(w, inst, row, wide);
  if (part)
    AQ_EACH_LANE(l)
  row[l] =
      select_part(row[l], operand->select, operand->modifiers & AQ_ISA_SEXT);
  if (high)
    AQ_EACH_LANE(l) row[l] >>= 16;
  if (signs)
    signs_apply(row, operand->bits, signs);
  plain->kind[i] = AQ_WAVE_V;
  plain->r[i] = (uint16_t)(SOURCES + 2 * i);
  return true;
}

/* ---- results ---- */

/* A part of the register; the rest is kept, zero or the sign. */
static uint32_t part_place(uint32_t old, uint32_t x, unsigned select,
                           unsigned unused)
{
  if (select >= 6)
    return x;
  const unsigned width = select < 4 ? 8 : 16;
  const unsigned first = select < 4 ? 8 * select : 16 * (select - 4);
  const uint32_t mask = ((1u << width) - 1) << first;
  const uint32_t part = x << first & mask;
  if (unused == 2)
    return (old & ~mask) | part;
  if (unused == 1 && x >> (width - 1) & 1)
    return part | ~(((mask & -mask) - 1) | mask);
  return part;
}

/* Whether an instruction of 16 bits writes one half and keeps the other. */
static bool keeps_half(const aq_isa_inst *inst)
{
  const char *name = inst->row->name;
  return inst->row->flags & AQ_ISA_OPSEL && inst->form != AQ_ISA_SDWA &&
         strcmp(name + strlen(name) - 2, "16") == 0 &&
         strncmp(name, "v_pack", 6) != 0 && strncmp(name, "v_cvt_pk", 8) != 0 &&
         strncmp(name, "v_mad_u32", 9) != 0 &&
         strncmp(name, "v_mad_i32", 9) != 0;
}

/* Whether the result is one of 16 bits: gfx11's table has it. */
static bool result_is_half(const aq_isa_inst *inst)
{
  static const char *const halves[] = {
      "v_cvt_f16_",       "v_cvt_u16_",   "v_cvt_i16_",       "v_cvt_norm_",
      "v_frexp_exp_i16_", "v_sat_pk_u8_", "v_frexp_mant_f16", NULL};
  static const char *const others[] = {"v_cvt_",     "v_cmp",      "v_pack_",
                                       "v_mad_u32_", "v_mad_i32_", "v_dot",
                                       "v_sad_",     NULL};
  const char *name = inst->row->name;
  const aq_isa_operand *d = aq_isa_operand_find(inst, 'D');
  if (!d || d->file != 'v' || inst->row->encoding == AQ_ISA_VOP3P)
    return false;
  if (inst->target & AQ_ISA_GFX11)
    return d->bits == 16;
  if (strncmp(name, "v_dot2_f16_", 11) == 0 ||
      strncmp(name, "v_dot2_bf16_", 12) == 0)
    return true;
  for (size_t i = 0; halves[i]; i++)
    if (strncmp(name, halves[i], strlen(halves[i])) == 0)
      return true;
  for (size_t i = 0; others[i]; i++)
    if (strncmp(name, others[i], strlen(others[i])) == 0)
      return false;
  return strncmp(name, "v_pk_", 5) != 0 &&
         strcmp(name + strlen(name) - 2, "16") == 0;
}

bool aq_wave_form_keeps_half(const aq_isa_inst *inst)
{
  if (inst->row->encoding == AQ_ISA_VOPD || inst->row->encoding == AQ_ISA_VOPD3)
    return false; /* all of their results are words */
  return inst->target & AQ_ISA_RDNA && inst->form != AQ_ISA_SDWA &&
         result_is_half(inst);
}

static bool result_is_upper(const aq_isa_inst *inst)
{
  return inst->target & AQ_ISA_GFX11
             ? aq_isa_operand_find(inst, 'D')->select == 5
             : inst->op_sel & 8;
}

static void result_place(aq_wave *w, const aq_wave_op *o, bool wide)
{
  const aq_isa_inst *inst = &o->more->inst;
  const uint32_t *row = w->v[RESULT];
  uint32_t *d = w->v[o->d];
  const bool half = inst->target & AQ_ISA_RDNA ? aq_wave_form_keeps_half(inst)
                                               : keeps_half(inst);
  const unsigned select = inst->form == AQ_ISA_SDWA ? inst->dst_sel
                          : half ? (result_is_upper(inst) ? 5 : 4)
                                 : 6;
  const unsigned unused = half ? 2 : inst->dst_unused;
  LANES(l)
  {
    d[l] = part_place(d[l], row[l], select, unused);
    if (wide)
      d[AQ_WAVE_LANES + l] = row[AQ_WAVE_LANES + l];
  }
}

static bool result_is_vector(const aq_isa_inst *inst)
{
  const aq_isa_operand *d = aq_isa_operand_find(inst, 'D');
  return d && d->file != 's';
}

static bool result_is_wide(const aq_isa_inst *inst)
{
  const aq_isa_operand *d = aq_isa_operand_find(inst, 'D');
  return d && d->bits == 64;
}

/* Whether the old value of the destination, its upper half, is a source. */
static bool accumulates_upper(const aq_wave_op *o)
{
  const aq_isa_inst *inst = &o->more->inst;
  return o->kind[2] == AQ_WAVE_V && o->r[2] == o->d &&
         !aq_isa_operand_find(inst, 'C') && aq_wave_form_keeps_half(inst) &&
         result_is_upper(inst);
}

static void upper_copy(aq_wave *w, aq_wave_op *plain)
{
  uint32_t *row = w->v[SOURCES + 4];
  const uint32_t *d = w->v[plain->d];
  AQ_EACH_LANE(l) row[l] = d[l] >> 16;
  plain->r[2] = SOURCES + 4;
}

/* VOP3P with DPP: its handlers apply the modifiers to the moved source, and
 * write the lanes of EXEC. */
static const aq_wave_op *packed_run(aq_wave *w, const aq_wave_op *o)
{
  const uint64_t exec = AQ_WAVE_EXEC(w);
  aq_wave_op plain = *o;
  uint32_t *row = w->v[SOURCES];
  plain.run = o->more->base;
  memcpy(row, lanes_source(w, o, 0), sizeof *row * AQ_WAVE_LANES);
  AQ_WAVE_EXEC(w) = dpp_move(w, &o->more->inst, row, false);
  plain.kind[0] = AQ_WAVE_V;
  plain.r[0] = SOURCES;
  const aq_wave_op *next = plain.run(w, &plain);
  AQ_WAVE_EXEC(w) = exec;
  return next ? aq_wave_next(o) : NULL;
}

const aq_wave_op *aq_wave_form_run(aq_wave *w, const aq_wave_op *o)
{
  if (o->more->inst.row->encoding == AQ_ISA_VOP3P)
    return packed_run(w, o);
  const aq_isa_inst *inst = &o->more->inst;
  const uint64_t exec = AQ_WAVE_EXEC(w);
  const bool vector = result_is_vector(inst), wide = result_is_wide(inst);
  uint64_t writes = exec;
  aq_wave_op plain = *o;
  plain.run = o->more->base;
  int i = 0;
  for (unsigned k = 0; k < inst->operand_count && i < 3; k++) {
    const aq_isa_operand *operand = &inst->operands[k];
    if (operand->role == 'D' || operand->role == 'E')
      continue;
    source_copy(w, o, i++, operand, &writes, &plain);
  }
  if (vector && accumulates_upper(o))
    upper_copy(w, &plain);
  AQ_WAVE_EXEC(w) = writes;
  if (vector)
    plain.d = RESULT;
  const aq_wave_op *next = plain.run(w, &plain);
  if (!next)
    return NULL;
  if (vector) {
    if ((inst->clamp || inst->omod) && !aq_wave_finish(w, &plain, RESULT))
      return aq_wave_fault(w, o, AQ_EXECUTION_FAULT_ILLEGAL, 0,
                           "clamp of this instruction is not simulated");
    result_place(w, o, wide);
    AQ_WAVE_EXEC(w) = exec;
  } else if (strncmp(inst->row->name, "v_cmpx", 6) != 0) {
    AQ_WAVE_EXEC(w) = exec;
  }
  return aq_wave_next(o);
}
