/* SPDX-License-Identifier: MIT */
/*
 * Scores predicted durations against pairs that were measured on two GPUs.
 * Reads lines "FAMILY-KERNEL<tab>FROM-us<tab>TO-us"; the arguments are the
 * peaks of both GPUs: matrix TFLOP/s, vector TFLOP/s, TB/s, twice. Prints a row
 * of a table for each family and one for all; with --intervals first, the row
 * of a table of their 90 % intervals. make score-transfer runs it.
 */
#include "config.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/fnv.h"
#include "predict/transfer.h"

enum { PAIRS_MAX = 4096, DRAWS = 2000 };

static struct pair {
  aq_family family;
  double off, ratio, roofline; /* errors, as parts of the measured one */
  double quotient, spread;
  double least, most, to, from; /* logarithms */
  int inside, cluster;
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

/* ---- intervals ---- */

/* Problems of a shape are no independent tests: of a product ("gemm TYPE M N
 * K") all M are one cluster, of others the kernel. */
static int cluster_of(const char *kernel)
{
  static uint64_t keys[PAIRS_MAX];
  static int clusters;
  char type[80], m[32];
  int shape = 0, at = 0;
  uint64_t key = AQ_FNV_START;
  if (sscanf(kernel, "gemm %79s %31s %n", type, m, &shape) >= 2 && shape > 0) {
    key = aq_fnv_add(key, type, strlen(type));
    kernel += shape;
  }
  key = aq_fnv_add(key, kernel, strlen(kernel));
  while (at < clusters && keys[at] != key)
    at++;
  if (at == clusters)
    keys[clusters++] = key;
  return at;
}

static int cluster_count(void)
{
  int most = -1;
  for (int i = 0; i < count; i++)
    most = pairs[i].cluster > most ? pairs[i].cluster : most;
  return most + 1;
}

/* Draws clusters with replacement; the 5 % and 95 % of the coverage. */
static void coverage_bootstrap(double out[2])
{
  static double drawn[DRAWS];
  static int inside[PAIRS_MAX], size[PAIRS_MAX];
  const int clusters = cluster_count();
  uint64_t state = 1;
  for (int i = 0; i < count; i++) {
    inside[pairs[i].cluster] += pairs[i].inside;
    size[pairs[i].cluster]++;
  }
  for (int d = 0; d < DRAWS; d++) {
    int in = 0, all = 0;
    for (int i = 0; i < clusters; i++) {
      state =
          state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      const int at = (int)((state >> 33) % (uint64_t)clusters);
      in += inside[at];
      all += size[at];
    }
    drawn[d] = (double)in / all;
  }
  qsort(drawn, DRAWS, sizeof *drawn, by_value);
  out[0] = drawn[DRAWS / 20];
  out[1] = drawn[DRAWS - DRAWS / 20 - 1];
}

/* Gneiting and Raftery's score of a 90 % interval, of logarithms. */
static double score(double least, double most, double measured)
{
  const double below = fmax(least - measured, 0),
               above = fmax(measured - most, 0);
  return most - least + 2 / 0.1 * (below + above);
}

static void intervals_print(const char *pair)
{
  double coverage[2], own = 0, naive = 0, quotients = 0;
  int n, inside = 0;
#define Q(field, q)                                                            \
  quantile(AQ_FAMILY_COUNT, offsetof(struct pair, field), q, &n)
  const double low = Q(to, 0.05), high = Q(to, 0.95);
  const double slow = log(Q(quotient, 0.05)), fast = log(Q(quotient, 0.95));
  for (int i = 0; i < count; i++) {
    const struct pair *p = &pairs[i];
    inside += p->inside;
    own += score(p->least, p->most, p->to) / count;
    naive += score(low, high, p->to) / count;
    quotients += score(p->from + slow, p->from + fast, p->to) / count;
  }
  coverage_bootstrap(coverage);
  printf("| %s | %d | %d | %.1f %% | %.1f to %.1f %% | %s | %.0f %% | %.2f | "
         "%.2f | %.2f |\n",
         pair, count, cluster_count(), 100.0 * inside / count,
         100 * coverage[0], 100 * coverage[1],
         coverage[0] <= 0.9 && coverage[1] >= 0.9 ? "yes" : "no",
         100 * Q(spread, 0.5), own, naive, quotients);
#undef Q
}

/* ---- reading ---- */

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
                                 .least = log(us[0]),
                                 .most = log(us[2]),
                                 .to = log(to_us),
                                 .from = log(from_us),
                                 .cluster = cluster_of(kernel),
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
  const int intervals = argc > 1 && strcmp(argv[1], "--intervals") == 0;
  argv += intervals;
  if (argc - intervals != 8)
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
  if (intervals && count > 0)
    intervals_print(argv[1]);
  floors_find(&from, &to);
  for (int f = 0; f <= AQ_FAMILY_COUNT && !intervals; f++)
    row_print(argv[1], (aq_family)f);
  return 0;
}
