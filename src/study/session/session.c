/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/session/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "gpu/devlib/devlib.h"
#include "store/maintenance.h"
#include "study/session/cost.h"
#include "study/session/row_filter.h"
#include "study/session/sums.h"
#include "study/session/traces.h"
#include "study/workload/request_log.h"

/* ---- the request ---- */

/* A name that is nearly one of those built in is more likely misspelt than
 * that of a plug-in; the diag says already where plug-ins lie. */
static aq_status transport_find(const char *name, const char *faults,
                                aq_transport_stack **out, aq_diag *diag)
{
  const char *names[16] = {NULL};
  const aq_transport_ops *const *all = aq_transports();
  aq_status status = aq_transport_stack_create(name, faults, out, diag);
  if (status != AQ_ERR_NOT_FOUND)
    return status;
  for (size_t i = 0; i < 15 && all[i]; i++)
    names[i] = all[i]->name;
  const char *inner = strrchr(name, '+');
  const char *near = aq_text_nearest(inner ? inner + 1 : name, names);
  return near ? aq_diag_set(diag, AQ_ERR_INVALID,
                            "unknown transport '%s'; did you mean %s?", name,
                            near)
              : status;
}

static aq_status policy_find(const char *text, aq_policy_watchdog *watch,
                             aq_policy_choice **out, aq_diag *diag)
{
  const char *names[64] = {NULL};
  aq_policy_watchdog_enter(watch, AQ_POLICY_IN_load);
  aq_status status = aq_policy_choice_create(text, out, diag);
  aq_policy_watchdog_leave(watch);
  if (status == AQ_OK && watch)
    aq_policy_choice_watch(*out, watch);
  if (status != AQ_ERR_NOT_FOUND || strchr(text, '/'))
    return status;
  for (size_t i = 0; i < 63 && aq_policies()[i]; i++)
    names[i] = aq_policies()[i]->name;
  const char *near = aq_text_nearest(text, names);
  return near ? aq_diag_set(diag, AQ_ERR_INVALID,
                            "unknown policy '%s'; did you mean %s?", text, near)
              : status;
}

/* How code executes, is counted and traced. */
static aq_status execution_ask(aq_transport_stack *stack,
                               const aq_performance_options *options,
                               aq_diag *diag)
{
  if (options->profile_isa && aq_transport_stack_is_hardware(stack))
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "transport %s counts no instructions; expected a "
                       "simulator, which executes the code of kernels",
                       aq_transport_stack_name(stack));
  aq_status status =
      options->profile_isa ? aq_transport_stack_profile(stack, diag) : AQ_OK;
  if (status == AQ_OK) {
    status = aq_transport_stack_compile(
        stack, options->compile ? options->compile : "auto", options->line,
        options->user, diag);
    if (status != AQ_OK)
      return aq_diag_prefix(diag, "compile");
  }
  if (status != AQ_OK || !options->trace_isa)
    return status;
  status = aq_transport_stack_trace(stack, options->trace_isa, diag);
  return status == AQ_OK ? status
                         : aq_diag_prefix(diag, "trace of instructions");
}

aq_status aq_session_init(aq_session *out,
                          const aq_performance_options *options,
                          aq_policy_watchdog *watch, aq_diag *diag)
{
  aq_session made = {.options = *options, .watch = watch};
  aq_status status =
      transport_find(options->transport ? options->transport : "sim",
                     options->faults, &made.transport, diag);
  if (status == AQ_OK)
    status = execution_ask(made.transport, options, diag);
  if (status == AQ_OK)
    status = aq_record_filter_read(options->record, options->record_limit,
                                   &made.rows, diag);
  if (status == AQ_OK)
    status = aq_session_cost_create(options->cost, &made.cost, diag);
  if (status == AQ_OK)
    status = aq_session_traces_create(options->traces, made.transport,
                                      &made.traces, diag);
  if (status == AQ_OK && options->policy)
    status = policy_find(options->policy, watch, &made.policy, diag);
  if (status != AQ_OK) {
    aq_session_fini(&made);
    return status;
  }
  made.hardware = aq_transport_stack_is_hardware(made.transport);
  *out = made;
  return AQ_OK;
}

