/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/sweep/plot_axis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "rate=20us": 20 and true. Fails on other texts. */
static bool value_read(const char *text, size_t length, double *out, bool *time)
{
  static const struct {
    const char *name;
    double us;
  } units[] = {{"ns", 1e-3}, {"us", 1}, {"ms", 1e3}, {"s", 1e6}};
  const char *equals = memchr(text, '=', length);
  char *end;
  if (!equals)
    return false;
  *out = strtod(equals + 1, &end);
  *time = end < text + length;
  if (end == equals + 1 || !isfinite(*out) || end > text + length)
    return false;
  for (size_t i = 0; *time && i < sizeof units / sizeof *units; i++)
    if (strlen(units[i].name) == (size_t)(text + length - end) &&
        strncmp(end, units[i].name, strlen(units[i].name)) == 0) {
      *out *= units[i].us;
      return true;
    }
  return !*time;
}

/* The parameter of that name, "NAME=VALUE", in a list between spaces; NULL:
 * none. */
static const char *find(const char *list, const char *name, size_t length,
                        size_t *size)
{
  for (const char *at = list; *at; at += *size + (at[*size] != 0)) {
    *size = strcspn(at, " ");
    if (*size > length && at[length] == '=' && strncmp(at, name, length) == 0)
      return at;
  }
  return NULL;
}

/* Whether it is an axis: a number, or a time, everywhere, and not the same. */
static bool values_take(const aq_study *study, const char *name, size_t length,
                        aq_plot_axis *axis)
{
  bool differs = false, any = false;
  double first = 0;
  for (size_t i = 0; i < study->count; i++) {
    size_t size;
    bool time;
    if (study->rows[i].alone)
      continue;
    const char *at = find(study->rows[i].parameters, name, length, &size);
    if (!at || !value_read(at, size, &axis->values[i], &time) ||
        (any && time != axis->time))
      return false;
    axis->time = time;
    first = any ? first : axis->values[i];
    differs |= axis->values[i] > first || axis->values[i] < first;
    any = true;
  }
  return differs;
}

/* A row's parameters without the axis's. */
static char *others_of(const char *list, const char *name)
{
  char *text = NULL;
  size_t all, size;
  FILE *out = open_memstream(&text, &all);
  bool more = false;
  if (!out)
    return NULL;
  for (const char *at = list; *at; at += size + (at[size] != 0)) {
    size_t found;
    size = strcspn(at, " ");
    if (find(list, name, strlen(name), &found) == at)
      continue;
    fprintf(out, "%s%.*s", more ? " " : "", (int)size, at);
    more = true;
  }
  return fclose(out) == 0 ? text : NULL;
}

aq_status aq_plot_axis_find(const aq_study *study, aq_plot_axis *out,
                            aq_diag *diag)
{
  size_t size, row = 0;
  *out = (aq_plot_axis){.values = calloc(study->count + 1, sizeof *out->values),
                        .others = calloc(study->count + 1, sizeof *out->others),
                        .count = study->count};
  if (!out->values || !out->others)
    return aq_diag_no_memory(diag);
  while (row < study->count && study->rows[row].alone)
    row++;
  const char *list = row < study->count ? study->rows[row].parameters : "";
  for (const char *at = list; *at; at += size + (at[size] != 0)) {
    size = strcspn(at, " ");
    const size_t length = strcspn(at, "= ");
    if (values_take(study, at, length, out)) {
      out->name = strndup(at, length);
      bool good = out->name != NULL;
      for (size_t i = 0; i < study->count && good; i++)
        good = (out->others[i] =
                    others_of(study->rows[i].parameters, out->name)) != NULL;
      return good ? AQ_OK : aq_diag_no_memory(diag);
    }
  }
  return aq_diag_set(diag, AQ_ERR_INVALID,
                     "plot lines: no parameter of the plan is a number that "
                     "differs between rows");
}

void aq_plot_axis_fini(aq_plot_axis *axis)
{
  for (size_t i = 0; axis->others && i < axis->count; i++)
    free(axis->others[i]);
  free(axis->others);
  free(axis->values);
  free(axis->name);
  *axis = (aq_plot_axis){0};
}
