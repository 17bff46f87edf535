/* SPDX-License-Identifier: MIT */
/*
 * Means with confidence, and where the warm-up of a series ends. Pure
 * functions.
 */
#ifndef AQ_REPORT_STATS_CONFIDENCE_H
#define AQ_REPORT_STATS_CONFIDENCE_H

#include <stddef.h>

typedef struct aq_estimate {
  double mean, half; /* half of the 95 % interval; NaN: not known */
  size_t count;
} aq_estimate;

/* Of independent values (replications), by Student's t. */
aq_estimate aq_estimate_of(const double *values, size_t count);

/* Of one correlated series: the same of the means of 20 batches. */
aq_estimate aq_estimate_batches(const double *values, size_t count);

/* How many values at the beginning to leave out: MSER-5 (White 1997), the cut
 * that minimises the standard error of the rest, in batches of 5, at most a
 * half. */
size_t aq_mser5(const double *values, size_t count);

#endif