void aq_session_fini(aq_session *session)
{
  aq_policy_choice_destroy(session->policy);
  aq_transport_stack_destroy(session->transport);
  aq_session_cost_destroy(session->cost);
  aq_session_traces_destroy(session->traces);
}

/* ---- the transport ---- */

static aq_transport_options open_options(const aq_session *session,
                                         aq_time epoch)
{
  const aq_performance_options *o = &session->options;
  return (aq_transport_options){
      .size = sizeof(aq_transport_options),
      .device = o->device,
      .edits = o->edits,
      .seed = o->seed,
      .semantics = o->semantics,
      .mode = o->live ? AQ_MODE_LIVE : AQ_MODE_VIRTUAL,
      .pace = o->pace,
      .executor = session->executor,
      .event = session->event,
      .event_user = session->event_user,
      .epoch = epoch,
      .layer = aq_transport_stack_top(session->transport)};
}

aq_status aq_session_open(const aq_session *session, aq_record_sink *sink,
                          aq_transport **out, aq_diag *diag)
{
  const aq_performance_options *o = &session->options;
  aq_transport_options options = open_options(session, 0);
  aq_transport *t;
  options.records = sink;
  aq_status status =
      aq_transport_stack_open(session->transport, &options, &t, diag);
  if (status != AQ_OK)
    return status;
  status = aq_session_cost_open(session->cost, session->transport, t, o->device,
                                o->edits, diag);
  if (status == AQ_OK)
    status =
        aq_session_traces_open(session->traces, t, o->device, o->edits, diag);
  if (status == AQ_OK)
    *out = t;
  else
    t->ops->close(t);
  return status;
}

aq_status aq_session_profile_put(const aq_session *session,
                                 aq_record_sink *sink, aq_diag *diag)
{
  aq_status status = AQ_OK;
  if (session->options.profile_isa)
    status = aq_transport_stack_profile_put(session->transport, sink, diag);
  if (status == AQ_OK && session->traces)
    status = aq_transport_stack_steps_put(session->transport, sink, diag);
  return status == AQ_OK && session->cost
             ? aq_transport_stack_counted_put(session->transport, sink, diag)
             : status;
}

static aq_status caps_check(const aq_session *session, uint32_t caps,
                            aq_diag *diag)
{
  const aq_performance_options *o = &session->options;
  const char *name = aq_transport_stack_name(session->transport);
  if (o->live && !(caps & AQ_CAP_LIVE))
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "transport %s has no live mode, so it is not live "
                       "and has no pace",
                       name);
  if (o->timeout_needs_live && !(caps & AQ_CAP_LIVE))
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "a timeout counts in live mode only, where a hang is a "
                       "guess");
  if (o->counters && !(caps & AQ_CAP_COUNTERS))
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED, "transport %s has no counters",
                       name);
  return AQ_OK;
}

aq_status aq_session_probe(aq_session *session, aq_session_facts *out,
                           aq_diag *diag)
{
  aq_transport *transport;
  aq_transport_info info;
  aq_status status = aq_session_open(session, NULL, &transport, diag);
  if (status != AQ_OK)
    return status;
  transport->ops->info(transport, &info);
  *out = (aq_session_facts){
      .caps = info.caps,
      .kind = aq_run_measures(info.caps) ? AQ_RUN_MEASURED : AQ_RUN_SIMULATED};
  if (info.device_count)
    out->device = info.devices[0];
  out->cus = out->device.cus ? (int64_t)out->device.cus : AQ_NONE;
  snprintf(out->gpu, sizeof out->gpu, "%s",
           out->device.name ? out->device.name : "");
  snprintf(out->gfx, sizeof out->gfx, "%s",
           out->device.gfx ? out->device.gfx : "");
  session->on_simulator = out->kind == AQ_RUN_MEASURED && out->device.model;
  out->device.name = out->device.gfx = out->device.model = NULL;
  out->device.model_hash = out->device.verdict = NULL;
  transport->ops->close(transport);
  return caps_check(session, info.caps, diag);
}

const char *aq_session_durations(const aq_session *session, aq_run_kind kind)
{
  const aq_scenario_facts *facts = session->facts;
  if (kind == AQ_RUN_MEASURED && !session->on_simulator)
    return "measured here";
  return facts && facts->durations ? facts->durations : "assumed";
}

