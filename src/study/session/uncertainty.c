/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/session/uncertainty.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/map.h"
#include "common/memory_sink.h"
#include "common/text.h"
#include "report/stats/quantile.h"
#include "store/foreach_row.h"
#include "study/session/replay.h"
#include "transport/registry/device_models.h"

enum { EDIT_SIZE = 96 };

/* The figures whose intervals are wanted. */
typedef struct figures {
  aq_time makespan, latency;
  bool graphs; /* a row is of a graph launch */
} figures;

/* A session and the edits of its device model, with room for one more. */
typedef struct trial {
  aq_session *session;
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
  bool graphs = false;
  aq_time *latencies = malloc((sink->count + 1) * sizeof *latencies);
  if (!latencies)
    return aq_diag_no_memory(diag);
  for (size_t i = 0; i < sink->count; i++) {
    const aq_record *row = &sink->rows[i];
    const bool work = row->kind == AQ_KIND_KERNEL ||
                      row->kind == AQ_KIND_COPY || row->kind == AQ_KIND_FILL;
    if (!work || row->start == AQ_TIME_NONE || row->end == AQ_TIME_NONE)
      continue;
    graphs |= (row->flags & AQ_FLAG_GRAPH_FIRST) != 0;
    first = aq_time_min(first, row->start);
    last = aq_time_max(last, row->end);
    if (row->submit != AQ_TIME_NONE && !(row->flags & AQ_FLAG_PINNED))
      latencies[count++] = row->start - row->submit;
  }
  *out = (figures){.makespan = last > first ? last - first : 0,
                   .latency = count ? aq_median(latencies, count) : 0,
                   .graphs = graphs};
  free(latencies);
  return AQ_OK;
}

/* Replays the run into memory; the caller finishes `sink`, also after an error.
 */
static aq_status trial_replay(trial *t, const aq_replay_hooks *hooks,
                              aq_memory_sink *sink)
{
  aq_performed performed = {0};
  aq_run_info info = {.kind = AQ_RUN_SIMULATED};
  aq_memory_sink_init(sink);
  t->session->instead = &sink->sink;
  aq_status status = aq_replay_perform(t->session, t->store, t->ask, hooks,
                                       &info, &performed, NULL, t->diag);
  aq_performed_fini(&performed);
  return status;
}

/* RDNA's kernels leave gaps. */
static aq_interval_class class_of(const aq_device_model *model, bool graphs)
{
  return strcmp(aq_device_model_text(model, "start_stamp"), "wave") == 0
             ? AQ_INTERVAL_RDNA
         : graphs ? AQ_INTERVAL_GRAPHS
                  : AQ_INTERVAL_DIRECT;
}

/* Half of the distance between the figures at both ends of a spread. */
static aq_status constant_try(trial *t, const aq_device_constant *constant,
                              double half[2], bool *graphs)
{
  figures ends[2];
  for (int i = 0; i < 2; i++) {
    const int64_t value =
        constant->number + (i ? constant->spread : -constant->spread);
    snprintf(t->edit, sizeof t->edit, "%.40s=%" PRId64 " ps", constant->key,
             value > 0 ? value : 0);
    t->edits[t->edit_count] = t->edit;
    t->edits[t->edit_count + 1] = NULL;
    aq_memory_sink sink;
    t->session->options.edits = (const char *const *)t->edits;
    aq_status status = trial_replay(t, NULL, &sink);
    if (status == AQ_OK)
      status = figures_read(&sink, &ends[i], t->diag);
    aq_memory_sink_fini(&sink);
    if (status != AQ_OK)
      return status;
  }
  half[0] = (double)(ends[1].makespan - ends[0].makespan) / 2;
  half[1] = (double)(ends[1].latency - ends[0].latency) / 2;
  *graphs = ends[0].graphs;
  return AQ_OK;
}

