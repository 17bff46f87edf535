/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/session/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "gpu/duration/cross_device.h"
#include "report/stats/compare_runs.h"
#include "study/session/device_choice.h"
#include "study/session/kernel_gaps.h"
#include "study/session/replay_clock.h"
#include "study/session/uncertainty.h"
#include "transport/registry/device_models.h"

/* A loose dependency held nothing back in the measured run, but may when the
 * host follows the device. */
enum { CONFIDENCE = 50, CONFIDENCE_CLOSED = 30, CONFIDENCE_CALL = 1 };

/* The rows of a stored run as replay wants them. */
typedef struct store_input {
  aq_replay_input input; /* first */
  aq_run_reader *reader;
} store_input;

static aq_status input_next(aq_replay_input *input, aq_record *rows,
                            int64_t *numbers, size_t capacity, size_t *count,
                            aq_diag *diag)
{
  store_input *from = (store_input *)input;
  return aq_run_reader_next(from->reader, rows, numbers, capacity, count, diag);
}

static const char *input_name(aq_replay_input *input, int64_t id)
{
  return aq_run_reader_name(((store_input *)input)->reader, id);
}

/* What one replay works with. */
typedef struct replay_job {
  aq_session *session;
  aq_store *store;
  const aq_notes *notes;
  aq_run_info *info;
  aq_performed *out;
  aq_diag *diag;
  /* Least of the inferred edges, and of those by calls; above 100: none. */
  int64_t confidence, call_confidence;
  aq_replay_options options;
  aq_replay_facts facts;
  uint64_t unsure;    /* edges below that confidence */
  char measured[160]; /* where the durations of the replayed run come from */
  /* Of the GPU whose durations the run has, and of the replay's. */
  aq_peaks from, to;
  bool transfers; /* durations go from one to the other */
  aq_end end;
  uint64_t transferred;
  double spread; /* sum of half the intervals' widths, as parts of durations */
  const aq_replay_hooks *hooks;
  aq_family_memo families;
  aq_kernel_gaps gaps;
  bool keep_clocks;
  aq_replay_clock clock;
} replay_job;

static const struct {
  const char *name, *meaning;
} drops[AQ_REPLAY_DROP_COUNT] = {
#define D(id, name, meaning) [AQ_REPLAY_DROP_##id] = {name, meaning},
    AQ_REPLAY_DROPS(D)
#undef D
};

/* Reports doorbells and starts that differ from the measured run's. */
static void doorbells_note(const aq_notes *notes, const aq_replay_facts *facts)
{
  if (facts->gates)
    aq_note(notes,
            "%" PRIu64 " row%s without a host call: replayed at the measured "
            "start",
            facts->gates, aq_text_plural(facts->gates));
  if (facts->near)
    aq_note(notes,
            "%" PRIu64 " row%s without a host call: start off by up to the "
            "time of a barrier packet",
            facts->near, aq_text_plural(facts->near));
  if (facts->held)
    aq_note(notes,
            "%" PRIu64 " doorbell%s up to %.1f us later than measured: "
            "%" PRIu64 " by the profiler's completion handler, the others by "
            "an earlier packet of the queue that was submitted later",
            facts->moved, aq_text_plural(facts->moved),
            (double)facts->moved_most / (double)AQ_US, facts->held);
  else if (facts->moved)
    aq_note(notes,
            "%" PRIu64 " doorbell%s up to %.1f us later than measured: an "
            "earlier packet of the queue was submitted later",
            facts->moved, aq_text_plural(facts->moved),
            (double)facts->moved_most / (double)AQ_US);
}

static void dropped_note(const aq_notes *notes, aq_replay_drop why,
                         uint64_t count)
{
  if (count)
    aq_note(notes, "%" PRIu64 " dependency wait%s not replayed: %s", count,
            aq_text_plural(count), drops[why].meaning);
}

