/* SPDX-License-Identifier: MIT */
/* A summary of the times of a kernel's dispatches. */
#ifndef AQ_STUDY_LAUNCH_TIMES_H
#define AQ_STUDY_LAUNCH_TIMES_H

#include <stdbool.h>
#include <stdio.h>

#include "common/json_out.h"
#include "study/launch/launch.h"

enum { AQ_LAUNCH_SPANS = 3 };

typedef struct aq_launch_span {
  const char *text, *key;      /* "submit-start", "latency"; static */
  aq_time median, least, most; /* AQ_TIME_NONE: not known of all dispatches */
} aq_launch_span;

/* The spans from submission to start, to end and to observation of `count`
 * dispatches, at least one. False when out of memory. */
bool aq_launch_spans_find(const aq_launch_times *times, uint32_t count,
                          aq_launch_span out[AQ_LAUNCH_SPANS]);

/* Prints a span of `count` dispatches on a line, or as members of a document.
 */
void aq_launch_span_print(const aq_launch_span *span, uint32_t count,
                          FILE *out);
void aq_launch_span_json(const aq_launch_span *span, uint32_t count,
                         aq_json_out *json);

#endif
