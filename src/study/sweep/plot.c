/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/sweep/plot.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare/plot.h"
#include "study/sweep/plot_axis.h"
#include "study/sweep/plot_labels.h"

enum { SERIES_MAX = 64, STEPS = 1000, BARS_MAX = 20000, LANES_MAX = 64 };

typedef struct drawing {
  const aq_study *study;
  aq_plot_series series[SERIES_MAX];
  char *labels[SERIES_MAX];
  double *values[SERIES_MAX]; /* x, then y, then half of intervals */
  const aq_study_row *rows[SERIES_MAX];
  size_t count;
} drawing;

static void drawing_fini(drawing *d)
{
  for (size_t i = 0; i < d->count; i++) {
    free(d->labels[i]);
    free(d->values[i]);
  }
}

/* Of `count` values of x, as many of y; of lines as many intervals. */
static bool series_add(drawing *d, const aq_study_row *row, double *values,
                       size_t count, bool intervals)
{
  char *label = aq_plot_labels(d->study, row, false, AQ_ROW_PARTS);
  if (!label) {
    free(values);
    return false;
  }
  d->labels[d->count] = label;
  d->rows[d->count] = row;
  d->values[d->count] = values;
  d->series[d->count++] = (aq_plot_series){
      label, values, values + count, intervals ? values + 2 * count : NULL,
      count, 0};
  return true;
}

/* The place of a text among those met before, which it joins; SIZE_MAX: they
 * are too many. */
static size_t place_of(const char *text, const char **met, size_t *count,
                       size_t most)
{
  for (size_t i = 0; i < *count; i++)
    if (strcmp(met[i], text) == 0)
      return i;
  if (*count == most)
    return SIZE_MAX;
  met[*count] = text;
  return (*count)++;
}

/* A policy has its colour, whatever the rest, which breaks its lines; where
 * there are too many of either, series look as their places do. */
static bool looks_set(drawing *d)
{
  const char *policies[AQ_PLOT_COLOURS], *rests[AQ_PLOT_BREAKS];
  char *words[SERIES_MAX] = {NULL};
  size_t looks[SERIES_MAX], policy_count = 0, rest_count = 0;
  bool good = true, fits = true;
  for (size_t i = 0; i < d->count && good && fits; i++) {
    words[i] = aq_plot_labels(d->study, d->rows[i], false, AQ_ROW_POLICY);
    good = words[i] != NULL;
    const size_t policy =
        place_of(d->rows[i]->policy, policies, &policy_count, AQ_PLOT_COLOURS);
    const size_t rest =
        good ? place_of(words[i], rests, &rest_count, AQ_PLOT_BREAKS)
             : SIZE_MAX;
    fits = policy != SIZE_MAX && rest != SIZE_MAX;
    looks[i] = 1 + policy + AQ_PLOT_COLOURS * rest;
  }
  for (size_t i = 0; i < d->count; i++) {
    if (good && fits && policy_count > 1)
      d->series[i].look = looks[i];
    free(words[i]);
  }
  return good;
}

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Responses of all seeds together; at most so many steps. */
static bool cdf_add(drawing *d, const aq_study_row *row)
{
  size_t all = 0, at = 0;
  for (size_t i = 0; i < row->count; i++)
    all += row->replicas[i].response_count;
  if (all == 0)
    return true;
  double *sorted = malloc(all * sizeof *sorted);
  const size_t steps = all < STEPS ? all : STEPS;
  double *values = malloc(2 * steps * sizeof *values);
  if (!sorted || !values) {
    free(sorted);
    free(values);
    return false;
  }
  for (size_t i = 0; i < row->count; i++) {
    memcpy(sorted + at, row->replicas[i].responses,
           row->replicas[i].response_count * sizeof *sorted);
    at += row->replicas[i].response_count;
  }
  qsort(sorted, all, sizeof *sorted, compare);
  for (size_t i = 0; i < steps; i++) {
    values[i] = sorted[(i + 1) * all / steps - 1];
    values[steps + i] = (double)(i + 1) / (double)steps;
  }
  free(sorted);
  return series_add(d, row, values, steps, false);
}

static bool pareto_add(drawing *d, const aq_study_row *row,
                       const int metrics[2])
{
  double *values = malloc(2 * sizeof *values);
  if (!values)
    return false;
  for (int i = 0; i < 2; i++)
    values[i] = aq_study_estimate(row, (size_t)metrics[i]).mean;
  if (isnan(values[0]) || isnan(values[1])) {
    free(values);
    return true;
  }
  return series_add(d, row, values, 1, false);
}

static bool is_time(size_t figure)
{
  return strcmp(aq_figure_unit(figure), "us") == 0;
}

static void axis_name(char out[64], size_t figure)
{
  const bool unit = aq_figure_unit(figure)[0] && !is_time(figure);
  snprintf(out, 64, "%s%s%s%s", aq_figure_name(figure), unit ? " (" : "",
           unit ? aq_figure_unit(figure) : "", unit ? ")" : "");
}

