/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/sweep/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/map.h"
#include "study/sweep/run_figures.h"

/* ---- figures ---- */

static const struct {
  const char *name, *unit;
} figures[AQ_FIGURE_COUNT] = {
#define F(name, unit, meaning) {#name, unit},
#include "study/sweep/figures.def"
#undef F
};

const char *aq_figure_name(size_t figure)
{
  return figures[figure].name;
}

const char *aq_figure_unit(size_t figure)
{
  return figures[figure].unit;
}

int aq_figure_find(const char *name)
{
  for (int i = 0; i < AQ_FIGURE_COUNT; i++)
    if (strcmp(figures[i].name, name) == 0)
      return i;
  return -1;
}

/* ---- rows ---- */

static void row_fini(aq_study_row *row)
{
  for (size_t i = 0; i < row->count; i++)
    free(row->replicas[i].responses);
  free(row->replicas);
  free(row->workload);
  free(row->parameters);
  free(row->device);
  free(row->policy);
  free(row->client);
  free(row->setting);
  free(row->durations);
}

void aq_study_fini(aq_study *study)
{
  for (size_t i = 0; i < study->count; i++)
    row_fini(&study->rows[i]);
  free(study->rows);
  *study = (aq_study){0};
}

static char *copy(const char *text)
{
  return strdup(text ? text : "");
}

static bool row_is(const aq_study_row *row, const aq_study_place *place,
                   const char *client)
{
  return row->alone == place->alone &&
         strcmp(row->setting, place->setting) == 0 &&
         strcmp(row->policy, place->policy) == 0 &&
         strcmp(row->client, client) == 0;
}

static aq_study_row *row_find(aq_study *study, const aq_study_place *place,
                              const char *client)
{
  for (size_t i = study->count; i > 0; i--)
    if (row_is(&study->rows[i - 1], place, client))
      return &study->rows[i - 1];
  if (!AQ_ARRAY_RESERVE(study->rows, study->capacity, study->count + 1))
    return NULL;
  aq_study_row *row = &study->rows[study->count];
  *row = (aq_study_row){.workload = copy(place->workload),
                        .parameters = copy(place->parameters),
                        .device = copy(place->device),
                        .policy = copy(place->policy),
                        .client = copy(client),
                        .setting = copy(place->setting),
                        .number = place->number,
                        .alone = place->alone};
  if (!row->workload || !row->parameters || !row->device || !row->policy ||
      !row->client || !row->setting) {
    row_fini(row);
    return NULL;
  }
  study->count++;
  return row;
}

/* In its place among the seeds. */
static bool replica_add(aq_study_row *row, const aq_study_replica *replica)
{
  if (!AQ_ARRAY_RESERVE(row->replicas, row->capacity, row->count + 1))
    return false;
  size_t at = row->count++;
  for (; at > 0 && row->replicas[at - 1].seed > replica->seed; at--)
    row->replicas[at] = row->replicas[at - 1];
  row->replicas[at] = *replica;
  return true;
}

static bool durations_take(aq_study_row *row, const char *durations)
{
  if (durations && !row->durations)
    row->durations = strdup(durations);
  return !durations || row->durations;
}

static aq_status run_add(aq_study *study, const aq_study_run *run, int entry,
                         const aq_study_options *options, aq_diag *diag)
{
  char client[128] = "";
  if (entry >= 0 && run->clients[entry].name)
    snprintf(client, sizeof client, "%s", run->clients[entry].name);
  else if (entry >= 0)
    snprintf(client, sizeof client, "%d", entry);
  aq_study_row *row = row_find(study, &run->place, client);
  aq_study_replica replica = {.run = run->id, .seed = run->place.seed};
  if (row && run->place.number < row->number)
    row->number = run->place.number;
  if (!row || !durations_take(row, run->place.durations) ||
      !aq_study_run_figures(run, entry, options, &replica))
    return aq_diag_no_memory(diag);
  if (replica_add(row, &replica))
    return AQ_OK;
  free(replica.responses);
  return aq_diag_no_memory(diag);
}

/* ---- alone ---- */

static const aq_study_replica *replica_of(const aq_study_row *row, int64_t seed)
{
  for (size_t i = 0; i < row->count; i++)
    if (row->replicas[i].seed == seed)
      return &row->replicas[i];
  return NULL;
}

/* What entry `alone` takes alone in the same setting and seed; NaN: unknown. */
static double response_alone(const aq_study *study, const aq_study_row *row,
                             int64_t alone, int64_t seed)
{
  for (size_t i = 0; i < study->count; i++) {
    const aq_study_row *other = &study->rows[i];
    if (other->alone != alone || strcmp(other->setting, row->setting) != 0)
      continue;
    const aq_study_replica *replica = replica_of(other, seed);
    if (replica)
      return replica->figures[AQ_FIGURE_mean];
  }
  return NAN;
}

static void normalise(const aq_study *study, const aq_study_row *row,
                      aq_study_replica *replica, const aq_study_means *means)
{
  double turnaround = 0, progress = 0;
  for (size_t k = 0; k < means->count; k++) {
    const double alone =
        response_alone(study, row, (int64_t)k + 1, replica->seed);
    turnaround += means->of[k] / alone;
    progress += alone / means->of[k];
  }
  if (means->count == 0)
    return;
  replica->figures[AQ_FIGURE_antt] = turnaround / (double)means->count;
  replica->figures[AQ_FIGURE_stp] = progress;
}

