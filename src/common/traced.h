/* SPDX-License-Identifier: MIT */
/*
 * Steps of traced waves, kept beside the records of a run. traced.def lists the
 * fields.
 *
 * Rows passed to a sink's put_traced() are borrowed for the call.
 */
#ifndef AQ_COMMON_TRACED_H
#define AQ_COMMON_TRACED_H

#include <stdint.h>

#include "export.h"

AQ_BEGIN_DECLS

typedef struct aq_traced {
#define F(field, unit, meaning) int64_t field;
#include "traced.def"
#undef F
} aq_traced;

enum {
#define F(field, unit, meaning) AQ_TRACED_FIELD_##field,
#include "traced.def"
#undef F
  AQ_TRACED_FIELD_COUNT
};

AQ_STATIC_ASSERT(sizeof(aq_traced) == AQ_TRACED_FIELD_COUNT * sizeof(int64_t),
                 "a step is an array of its fields");

AQ_END_DECLS

#endif
