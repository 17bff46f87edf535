/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/session/capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/host_kernels.h"
#include "queue/capture/packet_capture.h"
#include "study/session/cost.h"
#include "study/session/row_filter.h"

typedef struct capture_job {
  aq_session *session;
  const aq_capture_ask *ask;
  aq_cap_file *file;
  aq_packet_file *packets; /* instead of `file` */
  aq_host_kernels kernels;
  aq_kernel_entry *entries; /* owned; of the set */
  aq_run_info *info;
  aq_captured *out;
  aq_diag *diag;
} capture_job;

static const struct {
  const char *name;
  uint32_t flags;
} blocks[] = {
    {"host", 0}, {"device", AQ_EXECUTE_ON_DEVICE}, {"pm4", AQ_EXECUTE_PM4}};

aq_status aq_capture_blocks_read(const char *text, uint32_t *out, aq_diag *diag)
{
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
    if (strcmp(text ? text : "host", blocks[i].name) == 0) {
      *out = blocks[i].flags;
      return AQ_OK;
    }
  return aq_diag_set(diag, AQ_ERR_INVALID,
                     "block processor %.80s: expected host, device or pm4",
                     text);
}

static const char *blocks_name(uint32_t flags)
{
  size_t i = 0;
  while (blocks[i].flags != flags)
    i++;
  return blocks[i].name;
}

bool aq_capture_is(const char *path)
{
  return aq_cap_file_is(path) || aq_packet_file_is(path);
}

/* ---- executing ---- */

/* `count` times on one transport; nothing is kept of the first `warm`. */
static aq_status packets_execute(capture_job *job, aq_transport *transport,
                                 int64_t warm, int64_t count,
                                 aq_cap_played *out)
{
  aq_cap_played first;
  aq_status status = AQ_OK;
  for (int64_t i = -warm; i < count && status == AQ_OK; i++)
    status = aq_packet_file_play(
        job->packets, transport, job->out->computed.durations,
        job->session->options.timeout, i < 0 ? &first : &out[i], job->diag);
  return status;
}

/* --cost predicts from the code of each kernel, with all of its results. */
static aq_status cost_check(const capture_job *job, uint32_t devices)
{
  const aq_packet_file *file = job->packets;
  const char *path = job->ask->path;
  size_t executions = 0;
  if (aq_session_cost_samples(job->session->cost))
    return aq_diag_set(job->diag, AQ_ERR_INVALID,
                       "%s: a capture of packets compares all results of its "
                       "kernels; expected cost executed or fixed",
                       path);
  if (job->ask->from == AQ_KERNELS_FROM_HOST)
    return aq_diag_set(
        job->diag, AQ_ERR_INVALID,
        "cost executed: expected no kernels from the host, which "
        "execute no code");
  for (size_t i = 0; i < file->count; i++) {
    const aq_packet_event *event = &file->events[i];
    if (event->kind != AQ_PACKET_E_EXECUTE)
      continue;
    if (event->n[AQ_PACKET_N_DEVICE] >= devices)
      return aq_diag_set(job->diag, AQ_ERR_UNSUPPORTED,
                         "%s:%u: code of device %lld; the replay has %u", path,
                         event->line, (long long)event->n[AQ_PACKET_N_DEVICE],
                         devices);
    executions++;
  }
  return executions > 0
             ? AQ_OK
             : aq_diag_set(job->diag, AQ_ERR_INVALID,
                           "%s: it has no executions of code, from which "
                           "cost executed predicts; expected no cost",
                           path);
}

/* The code of the captured kernels, which their packets do not execute. */
static aq_status contents_execute(capture_job *job)
{
  const aq_session *session = job->session;
  aq_packet_computed *computed = &job->out->computed;
  if (!job->packets || job->ask->from == AQ_KERNELS_FROM_HOST)
    return AQ_OK;
  aq_status status = aq_packet_contents_execute(
      job->packets, aq_transport_stack_executor(session->transport),
      session->options.timeout, computed, job->diag);
  if (status != AQ_OK || job->ask->from != AQ_KERNELS_FROM_ISA ||
      (computed->executions > 0 && !computed->why[0]))
    return status;
  return aq_diag_set(job->diag, AQ_ERR_UNSUPPORTED,
                     "%s: its code cannot be executed: %s", job->ask->path,
                     computed->why[0] ? computed->why
                                      : "it has no executions of code");
}

