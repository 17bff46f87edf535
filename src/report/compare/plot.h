/* SPDX-License-Identifier: MIT */
/*
 * Plots as SVG, legible on light and dark grounds alike. The bytes depend on
 * the values alone.
 */
#ifndef AQ_REPORT_COMPARE_PLOT_H
#define AQ_REPORT_COMPARE_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct aq_plot_series {
  const char *label;
  const double *x, *y;
  const double *half; /* of lines: half of the interval around y; or NULL */
  size_t count;
  /* 0: colours and then breaks of lines by its place; else one more than the
   * place whose look it has. */
  size_t look;
} aq_plot_series;

enum { AQ_PLOT_COLOURS = 8, AQ_PLOT_BREAKS = 4 };

typedef enum aq_plot_form {
  AQ_PLOT_STAIRS, /* each y holds from its x on */
  AQ_PLOT_POINTS,
  AQ_PLOT_LINES, /* from point to point, in bands where there are intervals */
} aq_plot_form;

/* Values of an axis of time are microseconds; it is shown in the unit that its
 * largest value asks for. */
typedef struct aq_plot {
  const char *title, *x_label, *y_label;
  bool x_time, y_time;
  bool log_x, log_y; /* where it spans more than a decade */
  aq_plot_form form;
  const aq_plot_series *series;
  size_t count;
} aq_plot;

/* False: the stream failed. */
bool aq_plot_print(const aq_plot *plot, FILE *out);

/* Points on named lanes: the y of a point is its lane, from 0 at the top.
 * Series lie apart in a lane, so none hides another. The form and the y axis do
 * not count. */
bool aq_lanes_print(const aq_plot *plot, const char *const *lanes,
                    size_t lane_count, FILE *out);

typedef struct aq_gantt_bar {
  size_t lane;
  double begin, end;
  const char *label;
} aq_gantt_bar;

/* Bars on lanes over time, in microseconds; labels of bars may be NULL. */
bool aq_gantt_print(const char *title, const char *const *lanes,
                    size_t lane_count, const aq_gantt_bar *bars, size_t count,
                    FILE *out);

#endif
