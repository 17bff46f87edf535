/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/whatif/whatif.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/fnv.h"
#include "report/explain/explain.h"
#include "study/whatif/provenance.h"
#include "study/whatif/variant.h"

/* A graph's constants were measured in one trace each: its range takes them
 * from half to twice as long. */
#define GRAPH_EDITS(factor)                                                    \
  "graph_launch=" factor "x", "graph_per_node=" factor "x"

enum {
  REPLAYS_MAX = 12, /* until the ranks of collectives meet */
  /* After a change, or the makespan moves by less than one of so many parts: */
  MAKESPANS = 10000,
  RANGES = 1000, /* at an end of a range */
};

/* ---- changes ---- */

/* `edits` has room: see edits_create. */
static void edit_add(aq_whatif_variant *v, const char *edit)
{
  v->edits[v->edit_count++] = edit;
}

static void graph_edits_add(aq_whatif_variant *v)
{
  static const char *const edits[][2] = {{GRAPH_EDITS("0.5")},
                                         {GRAPH_EDITS("2")}};
  if (v->end == AQ_END_MIDDLE)
    return;
  edit_add(v, edits[v->end == AQ_END_MOST][0]);
  edit_add(v, edits[v->end == AQ_END_MOST][1]);
}

static void change_apply(aq_whatif_variant *v, const aq_change *change)
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
  aq_whatif_variant *v = user;
  const bool kernel = row->kind == AQ_KIND_KERNEL;
  const aq_family family =
      kernel ? aq_family_recall(&v->families, row->name, name) : AQ_FAMILY_COPY;
  *(kernel ? &v->kernels[family] : &v->copies) += 1;
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
  aq_timeline_waited(&((aq_whatif_variant *)user)->timeline, pid, time, row);
}

/* Room for edits of the options and of all changes: each adds at most one, and
 * graphs two at an end of their range. */
static bool edits_create(aq_whatif_variant *v, const char *const *first,
                         size_t changes)
{
  size_t count = changes + 2;
  for (const char *const *edit = first; edit && *edit; edit++)
    count++;
  v->edits = calloc(count, sizeof *v->edits);
  return v->edits != NULL;
}

static aq_status variant_init(aq_whatif_variant *v, const aq_whatif_table *of,
                              const aq_change *changes, size_t count,
                              aq_end end)
{
  const char *const *first = of->options->edits;
  *v = (aq_whatif_variant){.of = of,
                           .options = *of->options,
                           .ask = {.origin = of->run,
                                   .closed = true,
                                   .confidence = AQ_REPLAY_EDGES_DEFAULT},
                           .clock = 1,
                           .bandwidth = 1,
                           .link = 1,
                           .end = end};
  aq_timeline_init(&v->timeline);
  if (!edits_create(v, first, count))
    return aq_diag_no_memory(of->diag);
  for (const char *const *edit = first; edit && *edit; edit++)
    edit_add(v, *edit);
  for (size_t i = 0; i < count; i++)
    change_apply(v, &changes[i]);
  v->options.edits = v->edits;
  return AQ_OK;
}

static void variant_fini(aq_whatif_variant *v)
{
  aq_timeline_fini(&v->timeline);
  aq_family_memo_fini(&v->families);
  free(v->edits);
  free(v->measured_on);
}

/* --device is a change; the device before changes is the run's own. */
static const char of_run[] =
    "AQUEDUCT_DEVICE, which names the GPU that it was measured on";

