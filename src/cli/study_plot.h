/* SPDX-License-Identifier: MIT */
/* The plots of `study`: cdf, gantt and pareto. */
#ifndef AQ_CLI_STUDY_PLOT_H
#define AQ_CLI_STUDY_PLOT_H

#include "cli/cli.h"
#include "study/study.h"

/* `metrics`: the axes of pareto. The study keeps responses. */
aq_status aq_cli_study_plot(aq_cli *cli, aq_store *store, const aq_study *study,
                            const char *kind, const int metrics[2]);

#endif
