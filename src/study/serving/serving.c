/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/serving/serving.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "study/serving/serving_priv.h"

static aq_serving *of(aq_workload_source *source)
{
  return (aq_serving *)source;
}

/* When the server does something next: a call, or a new step. */
static aq_time server_next(const aq_serving_server *server)
{
  if (server->busy)
    return aq_serving_step_submit(server);
  const bool has = aq_batcher_running(server->batcher) > 0 ||
                   aq_batcher_waiting(server->batcher) > 0;
  const aq_time arrival = has ? 0 : aq_serving_arrival_next(server);
  return arrival == AQ_TIME_MAX ? AQ_TIME_MAX
                                : aq_time_max(arrival, server->ready);
}

static aq_time transfer_next(const aq_serving *sv)
{
  return sv->transfer_first < sv->transfer_count
             ? sv->transfers[sv->transfer_first].at
             : AQ_TIME_MAX;
}

/* The server whose turn is next, or NULL; *at its time. */
static aq_serving_server *turn_find(const aq_serving *sv, aq_time *at)
{
  aq_serving_server *found = NULL;
  *at = AQ_TIME_MAX;
  for (uint32_t i = 0; i < sv->server_count; i++) {
    const aq_time next = server_next(&sv->servers[i]);
    if (next < *at) {
      *at = next;
      found = &sv->servers[i];
    }
  }
  return found;
}

static aq_time sv_peek(aq_workload_source *source)
{
  const aq_serving *sv = of(source);
  aq_time at;
  if (sv->status != AQ_OK)
    return sv->last_submit; /* so that next() is asked, and fails */
  turn_find(sv, &at);
  at = aq_time_min(at, transfer_next(sv));
  return at == AQ_TIME_MAX ? at : aq_time_max(at, sv->last_submit);
}

/* Without a run there are no devices, and no links between them. */
static aq_status devices_default(aq_serving *sv, aq_diag *diag)
{
  aq_status status = AQ_OK;
  for (uint32_t i = 0; i < sv->server_count && status == AQ_OK; i++) {
    aq_serving_server *server = &sv->servers[i];
    server->gpu = server->model->measured_on;
    server->peers = AQ_ALONE;
    if (server->device_count > 1 ||
        (server->role == AQ_SV_PREFILL && !server->local))
      status = aq_diag_set(diag, AQ_ERR_INVALID,
                           "server %s has several devices, whose links are not "
                           "known here",
                           server->name);
    else
      status = aq_model_check(server->model, &server->gpu, diag);
  }
  sv->bound = status == AQ_OK;
  return status;
}

static aq_status transfer_pop(aq_serving *sv, aq_job *out, bool *got,
                              aq_diag *diag)
{
  const aq_serving_transfer transfer = sv->transfers[sv->transfer_first++];
  if (sv->transfer_first == sv->transfer_count)
    sv->transfer_first = sv->transfer_count = 0;
  sv->last_submit = aq_time_max(sv->last_submit, transfer.at);
  *got = true;
  return aq_serving_transfer_job(sv, &transfer, out, diag);
}

static aq_status sv_next(aq_workload_source *source, aq_job *out, bool *got,
                         aq_diag *diag)
{
  aq_serving *sv = of(source);
  aq_time at;
  *got = false;
  if (sv->status != AQ_OK)
    return aq_diag_set(diag, sv->status, "%s", sv->failure.text);
  if (!sv->bound) {
    aq_status status = devices_default(sv, diag);
    if (status != AQ_OK)
      return status;
  }
  aq_serving_server *server = turn_find(sv, &at);
  const aq_time transfer = transfer_next(sv);
  if (transfer <= at && transfer != AQ_TIME_MAX)
    return transfer_pop(sv, out, got, diag);
  if (!server)
    return AQ_OK;
  aq_status status = AQ_OK;
  if (!server->busy) {
    bool formed;
    at = aq_time_max(at, sv->last_submit);
    status = aq_serving_step_form(sv, server, at, &formed, diag);
    if (status != AQ_OK || !formed)
      return status;
    /* The host's time before the first call passes first. */
    if (aq_serving_step_submit(server) > at)
      return AQ_OK;
  }
  sv->last_submit =
      aq_time_max(sv->last_submit, aq_serving_step_submit(server));
  *got = true;
  return aq_serving_step_job(sv, server, out, diag);
}