static aq_status variant_perform(aq_whatif_variant *v, aq_session *session)
{
  const aq_replay_hooks hooks = {.duration = v->of->collectives->count > 0 ||
                                                     v->clock != 1 ||
                                                     v->bandwidth != 1
                                                 ? duration_of
                                                 : NULL,
                                 .waited = waited,
                                 .user = v,
                                 .end = v->end,
                                 .device_option = of_run,
                                 .facts = &v->facts};
  aq_run_info info;
  aq_performed performed;
  aq_diag *diag = v->of->diag;
  aq_run_info_init(&info, AQ_RUN_SIMULATED);
  session->instead = &v->timeline.sink;
  aq_status status =
      aq_replay_once(session, v->of->store, &v->ask, &hooks, &info, &performed,
                     v->replays == 1 ? v->of->notes : NULL, diag);
  if (status != AQ_OK)
    return status;
  v->of->out->run = info.origin;
  snprintf(v->model, sizeof v->model, "%s", performed.totals.device_model);
  free(v->measured_on);
  v->measured_on =
      strdup(performed.durations ? performed.durations : "unknown");
  aq_performed_fini(&performed);
  return v->timeline.status == AQ_OK && v->measured_on
             ? AQ_OK
             : aq_diag_no_memory(diag);
}

static aq_status variant_replay(aq_whatif_variant *v)
{
  aq_session session;
  aq_diag *diag = v->of->diag;
  aq_status status = aq_session_init(&session, &v->options, NULL, diag);
  if (status != AQ_OK)
    return status;
  if (session.hardware || v->options.live)
    status = aq_diag_set(diag, AQ_ERR_INVALID,
                         "what if: expected the simulator in virtual time");
  if (status == AQ_OK)
    status = variant_perform(v, &session);
  aq_session_fini(&session);
  return status;
}

/* Replays until each rank waits in collectives for the last one. The waits
 * begin `from`. After a change those are of the unchanged replay, and settled:
 * it is enough there that the makespan stands. */
static aq_status variant_run(aq_whatif_variant *v, aq_collectives_from from,
                             aq_critical *out)
{
  aq_collectives *collectives = v->of->collectives;
  aq_diag *diag = v->of->diag;
  aq_status status = AQ_OK;
  const aq_time parts = v->end == AQ_END_MIDDLE ? MAKESPANS : RANGES;
  aq_time makespan = 0;
  for (v->replays = 1; status == AQ_OK; v->replays++) {
    const aq_time before = makespan;
    aq_collectives_begin(collectives, v->replays == 1 ? from : AQ_FROM_LAST);
    status = variant_replay(v);
    if (status != AQ_OK || collectives->met == 0)
      break;
    for (size_t i = 0; i < v->timeline.count; i++)
      aq_collectives_began(collectives, v->timeline.rows[i].origin,
                           v->timeline.rows[i].start);
    status = aq_collectives_settle(collectives, &v->unsettled, diag);
    if (status != AQ_OK)
      return status;
    makespan = aq_timeline_makespan(&v->timeline);
    const bool roughly = from != AQ_FROM_MEASURED && v->replays > 1;
    if (v->unsettled < AQ_US || v->replays == REPLAYS_MAX ||
        (roughly && llabs(makespan - before) < makespan / parts))
      break;
    aq_timeline_fini(&v->timeline);
    aq_timeline_init(&v->timeline);
    memset(v->kernels, 0, sizeof v->kernels);
    v->copies = 0;
  }
  v->timeline.lost = v->of->lost;
  v->timeline.lost_count = v->of->lost_count;
  return status == AQ_OK ? aq_critical_find(&v->timeline, out, diag) : status;
}

/* ---- rows ---- */

/* Time in which some row ran; the critical path has sorted the rows. */
static aq_time busy_of(const aq_timeline *t)
{
  aq_time until = AQ_TIME_NONE, sum = 0;
  for (size_t i = 0; i < t->count; i++) {
    const aq_time from = aq_time_max(t->rows[i].start, until);
    sum += aq_time_max(t->rows[i].end - from, 0);
    until = aq_time_max(until, t->rows[i].end);
  }
  return sum;
}

/* Without a recorded wait the replay's host follows no row. A host that waited
 * for each would move with the rows: both are in the range. */
