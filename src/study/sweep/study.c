/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/sweep/study.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "study/sweep/candidates.h"

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
  free(row->transport);
  free(row->durations);
}

void aq_study_fini(aq_study *study)
{
  for (size_t i = 0; i < study->count; i++)
    row_fini(&study->rows[i]);
  free(study->rows);
  free(study->places);
  aq_names_fini(&study->keys);
  *study = (aq_study){0};
}

static char *copy(const char *text)
{
  return strdup(text ? text : "");
}

/* What all runs of a row have alike; the caller frees it. */
static char *row_key(const char *setting, const char *policy, int64_t entry,
                     int64_t alone)
{
  char *out;
  return asprintf(&out, "%" PRId64 "\n%" PRId64 "\n%s\n%s", entry, alone,
                  policy, setting) < 0
             ? NULL
             : out;
}

const aq_study_row *aq_study_row_find(const aq_study *study,
                                      const aq_study_row *row,
                                      const char *policy)
{
  char *key = row_key(row->setting, policy, row->entry, row->alone);
  const int64_t id = key ? aq_names_find(&study->keys, key, strlen(key)) : -1;
  free(key);
  return id < 0 ? NULL : &study->rows[study->places[id]];
}

static aq_study_row *row_add(aq_study *study, const aq_study_place *place,
                             int64_t entry, const char *client)
{
  if (!AQ_ARRAY_RESERVE(study->rows, study->capacity, study->count + 1))
    return NULL;
  aq_study_row *row = &study->rows[study->count];
  *row = (aq_study_row){.workload = copy(place->workload),
                        .parameters = copy(place->parameters),
                        .device = copy(place->device),
                        .policy = copy(place->policy),
                        .client = copy(client),
                        .setting = copy(place->setting),
                        .transport = copy(place->transport),
                        .entry = entry,
                        .number = place->number,
                        .alone = place->alone};
  if (!row->workload || !row->parameters || !row->device || !row->policy ||
      !row->client || !row->setting || !row->transport) {
    row_fini(row);
    return NULL;
  }
  study->transports |= strcmp(row->transport, study->rows[0].transport) != 0;
  study->count++;
  return row;
}

/* Its key is the number of the row, in the order in which they were added. */
static aq_study_row *row_of(aq_study *study, const aq_study_place *place,
                            int64_t entry, const char *client)
{
  char *key = row_key(place->setting, place->policy, entry, place->alone);
  const int64_t id = key ? aq_names_id(&study->keys, key, strlen(key)) : -1;
  free(key);
  if (id < 0)
    return NULL;
  return (size_t)id < study->count ? &study->rows[id]
                                   : row_add(study, place, entry, client);
}

static int seeds_compare(const void *seed, const void *replica)
{
  const int64_t a = *(const int64_t *)seed;
  const int64_t b = ((const aq_study_replica *)replica)->seed;
  return (a > b) - (a < b);
}

