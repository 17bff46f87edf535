/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/session/interval.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory_sink.h"
#include "report/stats/quantile.h"
#include "study/session/device_choice.h"
#include "study/session/replay.h"
#include "transport/registry/device_models.h"

enum { EDIT_SIZE = 96 };

/* The figures whose intervals are wanted. */
typedef struct figures {
  aq_time makespan, latency;
} figures;

/* A performance and the edits of its device model, with room for one more. */
typedef struct trial {
  aq_performance *performance;
  aq_store *store;
  const aq_replay_ask *ask;
  const char **edits;
  size_t edit_count;
  char edit[EDIT_SIZE];
  aq_diag *diag;
} trial;

static aq_status figures_read(const aq_memory_sink *sink, figures *out,
                              aq_diag *diag)
{
  aq_time first = AQ_TIME_MAX, last = INT64_MIN;
  size_t count = 0;
  aq_time *latencies = malloc((sink->count + 1) * sizeof *latencies);
  if (!latencies)
    return aq_diag_no_memory(diag);
  for (size_t i = 0; i < sink->count; i++) {
    const aq_record *row = &sink->rows[i];
    const bool work = row->kind == AQ_KIND_KERNEL ||
                      row->kind == AQ_KIND_COPY || row->kind == AQ_KIND_FILL;
    if (!work || row->start == AQ_TIME_NONE || row->end == AQ_TIME_NONE)
      continue;
    first = aq_time_min(first, row->start);
    last = aq_time_max(last, row->end);
    if (row->submit != AQ_TIME_NONE && !(row->flags & AQ_FLAG_PINNED))
      latencies[count++] = row->start - row->submit;
  }
  *out = (figures){.makespan = last > first ? last - first : 0,
                   .latency = count ? aq_median(latencies, count) : 0};
  free(latencies);
  return AQ_OK;
}

static aq_status trial_run(trial *t, figures *out)
{
  aq_memory_sink sink;
  aq_performed performed = {0};
  aq_run_info info = {.kind = AQ_RUN_SIMULATED};
  aq_memory_sink_init(&sink);
  t->performance->instead = &sink.sink;
  t->performance->options.edits = (const char *const *)t->edits;
  aq_status status = aq_replay_perform(t->performance, t->store, t->ask, NULL,
                                       &info, &performed, NULL, t->diag);
  if (status == AQ_OK)
    status = figures_read(&sink, out, t->diag);
  aq_performed_fini(&performed);
  aq_memory_sink_fini(&sink);
  return status;
}

/* Half of the distance between the figures at both ends of a spread. */
static aq_status constant_try(trial *t, const aq_device_constant *constant,
                              double half[2])
{
  figures ends[2];
  for (int i = 0; i < 2; i++) {
    const int64_t value =
        constant->number + (i ? constant->spread : -constant->spread);
    snprintf(t->edit, sizeof t->edit, "%.40s=%" PRId64 " ps", constant->key,
             value > 0 ? value : 0);
    t->edits[t->edit_count] = t->edit;
    t->edits[t->edit_count + 1] = NULL;
    aq_status status = trial_run(t, &ends[i]);
    if (status != AQ_OK)
      return status;
  }
  half[0] = (double)(ends[1].makespan - ends[0].makespan) / 2;
  half[1] = (double)(ends[1].latency - ends[0].latency) / 2;
  return AQ_OK;
}

static aq_status constants_try(trial *t, const aq_device_model *model,
                               aq_interval *out)
{
  double sums[2] = {
      pow((double)aq_device_model_number(model, "unexplained_makespan"), 2),
      pow((double)aq_device_model_number(model, "unexplained_latency"), 2)};
  *out = (aq_interval){.constants = 0};
  for (size_t i = 0; i < model->count; i++) {
    const aq_device_constant *constant = &model->constants[i];
    double half[2];
    if (!constant->timing || constant->spread == 0)
      continue;
    aq_status status = constant_try(t, constant, half);
    if (status != AQ_OK)
      return status;
    sums[0] += half[0] * half[0];
    sums[1] += half[1] * half[1];
    out->constants++;
  }
  if (out->constants == 0)
    return aq_diag_set(t->diag, AQ_ERR_INPUT,
                       "no constant of device model %.60s states a spread "
                       "(KEY = VALUE +- SPREAD); there is no interval",
                       model->name);
  out->makespan = (aq_time)sqrt(sums[0]);
  out->latency = (aq_time)sqrt(sums[1]);
  return AQ_OK;
}

/* The device models that the replay takes; the caller frees *out. */
static aq_status devices_find(trial *t, char **out)
{
  const char *asked = t->performance->options.device;
  aq_run_info *origin;
  aq_run_reader *reader;
  aq_device_choice choice;
  if (asked) {
    *out = strdup(asked);
    return *out ? AQ_OK : aq_diag_no_memory(t->diag);
  }
  aq_status status = aq_store_find(t->store, t->ask->origin, &origin, t->diag);
  if (status != AQ_OK)
    return status;
  status = aq_run_reader_open(t->store, origin->id, AQ_ORDER_START, &reader,
                              t->diag);
  if (status == AQ_OK) {
    status = aq_device_choose(t->store, origin, reader, "--device", &choice,
                              t->diag);
    aq_run_reader_close(reader);
  }
  if (status == AQ_OK)
    *out = choice.models;
  aq_run_info_free(origin);
  return status;
}

static aq_status edits_copy(trial *t, const char *const *edits)
{
  while (edits && edits[t->edit_count])
    t->edit_count++;
  t->edits = calloc(t->edit_count + 2, sizeof *t->edits);
  if (!t->edits)
    return aq_diag_no_memory(t->diag);
  for (size_t i = 0; i < t->edit_count; i++)
    t->edits[i] = edits[i];
  return AQ_OK;
}

aq_status aq_replay_interval(aq_performance *performance, aq_store *store,
                             const aq_replay_ask *ask, aq_interval *out,
                             const aq_notes *notes, aq_diag *diag)
{
  const aq_performance_options kept = performance->options;
  trial t = {
      .performance = performance, .store = store, .ask = ask, .diag = diag};
  aq_device_model *model = NULL;
  char *devices = NULL, name[256];
  if (performance->hardware)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "intervals are of the constants of a device model: "
                       "expected the simulator, not hardware");
  aq_status status = devices_find(&t, &devices);
  if (status == AQ_OK) {
    snprintf(name, sizeof name, "%.*s", (int)strcspn(devices, ",*"), devices);
    status = aq_device_model_load(name, kept.edits, &model, diag);
  }
  if (status == AQ_OK)
    status = edits_copy(&t, kept.edits);
  if (status == AQ_OK)
    status = constants_try(&t, model, out);
  if (status == AQ_OK)
    aq_note(notes,
            "90 %% interval, by the spreads of %" PRIu32
            " constants: makespan +- %.3f us, median latency +- %.3f us",
            out->constants, (double)out->makespan / (double)AQ_US,
            (double)out->latency / (double)AQ_US);
  performance->options = kept;
  performance->instead = NULL;
  aq_device_model_free(model);
  free(t.edits);
  free(devices);
  return status;
}
