/* SPDX-License-Identifier: MIT */
/*
 * Scores predicted durations against kernels that were measured on two GPUs.
 * Reads pairs of GPUs, "@NAME<tab>SPREAD" and the peaks of both, by tabs
 * (matrix TFLOP/s, vector TFLOP/s, TB/s, twice), each before its lines
 * "KERNEL<tab>FROM-us<tab>TO-us". Prints a row of a table for each pair and
 * family; with --intervals, a row for each pair's 90 % intervals. Pairs with
 * SPREAD 1 yield the spread within which products of other pairs are predicted,
 * never their own. make score-transfer runs it.
 */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/fnv.h"
#include "gpu/duration/cross_device.h"

enum { ROWS_MAX = 4096, PAIRS_MAX = 16, DRAWS = 2000 };

typedef struct row {
  aq_family family;
  double off, ratio, roofline; /* errors, as parts of the measured one */
  double quotient, width;
  double least, most, to, from; /* logarithms */
  double rest;                  /* measured over predicted, so too */
  aq_time measured;
  int inside, cluster;
} row;

static row rows[ROWS_MAX];

/* Two GPUs, and their rows. */
static struct pair {
  char name[96];
  bool spreads;
  aq_peaks from, to;
  int first, count, clusters;
} pairs[PAIRS_MAX];

static int pair_count;