static void fail(aq_serving *sv, aq_status status)
{
  if (status != AQ_OK && sv->status == AQ_OK)
    sv->status = status;
}

static void job_done(aq_serving *sv, uint64_t job, aq_time time, bool rejected)
{
  uint64_t what;
  aq_diag *diag = &sv->failure;
  if (!aq_map_remove(&sv->jobs, job, &what))
    return;
  if (what >= sv->server_count) {
    const uint32_t live = (uint32_t)(what - sv->server_count);
    if (!aq_serving_arrival_add(sv, &sv->servers[sv->targets[live]], time,
                                sv->lives[live].request, live))
      fail(sv, aq_diag_no_memory(diag));
    return;
  }
  aq_serving_server *server = &sv->servers[what];
  server->rejected |= rejected;
  server->last = aq_time_max(server->last, time);
  server->flying--;
  if (server->flying == 0 && aq_serving_step_submit(server) == AQ_TIME_MAX)
    fail(sv, aq_serving_step_done(sv, server, server->last, diag));
}

static void sv_done(aq_workload_source *source, uint64_t job, aq_time time)
{
  job_done(of(source), job, time, false);
}

static void sv_rejected(aq_workload_source *source, uint64_t job, aq_time time)
{
  job_done(of(source), job, time, true);
}

/* One that runs on two kinds of GPU has no time of a step. */
static aq_status gpu_find(aq_serving_server *server,
                          const aq_transport_info *info, aq_diag *diag)
{
  for (uint32_t d = 0; d < server->device_count; d++) {
    aq_gpu gpu;
    if (server->devices[d] >= info->device_count)
      return aq_diag_set(diag, AQ_ERR_INVALID,
                         "server %s runs on device %u, but there are %u "
                         "devices (mi300x*%u has them)",
                         server->name, server->devices[d], info->device_count,
                         server->devices[d] + 1);
    const aq_device_info *device = &info->devices[server->devices[d]];
    aq_status status = aq_gpu_find(device->gfx, device->cus, &gpu, diag);
    if (status != AQ_OK)
      return status;
    if (d > 0 &&
        (gpu.cus != server->gpu.cus || strcmp(gpu.gfx, server->gpu.gfx) != 0))
      return aq_diag_set(diag, AQ_ERR_INVALID,
                         "server %s: devices %u and %u differ; one kind "
                         "expected",
                         server->name, server->devices[0], server->devices[d]);
    server->gpu = gpu;
  }
  return aq_model_check(server->model, &server->gpu, diag);
}

static aq_status sv_devices(aq_workload_source *source,
                            const aq_transport_info *info, aq_diag *diag)
{
  aq_serving *sv = of(source);
  aq_status status = AQ_OK;
  for (uint32_t i = 0; i < sv->server_count && status == AQ_OK; i++)
    status = gpu_find(&sv->servers[i], info, diag);
  for (uint32_t i = 0; i < sv->server_count && status == AQ_OK; i++) {
    aq_serving_server *server = &sv->servers[i];
    const aq_serving_server *to = &sv->servers[server->to];
    status = aq_peers_find(info, server->devices, server->device_count,
                           &server->peers, diag);
    if (status == AQ_OK && server->role == AQ_SV_PREFILL)
      status = aq_peers_transfer(info, server->devices, server->device_count,
                                 to->devices, to->device_count,
                                 &server->onwards, diag);
  }
  sv->bound = status == AQ_OK;
  return status;
}

static const aq_request *sv_ended(aq_workload_source *source, size_t *count)
{
  aq_serving *sv = of(source);
  *count = sv->ended_count;
  sv->ended_count = 0;
  return sv->ended;
}

static const char *sv_name(aq_workload_source *source, int64_t id)
{
  const aq_serving *sv = of(source);
  return id >= 0 && (size_t)id < sv->name_count ? sv->names[id] : NULL;
}

static void sv_close(aq_workload_source *source)
{
  aq_serving *sv = of(source);
  for (uint32_t i = 0; i < sv->server_count; i++) {
    aq_serving_server *server = &sv->servers[i];
    aq_model_close(server->model);
    aq_llm_requests_fini(&server->requests);
    aq_batcher_destroy(server->batcher);
    free(server->arrivals);
    free(server->sequence);
    free(server->cuts);
  }
  aq_map_fini(&sv->jobs);
  free(sv->lives);
  free(sv->transfers);
  free(sv->targets);
  free(sv->ended);
  free(sv->commands);
  aq_arena_fini(&sv->arena);
  free(sv);
}

