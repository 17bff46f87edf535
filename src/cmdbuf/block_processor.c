/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cmdbuf/block_processor.h"

#include <assert.h>
#include <string.h>

#include "cmdbuf/opcodes.h"
#include "cmdbuf/processor_priv.h"

/* Everything that the walk does for each record is inlined into its three
 * instances, so that what `hooks` leaves out is not there. */
#define INLINE static inline __attribute__((always_inline))

typedef enum hooks { HOOKS_NONE, HOOKS_STATS, HOOKS_TIMES } hooks;

typedef enum step { STEP_ON, STEP_FULL, STEP_DRAIN, STEP_FLOW } step;

/* The state of a walk in registers: only inlined functions may take its
 * address. */
typedef struct cursor {
  const unsigned char *at; /* the next record */
  aq_packet *slot;         /* of the next packet */
  aq_packet *ring_begin, *ring_end;
  uint32_t *header, *header_end; /* of the next packet; where room ends */
  unsigned char *kernarg, *kernarg_end;
  const aq_binding *bound;
  const uint64_t *kernels;
  uint64_t published;
  uint16_t carry;
} cursor;

/* ---- places in buffers ---- */

INLINE uint64_t slot_address(const aq_binding *slots, aq_ref ref)
{
  return (uint64_t)(uintptr_t)slots[ref >> AQ_REF_OFFSET_BITS].address +
         aq_ref_offset(ref);
}

/* ---- packets ---- */

INLINE aq_packet *slot_after(const cursor *c)
{
  return c->slot + 1 == c->ring_end ? c->ring_begin : c->slot + 1;
}

/* Packets that there is room for. */
INLINE size_t room_for(const cursor *c)
{
  return (size_t)(c->header_end - c->header);
}

INLINE uint64_t id_of(const cursor *c, const aq_packet_span *span)
{
  return span->first + (uint64_t)(c->header - span->headers);
}

/* The packet's header with the scopes of a barrier before it; scopes widen. */
INLINE uint16_t header_take(cursor *c, uint16_t header)
{
  const unsigned acquire = AQ_HEADER_SCOPE_MASK << AQ_HEADER_ACQUIRE_SHIFT;
  const uint16_t carry = c->carry;
  if (__builtin_expect(carry == 0, 1))
    return header;
  c->carry = 0;
  unsigned wider = (carry & acquire) > (header & acquire) ? carry & acquire
                                                          : header & acquire;
  return (uint16_t)(((carry | header) & ~acquire) | wider);
}

INLINE void header_put(cursor *c, uint16_t header, uint16_t setup)
{
  *c->header++ = header_take(c, header) | (uint32_t)setup << 16;
  c->slot = slot_after(c);
}

/* The record from its workgroup on is the packet from there on. */
INLINE void body_write(aq_packet *slot, const aq_op_dispatch *dispatch,
                       uint64_t object, uint64_t kernarg, uint64_t completion)
{
  const size_t begin = offsetof(aq_kernel_packet, workgroup_size);
  const size_t end = offsetof(aq_kernel_packet, kernel_object);
  memcpy((unsigned char *)slot + begin,
         (const unsigned char *)dispatch + sizeof(aq_op) + begin, end - begin);
  slot->kernel.kernel_object = object;
  slot->kernel.kernarg_address = kernarg;
  slot->kernel.reserved2 = 0;
  slot->kernel.completion_signal.handle = completion;
}

static void drain_write(const aq_packet_span *span, aq_packet *slot)
{
  assert(span->drain);
  const size_t head = sizeof slot->header_setup;
  memcpy((unsigned char *)slot + head,
         (const unsigned char *)span->drain + head, sizeof *slot - head);
}

/* Puts the packet that brings the walk back here. */
INLINE step drain_put(cursor *c, aq_processor *processor, aq_packet_span *span,
                      hooks h)
{
  if (room_for(c) == 0)
    return STEP_FULL;
  drain_write(span, c->slot);
  header_put(c, span->drain->header, span->drain->setup);
  processor->drained = true;
  if (h == HOOKS_STATS)
    span->log->drains++;
  return STEP_DRAIN;
}

/* ---- hooks ---- */

INLINE bool log_is_full(const aq_packet_span *span, hooks h)
{
  return h != HOOKS_NONE && span->log->used == span->log->capacity;
}

/* The completion signal of the packet that is about to be put. */
INLINE uint64_t log_packet(const cursor *c, aq_packet_span *span,
                           const aq_op *op, uint32_t n, hooks h)
{
  if (h == HOOKS_NONE)
    return 0;
  aq_walk_log *log = span->log;
  const uint32_t signal = log->used++;
  log->entries[signal] = (aq_walk_entry){id_of(c, span) + n, op->index, signal};
  if (h == HOOKS_STATS) {
    /* Of the caller's kernels; all others move or change values. */
    const bool dispatch = aq_op_as_dispatch(op);
    log->transfers += !dispatch;
    log->dispatches += dispatch;
  }
  return log->signals[signal].handle;
}

