/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/compare/metrics.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "report/compare/thresholds.h"

static const struct {
  const char *name, *meaning;
  size_t offset; /* in aq_compare_stat */
} statistics[] = {
    {"median", "median", offsetof(aq_compare_stat, median)},
    {"p90", "90 % quantile", offsetof(aq_compare_stat, p90)},
    {"p99", "99 % quantile", offsetof(aq_compare_stat, p99)},
    {"mean", "mean", offsetof(aq_compare_stat, mean)},
};

enum {
  STATISTICS = sizeof statistics / sizeof *statistics,
  GRID = AQ_CLASS_COUNT * AQ_QUANTITY_COUNT * STATISTICS,
};

static bool makespan_value(const aq_compare *c, double *out)
{
  aq_time error = c->makespan[AQ_PREDICTOR_RUN] - c->makespan_reference;
  *out = fabs((double)error) / (double)AQ_NS;
  return true;
}

static bool makespan_relative_value(const aq_compare *c, double *out)
{
  if (c->makespan_reference <= 0)
    return false;
  double error =
      (double)(c->makespan[AQ_PREDICTOR_RUN] - c->makespan_reference);
  *out = fabs(error) / (double)c->makespan_reference;
  return true;
}

static bool unscored_value(const aq_compare *c, double *out)
{
  *out = (double)(c->rows - c->scored);
  return true;
}

static bool diff_makespan(const aq_diff *d, double *out)
{
  *out = fabs((double)(d->b_makespan - d->a_makespan)) / (double)AQ_NS;
  return true;
}

static bool diff_makespan_relative(const aq_diff *d, double *out)
{
  if (d->a_makespan <= 0)
    return false;
  *out = fabs((double)(d->b_makespan - d->a_makespan)) / (double)d->a_makespan;
  return true;
}

/* How much longer a part of T takes; 0 where it takes less. */
static bool slower(const aq_diff *d, aq_diff_part part, double *out)
{
  const aq_diff_figure *f = &d->parts[part];
  if (f->pairs == 0 || f->a <= 0)
    return false;
  *out = fmax(0, f->delta / f->a);
  return true;
}

static bool api_slower(const aq_diff *d, double *out)
{
  return slower(d, AQ_DIFF_API, out);
}

static bool queue_slower(const aq_diff *d, double *out)
{
  return slower(d, AQ_DIFF_QUEUE, out);
}

static bool kernel_slower(const aq_diff *d, double *out)
{
  return slower(d, AQ_DIFF_KERNEL, out);
}

static bool unmatched(const aq_diff *d, double *out)
{
  *out = (double)(d->a_calls + d->b_calls - 2 * d->pairs);
  return true;
}

/* By how much a figure of two versions certainly grew: the lower end of its
 * interval, 0 where the interval holds 0. */
static bool versions_growth(const aq_versions_figure *f, double *out)
{
  *out = fmax(0, f->low);
  return !isnan(f->low);
}

static bool versions_makespan(const aq_versions *v, double *out)
{
  const bool known = versions_growth(&v->makespan, out);
  *out *= v->makespan.before;
  return known;
}

static bool versions_makespan_relative(const aq_versions *v, double *out)
{
  return versions_growth(&v->makespan, out);
}

static bool versions_kernel(const aq_versions *v, double *out)
{
  return versions_growth(&v->kernel, out);
}

