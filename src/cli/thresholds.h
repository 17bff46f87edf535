/* SPDX-License-Identifier: MIT */
/* --fail-above METRIC=VALUE: reading thresholds and judging figures by them. */
#ifndef AQ_CLI_THRESHOLDS_H
#define AQ_CLI_THRESHOLDS_H

#include <stddef.h>

#include "cli/cli.h"
#include "report/metrics.h"

typedef struct aq_cli_threshold {
  size_t metric; /* index */
  double limit;  /* in the metric's unit */
} aq_cli_threshold;

/* What figures are taken from: one of them. */
typedef struct aq_cli_figures {
  const aq_compare *compare; /* of a replay that is scored */
  const aq_diff *diff;       /* of two runs that were matched */
} aq_cli_figures;

/* False when no row has the figure. */
bool aq_cli_figure(const aq_cli_figures *figures, size_t metric, double *out);

/* All thresholds of the command line; the caller frees them. */
aq_status aq_cli_thresholds_read(aq_cli *cli, aq_cli_threshold **out,
                                 size_t *count);

/* AQ_ERR_DIFFERENT when a figure is above its limit (all that are, in one
 * line), AQ_ERR_INPUT when there is no such figure. */
aq_status aq_cli_thresholds_judge(aq_cli *cli, const aq_cli_threshold *limits,
                                  size_t count, const aq_cli_figures *figures);

#endif
