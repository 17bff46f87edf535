/* SPDX-License-Identifier: MIT */
/* The parameter of a plan that a plot has as its horizontal axis. */
#ifndef AQ_STUDY_SWEEP_PLOT_AXIS_H
#define AQ_STUDY_SWEEP_PLOT_AXIS_H

#include "study/sweep/study.h"

typedef struct aq_plot_axis {
  char *name;
  bool time;      /* values are times, in microseconds */
  double *values; /* by row of the study */
  char **others;  /* the other parameters of each row */
  size_t count;
} aq_plot_axis;

/* The first parameter that is a number or a time in each row, and differs
 * between rows; rows of a client alone do not count. AQ_ERR_INVALID: there is
 * none. */
aq_status aq_plot_axis_find(const aq_study *study, aq_plot_axis *out,
                            aq_diag *diag);
void aq_plot_axis_fini(aq_plot_axis *axis);

#endif