/* How it was replayed, for later readers of the run. */
static void replay_notes(aq_json_out *json, const void *user)
{
  const replay_job *job = user;
  const aq_replay_facts *facts = &job->facts;
  aq_json_out_map(json, "replay");
  aq_json_out_text(json, "mode", job->options.closed ? "closed" : "open");
  aq_json_out_int(json, "level", job->options.predict ? 2 : 1);
  aq_json_out_text(json, "queues_from", facts->streams ? "streams" : "queues");
  aq_json_out_int(json, "queues", facts->queues ? facts->queues : AQ_NONE);
  if (facts->endless)
    aq_json_out_int(json, "endless", (int64_t)facts->endless);
  if (facts->shapeless)
    aq_json_out_int(json, "shapeless", (int64_t)facts->shapeless);
  aq_json_out_int(json, "measured_starts", (int64_t)facts->gates);
  aq_json_out_int(json, "near", (int64_t)facts->near);
  aq_json_out_int(json, "doorbells_moved", (int64_t)facts->moved);
  aq_json_out_int(json, "doorbells_held", (int64_t)facts->held);
  aq_json_out_int(json, "doorbells_moved_most_ns", facts->moved_most / AQ_NS);
  aq_json_out_int(json, "edges", (int64_t)facts->edges);
  aq_json_out_int(json, "edge_confidence",
                  job->confidence > 100 ? AQ_NONE : job->confidence);
  aq_json_out_int(json, "edges_unsure", (int64_t)job->unsure);
  aq_json_out_int(json, "edges_met", (int64_t)job->out->totals.waits_met);
  aq_json_out_map(json, "edges_dropped");
  for (int i = 0; i < AQ_REPLAY_DROP_COUNT; i++)
    if (facts->dropped[i])
      aq_json_out_int(json, drops[i].name, (int64_t)facts->dropped[i]);
  aq_json_out_close_map(json);
  if (job->options.closed)
    aq_json_out_int(json, "waits", (int64_t)facts->waits);
  if (job->options.as_graph) {
    aq_json_out_int(json, "graphs", (int64_t)facts->graphs);
    aq_json_out_int(json, "graph_gap_ns", AQ_REPLAY_GRAPH_GAP / AQ_NS);
  }
  aq_replay_clock_json(&job->clock, json);
  if (job->hooks && job->hooks->fitted)
    aq_fitted_part_json(job->hooks->fitted, json);
  if (job->hooks && job->hooks->not_fitted)
    aq_json_out_text(json, "not_fitted", job->hooks->not_fitted);
  if (job->gaps.model)
    aq_json_out_int(json, "gaps", (int64_t)facts->gaps);
  if (job->hooks && job->hooks->met)
    aq_json_out_int(json, "collectives_met", (int64_t)job->hooks->met);
  if (job->transferred)
    aq_json_out_int(json, "transferred", (int64_t)job->transferred);
  if (job->hooks && job->hooks->interval) {
    /* Half of the intervals. */
    const aq_interval *interval = job->hooks->interval;
    aq_json_out_map(json, "interval");
    aq_json_out_int(json, "makespan_ps", interval->makespan);
    aq_json_out_int(json, "latency_ps", interval->latency);
    aq_json_out_int(json, "constants",
                    interval->rows == AQ_NONE ? interval->constants : AQ_NONE);
    aq_json_out_int(json, "rows", interval->rows);
    aq_json_out_text(json, "class", aq_interval_class_name(interval->class));
    if (interval->rows != AQ_NONE) {
      aq_json_out_int(json, "part_makespan_ps", interval->part_makespan);
      aq_json_out_int(json, "part_latency_ps", interval->part_latency);
    }
    aq_json_out_close_map(json);
  }
  if (job->options.predict) {
    aq_json_out_int(json, "predicted", (int64_t)facts->predicted);
    aq_json_out_int(json, "unlike", (int64_t)facts->unlike);
    aq_json_out_int(json, "unseen", (int64_t)facts->unseen);
    aq_json_out_int(json, "unseen_transferred", (int64_t)facts->kept);
  }
  aq_json_out_close_map(json);
}

/* *out is the caller's to free; NULL: the session has its device. */
static aq_status device_choose(const replay_job *job, const aq_run_info *origin,
                               aq_run_reader *reader, char **out)
{
  aq_device_choice choice;
  const char *option = job->hooks ? job->hooks->device_option : NULL;
  *out = NULL;
  if (job->session->options.device || job->session->hardware)
    return AQ_OK;
  aq_status status =
      aq_device_choose(job->store, origin, reader, option ? option : "--device",
                       &choice, job->diag);
  if (status != AQ_OK)
    return status;
  job->session->options.device = *out = choice.models;
  aq_note(job->notes, "device model %s, %s", choice.models, choice.reason);
  return AQ_OK;
}

