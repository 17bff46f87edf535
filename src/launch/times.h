/* SPDX-License-Identifier: MIT */
/* A summary of the times of a kernel's dispatches. */
#ifndef AQ_LAUNCH_TIMES_H
#define AQ_LAUNCH_TIMES_H

#include <stdbool.h>

#include "launch/launch.h"

enum { AQ_LAUNCH_SPANS = 3 };

typedef struct aq_launch_span {
  const char *text, *key;      /* "submit-start", "latency"; static */
  aq_time median, least, most; /* AQ_TIME_NONE: not known of all dispatches */
} aq_launch_span;

/* The spans from submission to start, to end and to observation of `count`
 * dispatches, at least one. False when out of memory. */
bool aq_launch_spans_find(const aq_launch_times *times, uint32_t count,
                          aq_launch_span out[AQ_LAUNCH_SPANS]);

#endif
