/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/jit/jit_unit.h"

#include <string.h>

#include "gpu/isa/control_flow.h"
#include "gpu/wave/jit/jit_liveness.h"

enum { UNIT_MAX = 700 /* instructions: the emitter's time grows with them */ };

bool aq_wave_op_ends_block(const aq_wave_op *o)
{
  const aq_isa_inst *inst = &o->decoded->inst;
  return aq_isa_flow_of(inst) != AQ_ISA_FLOW_NEXT ||
         (aq_isa_class_of(inst) == AQ_ISA_CLASS_WAIT &&
          strcmp(inst->row->name, "s_nop") != 0 &&
          strncmp(inst->row->name, "s_wait", 6) != 0);
}

bool aq_wave_op_goes_on(const aq_wave_op *o)
{
  const aq_isa_flow flow = aq_isa_flow_of(&o->decoded->inst);
  return flow != AQ_ISA_FLOW_JUMP && flow != AQ_ISA_FLOW_INDIRECT_JUMP &&
         flow != AQ_ISA_FLOW_END;
}

typedef struct search {
  aq_wave_code *code;
  aq_wave_op *ops;
  aq_wave_blocks *out;
  uint16_t rest[AQ_WAVE_PAGE_OPS + 4];
  unsigned count;
} search;

static void search_push(search *s, const aq_wave_op *o, bool entry)
{
  const size_t i = (size_t)(o - s->ops);
  if (i >= AQ_WAVE_PAGE_OPS)
    return;
  if (entry && !s->out->is_entry[i]) {
    s->out->is_entry[i] = true;
    s->out->entries++;
  }
  if (s->out->is_member[i] || s->out->members == UNIT_MAX ||
      !aq_wave_code_decoded(s->code, s->ops + i))
    return;
  s->out->is_member[i] = true;
  s->out->members++;
  s->rest[s->count++] = (uint16_t)i;
}

void aq_wave_blocks_find(aq_wave_code *code, aq_wave_op *root,
                         aq_wave_blocks *out)
{
  search s = {.code = code, .ops = aq_wave_code_ops(root), .out = out};
  memset(out, 0, sizeof *out);
  search_push(&s, root, true);
  while (s.count > 0) {
    const aq_wave_op *o = s.ops + s.rest[--s.count];
    const bool ends = aq_wave_op_ends_block(o);
    if (aq_isa_flow_is_direct(aq_isa_flow_of(&o->decoded->inst))) {
      const aq_wave_op *to = aq_wave_branch_near(s.ops, o);
      if (to)
        search_push(&s, to, true);
    }
    if (aq_wave_op_goes_on(o))
      search_push(&s, aq_wave_next(o), ends);
  }
}

bool aq_wave_op_is_nothing(const aq_wave_op *o)
{
  const char *name = o->decoded->inst.row->name;
  return strcmp(name, "s_nop") == 0 || strcmp(name, "s_waitcnt") == 0;
}
