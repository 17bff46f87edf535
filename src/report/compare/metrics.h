/* SPDX-License-Identifier: MIT */
/*
 * The names of the figures of a comparison, for thresholds and `list metrics`:
 *
 *   [CLASS.]QUANTITY.STATISTIC   end.median, queued.interval.p99
 *   makespan, makespan.relative, unscored
 *   api.slower, queue.slower, kernel.slower, unmatched (of matched runs)
 *
 * One table makes and finds them. Pure functions.
 */
#ifndef AQ_REPORT_COMPARE_METRICS_H
#define AQ_REPORT_COMPARE_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/export.h"
#include "report/compare/diff.h"
#include "report/stats/compare.h"

AQ_BEGIN_DECLS

enum { AQ_METRIC_NAME_MAX = 40 };

typedef enum aq_metric_unit {
  AQ_METRIC_NS,
  AQ_METRIC_FRACTION, /* shown and given in percent or as a fraction */
  AQ_METRIC_ROWS,
} aq_metric_unit;

typedef struct aq_metric {
  char name[AQ_METRIC_NAME_MAX];
  char meaning[160];
  aq_metric_unit unit;
} aq_metric;

/* How many metrics there are. */
AQ_API size_t aq_metric_count(void);

/* The metric at an index below aq_metric_count(). */
AQ_API aq_metric aq_metric_at(size_t index);

/* The index of a name, or -1. */
AQ_API int aq_metric_find(const char *name);

/* "ns" and so on; static. */
AQ_API const char *aq_metric_unit_name(aq_metric_unit unit);

/* The figure; false when no scored row has it. Signed figures (makespan)
 * are given as their size. */
AQ_API bool aq_metric_value(size_t index, const aq_compare *compare,
                            double *out);

/* The same of two matched runs; false for figures that only a scored replay
 * has. */
AQ_API bool aq_metric_diff_value(size_t index, const aq_diff *diff,
                                 double *out);

AQ_END_DECLS

#endif
