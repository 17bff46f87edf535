/* SPDX-License-Identifier: MIT */
/*
 * The program around launches, kept beside the records of a run: operators,
 * call stacks, the rows that they launched, and allocations of memory.
 * host_op.def, frame.def, launched.def and memory_block.def list the fields.
 * Ops and frames are numbered from 0 in the order in which they are put, a
 * parent before its children.
 *
 * Rows passed to a sink are borrowed for the call.
 */
#ifndef AQ_COMMON_OPS_H
#define AQ_COMMON_OPS_H

#include <stdint.h>

#include "export.h"

AQ_BEGIN_DECLS

typedef enum aq_host_op_kind {
  AQ_HOST_OP_OPERATOR = 0,
  AQ_HOST_OP_ANNOTATION = 1,
} aq_host_op_kind;

typedef enum aq_frame_kind {
  AQ_FRAME_FUNCTION = 0,
  AQ_FRAME_MODULE = 1,
} aq_frame_kind;

typedef struct aq_host_op {
#define F(field, unit, meaning) int64_t field;
#include "host_op.def"
#undef F
} aq_host_op;

typedef struct aq_frame {
#define F(field, unit, meaning) int64_t field;
#include "frame.def"
#undef F
} aq_frame;

typedef struct aq_memory_block {
#define F(field, unit, meaning) int64_t field;
#include "memory_block.def"
#undef F
} aq_memory_block;

typedef struct aq_launched {
#define F(field, unit, meaning) int64_t field;
#include "launched.def"
#undef F
} aq_launched;

enum {
#define F(field, unit, meaning) AQ_HOST_OP_FIELD_##field,
#include "host_op.def"
#undef F
  AQ_HOST_OP_FIELD_COUNT
};

enum {
#define F(field, unit, meaning) AQ_FRAME_FIELD_##field,
#include "frame.def"
#undef F
  AQ_FRAME_FIELD_COUNT
};

enum {
#define F(field, unit, meaning) AQ_LAUNCHED_FIELD_##field,
#include "launched.def"
#undef F
  AQ_LAUNCHED_FIELD_COUNT
};

enum {
#define F(field, unit, meaning) AQ_MEMORY_BLOCK_FIELD_##field,
#include "memory_block.def"
#undef F
  AQ_MEMORY_BLOCK_FIELD_COUNT
};

AQ_STATIC_ASSERT(sizeof(aq_memory_block) ==
                     AQ_MEMORY_BLOCK_FIELD_COUNT * sizeof(int64_t),
                 "an allocation is an array of its fields");
AQ_STATIC_ASSERT(sizeof(aq_host_op) == AQ_HOST_OP_FIELD_COUNT * sizeof(int64_t),
                 "an op is an array of its fields");
AQ_STATIC_ASSERT(sizeof(aq_frame) == AQ_FRAME_FIELD_COUNT * sizeof(int64_t),
                 "a frame is an array of its fields");
AQ_STATIC_ASSERT(sizeof(aq_launched) ==
                     AQ_LAUNCHED_FIELD_COUNT * sizeof(int64_t),
                 "a launch is an array of its fields");

AQ_END_DECLS

#endif
