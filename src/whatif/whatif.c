/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "whatif/whatif.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perform/replay.h"
#include "predict/family.h"
#include "transports/device_models.h"
#include "whatif/collectives.h"

/* A graph's constants were measured in one trace each: its range takes them
 * from half to twice as long. */
#define GRAPH_EDITS(factor)                                                    \
  "graph_launch=" factor "x", "graph_per_node=" factor "x"

enum { REPLAYS_MAX = 12 /* until the ranks of collectives meet */ };

/* What every replay of a table has in common. */
typedef struct table {
  const aq_performance_options *options;
  aq_store *store;
  const char *run;
  const aq_notes *notes;
  aq_whatif *out;
  aq_collectives *collectives;
  aq_diag *diag;
} table;

/* One replay with some of the changes. */
typedef struct variant {
  const table *of;
  aq_performance_options options;
  aq_replay_ask ask;
  double clock, bandwidth, link;
  unsigned replays; /* until the ranks met, up to `unsettled` */
  aq_time unsettled;
  aq_end end; /* of its uncertain durations */
  const char *edits[2 * AQ_WHATIF_CHANGES_MAX + 4];
  size_t edit_count;
  char bandwidth_edit[64];
  aq_timeline timeline;
  aq_replay_facts facts;
  aq_family_memo families;
  int64_t kernels[AQ_FAMILY_COUNT]; /* whose durations were scaled */
  char model[256], measured_on[160];
} variant;

/* ---- changes ---- */

static void edit_add(variant *v, const char *edit)
{
  if (v->edit_count + 1 < sizeof v->edits / sizeof *v->edits)
    v->edits[v->edit_count++] = edit;
}

static void graph_edits_add(variant *v)
{
  static const char *const edits[][2] = {{GRAPH_EDITS("0.5")},
                                         {GRAPH_EDITS("2")}};
  if (v->end == AQ_END_MIDDLE)
    return;
  edit_add(v, edits[v->end == AQ_END_MOST][0]);
  edit_add(v, edits[v->end == AQ_END_MOST][1]);
}

static void change_apply(variant *v, const aq_change *change)
{
  switch (change->id) {
  case AQ_CHANGE_LAUNCH:
    v->ask.launch = change->factor;
    break;
  case AQ_CHANGE_HOST:
    v->ask.host = change->factor;
    break;
  case AQ_CHANGE_GRAPHS:
    v->ask.as_graph = true;
    graph_edits_add(v);
    break;
  case AQ_CHANGE_DEVICE:
    v->options.device = change->text;
    break;
  case AQ_CHANGE_CLOCK:
    v->clock = change->factor;
    break;
  case AQ_CHANGE_BANDWIDTH:
    v->bandwidth = change->factor;
    snprintf(v->bandwidth_edit, sizeof v->bandwidth_edit,
             "memory_bandwidth=%.9gx", change->factor);
    edit_add(v, v->bandwidth_edit);
    break;
  case AQ_CHANGE_LINK:
    v->link = change->factor;
    break;
  case AQ_CHANGE_QUEUES:
    v->ask.queues = (uint32_t)change->number;
    break;
  case AQ_CHANGE_SET:
    edit_add(v, change->text);
    break;
  case AQ_CHANGE_COUNT:
    break;
  }
}

/* Whether durations, or the cost of a graph, depend on more than the trace. */
static bool is_uncertain(const aq_change *change)
{
  return change->id == AQ_CHANGE_DEVICE || change->id == AQ_CHANGE_CLOCK ||
         change->id == AQ_CHANGE_BANDWIDTH || change->id == AQ_CHANGE_LINK ||
         change->id == AQ_CHANGE_GRAPHS;
}

/* ---- one replay ---- */

static aq_time duration_of(void *user, const aq_record *row, const char *name,
                           aq_time measured)
{
  variant *v = user;
  const aq_family family = aq_family_recall(&v->families, row->name, name);
  v->kernels[family]++;
  const aq_time found =
      aq_family_scale(family, measured, v->clock, v->bandwidth, v->end);
  /* `measured` is another device's already where the device changes. */
  return family == AQ_FAMILY_COLLECTIVE
             ? aq_collectives_duration(v->of->collectives,
                                       row->end - row->start, found, v->link,
                                       v->end)
             : found;
}

static void waited(void *user, int64_t pid, aq_time time, int64_t row)
{
  aq_timeline_waited(&((variant *)user)->timeline, pid, time, row);
}

