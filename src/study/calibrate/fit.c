/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/calibrate/fit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

typedef struct fit_rule {
  const char *key;
  int figure; /* AQ_CALIBRATE_COUNT: none of them */
  const char *less, *meaning;
} fit_rule;

static const fit_rule rules[] = {
#define F(id, figure, less, meaning)                                           \
  {#id, AQ_CALIBRATE_##figure, less, meaning},
#include "study/calibrate/fit.def"
#undef F
};

enum {
  FEW = 10,     /* fewer values: the middle of their range is reported */
  EXACT = 1000, /* ps: constants are rounded to it */
};

static const aq_device_fit *fit_find(const aq_device_fit *fits, size_t count,
                                     const char *key)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(fits[i].key, key) == 0 && !fits[i].why_not[0])
      return &fits[i];
  return NULL;
}

int64_t aq_device_fit_sum(const aq_device_model *model,
                          const aq_device_fit *fits, size_t done,
                          const aq_device_fit *known, size_t known_count,
                          const char *keys)
{
  char key[64];
  int64_t sum = 0;
  while (*keys) {
    const size_t length = strcspn(keys, " ");
    snprintf(key, sizeof key, "%.*s", (int)length, keys);
    const aq_device_fit *fit = fit_find(known, known_count, key);
    if (!fit)
      fit = fit_find(fits, done, key);
    sum += fit ? fit->value : aq_device_model_number(model, key);
    keys += length + (keys[length] == ' ');
  }
  return sum;
}

static int64_t round_to(int64_t value, int64_t unit)
{
  return (value + unit / 2) / unit * unit;
}

/* Where the first wave stamps the start, the cost between back-to-back kernels
 * lies in gaps outside of the durations, and no kernel starts at the previous
 * end. */
bool aq_device_model_has_gaps(const aq_device_model *model)
{
  return strcmp(aq_device_model_text(model, "start_stamp"), "wave") == 0;
}

/* The value of a figure: a floor, the middle one, or of few values the middle
 * of their range. */
static int64_t figure_value(int figure, const aq_calibrate_sample *sample)
{
  if (figure == AQ_CALIBRATE_INTERVAL)
    return sample->least;
  if (figure != AQ_CALIBRATE_BACK_TO_BACK && sample->n < FEW)
    return (sample->least + sample->most) / 2;
  return sample->p50;
}

/* Half of a 90 % interval: as the normal distribution with the sample's p10 and
 * p90 has it; of few values half their range. A floor has none. */
static int64_t figure_spread(int figure, const aq_calibrate_sample *sample)
{
  if (figure == AQ_CALIBRATE_INTERVAL)
    return 0;
  if (sample->n < FEW)
    return round_to((sample->most - sample->least) / 2, EXACT);
  return round_to((sample->p90 - sample->p10) * 64 / 100, EXACT);
}

/* What all fits share. */
typedef struct fitting {
  const aq_device_model *model;
  const aq_calibrate_facts *facts;
  const aq_device_fit *known;
  size_t known_count;
} fitting;

static void fit_figure(const fitting *f, const fit_rule *rule,
                       aq_device_fit *fits, size_t at)
{
  aq_device_fit *fit = &fits[at];
  const int figure = rule->figure == AQ_CALIBRATE_INTERVAL &&
                             aq_device_model_has_gaps(f->model)
                         ? AQ_CALIBRATE_GAP
                         : rule->figure;
  const aq_calibrate_sample *sample = &f->facts->figures[figure];
  const size_t least = aq_calibrate_least(figure);
  fit->sample = sample;
  if (figure == AQ_CALIBRATE_GAP)
    fit->meaning = "gap between queued kernels";
  if (sample->n < least) {
    snprintf(fit->why_not, sizeof fit->why_not,
             "%zu case%s of '%s'; expected at least %zu", sample->n,
             aq_text_plural(sample->n), aq_calibrate_name(figure), least);
    return;
  }
  const int64_t value = figure_value(figure, sample) -
                        aq_device_fit_sum(f->model, fits, at, f->known,
                                          f->known_count, rule->less);
  if (value < 0)
    snprintf(fit->why_not, sizeof fit->why_not,
             "%.3f us, less than the constants that it contains",
             (double)figure_value(figure, sample) / (double)AQ_US);
  else
    fit->value = round_to(value, EXACT);
  if (!fit->why_not[0])
    fit->spread = figure_spread(figure, sample);
}

