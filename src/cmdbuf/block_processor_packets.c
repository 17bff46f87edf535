/* SPDX-License-Identifier: MIT */
/* Packets of builtin kernels. */
#include "config.h"

#include <string.h>

#include "cmdbuf/processor_priv.h"
#include "cmdbuf/value_packets.h"

/* One workgroup, one work-item: reads the grid into the next slot. */
void aq_patch_write(const aq_processor *processor,
                    const aq_op_dispatch_params *record, aq_packet *slot,
                    aq_packet *next, unsigned char *kernarg)
{
  const aq_patch_args args = {
      .params = aq_ref_pointer(processor, record->params),
      .packet = next,
      .header_setup = (record->header | 1u << AQ_HEADER_BARRIER_SHIFT) |
                      (uint32_t)record->setup << 16,
  };
  memcpy(kernarg, &args, sizeof args);
  aq_kernel_packet *packet = &slot->kernel;
  packet->workgroup_size[0] = packet->workgroup_size[1] = 1;
  packet->workgroup_size[2] = 1;
  packet->reserved0 = 0;
  packet->grid_size[0] = packet->grid_size[1] = packet->grid_size[2] = 1;
  packet->private_segment_size = packet->group_segment_size = 0;
  packet->kernel_object = processor->link->builtins.objects[AQ_BUILTIN_PATCH];
  packet->kernarg_address = (uint64_t)(uintptr_t)kernarg;
  packet->reserved2 = 0;
  packet->completion_signal.handle = 0;
}

/* Arguments of a transfer; what kernel does it, and over how many bytes. */
static aq_builtin transfer_args(const aq_processor *processor, const aq_op *op,
                                unsigned char *kernarg, uint64_t *bytes)
{
  if (op->code == AQ_OP_FILL) {
    const aq_op_fill *fill = (const aq_op_fill *)op;
    const aq_fill_args args = {
        .target = (void *)(uintptr_t)aq_ref_address(processor, fill->target),
        .bytes = fill->bytes,
        .pattern = fill->pattern,
        .pattern_size = fill->pattern_size};
    memcpy(kernarg, &args, sizeof args);
    *bytes = fill->bytes;
    return AQ_BUILTIN_FILL;
  }
  if (op->code == AQ_OP_COPY) {
    const aq_op_copy *copy = (const aq_op_copy *)op;
    const aq_copy_args args = {
        .target = (void *)(uintptr_t)aq_ref_address(processor, copy->target),
        .source = aq_ref_pointer(processor, copy->source),
        .bytes = copy->bytes};
    memcpy(kernarg, &args, sizeof args);
    *bytes = copy->bytes;
    return AQ_BUILTIN_COPY;
  }
  const aq_op_update *update = (const aq_op_update *)op;
  const aq_update_args args = {
      .target = (void *)(uintptr_t)aq_ref_address(processor, update->target),
      .bytes = update->bytes};
  memcpy(kernarg, &args, sizeof args);
  memcpy(kernarg + sizeof args, update + 1, update->bytes);
  *bytes = update->bytes;
  return AQ_BUILTIN_UPDATE;
}

void aq_transfer_write(const aq_processor *processor, const aq_op *op,
                       aq_packet *slot, unsigned char *kernarg,
                       uint64_t completion)
{
  uint64_t bytes;
  const aq_builtin builtin = transfer_args(processor, op, kernarg, &bytes);
  aq_kernel_packet *packet = &slot->kernel;
  packet->workgroup_size[0] = AQ_BUILTIN_WORKGROUP;
  packet->workgroup_size[1] = packet->workgroup_size[2] = 1;
  packet->reserved0 = 0;
  packet->grid_size[0] =
      (uint32_t)((bytes + AQ_BUILTIN_BYTES - 1) / AQ_BUILTIN_BYTES);
  packet->grid_size[1] = packet->grid_size[2] = 1;
  packet->private_segment_size = packet->group_segment_size = 0;
  packet->kernel_object = processor->link->builtins.objects[builtin];
  packet->kernarg_address = (uint64_t)(uintptr_t)kernarg;
  packet->reserved2 = 0;
  packet->completion_signal.handle = completion;
}

/* ---- values ---- */

static uint32_t atomic_write(const aq_processor *processor,
                             const aq_op_atomic *record, aq_packet *slot,
                             unsigned char *kernarg, uint64_t completion)
{
  const unsigned flags = record->op.flags;
  const aq_atomic_args args = {
      .target = (void *)(uintptr_t)aq_ref_address(processor, record->target),
      .result = flags & AQ_ATOMIC_RESULT ? (void *)(uintptr_t)aq_ref_address(
                                               processor, record->result)
                                         : NULL,
      .operand = record->operand,
      .expected = record->expected,
      .op = flags & AQ_ATOMIC_OP_MASK,
      .size = flags & AQ_ATOMIC_64 ? 8 : 4};
  return aq_atomic_packet_write(
      &args, processor->link->builtins.objects[AQ_BUILTIN_ATOMIC], slot,
      kernarg, completion);
}

static uint32_t wait_write(const aq_processor *processor,
                           const aq_op_wait_value *record, aq_packet *slot,
                           unsigned char *kernarg, uint64_t completion)
{
  const aq_builtins *builtins = &processor->link->builtins;
  const unsigned flags = record->op.flags;
  const aq_wait_args args = {.address =
                                 aq_ref_pointer(processor, record->value),
                             .value = record->against,
                             .mask = record->mask,
                             .condition = flags & AQ_BRANCH_CONDITION_MASK,
                             .size = flags & AQ_BRANCH_64 ? 8 : 4};
  return aq_wait_packet_write(&args, builtins->wait,
                              builtins->objects[AQ_BUILTIN_WAIT], slot, kernarg,
                              completion);
}

uint32_t aq_value_write(const aq_processor *processor, const aq_op *op,
                        aq_packet *slot, unsigned char *kernarg,
                        uint64_t completion)
{
  return op->code == AQ_OP_ATOMIC
             ? atomic_write(processor, (const aq_op_atomic *)op, slot, kernarg,
                            completion)
             : wait_write(processor, (const aq_op_wait_value *)op, slot,
                          kernarg, completion);
}