aq_status aq_replay_device_find(const aq_session *session, aq_store *store,
                                const char *origin, char **out, aq_diag *diag)
{
  const char *asked = session->options.device;
  aq_run_info *run;
  aq_run_reader *reader;
  aq_device_choice choice;
  if (asked) {
    *out = strdup(asked);
    return *out ? AQ_OK : aq_diag_no_memory(diag);
  }
  aq_status status = aq_store_find(store, origin, &run, diag);
  if (status != AQ_OK)
    return status;
  status = aq_run_reader_open(store, run->id, AQ_ORDER_START, &reader, diag);
  if (status == AQ_OK) {
    status = aq_device_choose(store, run, reader, "--device", &choice, diag);
    aq_run_reader_close(reader);
  }
  if (status == AQ_OK)
    *out = choice.models;
  aq_run_info_free(run);
  return status;
}

/* The edges of the run that are sure enough; the caller frees *out. */
static aq_status edges_read(replay_job *job, aq_run_reader *reader,
                            aq_edge **out)
{
  const aq_edge *edges;
  size_t count;
  aq_status status = aq_run_reader_edges(reader, &edges, &count, job->diag);
  if (status != AQ_OK)
    return status;
  aq_edge *kept = malloc((count + 1) * sizeof *kept);
  if (!kept)
    return aq_diag_no_memory(job->diag);
  for (size_t i = 0; i < count; i++)
    if (edges[i].confidence >= (edges[i].kind == AQ_EDGE_CALL
                                    ? job->call_confidence
                                    : job->confidence))
      kept[job->options.edge_count++] = edges[i];
    else
      job->unsure++;
  job->options.edges = *out = kept;
  return AQ_OK;
}

/* Whose durations the rows have: the replayed run's, whatever
 * the device. */
static void durations_find(replay_job *job, const aq_run_info *origin,
                           const aq_session_facts *probed,
                           aq_run_reader *reader)
{
  const aq_run_device here = {
      .name = probed->gpu, .gfx = probed->gfx, .cus = probed->cus};
  const aq_run_device none = {.cus = AQ_NONE};
  const aq_run_device *there = aq_run_reader_device_count(reader) > 0
                                   ? aq_run_reader_device(reader, 0)
                                   : &none;
  const bool measured = origin->kind == AQ_RUN_MEASURED;
  const bool other = aq_compare_gpus_differ(&here, there);
  const char *gpu = there->name && there->name[0] ? there->name : there->gfx;
  if (!gpu)
    gpu = "a GPU that the run does not name";
  if (origin->durations)
    snprintf(job->measured, sizeof job->measured, "%s", origin->durations);
  else
    snprintf(job->measured, sizeof job->measured, "%s%s",
             measured ? "measured on " : "assumed", measured ? gpu : "");
  const size_t used = strlen(job->measured);
  if (other)
    snprintf(job->measured + used, sizeof job->measured - used, ", not on %s",
             here.name[0] ? here.name : here.gfx);
}

/* ---- durations on another GPU ---- */

/* The peaks of the first device of a list. */
static bool peaks_find(const char *list, const char *const *edits,
                       aq_peaks *out)
{
  char name[256];
  aq_device_model *model;
  aq_diag ignored = AQ_DIAG_INIT;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(list, ",*"), list);
  if (aq_device_model_load(name, edits, &model, &ignored) != AQ_OK)
    return false;
  const bool found = aq_peaks_of(
      aq_device_model_text(model, "gfx"), aq_device_model_number(model, "cus"),
      aq_device_model_number(model, "clock"),
      aq_device_model_number(model, "peak_flops"),
      aq_device_model_number(model, "memory_bandwidth"), out);
  aq_device_model_free(model);
  return found;
}

