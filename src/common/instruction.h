/* SPDX-License-Identifier: MIT */
/*
 * Counts of instructions, kept beside the records of a run: a profile of the
 * machine code that an executor ran. instruction.def lists the fields.
 *
 * Rows passed to a sink's put_instructions() are borrowed for the call.
 */
#ifndef AQ_COMMON_INSTRUCTION_H
#define AQ_COMMON_INSTRUCTION_H

#include <stdint.h>

#include "export.h"

AQ_BEGIN_DECLS

typedef struct aq_instruction {
#define F(field, unit, meaning) int64_t field;
#include "instruction.def"
#undef F
} aq_instruction;

enum {
#define F(field, unit, meaning) AQ_INSTRUCTION_FIELD_##field,
#include "instruction.def"
#undef F
  AQ_INSTRUCTION_FIELD_COUNT
};

AQ_STATIC_ASSERT(sizeof(aq_instruction) ==
                     AQ_INSTRUCTION_FIELD_COUNT * sizeof(int64_t),
                 "an instruction is an array of its fields");

AQ_END_DECLS

#endif
