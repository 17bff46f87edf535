/* SPDX-License-Identifier: MIT */
/*
 * The work of executed dispatches, kept beside the records of a run.
 * counted.def lists the fields.
 *
 * Rows passed to a sink's put_counted() are borrowed for the call.
 */
#ifndef AQ_COMMON_COUNTED_H
#define AQ_COMMON_COUNTED_H

#include <stdint.h>

#include "export.h"

AQ_BEGIN_DECLS

typedef struct aq_counted {
#define F(field, unit, meaning) int64_t field;
#include "counted.def"
#undef F
} aq_counted;

enum {
#define F(field, unit, meaning) AQ_COUNTED_FIELD_##field,
#include "counted.def"
#undef F
  AQ_COUNTED_FIELD_COUNT
};

AQ_STATIC_ASSERT(sizeof(aq_counted) == AQ_COUNTED_FIELD_COUNT * sizeof(int64_t),
                 "counted work is an array of its fields");

AQ_END_DECLS

#endif
