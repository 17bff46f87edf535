/* SPDX-License-Identifier: MIT */
#include "cmdbuf/processor.h"

#include <assert.h>
#include <string.h>

typedef enum step { STEP_ON, STEP_FULL, STEP_END } step;

static void block_enter(aq_processor *processor, uint32_t ordinal)
{
  assert(ordinal < processor->program->block_count);
  const aq_block *block = processor->program->blocks[ordinal];
  assert(block->magic == AQ_BLOCK_MAGIC && block->ordinal == ordinal);
  assert(block->version == AQ_BLOCK_VERSION);
  processor->block = block;
  processor->offset = block->commands_offset;
}

void aq_processor_start(aq_processor *processor, const aq_program *program,
                        uint16_t carry)
{
  *processor = (aq_processor){.program = program, .carry = carry};
  block_enter(processor, 0);
}

static void barrier_run(aq_processor *processor, const aq_op_barrier *barrier)
{
  uint16_t bits = aq_packet_header(
      (aq_packet_type)0, 1, (aq_fence_scope)barrier->op.flags, AQ_SCOPE_NONE);
  processor->carry |= bits;
}

/* The packet's header with what a barrier left for it; scopes widen. */
static uint16_t header_take_carry(aq_processor *processor, uint16_t header)
{
  const unsigned acquire = AQ_HEADER_SCOPE_MASK << AQ_HEADER_ACQUIRE_SHIFT;
  const uint16_t carry = processor->carry;
  if (carry == 0)
    return header;
  processor->carry = 0;
  unsigned wider = (carry & acquire) > (header & acquire) ? carry & acquire
                                                          : header & acquire;
  return (uint16_t)(((carry | header) & ~acquire) | wider);
}

static step dispatch_run(aq_processor *processor,
                         const aq_op_dispatch *dispatch, aq_packet_span *span)
{
  const uint32_t room = aq_kernarg_round(dispatch->kernarg_size);
  if (span->packets == span->slots ||
      room > span->kernarg_size - span->kernarg_used)
    return STEP_FULL;
  const aq_dispatch_image *image = &dispatch->image;
  aq_kernel_packet *packet =
      &aq_ring_slot(span->ring, span->first + span->packets)->kernel;
  const size_t body = offsetof(aq_kernel_packet, workgroup_size);
  memcpy((unsigned char *)packet + body, (const unsigned char *)image + body,
         sizeof *image - body);
  packet->kernarg_address = 0;
  if (room > 0) {
    unsigned char *kernarg = span->kernarg + span->kernarg_used;
    memcpy(kernarg, aq_block_at(processor->block, dispatch->kernarg_offset),
           dispatch->kernarg_size);
    packet->kernarg_address = (uint64_t)(uintptr_t)kernarg;
    span->kernarg_used += room;
  }
  packet->reserved2 = 0;
  packet->completion_signal.handle = 0;
  span->headers[span->packets++] = header_take_carry(processor, image->header) |
                                   (uint32_t)image->setup << 16;
  return STEP_ON;
}

/* One record: what to do is one call for each opcode. */
static step record_run(aq_processor *processor, const aq_op *op,
                       aq_packet_span *span)
{
  switch ((aq_opcode)op->code) {
  case AQ_OP_BARRIER:
    barrier_run(processor, (const aq_op_barrier *)op);
    return STEP_ON;
  case AQ_OP_DISPATCH:
    return dispatch_run(processor, (const aq_op_dispatch *)op, span);
  case AQ_OP_BRANCH:
    block_enter(processor, ((const aq_op_branch *)op)->target);
    return STEP_ON;
  case AQ_OP_RETURN:
    return STEP_END;
  }
  assert(!"a record that no builder writes");
  return STEP_END;
}

bool aq_processor_fill(aq_processor *processor, aq_packet_span *span)
{
  for (;;) {
    const aq_block *block = processor->block;
    const uint32_t at = processor->offset;
    const aq_op *op = aq_block_at(block, at);
    processor->offset = at + op->size * 8u;
    assert(op->size > 0 &&
           processor->offset <= block->commands_offset + block->commands_size);
    step next = record_run(processor, op, span);
    if (next == STEP_FULL)
      processor->offset = at;
    if (next != STEP_ON)
      return next == STEP_END;
  }
}