/* Whether the durations are another GPU's, and both GPUs' peaks are known. */
static aq_status transfer_prepare(replay_job *job, const aq_run_info *origin,
                                  aq_run_reader *reader)
{
  aq_device_choice choice;
  aq_diag unknown = AQ_DIAG_INIT;
  const char *device = job->session->options.device;
  if (!strstr(job->measured, ", not on") || !device ||
      origin->kind != AQ_RUN_MEASURED)
    return AQ_OK;
  aq_status status = aq_device_choose(job->store, origin, reader, "--device",
                                      &choice, &unknown);
  if (status == AQ_ERR_INPUT)
    return AQ_OK; /* no model of that GPU: its durations stay */
  if (status != AQ_OK)
    return status;
  job->transfers = peaks_find(choice.models, NULL, &job->from) &&
                   peaks_find(device, job->session->options.edits, &job->to);
  free(choice.models);
  return AQ_OK;
}

static aq_time duration_find(void *user, const aq_record *row, const char *name,
                             aq_time measured)
{
  replay_job *job = user;
  aq_time found = measured;
  if (job->transfers && measured > 0) {
    const aq_family family =
        row->kind == AQ_KIND_KERNEL
            ? aq_family_recall(&job->families, row->name, name)
            : AQ_FAMILY_COPY;
    const aq_time least =
        aq_transfer(family, measured, &job->from, &job->to, AQ_END_LEAST);
    const aq_time most =
        aq_transfer(family, measured, &job->from, &job->to, AQ_END_MOST);
    found = aq_transfer(family, measured, &job->from, &job->to, job->end);
    job->transferred++;
    job->spread += (double)(most - least) / 2 / (double)aq_time_max(found, 1);
  }
  return job->hooks && job->hooks->duration
             ? job->hooks->duration(job->hooks->user, row, name, found)
             : found;
}

static aq_time gap_find(void *user, const aq_record *row, const char *name)
{
  return aq_kernel_gaps_find(&((replay_job *)user)->gaps, row, name);
}

static void wait_pass(void *user, int64_t pid, aq_time time, int64_t row)
{
  const aq_replay_hooks *hooks = ((replay_job *)user)->hooks;
  hooks->waited(hooks->user, pid, time, row);
}

/* The run's own facts to store. At level 2 the first half predicts: the
 * measured second half shows how well. The caller frees it; NULL: no memory. */
static char *durations_describe(const replay_job *job)
{
  char transferred[256], *text = NULL;
  const char *from = job->measured;
  if (job->transferred) {
    snprintf(transferred, sizeof transferred,
             "predicted ± %.0f %% from durations %s",
             100 * job->spread / (double)job->transferred, job->measured);
    from = transferred;
  }
  const aq_replay_facts *facts = &job->facts;
  char kept[96] = "";
  if (facts->kept)
    snprintf(kept, sizeof kept,
             "; kernels new in the second half (%" PRIu64 "): transferred",
             facts->kept);
  const int length =
      facts->predicted > facts->kept
          ? asprintf(&text, "predicted ± %.1f %% from a first half %s%s",
                     facts->prediction_error, from, kept)
          : asprintf(&text, "%s%s", from, kept);
  if (length < 0)
    return NULL;
  aq_note(job->notes, "durations: %s", text);
  return text;
}

