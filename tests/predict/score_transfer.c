/* SPDX-License-Identifier: MIT */
/*
 * Scores predicted durations against pairs that were measured on two GPUs.
 * Reads lines "FAMILY-KERNEL<tab>FROM-us<tab>TO-us"; the arguments are the
 * peaks of both GPUs: matrix TFLOP/s, vector TFLOP/s, TB/s, twice. Prints a row
 * of a table for each family and one for all. make score-transfer runs it.
 */
#include "config.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "predict/transfer.h"

enum { PAIRS_MAX = 4096 };

static struct pair {
  aq_family family;
  double off, ratio, roofline; /* errors, as parts of the measured one */
  double quotient, spread;
  int inside;
} pairs[PAIRS_MAX];

static int count;

static int by_value(const void *left, const void *right)
{
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

/* Quantile of a field of the pairs of a family; AQ_FAMILY_COUNT: of all. */
static double quantile(aq_family family, size_t field, double q, int *of)
{
  static double values[PAIRS_MAX];
  int n = 0;
  for (int i = 0; i < count; i++)
    if (family == AQ_FAMILY_COUNT || pairs[i].family == family)
      values[n++] = *(double *)((char *)&pairs[i] + field);
  qsort(values, (size_t)n, sizeof *values, by_value);
  *of = n;
  return n ? values[(int)(q * (n - 1) + 0.5)] : NAN;
}

static void row_print(const char *pair, aq_family family)
{
  int n, inside = 0;
#define Q(field, q) 100 * quantile(family, offsetof(struct pair, field), q, &n)
  const double median = Q(off, 0.5), p90 = Q(off, 0.9);
  if (n == 0)
    return;
  for (int i = 0; i < count; i++)
    inside += (family == AQ_FAMILY_COUNT || pairs[i].family == family) &&
              pairs[i].inside;
  printf("| %s | %s | %d | %.1f %% | %.1f %% | %d of %d | %.0f %% | %.1f %% | "
         "%.1f %% | %.1f %% | %.1f %% |\n",
         pair, family == AQ_FAMILY_COUNT ? "all" : aq_family_name(family), n,
         median, p90, inside, n, Q(spread, 0.5), Q(ratio, 0.5), Q(ratio, 0.9),
         Q(roofline, 0.5), Q(roofline, 0.9));
#undef Q
}

static aq_peaks peaks_read(char **argv)
{
  return (aq_peaks){atof(argv[0]) * 1e12, atof(argv[1]) * 1e12,
                    atof(argv[2]) * 1e12};
}

static void pair_add(const char *kernel, double from_us, double to_us,
                     const aq_peaks *from, const aq_peaks *to)
{
  const aq_time measured = (aq_time)(from_us * AQ_US);
  double us[3];
  for (int end = -1; end <= 1; end++)
    us[end + 1] = (double)aq_transfer(aq_family_find(kernel), measured, from,
                                      to, (aq_end)end) /
                  AQ_US;
  pairs[count++] = (struct pair){.family = aq_family_find(kernel),
                                 .off = fabs(us[1] / to_us - 1),
                                 .quotient = to_us / from_us,
                                 .roofline = from_us,
                                 .ratio = to_us,
                                 .spread = (us[2] - us[0]) / us[1],
                                 .inside = us[0] <= to_us && to_us <= us[2]};
}

/* The trivial predictions: one quotient for all, and the quotient of the
 * memory's or the matrices' peaks. */
static void floors_find(const aq_peaks *from, const aq_peaks *to)
{
  int n;
  const double all =
      quantile(AQ_FAMILY_COUNT, offsetof(struct pair, quotient), 0.5, &n);
  for (int i = 0; i < count; i++) {
    const double from_us = pairs[i].roofline, to_us = pairs[i].ratio;
    const int matrices = pairs[i].family == AQ_FAMILY_GEMM ||
                         pairs[i].family == AQ_FAMILY_ATTENTION;
    const double peak =
        matrices ? from->matrix / to->matrix : from->memory / to->memory;
    pairs[i].ratio = fabs(from_us * all / to_us - 1);
    pairs[i].roofline = fabs(from_us * peak / to_us - 1);
  }
}

int main(int argc, char **argv)
{
  static char line[8192];
  if (argc != 8)
    return 2;
  const aq_peaks from = peaks_read(argv + 2), to = peaks_read(argv + 5);
  while (fgets(line, sizeof line, stdin) && count < PAIRS_MAX) {
    char *first = strchr(line, '\t');
    char *second = first ? strchr(first + 1, '\t') : NULL;
    if (!second)
      return 2;
    *first = 0;
    pair_add(line, atof(first + 1), atof(second + 1), &from, &to);
  }
  floors_find(&from, &to);
  for (int f = 0; f <= AQ_FAMILY_COUNT; f++)
    row_print(argv[1], (aq_family)f);
  return 0;
}