/* ---- the store's data beside rows ---- */

/* A server's objectives and its times between tokens: the place of each count
 * that is not 0, and the count. */
static void serving_describe(aq_json_out *json,
                             const aq_scenario_client *client)
{
  if (client->ttft != AQ_TIME_NONE)
    aq_json_out_int(json, "ttft_ps", client->ttft);
  if (client->tpot != AQ_TIME_NONE)
    aq_json_out_int(json, "tpot_ps", client->tpot);
  aq_json_out_array(json, "gaps");
  for (size_t i = 0; i < client->gap_count; i++)
    if (client->gaps[i]) {
      aq_json_out_int(json, NULL, (int64_t)i);
      aq_json_out_int(json, NULL, (int64_t)client->gaps[i]);
    }
  aq_json_out_close_array(json);
}

/* The results of the run and the clients it served, for its `summary`. */
static char *make_summary(const aq_session *session,
                          const aq_run_totals *totals, const aq_sums *sums)
{
  const aq_scenario_facts *facts = session->facts;
  aq_json_out *json = aq_json_out_begin(false);
  if (!json)
    return NULL;
  aq_json_out_map(json, NULL);
  aq_json_out_int(json, "begin_ps", totals->begin);
  aq_json_out_int(json, "end_ps", totals->end);
  aq_json_out_int(json, "jobs", (int64_t)totals->jobs);
  aq_json_out_int(json, "packets", (int64_t)totals->packets);
  aq_json_out_int(json, "doorbells", (int64_t)totals->doorbells);
  aq_json_out_int(json, "rejected", (int64_t)totals->rejected);
  aq_json_out_int(json, "rows", sums->rows);
  /* Runs without this word were made before they were kept. */
  aq_json_out_bool(json, "preemptions_kept", true);
  aq_json_out_int(json, "work_ps", sums->work);
  aq_json_out_array(json, "busy_ps");
  for (size_t i = 0; i < sums->device_count; i++)
    aq_json_out_int(json, NULL, aq_sums_busy(sums, i));
  aq_json_out_close_array(json);
  aq_json_out_array(json, "clients");
  for (uint32_t i = 0; i < facts->client_count; i++) {
    aq_json_out_map(json, NULL);
    aq_json_out_text(json, "name", facts->clients[i].name);
    aq_json_out_int(json, "count", facts->clients[i].count);
    aq_json_out_int(json, "weight", facts->clients[i].weight);
    aq_json_out_int(json, "priority", facts->clients[i].priority);
    if (facts->clients[i].gaps)
      serving_describe(json, &facts->clients[i]);
    aq_json_out_close_map(json);
  }
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
  return aq_json_out_take(json);
}

aq_status aq_session_notes(const aq_session *session,
                           const aq_run_totals *totals, char **out,
                           aq_diag *diag)
{
  const aq_performance_options *o = &session->options;
  const bool edited = o->edits && o->edits[0];
  *out = NULL;
  if (!edited && !o->live && !session->on_simulator && !o->word_count &&
      !session->notes && !session->policy)
    return AQ_OK;
  aq_json_out *json = aq_json_out_begin(false);
  if (!json)
    return aq_diag_no_memory(diag);
  aq_json_out_map(json, NULL);
  if (edited) {
    aq_json_out_array(json, "edits");
    for (size_t i = 0; o->edits[i]; i++)
      aq_json_out_text(json, NULL, o->edits[i]);
    aq_json_out_close_array(json);
  }
  if (o->live)
    aq_json_out_text(json, "time", "live");
  if (session->on_simulator)
    aq_json_out_text(json, "measured_on", "simulator");
  for (size_t i = 0; i < o->word_count; i++)
    aq_json_out_text(json, o->words[i].key, o->words[i].text);
  if (session->policy)
    aq_json_out_text(json, "policy", aq_policy_choice_name(session->policy));
  if (totals && totals->rejected)
    aq_json_out_int(json, "rejected", (int64_t)totals->rejected);
  if (totals && totals->fallback.text[0])
    aq_json_out_text(json, "fallback", totals->fallback.text);
  if (session->notes)
    session->notes(json, session->notes_user);
  aq_json_out_close_map(json);
  *out = aq_json_out_take(json);
  return *out ? AQ_OK : aq_diag_no_memory(diag);
}

