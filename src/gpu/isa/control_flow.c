/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/isa/control_flow.h"

#include <string.h>

enum { TRAP_DEBUG = 3 }; /* nothing, without a debugger */

static bool starts(const char *text, const char *with)
{
  return strncmp(text, with, strlen(with)) == 0;
}

aq_isa_flow aq_isa_flow_of(const aq_isa_inst *inst)
{
  const char *name = inst->row->name;
  if (inst->row->encoding > AQ_ISA_SOPP || *name != 's')
    return AQ_ISA_FLOW_NEXT;
  if (aq_isa_operand_find(inst, 'L'))
    return strcmp(name, "s_branch") == 0 ? AQ_ISA_FLOW_JUMP
           : starts(name, "s_call_")     ? AQ_ISA_FLOW_CALL
                                         : AQ_ISA_FLOW_BRANCH;
  if (starts(name, "s_endpgm") ||
      (strcmp(name, "s_trap") == 0 && (inst->imm & 0xff) != TRAP_DEBUG))
    return AQ_ISA_FLOW_END;
  if (strcmp(name, "s_swappc_b64") == 0 || strcmp(name, "s_swap_pc_i64") == 0)
    return AQ_ISA_FLOW_INDIRECT_CALL;
  if (strcmp(name, "s_setpc_b64") == 0 || strcmp(name, "s_set_pc_i64") == 0 ||
      strcmp(name, "s_add_pc_i64") == 0 || starts(name, "s_rfe_") ||
      strcmp(name, "s_cbranch_join") == 0 ||
      strcmp(name, "s_cbranch_g_fork") == 0)
    return AQ_ISA_FLOW_INDIRECT_JUMP;
  return AQ_ISA_FLOW_NEXT;
}

bool aq_isa_flow_is_direct(aq_isa_flow flow)
{
  return flow == AQ_ISA_FLOW_BRANCH || flow == AQ_ISA_FLOW_JUMP ||
         flow == AQ_ISA_FLOW_CALL;
}

uint64_t aq_isa_branch_target(const aq_isa_inst *inst, uint64_t pc)
{
  return pc + 4 + (uint64_t)((int64_t)(int16_t)inst->imm * 4);
}

static bool is_wait(const char *name)
{
  static const char *const waits[] = {
      "s_wait",    "s_nop",       "s_sleep",  "s_barrier",       "s_wakeup",
      "s_sethalt", "s_delay_alu", "s_clause", "s_inst_prefetch", "s_set_inst_"};
  for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
    if (starts(name, waits[i]))
      return true;
  return false;
}

static aq_isa_class scalar_class(const aq_isa_inst *inst)
{
  if (aq_isa_flow_of(inst) != AQ_ISA_FLOW_NEXT)
    return AQ_ISA_CLASS_BRANCH;
  if (inst->row->encoding != AQ_ISA_SOPP)
    return AQ_ISA_CLASS_SALU;
  return is_wait(inst->row->name) ? AQ_ISA_CLASS_WAIT : AQ_ISA_CLASS_MESSAGE;
}

aq_isa_class aq_isa_class_of(const aq_isa_inst *inst)
{
  switch (inst->row->encoding) {
  case AQ_ISA_SOP2:
  case AQ_ISA_SOPK:
  case AQ_ISA_SOP1:
  case AQ_ISA_SOPC:
  case AQ_ISA_SOPP:
    return scalar_class(inst);
  case AQ_ISA_SMEM:
    return AQ_ISA_CLASS_SMEM;
  case AQ_ISA_DS:
    return AQ_ISA_CLASS_LDS;
  case AQ_ISA_SCRATCH:
    return AQ_ISA_CLASS_SCRATCH;
  case AQ_ISA_FLAT:
  case AQ_ISA_GLOBAL:
  case AQ_ISA_MUBUF:
  case AQ_ISA_MTBUF:
  case AQ_ISA_MIMG:
    return AQ_ISA_CLASS_VMEM;
  default:
    return inst->row->flags & AQ_ISA_MATRIX ? AQ_ISA_CLASS_MATRIX
                                            : AQ_ISA_CLASS_VALU;
  }
}

const char *aq_isa_class_name(unsigned class)
{
  static const char *const names[] = {
#define C(id, name, meaning) name,
      AQ_ISA_CLASSES(C)
#undef C
  };
  return class < AQ_ISA_CLASS_COUNT ? names[class] : NULL;
}