INLINE step marker_run(const cursor *c, aq_packet_span *span,
                       const aq_op_marker *marker, hooks h)
{
  aq_walk_log *log = span->log;
  if (h == HOOKS_NONE || !log->markers)
    return STEP_ON;
  if (log->marker_used == log->marker_capacity)
    return STEP_FULL;
  log->markers[log->marker_used++] =
      (aq_walk_marker){.packet = id_of(c, span),
                       .value = marker->value,
                       .command = marker->op.index,
                       .entry = log->used,
                       .kind = (aq_marker_kind)marker->op.flags};
  return STEP_ON;
}

/* ---- arguments ---- */

INLINE void words_copy(uint64_t *to, const uint64_t *from, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    to[i] = from[i];
}

INLINE void dynamic_write(const cursor *c, const aq_op_dispatch *dispatch,
                          const uint64_t *tail, uint64_t *to)
{
  const uint64_t *const constants = tail + dispatch->bindings;
  const uint64_t *const end = tail + (dispatch->kernarg_size + 7) / 8;
  do /* there is a binding, or it would be another strategy */
    *to++ = slot_address(c->bound, *tail++);
  while (tail != constants);
  while (tail != end)
    *to++ = *tail++;
}

INLINE void template_write(const cursor *c, const aq_op_dispatch *dispatch,
                           const uint64_t *tail, uint64_t *to)
{
  const uint32_t patches = dispatch->patches;
  const uint16_t *places = (const uint16_t *)(tail + patches);
  words_copy(to, (const uint64_t *)(uintptr_t)(c->published + dispatch->rodata),
             (dispatch->kernarg_size + 7) / 8);
  for (uint32_t i = 0; i < patches; i++)
    to[places[i]] = slot_address(c->bound, tail[i]);
}

/* Refs to anything, then constants; without bindings the bytes as they are. */
static void general_write(const aq_processor *processor,
                          const aq_op_dispatch *dispatch, const uint64_t *tail,
                          uint64_t *to)
{
  const uint32_t bindings = dispatch->bindings;
  for (uint32_t i = 0; i < bindings; i++)
    to[i] = aq_ref_address(processor, tail[i]);
  words_copy(to + bindings, tail + bindings,
             (dispatch->kernarg_size + 7) / 8 - bindings);
}

/* Arguments of a dispatch; `to` has room for them, rounded up. */
INLINE void args_write(const cursor *c, const aq_processor *processor,
                       const aq_op_dispatch *dispatch, const uint64_t *tail,
                       uint64_t *to)
{
  if (dispatch->op.flags == AQ_ARGS_DYNAMIC)
    dynamic_write(c, dispatch, tail, to);
  else if (dispatch->op.flags == AQ_ARGS_TEMPLATE)
    template_write(c, dispatch, tail, to);
  else
    general_write(processor, dispatch, tail, to);
}

/* Takes memory for the arguments of a dispatch and writes them; the packet's
 * kernarg address. NULL in `full`: there is no room. */
INLINE bool args_put(cursor *c, const aq_processor *processor,
                     const aq_op_dispatch *dispatch, const uint64_t *tail,
                     uint64_t *address)
{
  if (dispatch->op.flags == AQ_ARGS_PREPUBLISHED) {
    *address = c->published + dispatch->rodata;
    return true;
  }
  *address = 0;
  if (dispatch->op.flags == AQ_ARGS_NONE)
    return true;
  const uint32_t room = aq_kernarg_round(dispatch->kernarg_size);
  if (room > (size_t)(c->kernarg_end - c->kernarg))
    return false;
  args_write(c, processor, dispatch, tail, (uint64_t *)c->kernarg);
  *address = (uint64_t)(uintptr_t)c->kernarg;
  c->kernarg += room;
  return true;
}

/* ---- records ---- */

INLINE step dispatch_run(cursor *c, const aq_processor *processor,
                         const aq_op_dispatch *dispatch, aq_packet_span *span,
                         hooks h)
{
  uint64_t kernarg;
  if (room_for(c) == 0 || log_is_full(span, h) ||
      !args_put(c, processor, dispatch, (const uint64_t *)(dispatch + 1),
                &kernarg))
    return STEP_FULL;
  body_write(c->slot, dispatch, c->kernels[dispatch->kernel], kernarg,
             log_packet(c, span, &dispatch->op, 0, h));
  header_put(c, dispatch->header, dispatch->setup);
  return STEP_ON;
}

