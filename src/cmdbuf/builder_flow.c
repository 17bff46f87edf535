/* SPDX-License-Identifier: MIT */
/* Labels, branches, calls and the end of a recording. */
#include "config.h"

#include "cmdbuf/builder_priv.h"
#include "cmdbuf/validate_priv.h"

aq_status aq_builder_label(aq_builder *builder, aq_label *out, aq_diag *diag)
{
  aq_status status =
      aq_builder_grow(&builder->labels, &builder->label_capacity,
                      builder->label_count + 1, sizeof *builder->labels, diag);
  if (status != AQ_OK)
    return status;
  builder->labels[builder->label_count] = AQ_BLOCK_NONE;
  *out = builder->label_count++;
  return AQ_OK;
}

static aq_status label_check(const aq_builder *builder, aq_label label,
                             aq_diag *diag)
{
  if (label < builder->label_count)
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_INVALID, "label %u; there are %u", label,
                     builder->label_count);
}

void *aq_flow_end(aq_builder *builder, aq_opcode code, unsigned flags,
                  uint32_t size, uint32_t target, uint32_t next)
{
  void *record = aq_record_add(builder, code, flags, size);
  if (code != AQ_OP_RETURN) {
    aq_op_call *flow = record; /* all have their targets there */
    flow->target = target;
    flow->next = code == AQ_OP_BRANCH ? 0 : next;
  }
  if (code == AQ_OP_BRANCH_IF)
    builder->block->packets++;
  aq_block_finish(builder, code, target, next);
  return record;
}

_Static_assert(offsetof(aq_op_branch, target) == offsetof(aq_op_call, target) &&
                   offsetof(aq_op_branch_if, target) ==
                       offsetof(aq_op_call, target) &&
                   offsetof(aq_op_branch_if, next) ==
                       offsetof(aq_op_call, next) &&
                   offsetof(aq_op_branch, zero0) == offsetof(aq_op_call, next),
               "targets lie in the same place");

aq_status aq_builder_place(aq_builder *builder, aq_label label, aq_diag *diag)
{
  aq_status status = label_check(builder, label, diag);
  if (status == AQ_OK && builder->labels[label] != AQ_BLOCK_NONE)
    status =
        aq_diag_set(diag, AQ_ERR_INVALID, "label %u is placed already", label);
  if (status == AQ_OK)
    status = aq_block_prepare(builder, 1, diag);
  if (status != AQ_OK)
    return status;
  if (builder->block) {
    aq_builder_settle(builder);
    if (builder->block->commands > 0)
      aq_flow_end(builder, AQ_OP_BRANCH, 0, sizeof(aq_op_branch),
                  builder->count, AQ_BLOCK_NONE);
  }
  if (!builder->block)
    aq_block_open(builder);
  builder->labels[label] = builder->block->ordinal;
  return AQ_OK;
}

/* What every change of the flow begins with: a block, and nothing open about
 * barriers. */
static aq_status flow_begin(aq_builder *builder, aq_label label, aq_diag *diag)
{
  aq_status status = label_check(builder, label, diag);
  if (status == AQ_OK)
    status = aq_block_reserve(builder, 0, diag);
  if (status == AQ_OK)
    status = aq_block_prepare(builder, 1, diag);
  if (status != AQ_OK)
    return status;
  aq_builder_settle(builder);
  return AQ_OK;
}

aq_status aq_builder_branch(aq_builder *builder, aq_label label, aq_diag *diag)
{
  aq_status status = flow_begin(builder, label, diag);
  if (status != AQ_OK)
    return status;
  aq_flow_end(builder, AQ_OP_BRANCH, 0, sizeof(aq_op_branch),
              label | AQ_TARGET_LABEL, AQ_BLOCK_NONE);
  return AQ_OK;
}

aq_status aq_builder_branch_if(aq_builder *builder, const aq_test *test,
                               aq_label label, aq_diag *diag)
{
  aq_status status =
      aq_ref_note(builder, test->value, test->wide ? 8 : 4, diag);
  if (status == AQ_OK)
    status = flow_begin(builder, label, diag);
  if (status != AQ_OK)
    return status;
  const unsigned flags = test->condition | (test->wide ? AQ_BRANCH_64 : 0u);
  aq_op_branch_if *record =
      aq_flow_end(builder, AQ_OP_BRANCH_IF, flags, sizeof *record,
                  label | AQ_TARGET_LABEL, builder->count);
  record->value = test->value;
  record->against = (uint64_t)test->against;
  builder->flags |= AQ_PROGRAM_DRAINS;
  aq_block_open(builder);
  return AQ_OK;
}

