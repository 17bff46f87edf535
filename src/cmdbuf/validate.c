/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cmdbuf/validate.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmdbuf/builtins.h"
#include "cmdbuf/opcodes.h"
#include "cmdbuf/validate_priv.h"
#include "cmdbuf/value_check.h"

/* The place of the walk, and the sums of its block so far. */
typedef struct checker {
  const aq_program *program;
  const aq_block *block;
  const aq_op *op;
  aq_block sums;  /* counted */
  uint32_t first; /* index of the block's first command */
  aq_diag *diag;
} checker;

static aq_status refuse(const checker *c, const char *fmt, ...) AQ_PRINTF(2, 3);

/* "block N, 0xOFFSET (name): the error" */
static aq_status refuse(const checker *c, const char *fmt, ...)
{
  char text[256];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  if (!c->op)
    return aq_diag_set(c->diag, AQ_ERR_INPUT, "block %u: %s", c->sums.ordinal,
                       text);
  const char *name =
      c->op->code < AQ_OP_LIMIT ? aq_op_infos[c->op->code].name : NULL;
  return aq_diag_set(c->diag, AQ_ERR_INPUT, "block %u, 0x%x (%s): %s",
                     c->sums.ordinal,
                     (unsigned)((const char *)c->op - (const char *)c->block),
                     name ? name : "?", text);
}

/* ---- places ---- */

/* Whether [ref, +bytes) lies in the program's range of the buffer. */
static aq_status ref_check(const checker *c, aq_ref ref, uint64_t bytes)
{
  const bool is_static = ref & AQ_REF_STATIC;
  const uint32_t ordinal = aq_ref_ordinal(ref);
  const uint32_t count =
      is_static ? c->program->static_count : c->program->slot_count;
  const char *what = is_static ? "static buffer" : "slot";
  if (ordinal >= count)
    return refuse(c, "%s %u; there are %u", what, ordinal, count);
  const uint64_t size = is_static ? c->program->static_sizes[ordinal]
                                  : c->program->slot_sizes[ordinal];
  if (aq_ref_offset(ref) > size || bytes > size - aq_ref_offset(ref))
    return refuse(c, "bytes %llu to +%llu of %s %u, which is stated as %llu",
                  (unsigned long long)aq_ref_offset(ref),
                  (unsigned long long)bytes, what, ordinal,
                  (unsigned long long)size);
  return AQ_OK;
}

static aq_status refs_check(const checker *c, const uint64_t *refs,
                            uint32_t count, bool slots_only)
{
  for (uint32_t i = 0; i < count; i++) {
    if (slots_only && (refs[i] & AQ_REF_STATIC))
      return refuse(c, "argument %u is static where slots are expected", i);
    aq_status status = ref_check(c, refs[i], 0);
    if (status != AQ_OK)
      return status;
  }
  return AQ_OK;
}

/* ---- fields ---- */

static aq_status header_check(const checker *c, uint16_t header)
{
  const unsigned unused = 0xffffu << (AQ_HEADER_RELEASE_SHIFT + 2);
  if (aq_header_type(header) != AQ_PACKET_KERNEL_DISPATCH ||
      (header & unused) || aq_header_acquire(header) > AQ_SCOPE_SYSTEM ||
      aq_header_release(header) > AQ_SCOPE_SYSTEM)
    return refuse(c, "header 0x%04x; a kernel dispatch expected", header);
  return AQ_OK;
}

static aq_status field_check(const checker *c, const aq_op_field *field,
                             uint64_t value)
{
  switch (field->kind) {
  case AQ_FIELD_ZERO:
    if (value != 0)
      return refuse(c, "%s is not 0", field->name);
    return AQ_OK;
  case AQ_FIELD_HEADER:
    return header_check(c, (uint16_t)value);
  case AQ_FIELD_KERNEL:
    if (value >= c->program->kernel_count)
      return refuse(c, "kernel %llu; there are %u", (unsigned long long)value,
                    c->program->kernel_count);
    return AQ_OK;
  case AQ_FIELD_BLOCK:
    if (value >= c->program->block_count)
      return refuse(c, "%s block %llu; there are %u", field->name,
                    (unsigned long long)value, c->program->block_count);
    return AQ_OK;
  case AQ_FIELD_NUMBER:
  case AQ_FIELD_SIGNED:
  case AQ_FIELD_HEX:
  case AQ_FIELD_REF: /* with their sizes, by the record's own check */
    return AQ_OK;
  }
  return AQ_OK;
}

