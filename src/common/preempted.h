/* SPDX-License-Identifier: MIT */
/*
 * Preemptions, as they are kept beside the records of a run. preempted.def
 * lists the fields. What victims waste and how long preemptions take are
 * statistics of these rows.
 *
 * Rows passed to a sink's put_preempted() are borrowed for the call.
 */
#ifndef AQ_COMMON_PREEMPTED_H
#define AQ_COMMON_PREEMPTED_H

#include <stdint.h>

#include "export.h"

AQ_BEGIN_DECLS

/* The first four are the values of aq_preempt_mode (policy.h). */
typedef enum aq_preempted_mode {
  AQ_PREEMPTED_DRAIN,
  AQ_PREEMPTED_SWITCH,
  AQ_PREEMPTED_RESET,
  AQ_PREEMPTED_KILL,
  AQ_PREEMPTED_SUSPEND, /* its queue launches nothing more */
  AQ_PREEMPTED_VACATE,  /* nothing more is submitted to its queue */
} aq_preempted_mode;

typedef struct aq_preempted {
#define F(field, unit, meaning) int64_t field;
#include "preempted.def"
#undef F
} aq_preempted;

enum {
#define F(field, unit, meaning) AQ_PREEMPTED_FIELD_##field,
#include "preempted.def"
#undef F
  AQ_PREEMPTED_FIELD_COUNT
};

AQ_STATIC_ASSERT(sizeof(aq_preempted) ==
                     AQ_PREEMPTED_FIELD_COUNT * sizeof(int64_t),
                 "a preemption is an array of its fields");

AQ_END_DECLS

#endif