INLINE step dispatch_args_run(cursor *c, const aq_processor *processor,
                              const aq_op_dispatch_args *record,
                              aq_packet_span *span, hooks h)
{
  const aq_op_dispatch *dispatch = (const aq_op_dispatch *)record;
  if (room_for(c) == 0 || log_is_full(span, h))
    return STEP_FULL;
  body_write(c->slot, dispatch, c->kernels[dispatch->kernel],
             aq_ref_address(processor, record->args),
             log_packet(c, span, &dispatch->op, 0, h));
  header_put(c, dispatch->header, dispatch->setup);
  return STEP_ON;
}

/* Two packets: one that reads the grid into the other and publishes it. */
INLINE step patched_run(cursor *c, const aq_processor *processor,
                        const aq_op_dispatch_params *record,
                        aq_packet_span *span, hooks h)
{
  const aq_op_dispatch *dispatch = (const aq_op_dispatch *)record;
  const uint32_t room = aq_op_kernarg_size(&record->op);
  uint64_t kernarg;
  if (room_for(c) < 2 || log_is_full(span, h) ||
      room > (size_t)(c->kernarg_end - c->kernarg))
    return STEP_FULL;
  aq_patch_write(processor, record, c->slot, slot_after(c), c->kernarg);
  c->kernarg += aq_kernarg_round(sizeof(aq_patch_args));
  args_put(c, processor, dispatch, (const uint64_t *)(record + 1), &kernarg);
  body_write(slot_after(c), dispatch, c->kernels[dispatch->kernel], kernarg,
             log_packet(c, span, &record->op, 1, h));
  /* The reader takes the barrier; it has to see what kernels wrote. */
  header_put(c,
             aq_packet_header(
                 AQ_PACKET_KERNEL_DISPATCH, aq_header_barrier(record->header),
                 aq_header_acquire(record->header)
                     ? (aq_fence_scope)aq_header_acquire(record->header)
                     : AQ_SCOPE_AGENT,
                 AQ_SCOPE_NONE),
             1);
  *c->header++ = AQ_PACKET_INVALID;
  c->slot = slot_after(c);
  return STEP_ON;
}

/* Without a patch kernel: a drain, then the packet with the present grid. */
INLINE step drained_run(cursor *c, aq_processor *processor,
                        const aq_op_dispatch_params *record,
                        aq_packet_span *span, hooks h)
{
  const aq_op_dispatch *dispatch = (const aq_op_dispatch *)record;
  uint64_t kernarg;
  if (!processor->drained)
    return drain_put(c, processor, span, h);
  if (room_for(c) == 0 || log_is_full(span, h) ||
      !args_put(c, processor, dispatch, (const uint64_t *)(record + 1),
                &kernarg))
    return STEP_FULL;
  processor->drained = false;
  aq_packet *slot = c->slot;
  body_write(slot, dispatch, c->kernels[dispatch->kernel], kernarg,
             log_packet(c, span, &record->op, 0, h));
  memcpy(slot->kernel.grid_size, aq_ref_pointer(processor, record->params),
         sizeof slot->kernel.grid_size);
  header_put(c, record->header, record->setup);
  return STEP_ON;
}

INLINE step dispatch_params_run(cursor *c, aq_processor *processor,
                                const aq_op_dispatch_params *record,
                                aq_packet_span *span, hooks h)
{
  return processor->link->builtins.objects[AQ_BUILTIN_PATCH]
             ? patched_run(c, processor, record, span, h)
             : drained_run(c, processor, record, span, h);
}

INLINE step transfer_run(cursor *c, const aq_processor *processor,
                         const aq_op *op, aq_packet_span *span, hooks h)
{
  const uint32_t room = aq_op_kernarg_size(op);
  if (room_for(c) == 0 || log_is_full(span, h) ||
      room > (size_t)(c->kernarg_end - c->kernarg))
    return STEP_FULL;
  aq_transfer_write(processor, op, c->slot, c->kernarg,
                    log_packet(c, span, op, 0, h));
  c->kernarg += room;
  header_put(c, ((const aq_op_fill *)op)->header, 1);
  return STEP_ON;
}

/* The record's header says kernel dispatch; the packet may be another one. */
INLINE step value_run(cursor *c, const aq_processor *processor, const aq_op *op,
                      aq_packet_span *span, hooks h)
{
  const uint32_t room = aq_op_kernarg_size(op);
  if (room_for(c) == 0 || log_is_full(span, h) ||
      room > (size_t)(c->kernarg_end - c->kernarg))
    return STEP_FULL;
  const uint32_t word = aq_value_write(processor, op, c->slot, c->kernarg,
                                       log_packet(c, span, op, 0, h));
  const uint16_t scopes =
      ((const aq_op_fill *)op)->header & (uint16_t)~AQ_HEADER_TYPE_MASK;
  c->kernarg += room;
  header_put(c, scopes | (uint16_t)word, (uint16_t)(word >> 16));
  return STEP_ON;
}