static aq_status fields_check(const checker *c)
{
  const aq_op_field *field = aq_op_infos[c->op->code].fields();
  for (; field->name; field++)
    for (uint32_t i = 0; i < field->count; i++) {
      aq_status status = field_check(c, field, aq_op_value(c->op, field, i));
      if (status != AQ_OK)
        return status;
    }
  return AQ_OK;
}

/* ---- records ---- */

static uint64_t round8(uint64_t size)
{
  return (size + 7) & ~UINT64_C(7);
}

static aq_status tail_check(const checker *c, uint64_t bytes)
{
  const uint32_t size = c->op->size * 8u - aq_op_infos[c->op->code].size;
  if (size != bytes)
    return refuse(c, "a tail of %u bytes; %llu expected", size,
                  (unsigned long long)bytes);
  return AQ_OK;
}

static aq_status flags_check(const checker *c, unsigned limit)
{
  if (c->op->flags >= limit)
    return refuse(c, "flags 0x%x", c->op->flags);
  return AQ_OK;
}

static aq_status rodata_check(const checker *c, const aq_op_dispatch *dispatch)
{
  const uint32_t at = dispatch->rodata;
  if (at < c->block->rodata || at % AQ_RODATA_ALIGN != 0 ||
      at > c->block->size ||
      round8(dispatch->kernarg_size) > c->block->size - at)
    return refuse(c, "arguments at 0x%x, +%u: not in the rodata from 0x%x", at,
                  dispatch->kernarg_size, c->block->rodata);
  return refs_check(c, aq_block_at(c->block, at), dispatch->bindings, false);
}

/* The tail of a template: slots, and which arguments they are. */
static aq_status patches_check(const checker *c, const aq_op_dispatch *dispatch)
{
  const uint32_t patches = dispatch->patches;
  aq_status status = tail_check(c, patches * UINT64_C(8) + round8(patches * 2));
  if (status != AQ_OK)
    return status;
  const uint64_t *refs = aq_op_tail(c->op);
  const uint16_t *places = (const uint16_t *)(refs + patches);
  for (uint32_t i = 0; i < patches; i++)
    if (places[i] >= dispatch->bindings)
      return refuse(c, "patches argument %u; there are %u bindings", places[i],
                    dispatch->bindings);
  return refs_check(c, refs, patches, true);
}

static aq_status args_check(const checker *c, const aq_op_dispatch *dispatch)
{
  const aq_strategy strategy = (aq_strategy)c->op->flags;
  const bool published =
      strategy == AQ_ARGS_PREPUBLISHED || strategy == AQ_ARGS_TEMPLATE;
  const bool with_bindings =
      strategy != AQ_ARGS_NONE && strategy != AQ_ARGS_DIRECT;
  if ((dispatch->kernarg_size == 0) != (strategy == AQ_ARGS_NONE))
    return refuse(c, "%u bytes of arguments, but %s", dispatch->kernarg_size,
                  aq_strategy_names[strategy]);
  if (dispatch->patches != 0 && strategy != AQ_ARGS_TEMPLATE)
    return refuse(c, "%u patches without a template", dispatch->patches);
  if (dispatch->bindings != 0 && !with_bindings)
    return refuse(c, "%u bindings where none can be", dispatch->bindings);
  if (dispatch->rodata != 0 && !published)
    return refuse(c, "rodata where none is used");
  if (dispatch->bindings * UINT64_C(8) > dispatch->kernarg_size)
    return refuse(c, "%u bindings in %u bytes of arguments", dispatch->bindings,
                  dispatch->kernarg_size);
  aq_status status = AQ_OK;
  if (published)
    status = rodata_check(c, dispatch);
  if (status != AQ_OK)
    return status;
  switch (strategy) {
  case AQ_ARGS_TEMPLATE:
    return patches_check(c, dispatch);
  case AQ_ARGS_DYNAMIC:
    if (dispatch->bindings == 0)
      return refuse(c, "no bindings, but dynamic ones");
    /* fall through */
  case AQ_ARGS_GENERAL:
    status = tail_check(c, round8(dispatch->kernarg_size));
    return status == AQ_OK
               ? refs_check(c, aq_op_tail(c->op), dispatch->bindings,
                            strategy == AQ_ARGS_DYNAMIC)
               : status;
  case AQ_ARGS_DIRECT:
    return tail_check(c, round8(dispatch->kernarg_size));
  default:
    return tail_check(c, 0);
  }
}

