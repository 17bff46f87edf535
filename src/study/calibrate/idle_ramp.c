/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/calibrate/idle_ramp.h"

#include <math.h>
#include <stdlib.h>

#include "report/stats/quantile.h"

enum {
  GROUPS = 8,
  GROUP_LEAST = 5, /* launches of a group */
  SPAN_LEAST = 2,  /* doublings between the first and last group */
};

/* The middle of a group of launches. */
typedef struct ramp_point {
  double doublings, latency; /* of the idle time; ps */
} ramp_point;

static ramp_point group_point(const aq_calibrate_pair *at, size_t count,
                              aq_time from, aq_time *scratch)
{
  for (size_t i = 0; i < count; i++)
    scratch[i] = at[i].value;
  const size_t middle = count / 2;
  return (ramp_point){log2((double)at[middle].key / (double)from),
                      (double)aq_median(scratch, count)};
}

static int time_compare(const void *a, const void *b)
{
  const aq_time x = *(const aq_time *)a, y = *(const aq_time *)b;
  return (x > y) - (x < y);
}

/* Theil's and Sen's estimate over the groups' middles: of all pairs of groups
 * the slope, of these the quantiles. One stray launch moves no middle. */
aq_calibrate_sample aq_calibrate_ramp(const aq_calibrate_pair *launches,
                                      size_t count, aq_time from,
                                      aq_time *scratch)
{
  ramp_point points[GROUPS];
  aq_time slopes[GROUPS * (GROUPS - 1) / 2] = {0};
  size_t first = 0, n = 0;
  while (first < count && launches[first].key <= from)
    first++;
  count -= first;
  const size_t fit = count / GROUP_LEAST;
  const size_t groups = fit < GROUPS ? fit : GROUPS;
  for (size_t i = 0; i < groups; i++) {
    const size_t at = i * count / groups;
    points[i] = group_point(launches + first + at,
                            (i + 1) * count / groups - at, from, scratch);
  }
  /* Over less, a slope says nothing of the whole ramp. */
  if (groups == 0 ||
      points[groups - 1].doublings - points[0].doublings < SPAN_LEAST)
    return (aq_calibrate_sample){.n = 0};
  for (size_t i = 0; i < groups; i++)
    for (size_t j = i + 1; j < groups; j++)
      if (points[j].doublings - points[i].doublings > 0.2)
        slopes[n++] =
            (aq_time)fmax(0, (points[j].latency - points[i].latency) /
                                 (points[j].doublings - points[i].doublings));
  if (n == 0)
    return (aq_calibrate_sample){.n = 0};
  qsort(slopes, n, sizeof *slopes, time_compare);
  return (aq_calibrate_sample){count,
                               slopes[0],
                               slopes[aq_quantile_index(n, 10)],
                               slopes[aq_quantile_index(n, 50)],
                               slopes[aq_quantile_index(n, 90)],
                               slopes[n - 1],
                               slopes[(n - 1) / 2]};
}