aq_status aq_builder_call(aq_builder *builder, aq_label label, aq_diag *diag)
{
  aq_status status = flow_begin(builder, label, diag);
  if (status != AQ_OK)
    return status;
  aq_flow_end(builder, AQ_OP_CALL, 0, sizeof(aq_op_call),
              label | AQ_TARGET_LABEL, builder->count);
  aq_block_open(builder);
  return AQ_OK;
}

aq_status aq_builder_return(aq_builder *builder, aq_diag *diag)
{
  aq_status status = aq_block_reserve(builder, 0, diag);
  if (status != AQ_OK)
    return status;
  aq_builder_settle(builder);
  aq_flow_end(builder, AQ_OP_RETURN, 0, sizeof(aq_op_return), AQ_BLOCK_NONE,
              AQ_BLOCK_NONE);
  return AQ_OK;
}

/* ---- the end ---- */

static bool label_is_placed(const aq_builder *builder, uint32_t target)
{
  return target == AQ_BLOCK_NONE || !(target & AQ_TARGET_LABEL) ||
         builder->labels[target & ~(uint32_t)AQ_TARGET_LABEL] != AQ_BLOCK_NONE;
}

/* Labels become the blocks that they are. */
static aq_status labels_resolve(aq_builder *builder, aq_diag *diag)
{
  for (uint32_t i = 0; i < builder->count; i++)
    if (!label_is_placed(builder, builder->blocks[i]->target))
      return aq_diag_set(
          diag, AQ_ERR_INVALID, "label %u is used, but not placed",
          builder->blocks[i]->target & ~(uint32_t)AQ_TARGET_LABEL);
  for (uint32_t i = 0; i < builder->count; i++) {
    aq_block *block = builder->blocks[i];
    if (block->target == AQ_BLOCK_NONE || !(block->target & AQ_TARGET_LABEL))
      continue;
    block->target = builder->labels[block->target & ~(uint32_t)AQ_TARGET_LABEL];
    const uint32_t size = block->terminator == AQ_OP_BRANCH_IF
                              ? sizeof(aq_op_branch_if)
                              : sizeof(aq_op_call);
    aq_op_call *record =
        (aq_op_call *)((unsigned char *)block + block->header_size +
                       block->commands_size - size);
    record->target = block->target;
  }
  return AQ_OK;
}

aq_status aq_builder_end(aq_builder *builder, aq_program *out, aq_diag *diag)
{
  if (builder->block || builder->count == 0) {
    aq_status status = aq_block_reserve(builder, 0, diag);
    if (status != AQ_OK)
      return status;
    if (builder->pending)
      aq_record_add(builder, AQ_OP_BARRIER, aq_header_acquire(builder->pending),
                    sizeof(aq_op_barrier));
    builder->pending = 0;
    aq_flow_end(builder, AQ_OP_RETURN, 0, sizeof(aq_op_return), AQ_BLOCK_NONE,
                AQ_BLOCK_NONE);
  }
  aq_status status = labels_resolve(builder, diag);
  if (status != AQ_OK)
    return status;
  aq_program *program = &builder->program;
  program->blocks = (const aq_block *const *)builder->blocks;
  program->block_count = builder->count;
  program->block_size = builder->block_size;
  program->flags = builder->flags;
  program->kernel_count = builder->kernel_count;
  program->kernel_names = builder->kernel_names;
  program->kernel_objects = builder->kernel_objects;
  program->slot_count = builder->refs[0].count;
  program->slot_sizes = builder->refs[0].sizes;
  program->static_count = builder->refs[1].count;
  program->static_sizes = builder->refs[1].sizes;
  program->statics = builder->statics;
  program->commands = builder->commands;
  status = aq_program_check_depth(program, diag);
  if (status == AQ_OK)
    *out = *program;
  return status;
}