static void variant_init(variant *v, const table *of, const aq_change *changes,
                         size_t count, aq_end end)
{
  *v = (variant){.of = of,
                 .options = *of->options,
                 .ask = {.origin = of->run,
                         .closed = true,
                         .confidence = AQ_REPLAY_EDGES_DEFAULT},
                 .clock = 1,
                 .bandwidth = 1,
                 .link = 1,
                 .end = end};
  for (const char *const *edit = of->options->edits; edit && *edit; edit++)
    edit_add(v, *edit);
  for (size_t i = 0; i < count; i++)
    change_apply(v, &changes[i]);
  v->options.edits = v->edits;
  aq_timeline_init(&v->timeline);
}

static void variant_fini(variant *v)
{
  aq_timeline_fini(&v->timeline);
  aq_family_memo_fini(&v->families);
}

static aq_status variant_perform(variant *v, aq_performance *performance)
{
  const aq_replay_hooks hooks = {.duration = v->of->collectives->count > 0 ||
                                                     v->clock != 1 ||
                                                     v->bandwidth != 1
                                                 ? duration_of
                                                 : NULL,
                                 .waited = waited,
                                 .user = v,
                                 .end = v->end,
                                 .facts = &v->facts};
  aq_run_info info;
  aq_performed performed;
  aq_diag *diag = v->of->diag;
  aq_run_info_init(&info, AQ_RUN_SIMULATED);
  performance->instead = &v->timeline.sink;
  aq_status status = aq_replay_perform(
      performance, v->of->store, &v->ask, &hooks, &info, &performed,
      v->replays == 1 ? v->of->notes : NULL, diag);
  if (status != AQ_OK)
    return status;
  v->of->out->run = info.origin;
  snprintf(v->model, sizeof v->model, "%s", performed.totals.device_model);
  snprintf(v->measured_on, sizeof v->measured_on, "%s",
           performed.durations ? performed.durations : "not known");
  aq_performed_fini(&performed);
  return v->timeline.status == AQ_OK ? AQ_OK : aq_diag_no_memory(diag);
}

static aq_status variant_replay(variant *v)
{
  aq_performance performance;
  aq_diag *diag = v->of->diag;
  aq_status status = aq_performance_init(&performance, &v->options, NULL, diag);
  if (status != AQ_OK)
    return status;
  if (performance.hardware || v->options.live)
    status = aq_diag_set(diag, AQ_ERR_INVALID,
                         "what if: expected the simulator in virtual time");
  if (status == AQ_OK)
    status = variant_perform(v, &performance);
  aq_performance_fini(&performance);
  return status;
}

/* Replays until each rank waits in collectives for the last one. */
static aq_status variant_run(variant *v, aq_critical *out)
{
  aq_collectives *collectives = v->of->collectives;
  aq_diag *diag = v->of->diag;
  aq_status status = AQ_OK;
  for (v->replays = 1; status == AQ_OK; v->replays++) {
    aq_collectives_begin(collectives, v->replays == 1);
    status = variant_replay(v);
    if (status != AQ_OK || collectives->met == 0)
      break;
    v->unsettled = aq_collectives_settle(collectives, &v->timeline);
    if (v->unsettled == AQ_TIME_NONE)
      return aq_diag_no_memory(diag);
    if (v->unsettled < AQ_US || v->replays == REPLAYS_MAX)
      break;
    aq_timeline_fini(&v->timeline);
    aq_timeline_init(&v->timeline);
    memset(v->kernels, 0, sizeof v->kernels);
  }
  return status == AQ_OK ? aq_critical_find(&v->timeline, out, diag) : status;
}

/* ---- the basis of a row ---- */

static void basis_add(char *basis, size_t size, const char *format, ...)
    AQ_PRINTF(3, 4);

static void basis_add(char *basis, size_t size, const char *format, ...)
{
  const size_t used = strlen(basis);
  va_list args;
  va_start(args, format);
  if (used + 3 < size) {
    const int gap = used ? snprintf(basis + used, size - used, "; ") : 0;
    vsnprintf(basis + used + gap, size - used - (size_t)gap, format, args);
  }
  va_end(args);
}

/* Where a constant of the model in force comes from. */
static void source_add(const variant *v, const char *key, char *basis,
                       size_t size)
{
  aq_device_model *model = NULL;
  aq_diag ignored = AQ_DIAG_INIT;
  if (aq_device_model_load(v->model, NULL, &model, &ignored) != AQ_OK)
    return;
  for (size_t i = 0; i < model->count; i++)
    if (strcmp(model->constants[i].key, key) == 0)
      basis_add(basis, size, "%s of %s is %.40s", key, v->model,
                model->constants[i].source);
  aq_device_model_free(model);
}

