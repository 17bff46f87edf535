/* SPDX-License-Identifier: MIT */
/*
 * How close the executor's results are to hardware's, by instruction: the
 * classes of doc/execution.md, "Exactness". Pure functions of static tables.
 */
#ifndef AQ_GPU_WAVE_OBSERVE_EXACTNESS_H
#define AQ_GPU_WAVE_OBSERVE_EXACTNESS_H

#include "gpu/isa/isa.h"

typedef struct aq_wave_class {
  const char *key;  /* one word */
  const char *text; /* of results */
} aq_wave_class;

/* The class of instructions of a row on a target (its bit); NULL: exact. */
const aq_wave_class *aq_wave_class_of(const aq_isa_row *row, uint16_t target);

/* Classes by their number, in the order of reports; NULL: no more. */
const aq_wave_class *aq_wave_class_at(size_t number);

#endif