static aq_status dispatch_check(checker *c)
{
  const aq_op_dispatch *dispatch = (const aq_op_dispatch *)c->op;
  aq_status status = flags_check(c, AQ_ARGS_LIMIT);
  if (status != AQ_OK)
    return status;
  if (dispatch->setup < 1 || dispatch->setup > 3)
    return refuse(c, "%u dimensions; 1 to 3 expected", dispatch->setup);
  for (int i = 0; i < 3; i++)
    if (dispatch->grid[i] == 0 || dispatch->workgroup[i] == 0)
      return refuse(c, "a grid or workgroup of 0");
  if (dispatch->kernarg_size > c->program->block_size &&
      c->op->code != AQ_OP_DISPATCH_ARGS)
    return refuse(c, "%u bytes of arguments", dispatch->kernarg_size);
  c->sums.dispatches++;
  if (c->op->code == AQ_OP_DISPATCH_ARGS) {
    const aq_ref args = ((const aq_op_dispatch_args *)c->op)->args;
    if (c->op->flags != AQ_ARGS_NONE || dispatch->bindings != 0 ||
        dispatch->patches != 0 || dispatch->rodata != 0)
      return refuse(c, "has arguments of its own");
    if (aq_ref_offset(args) % AQ_RODATA_ALIGN != 0)
      return refuse(c, "arguments at offset %llu; a multiple of %d expected",
                    (unsigned long long)aq_ref_offset(args), AQ_RODATA_ALIGN);
    status = ref_check(c, args, dispatch->kernarg_size);
    return status == AQ_OK ? tail_check(c, 0) : status;
  }
  if (c->op->code == AQ_OP_DISPATCH_PARAMS)
    status = ref_check(c, ((const aq_op_dispatch_params *)c->op)->params,
                       3 * sizeof(uint32_t));
  return status == AQ_OK ? args_check(c, dispatch) : status;
}

#define TRANSFER_MAX ((uint64_t)UINT32_MAX * AQ_BUILTIN_BYTES)

static aq_status transfer_check(const checker *c, aq_ref target, uint64_t bytes)
{
  if (bytes == 0 || bytes > TRANSFER_MAX)
    return refuse(c, "%llu bytes", (unsigned long long)bytes);
  return ref_check(c, target, bytes);
}

static aq_status fill_check(checker *c)
{
  const aq_op_fill *fill = (const aq_op_fill *)c->op;
  const uint32_t size = fill->pattern_size;
  if ((size != 1 && size != 2 && size != 4 && size != 8) ||
      fill->bytes % size != 0)
    return refuse(c, "a pattern of %u bytes over %llu", size,
                  (unsigned long long)fill->bytes);
  return transfer_check(c, fill->target, fill->bytes);
}

static aq_status copy_check(checker *c)
{
  const aq_op_copy *copy = (const aq_op_copy *)c->op;
  aq_status status = transfer_check(c, copy->target, copy->bytes);
  return status == AQ_OK ? ref_check(c, copy->source, copy->bytes) : status;
}

static aq_status update_check(checker *c)
{
  const aq_op_update *update = (const aq_op_update *)c->op;
  aq_status status = tail_check(c, round8(update->bytes));
  return status == AQ_OK ? transfer_check(c, update->target, update->bytes)
                         : status;
}

static aq_status barrier_check(checker *c)
{
  return flags_check(c, AQ_SCOPE_SYSTEM + 1);
}

