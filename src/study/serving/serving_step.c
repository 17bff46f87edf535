/* SPDX-License-Identifier: MIT */
/*
 * Steps of served models: the kernels of a batch, and the host calls that
 * launch them. A decode step is one graph launch where its batch size was
 * captured, else each kernel is a call. Where devices add up their parts, a
 * step is cut: the next part waits for all devices.
 */
#include "config.h"

#include <string.h>

#include "common/array.h"
#include "study/serving/serving_priv.h"

enum {
  WORKGROUP = 1024, /* work-items: with so many registers, one a unit */
  VGPRS = 128,
};

/* ---- forming ---- */

/* The kernels of one part of the model, `times` times. */
static bool part_append(aq_serving_server *server, aq_model_part part,
                        uint32_t times)
{
  const aq_model *model = server->model;
  const bool each = !server->graph;
  for (uint32_t n = 0; n < times; n++)
    for (size_t i = 0; i < model->kernel_count; i++) {
      const aq_model_kernel *kernel = &model->kernels[i];
      if (kernel->part != part ||
          !aq_model_has(kernel, &server->step, server->device_count))
        continue;
      const bool cut = each || server->sequence_count == 0 ||
                       kernel->kind == AQ_MODEL_reduction;
      if (cut &&
          !AQ_ARRAY_PUSH(server->cuts, server->cut_count, server->cut_capacity,
                         (uint32_t)server->sequence_count))
        return false;
      if (!AQ_ARRAY_PUSH(server->sequence, server->sequence_count,
                         server->sequence_capacity, (uint16_t)i))
        return false;
    }
  return true;
}

static bool sequence_make(aq_serving *sv, aq_serving_server *server)
{
  server->sequence_count = server->cut_count = 0;
  server->part = 0;
  server->device = 0;
  if (sv->steps) /* one part, whose only kernel stands for all */
    return AQ_ARRAY_PUSH(server->cuts, server->cut_count, server->cut_capacity,
                         0) &&
           AQ_ARRAY_PUSH(server->cuts, server->cut_count, server->cut_capacity,
                         1);
  for (size_t i = 0; i < server->model->kernel_count; i++) {
    server->times[i] = aq_model_time(server->model, i, &server->step,
                                     &server->gpu, &server->peers);
    server->spreads[i] =
        aq_model_spread(&server->model->kernels[i], &server->step, &server->gpu,
                        server->device_count);
  }
  return part_append(server, AQ_MODEL_HEAD, 1) &&
         part_append(server, AQ_MODEL_LAYER, server->model->layers) &&
         part_append(server, AQ_MODEL_TAIL, 1) &&
         AQ_ARRAY_PUSH(server->cuts, server->cut_count, server->cut_capacity,
                       (uint32_t)server->sequence_count);
}

/* When the first of the step's requests misses an objective. */
static aq_time due_of(const aq_serving *sv, const aq_serving_server *server)
{
  aq_time due = AQ_TIME_NONE;
  for (uint32_t i = 0; i < server->batch.count; i++) {
    const aq_serving_live *live = &sv->lives[server->batch.items[i].tag];
    const aq_serving_server *owner = &sv->servers[live->server];
    const bool first = live->first == AQ_TIME_NONE;
    const aq_time limit = first ? owner->ttft : owner->tpot;
    if (limit == AQ_TIME_NONE)
      continue;
    const aq_time at = aq_time_add(first ? live->arrival : live->last, limit);
    if (due == AQ_TIME_NONE || at < due)
      due = at;
  }
  return due;
}