/* The figures of a scored replay, of two matched runs, and of two versions. */
static const struct {
  const char *name, *meaning;
  aq_metric_unit unit;
  bool (*value)(const aq_compare *compare, double *out);
  bool (*diff)(const aq_diff *diff, double *out);
  bool (*versions)(const aq_versions *versions, double *out);
} singles[] = {
    {"makespan", "size of the error of first start to last end", AQ_METRIC_NS,
     makespan_value, diff_makespan, versions_makespan},
    {"makespan.relative", "the same as a part of the measured makespan",
     AQ_METRIC_FRACTION, makespan_relative_value, diff_makespan_relative,
     versions_makespan_relative},
    {"unscored", "rows of the reference that are not scored", AQ_METRIC_ROWS,
     unscored_value, NULL, NULL},
    {"api.slower", "matched runs: by how much the mean host call is longer",
     AQ_METRIC_FRACTION, NULL, api_slower, NULL},
    {"queue.slower",
     "matched runs: by how much the mean submission to start is longer",
     AQ_METRIC_FRACTION, NULL, queue_slower, NULL},
    {"kernel.slower",
     "matched runs: by how much the mean duration is longer; versions: the "
     "sum of durations",
     AQ_METRIC_FRACTION, NULL, kernel_slower, versions_kernel},
    {"unmatched", "matched runs: dispatches that only one of them has",
     AQ_METRIC_ROWS, NULL, unmatched, NULL},
};

enum { SINGLES = sizeof singles / sizeof *singles };

size_t aq_metric_count(void)
{
  return GRID + SINGLES;
}

static aq_metric grid_metric(size_t index)
{
  size_t statistic = index % STATISTICS;
  size_t quantity = index / STATISTICS % AQ_QUANTITY_COUNT;
  size_t class = index / STATISTICS / AQ_QUANTITY_COUNT;
  bool all = class == AQ_CLASS_ALL;
  aq_metric metric = {.unit = AQ_METRIC_NS};
  snprintf(metric.name, sizeof metric.name, "%s%s%s.%s",
           all ? "" : aq_compare_classes[class].name, all ? "" : ".",
           aq_compare_quantities[quantity].name, statistics[statistic].name);
  snprintf(metric.meaning, sizeof metric.meaning, "%s of %s; %s",
           statistics[statistic].meaning,
           aq_compare_quantities[quantity].meaning,
           aq_compare_classes[class].meaning);
  return metric;
}

aq_metric aq_metric_at(size_t index)
{
  if (index < GRID)
    return grid_metric(index);
  index -= GRID;
  aq_metric metric = {.unit = singles[index].unit};
  snprintf(metric.name, sizeof metric.name, "%s", singles[index].name);
  snprintf(metric.meaning, sizeof metric.meaning, "%s", singles[index].meaning);
  return metric;
}

int aq_metric_find(const char *name)
{
  for (size_t i = 0; i < GRID + SINGLES; i++) {
    aq_metric metric = aq_metric_at(i);
    if (strcmp(metric.name, name) == 0)
      return (int)i;
  }
  return -1;
}

const char *aq_metric_unit_name(aq_metric_unit unit)
{
  static const char *const names[] = {[AQ_METRIC_NS] = "ns",
                                      [AQ_METRIC_FRACTION] = "fraction",
                                      [AQ_METRIC_ROWS] = "rows"};
  return names[unit];
}

bool aq_metric_value(size_t index, const aq_compare *compare, double *out)
{
  if (index >= GRID)
    return singles[index - GRID].value &&
           singles[index - GRID].value(compare, out);
  size_t quantity = index / STATISTICS % AQ_QUANTITY_COUNT;
  size_t class = index / STATISTICS / AQ_QUANTITY_COUNT;
  const aq_compare_stat *stat =
      &compare->stats[AQ_PREDICTOR_RUN][quantity][class];
  if (stat->count == 0)
    return false;
  const char *bytes = (const char *)stat;
  memcpy(out, bytes + statistics[index % STATISTICS].offset, sizeof *out);
  return true;
}

bool aq_metric_diff_value(size_t index, const aq_diff *diff, double *out)
{
  return index >= GRID && singles[index - GRID].diff &&
         singles[index - GRID].diff(diff, out);
}

bool aq_metric_versions_value(size_t index, const aq_versions *versions,
                              double *out)
{
  return index >= GRID && singles[index - GRID].versions &&
         singles[index - GRID].versions(versions, out);
}