/* A name ends within the last quad word of the tail. */
static aq_status marker_check(checker *c)
{
  const char *name = aq_op_tail(c->op);
  const uint32_t size = c->op->size * 8u - (uint32_t)sizeof(aq_op_marker);
  c->sums.markers++;
  if (size > 0) {
    const size_t length = strnlen(name, size);
    if (length == 0 || length > AQ_MARKER_NAME || (length + 8) / 8 * 8 != size)
      return refuse(c, "a tail of %u bytes that is no name", size);
    for (size_t i = length; i < size; i++)
      if (name[i])
        return refuse(c, "a name with bytes behind its end");
  }
  return flags_check(c, AQ_MARKER_LIMIT);
}

static aq_status branch_if_check(checker *c)
{
  aq_status status =
      flags_check(c, (AQ_BRANCH_CONDITION_MASK | AQ_BRANCH_64) + 1);
  return status == AQ_OK ? ref_check(c, ((const aq_op_branch_if *)c->op)->value,
                                     c->op->flags & AQ_BRANCH_64 ? 8 : 4)
                         : status;
}

/* Sizes and places as for a builder, which takes offsets for places too. */
static aq_status value_check(const checker *c, aq_status status,
                             const aq_diag *words, aq_ref ref, uint32_t size)
{
  return status == AQ_OK ? ref_check(c, ref, size)
                         : refuse(c, "%s", words->text);
}

static aq_status atomic_check(checker *c)
{
  const aq_op_atomic *record = (const aq_op_atomic *)c->op;
  const unsigned flags = record->op.flags;
  const bool returns = flags & AQ_ATOMIC_RESULT;
  const aq_atomic_args args = {
      .target = (void *)(uintptr_t)aq_ref_offset(record->target),
      .result = (void *)(uintptr_t)aq_ref_offset(record->result),
      .op = flags & AQ_ATOMIC_OP_MASK,
      .size = flags & AQ_ATOMIC_64 ? 8 : 4};
  aq_diag words = AQ_DIAG_INIT;
  aq_status status =
      flags_check(c, (AQ_ATOMIC_OP_MASK | AQ_ATOMIC_64 | AQ_ATOMIC_RESULT) + 1);
  if (status != AQ_OK)
    return status;
  if (!returns && record->result != record->target)
    return refuse(c, "a result without its flag");
  status = value_check(c, aq_atomic_args_check(&args, returns, &words), &words,
                       record->target, args.size);
  return status == AQ_OK ? ref_check(c, record->result, args.size) : status;
}

static aq_status wait_value_check(checker *c)
{
  const aq_op_wait_value *record = (const aq_op_wait_value *)c->op;
  const unsigned flags = record->op.flags;
  const aq_wait_args args = {
      .address = (const void *)(uintptr_t)aq_ref_offset(record->value),
      .value = record->against,
      .mask = record->mask,
      .condition = flags & AQ_BRANCH_CONDITION_MASK,
      .size = flags & AQ_BRANCH_64 ? 8 : 4};
  aq_diag words = AQ_DIAG_INIT;
  aq_status status =
      flags_check(c, (AQ_BRANCH_CONDITION_MASK | AQ_BRANCH_64) + 1);
  if (status != AQ_OK)
    return status;
  if (!aq_header_barrier(record->header))
    return refuse(c, "no barrier bit");
  return value_check(c, aq_wait_args_check(&args, &words), &words,
                     record->value, args.size);
}

/* A record's conditions beyond its table; flags and tail are 0 without
 * one. */
static aq_status (*const checks[AQ_OP_LIMIT])(checker *) = {
    [AQ_OP_BARRIER] = barrier_check,
    [AQ_OP_DISPATCH] = dispatch_check,
    [AQ_OP_DISPATCH_PARAMS] = dispatch_check,
    [AQ_OP_DISPATCH_ARGS] = dispatch_check,
    [AQ_OP_FILL] = fill_check,
    [AQ_OP_COPY] = copy_check,
    [AQ_OP_UPDATE] = update_check,
    [AQ_OP_MARKER] = marker_check,
    [AQ_OP_BRANCH_IF] = branch_if_check,
    [AQ_OP_ATOMIC] = atomic_check,
    [AQ_OP_WAIT_VALUE] = wait_value_check,
};