static aq_status constants_try(trial *t, const aq_device_model *model,
                               aq_interval *out)
{
  static const char *const unexplained[2][2] = {
      {"unexplained_makespan", "unexplained_latency"},
      {"unexplained_graph_makespan", "unexplained_graph_latency"}};
  double sums[2] = {0};
  bool graphs = false;
  *out = (aq_interval){.rows = AQ_NONE};
  for (size_t i = 0; i < model->count; i++) {
    const aq_device_constant *constant = &model->constants[i];
    double half[2];
    if (!constant->timing || constant->spread == 0)
      continue;
    aq_status status = constant_try(t, constant, half, &graphs);
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
  for (int i = 0; i < 2; i++)
    sums[i] +=
        pow((double)aq_device_model_number(model, unexplained[graphs][i]), 2);
  out->class = class_of(model, graphs);
  out->makespan = (aq_time)sqrt(sums[0]);
  out->latency = (aq_time)sqrt(sums[1]);
  return AQ_OK;
}

/* ---- the rows of a fitted part ---- */

enum { LEAST_ROWS = 10, BLOCKS = 10 };

/* Errors of the rest beyond the errors of the part, each source left out of its
 * model (make fit-table prints them): nine of ten traces of 14 sources of
 * direct launches are within; of runs with graph launches, of which there are
 * too few, it is the error of the furthest of 6 sources. The one source of RDNA
 * that is
 * published is too few for more: it takes the errors of graphs. */
static const struct {
  aq_time makespan, latency;
} rest[] = {[AQ_INTERVAL_DIRECT] = {6500 * AQ_NS, 1400 * AQ_NS},
            [AQ_INTERVAL_GRAPHS] = {58000 * AQ_NS, 24500 * AQ_NS},
            [AQ_INTERVAL_RDNA] = {58000 * AQ_NS, 24500 * AQ_NS}};

/* A row of the part: measured, then as the replay has it. */
typedef struct part_row {
  aq_time end, latency;
  aq_time end_off, latency_run; /* AQ_TIME_NONE: it is not scored */
} part_row;

typedef struct part_rows {
  const aq_fitted_part *part;
  part_row *at; /* by start */
  size_t count, capacity;
  aq_map by_number;
  bool graphs; /* a row is of a graph launch */
} part_rows;

static bool is_work(const aq_record *row)
{
  return (row->kind == AQ_KIND_KERNEL || row->kind == AQ_KIND_COPY ||
          row->kind == AQ_KIND_FILL) &&
         row->start != AQ_TIME_NONE && row->end != AQ_TIME_NONE;
}

/* As compare has it. */
static aq_time submission_of(const aq_record *row)
{
  return row->host_end != AQ_TIME_NONE ? row->host_end : row->submit;
}

static bool part_row_add(void *user, const aq_record *row, int64_t number,
                         const char *name)
{
  part_rows *rows = user;
  (void)name;
  if (!is_work(row) || submission_of(row) == AQ_TIME_NONE ||
      row->start < rows->part->from || row->start >= rows->part->until)
    return true;
  return aq_map_put(&rows->by_number, (uint64_t)number, rows->count) &&
         AQ_ARRAY_PUSH(rows->at, rows->count, rows->capacity,
                       (part_row){row->end, row->start - submission_of(row),
                                  AQ_TIME_NONE, AQ_TIME_NONE});
}

/* Keeps the rows that are scored, with their errors. */
static void part_rows_join(part_rows *rows, const aq_memory_sink *sink)
{
  uint64_t at;
  for (size_t i = 0; i < sink->count; i++) {
    const aq_record *row = &sink->rows[i];
    rows->graphs |= (row->flags & AQ_FLAG_GRAPH_FIRST) != 0;
    if (!is_work(row) || row->flags & AQ_FLAG_PINNED ||
        row->origin == AQ_NONE || submission_of(row) == AQ_TIME_NONE ||
        !aq_map_get(&rows->by_number, (uint64_t)row->origin, &at))
      continue;
    rows->at[at].end_off = llabs(row->end - rows->at[at].end);
    rows->at[at].latency_run = row->start - submission_of(row);
  }
  size_t kept = 0;
  for (size_t i = 0; i < rows->count; i++)
    if (rows->at[i].end_off != AQ_TIME_NONE)
      rows->at[kept++] = rows->at[i];
  rows->count = kept;
}

/* The value that a next one exceeds in one case of ten; sorts them. */
static aq_time ninth_of_ten(aq_time *values, size_t count)
{
  aq_median(values, count); /* sorts */
  const size_t rank = (9 * (count + 1) + 9) / 10;
  return values[rank < count ? rank - 1 : count - 1];
}

/* How far the median latency of a block of rows is off. */
static aq_time block_off(const part_row *rows, size_t count, aq_time *scratch)
{
  for (size_t i = 0; i < count; i++)
    scratch[i] = rows[i].latency;
  const aq_time measured = aq_median(scratch, count);
  for (size_t i = 0; i < count; i++)
    scratch[i] = rows[i].latency_run;
  return llabs(aq_median(scratch, count) - measured);
}

static aq_status part_rows_report(const part_rows *rows,
                                  aq_interval_class class, aq_interval *out,
                                  aq_diag *diag)
{
  aq_time offs[BLOCKS];
  if (rows->count < LEAST_ROWS)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%zu scored row%s of %s: expected at least %d for an "
                       "interval",
                       rows->count, aq_text_plural(rows->count),
                       rows->part->asked, LEAST_ROWS);
  aq_time *scratch = malloc(rows->count * sizeof *scratch);
  if (!scratch)
    return aq_diag_no_memory(diag);
  for (size_t i = 0; i < BLOCKS; i++) {
    const size_t from = i * rows->count / BLOCKS;
    const size_t until = (i + 1) * rows->count / BLOCKS;
    offs[i] = block_off(rows->at + from, until - from, scratch);
  }
  for (size_t i = 0; i < rows->count; i++)
    scratch[i] = rows->at[i].end_off;
  const aq_time makespan = ninth_of_ten(scratch, rows->count);
  const aq_time latency = ninth_of_ten(offs, BLOCKS);
  *out = (aq_interval){
      .makespan =
          (aq_time)hypot((double)makespan, (double)rest[class].makespan),
      .latency = (aq_time)hypot((double)latency, (double)rest[class].latency),
      .class = class,
      .rows = (int64_t)rows->count,
      .part_makespan = makespan,
      .part_latency = latency};
  free(scratch);
  return AQ_OK;
}