static void families_add(const variant *v, char *basis, size_t size)
{
  char text[256] = "";
  for (int i = 0; i < AQ_FAMILY_COUNT; i++)
    if (v->kernels[i] > 0) {
      const size_t used = strlen(text);
      snprintf(text + used, sizeof text - used, "%s%" PRId64 " %s",
               used ? ", " : "", v->kernels[i], aq_family_name((aq_family)i));
    }
  basis_add(basis, size,
            "predicted durations: assumed parts by family (%s kernels)", text);
}

/* What collectives wait for, and how well the replays found it. */
static void collectives_add(const variant *v, char *basis, size_t size)
{
  const aq_collectives *c = v->of->collectives;
  if (c->count == 0)
    return;
  basis_add(basis, size,
            "%zu of %zu collective kernels wait for the last of %zu ranks, "
            "within %.1f us after %u replays",
            c->met, c->count, c->ranks, (double)v->unsettled / (double)AQ_US,
            v->replays);
}

static void change_basis(const variant *v, const aq_change *change, char *basis,
                         size_t size)
{
  switch (change->id) {
  case AQ_CHANGE_LAUNCH:
    basis_add(basis, size, "the trace's launch calls (%" PRIu64 " submissions)",
              v->facts.jobs);
    break;
  case AQ_CHANGE_HOST:
    basis_add(basis, size, "the trace's host calls; %" PRIu64 " waits",
              v->facts.waits);
    break;
  case AQ_CHANGE_GRAPHS:
    basis_add(basis, size, "%" PRIu64 " graphs that a capture can hold",
              v->facts.graphs);
    source_add(v, "graph_per_node", basis, size);
    break;
  case AQ_CHANGE_DEVICE:
    basis_add(basis, size, "durations %s", v->measured_on);
    break;
  case AQ_CHANGE_CLOCK:
    families_add(v, basis, size);
    break;
  case AQ_CHANGE_BANDWIDTH:
    if (v->clock == 1)
      families_add(v, basis, size);
    break;
  case AQ_CHANGE_LINK:
    basis_add(
        basis, size,
        "transfers of %zu collective kernels, %.1f of their %.1f ms; 28 "
        "us of each assumed fixed",
        v->of->collectives->count,
        (double)v->of->collectives->transfer / (double)AQ_MS,
        (double)(v->of->collectives->transfer + v->of->collectives->waiting) /
            (double)AQ_MS);
    break;
  case AQ_CHANGE_QUEUES:
    basis_add(basis, size, "%" PRIu64 " known or inferred dependencies",
              v->facts.edges);
    break;
  case AQ_CHANGE_SET:
    basis_add(basis, size, "device model %s, edited", v->model);
    break;
  case AQ_CHANGE_COUNT:
    break;
  }
}

/* ---- rows ---- */

/* Widens the range of a row by one end of the uncertain durations. */
static aq_status end_take(const table *t, const aq_change *changes,
                          size_t count, aq_end end, aq_whatif_row *row)
{
  variant v;
  aq_critical found;
  variant_init(&v, t, changes, count, end);
  aq_status status = variant_run(&v, &found);
  variant_fini(&v);
  if (status != AQ_OK)
    return status;
  row->least = aq_time_min(row->least, found.makespan);
  row->most = aq_time_max(row->most, found.makespan);
  return AQ_OK;
}

static aq_status ends_take(const table *t, const aq_change *changes,
                           size_t count, aq_whatif_row *row)
{
  bool uncertain = false;
  for (size_t i = 0; i < count; i++)
    uncertain |= is_uncertain(&changes[i]);
  if (!uncertain)
    return AQ_OK;
  aq_status status = end_take(t, changes, count, AQ_END_LEAST, row);
  return status == AQ_OK ? end_take(t, changes, count, AQ_END_MOST, row)
                         : status;
}

/* The replay's own error is part of every range. */
static void error_take(const aq_whatif *out, aq_whatif_row *row)
{
  row->least -= (aq_time)((double)row->least * out->error);
  row->most += (aq_time)((double)row->most * out->error);
}

static aq_status row_make(const table *t, const char *name,
                          const aq_change *changes, size_t count)
{
  aq_whatif_row *row = &t->out->rows[t->out->count];
  variant v;
  *row = (aq_whatif_row){.basis = ""};
  snprintf(row->change, sizeof row->change, "%s", name);
  variant_init(&v, t, changes, count, AQ_END_MIDDLE);
  aq_status status = variant_run(&v, &row->after);
  for (size_t i = 0; i < count && status == AQ_OK; i++)
    change_basis(&v, &changes[i], row->basis, sizeof row->basis);
  if (status == AQ_OK && count == 0)
    basis_add(row->basis, sizeof row->basis,
              "closed loop on %s, %" PRIu64 " waits%s; durations %s", v.model,
              v.facts.waits,
              v.facts.waits ? "" : " known: no call follows the device",
              v.measured_on);
  if (status == AQ_OK)
    collectives_add(&v, row->basis, sizeof row->basis);
  row->graphs = v.facts.graphs;
  row->predicted = v.clock != 1 || v.bandwidth != 1 || v.link != 1 ||
                   strncmp(v.measured_on, "predicted", 9) == 0;
  variant_fini(&v);
  if (status != AQ_OK)
    return status;
  row->least = row->most = row->after.makespan;
  status = ends_take(t, changes, count, row);
  t->out->count += status == AQ_OK;
  return status;
}