static aq_status record_check(checker *c, uint32_t left)
{
  const aq_op *op = c->op;
  if (op->code >= AQ_OP_LIMIT || !aq_op_infos[op->code].name)
    return refuse(c, "there is no opcode %u", op->code);
  const aq_op_info *info = &aq_op_infos[op->code];
  if (op->size * 8u < info->size || op->size * 8u > left)
    return refuse(c, "%u bytes; at least %u and at most %u expected",
                  op->size * 8u, info->size, left);
  if (op->index != c->block->first + c->sums.commands)
    return refuse(c, "index %u; %u expected", op->index,
                  c->block->first + c->sums.commands);
  if (info->ends != (op->size * 8u == left))
    return refuse(c, info->ends ? "ends its block before the last record"
                                : "the last record of a block has to end it");
  aq_status status = fields_check(c);
  /* Which records look at their own tails and flags. */
  if (status == AQ_OK && !(aq_op_as_dispatch(op) || op->code == AQ_OP_UPDATE ||
                           op->code == AQ_OP_MARKER))
    status = tail_check(c, 0);
  if (status == AQ_OK &&
      !(aq_op_as_dispatch(op) || op->code == AQ_OP_BARRIER ||
        op->code == AQ_OP_MARKER || op->code == AQ_OP_BRANCH_IF ||
        op->code == AQ_OP_ATOMIC || op->code == AQ_OP_WAIT_VALUE))
    status = flags_check(c, 1);
  if (status == AQ_OK && checks[op->code])
    status = checks[op->code](c);
  return status;
}

/* ---- blocks ---- */

static aq_status layout_check(const checker *c)
{
  const aq_block *block = c->block;
  if (block->magic != AQ_BLOCK_MAGIC)
    return refuse(c, "no block magic");
  if (block->version != AQ_BLOCK_VERSION)
    return refuse(c, "version %u; %d expected", block->version,
                  AQ_BLOCK_VERSION);
  if (block->header_size != sizeof *block)
    return refuse(c, "a header of %u bytes", block->header_size);
  if (block->ordinal != c->sums.ordinal)
    return refuse(c, "ordinal %u", block->ordinal);
  if (block->first != c->first)
    return refuse(c, "its commands from %u; from %u expected", block->first,
                  c->first);
  if (block->size != c->program->block_size)
    return refuse(c, "%u bytes; %u expected", block->size,
                  c->program->block_size);
  if (block->commands_size % 8 != 0 || block->commands_size < sizeof(aq_op) ||
      block->rodata > block->size || block->rodata < sizeof *block ||
      block->commands_size > block->rodata - sizeof *block)
    return refuse(c, "%u bytes of records below a rodata at 0x%x",
                  block->commands_size, block->rodata);
  if (block->rodata % AQ_RODATA_ALIGN != 0)
    return refuse(c, "rodata at 0x%x; a multiple of %d expected", block->rodata,
                  AQ_RODATA_ALIGN);
  if (block->zero[0] || block->zero[1] || block->zero[2])
    return refuse(c, "reserved bytes are not 0");
  return AQ_OK;
}

/* The header's counts against the counted ones. */
static aq_status counts_check(const checker *c)
{
  const aq_block *block = c->block, *sums = &c->sums;
  const struct {
    const char *what;
    uint32_t stated, counted;
  } counts[] = {
      {"commands", block->commands, sums->commands},
      {"packets", block->packets, sums->packets},
      {"bytes of kernel arguments", block->kernarg_size, sums->kernarg_size},
      {"bytes of the largest kernel arguments", block->kernarg_max,
       sums->kernarg_max},
      {"dispatches", block->dispatches, sums->dispatches},
      {"markers", block->markers, sums->markers},
      {"as terminator", block->terminator, sums->terminator},
      {"as target", block->target, sums->target},
      {"as next", block->next, sums->next},
  };
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    if (counts[i].stated != counts[i].counted)
      return refuse(c, "the header says %u %s; the records say %u",
                    counts[i].stated, counts[i].what, counts[i].counted);
  return AQ_OK;
}