static aq_status operations_execute(capture_job *job, aq_transport *transport,
                                    aq_record_sink *records, int64_t warm,
                                    int64_t count, aq_cap_played *out)
{
  const aq_cap_player_options options = {.size = sizeof options,
                                         .transport = transport,
                                         .kernels = job->entries,
                                         .timeout =
                                             job->session->options.timeout,
                                         .records = records,
                                         .from = job->ask->from,
                                         .execute = job->ask->execute};
  aq_cap_player *player;
  aq_cap_played first;
  aq_status status =
      aq_cap_player_create(job->file, &options, &player, job->diag);
  if (status != AQ_OK)
    return status;
  for (int64_t i = -warm; i < count && status == AQ_OK; i++)
    status = aq_cap_player_run(player, i < 0 ? &first : &out[i], job->diag);
  aq_cap_player_destroy(player);
  return status;
}

static aq_status execute(capture_job *job, aq_transport *transport,
                         aq_record_sink *records, int64_t warm, int64_t count,
                         aq_cap_played *out)
{
  if (job->packets && job->ask->execute)
    return aq_diag_set(job->diag, AQ_ERR_INVALID,
                       "%s: a capture of packets has no command buffers for "
                       "block processor %s",
                       job->ask->path, blocks_name(job->ask->execute));
  return job->packets
             ? packets_execute(job, transport, warm, count, out)
             : operations_execute(job, transport, records, warm, count, out);
}

/* The transport's description of itself, while it is open. */
static void info_ask(capture_job *job, aq_transport *transport)
{
  aq_run_info *run = job->info;
  aq_captured *out = job->out;
  aq_transport_info info;
  transport->ops->info(transport, &info);
  run->kind = aq_run_measures(info.caps) ? AQ_RUN_MEASURED : AQ_RUN_SIMULATED;
  run->reproducible = info.reproducible;
  const bool modelled = info.device_count > 0 && info.devices[0].model;
  job->session->on_simulator = run->kind == AQ_RUN_MEASURED && modelled;
  run->durations = aq_session_durations(job->session, run->kind);
  if (!modelled)
    return;
  const aq_device_info *device = &info.devices[0];
  snprintf(out->model, sizeof out->model, "%s", device->model);
  snprintf(out->hash, sizeof out->hash, "%s", device->model_hash);
  snprintf(out->verdict, sizeof out->verdict, "%s", device->verdict);
  run->device_model = out->model;
  run->model_hash = out->hash;
  run->model_verdict = out->verdict;
}

static aq_status recorded_execute(capture_job *job, aq_record_sink *records)
{
  aq_transport *transport;
  aq_record_filter rows = job->session->rows;
  aq_row_filter filter;
  aq_row_filter_init(&filter, records, &rows);
  aq_status status =
      aq_session_open(job->session, &filter.sink, &transport, job->diag);
  if (status == AQ_OK) {
    /* Code whose time its packets take goes before them. */
    const bool predicts = job->packets && job->session->cost;
    aq_transport_info info;
    transport->ops->info(transport, &info);
    if (predicts)
      status = cost_check(job, info.device_count);
    if (predicts && status == AQ_OK)
      status = contents_execute(job);
    if (status == AQ_OK)
      status = execute(job, transport, &filter.sink, 0, 1, &job->out->played);
    if (!predicts && status == AQ_OK)
      status = contents_execute(job);
    job->out->played.idle_kernels -= job->out->computed.computed;
    if (status == AQ_OK)
      status = aq_session_profile_put(job->session, records, job->diag);
    info_ask(job, transport);
    transport->ops->close(transport);
  }
  aq_row_filter_fini(&filter);
  return status == AQ_OK ? aq_session_recorded(&rows, job->info,
                                               &job->out->recorded, job->diag)
                         : status;
}

static aq_status bench_execute(capture_job *job)
{
  const int64_t repeats = job->ask->repeats;
  aq_transport *transport;
  if (repeats == 0)
    return AQ_OK;
  job->out->bench = calloc((size_t)repeats, sizeof *job->out->bench);
  if (!job->out->bench)
    return aq_diag_no_memory(job->diag);
  aq_status status = aq_session_open(job->session, NULL, &transport, job->diag);
  if (status != AQ_OK)
    return status;
  status = execute(job, transport, NULL, 1, repeats, job->out->bench);
  transport->ops->close(transport);
  return status;
}

