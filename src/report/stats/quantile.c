/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/quantile.h"

#include <stdlib.h>

static int order_uint64(const void *left, const void *right)
{
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return (a > b) - (a < b);
}

void aq_sort_uint64(uint64_t *values, size_t count)
{
  qsort(values, count, sizeof *values, order_uint64);
}

static int order_int64(const void *left, const void *right)
{
  int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return (a > b) - (a < b);
}

int64_t aq_median(int64_t *values, size_t count)
{
  if (count == 0)
    return INT64_MIN;
  qsort(values, count, sizeof *values, order_int64);
  int64_t high = values[count / 2], low = values[(count - 1) / 2];
  return low + (high - low) / 2;
}