INLINE step barrier_run(cursor *c, const aq_op_barrier *barrier)
{
  const uint16_t acquire = aq_packet_header(
      (aq_packet_type)0, 1, (aq_fence_scope)barrier->op.flags, AQ_SCOPE_NONE);
  c->carry = header_take(c, acquire);
  return STEP_ON;
}

INLINE step branch_if_run(cursor *c, aq_processor *processor,
                          aq_packet_span *span, hooks h)
{
  return processor->drained ? STEP_FLOW : drain_put(c, processor, span, h);
}

/* One record: what to do is one call for each opcode. */
INLINE step record_run(cursor *c, aq_processor *processor, const aq_op *op,
                       aq_packet_span *span, hooks h)
{
  switch ((aq_opcode)op->code) {
  case AQ_OP_DISPATCH:
    return dispatch_run(c, processor, (const aq_op_dispatch *)op, span, h);
  case AQ_OP_BARRIER:
    return barrier_run(c, (const aq_op_barrier *)op);
  case AQ_OP_DISPATCH_PARAMS:
    return dispatch_params_run(c, processor, (const aq_op_dispatch_params *)op,
                               span, h);
  case AQ_OP_DISPATCH_ARGS:
    return dispatch_args_run(c, processor, (const aq_op_dispatch_args *)op,
                             span, h);
  case AQ_OP_FILL:
  case AQ_OP_COPY:
  case AQ_OP_UPDATE:
    return transfer_run(c, processor, op, span, h);
  case AQ_OP_ATOMIC:
  case AQ_OP_WAIT_VALUE:
    return value_run(c, processor, op, span, h);
  case AQ_OP_MARKER:
    return marker_run(c, span, (const aq_op_marker *)op, h);
  case AQ_OP_BRANCH_IF:
    return branch_if_run(c, processor, span, h);
  case AQ_OP_BRANCH:
  case AQ_OP_CALL:
  case AQ_OP_RETURN:
  case AQ_OP_LIMIT:
    break;
  }
  return STEP_FLOW;
}

/* ---- the loop ---- */

/* Runs up to the next branch; the cursor has the place where it ended. */
INLINE step block_run(cursor *c, aq_processor *processor, aq_packet_span *span,
                      hooks h)
{
  for (;;) {
    const aq_op *op = (const aq_op *)c->at;
    const step next = record_run(c, processor, op, span, h);
    if (next != STEP_ON)
      return next;
    c->at += op->size * 8u;
  }
}

/* A span may have no arguments, and C adds nothing to NULL. */
INLINE unsigned char *kernarg_at(const aq_packet_span *span, size_t offset)
{
  return offset ? span->kernarg + offset : span->kernarg;
}

INLINE aq_walk walk(aq_processor *processor, aq_packet_span *span, hooks h)
{
  const aq_ring *ring = span->ring;
  cursor c = {.slot = aq_ring_slot(ring, span->first + span->packets),
              .ring_begin = ring->packets,
              .ring_end = ring->packets + ring->size,
              .header = span->headers + span->packets,
              .header_end = span->headers + span->slots,
              .kernarg = kernarg_at(span, span->kernarg_used),
              .kernarg_end = kernarg_at(span, span->kernarg_size),
              .bound = processor->slots,
              .kernels = processor->link->kernels,
              .carry = processor->carry};
  aq_walk result = AQ_WALK_FULL;
  step next;
  do {
    const uint32_t *header = c.header;
    const unsigned char *kernarg = c.kernarg;
    c.at = aq_block_at(processor->block, processor->offset);
    c.published = processor->published;
    next = block_run(&c, processor, span, h);
    processor->offset =
        (uint32_t)(c.at - (const unsigned char *)processor->block);
    processor->packets_left -= (uint32_t)(c.header - header);
    processor->kernarg_left -= (uint32_t)(c.kernarg - kernarg);
    if (next == STEP_FLOW)
      result = aq_flow_run(processor, (const aq_op *)c.at);
  } while (next == STEP_FLOW && result == AQ_WALK_FULL);
  span->packets = (uint32_t)(c.header - span->headers);
  span->kernarg_used = (uint32_t)(c.kernarg - span->kernarg);
  processor->carry = c.carry;
  return next == STEP_DRAIN ? AQ_WALK_DRAIN : result;
}

aq_walk aq_processor_fill(aq_processor *processor, aq_packet_span *span)
{
  return walk(processor, span, HOOKS_NONE);
}

aq_walk aq_processor_fill_stats(aq_processor *processor, aq_packet_span *span)
{
  return walk(processor, span, HOOKS_STATS);
}

aq_walk aq_processor_fill_times(aq_processor *processor, aq_packet_span *span)
{
  return walk(processor, span, HOOKS_TIMES);
}