static int by_value(const void *left, const void *right)
{
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

/* Quantile of a field of a family's rows; AQ_FAMILY_COUNT: of all. */
static double quantile(const struct pair *p, aq_family family, size_t field,
                       double q, int *of)
{
  static double values[ROWS_MAX];
  int n = 0;
  for (int i = p->first; i < p->first + p->count; i++)
    if (family == AQ_FAMILY_COUNT || rows[i].family == family)
      values[n++] = *(double *)((char *)&rows[i] + field);
  qsort(values, (size_t)n, sizeof *values, by_value);
  *of = n;
  return n ? values[(int)(q * (n - 1) + 0.5)] : NAN;
}

static void row_print(const struct pair *p, aq_family family)
{
  int n, inside = 0;
#define Q(field, q) 100 * quantile(p, family, offsetof(row, field), q, &n)
  const double median = Q(off, 0.5), p90 = Q(off, 0.9);
  if (n == 0)
    return;
  for (int i = p->first; i < p->first + p->count; i++)
    inside += (family == AQ_FAMILY_COUNT || rows[i].family == family) &&
              rows[i].inside;
  printf("| %s | %s | %d | %.1f %% | %.1f %% | %d of %d | %.0f %% | %.1f %% | "
         "%.1f %% | %.1f %% | %.1f %% |\n",
         p->name, family == AQ_FAMILY_COUNT ? "all" : aq_family_name(family), n,
         median, p90, inside, n, Q(width, 0.5), Q(ratio, 0.5), Q(ratio, 0.9),
         Q(roofline, 0.5), Q(roofline, 0.9));
#undef Q
}

/* ---- the spread of other pairs ---- */

typedef struct weighed {
  double value, weight;
} weighed;

/* The 5 % and 95 % quantiles of the errors of all pairs but one; each pair has
 * one weight. */
static aq_transfer_spread spread_find(const struct pair *without)
{
  static weighed found[ROWS_MAX];
  aq_transfer_spread out = {0, 0};
  double all = 0, sum = 0;
  int n = 0;
  for (const struct pair *p = pairs; p < pairs + pair_count; p++) {
    if (!p->spreads || p == without || p->count == 0)
      continue;
    for (int i = p->first; i < p->first + p->count; i++)
      found[n++] = (weighed){rows[i].rest, 1.0 / p->count};
    all++;
  }
  qsort(found, (size_t)n, sizeof *found, by_value);
  for (int i = 0; i < n; i++) {
    sum += found[i].weight / all;
    if (out.least == 0 && sum >= 0.05)
      out.least = exp(found[i].value);
    if (out.most == 0 && sum >= 0.95)
      out.most = exp(found[i].value);
  }
  return out;
}

/* ---- intervals ---- */

/* Problems of a shape are no independent tests: of a product ("gemm TYPE M N
 * K") all M are one cluster, of others the kernel. */
static int cluster_of(struct pair *p, const char *kernel)
{
  static uint64_t keys[ROWS_MAX];
  char type[80], m[32];
  int shape = 0, at = 0;
  uint64_t key = AQ_FNV_START;
  if (sscanf(kernel, "gemm %79s %31s %n", type, m, &shape) >= 2 && shape > 0) {
    key = aq_fnv_add(key, type, strlen(type));
    kernel += shape;
  }
  key = aq_fnv_add(key, kernel, strlen(kernel));
  while (at < p->clusters && keys[at] != key)
    at++;
  if (at == p->clusters)
    keys[p->clusters++] = key;
  return at;
}

/* Draws clusters with replacement; the 5 % and 95 % of the coverage. */
static void coverage_bootstrap(const struct pair *p, double out[2])
{
  static double drawn[DRAWS];
  int inside[ROWS_MAX] = {0}, size[ROWS_MAX] = {0};
  uint64_t state = 1;
  for (int i = p->first; i < p->first + p->count; i++) {
    inside[rows[i].cluster] += rows[i].inside;
    size[rows[i].cluster]++;
  }
  for (int d = 0; d < DRAWS; d++) {
    int in = 0, all = 0;
    for (int i = 0; i < p->clusters; i++) {
      state =
          state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      const int at = (int)((state >> 33) % (uint64_t)p->clusters);
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

static void intervals_print(const struct pair *p)
{
  double coverage[2], own = 0, naive = 0, quotients = 0;
  int n, inside = 0;
#define Q(field, q) quantile(p, AQ_FAMILY_COUNT, offsetof(row, field), q, &n)
  const double low = Q(to, 0.05), high = Q(to, 0.95);
  const double slow = log(Q(quotient, 0.05)), fast = log(Q(quotient, 0.95));
  for (int i = p->first; i < p->first + p->count; i++) {
    const row *r = &rows[i];
    inside += r->inside;
    own += score(r->least, r->most, r->to) / p->count;
    naive += score(low, high, r->to) / p->count;
    quotients += score(r->from + slow, r->from + fast, r->to) / p->count;
  }
  coverage_bootstrap(p, coverage);
  printf("| %s | %d | %d | %.1f %% | %.1f to %.1f %% | %s | %.0f %% | %.2f | "
         "%.2f | %.2f |\n",
         p->name, p->count, p->clusters, 100.0 * inside / p->count,
         100 * coverage[0], 100 * coverage[1],
         coverage[0] <= 0.9 && coverage[1] >= 0.9 ? "yes" : "no",
         100 * Q(width, 0.5), own, naive, quotients);
#undef Q
}

/* ---- reading ---- */

/* "@NAME<tab>SPREAD" and six numbers. */
static bool pair_begin(const char *line, int row_count)
{
  struct pair *p = &pairs[pair_count];
  double n[6];
  int spreads;
  if (pair_count == PAIRS_MAX ||
      sscanf(line, "@%95[^\t]\t%d\t%lf\t%lf\t%lf\t%lf\t%lf\t%lf", p->name,
             &spreads, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5]) != 8)
    return false;
  p->spreads = spreads;
  p->from = (aq_peaks){n[0] * 1e12, n[1] * 1e12, n[2] * 1e12};
  p->to = (aq_peaks){n[3] * 1e12, n[4] * 1e12, n[5] * 1e12};
  p->first = row_count;
  pair_count++;
  return true;
}

static double us_of(const struct pair *p, const row *r,
                    const aq_transfer_spread *spread, aq_end end)
{
  return (double)aq_transfer_within(r->family, r->measured, &p->from, &p->to,
                                    spread, end) /
         AQ_US;
}

/* "KERNEL<tab>FROM-us<tab>TO-us", of the last pair. */
static bool row_read(char *line)
{
  char *first = strchr(line, '\t');
  char *second = first ? strchr(first + 1, '\t') : NULL;
  if (!second || pair_count == 0)
    return false;
  struct pair *p = &pairs[pair_count - 1];
  row *r = &rows[p->first + p->count];
  *first = 0;
  const double from_us = atof(first + 1), to_us = atof(second + 1);
  *r = (row){.family = aq_family_find(line),
             .measured = (aq_time)(from_us * AQ_US),
             .quotient = to_us / from_us,
             .roofline = from_us,
             .ratio = to_us,
             .to = log(to_us),
             .from = log(from_us),
             .cluster = cluster_of(p, line)};
  const double middle = us_of(p, r, &aq_transfer_tuned, AQ_END_MIDDLE);
  r->off = fabs(middle / to_us - 1);
  r->rest = log(to_us / middle);
  p->count++;
  return true;
}

static void pair_predict(struct pair *p)
{
  const aq_transfer_spread spread = spread_find(p);
  for (int i = p->first; i < p->first + p->count; i++) {
    row *r = &rows[i];
    const double least = us_of(p, r, &spread, AQ_END_LEAST),
                 most = us_of(p, r, &spread, AQ_END_MOST), to = exp(r->to);
    r->width = (most - least) / us_of(p, r, &spread, AQ_END_MIDDLE);
    r->least = log(least);
    r->most = log(most);
    r->inside = least <= to && to <= most;
  }
}

/* The trivial predictions: one quotient for all, and the quotient of the
 * memory's or the matrices' peaks. */
static void floors_find(const struct pair *p)
{
  int n;
  const double all =
      quantile(p, AQ_FAMILY_COUNT, offsetof(row, quotient), 0.5, &n);
  for (int i = p->first; i < p->first + p->count; i++) {
    const double from_us = rows[i].roofline, to_us = rows[i].ratio;
    const int matrices = rows[i].family == AQ_FAMILY_GEMM ||
                         rows[i].family == AQ_FAMILY_ATTENTION;
    const double peak = matrices ? p->from.matrix / p->to.matrix
                                 : p->from.memory / p->to.memory;
    rows[i].ratio = fabs(from_us * all / to_us - 1);
    rows[i].roofline = fabs(from_us * peak / to_us - 1);
  }
}

int main(int argc, char **argv)
{
  static char line[8192];
  const bool intervals = argc > 1 && strcmp(argv[1], "--intervals") == 0;
  int row_count = 0;
  while (fgets(line, sizeof line, stdin)) {
    if (row_count == ROWS_MAX)
      return 2;
    const bool begins = *line == '@';
    if (!(begins ? pair_begin(line, row_count) : row_read(line)))
      return 2;
    row_count += !begins;
  }
  for (struct pair *p = pairs; p < pairs + pair_count; p++) {
    if (p->count == 0)
      return 2;
    pair_predict(p);
    if (intervals)
      intervals_print(p);
    floors_find(p);
    for (int f = 0; f <= AQ_FAMILY_COUNT && !intervals; f++)
      row_print(p, (aq_family)f);
  }
  const aq_transfer_spread all = spread_find(NULL);
  fprintf(stderr, "spread of all pairs: %.2f to %.2f; in force: %.2f to %.2f\n",
          all.least, all.most, aq_transfer_tuned.least, aq_transfer_tuned.most);
  return 0;
}
