/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/perform.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/runs.h"
#include "cli/spin_code.h"
#include "common/json_out.h"
#include "common/text.h"
#include "run/run.h"
#include "run/sums.h"
#include "transports/device_models.h"
#include "workload/request_log.h"

/* A name that is nearly one of those built in is more likely misspelt than
 * that of a plug-in; the words that are there tell where plug-ins lie. */
static aq_status say_unknown_transport(aq_cli *cli, const char *name)
{
  const char *names[16] = {NULL};
  const aq_transport_ops *const *all = aq_transports();
  for (size_t i = 0; i < 15 && all[i]; i++)
    names[i] = all[i]->name;
  const char *inner = strrchr(name, '+');
  const char *near = aq_text_nearest(inner ? inner + 1 : name, names);
  if (!near)
    return AQ_ERR_NOT_FOUND;
  return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                     "unknown transport '%s'; did you mean %s?", name, near);
}

/* "V" or "V/W": so much virtual time for so much wall time. */
static aq_status pace_read(aq_cli *cli, aq_pace *out)
{
  const char *text = cli->values[AQ_CLI_OPT_PACE];
  unsigned long parts[2] = {0, 1};
  char *end = NULL;
  *out = (aq_pace){0};
  if (!text)
    return AQ_OK;
  parts[0] = strtoul(text, &end, 10);
  if (*end == '/')
    parts[1] = strtoul(end + 1, &end, 10);
  if (*end || strchr(text, '-') || parts[0] == 0 || parts[1] == 0 ||
      parts[0] > UINT32_MAX || parts[1] > UINT32_MAX)
    return aq_diag_set(&cli->diag, AQ_ERR_INPUT,
                       "--pace %s: expected V or V/W, whole numbers from 1 to "
                       "4294967295",
                       text);
  *out = (aq_pace){(uint32_t)parts[0], (uint32_t)parts[1]};
  return AQ_OK;
}

static aq_status semantics_read(aq_cli *cli, aq_semantics *out)
{
  const char *text = cli->values[AQ_CLI_OPT_SEMANTICS];
  if (!text || strcmp(text, "rocr") == 0)
    *out = AQ_SEMANTICS_ROCR;
  else if (strcmp(text, "foundation") == 0)
    *out = AQ_SEMANTICS_FOUNDATION;
  else
    return aq_diag_set(&cli->diag, AQ_ERR_INPUT,
                       "--semantics %s: expected rocr or foundation", text);
  return AQ_OK;
}

/* As with transports: a name that is nearly one of ours is misspelt. */
static aq_status policy_read(aq_cli *cli, aq_cli_performance *out)
{
  const char *text = cli->values[AQ_CLI_OPT_POLICY];
  const char *error = cli->values[AQ_CLI_OPT_ON_POLICY_ERROR];
  const char *names[64] = {NULL};
  if (error && strcmp(error, "fail") != 0 && strcmp(error, "fallback") != 0)
    return aq_diag_set(&cli->diag, AQ_ERR_INPUT,
                       "--on-policy-error %s: expected fail or fallback",
                       error);
  out->fallback = error && strcmp(error, "fallback") == 0;
  if (!text) {
    const bool log = cli->values[AQ_CLI_OPT_DECISION_LOG];
    return error || log ? aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                                      "--%s needs a --policy",
                                      log ? "decision-log" : "on-policy-error")
                        : AQ_OK;
  }
  aq_status status = aq_policy_choice_create(text, &out->policy, &cli->diag);
  if (status != AQ_ERR_NOT_FOUND || strchr(text, '/'))
    return status;
  for (size_t i = 0; i < 63 && aq_policies()[i]; i++)
    names[i] = aq_policies()[i]->name;
  const char *near = aq_text_nearest(text, names);
  return near ? aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                            "unknown policy '%s'; did you mean %s?", text, near)
              : status;
}

/* Real GPUs, whatever wraps the transport. */
static bool is_hardware(const aq_transport_stack *stack)
{
  const aq_transport_layer *layer = aq_transport_stack_top(stack);
  while (layer->inner)
    layer = layer->inner;
  return strcmp(layer->ops->name, "hsa") == 0;
}

