/* SPDX-License-Identifier: MIT */
/* Loads that are repeated though nothing in the code can have changed their
 * place: a loop that waits, or the part of it that was peeled off. Compilers
 * reuse the value of a plain load there, so these are atomics, or volatile. */
#include "config.h"

#include <string.h>

#include "gpu/check/race/memory_model.h"
#include "gpu/isa/control_flow.h"

enum { AHEAD = 128 /* instructions */ };

static const aq_isa_inst *inst_at(aq_wave_code *code, uint64_t pc)
{
  aq_wave_op *o = aq_wave_code_at(code, pc);
  return o && aq_wave_code_decoded(code, o) ? &o->decoded->inst : NULL;
}

static bool is_same_load(const aq_isa_inst *a, const aq_isa_inst *b)
{
  if (a->row != b->row || a->offset != b->offset ||
      a->operand_count != b->operand_count)
    return false;
  for (unsigned i = 0; i < a->operand_count; i++) {
    const aq_isa_operand *x = &a->operands[i], *y = &b->operands[i];
    if (x->role != 'D' && (x->file != y->file || x->code != y->code))
      return false;
  }
  return true;
}

static bool names_address(const aq_check_site *load,
                          const aq_check_registers *changed)
{
  for (unsigned i = 0; i < load->name_count; i++) {
    const aq_check_registers *r = &load->names[i];
    if (!r->dest && r->scalar == changed->scalar &&
        r->first < changed->first + changed->count &&
        changed->first < r->first + r->count)
      return true;
  }
  return false;
}

/* Whether an instruction may change the place, or meets another wave: behind an
 * acquire a compiler loads plain values again, too. */
static bool is_meeting(const aq_isa_inst *inst)
{
  const aq_wave_access_info_kind kind = aq_wave_access_info_kind_of(inst);
  return kind == AQ_WAVE_ACCESS_WRITE || kind == AQ_WAVE_ACCESS_ATOMIC ||
         aq_check_is_barrier(inst) ||
         aq_check_fence_of(inst) &
             (AQ_CHECK_STALE_ALL | AQ_CHECK_ARRIVES | AQ_CHECK_MEETS_GRID);
}

static bool names_address_of(const aq_check_site *load, const aq_isa_inst *inst)
{
  aq_check_site other = {.inst = *inst};
  bool names = false;
  aq_check_site_registers(&other);
  for (unsigned i = 0; i < other.name_count; i++)
    names |= other.names[i].dest && names_address(load, &other.names[i]);
  return names;
}

/* How the load at `pc` is repeated; of the others that it meets before that one
 * may be, as far as `beside` says. */
static aq_check_poll poll_find(aq_wave_code *code, const aq_check_site *load,
                               bool beside)
{
  aq_check_poll found = AQ_CHECK_POLLS_NOT;
  uint64_t pc = load->pc;
  bool back = false, same = true;
  for (unsigned i = 0; i < AHEAD; i++) {
    const aq_isa_inst *inst = inst_at(code, pc);
    if (!inst)
      return found;
    const bool again = i > 0 && inst->row == load->inst.row;
    if (again && same && is_same_load(inst, &load->inst))
      return AQ_CHECK_POLLS;
    if (again && beside) {
      aq_check_site other = {.inst = *inst, .pc = pc};
      aq_check_site_registers(&other);
      if (poll_find(code, &other, false) == AQ_CHECK_POLLS)
        found = AQ_CHECK_POLLS_BESIDE;
    }
    if (is_meeting(inst))
      return found;
    same &= !names_address_of(load, inst);
    if (!same && !beside)
      return found;
    const aq_isa_flow flow = aq_isa_flow_of(inst);
    const uint64_t next = pc + inst->size,
                   to = aq_isa_flow_is_direct(flow)
                            ? aq_isa_branch_target(inst, pc)
                            : next;
    if (flow != AQ_ISA_FLOW_NEXT && flow != AQ_ISA_FLOW_BRANCH &&
        flow != AQ_ISA_FLOW_JUMP)
      return found;
    /* A branch out of a loop is not taken; the way back leads to the load. */
    const bool goes_back = to <= load->pc && !back;
    back |= goes_back;
    pc = flow == AQ_ISA_FLOW_JUMP || goes_back ? to : next;
  }
  return found;
}

aq_check_poll aq_check_poll_of(aq_wave_code *code, const aq_check_site *load)
{
  return load->inst.row->encoding == AQ_ISA_SMEM ? AQ_CHECK_POLLS_NOT
                                                 : poll_find(code, load, true);
}