/* What all rows have in common; how many there are, if not all are shown. */
static char *title_of(const drawing *d, size_t rows)
{
  char *title = NULL, *common;
  size_t first = 0;
  while (first < d->study->count && d->study->rows[first].alone)
    first++;
  if (first == d->study->count)
    return strdup("");
  common = aq_plot_labels(d->study, &d->study->rows[first], true, AQ_ROW_PARTS);
  if (common && rows > SERIES_MAX) {
    if (asprintf(&title, "%s%sthe first %d of %zu", common,
                 common[0] ? " · " : "", SERIES_MAX, rows) < 0)
      title = NULL;
    free(common);
    return title;
  }
  return common;
}

static aq_status rows_plot(const aq_study *study, bool pareto,
                           const int metrics[2], FILE *out, aq_diag *diag)
{
  drawing d = {.study = study};
  char names[2][64] = {"response", "share of requests"};
  bool good = true;
  size_t rows = 0;
  for (size_t i = 0; i < study->count && good; i++) {
    if (study->rows[i].alone || rows++ >= SERIES_MAX)
      continue;
    good = pareto ? pareto_add(&d, &study->rows[i], metrics)
                  : cdf_add(&d, &study->rows[i]);
  }
  for (int i = 0; i < 2 && pareto; i++)
    axis_name(names[i], (size_t)metrics[i]);
  char *title = title_of(&d, rows);
  good =
      good && title && looks_set(&d) &&
      aq_plot_print(&(aq_plot){.title = title,
                               .x_label = names[0],
                               .y_label = names[1],
                               .x_time = !pareto || is_time((size_t)metrics[0]),
                               .y_time = pareto && is_time((size_t)metrics[1]),
                               .log_x = !pareto,
                               .form = pareto ? AQ_PLOT_POINTS : AQ_PLOT_STAIRS,
                               .series = d.series,
                               .count = d.count},
                    out);
  free(title);
  drawing_fini(&d);
  return good ? AQ_OK : aq_diag_no_memory(diag);
}

/* ---- a figure over a parameter ---- */

typedef struct spot {
  double x, y, half;
} spot;

static int spot_compare(const void *a, const void *b)
{
  return compare(&((const spot *)a)->x, &((const spot *)b)->x);
}

static bool is_same_line(const aq_study_row *a, const aq_study_row *b)
{
  for (int i = 0; i < AQ_ROW_PARTS; i++)
    if (strcmp(aq_row_part(a, i), aq_row_part(b, i)) != 0)
      return false;
  return true;
}

/* The rows from `first` on that differ from it in x alone; unknown figures are
 * left out. */
static bool line_add(drawing *d, const double *x, size_t first, size_t figure)
{
  const aq_study *study = d->study;
  const size_t most = study->count - first;
  spot *spots = malloc(most * sizeof *spots);
  double *values = malloc(3 * most * sizeof *values);
  size_t count = 0;
  if (!spots || !values) {
    free(spots);
    free(values);
    return false;
  }
  for (size_t i = first; i < study->count; i++) {
    if (study->rows[i].alone ||
        !is_same_line(&study->rows[first], &study->rows[i]))
      continue;
    const aq_estimate y = aq_study_estimate(&study->rows[i], figure);
    if (!isnan(y.mean))
      spots[count++] = (spot){x[i], y.mean, y.half};
  }
  qsort(spots, count, sizeof *spots, spot_compare);
  for (size_t i = 0; i < count; i++) {
    values[i] = spots[i].x;
    values[count + i] = spots[i].y;
    values[2 * count + i] = spots[i].half;
  }
  free(spots);
  if (count == 0) {
    free(values);
    return true;
  }
  return series_add(d, &study->rows[first], values, count, true);
}

/* One line for all rows that differ in the axis's parameter alone, in the order
 * of their first rows; *lines counts those beyond the most, too. */
static bool lines_add(drawing *d, const double *x, size_t figure, size_t *lines)
{
  const aq_study *study = d->study;
  for (size_t i = 0; i < study->count; i++) {
    bool seen = study->rows[i].alone;
    for (size_t k = 0; k < i && !seen; k++)
      seen = !study->rows[k].alone &&
             is_same_line(&study->rows[k], &study->rows[i]);
    if (!seen && (*lines)++ < SERIES_MAX && !line_add(d, x, i, figure))
      return false;
  }
  return true;
}