aq_status aq_cli_performance_init(aq_cli *cli, aq_cli_performance *out)
{
  const char *name = cli->values[AQ_CLI_OPT_TRANSPORT];
  aq_transport_stack *transport;
  aq_status status = aq_transport_stack_create(name ? name : "sim",
                                               cli->values[AQ_CLI_OPT_FAULTS],
                                               &transport, &cli->diag);
  if (status == AQ_ERR_NOT_FOUND)
    return say_unknown_transport(cli, name);
  if (status != AQ_OK)
    return status;
  const char **edits = aq_cli_repeats(cli, AQ_CLI_OPT_SET);
  if (!edits) {
    aq_transport_stack_destroy(transport);
    return aq_cli_no_memory(cli);
  }
  *out = (aq_cli_performance){.transport = transport,
                              .device = cli->values[AQ_CLI_OPT_DEVICE],
                              .edits = edits,
                              .hardware = is_hardware(transport),
                              .words = cli->values};
  status = pace_read(cli, &out->pace);
  if (status == AQ_OK)
    status = aq_cli_time(cli, AQ_CLI_OPT_TIMEOUT, &out->timeout);
  if (status == AQ_OK)
    status = aq_cli_time(cli, AQ_CLI_OPT_COUNTERS, &out->counters);
  if (status == AQ_OK)
    status = semantics_read(cli, &out->semantics);
  if (status == AQ_OK)
    status = policy_read(cli, out);
  out->live = aq_cli_flag(cli, AQ_CLI_OPT_LIVE) || out->pace.wall;
  if (status != AQ_OK)
    aq_cli_performance_fini(out);
  return status;
}

aq_status aq_cli_queues(aq_cli *cli, uint32_t *out)
{
  int64_t queues;
  aq_status status = aq_cli_number(cli, AQ_CLI_OPT_QUEUES, 1, 0, &queues);
  if (status == AQ_OK && queues > UINT32_MAX)
    status = aq_diag_set(&cli->diag, AQ_ERR_INVALID, "--queues %lld: too many",
                         (long long)queues);
  if (status == AQ_OK)
    *out = (uint32_t)queues;
  return status;
}

void aq_cli_performance_fini(aq_cli_performance *performance)
{
  aq_policy_choice_destroy(performance->policy);
  free(performance->edits);
  aq_transport_stack_destroy(performance->transport);
}

static aq_transport_options open_options(const aq_cli_performance *performance,
                                         aq_time epoch)
{
  return (aq_transport_options){
      .size = sizeof(aq_transport_options),
      .device = performance->device,
      .edits = performance->edits,
      .seed = performance->seed,
      .semantics = performance->semantics,
      .mode = performance->live ? AQ_MODE_LIVE : AQ_MODE_VIRTUAL,
      .pace = performance->pace,
      .epoch = epoch,
      .layer = aq_transport_stack_top(performance->transport)};
}

aq_status aq_cli_performance_open(const aq_cli_performance *performance,
                                  aq_transport **out, aq_diag *diag)
{
  return aq_cli_performance_open_into(performance, NULL, out, diag);
}

aq_status aq_cli_performance_open_into(const aq_cli_performance *performance,
                                       aq_record_sink *sink, aq_transport **out,
                                       aq_diag *diag)
{
  aq_transport_options options = open_options(performance, 0);
  options.records = sink;
  return aq_transport_stack_open(performance->transport, &options, out, diag);
}

static aq_status caps_check(aq_cli *cli, const aq_cli_performance *performance,
                            uint32_t caps)
{
  if (performance->live && !(caps & AQ_CAP_LIVE))
    return aq_diag_set(&cli->diag, AQ_ERR_UNSUPPORTED,
                       "transport %s has no live mode, so neither --live nor "
                       "--pace",
                       aq_transport_stack_name(performance->transport));
  if (cli->given[AQ_CLI_OPT_TIMEOUT] && !performance->own_timeout &&
      !(caps & AQ_CAP_LIVE))
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                       "--timeout counts in live mode only, where a hang is a "
                       "guess; add --live");
  if (performance->counters && !(caps & AQ_CAP_COUNTERS))
    return aq_diag_set(&cli->diag, AQ_ERR_UNSUPPORTED,
                       "transport %s has no counters, so no --counters",
                       aq_transport_stack_name(performance->transport));
  return AQ_OK;
}

aq_status aq_cli_performance_probe(aq_cli *cli, aq_cli_performance *performance,
                                   aq_cli_probe *out)
{
  aq_transport *transport;
  aq_transport_info info;
  aq_status status =
      aq_cli_performance_open(performance, &transport, &cli->diag);
  if (status != AQ_OK)
    return status;
  transport->ops->info(transport, &info);
  *out = (aq_cli_probe){.caps = info.caps,
                        .kind = aq_run_measures(info.caps) ? AQ_RUN_MEASURED
                                                           : AQ_RUN_SIMULATED};
  if (info.device_count)
    out->device = info.devices[0];
  performance->on_simulator = out->kind == AQ_RUN_MEASURED && out->device.model;
  out->device.name = out->device.gfx = out->device.model = NULL;
  out->device.model_hash = out->device.verdict = NULL;
  transport->ops->close(transport);
  return caps_check(cli, performance, info.caps);
}