/* ---- the study ---- */

typedef struct maker {
  aq_study study;
  aq_study_means *means; /* of each replica, by run */
  aq_map mean_of;        /* run → its place among them */
  size_t mean_count, mean_capacity;
} maker;

static bool means_keep(maker *m, const aq_study_run *run)
{
  if (!AQ_ARRAY_RESERVE(m->means, m->mean_capacity, m->mean_count + 1) ||
      !aq_study_run_means(run, &m->means[m->mean_count]))
    return false;
  return aq_map_put(&m->mean_of, (uint64_t)run->id, m->mean_count++);
}

static aq_status info_add(maker *m, aq_store *store, const aq_run_info *info,
                          const aq_study_options *options, aq_diag *diag)
{
  aq_study_run run;
  bool wanted;
  aq_status status =
      aq_study_run_open(store, info, options, &run, &wanted, diag);
  if (status != AQ_OK)
    return status;
  if (!wanted) {
    m->study.left_out += !options->plan;
    return AQ_OK;
  }
  if (options->by_client) {
    for (size_t i = 0; i < run.client_count && status == AQ_OK; i++)
      status = run_add(&m->study, &run, (int)i, options, diag);
  } else {
    status = run_add(&m->study, &run, -1, options, diag);
    if (status == AQ_OK && !means_keep(m, &run))
      status = aq_diag_no_memory(diag);
  }
  aq_study_run_close(&run);
  return status;
}

static bool is_asked(int64_t id, const int64_t *runs, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (runs[i] == id)
      return true;
  return runs == NULL;
}

/* The same point twice, as merged stores may have it, is one run: the first
 * complete one. False in *good: out of memory. */
static bool is_again(aq_names *seen, const aq_run_info *run, bool *good)
{
  const size_t before = seen->count;
  if (!run->content_key || !run->complete)
    return false;
  const int64_t id =
      aq_names_id(seen, run->content_key, strlen(run->content_key));
  *good = id >= 0;
  return *good && seen->count == before;
}

aq_status aq_study_make(aq_store *store, const int64_t *runs, size_t run_count,
                        const aq_study_options *options, aq_study *out,
                        aq_diag *diag)
{
  maker m = {0};
  aq_run_list list;
  aq_names seen = AQ_NAMES_INIT;
  aq_status status = aq_store_list(store, &list, diag);
  if (status != AQ_OK)
    return status;
  for (size_t i = 0; i < list.count && status == AQ_OK; i++) {
    if (!is_asked(list.runs[i]->id, runs, run_count))
      continue;
    bool good = true;
    if (is_again(&seen, list.runs[i], &good))
      m.study.left_out += !options->plan;
    else if (!good)
      status = aq_diag_no_memory(diag);
    else
      status = info_add(&m, store, list.runs[i], options, diag);
  }
  aq_run_list_fini(&list);
  aq_names_fini(&seen);
  if (status == AQ_OK) {
    for (size_t i = 0; i < m.study.count; i++) {
      aq_study_row *row = &m.study.rows[i];
      for (size_t r = 0; r < row->count && row->alone == 0; r++) {
        uint64_t at;
        if (aq_map_get(&m.mean_of, (uint64_t)row->replicas[r].run, &at))
          normalise(&m.study, row, &row->replicas[r], &m.means[at]);
      }
    }
    /* Stable, and rows are few. */
    aq_study *study = &m.study;
    for (size_t i = 1; i < study->count; i++) {
      const aq_study_row row = study->rows[i];
      size_t at = i;
      for (; at > 0 && study->rows[at - 1].number > row.number; at--)
        study->rows[at] = study->rows[at - 1];
      study->rows[at] = row;
    }
  }
  for (size_t i = 0; i < m.mean_count; i++)
    free(m.means[i].of);
  free(m.means);
  aq_map_fini(&m.mean_of);
  if (status == AQ_OK)
    *out = m.study;
  else
    aq_study_fini(&m.study);
  return status;
}

/* ---- over replicas ---- */

static aq_estimate estimate(double *values, size_t count)
{
  aq_estimate out = aq_estimate_of(values, count);
  free(values);
  return out;
}

aq_estimate aq_study_estimate(const aq_study_row *row, size_t figure)
{
  if (row->count == 1 && figure == AQ_FIGURE_mean)
    return row->replicas[0].response;
  double *values = malloc((row->count + 1) * sizeof *values);
  size_t count = 0;
  for (size_t i = 0; values && i < row->count; i++)
    if (!isnan(row->replicas[i].figures[figure]))
      values[count++] = row->replicas[i].figures[figure];
  return estimate(values, count);
}

aq_estimate aq_study_paired(const aq_study_row *row,
                            const aq_study_row *baseline, size_t figure)
{
  double *values = malloc((row->count + 1) * sizeof *values);
  size_t count = 0;
  for (size_t i = 0; values && i < row->count; i++) {
    const aq_study_replica *other = replica_of(baseline, row->replicas[i].seed);
    if (!other || isnan(row->replicas[i].figures[figure]) ||
        isnan(other->figures[figure]))
      continue;
    values[count++] = row->replicas[i].figures[figure] - other->figures[figure];
  }
  return estimate(values, count);
}