/* ---- the decision log ---- */

static void decision_write(const char *line, void *user)
{
  fprintf(user, "%s\n", line);
}

/* *out is NULL when none was asked for. */
static aq_status log_open(const char *path, FILE **out, aq_diag *diag)
{
  *out = path ? fopen(path, "w") : NULL;
  return path && !*out
             ? aq_diag_set(diag, AQ_ERR_IO, "%s: %s", path, strerror(errno))
             : AQ_OK;
}

/* The decisions of a failed run stay: they may show why. */
static aq_status log_close(const char *path, FILE *log, aq_status status,
                           aq_diag *diag)
{
  if (log && (ferror(log) | fclose(log)) && status == AQ_OK)
    return aq_diag_set(diag, AQ_ERR_IO, "%s: cannot write", path);
  return status;
}

/* ---- the run ---- */

/* Runs it; with facts also keeps its requests and sums. `filter` chooses which
 * rows reach `sink`. */
static aq_status run_follow(const aq_run_options *options,
                            const aq_session *session,
                            aq_workload_source *workload, aq_record_sink *sink,
                            aq_row_filter *filter, aq_performed *out,
                            aq_diag *diag)
{
  aq_run_totals *totals = &out->totals;
  aq_request_log *log;
  aq_sums sums;
  if (!session->facts)
    return aq_run(options, workload, &filter->sink, totals, diag);
  aq_status status = aq_request_log_create(workload, sink, &log, diag);
  if (status != AQ_OK)
    return status;
  aq_sums_init(&sums, session->sums_only ? NULL : &filter->sink);
  status =
      aq_run(options, aq_request_log_source(log), &sums.sink, totals, diag);
  if (status == AQ_OK)
    status = aq_request_log_flush(log, diag);
  if (status == AQ_OK) {
    out->summary = make_summary(session, totals, &sums);
    if (!out->summary)
      status = aq_diag_no_memory(diag);
  }
  if (session->sums_only)
    *filter->choice = (aq_record_filter){.kind = AQ_ROWS_NONE,
                                         .unchosen = (uint64_t)sums.rows};
  aq_sums_fini(&sums);
  aq_request_log_destroy(log);
  return status;
}

aq_status aq_session_recorded(const aq_record_filter *rows, aq_run_info *info,
                              char **out, aq_diag *diag)
{
  char text[AQ_ROW_CHOICE_TEXT];
  const char *own = aq_record_filter_text(rows, text);
  info->left_out = (int64_t)aq_record_filter_left_out(rows);
  *out = NULL;
  if (!own && !info->recorded)
    return AQ_OK;
  static const char replayed[] = "the run it replays: ";
  const char *origin = info->recorded;
  const bool again =
      origin && strncmp(origin, replayed, sizeof replayed - 1) == 0;
  const int length =
      asprintf(out, "%s%s%s%s", own ? own : "", own && origin ? "; " : "",
               origin && !again ? replayed : "", origin ? origin : "");
  if (length < 0) {
    *out = NULL;
    return aq_diag_no_memory(diag);
  }
  info->recorded = *out;
  return AQ_OK;
}

void aq_performed_fini(aq_performed *performed)
{
  free(performed->notes);
  free(performed->summary);
  free(performed->durations);
  free(performed->recorded);
  free(performed->damage);
  performed->notes = performed->summary = NULL;
  performed->durations = performed->recorded = performed->damage = NULL;
}

