/* SPDX-License-Identifier: MIT */
/* Plots of studies: cdf, gantt, lines and pareto, as SVG. */
#ifndef AQ_STUDY_SWEEP_PLOT_H
#define AQ_STUDY_SWEEP_PLOT_H

#include <stdio.h>

#include "study/sweep/study.h"

/* `metrics`: the axes of pareto; the first is the figure of lines. The study
 * keeps responses. */
aq_status aq_study_plot(const aq_study *study, aq_store *store,
                        const char *kind, const int metrics[2], FILE *out,
                        aq_diag *diag);

#endif
