/* SPDX-License-Identifier: MIT */
/*
 * Time: integer picoseconds everywhere, so that runs are exact and repeatable.
 *
 * An aq_time is a signed count of picoseconds from the origin of a run; 64 bits
 * hold 106 days either way. Sources with an absolute clock (nanoseconds since
 * boot or since 1970) are rebased: the run keeps the origin in nanoseconds.
 */
#ifndef AQ_COMMON_TIME_H
#define AQ_COMMON_TIME_H

#include <stdint.h>

#include "export.h"

AQ_BEGIN_DECLS

typedef int64_t aq_time; /* ps */

#define AQ_TIME_NONE INT64_MIN /* not known, NULL in the store */
#define AQ_TIME_MAX  INT64_MAX /* later than everything: no deadline */

#define AQ_PS INT64_C(1)
#define AQ_NS INT64_C(1000)
#define AQ_US INT64_C(1000000)
#define AQ_MS INT64_C(1000000000)
#define AQ_S  INT64_C(1000000000000)

/* a + b, with AQ_TIME_MAX staying where it is (a deadline that never comes) and
 * a sum beyond the range ending there. b >= 0. */
static inline aq_time aq_time_add(aq_time a, aq_time b)
{
  return a > AQ_TIME_MAX - b ? AQ_TIME_MAX : a + b;
}

static inline aq_time aq_time_max(aq_time a, aq_time b)
{
  return a > b ? a : b;
}

static inline aq_time aq_time_min(aq_time a, aq_time b)
{
  return a < b ? a : b;
}

/* Of a time beyond `from`: `each` for every doubling of `from`, and between two
 * doublings in proportion. 0 where `from` is not positive. */
static inline aq_time aq_time_ramp(aq_time time, aq_time from, aq_time each)
{
  aq_time sum = 0;
  if (from <= 0 || each == 0 || time <= from)
    return 0;
  for (; from <= time / 2; from *= 2)
    sum += each;
  return sum + (aq_time)((double)each * ((double)(time - from) / (double)from));
}

AQ_END_DECLS

#endif
