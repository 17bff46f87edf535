/* SPDX-License-Identifier: MIT */
/*
 * Quantiles, defined once: of n values in rising order x[0] … x[n-1], the
 * quantile p is x[floor(p n)], an observed value and never an interpolated
 * one. Pure functions; arrays are sorted in place.
 */
#ifndef AQ_REPORT_STATS_QUANTILE_H
#define AQ_REPORT_STATS_QUANTILE_H

#include <stddef.h>
#include <stdint.h>

/* The index of a quantile given in percent, of count > 0 values. */
static inline size_t aq_quantile_index(size_t count, unsigned percent)
{
  size_t whole = count / 100 * percent + count % 100 * percent / 100;
  return whole < count ? whole : count - 1;
}

void aq_sort_uint64(uint64_t *values, size_t count);

/* The middle value, the mean of the two middle ones where there are two
 * (rounded towards zero); INT64_MIN when there is none. */
int64_t aq_median(int64_t *values, size_t count);

#endif
