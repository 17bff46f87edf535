/* SPDX-License-Identifier: MIT */
/*
 * The table of opcodes.def at run time, for whoever treats all records alike:
 * validator, printer, nesting. Constant.
 */
#ifndef AQ_CMDBUF_OPCODES_H
#define AQ_CMDBUF_OPCODES_H

#include <stdbool.h>

#include "cmdbuf/program.h"

typedef enum aq_field_kind {
  AQ_FIELD_NUMBER,
  AQ_FIELD_SIGNED,
  AQ_FIELD_HEX,
  AQ_FIELD_HEADER, /* of a packet */
  AQ_FIELD_KERNEL, /* ordinal */
  AQ_FIELD_REF,    /* aq_ref */
  AQ_FIELD_BLOCK,  /* ordinal */
  AQ_FIELD_ZERO,   /* reserved */
} aq_field_kind;

typedef struct aq_op_field {
  const char *name; /* NULL ends a list */
  const char *meaning;
  uint16_t offset; /* bytes from the start of the record */
  uint8_t size;    /* bytes of one */
  uint8_t count;
  aq_field_kind kind;
} aq_op_field;

typedef struct aq_op_info {
  const char *name; /* NULL: there is no such opcode */
  const char *semantics;
  uint16_t size;   /* bytes, without the tail */
  uint8_t packets; /* that a record makes */
  bool ends;       /* it is a terminator */
  const aq_op_field *(*fields)(void);
} aq_op_info;

/* By opcode. */
extern const aq_op_info aq_op_infos[AQ_OP_LIMIT];

/* By aq_strategy. */
extern const char *const aq_strategy_names[AQ_ARGS_LIMIT];

/* The n-th value of a field of a record, zero-extended. */
uint64_t aq_op_value(const aq_op *op, const aq_op_field *field, uint32_t n);

/* A record that dispatches a kernel of the caller, or NULL. */
static inline const aq_op_dispatch *aq_op_as_dispatch(const aq_op *op)
{
  return op->code == AQ_OP_DISPATCH || op->code == AQ_OP_DISPATCH_PARAMS ||
                 op->code == AQ_OP_DISPATCH_ARGS
             ? (const aq_op_dispatch *)op
             : NULL;
}

/* The bytes behind the fields of a record. */
static inline const void *aq_op_tail(const aq_op *op)
{
  return (const unsigned char *)op + aq_op_infos[op->code].size;
}

/* Of a marker; NULL: it has none. */
static inline const char *aq_marker_name(const aq_op *op)
{
  return op->size * 8u > sizeof(aq_op_marker) ? aq_op_tail(op) : NULL;
}

/* How many quad words at the start of a record's tail, and at the start of its
 * rodata, are refs. */
uint32_t aq_op_tail_refs(const aq_op *op);
uint32_t aq_op_rodata_refs(const aq_op *op);

/* Bytes of kernel arguments that a record takes while it is replayed, each
 * packet's rounded up. */
uint32_t aq_op_kernarg_size(const aq_op *op);

#endif