static void range_follow(const aq_whatif *w, const aq_timeline *t,
                         aq_whatif_row *row)
{
  if (w->waits > 0)
    return;
  const aq_time followed =
      w->rows[0].after.makespan + busy_of(t) - w->rows[0].busy;
  row->least = aq_time_min(row->least, followed);
  row->most = aq_time_max(row->most, followed);
}

static void replay_done(aq_whatif_table *t)
{
  t->done++;
  if (t->progress)
    t->progress->update(t->done, t->total, t->progress->user);
}

static bool are_uncertain(const aq_change *changes, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (is_uncertain(&changes[i]))
      return true;
  return false;
}

/* One without a change, one of each and of all; uncertain ones have two ends
 * more. */
static uint64_t replays_count(const aq_change *changes, size_t count)
{
  uint64_t total = 1;
  for (size_t i = 0; i < count; i++)
    total += are_uncertain(&changes[i], 1) ? 3 : 1;
  if (count > 1)
    total += are_uncertain(changes, count) ? 3 : 1;
  return total;
}

/* Widens the range of a row by one end of the uncertain durations. */
static aq_status end_take(aq_whatif_table *t, const aq_change *changes,
                          size_t count, aq_end end, aq_whatif_row *row)
{
  aq_whatif_variant v;
  aq_critical found;
  aq_status status = variant_init(&v, t, changes, count, end);
  if (status == AQ_OK)
    status = variant_run(&v, AQ_FROM_LAST, &found);
  if (status == AQ_OK) {
    row->least = aq_time_min(row->least, found.makespan);
    row->most = aq_time_max(row->most, found.makespan);
    range_follow(t->out, &v.timeline, row);
  }
  replay_done(t);
  variant_fini(&v);
  return status;
}

static aq_status ends_take(aq_whatif_table *t, const aq_change *changes,
                           size_t count, aq_whatif_row *row)
{
  if (!are_uncertain(changes, count))
    return AQ_OK;
  aq_status status = end_take(t, changes, count, AQ_END_LEAST, row);
  return status == AQ_OK ? end_take(t, changes, count, AQ_END_MOST, row)
                         : status;
}

/* Of the times of all rows, which the critical path has sorted. */
static uint64_t digest_of(const aq_timeline *t)
{
  uint64_t digest = AQ_FNV_START;
  for (size_t i = 0; i < t->count; i++) {
    const aq_timeline_row *row = &t->rows[i];
    const int64_t times[] = {row->origin, row->start, row->end};
    digest = aq_fnv_add(digest, times, sizeof times);
  }
  return digest;
}

/* `name`, or NULL where memory is gone, is the row's from now on. */
static aq_status row_make(aq_whatif_table *t, char *name,
                          const aq_change *changes, size_t count)
{
  aq_whatif_row *row = &t->out->rows[t->out->count++];
  aq_whatif_variant v;
  *row = (aq_whatif_row){.change = name};
  if (!name)
    return aq_diag_no_memory(t->diag);
  aq_status status = variant_init(&v, t, changes, count, AQ_END_MIDDLE);
  if (status == AQ_OK)
    status = variant_run(&v, count == 0 ? AQ_FROM_MEASURED : AQ_FROM_KEPT,
                         &row->after);
  if (status == AQ_OK) {
    row->basis = aq_whatif_basis(&v, changes, count);
    row->graphs = v.facts.graphs;
    row->digest = digest_of(&v.timeline);
    row->least = row->most = row->after.makespan;
    if (count == 0) {
      aq_collectives_keep(t->collectives);
      t->out->calls = v.facts.calls;
      t->out->waits = v.facts.waits;
      row->busy = busy_of(&v.timeline);
    }
    range_follow(t->out, &v.timeline, row);
    row->predicted = v.clock != 1 || v.bandwidth != 1 || v.link != 1 ||
                     strncmp(v.measured_on, "predicted", 9) == 0;
    status = row->basis ? AQ_OK : aq_diag_no_memory(t->diag);
  }
  replay_done(t);
  variant_fini(&v);
  if (status != AQ_OK)
    return status;
  status = ends_take(t, changes, count, row);
  const aq_whatif_row *base = &t->out->rows[0];
  row->depends = row->digest != base->digest || row->least != row->most;
  return status;
}