aq_status aq_serving_step_form(aq_serving *sv, aq_serving_server *server,
                               aq_time time, bool *formed, aq_diag *diag)
{
  aq_status status = aq_serving_arrivals_admit(sv, server, time, diag);
  if (status == AQ_OK)
    status = aq_batcher_form(server->batcher, &server->batch, diag);
  *formed = status == AQ_OK && server->batch.count > 0;
  if (!*formed)
    return status;
  const aq_batch *batch = &server->batch;
  aq_model_step *step = &server->step;
  const uint32_t captured = server->graphs && batch->chunks == 0
                                ? aq_model_graph(server->model, batch->singles)
                                : 0;
  server->graph = captured > 0;
  *step = (aq_model_step){.tokens = captured ? captured : batch->tokens,
                          .sequences = captured ? captured : batch->count,
                          .decodes = captured ? captured : batch->singles,
                          .pairs = batch->chunk_pairs,
                          .chunk_tokens = batch->chunk_tokens,
                          .context = batch->single_cache};
  if (!sequence_make(sv, server))
    return aq_diag_no_memory(diag);
  for (uint32_t i = 0; i < server->batch.count; i++) {
    aq_serving_live *live = &sv->lives[server->batch.items[i].tag];
    if (live->begin == AQ_TIME_NONE)
      live->begin = time;
  }
  server->due = due_of(sv, server);
  server->busy = true;
  server->rejected = false;
  server->flying = 0;
  server->begin = time;
  if (!server->graph && !sv->steps)
    server->begin = aq_time_add(time, server->model->eager_gap);
  server->last = server->begin;
  return AQ_OK;
}

/* ---- jobs ---- */

aq_time aq_serving_step_submit(const aq_serving_server *server)
{
  if (!server->busy || server->rejected ||
      server->part + 1 >= server->cut_count)
    return AQ_TIME_MAX;
  return server->graph
             ? server->begin
             : server->begin + (aq_time)server->part * server->model->call;
}

static void command_fill(aq_command *out, int64_t name, aq_time time,
                         uint32_t groups)
{
  *out = (aq_command){.kind = AQ_KIND_KERNEL,
                      .cost = {.kind = AQ_COST_SPIN_WORKGROUP, .base = time},
                      .grid = {groups * WORKGROUP, 1, 1},
                      .workgroup = {WORKGROUP, 1, 1},
                      .vgprs = VGPRS,
                      .bytes = AQ_NONE,
                      .flags = AQ_FLAG_PREDICTED,
                      .name = name,
                      .origin = AQ_NONE};
}

/* The commands of the part at hand; *sum gets their times. */
static aq_status commands_fill(aq_serving *sv, const aq_serving_server *server,
                               uint32_t *count, aq_time *sum, aq_diag *diag)
{
  const uint32_t from = server->cuts[server->part];
  *count = server->cuts[server->part + 1] - from;
  *sum = 0;
  if (!AQ_ARRAY_RESERVE(sv->commands, sv->command_capacity, *count))
    return aq_diag_no_memory(diag);
  if (sv->steps) {
    *sum = aq_model_step_time(server->model, &server->step, &server->gpu,
                              &server->peers);
    if (!server->graph) /* its host calls are not simulated */
      *sum = aq_time_add(*sum, server->model->eager_gap);
    command_fill(&sv->commands[0], 0, *sum, server->gpu.cus);
    if (server->alone) /* nothing competes for its compute units */
      sv->commands[0].cost.kind = AQ_COST_SPIN;
    return AQ_OK;
  }
  for (uint32_t i = 0; i < *count; i++) {
    const uint16_t kernel = server->sequence[from + i];
    command_fill(&sv->commands[i], server->names + kernel,
                 server->times[kernel], server->spreads[kernel]);
    *sum += server->times[kernel];
  }
  if (server->graph && server->part == 0)
    sv->commands[0].flags |= AQ_FLAG_GRAPH_FIRST;
  return AQ_OK;
}

/* A row of a weight's product is two operations a number of two bytes: from so
 * many rows on, the operations of products take longer than their weights. */
static uint32_t flags_of(const aq_serving_server *server)
{
  const bool compute =
      (double)server->step.tokens * server->gpu.bandwidth > server->gpu.flops;
  return (compute ? AQ_JOB_COMPUTE : AQ_JOB_MEMORY) |
         (server->idempotent ? AQ_JOB_IDEMPOTENT : 0);
}