/* ---- the run ---- */

static void bench_json(aq_json_out *json, const capture_job *job, bool host,
                       const char *key)
{
  aq_json_out_array(json, key);
  for (int64_t i = 0; i < job->ask->repeats; i++) {
    const aq_cap_played *played = &job->out->bench[i];
    aq_json_out_int(json, NULL,
                    host ? (int64_t)played->host_ns : played->span / AQ_NS);
  }
  aq_json_out_close_array(json);
}

static void capture_notes(aq_json_out *json, const void *user)
{
  const capture_job *job = user;
  const aq_cap_played *played = &job->out->played;
  aq_json_out_map(json, "capture");
  aq_json_out_int(json, "operations", (int64_t)played->operations);
  aq_json_out_int(json, "checked", (int64_t)played->digests);
  aq_json_out_int(json, "idle_host_calls", (int64_t)played->idle_calls);
  aq_json_out_int(json, "idle_kernels", (int64_t)played->idle_kernels);
  aq_json_out_int(json, "plain_queues", (int64_t)played->plain_queues);
  if (job->packets) {
    aq_json_out_int(json, "executions", (int64_t)job->out->computed.executions);
    aq_json_out_int(json, "computed", (int64_t)job->out->computed.computed);
  }
  aq_json_out_int(json, "host_ns", (int64_t)played->host_ns);
  aq_json_out_int(json, "span_ns", played->span / AQ_NS);
  if (job->ask->repeats > 0) {
    bench_json(json, job, true, "bench_host_ns");
    bench_json(json, job, false, "bench_span_ns");
  }
  aq_json_out_close_map(json);
}

static aq_status run_store(capture_job *job, aq_store *store)
{
  aq_store_writer *writer;
  aq_status status = aq_store_writer_open(store, job->info, &writer, job->diag);
  if (status != AQ_OK)
    return status;
  job->out->run = aq_store_writer_run(writer);
  status = recorded_execute(job, aq_store_writer_sink(writer));
  if (status == AQ_OK)
    status = bench_execute(job);
  if (status == AQ_OK) {
    job->session->notes = capture_notes;
    job->session->notes_user = job;
    status = aq_session_notes(job->session, NULL, &job->out->notes, job->diag);
    job->session->notes = NULL;
  }
  if (status != AQ_OK) {
    aq_store_writer_abort(writer);
    return status;
  }
  job->info->notes = job->out->notes;
  job->info->durations = aq_session_cost_durations(writer, job->info->durations,
                                                   job->out->durations);
  return aq_store_writer_finish(writer, job->info, job->diag);
}

aq_status aq_capture_perform(aq_session *session, aq_store *store,
                             const aq_capture_ask *ask, aq_run_info *info,
                             aq_captured *out, aq_diag *diag)
{
  capture_job job = {
      .session = session, .ask = ask, .info = info, .out = out, .diag = diag};
  *out = (aq_captured){.run = AQ_NONE};
  aq_status status = aq_packet_file_is(ask->path)
                         ? aq_packet_file_open(ask->path, &job.packets, diag)
                         : aq_cap_file_open(ask->path, &job.file, diag);
  if (status == AQ_OK)
    status =
        aq_host_kernels_open_default(&job.kernels, ask->kernels, NULL, diag);
  if (status == AQ_OK && !(job.entries = aq_host_kernels_entries(&job.kernels)))
    status = aq_diag_no_memory(diag);
  if (status == AQ_OK) {
    info->transport = aq_transport_stack_name(session->transport);
    info->source = ask->path;
    info->format = job.packets ? "packets" : "capture";
    info->base_ns = 0;
    status = run_store(&job, store);
  }
  free(job.entries);
  aq_host_kernels_close(&job.kernels);
  aq_packet_file_close(job.packets);
  aq_cap_file_close(job.file);
  if (status != AQ_OK)
    aq_captured_fini(out);
  return status;
}

void aq_captured_fini(aq_captured *captured)
{
  free(captured->notes);
  free(captured->recorded);
  free(captured->bench);
  free(captured->computed.durations);
  captured->computed.durations = NULL;
  captured->notes = captured->recorded = NULL;
  captured->bench = NULL;
}