/* What is known of the run only now; texts live in `totals`. */
static void info_complete(aq_run_info *info, const aq_run_totals *totals)
{
  info->reproducible = totals->reproducible;
  if (totals->device_model[0])
    info->device_model = totals->device_model;
  if (totals->model_hash[0])
    info->model_hash = totals->model_hash;
  if (totals->model_verdict[0])
    info->model_verdict = totals->model_verdict;
}

static void tell_trust(const aq_cli *cli, const aq_run_info *info)
{
  char trust[AQ_CLI_TRUST_SIZE];
  if (aq_cli_run_trust(info, trust))
    aq_cli_note(cli, "simulated with %s", trust);
  else if (info->device_model)
    aq_cli_note(cli,
                "measured, but the HSA runtime is the simulator with device "
                "model %s",
                info->device_model);
}

/* What the run came to and whom it served, for its `summary`. */
static char *make_summary(const aq_cli_performance *performance,
                          const aq_run_totals *totals, const aq_sums *sums)
{
  const aq_scenario_facts *facts = performance->facts;
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
    aq_json_out_close_map(json);
  }
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
  return aq_json_out_take(json);
}

static aq_status store_totals(aq_cli *cli, aq_store_writer *writer,
                              const aq_cli_performance *performance,
                              aq_run_info *info, const aq_run_totals *totals)
{
  aq_json_out *json;
  int64_t id = aq_store_writer_run(writer);
  info_complete(info, totals);
  aq_status status = aq_store_writer_finish(writer, info, &cli->diag);
  if (status == AQ_OK && performance->run)
    return AQ_OK;
  if (status == AQ_OK)
    status = aq_cli_json_begin_if(cli, &json);
  if (status != AQ_OK)
    return status;
  tell_trust(cli, info);
  if (totals->devices_folded > 0)
    aq_cli_note(cli,
                "%" PRIu32 " devices of the workload share those there are; "
                "--device MODEL*N opens N",
                totals->devices_folded);
  aq_cli_run_print(cli, json, info, id);
  return aq_cli_json_end_if(cli, json);
}

/* How the run was asked for, and what became of its policy (`totals` NULL: not
 * known yet), for its notes; *out is NULL when nothing was. */
static aq_status make_notes(aq_cli *cli, const aq_cli_performance *performance,
                            const aq_run_totals *totals, char **out)
{
  static const aq_cli_option_id kept[] = {AQ_CLI_OPT_PACE, AQ_CLI_OPT_TIMEOUT,
                                          AQ_CLI_OPT_SEMANTICS,
                                          AQ_CLI_OPT_COUNTERS};
  const char *const *words = performance->words;
  *out = NULL;
  if (!performance->edits[0] && !performance->live &&
      !performance->on_simulator && !words[AQ_CLI_OPT_SEMANTICS] &&
      !performance->counters && !performance->notes && !performance->policy)
    return AQ_OK;
  aq_json_out *json = aq_json_out_begin(false);
  if (!json)
    return aq_cli_no_memory(cli);
  aq_json_out_map(json, NULL);
  if (performance->edits[0]) {
    aq_json_out_array(json, "edits");
    for (size_t i = 0; performance->edits[i]; i++)
      aq_json_out_text(json, NULL, performance->edits[i]);
    aq_json_out_close_array(json);
  }
  if (performance->live)
    aq_json_out_text(json, "time", "live");
  if (performance->on_simulator)
    aq_json_out_text(json, "measured_on", "simulator");
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    if (words[kept[i]])
      aq_json_out_text(json, aq_cli_options[kept[i]].name, words[kept[i]]);
  if (performance->policy)
    aq_json_out_text(json, "policy",
                     aq_policy_choice_name(performance->policy));
  if (totals && totals->rejected)
    aq_json_out_int(json, "rejected", (int64_t)totals->rejected);
  if (totals && totals->fallback.text[0])
    aq_json_out_text(json, "fallback", totals->fallback.text);
  if (performance->notes)
    performance->notes(json, performance->notes_user);
  aq_json_out_close_map(json);
  *out = aq_json_out_take(json);
  return *out ? AQ_OK : aq_cli_no_memory(cli);
}

/* ---- the decision log ---- */

static void decision_write(const char *line, void *user)
{
  fprintf(user, "%s\n", line);
}

/* *out is NULL when none was asked for. */
static aq_status log_open(aq_cli *cli, FILE **out)
{
  const char *path = cli->values[AQ_CLI_OPT_DECISION_LOG];
  *out = path ? fopen(path, "w") : NULL;
  return path && !*out ? aq_diag_set(&cli->diag, AQ_ERR_IO, "%s: %s", path,
                                     strerror(errno))
                       : AQ_OK;
}

/* What a failed run decided stays: it may tell why. */
static aq_status log_close(aq_cli *cli, FILE *log, aq_status status)
{
  if (log && (ferror(log) | fclose(log)) && status == AQ_OK)
    return aq_diag_set(&cli->diag, AQ_ERR_IO, "%s: cannot write",
                       cli->values[AQ_CLI_OPT_DECISION_LOG]);
  return status;
}

