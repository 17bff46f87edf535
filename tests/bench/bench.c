/* SPDX-License-Identifier: MIT */
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS_MAX = 99 };

double aqbench_now(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int double_order(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, int count)
{
  qsort(values, (size_t)count, sizeof *values, double_order);
  return values[count / 2];
}

void aqbench_compare(const char *bench, const char *unit, int rounds,
                     aqbench_measure *floor, aqbench_measure *subject,
                     void *context)
{
  double floors[ROUNDS_MAX], values[ROUNDS_MAX];
  if (rounds > ROUNDS_MAX)
    rounds = ROUNDS_MAX;
  for (int i = 0; i < rounds; i++) {
    if (floor)
      floors[i] = floor(context);
    values[i] = subject(context);
  }
  double value = median(values, rounds);
  printf("{\"bench\":\"%s\",\"value\":%.6g,\"unit\":\"%s\",", bench, value,
         unit);
  if (floor) {
    double base = median(floors, rounds);
    printf("\"floor\":%.6g,\"ratio\":%.4g}\n", base, value / base);
  } else {
    printf("\"floor\":null,\"ratio\":null}\n");
  }
  fflush(stdout);
}