static aq_status lines_plot(const aq_study *study, size_t figure, FILE *out,
                            aq_diag *diag)
{
  aq_plot_axis axis;
  aq_study less = {.rows = calloc(study->count + 1, sizeof *less.rows),
                   .count = study->count};
  drawing d = {.study = &less};
  char name[64], *title = NULL;
  size_t lines = 0;
  aq_status status = aq_plot_axis_find(study, &axis, diag);
  bool good = less.rows != NULL;
  for (size_t i = 0; good && status == AQ_OK && i < study->count; i++) {
    less.rows[i] = study->rows[i];
    less.rows[i].parameters = axis.others[i];
  }
  if (good && status == AQ_OK) {
    good = lines_add(&d, axis.values, figure, &lines) && looks_set(&d) &&
           (title = title_of(&d, lines)) != NULL;
    axis_name(name, figure);
  }
  if (good && status == AQ_OK)
    good = aq_plot_print(&(aq_plot){.title = title,
                                    .x_label = axis.name,
                                    .y_label = name,
                                    .x_time = axis.time,
                                    .y_time = is_time(figure),
                                    .log_x = true,
                                    .log_y = true,
                                    .form = AQ_PLOT_LINES,
                                    .series = d.series,
                                    .count = d.count},
                         out);
  free(title);
  drawing_fini(&d);
  free(less.rows);
  aq_plot_axis_fini(&axis);
  return status != AQ_OK ? status : good ? AQ_OK : aq_diag_no_memory(diag);
}

/* ---- one run, request by request ---- */

static aq_status gantt_print(const aq_request_list *list, int64_t run,
                             FILE *out, aq_diag *diag)
{
  char title[128], texts[LANES_MAX][28];
  const char *lanes[LANES_MAX];
  size_t count = 0, lane_count = 0, clients = 0, left = 0;
  aq_gantt_bar *bars = calloc(list->count + 1, sizeof *bars);
  if (!bars)
    return aq_diag_no_memory(diag);
  for (size_t i = 0; i < list->count; i++) {
    const aq_request *r = &list->requests[i];
    if (r->complete == AQ_NONE)
      continue;
    if ((size_t)r->client >= clients)
      clients = (size_t)r->client + 1;
    if (count == BARS_MAX || r->client >= LANES_MAX) {
      left++;
      continue;
    }
    bars[count++] = (aq_gantt_bar){(size_t)r->client, (double)r->begin / 1e6,
                                   (double)r->complete / 1e6, NULL};
    if ((size_t)r->client >= lane_count)
      lane_count = (size_t)r->client + 1;
  }
  for (size_t i = 0; i < lane_count; i++) {
    snprintf(texts[i], sizeof texts[i], "client %zu", i);
    lanes[i] = texts[i];
  }
  size_t used = (size_t)snprintf(title, sizeof title, "run %" PRId64 ": ", run);
  if (left)
    used += (size_t)snprintf(title + used, sizeof title - used, "%zu of %zu ",
                             count, count + left);
  used += (size_t)snprintf(title + used, sizeof title - used, "requests");
  if (clients > lane_count)
    snprintf(title + used, sizeof title - used, ", %zu of %zu clients",
             lane_count, clients);
  const bool good = aq_gantt_print(title, lanes, lane_count, bars, count, out);
  free(bars);
  return good ? AQ_OK
              : aq_diag_set(diag, AQ_ERR_IO, "the plot cannot be written");
}

static aq_status gantt_plot(aq_store *store, const aq_study *study, FILE *out,
                            aq_diag *diag)
{
  aq_request_list list;
  if (study->count != 1 || study->rows[0].count != 1)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "plot gantt shows one run; name it");
  const int64_t run = study->rows[0].replicas[0].run;
  aq_status status = aq_store_requests(store, run, &list, diag);
  if (status != AQ_OK)
    return status;
  status = gantt_print(&list, run, out, diag);
  aq_request_list_fini(&list);
  return status;
}

/* Plots of single requests need them. */
static aq_status requests_need(const aq_study *study, const char *kind,
                               aq_diag *diag)
{
  for (size_t i = 0; i < study->count; i++)
    for (size_t k = 0; k < study->rows[i].count; k++)
      if (study->rows[i].replicas[k].kept)
        return aq_diag_set(diag, AQ_ERR_INVALID,
                           "plot %s: run %" PRId64 " keeps figures instead of "
                           "requests",
                           kind, study->rows[i].replicas[k].run);
  return AQ_OK;
}

aq_status aq_study_plot(const aq_study *study, aq_store *store,
                        const char *kind, const int metrics[2], FILE *out,
                        aq_diag *diag)
{
  const bool gantt = strcmp(kind, "gantt") == 0;
  if (gantt || strcmp(kind, "cdf") == 0) {
    aq_status status = requests_need(study, kind, diag);
    if (status != AQ_OK || gantt)
      return status != AQ_OK ? status : gantt_plot(store, study, out, diag);
  }
  if (strcmp(kind, "lines") == 0)
    return lines_plot(study, (size_t)metrics[0], out, diag);
  const bool pareto = strcmp(kind, "pareto") == 0;
  if (!pareto && strcmp(kind, "cdf") != 0)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "plot %s: expected cdf, gantt, lines or pareto", kind);
  return rows_plot(study, pareto, metrics, out, diag);
}