aq_status aq_cli_performance_notes(aq_cli *cli,
                                   const aq_cli_performance *performance,
                                   char **out)
{
  return make_notes(cli, performance, NULL, out);
}

/* Whether SIGUSR1 came, which is blocked meanwhile. */
static bool signal_came(void *user)
{
  sigset_t asked;
  const struct timespec now = {0, 0};
  (void)user;
  sigemptyset(&asked);
  sigaddset(&asked, SIGUSR1);
  return sigtimedwait(&asked, NULL, &now) == SIGUSR1;
}

static void line_tell(const char *text, void *user)
{
  (void)user;
  fprintf(stderr, "aqueduct: %s\n", text);
}

/* What only the run could tell of its policy goes to its notes. */
static aq_status policy_tell(aq_cli *cli, const aq_cli_performance *performance,
                             const aq_run_totals *totals, aq_run_info *info,
                             char **notes)
{
  if (totals->fallback.text[0])
    aq_cli_note(cli, "%s; went on without it", totals->fallback.text);
  free(*notes);
  *notes = NULL;
  aq_status status = make_notes(cli, performance, totals, notes);
  info->notes = *notes;
  return status;
}

/* Runs it; with facts also keeps its requests and sums. */
static aq_status run_follow(const aq_run_options *options,
                            const aq_cli_performance *performance,
                            aq_workload_source *workload,
                            aq_store_writer *writer, aq_run_totals *totals,
                            char **summary, aq_diag *diag)
{
  aq_record_sink *sink = aq_store_writer_sink(writer);
  aq_request_log *log;
  aq_sums sums;
  if (!performance->facts)
    return aq_run(options, workload, sink, totals, diag);
  aq_status status = aq_request_log_create(workload, sink, &log, diag);
  if (status != AQ_OK)
    return status;
  aq_sums_init(&sums, performance->sums_only ? NULL : sink);
  status =
      aq_run(options, aq_request_log_source(log), &sums.sink, totals, diag);
  if (status == AQ_OK)
    status = aq_request_log_flush(log, diag);
  if (status == AQ_OK) {
    *summary = make_summary(performance, totals, &sums);
    if (!*summary)
      status = aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory to sum up a run");
  }
  aq_sums_fini(&sums);
  aq_request_log_destroy(log);
  return status;
}

static aq_status perform(aq_cli *cli, aq_store *store,
                         const aq_cli_performance *performance, aq_time epoch,
                         aq_workload_source *workload, aq_run_info *info,
                         char **notes)
{
  aq_run_options options = {
      .transport = aq_transport_stack_top(performance->transport)->ops,
      .open = open_options(performance, epoch),
      .queues = performance->queues,
      .timeout = performance->timeout,
      .code = aq_cli_spin_code,
      .asked = signal_came,
      .line = line_tell,
      .policy = performance->policy,
      .policy_fallback = performance->fallback};
  options.open.counters = performance->counters;
  aq_run_totals totals = {0};
  aq_store_writer *writer;
  char *summary = NULL;
  sigset_t asked, before;
  FILE *log;
  aq_status status = log_open(cli, &log);
  if (status == AQ_OK)
    status = performance->run
                 ? aq_store_writer_open_late(store, info, performance->run,
                                             &writer, &cli->diag)
                 : aq_store_writer_open(store, info, &writer, &cli->diag);
  if (status != AQ_OK)
    return log_close(cli, log, status);
  options.preemptions = aq_store_writer_sink(writer);
  options.decision = log ? decision_write : NULL;
  options.decision_user = log;
  sigemptyset(&asked);
  sigaddset(&asked, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &asked, &before);
  status = run_follow(&options, performance, workload, writer, &totals,
                      &summary, &cli->diag);
  info->summary = summary;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  status = log_close(cli, log, status);
  if (status == AQ_OK && (totals.rejected || totals.fallback.text[0]))
    status = policy_tell(cli, performance, &totals, info, notes);
  if (status == AQ_OK)
    status = store_totals(cli, writer, performance, info, &totals);
  else
    aq_store_writer_abort(writer);
  free(summary);
  info->summary = NULL;
  return status;
}

aq_status aq_cli_perform(aq_cli *cli, aq_store *store,
                         const aq_cli_performance *performance, aq_time epoch,
                         aq_workload_source *workload, aq_run_info *info)
{
  char *notes;
  aq_status status = make_notes(cli, performance, NULL, &notes);
  if (status != AQ_OK)
    return status;
  info->transport = aq_transport_stack_name(performance->transport);
  info->notes = notes;
  status = perform(cli, store, performance, epoch, workload, info, &notes);
  free(notes);
  return status;
}