/* The constants stay: the rows that they were fitted to are off by so much. */
static aq_status part_try(trial *t, const aq_device_model *model,
                          const aq_fitted_part *part, aq_interval *out)
{
  const aq_replay_hooks hooks = {.fitted = part};
  part_rows rows = {.part = part, .by_number = AQ_MAP_INIT};
  aq_memory_sink sink;
  aq_run_info *origin;
  aq_run_reader *reader;
  aq_status status = aq_store_find(t->store, t->ask->origin, &origin, t->diag);
  if (status != AQ_OK)
    return status;
  status = aq_run_reader_open(t->store, origin->id, AQ_ORDER_START, &reader,
                              t->diag);
  if (status == AQ_OK) {
    status = aq_run_reader_each(reader, part_row_add, &rows, t->diag);
    aq_run_reader_close(reader);
  }
  if (status == AQ_OK) {
    status = trial_replay(t, &hooks, &sink);
    if (status == AQ_OK)
      part_rows_join(&rows, &sink);
    aq_memory_sink_fini(&sink);
  }
  if (status == AQ_OK)
    status =
        part_rows_report(&rows, class_of(model, rows.graphs), out, t->diag);
  aq_map_fini(&rows.by_number);
  free(rows.at);
  aq_run_info_free(origin);
  return status;
}

/* ---- both ---- */

static void interval_note(const aq_interval *interval, const aq_notes *notes)
{
  char by[64];
  if (interval->rows == AQ_NONE)
    snprintf(by, sizeof by, "the spreads of %" PRIu32 " constant%s",
             interval->constants, aq_text_plural(interval->constants));
  else
    snprintf(by, sizeof by, "the errors of %" PRId64 " fitted row%s",
             interval->rows, aq_text_plural(interval->rows));
  aq_note(notes, "%s, by %s: makespan +- %.3f us, median latency +- %.3f us",
          aq_interval_cover_of(interval->class, interval->rows == AQ_NONE
                                                    ? AQ_INTERVAL_BY_CONSTANTS
                                                    : AQ_INTERVAL_BY_ROWS)
              .words,
          by, (double)interval->makespan / (double)AQ_US,
          (double)interval->latency / (double)AQ_US);
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

aq_status aq_replay_interval(aq_session *session, aq_store *store,
                             const aq_replay_ask *ask,
                             const aq_fitted_part *fitted, aq_interval *out,
                             const aq_notes *notes, aq_diag *diag)
{
  const aq_performance_options kept = session->options;
  trial t = {.session = session, .store = store, .ask = ask, .diag = diag};
  aq_device_model *model = NULL;
  char *devices = NULL, name[256];
  if (session->hardware)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "intervals are of the constants of a device model: "
                       "expected the simulator, not hardware");
  aq_status status =
      aq_replay_device_find(session, store, ask->origin, &devices, diag);
  if (status == AQ_OK) {
    snprintf(name, sizeof name, "%.*s", (int)strcspn(devices, ",*"), devices);
    status = aq_device_model_load(name, kept.edits, &model, diag);
  }
  if (status == AQ_OK)
    status = edits_copy(&t, kept.edits);
  if (status == AQ_OK)
    status = fitted ? part_try(&t, model, fitted, out)
                    : constants_try(&t, model, out);
  if (status == AQ_OK)
    interval_note(out, notes);
  session->options = kept;
  session->instead = NULL;
  aq_device_model_free(model);
  free(t.edits);
  free(devices);
  return status;
}