/* Where no row awaited a kernel of another queue, rows behind a copy show the
 * cost of a signal that comes while a packet waits. */
static void fit_poll(const fitting *f, aq_device_fit *fits, size_t at)
{
  static const fit_rule behind_copy = {
      .figure = AQ_CALIBRATE_COPY,
      .less = "end_of_pipe release_agent signal_write signal_write "
              "acquire_agent dispatch_setup"};
  aq_device_fit *fit = &fits[at];
  fit_figure(f, &rules[at], fits, at);
  if (!fit->why_not[0])
    return;
  aq_device_fit kept = *fit;
  fit->why_not[0] = 0;
  fit->meaning = "end of a copy to or from the host -> start of the queued row "
                 "behind it";
  fit_figure(f, &behind_copy, fits, at);
  if (fit->why_not[0])
    *fit = kept;
}

bool aq_device_edits_set(const char *const *edits, const char *key)
{
  const size_t length = strlen(key);
  for (; edits && *edits; edits++)
    if (strncmp(*edits, key, length) == 0 && (*edits)[length] == '=')
      return true;
  return false;
}

bool aq_device_fit_all(const aq_device_model *model,
                       const aq_calibrate_facts *facts,
                       const aq_device_fit *known, size_t known_count,
                       const char *const *edits,
                       aq_device_fit out[AQ_DEVICE_FIT_COUNT])
{
  const fitting f = {model, facts, known, known_count};
  for (size_t i = 0; i < AQ_DEVICE_FIT_COUNT; i++) {
    const fit_rule *rule = &rules[i];
    const int64_t was = aq_device_model_number(model, rule->key);
    out[i] = (aq_device_fit){.key = rule->key,
                             .meaning = rule->meaning,
                             .was = was,
                             .value = was,
                             .unit = AQ_DEVICE_FIT_TIME};
    if (aq_device_edits_set(edits, rule->key))
      snprintf(out[i].why_not, sizeof out[i].why_not, "set by hand");
    else if (i == AQ_DEVICE_FIT_unmap_after) {
      aq_device_fit *fit = &out[i];
      if (facts->idle_step == AQ_TIME_NONE)
        snprintf(fit->why_not, sizeof fit->why_not,
                 "no idle time is seen at which launches come to take longer");
      else
        fit->value = round_to(facts->idle_step, AQ_US);
    } else if (i == AQ_DEVICE_FIT_timestamp_step) {
      if (facts->timestamp_step == 0)
        snprintf(out[i].why_not, sizeof out[i].why_not,
                 "no step that all runs share, or too few intervals");
      else
        out[i].value = facts->timestamp_step * AQ_NS;
    } else if (i == AQ_DEVICE_FIT_dependency_poll)
      fit_poll(&f, out, i);
    else
      fit_figure(&f, rule, out, i);
  }
  return !out[AQ_DEVICE_FIT_dispatch_setup].why_not[0] ||
         !out[AQ_DEVICE_FIT_doorbell_to_fetch].why_not[0] ||
         !out[AQ_DEVICE_FIT_remap_latency].why_not[0];
}

/* ---- one run ---- */

/* Constants of runs differ by about a quarter, or by DIFFER (a standard
 * deviation). Values of one run have about the spread of published runs, which
 * counts as much as that of so many values. */
enum { LEAST = 3, DIFFER_PART = 4, SPREAD_VALUES = 3 };
#define DIFFER (3 * AQ_US)
#define SPREAD (500 * AQ_NS)

/* How many values weigh as much as the model's constant: the square of their
 * standard deviation, of the sample's as the normal distribution with its p10
 * and p90 has it, over that of the runs. */
static double prior_weight(const aq_calibrate_sample *sample, int64_t was)
{
  const double n = (double)sample->n, runs = SPREAD_VALUES;
  const double differ = (double)aq_time_max(DIFFER, was / DIFFER_PART);
  const double seen = (double)(sample->p90 - sample->p10) / 2.56;
  const double usual = (double)SPREAD;
  return (n * seen * seen + runs * usual * usual) / (n + runs) /
         (differ * differ);
}

