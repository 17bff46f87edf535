/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/core/condition_sources.h"

#include <string.h>

static bool is_source(const aq_isa_operand *operand)
{
  return operand->role >= 'A' && operand->role <= 'C';
}

bool aq_wave_flag_is(const aq_isa_operand *operand)
{
  return operand->file == 's' && operand->code >= AQ_ISA_VCCZ &&
         operand->code <= AQ_ISA_SCC;
}

static uint64_t flag_value(const aq_wave *w, unsigned code)
{
  switch (code) {
  case AQ_ISA_VCCZ:
    return aq_wave_mask_of(w, AQ_WAVE_VCC(w)) == 0;
  case AQ_ISA_EXECZ:
    return AQ_WAVE_EXEC(w) == 0;
  default:
    return w->scc;
  }
}

/* Threads share an instruction: the values stand in a copy. */
static const aq_wave_op *flags_run(aq_wave *w, const aq_wave_op *o)
{
  const aq_isa_inst *inst = &o->decoded->inst;
  aq_wave_op with = *o;
  with.run = o->decoded->unflagged;
  for (unsigned k = 0, i = 0; k < inst->operand_count && i < 3; k++) {
    const aq_isa_operand *operand = &inst->operands[k];
    if (!is_source(operand) && operand->role != 'K')
      continue;
    if (aq_wave_flag_is(operand))
      with.constant[i] = flag_value(w, operand->code);
    i++;
  }
  return with.run(w, &with) ? aq_wave_next(o) : NULL;
}

bool aq_wave_flags_lower(aq_wave_op *o, aq_wave_decoded *more)
{
  /* Their handlers need the instruction itself, as a clamp that faults does. */
  static const char *const jumps[] = {"s_setpc_b64", "s_swappc_b64",
                                      "s_rfe_b64", "s_cbranch_join",
                                      "s_cbranch_g_fork"};
  const aq_isa_inst *inst = &more->inst;
  bool flags = false;
  for (unsigned k = 0; k < inst->operand_count; k++)
    flags |=
        is_source(&inst->operands[k]) && aq_wave_flag_is(&inst->operands[k]);
  if (!flags)
    return true;
  if (inst->clamp || inst->omod)
    return false;
  for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++)
    if (strcmp(aq_wave_name_of(inst->row->name), jumps[i]) == 0)
      return false;
  more->unflagged = o->run;
  o->run = flags_run;
  return true;
}
