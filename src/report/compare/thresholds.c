/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/compare/thresholds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

static aq_status say_unknown_metric(const char *name, aq_diag *diag)
{
  size_t count = aq_metric_count();
  aq_metric *metrics = calloc(count, sizeof *metrics);
  const char **names = calloc(count + 1, sizeof *names);
  const char *near = NULL;
  if (metrics && names) {
    for (size_t i = 0; i < count; i++) {
      metrics[i] = aq_metric_at(i);
      names[i] = metrics[i].name;
    }
    near = aq_text_nearest(name, names);
  }
  aq_diag_set(diag, AQ_ERR_INVALID, "unknown metric '%s'; %s%s%s", name,
              near ? "did you mean " : "see the list of metrics",
              near ? near : "", near ? "?" : "");
  free(names);
  free(metrics);
  return AQ_ERR_INVALID;
}

/* The factor of a unit, 0 for one that the metric has not. */
static double unit_factor(aq_metric_unit unit, const char *suffix)
{
  if (!*suffix)
    return 1;
  if (unit == AQ_METRIC_FRACTION)
    return strcmp(suffix, "%") == 0 ? 0.01 : 0;
  if (unit != AQ_METRIC_NS)
    return 0;
  return strcmp(suffix, "ns") == 0   ? 1
         : strcmp(suffix, "us") == 0 ? 1e3
         : strcmp(suffix, "ms") == 0 ? 1e6
                                     : 0;
}

static aq_status read_threshold(const char *text, aq_threshold *out,
                                aq_diag *diag)
{
  char name[AQ_METRIC_NAME_MAX];
  const char *equals = strchr(text, '=');
  if (!equals)
    return aq_diag_set(diag, AQ_ERR_INVALID, "'%s': expected METRIC=VALUE",
                       text);
  snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
  int index = aq_metric_find(name);
  if (index < 0)
    return say_unknown_metric(name, diag);
  aq_metric metric = aq_metric_at((size_t)index);
  char *suffix;
  double value = strtod(equals + 1, &suffix);
  double factor = unit_factor(metric.unit, suffix);
  if (suffix == equals + 1 || factor == 0 || !isfinite(value) || value < 0)
    return aq_diag_set(diag, AQ_ERR_INVALID, "'%s' is not a value of %s (%s)",
                       equals + 1, name, aq_metric_unit_name(metric.unit));
  *out = (aq_threshold){(size_t)index, value * factor};
  return AQ_OK;
}

aq_status aq_thresholds_read(const char *const *texts, aq_threshold **out,
                             size_t *count, aq_diag *diag)
{
  aq_status status = AQ_OK;
  size_t n = 0;
  while (texts[n])
    n++;
  aq_threshold *limits = calloc(n + 1, sizeof *limits);
  if (!limits)
    return aq_diag_no_memory(diag);
  for (size_t i = 0; i < n && status == AQ_OK; i++)
    status = read_threshold(texts[i], &limits[i], diag);
  if (status != AQ_OK) {
    free(limits);
    return status;
  }
  *out = limits;
  *count = n;
  return AQ_OK;
}

bool aq_figures_get(const aq_figures *figures, size_t metric, double *out)
{
  if (figures->versions)
    return aq_metric_versions_value(metric, figures->versions, out);
  return figures->diff ? aq_metric_diff_value(metric, figures->diff, out)
                       : aq_metric_value(metric, figures->compare, out);
}

aq_status aq_thresholds_judge(const aq_threshold *limits, size_t count,
                              const aq_figures *figures, aq_diag *diag)
{
  aq_status status = AQ_OK;
  for (size_t i = 0; i < count; i++) {
    aq_metric metric = aq_metric_at(limits[i].metric);
    double value;
    if (!aq_figures_get(figures, limits[i].metric, &value))
      return aq_diag_set(diag, AQ_ERR_INPUT, "no row or interval gives %s",
                         metric.name);
    if (value <= limits[i].limit)
      continue;
    /* Adds one more figure to the line of figures above their limits. */
    const double limit = limits[i].limit;
    char before[AQ_DIAG_TEXT_MAX];
    bool first = diag->status != AQ_ERR_DIFFERENT;
    snprintf(before, sizeof before, "%s", first ? "" : diag->text);
    aq_diag_set(diag, AQ_ERR_DIFFERENT, "%s%s%s is %.9g %s, above %.9g", before,
                first ? "" : "; ", metric.name, value,
                aq_metric_unit_name(metric.unit), limit);
    status = AQ_ERR_DIFFERENT;
  }
  return status;
}