/* For the caller to free; NULL: no memory. */
static char *change_describe(const aq_change *change)
{
  const char *name = aq_change_name(change->id);
  char *word;
  int size;
  if (change->text)
    size = asprintf(&word, "%s %s", name, change->text);
  else if (change->number)
    size = asprintf(&word, "%s %" PRId64, name, change->number);
  else if (change->id == AQ_CHANGE_GRAPHS)
    size = asprintf(&word, "%s", name);
  else
    size = asprintf(&word, "%s x%g", name, change->factor);
  return size < 0 ? NULL : word;
}

/* ---- the run itself ---- */

/* A damaged run that its replay does not repeat. */
static void unlike_describe(aq_whatif *w)
{
  const aq_time off = w->measured - w->rows[0].after.makespan;
  if (!w->info->damage || w->error < 0.01)
    return;
  snprintf(w->unlike, sizeof w->unlike,
           "the unchanged replay of the damaged run is %.3f us %s than the run "
           "(%.1f %%): every range includes it, but not the effect of a change "
           "on lost records",
           (double)(off < 0 ? -off : off) / (double)AQ_US,
           off < 0 ? "longer" : "shorter", 100 * w->error);
}

/* The error of the unchanged replay is part of every range, which so contains
 * the measured makespan where nothing is changed. */
static void ranges_widen(aq_whatif *w)
{
  const double measured = (double)w->measured;
  const double replayed = (double)w->rows[0].after.makespan;
  if (measured <= 0 || replayed <= 0)
    return;
  const double off =
      measured > replayed ? measured / replayed : replayed / measured;
  for (size_t i = 0; i < w->count; i++) {
    w->rows[i].least = (aq_time)((double)w->rows[i].least / off);
    w->rows[i].most = (aq_time)((double)w->rows[i].most * off);
  }
}

/* Last end less first start of the rows that a replay has. */
static aq_status measured_find(const aq_whatif_table *t, aq_time *out)
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

/* Whether the run records anything that the change is of. */
static aq_status change_check(const aq_whatif *w, const aq_change *change,
                              aq_diag *diag)
{
  const bool of_calls =
      change->id == AQ_CHANGE_LAUNCH || change->id == AQ_CHANGE_GRAPHS;
  const bool of_host = change->id == AQ_CHANGE_HOST;
  if (w->calls > 0 || !(of_calls || (of_host && w->waits == 0)))
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "--%s: run %" PRId64 " records no host call, so nothing "
                     "is known about %s; expected a profile with host calls "
                     "(doc/recording.md)",
                     aq_change_name(change->id), w->run,
                     of_calls ? "its launches" : "the time between its calls");
}

/* Leaves out optional changes that the run records nothing of. */
static aq_status changes_keep(const aq_whatif *w, aq_change *changes,
                              size_t *count, aq_diag *diag)
{
  size_t kept = 0;
  for (size_t i = 0; i < *count; i++) {
    aq_diag ignored = AQ_DIAG_INIT;
    const bool optional = changes[i].optional;
    const aq_status status =
        change_check(w, &changes[i], optional ? &ignored : diag);
    if (status != AQ_OK && !optional)
      return status;
    if (status == AQ_OK)
      changes[kept++] = changes[i];
  }
  *count = kept;
  return AQ_OK;
}

static aq_status base_make(aq_whatif_table *t)
{
  aq_whatif *out = t->out;
  aq_status status = row_make(t, strdup("none"), NULL, 0);
  if (status == AQ_OK)
    status = measured_find(t, &out->measured);
  if (status != AQ_OK || out->measured == 0)
    return status;
  const double off = (double)(out->rows[0].after.makespan - out->measured);
  out->error = (off < 0 ? -off : off) / (double)out->measured;
  unlike_describe(out);
  return AQ_OK;
}