/* What only the run shows of its policy goes to its notes. */
static aq_status store_finish(const aq_session *session,
                              aq_store_writer *writer, aq_run_info *info,
                              aq_performed *out, aq_diag *diag)
{
  const aq_run_totals *totals = &out->totals;
  char *notes = NULL;
  /* Facts that are known only after the run; texts live in `totals`. */
  if (!info->durations)
    info->durations = aq_session_durations(session, info->kind);
  info->reproducible = totals->reproducible;
  if (totals->device_model[0])
    info->device_model = totals->device_model;
  if (totals->model_hash[0])
    info->model_hash = totals->model_hash;
  if (totals->model_verdict[0])
    info->model_verdict = totals->model_verdict;
  if (totals->rejected || totals->waits_met || totals->fallback.text[0]) {
    aq_status status = aq_session_notes(session, totals, &notes, diag);
    if (status != AQ_OK) {
      aq_store_writer_abort(writer);
      return status;
    }
    free(out->notes);
    info->notes = out->notes = notes;
  }
  info->summary = out->summary;
  info->durations =
      aq_store_writer_durations(writer, info->durations, out->mixed);
  bool held = false;
  aq_status status = AQ_OK;
  if (session->late)
    status = aq_store_writer_hold(writer, info, &held, diag);
  else
    out->run = aq_store_writer_run(writer);
  if (held && status == AQ_OK) {
    out->writer = writer;
    return AQ_OK;
  }
  if (status != AQ_OK) {
    aq_store_writer_abort(writer);
    return status;
  }
  status = aq_store_writer_finish(writer, info, diag);
  if (status == AQ_OK && session->watch)
    __atomic_store_n(&session->watch->run, AQ_NONE, __ATOMIC_RELEASE);
  return status;
}

static aq_run_options run_options(const aq_session *session, aq_time epoch)
{
  const aq_performance_options *o = &session->options;
  aq_run_options options = {.transport =
                                aq_transport_stack_top(session->transport)->ops,
                            .open = open_options(session, epoch),
                            .queues = o->queues,
                            .timeout = o->timeout,
                            .code = aq_devlib_image,
                            .asked = o->asked,
                            .line = o->line,
                            .user = o->user,
                            .policy = session->policy,
                            .policy_fallback = o->policy_fallback};
  options.open.counters = o->counters;
  return options;
}

static aq_status perform(const aq_session *session, aq_store *store,
                         aq_time epoch, aq_workload_source *workload,
                         aq_run_info *info, aq_performed *out, aq_diag *diag)
{
  const aq_performance_options *o = &session->options;
  aq_run_options options = run_options(session, epoch);
  aq_record_filter rows = session->rows;
  aq_row_filter filter;
  aq_store_writer *writer;
  FILE *log;
  aq_status status = log_open(o->decision_log, &log, diag);
  if (status != AQ_OK)
    return status;
  status = session->late ? aq_store_writer_open_late(store, info, &out->run,
                                                     &writer, diag)
                         : aq_store_writer_open(store, info, &writer, diag);
  if (status != AQ_OK)
    return log_close(o->decision_log, log, status, diag);
  if (session->watch && !session->late)
    __atomic_store_n(&session->watch->run, aq_store_writer_run(writer),
                     __ATOMIC_RELEASE);
  options.preemptions = aq_store_writer_sink(writer);
  options.decision = log ? decision_write : NULL;
  options.decision_user = log;
  aq_row_filter_init(&filter, options.preemptions, &rows);
  status = run_follow(&options, session, workload, options.preemptions, &filter,
                      out, diag);
  aq_row_filter_fini(&filter);
  status = log_close(o->decision_log, log, status, diag);
  if (status == AQ_OK)
    status = aq_session_recorded(&rows, info, &out->recorded, diag);
  if (status == AQ_OK)
    return store_finish(session, writer, info, out, diag);
  aq_store_writer_abort(writer);
  return status;
}

aq_status aq_session_run(const aq_session *session, aq_store *store,
                         aq_time epoch, aq_workload_source *workload,
                         aq_run_info *info, aq_performed *out, aq_diag *diag)
{
  *out = (aq_performed){.run = AQ_NONE};
  if (session->instead) {
    /* Into the sink of the session, which no store sees: which rows a store
     * keeps is not asked. */
    const aq_run_options options = run_options(session, epoch);
    aq_record_filter rows = {.kind = AQ_ROWS_ALL};
    aq_row_filter filter;
    aq_row_filter_init(&filter, session->instead, &rows);
    aq_status status = run_follow(&options, session, workload, session->instead,
                                  &filter, out, diag);
    aq_row_filter_fini(&filter);
    return status;
  }
  aq_status status = aq_session_notes(session, NULL, &out->notes, diag);
  if (status != AQ_OK)
    return status;
  info->transport = aq_transport_stack_name(session->transport);
  info->notes = out->notes;
  status = perform(session, store, epoch, workload, info, out, diag);
  if (status != AQ_OK) {
    aq_performed_fini(out);
    info->notes = info->summary = info->recorded = NULL;
  }
  return status;
}
