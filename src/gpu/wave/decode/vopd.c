/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/core/vopd.h"

#include <stdlib.h>

#include "gpu/wave/core/condition_sources.h"
#include "gpu/wave/core/dpp.h"
#include "gpu/wave/core/lanes.h"
#include "gpu/wave/core/operand_modifiers.h"
#include "gpu/wave/decode/lower.h"

enum {
  RESULT = AQ_WAVE_SCRATCH_ROWS + 20
}; /* operand_modifiers_run.c has its own */

struct aq_wave_pair {
  aq_wave_op x, y;
  aq_wave_decoded more_x, more_y;
  unsigned words; /* of X's result */
};

/* Both read their sources before one of them writes: X's result waits. */
static const aq_wave_op *pair_run(aq_wave *w, const aq_wave_op *o)
{
  const struct aq_wave_pair *pair = o->decoded->pair;
  aq_wave_op x = pair->x;
  x.dest = RESULT;
  if (!x.run(w, &x) || !pair->y.run(w, &pair->y))
    return NULL;
  for (unsigned i = 0; i < pair->words; i++)
    lanes_keep(w, w->v[pair->x.dest + i], w->v[RESULT + i]);
  return aq_wave_next(o);
}

/* One of the two, as an instruction of its own. */
static bool half_lower(aq_wave_op *o, aq_wave_decoded *more,
                       const aq_isa_inst *inst, const aq_isa_row *row,
                       unsigned first, unsigned end, aq_wave_handler *run)
{
  more->inst = *inst;
  more->inst.row = row;
  more->inst.second = NULL;
  more->inst.operand_count = (uint8_t)(end - first);
  memcpy(more->inst.operands, inst->operands + first,
         (end - first) * sizeof *inst->operands);
  *o = (aq_wave_op){.run = run, .words = 1, .decoded = more};
  if (!aq_wave_lower(o, more))
    return false;
  if (row->encoding == AQ_ISA_VOPD &&
      strcmp(row->name, "v_dual_cndmask_b32") == 0) {
    o->kind[2] = AQ_WAVE_SGPR;
    o->source[2] = AQ_ISA_VCC;
  }
  return true;
}

bool aq_wave_pair_lowers(const aq_isa_inst *inst)
{
  for (unsigned i = 0; i < inst->operand_count; i++)
    if (aq_wave_flag_is(&inst->operands[i]))
      return false;
  return true;
}

bool aq_wave_pair_lower(aq_wave_op *o, aq_wave_decoded *more,
                        aq_wave_handler *x, aq_wave_handler *y)
{
  const aq_isa_inst *inst = &more->inst;
  if (!aq_wave_pair_lowers(inst) || x == aq_wave_not_simulated ||
      y == aq_wave_not_simulated)
    return false;
  struct aq_wave_pair *pair = calloc(1, sizeof *pair);
  if (!pair)
    return false;
  more->pair = pair;
  pair->words = inst->operands[0].bits == 64 ? 2 : 1;
  o->run = pair_run;
  return half_lower(&pair->x, &pair->more_x, inst, inst->row, 0,
                    inst->first_count, x) &&
         half_lower(&pair->y, &pair->more_y, inst, inst->second,
                    inst->first_count, inst->operand_count, y);
}

void aq_wave_decoded_clear(aq_wave_decoded *more)
{
  if (more->pair) {
    aq_wave_decoded_clear(&more->pair->more_x);
    aq_wave_decoded_clear(&more->pair->more_y);
  }
  free(more->pair);
  free(more->form);
  free(more->move);
}

void aq_wave_decoded_free(aq_wave_decoded *more)
{
  if (more)
    aq_wave_decoded_clear(more);
  free(more);
}

size_t aq_wave_decoded_size(const aq_wave_decoded *more)
{
  if (!more)
    return 0;
  size_t bytes = sizeof *more + (more->form ? sizeof *more->form : 0) +
                 (more->move ? sizeof *more->move : 0);
  if (more->pair)
    bytes += sizeof *more->pair + aq_wave_decoded_size(&more->pair->more_x) -
             sizeof more->pair->more_x +
             aq_wave_decoded_size(&more->pair->more_y) -
             sizeof more->pair->more_y;
  return bytes;
}