static void job_fill(const aq_serving *sv, const aq_serving_server *server,
                     uint32_t device, aq_job *out)
{
  const uint32_t self = (uint32_t)(server - sv->servers);
  *out = (aq_job){.id = sv->next_job,
                  .device = server->devices[device],
                  .stream = 2 * (int64_t)self,
                  .queue = AQ_NONE,
                  .submit = sv->last_submit,
                  .host_begin = sv->last_submit,
                  .host_end = sv->last_submit,
                  .deadline = AQ_TIME_NONE,
                  .priority = server->priority,
                  .client = self,
                  .weight = server->weight,
                  .hint = AQ_TIME_NONE,
                  .correlation = (int64_t)sv->next_job,
                  .pid = AQ_NONE,
                  .tid = self,
                  .commands = sv->commands,
                  .entry = self};
}

static bool waits_for_all(const aq_serving_server *server)
{
  const uint32_t from = server->cuts[server->part];
  return server->part > 0 && server->device_count > 1 &&
         from < server->sequence_count &&
         server->model->kernels[server->sequence[from]].kind ==
             AQ_MODEL_reduction;
}

/* The next device, or the next part. */
static void job_advance(aq_serving_server *server, uint64_t job)
{
  server->now[server->device] = job;
  server->flying++;
  if (++server->device < server->device_count)
    return;
  memcpy(server->before, server->now, sizeof server->before);
  server->device = 0;
  server->part++;
}

aq_status aq_serving_step_job(aq_serving *sv, aq_serving_server *server,
                              aq_job *out, aq_diag *diag)
{
  const uint32_t self = (uint32_t)(server - sv->servers);
  uint32_t count;
  aq_time sum;
  aq_status status = commands_fill(sv, server, &count, &sum, diag);
  if (status != AQ_OK)
    return status;
  if (!aq_map_put(&sv->jobs, sv->next_job, self))
    return aq_diag_no_memory(diag);
  job_fill(sv, server, server->device, out);
  out->command_count = count;
  out->hint = sum;
  out->job_flags = flags_of(server);
  out->deadline = server->due;
  out->via = server->graph && !sv->steps ? AQ_VIA_GRAPH : AQ_VIA_DIRECT;
  out->marker = server->graph && !sv->steps;
  for (uint32_t i = 0; waits_for_all(server) && i < server->device_count; i++)
    if (i != server->device)
      out->dependencies[out->dependency_count++] = server->before[i];
  job_advance(server, sv->next_job++);
  return AQ_OK;
}

aq_status aq_serving_transfer_job(aq_serving *sv,
                                  const aq_serving_transfer *transfer,
                                  aq_job *out, aq_diag *diag)
{
  aq_serving_server *to = &sv->servers[transfer->to];
  const aq_serving_server *from = &sv->servers[transfer->from];
  const aq_serving_live *live = &sv->lives[transfer->live];
  const uint64_t bytes =
      from->model->kv_bytes *
      sv->servers[live->server].requests.list[live->request].prompt;
  const aq_time time = from->onwards.latency +
                       (aq_time)((double)bytes * from->onwards.each + 0.5);
  if (!AQ_ARRAY_RESERVE(sv->commands, sv->command_capacity, 1) ||
      !AQ_ARRAY_RESERVE_ZEROED(sv->targets, sv->target_capacity,
                               (size_t)transfer->live + 1) ||
      !aq_map_put(&sv->jobs, sv->next_job,
                  (uint64_t)sv->server_count + transfer->live))
    return aq_diag_no_memory(diag);
  sv->targets[transfer->live] = transfer->to;
  command_fill(&sv->commands[0], 1, time, 1);
  sv->commands[0].kind = AQ_KIND_COPY;
  sv->commands[0].bytes = (int64_t)bytes;
  sv->commands[0].cost.kind = AQ_COST_SPIN;
  job_fill(sv, to, 0, out);
  out->stream++; /* beside the server's kernels */
  out->command_count = 1;
  out->hint = sv->commands[0].cost.base;
  out->via = AQ_VIA_DIRECT;
  sv->next_job++;
  return AQ_OK;
}