static aq_status source_perform(replay_job *job, aq_run_reader *reader)
{
  store_input from = {{input_next, input_name}, reader};
  aq_workload_source *workload;
  aq_status status = aq_replay_open(&from.input, &job->options, &workload,
                                    &job->facts, job->diag);
  if (status != AQ_OK)
    return status;
  if (job->facts.endless)
    aq_note(job->notes,
            "%" PRIu64 " row%s without an end: replayed with a duration of 0",
            job->facts.endless, aq_text_plural(job->facts.endless));
  if (job->facts.shapeless)
    aq_note(job->notes,
            "%" PRIu64 " kernel%s without grid or workgroup size: replayed as "
            "one work-item or wave",
            job->facts.shapeless, aq_text_plural(job->facts.shapeless));
  if (job->gaps.model)
    aq_note(job->notes,
            "%" PRIu64 " kernel%s with a gap of the device model for this name "
            "and grid; gap after the others: dispatch_setup",
            job->facts.gaps, aq_text_plural(job->facts.gaps));
  aq_replay_clock_note(&job->clock, job->notes);
  doorbells_note(job->notes, &job->facts);
  const aq_notes *notes = job->notes;
  for (int i = 0; i < AQ_REPLAY_DROP_COUNT; i++)
    dropped_note(notes, (aq_replay_drop)i, job->facts.dropped[i]);
  /* Names that the first half of a level 2 lacks. */
  const aq_replay_facts *facts = &job->facts;
  if (facts->kept)
    aq_note(job->notes,
            "%" PRIu64 " of %" PRIu64 " predicted rows: kernel not in the "
            "first half, duration transferred from the measured GPU",
            facts->kept, facts->predicted);
  if (facts->unseen > facts->kept)
    aq_note(job->notes,
            "%" PRIu64 " of %" PRIu64 " predicted rows: kernel not in the "
            "first half, median of its family instead",
            facts->unseen - facts->kept, facts->predicted);
  if (job->options.as_graph)
    aq_note(job->notes,
            "%" PRIu64 " graph%s; each ends at a host wait, or where the host "
            "makes no call for over %lld us",
            job->facts.graphs, aq_text_plural(job->facts.graphs),
            (long long)(AQ_REPLAY_GRAPH_GAP / AQ_US));
  char *durations = durations_describe(job);
  if (!durations) {
    workload->close(workload);
    return aq_diag_no_memory(job->diag);
  }
  job->info->durations = durations;
  job->session->notes = replay_notes;
  job->session->notes_user = job;
  status = aq_session_run(job->session, job->store, job->facts.first_submit,
                          workload, job->info, job->out, job->diag);
  workload->close(workload);
  dropped_note(job->notes, AQ_REPLAY_DROP_BEHIND,
               job->facts.dropped[AQ_REPLAY_DROP_BEHIND]);
  const uint64_t met = status == AQ_OK ? job->out->totals.waits_met : 0;
  if (met)
    aq_note(job->notes,
            "%" PRIu64 " dependency wait%s already met: no packet needed", met,
            aq_text_plural(met));
  if (status == AQ_OK)
    job->out->durations = durations;
  else
    free(durations);
  return status;
}

static aq_status rows_replay(replay_job *job, const aq_run_info *origin,
                             aq_run_reader *reader)
{
  aq_session_facts probed;
  aq_edge *edges = NULL;
  char *chosen;
  aq_status status = device_choose(job, origin, reader, &chosen);
  if (status != AQ_OK)
    return status;
  status = aq_session_probe(job->session, &probed, job->diag);
  if (status == AQ_OK)
    status = edges_read(job, reader, &edges);
  if (status == AQ_OK) {
    job->options.latency_warm = probed.device.dispatch_latency_warm;
    job->options.latency_cold = probed.device.dispatch_latency_cold;
    job->options.unmap_after = probed.device.unmap_after;
    job->options.idle_ramp = probed.device.idle_ramp;
    job->options.remap_ramp = probed.device.remap_ramp;
    job->options.gate_latency = probed.device.gate_latency;
    job->options.barrier_latency = probed.device.barrier_latency;
    job->options.timestamp_step = probed.device.timestamp_step;
    job->options.copy_return = probed.device.copy_return;
    job->options.graph_launch = probed.device.graph_launch;
    job->options.graph_per_node = probed.device.graph_per_node;
    job->options.graph_head = probed.device.graph_head;
    job->options.graph_batch = probed.device.graph_batch;
    if (origin->kind == AQ_RUN_MEASURED) {
      /* Only a measured run has completions that a profiler's handler stamped.
       */
      const aq_device_info *device = &probed.device;
      job->options.handler_guard = device->handler_guard;
      job->options.handler_window = device->handler_window;
      job->options.handler_hold = device->handler_hold;
    }
    /* PyTorch writes Kineto's traces. Behind each collective it records the
     * event of its end and that of its future (ProcessGroupNCCL::collective).
     */
    job->options.collective_events =
        origin->format && strcmp(origin->format, "kineto") == 0;
  }
  if (job->hooks && job->hooks->fitted)
    job->clock = job->hooks->fitted->clock;
  else if (status == AQ_OK && !job->keep_clocks)
    status = aq_replay_clock_find(
        job->store, origin, job->session->options.device,
        job->session->options.edits, &job->clock, job->diag);
  if (status == AQ_OK) {
    durations_find(job, origin, &probed, reader);
    job->info->kind = probed.kind;
    status = transfer_prepare(job, origin, reader);
  }
  if (status == AQ_OK)
    status = aq_kernel_gaps_load(job->session->options.device, job->notes,
                                 &job->gaps, job->diag);
  if (status == AQ_OK) {
    job->options.clock_shift = job->clock.shift;
    job->options.clock_offset = job->clock.run.offset;
    job->options.gap = job->gaps.model ? gap_find : NULL;
    if (job->transfers || (job->hooks && job->hooks->duration))
      job->options.duration = duration_find;
    job->options.keep_new = job->transfers;
    status = source_perform(job, reader);
  }
  if (chosen)
    job->session->options.device = NULL;
  free(edges);
  free(chosen);
  return status;
}

