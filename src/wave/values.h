/* SPDX-License-Identifier: MIT */
/* The vector instructions' functions by name, compiled for the processor that
 * this runs on. Within wave. Pure. */
#ifndef AQ_WAVE_VALUES_H
#define AQ_WAVE_VALUES_H

#include <stddef.h>

#include "wave/state.h"

typedef struct aq_wave_value_row {
  const char *name;
  aq_wave_value *value; /* one of both */
  aq_wave_mask *mask;
} aq_wave_value_row;

/* One compilation of values.def. */
typedef struct aq_wave_values {
  const char *level; /* "x86-64-v3" */
  const aq_wave_value_row *rows;
  size_t count;
} aq_wave_values;

extern const aq_wave_values aq_wave_values_base;
#if defined(__x86_64__)
extern const aq_wave_values aq_wave_values_v3;
extern const aq_wave_values aq_wave_values_v4;
#endif

/* The fastest that the host can run. */
const aq_wave_values *aq_wave_values_choose(void);

/* NULL: no such instruction. */
const aq_wave_value_row *aq_wave_values_find(const aq_wave_values *values,
                                             const char *name);

#endif
