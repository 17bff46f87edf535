/* SPDX-License-Identifier: MIT */
/*
 * Counters of executed code, summed up from the counts of its instructions
 * (counters.def). Pure.
 */
#ifndef AQ_GPU_INSPECT_COUNTERS_H
#define AQ_GPU_INSPECT_COUNTERS_H

#include "gpu/inspect/profile.h"

typedef enum aq_code_counter {
#define C(id, name, unit, meaning) AQ_CODE_COUNTER_##id,
#include "gpu/inspect/counters.def"
#undef C
  AQ_CODE_COUNTER_COUNT
} aq_code_counter;

typedef struct aq_code_counter_text {
  const char *name, *unit, *meaning;
} aq_code_counter_text;

extern const aq_code_counter_text aq_code_counters[AQ_CODE_COUNTER_COUNT];

/* Sums over the kernel's instructions. */
void aq_code_counters_sum(const aq_profile_kernel *kernel,
                          int64_t out[AQ_CODE_COUNTER_COUNT]);

#endif
