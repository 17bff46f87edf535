/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/core/operand_modifiers.h"

#include "gpu/wave/core/lanes.h"

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

/* ---- sources ---- */

static aq_wave_form_source source_read(const aq_isa_inst *inst, unsigned i,
                                       const aq_isa_operand *operand)
{
  const unsigned select = operand->select;
  const bool byte = select < 4, word = select == 4 || select == 5;
  const bool high =
      inst->row->flags & AQ_ISA_OPSEL && select >= 6 && inst->op_sel >> i & 1;
  const uint32_t sign = operand->bits == 16 ? 0x8000 : 0x80000000;
  aq_wave_form_source s = {.is_wide = operand->bits == 64,
                           .extends = operand->modifiers & AQ_ISA_SEXT,
                           .keep = UINT32_MAX};
  if (byte) {
    s.up = (uint8_t)(24 - 8 * select);
    s.down = 24;
  } else if (word || high) {
    s.up = select == 4 ? 16 : 0;
    s.down = 16;
    s.extends &= word;
  }
  if (operand->modifiers & AQ_ISA_ABS)
    s.keep = ~sign;
  if (operand->modifiers & AQ_ISA_NEG)
    s.flip = sign;
  s.changes = s.down || s.flip || s.keep != UINT32_MAX;
  return s;
}

/* ---- results ---- */

/* A part of the register; the rest is 0, the part's sign, or kept. */
static void result_select(aq_wave_form *form, unsigned select, unsigned unused)
{
  enum { SIGN = 1, KEEP = 2 };
  if (select >= 6)
    return;
  form->width = select < 4 ? 8 : 16;
  form->first = (uint8_t)(select < 4 ? 8 * select : 16 * (select - 4));
  form->mask = ((1u << form->width) - 1) << form->first;
  if (unused == KEEP)
    form->kept = ~form->mask;
  else if (unused == SIGN)
    form->signs = ~(((form->mask & -form->mask) - 1) | form->mask);
}

static void result_read(const aq_wave_op *o, aq_wave_form *form)
{
  const aq_isa_inst *inst = &o->decoded->inst;
  const aq_isa_operand *d = aq_isa_operand_find(inst, 'D');
  const bool half = inst->target & AQ_ISA_RDNA ? aq_wave_form_keeps_half(inst)
                                               : keeps_half(inst);
  form->is_vector = d && d->file != 's';
  form->is_wide = d && d->bits == 64;
  form->sets_exec = strncmp(inst->row->name, "v_cmpx", 6) == 0;
  form->finishes = form->is_vector && (inst->clamp || inst->omod);
  if (inst->form == AQ_ISA_SDWA)
    result_select(form, inst->dst_sel, inst->dst_unused);
  else if (half)
    result_select(form, result_is_upper(inst) ? 5 : 4, 2);
  form->adds_upper = form->is_vector && o->kind[2] == AQ_WAVE_VGPR &&
                     o->source[2] == o->dest &&
                     !aq_isa_operand_find(inst, 'C') &&
                     aq_wave_form_keeps_half(inst) && result_is_upper(inst);
}

void aq_wave_form_read(const aq_wave_op *o, aq_wave_form *form)
{
  const aq_isa_inst *inst = &o->decoded->inst;
  *form = (aq_wave_form){.mask = 0};
  if (inst->row->encoding == AQ_ISA_VOP3P)
    return; /* its handlers read the modifiers */
  unsigned i = 0;
  for (unsigned k = 0; k < inst->operand_count && i < 3; k++) {
    const aq_isa_operand *operand = &inst->operands[k];
    if (operand->role == 'D' || operand->role == 'E')
      continue;
    form->sources[i] = source_read(inst, i, operand);
    i++;
  }
  result_read(o, form);
}
