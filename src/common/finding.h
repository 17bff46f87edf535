/* SPDX-License-Identifier: MIT */
/*
 * Findings of a checker, kept beside the records of a run. finding.def lists
 * the fields.
 *
 * Rows passed to a sink's put_findings() are borrowed for the call.
 */
#ifndef AQ_COMMON_FINDING_H
#define AQ_COMMON_FINDING_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "export.h"

AQ_BEGIN_DECLS

typedef struct aq_finding {
#define F(field, unit, meaning) int64_t field;
#include "finding.def"
#undef F
} aq_finding;

enum {
#define F(field, unit, meaning) AQ_FINDING_FIELD_##field,
#include "finding.def"
#undef F
  AQ_FINDING_FIELD_COUNT
};

AQ_STATIC_ASSERT(sizeof(aq_finding) == AQ_FINDING_FIELD_COUNT * sizeof(int64_t),
                 "a finding is an array of its fields");

/* The values of `possible`. */
typedef enum aq_finding_certainty {
  AQ_FINDING_SURE,
  AQ_FINDING_POSSIBLE, /* atomics that look like plain accesses may explain it
                        */
  AQ_FINDING_NOTE,     /* compilers make such code of atomics */
} aq_finding_certainty;

/* Whether a field is the id of a name. */
static inline bool aq_finding_field_is_name(int field)
{
  static const char *const units[] = {
#define F(field, unit, meaning) unit,
#include "finding.def"
#undef F
  };
  return strcmp(units[field], "name id") == 0;
}

AQ_END_DECLS

#endif
