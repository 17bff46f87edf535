/* SPDX-License-Identifier: MIT */
/* From block to block, and how much of a program is known to come. */
#include "config.h"

#include <assert.h>
#include <string.h>

#include "cmdbuf/processor_priv.h"

static void block_enter(aq_processor *processor, uint32_t ordinal)
{
  const aq_link *link = processor->link;
  assert(ordinal < link->program->block_count);
  const aq_block *block = link->program->blocks[ordinal];
  assert(block->magic == AQ_BLOCK_MAGIC && block->ordinal == ordinal);
  processor->block = block;
  processor->offset = block->header_size;
  processor->published = link->published ? link->published[ordinal] : 0;
  processor->packets_left = block->packets;
  processor->kernarg_left = block->kernarg_size;
}

void aq_processor_start(aq_processor *processor, const aq_link *link,
                        const aq_binding *slots, uint16_t carry,
                        uint64_t visits)
{
  processor->link = link;
  processor->slots = slots;
  processor->carry = carry;
  processor->drained = false;
  processor->depth = 0;
  processor->visits = visits ? visits : AQ_VISITS_DEFAULT;
  block_enter(processor, 0);
}

void aq_processor_demand(const aq_processor *processor, uint64_t most,
                         uint64_t *packets, uint64_t *kernarg)
{
  const aq_program *program = processor->link->program;
  const aq_block *block = processor->block;
  *packets = processor->packets_left;
  *kernarg = processor->kernarg_left;
  for (uint32_t i = 0; i < program->block_count && *packets < most; i++) {
    if (block->terminator != AQ_OP_BRANCH)
      return;
    block = program->blocks[block->target];
    *packets += block->packets;
    *kernarg += block->kernarg_size;
  }
}

/* ---- flow ---- */

/* Whether a condition holds now. */
static bool test_holds(const aq_processor *processor,
                       const aq_op_branch_if *branch)
{
  const void *at = aq_ref_pointer(processor, branch->value);
  const unsigned condition = branch->op.flags & AQ_BRANCH_CONDITION_MASK;
  int64_t value;
  int32_t narrow;
  memcpy(&narrow, at, sizeof narrow);
  value = narrow;
  if (branch->op.flags & AQ_BRANCH_64)
    memcpy(&value, at, sizeof value);
  return aq_condition_holds((aq_condition)condition, value,
                            (int64_t)branch->against);
}

aq_walk aq_flow_run(aq_processor *processor, const aq_op *op)
{
  const aq_op_call *flow = (const aq_op_call *)op; /* targets lie alike */
  uint32_t target = AQ_BLOCK_NONE;
  switch ((aq_opcode)op->code) {
  case AQ_OP_BRANCH:
    target = flow->target;
    break;
  case AQ_OP_BRANCH_IF:
    processor->drained = false;
    target = test_holds(processor, (const aq_op_branch_if *)op) ? flow->target
                                                                : flow->next;
    break;
  case AQ_OP_CALL:
    if (processor->depth == AQ_CALL_DEPTH) /* a recording that calls itself */
      return AQ_WALK_DEPTH;
    processor->stack[processor->depth++] = flow->next;
    target = flow->target;
    break;
  case AQ_OP_RETURN:
    if (processor->depth == 0)
      return AQ_WALK_END;
    target = processor->stack[--processor->depth];
    break;
  default:
    assert(!"a record that no builder writes");
  }
  if (processor->visits == 0)
    return AQ_WALK_BUDGET;
  processor->visits--;
  block_enter(processor, target);
  return AQ_WALK_FULL;
}
