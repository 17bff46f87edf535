/* SPDX-License-Identifier: MIT */
/*
 * Thresholds METRIC=VALUE: reading them, and judging the figures of a
 * comparison by them. Pure functions but for the allocation of the list.
 */
#ifndef AQ_REPORT_COMPARE_THRESHOLDS_H
#define AQ_REPORT_COMPARE_THRESHOLDS_H

#include "common/diag.h"
#include "report/compare/ab_compare.h"
#include "report/compare/metrics.h"

typedef struct aq_threshold {
  size_t metric; /* index */
  double limit;  /* in the metric's unit */
} aq_threshold;

/* Figures come from one of the three. */
typedef struct aq_figures {
  const aq_compare *compare;   /* of a replay that is scored */
  const aq_diff *diff;         /* of two runs that were matched */
  const aq_versions *versions; /* of repeated runs of two versions */
} aq_figures;

/* A metric of two versions: by how much the figure grew at least, by its
 * interval. False for metrics that versions lack, and where no interval is
 * known. */
bool aq_metric_versions_value(size_t index, const aq_versions *versions,
                              double *out);

/* False when no row has the figure. */
bool aq_figures_get(const aq_figures *figures, size_t metric, double *out);

/* Reads all texts of a NULL-terminated list. The caller frees `*out` with
 * free(). AQ_ERR_INVALID names the text, with the nearest metric. */
aq_status aq_thresholds_read(const char *const *texts, aq_threshold **out,
                             size_t *count, aq_diag *diag);

/* AQ_ERR_DIFFERENT when figures are above their limits (one line lists all of
 * them), AQ_ERR_INPUT when no row has a figure. */
aq_status aq_thresholds_judge(const aq_threshold *limits, size_t count,
                              const aq_figures *figures, aq_diag *diag);

#endif
