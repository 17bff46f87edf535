/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cmdbuf/opcodes.h"

#include <string.h>

#include "cmdbuf/value_packets.h"

/* One function a record: its own type is `record` in there. */
#define N(type, name, kind, meaning)                                           \
  {#name, meaning, offsetof(record, name), sizeof(type), 1, AQ_FIELD_##kind},
#define A(type, name, count, kind, meaning)                                    \
  {#name,        meaning, offsetof(record, name),                              \
   sizeof(type), count,   AQ_FIELD_##kind},
#define OP(code, NAME, name, size, packets, ends, semantics, fields)           \
  static const aq_op_field *name##_fields(void)                                \
  {                                                                            \
    typedef aq_op_##name record;                                               \
    static const aq_op_field list[] = {                                        \
        fields{NULL, NULL, sizeof(record), 0, 0, AQ_FIELD_ZERO}};              \
    return list;                                                               \
  }
#include "cmdbuf/opcodes.def"
#undef OP
#undef A
#undef N

const aq_op_info aq_op_infos[AQ_OP_LIMIT] = {
#define OP(code, NAME, name, size, packets, ends, semantics, fields)           \
  [code] = {#name, semantics, size, packets, ends, name##_fields},
#include "cmdbuf/opcodes.def"
#undef OP
};

const char *const aq_strategy_names[AQ_ARGS_LIMIT] = {
    [AQ_ARGS_NONE] = "none",       [AQ_ARGS_PREPUBLISHED] = "prepublished",
    [AQ_ARGS_DYNAMIC] = "dynamic", [AQ_ARGS_TEMPLATE] = "template",
    [AQ_ARGS_GENERAL] = "general", [AQ_ARGS_DIRECT] = "direct",
};

uint64_t aq_op_value(const aq_op *op, const aq_op_field *field, uint32_t n)
{
  uint64_t value = 0; /* numbers are little endian */
  memcpy(&value, (const unsigned char *)op + field->offset + n * field->size,
         field->size);
  return value;
}

uint32_t aq_op_tail_refs(const aq_op *op)
{
  const aq_op_dispatch *dispatch = aq_op_as_dispatch(op);
  if (!dispatch)
    return 0;
  if (op->flags == AQ_ARGS_TEMPLATE)
    return dispatch->patches;
  return op->flags == AQ_ARGS_DYNAMIC || op->flags == AQ_ARGS_GENERAL
             ? dispatch->bindings
             : 0;
}

uint32_t aq_op_rodata_refs(const aq_op *op)
{
  const aq_op_dispatch *dispatch = aq_op_as_dispatch(op);
  return dispatch && (op->flags == AQ_ARGS_PREPUBLISHED ||
                      op->flags == AQ_ARGS_TEMPLATE)
             ? dispatch->bindings
             : 0;
}

static uint32_t dispatch_kernarg_size(const aq_op_dispatch *dispatch)
{
  return dispatch->op.flags == AQ_ARGS_NONE ||
                 dispatch->op.flags == AQ_ARGS_PREPUBLISHED
             ? 0
             : aq_kernarg_round(dispatch->kernarg_size);
}

uint32_t aq_op_kernarg_size(const aq_op *op)
{
  switch (op->code) {
  case AQ_OP_DISPATCH:
    return dispatch_kernarg_size((const aq_op_dispatch *)op);
  case AQ_OP_DISPATCH_PARAMS:
    return aq_kernarg_round(sizeof(aq_patch_args)) +
           dispatch_kernarg_size((const aq_op_dispatch *)op);
  case AQ_OP_FILL:
    return aq_kernarg_round(sizeof(aq_fill_args));
  case AQ_OP_COPY:
    return aq_kernarg_round(sizeof(aq_copy_args));
  case AQ_OP_UPDATE:
    return aq_kernarg_round((uint32_t)sizeof(aq_update_args) +
                            ((const aq_op_update *)op)->bytes);
  case AQ_OP_ATOMIC:
  case AQ_OP_WAIT_VALUE:
    return AQ_VALUE_KERNARG;
  default:
    return 0;
  }
}