/* ---- opening ---- */

/* Names of kernels: 0 is a whole step, 1 a transfer; then each model's. */
static aq_status names_make(aq_serving *sv, aq_diag *diag)
{
  size_t count = 2;
  for (uint32_t i = 0; i < sv->server_count; i++)
    count += sv->servers[i].model->kernel_count;
  sv->names = aq_arena_alloc(&sv->arena, count * sizeof *sv->names);
  if (!sv->names)
    return aq_diag_no_memory(diag);
  sv->names[0] = "step";
  sv->names[1] = "kv_transfer";
  sv->name_count = 2;
  for (uint32_t i = 0; i < sv->server_count; i++) {
    const aq_model *model = sv->servers[i].model;
    sv->servers[i].names = (int64_t)sv->name_count;
    for (size_t k = 0; k < model->kernel_count; k++)
      sv->names[sv->name_count++] = model->kernels[k].name;
  }
  return AQ_OK;
}

static aq_status clients_make(aq_serving *sv, aq_diag *diag)
{
  sv->clients =
      aq_arena_alloc(&sv->arena, sv->server_count * sizeof *sv->clients);
  if (!sv->clients)
    return aq_diag_no_memory(diag);
  for (uint32_t i = 0; i < sv->server_count; i++) {
    aq_serving_server *server = &sv->servers[i];
    const size_t kernels = server->model->kernel_count;
    sv->source.no_deadlines &=
        server->ttft == AQ_TIME_NONE && server->tpot == AQ_TIME_NONE;
    sv->clients[i] = (aq_serving_client){.name = server->name,
                                         .weight = server->weight,
                                         .priority = server->priority,
                                         .ttft = server->ttft,
                                         .tpot = server->tpot,
                                         .gaps = server->gaps};
    server->times = aq_arena_alloc(&sv->arena, kernels * sizeof *server->times);
    server->spreads =
        aq_arena_alloc(&sv->arena, kernels * sizeof *server->spreads);
    if (!server->times || !server->spreads)
      return aq_diag_no_memory(diag);
    aq_status status =
        aq_batcher_create(&server->batching, &server->batcher, diag);
    if (status != AQ_OK)
      return status;
  }
  return AQ_OK;
}

aq_status aq_serving_open(const aq_json_node *node,
                          const aq_serving_options *options,
                          aq_workload_source **out, aq_diag *diag)
{
  aq_serving *sv = calloc(1, sizeof *sv);
  if (!sv)
    return aq_diag_no_memory(diag);
  sv->source = (aq_workload_source){.peek = sv_peek,
                                    .next = sv_next,
                                    .done = sv_done,
                                    .rejected = sv_rejected,
                                    .devices = sv_devices,
                                    .ended = sv_ended,
                                    .name = sv_name,
                                    .close = sv_close,
                                    .no_deadlines = true};
  sv->arena = (aq_arena)AQ_ARENA_INIT;
  sv->live_free = AQ_LLM_NONE;
  aq_status status = aq_serving_read(sv, node, diag);
  if (status == AQ_OK) {
    status = aq_serving_windows(sv, options, diag);
    if (status == AQ_ERR_INPUT)
      aq_diag_prefix(diag, "%s", node->doc->file);
  }
  if (status == AQ_OK)
    status = names_make(sv, diag);
  if (status == AQ_OK)
    status = clients_make(sv, diag);
  if (status == AQ_OK)
    *out = &sv->source;
  else
    sv_close(&sv->source);
  return status;
}

const aq_serving_client *aq_serving_clients(aq_workload_source *source,
                                            uint32_t *count)
{
  const aq_serving *sv = of(source);
  *count = sv->server_count;
  return sv->clients;
}

const char *aq_serving_durations(aq_workload_source *source)
{
  return of(source)->steps
             ? "predicted by served models: 0.70 to 1.27 times in 41 published "
               "batches"
             : "predicted by served models: 0.59 to 1.07 times in 9 published "
               "batches";
}

aq_arena *aq_serving_arena(aq_workload_source *source)
{
  return &of(source)->arena;
}
