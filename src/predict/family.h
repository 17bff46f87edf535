/* SPDX-License-Identifier: MIT */
/*
 * Families of kernels: the limits of a kernel, by its name alone.
 * families.def and patterns.def are the tables. Pure functions.
 */
#ifndef AQ_PREDICT_FAMILY_H
#define AQ_PREDICT_FAMILY_H

#include "common/time.h"

typedef enum aq_family {
#define F(id, name, ...) AQ_FAMILY_##id,
#include "predict/families.def"
#undef F
  AQ_FAMILY_COUNT
} aq_family;

/* AQ_FAMILY_UNKNOWN where no pattern fits, or for NULL. */
aq_family aq_family_find(const char *kernel);

/* "gemm", …; static. */
const char *aq_family_name(aq_family family);

/* Which end of an interval is wanted. */
typedef enum aq_end {
  AQ_END_LEAST = -1,
  AQ_END_MIDDLE = 0,
  AQ_END_MOST = 1
} aq_end;

/* The duration of a kernel of the family that took `measured`, on a device of
 * `clock` and `bandwidth` times the speed, both above 0. */
aq_time aq_family_scale(aq_family family, aq_time measured, double clock,
                        double bandwidth, aq_end end);

#endif
