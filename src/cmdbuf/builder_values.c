/* SPDX-License-Identifier: MIT */
/* Atomics and waits for values of the builder. */
#include "config.h"

#include "cmdbuf/builder_priv.h"
#include "cmdbuf/value_check.h"
#include "cmdbuf/value_packets.h"

_Static_assert(offsetof(aq_op_atomic, header) == 8 &&
                   offsetof(aq_op_wait_value, header) == 8,
               "they have their header where transfers have it");

/* Offsets stand for places, which are in buffers. */
static void *offset_of(aq_ref ref)
{
  return (void *)(uintptr_t)aq_ref_offset(ref);
}

/* A record with one packet. */
static void *value_add(aq_builder *builder, aq_opcode code, unsigned flags,
                       uint32_t size)
{
  aq_op_atomic *record = aq_record_add(builder, code, flags, size);
  aq_block *block = builder->block;
  record->header = (uint16_t)(AQ_PACKET_KERNEL_DISPATCH | builder->pending);
  record->zero0 = 0;
  record->zero1 = 0;
  aq_packet_note(builder, &record->header);
  block->packets++;
  block->kernarg_size += AQ_VALUE_KERNARG;
  if (AQ_VALUE_KERNARG > block->kernarg_max)
    block->kernarg_max = AQ_VALUE_KERNARG;
  return record;
}

aq_status aq_builder_atomic(aq_builder *builder,
                            const aq_command_atomic *atomic, aq_diag *diag)
{
  const aq_atomic_args args = {.target = offset_of(atomic->target),
                               .result = offset_of(atomic->result),
                               .op = atomic->op,
                               .size = atomic->size};
  aq_status status = aq_atomic_args_check(&args, atomic->returns, diag);
  if (status == AQ_OK)
    status = aq_ref_note(builder, atomic->target, atomic->size, diag);
  if (status == AQ_OK && atomic->returns)
    status = aq_ref_note(builder, atomic->result, atomic->size, diag);
  if (status == AQ_OK)
    status = aq_block_reserve(builder, sizeof(aq_op_atomic), diag);
  if (status != AQ_OK)
    return status;
  aq_op_atomic *record =
      value_add(builder, AQ_OP_ATOMIC,
                (unsigned)atomic->op | (atomic->size == 8 ? AQ_ATOMIC_64 : 0) |
                    (atomic->returns ? AQ_ATOMIC_RESULT : 0),
                sizeof *record);
  record->target = atomic->target;
  record->result = atomic->returns ? atomic->result : atomic->target;
  record->operand = atomic->operand;
  record->expected = atomic->expected;
  builder->flags |= AQ_PROGRAM_ATOMICS;
  return AQ_OK;
}

aq_status aq_builder_wait_value(aq_builder *builder,
                                const aq_command_wait *wait, aq_diag *diag)
{
  aq_wait_args args = {.address = offset_of(wait->value),
                       .value = wait->against,
                       .mask = wait->mask,
                       .condition = wait->condition,
                       .size = wait->size};
  aq_wait_args_normalise(&args);
  aq_status status = aq_wait_args_check(&args, diag);
  if (status == AQ_OK)
    status = aq_ref_note(builder, wait->value, wait->size, diag);
  if (status == AQ_OK)
    status = aq_block_reserve(builder, sizeof(aq_op_wait_value), diag);
  if (status != AQ_OK)
    return status;
  aq_builder_barrier(builder, AQ_SCOPE_SYSTEM, AQ_SCOPE_NONE);
  aq_op_wait_value *record = value_add(
      builder, AQ_OP_WAIT_VALUE,
      args.condition | (wait->size == 8 ? AQ_BRANCH_64 : 0), sizeof *record);
  record->value = wait->value;
  record->against = args.value;
  record->mask = args.mask;
  builder->flags |= AQ_PROGRAM_WAITS;
  /* A kernel that polls holds nothing back, and acquires for itself alone. */
  aq_builder_barrier(builder, AQ_SCOPE_SYSTEM, AQ_SCOPE_NONE);
  return AQ_OK;
}