static void change_word(const aq_change *change, char *out, size_t size)
{
  const char *name = aq_change_name(change->id);
  if (change->text)
    snprintf(out, size, "%s %s", name, change->text);
  else if (change->number)
    snprintf(out, size, "%s %" PRId64, name, change->number);
  else if (change->id == AQ_CHANGE_GRAPHS)
    snprintf(out, size, "%s", name);
  else
    snprintf(out, size, "%s x%g", name, change->factor);
}

/* ---- the run itself ---- */

/* Last end less first start of the rows that a replay has. */
static aq_status measured_find(const table *t, aq_time *out)
{
  aq_run_reader *reader;
  aq_record rows[64];
  int64_t numbers[64];
  aq_timeline measured;
  size_t got = 1;
  aq_status status = aq_run_reader_open(t->store, t->out->run, AQ_ORDER_START,
                                        &reader, t->diag);
  if (status != AQ_OK)
    return status;
  aq_timeline_init(&measured);
  while (got > 0 && status == AQ_OK) {
    status = aq_run_reader_next(reader, rows, numbers, 64, &got, t->diag);
    if (status == AQ_OK)
      status = measured.sink.put(&measured.sink, rows, got, t->diag);
  }
  *out = aq_timeline_makespan(&measured);
  aq_timeline_fini(&measured);
  aq_run_reader_close(reader);
  return status;
}

static aq_status changes_check(const aq_change *changes, size_t count,
                               aq_diag *diag)
{
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < i; j++)
      if (changes[i].id == changes[j].id && changes[i].id != AQ_CHANGE_SET)
        return aq_diag_set(diag, AQ_ERR_INVALID,
                           "--%s is given twice; expected once",
                           aq_change_name(changes[i].id));
  return count <= AQ_WHATIF_CHANGES_MAX
             ? AQ_OK
             : aq_diag_set(diag, AQ_ERR_INVALID,
                           "%zu changes; expected at most %d", count,
                           AQ_WHATIF_CHANGES_MAX);
}

static aq_status base_make(const table *t)
{
  aq_whatif *out = t->out;
  aq_status status = row_make(t, "none", NULL, 0);
  if (status == AQ_OK)
    status = measured_find(t, &out->measured);
  if (status != AQ_OK || out->measured == 0)
    return status;
  const double off = (double)(out->rows[0].after.makespan - out->measured);
  out->error = (off < 0 ? -off : off) / (double)out->measured;
  return AQ_OK;
}

static aq_status collectives_read(const table *t)
{
  aq_run_info *run;
  aq_status status = aq_store_find(t->store, t->run, &run, t->diag);
  if (status != AQ_OK)
    return status;
  status = aq_collectives_read(t->store, run->id, t->collectives, t->diag);
  t->out->collectives = t->collectives->count;
  t->out->met = t->collectives->met;
  t->out->ranks = t->collectives->ranks;
  t->out->waiting = t->collectives->waiting;
  t->out->transfer = t->collectives->transfer;
  aq_run_info_free(run);
  return status;
}

aq_status aq_whatif_make(const aq_performance_options *options, aq_store *store,
                         const char *run, const aq_change *changes,
                         size_t count, aq_whatif *out, const aq_notes *notes,
                         aq_diag *diag)
{
  aq_collectives collectives = {.count = 0};
  table t = {.collectives = &collectives,
             .options = options,
             .store = store,
             .run = run,
             .notes = notes,
             .out = out,
             .diag = diag};
  char word[128];
  *out = (aq_whatif){.count = 0};
  aq_status status = changes_check(changes, count, diag);
  if (status == AQ_OK)
    status = collectives_read(&t);
  if (status == AQ_OK)
    status = base_make(&t);
  t.notes = NULL;
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    change_word(&changes[i], word, sizeof word);
    status = row_make(&t, word, &changes[i], 1);
  }
  if (status == AQ_OK && count > 1)
    status = row_make(&t, "all", changes, count);
  aq_collectives_fini(&collectives);
  for (size_t i = 0; i < out->count; i++)
    error_take(out, &out->rows[i]);
  return status;
}