static bool contains_launch(aq_device_fit_id id)
{
  return id == AQ_DEVICE_FIT_doorbell_to_fetch ||
         id == AQ_DEVICE_FIT_remap_latency;
}

/* How many values it takes: one launch says something. */
static int64_t least_of(aq_device_fit_id id)
{
  return contains_launch(id) ? 1 : LEAST;
}

/* A floor of few rows is too high: on gfx9 the model's stays. */
static void fit_toward(const aq_device_model *model,
                       const aq_calibrate_facts *facts, aq_time shift,
                       aq_device_fit_id id, aq_device_fit *fits, size_t at)
{
  const fit_rule *rule = &rules[id];
  aq_device_fit *fit = &fits[at];
  int figure = rule->figure;
  if (id == AQ_DEVICE_FIT_dispatch_setup && aq_device_model_has_gaps(model))
    figure = AQ_CALIBRATE_GAP;
  else if (id == AQ_DEVICE_FIT_dispatch_setup) {
    snprintf(fit->why_not, sizeof fit->why_not,
             "a minimum, which part of a run does not show");
    return;
  }
  /* From its call to its first node a graph launch contains a warm one: until
   * the part shows more, it takes as long as before. */
  if (id == AQ_DEVICE_FIT_graph_launch) {
    const aq_device_fit *warm = fit_find(fits, at, "doorbell_to_fetch");
    if (warm)
      fit->value = aq_time_max(fit->was - (warm->value - warm->was), 0);
  }
  fit->sample = &facts->figures[figure];
  const int64_t n = (int64_t)fit->sample->n, least = least_of(id);
  if (n < least && fit->value != fit->was)
    return;
  if (n < least) {
    snprintf(fit->why_not, sizeof fit->why_not,
             "%" PRId64 " case%s of '%s'; expected at least %" PRId64, n,
             aq_text_plural(n), aq_calibrate_name(figure), least);
    return;
  }
  /* Whatever is in the way of a row delays it: of two in the middle, the lower
   * one is nearer to the time of the device. */
  const int64_t seen = fit->sample->low_middle -
                       (contains_launch(id) ? shift : 0) -
                       aq_device_fit_sum(model, fits, at, NULL, 0, rule->less);
  const double weight =
      (double)n / ((double)n + prior_weight(fit->sample, fit->was));
  const int64_t value =
      fit->value + (int64_t)((double)(seen - fit->value) * weight);
  fit->at_least = value < 0;
  fit->value = round_to(aq_time_max(value, 0), EXACT);
}

void aq_device_fit_varying(const aq_device_model *model,
                           const aq_calibrate_facts *facts, aq_time shift,
                           const char *const *edits,
                           aq_device_fit out[AQ_DEVICE_FIT_VARYING])
{
  static const aq_device_fit_id ids[AQ_DEVICE_FIT_VARYING] = {
      AQ_DEVICE_FIT_dispatch_setup,  AQ_DEVICE_FIT_doorbell_to_fetch,
      AQ_DEVICE_FIT_remap_latency,   AQ_DEVICE_FIT_unmap_after,
      AQ_DEVICE_FIT_barrier_process, AQ_DEVICE_FIT_graph_launch,
      AQ_DEVICE_FIT_graph_per_node};
  for (size_t i = 0; i < AQ_DEVICE_FIT_VARYING; i++) {
    const fit_rule *rule = &rules[ids[i]];
    const int64_t was = aq_device_model_number(model, rule->key);
    out[i] = (aq_device_fit){.key = rule->key,
                             .meaning = rule->meaning,
                             .was = was,
                             .value = was,
                             .unit = AQ_DEVICE_FIT_TIME};
    if (aq_device_edits_set(edits, rule->key))
      snprintf(out[i].why_not, sizeof out[i].why_not, "set by hand");
    else if (ids[i] != AQ_DEVICE_FIT_unmap_after)
      fit_toward(model, facts, shift, ids[i], out, i);
    else if (facts->idle_step == AQ_TIME_NONE)
      snprintf(out[i].why_not, sizeof out[i].why_not,
               "no other idle time makes launches longer");
    else
      out[i].value = round_to(facts->idle_step, AQ_US);
  }
}