static aq_status collectives_read(const aq_whatif_table *t)
{
  aq_run_info *run;
  aq_status status = aq_store_find(t->store, t->run, &run, t->diag);
  if (status != AQ_OK)
    return status;
  t->out->info = run;
  /* Each replay of a change reads the rows several times; aq_whatif_make
   * forgets them. */
  status = aq_store_keep(t->store, run->id, t->diag);
  if (status == AQ_OK)
    status = aq_collectives_read(t->store, run->id, t->collectives, t->diag);
  t->out->collectives = t->collectives->count;
  t->out->met = t->collectives->met;
  t->out->ranks = t->collectives->ranks;
  t->out->waiting = t->collectives->waiting;
  t->out->transfer = t->collectives->transfer;
  return status;
}

/* The rows behind work whose record the trace lost. */
static aq_status lost_read(aq_whatif_table *t)
{
  aq_run_reader *reader;
  aq_dispatches dispatches = {0};
  aq_status status = aq_run_reader_open(t->store, t->out->info->id,
                                        AQ_ORDER_STORED, &reader, t->diag);
  if (status != AQ_OK)
    return status;
  status = aq_dispatches_read(reader, AQ_WANT_DISPATCHES, &dispatches, t->diag);
  if (status == AQ_OK && dispatches.lost_count > 0) {
    t->lost = aq_explain_lost_gaps(&dispatches, &t->lost_count);
    status = t->lost ? AQ_OK : aq_diag_no_memory(t->diag);
  }
  aq_dispatches_fini(&dispatches);
  aq_run_reader_close(reader);
  return status;
}

aq_status aq_whatif_make(const aq_performance_options *options, aq_store *store,
                         const char *run, const aq_change *changes,
                         size_t count, aq_whatif *out, const aq_notes *notes,
                         const aq_whatif_progress *progress, aq_diag *diag)
{
  aq_collectives collectives = {.count = 0};
  aq_change kept[AQ_WHATIF_CHANGES_MAX];
  char id[AQ_RUN_ID_TEXT];
  aq_whatif_table t = {.collectives = &collectives,
                       .options = options,
                       .store = store,
                       .run = id,
                       .notes = notes,
                       .out = out,
                       .progress = progress,
                       .total = replays_count(changes, count),
                       .diag = diag};
  *out = (aq_whatif){.count = 0};
  aq_status status = changes_check(changes, count, diag);
  if (status == AQ_OK)
    status = aq_store_find_id(store, run, id, diag);
  if (status == AQ_OK)
    status = collectives_read(&t);
  if (status == AQ_OK)
    status = lost_read(&t);
  if (status == AQ_OK)
    status = base_make(&t);
  t.notes = NULL;
  if (status == AQ_OK) {
    if (count > 0)
      memcpy(kept, changes, count * sizeof *kept);
    status = changes_keep(out, kept, &count, diag);
    t.total = replays_count(kept, count);
  }
  for (size_t i = 0; i < count && status == AQ_OK; i++)
    status = row_make(&t, change_describe(&kept[i]), &kept[i], 1);
  if (status == AQ_OK && count > 1)
    status = row_make(&t, strdup("all"), kept, count);
  aq_collectives_fini(&collectives);
  free(t.lost);
  aq_store_forget(store);
  if (status == AQ_OK)
    ranges_widen(out);
  else
    aq_whatif_fini(out);
  return status;
}

void aq_whatif_fini(aq_whatif *table)
{
  for (size_t i = 0; i < table->count; i++) {
    free(table->rows[i].change);
    free(table->rows[i].basis);
  }
  aq_run_info_free(table->info);
  *table = (aq_whatif){.count = 0};
}