static const aq_study_replica *replica_of(const aq_study_row *row, int64_t seed)
{
  return row->count ? bsearch(&seed, row->replicas, row->count,
                              sizeof *row->replicas, seeds_compare)
                    : NULL;
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

/* *again: the row has a run of this seed, which stays. */
static aq_status run_add(aq_study *study, const aq_study_run *run, int entry,
                         const aq_study_options *options, bool *again,
                         aq_diag *diag)
{
  char client[160] = "", number[24] = "";
  if (entry >= 0)
    snprintf(number, sizeof number, "%d", entry);
  if (entry >= 0 && run->clients[entry].name)
    snprintf(client, sizeof client, "%.128s%s%s", run->clients[entry].name,
             run->clients[entry].shared ? " #" : "",
             run->clients[entry].shared ? number : "");
  else if (entry >= 0)
    snprintf(client, sizeof client, "%s%s",
             run->clients[entry].shared ? "#" : "", number);
  aq_study_row *row = row_of(study, &run->place, entry, client);
  aq_study_replica replica = {.run = run->id, .seed = run->place.seed};
  if (!row)
    return aq_diag_no_memory(diag);
  *again = replica_of(row, replica.seed) != NULL;
  if (*again)
    return AQ_OK;
  if (run->place.number < row->number)
    row->number = run->place.number;
  if (!durations_take(row, run->place.durations) ||
      !aq_study_run_figures(run, entry, options, &replica))
    return aq_diag_no_memory(diag);
  if (replica_add(row, &replica))
    return AQ_OK;
  free(replica.responses);
  return aq_diag_no_memory(diag);
}

/* ---- alone ---- */

/* Mean responses of clients alone, by what names them. */
typedef struct alone_list {
  aq_names keys;
  double *means;
  size_t capacity;
} alone_list;

static int64_t alone_key(aq_names *keys, bool add, const char *setting,
                         int64_t alone, int64_t seed)
{
  char *key;
  if (asprintf(&key, "%" PRId64 "\n%" PRId64 "\n%s", alone, seed, setting) < 0)
    return -1;
  const int64_t id = add ? aq_names_id(keys, key, strlen(key))
                         : aq_names_find(keys, key, strlen(key));
  free(key);
  return id;
}

/* Of several policies the first counts: alone, none has a choice. */
static bool alone_fill(alone_list *list, const aq_study *study)
{
  for (size_t i = 0; i < study->count; i++) {
    const aq_study_row *row = &study->rows[i];
    for (size_t r = 0; r < row->count && row->alone; r++) {
      const size_t before = list->keys.count;
      const int64_t id = alone_key(&list->keys, true, row->setting, row->alone,
                                   row->replicas[r].seed);
      if (id < 0 || !AQ_ARRAY_RESERVE(list->means, list->capacity, before + 1))
        return false;
      if (list->keys.count > before)
        list->means[id] = row->replicas[r].figures[AQ_FIGURE_mean];
    }
  }
  return true;
}

/* How long entry `alone` takes alone in the same setting and seed; NaN: not
 * known. */
static double response_alone(alone_list *list, const aq_study_row *row,
                             int64_t alone, int64_t seed)
{
  const int64_t id = alone_key(&list->keys, false, row->setting, alone, seed);
  return id < 0 ? NAN : list->means[id];
}

static void normalise(alone_list *list, const aq_study_row *row,
                      aq_study_replica *replica, const aq_study_means *means)
{
  double turnaround = 0, progress = 0;
  for (size_t k = 0; k < means->count; k++) {
    const double alone =
        response_alone(list, row, (int64_t)k + 1, replica->seed);
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

static aq_status candidate_count(maker *m, aq_store *store, aq_candidate *of,
                                 const aq_study_options *options, aq_diag *diag)
{
  aq_study_run run;
  bool wanted, again = false;
  if (of->info->failed)
    return AQ_OK;
  if (of->outdated) {
    m->study.outdated++;
    m->study.left_out -= !options->plan;
    return AQ_OK;
  }
  aq_status status = aq_study_run_open(store, of->info, &of->place, options,
                                       &run, &wanted, diag);
  if (status != AQ_OK)
    return status;
  if (!wanted)
    return AQ_OK;
  m->study.left_out -= !options->plan;
  if (options->by_client) {
    for (size_t i = 0; i < run.client_count && status == AQ_OK; i++)
      status = run_add(&m->study, &run, (int)i, options, &again, diag);
  } else {
    status = run_add(&m->study, &run, -1, options, &again, diag);
    if (status == AQ_OK && !again && !means_keep(m, &run))
      status = aq_diag_no_memory(diag);
  }
  m->study.repeated += again;
  aq_study_run_close(&run);
  return status;
}

static bool figures_normalise(maker *m)
{
  alone_list list = {.keys = AQ_NAMES_INIT};
  const bool good = alone_fill(&list, &m->study);
  for (size_t i = 0; good && i < m->study.count; i++) {
    aq_study_row *row = &m->study.rows[i];
    for (size_t r = 0; r < row->count && row->alone == 0; r++) {
      uint64_t at;
      if (aq_map_get(&m->mean_of, (uint64_t)row->replicas[r].run, &at))
        normalise(&list, row, &row->replicas[r], &m->means[at]);
    }
  }
  aq_names_fini(&list.keys);
  free(list.means);
  return good;
}

typedef struct turn {
  int64_t number;
  size_t at;
} turn;

static int turns_compare(const void *a, const void *b)
{
  const turn *x = a, *y = b;
  return x->number != y->number ? (x->number > y->number ? 1 : -1)
                                : (x->at > y->at) - (x->at < y->at);
}

/* By number, then in the order in which they were added. */
static bool rows_sort(aq_study *study)
{
  turn *turns = malloc((study->count + 1) * sizeof *turns);
  aq_study_row *rows = calloc(study->count + 1, sizeof *rows);
  study->places = malloc((study->count + 1) * sizeof *study->places);
  const bool good = turns && rows && study->places;
  for (size_t i = 0; good && i < study->count; i++)
    turns[i] = (turn){study->rows[i].number, i};
  if (good)
    qsort(turns, study->count, sizeof *turns, turns_compare);
  for (size_t i = 0; good && i < study->count; i++) {
    rows[i] = study->rows[turns[i].at];
    study->places[turns[i].at] = i;
  }
  if (good && study->count > 0)
    memcpy(study->rows, rows, study->count * sizeof *rows);
  free(turns);
  free(rows);
  return good;
}

aq_status aq_study_make(aq_store *store, const int64_t *runs, size_t run_count,
                        const aq_study_options *options, aq_study *out,
                        aq_diag *diag)
{
  maker m = {.study = {.keys = AQ_NAMES_INIT}};
  aq_candidates candidates;
  aq_status status = aq_candidates_read(store, runs, run_count, options->plan,
                                        false, &candidates, diag);
  if (status != AQ_OK)
    return status;
  /* A sweep stores no run that fell back. */
  if (!options->plan) {
    m.study.fell_back = candidates.fell_back;
    m.study.left_out = candidates.asked - candidates.fell_back;
  }
  for (size_t i = 0; i < candidates.count && status == AQ_OK; i++)
    status = candidate_count(&m, store, &candidates.of[i], options, diag);
  aq_candidates_fini(&candidates);
  if (status == AQ_OK && (!figures_normalise(&m) || !rows_sort(&m.study)))
    status = aq_diag_no_memory(diag);
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
                            const aq_study_row *baseline, size_t figure,
                            double *base)
{
  double *values = malloc((row->count + 1) * sizeof *values), sum = 0;
  size_t count = 0;
  for (size_t i = 0; values && i < row->count; i++) {
    const aq_study_replica *other = replica_of(baseline, row->replicas[i].seed);
    if (!other || isnan(row->replicas[i].figures[figure]) ||
        isnan(other->figures[figure]))
      continue;
    sum += other->figures[figure];
    values[count++] = row->replicas[i].figures[figure] - other->figures[figure];
  }
  if (base)
    *base = sum / (double)count;
  return estimate(values, count);
}