static aq_status block_check(checker *c, uint32_t ordinal)
{
  c->block = c->program->blocks[ordinal];
  c->op = NULL;
  c->sums = (aq_block){.ordinal = ordinal};
  aq_status status = layout_check(c);
  if (status != AQ_OK)
    return status;
  uint32_t left = c->block->commands_size;
  const unsigned char *at = aq_block_at(c->block, c->block->header_size);
  while (left > 0) {
    c->op = (const aq_op *)at;
    status = record_check(c, left);
    if (status != AQ_OK)
      return status;
    const uint32_t kernarg = aq_op_kernarg_size(c->op);
    c->sums.commands++;
    c->sums.packets += aq_op_infos[c->op->code].packets;
    c->sums.kernarg_size += kernarg;
    if (kernarg > c->sums.kernarg_max)
      c->sums.kernarg_max = kernarg;
    at += c->op->size * 8u;
    left -= c->op->size * 8u;
  }
  /* The terminator as the header repeats it. */
  const aq_op_call *flow = (const aq_op_call *)c->op;
  c->sums.terminator = c->op->code;
  c->sums.target = c->op->code == AQ_OP_RETURN ? AQ_BLOCK_NONE : flow->target;
  c->sums.next = c->op->code == AQ_OP_CALL || c->op->code == AQ_OP_BRANCH_IF
                     ? flow->next
                     : AQ_BLOCK_NONE;
  c->op = NULL;
  c->first += c->sums.commands;
  return counts_check(c);
}

/* ---- programs ---- */

static uint32_t flags_of(const aq_block *block)
{
  uint32_t flags = block->rodata < block->size ? AQ_PROGRAM_RODATA : 0;
  const unsigned char *at = aq_block_at(block, block->header_size);
  for (uint32_t i = 0; i < block->commands; i++) {
    const aq_op *op = (const aq_op *)at;
    if (op->code == AQ_OP_FILL || op->code == AQ_OP_COPY ||
        op->code == AQ_OP_UPDATE || op->code == AQ_OP_DISPATCH_PARAMS)
      flags |= AQ_PROGRAM_BUILTINS;
    if (op->code == AQ_OP_BRANCH_IF || op->code == AQ_OP_DISPATCH_PARAMS)
      flags |= AQ_PROGRAM_DRAINS;
    if (op->code == AQ_OP_ATOMIC)
      flags |= AQ_PROGRAM_ATOMICS;
    if (op->code == AQ_OP_WAIT_VALUE)
      flags |= AQ_PROGRAM_WAITS;
    at += op->size * 8u;
  }
  return flags;
}

static aq_status sums_check(const aq_program *program, aq_diag *diag)
{
  aq_program sums = {0};
  for (uint32_t i = 0; i < program->block_count; i++) {
    const aq_block *block = program->blocks[i];
    sums.commands += block->commands;
    sums.packets += block->packets;
    sums.kernarg_size += block->kernarg_size;
    if (block->kernarg_max > sums.kernarg_max)
      sums.kernarg_max = block->kernarg_max;
    sums.flags |= flags_of(block);
  }
  if (sums.commands != program->commands || sums.packets != program->packets ||
      sums.kernarg_size != program->kernarg_size ||
      sums.kernarg_max != program->kernarg_max)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "program: its sums differ from the sums of its blocks");
  if (sums.flags & ~program->flags)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "program: flags 0x%x; at least 0x%x expected",
                       program->flags, sums.flags);
  return AQ_OK;
}

aq_status aq_program_validate(const aq_program *program, aq_diag *diag)
{
  if (program->block_count == 0)
    return aq_diag_set(diag, AQ_ERR_INPUT, "program: no blocks");
  checker c = {.program = program, .diag = diag};
  for (uint32_t i = 0; i < program->block_count; i++) {
    aq_status status = block_check(&c, i);
    if (status != AQ_OK)
      return status;
  }
  aq_status status = sums_check(program, diag);
  return status == AQ_OK ? aq_program_check_flow(program, diag) : status;
}