static int family_of(void *user, int64_t id, const char *name)
{
  return (int)aq_family_recall(&((replay_job *)user)->families, id, name);
}

static bool is_factor(double factor)
{
  return factor == 0 || (factor >= 0.001 && factor <= 1000);
}

static aq_status factors_check(const aq_replay_ask *ask, aq_diag *diag)
{
  if (!is_factor(ask->launch) || !is_factor(ask->host))
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "factor of the host's time: expected 0.001 to 1000");
  if (!ask->closed && (ask->launch != 0 || ask->host != 0))
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "factors of the host's time: expected a closed loop, in "
                       "which calls follow one another");
  return AQ_OK;
}

/* The damage outlives its run, from which `info` borrowed it. */
static aq_status damage_keep(const aq_run_info *origin, aq_run_info *info,
                             aq_performed *out, aq_diag *diag)
{
  info->damage = NULL;
  if (!origin->damage)
    return AQ_OK;
  info->damage = out->damage = strdup(origin->damage);
  if (out->damage)
    return AQ_OK;
  aq_performed_fini(out);
  return aq_diag_no_memory(diag);
}

aq_status aq_replay_once(aq_session *session, aq_store *store,
                         const aq_replay_ask *ask, const aq_replay_hooks *hooks,
                         aq_run_info *info, aq_performed *out,
                         const aq_notes *notes, aq_diag *diag)
{
  replay_job job = {.session = session,
                    .store = store,
                    .notes = notes,
                    .info = info,
                    .out = out,
                    .diag = diag,
                    .confidence = ask->confidence,
                    .call_confidence = ask->confidence,
                    .keep_clocks = ask->keep_clocks != 0,
                    .options = {.closed = ask->closed,
                                .as_graph = ask->as_graph,
                                .predict = ask->predict,
                                .family = family_of,
                                .queues = ask->queues,
                                .launch_factor = ask->launch,
                                .host_factor = ask->host}};
  job.hooks = hooks;
  job.options.user = &job;
  if (hooks) {
    job.end = hooks->end;
    job.options.waited = hooks->waited ? wait_pass : NULL;
  }
  aq_run_info *origin;
  aq_run_reader *reader;
  if (ask->confidence == AQ_REPLAY_EDGES_DEFAULT) {
    job.confidence = ask->closed ? CONFIDENCE_CLOSED : CONFIDENCE;
    job.call_confidence = CONFIDENCE_CALL;
  }
  aq_status status = factors_check(ask, diag);
  if (status != AQ_OK)
    return status;
  status = aq_store_find(store, ask->origin, &origin, diag);
  if (status != AQ_OK)
    return status;
  if (!origin->complete)
    aq_note(notes, "run %" PRId64 " is incomplete: its writer was killed",
            origin->id);
  info->origin = origin->id;
  info->base_ns = origin->base_ns;
  info->truncated = origin->truncated;
  info->recorded = origin->recorded;
  info->damage = origin->damage;
  status = aq_run_reader_open(store, origin->id, AQ_ORDER_START, &reader, diag);
  if (status == AQ_OK) {
    status = rows_replay(&job, origin, reader);
    aq_run_reader_close(reader);
  }
  if (status == AQ_OK && hooks && hooks->facts)
    *hooks->facts = job.facts;
  session->notes = NULL;
  aq_family_memo_fini(&job.families);
  aq_kernel_gaps_fini(&job.gaps);
  if (status == AQ_OK)
    status = damage_keep(origin, info, out, diag);
  aq_run_info_free(origin);
  return status;
}
