/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/devices.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/dispatch/dispatcher.h"
#include "backend_sim/hwqueue/slots.h"
#include "backend_sim/model/cost.h"
#include "backend_sim/model/device_set.h"
#include "backend_sim/model/occupancy.h"
#include "backend_sim/packet/fetch.h"
#include "backend_sim/packet/inflight.h"
#include "backend_sim/packet/kernel_dispatch.h"
#include "backend_sim/packet/pipes.h"
#include "backend_sim/packet/processor.h"
#include "backend_sim/packet/ring.h"
#include "backend_sim/policy/device_policy.h"
#include "backend_sim/sim.h"
#include "backend_sim/transfer/bandwidth.h"
#include "backend_sim/transfer/copies.h"
#include "backend_sim/transfer/links.h"

static void device_fences(aqsim_device *device)
{
  const aqsim_model *model = device->model;
  const aq_time acquire[AQSIM_SCOPES] = {
      0, model->acquire_agent, model->acquire_system, model->acquire_system};
  const aq_time release[AQSIM_SCOPES] = {
      0, model->release_agent, model->release_system, model->release_system};
  memcpy(device->acquire, acquire, sizeof acquire);
  memcpy(device->release, release, sizeof release);
  for (int i = 0; i < AQSIM_SCOPES; i++)
    device->finish[i] = model->end_of_pipe + release[i] + model->signal_write;
}

static void device_describe(const aqsim_device *device, aq_device_info *info)
{
  const aqsim_model *model = device->model;
  aq_time warm = model->doorbell_to_fetch + model->packet_fetch +
                 model->packet_decode + model->acquire_agent +
                 model->dispatch_setup;
  /* A barrier packet has seen its signals until the next kernel starts. */
  const aq_time behind =
      model->signal_write + model->acquire_agent + model->dispatch_setup;
  *info = (aq_device_info){
      .name = model->product,
      .gfx = model->gfx,
      .model = model->name,
      .model_hash = device->hash,
      .verdict = aqsim_model_verdict(model),
      .cus = (uint32_t)model->cus,
      .wave_size = (uint32_t)model->wave_size,
      .queues_max = (uint32_t)model->queues_max,
      .queue_size_min = (uint32_t)model->queue_size_min,
      .queue_size_max = (uint32_t)model->queue_size_max,
      .timestamp_hz = (uint64_t)model->timestamp_hz,
      .timestamp_step = model->timestamp_step,
      .dispatch_latency_warm = warm,
      .dispatch_latency_cold = warm + model->remap_latency,
      .unmap_after = model->unmap_after,
      .idle_ramp = model->idle_ramp,
      .remap_ramp = model->remap_ramp,
      .handler_guard = model->handler_guard,
      .handler_window = model->handler_window,
      .handler_hold = model->handler_hold,
      .copy_return = model->copy_return,
      .gate_latency = model->dependency_poll + behind,
      .barrier_latency = device->finish[AQ_SCOPE_AGENT] +
                         aqsim_barrier_time(model, true, false) + behind,
      .graph_launch = model->graph_launch,
      .graph_per_node = model->graph_per_node,
      .graph_head = (uint32_t)model->graph_head,
      .graph_batch = (uint32_t)model->graph_batch,
      .uuid = device->uuid,
      .copy_engines = (uint32_t)model->copy_engines,
      .copy_engines_peer = (uint32_t)model->copy_engines_peer,
      .resources = aqsim_device_resources(model),
  };
}

static const aqsim_device_ops device_ops = {
    .hold = aqsim_kernel_dispatch_hold,
    .release = aqsim_kernel_dispatch_release,
    .drop = aqsim_kernel_dispatch_drop,
    .rescan = aqsim_kernel_dispatch_rescan,
    .sleep_end = aqsim_inflight_event_forget,
    .end_move = aqsim_inflight_end_move,
    .restart = aqsim_inflight_restart,
    .free = aqsim_inflight_free,
    .pump = aqsim_queue_pump,
    .retire = aqsim_ring_retire,
    .pass_evicted = aqsim_queue_pass_evicted,
    .rank_set = aqsim_queue_rank_set,
    .preempt = aqsim_queue_preempt,
    .slot_want = aqsim_queue_slot_want,
    .slot_decline = aqsim_queue_slot_decline,
    .slot_progress = aqsim_slots_progress,
    .slots_review = aqsim_slots_review,
    .slots_map = aqsim_slots_map_by,
    .unit_ask = aqsim_unit_ask,
    .copies_ask = aqsim_copies_ask,
};

static aq_status device_dispatch(aqsim_device *device, aq_diag *diag)
{
  device->dispatcher = aqsim_dispatcher_create(device->model);
  if (device->dispatcher)
    return AQ_OK;
  return aq_diag_no_memory(diag);
}

/* FNV-1a. */
uint64_t aqsim_device_unique(const aqsim_model *model, uint32_t ordinal)
{
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (const char *c = model->product; *c; c++)
    hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
  hash = (hash ^ ordinal) * UINT64_C(0x100000001b3);
  /* So that the first digits differ too. */
  hash = (hash ^ hash >> 33) * UINT64_C(0xff51afd7ed558ccd);
  return hash ^ hash >> 33;
}

static void device_name_uniquely(aqsim_device *device)
{
  snprintf(device->uuid, sizeof device->uuid, "GPU-%016" PRIx64,
           aqsim_device_unique(device->model, device->ordinal));
}

static aq_status device_open(aqsim *sim, uint32_t ordinal, aq_diag *diag)
{
  aqsim_device *device = &sim->devices[ordinal];
  device->sim = sim;
  device->ordinal = ordinal;
  device->model = sim->models.models[ordinal];
  aqsim_model_hash(device->model, device->hash);
  device_name_uniquely(device);
  device_fences(device);
  device->limits = (aqsim_packet_limits){
      .workgroup_max = (uint64_t)device->model->workgroup_max,
      .lds_per_workgroup = (uint64_t)device->model->lds_per_workgroup,
      .foundation = sim->semantics == AQ_SEMANTICS_FOUNDATION};
  device_describe(device, &sim->infos[ordinal]);
  if (!aqsim_slots_init(device))
    return aq_diag_no_memory(diag);
  aq_status status = device_dispatch(device, diag);
  if (status != AQ_OK)
    return status;
  aq_record_sink *sink = device->sim->recorder.sink;
  device->record = AQ_NONE;
  if (!sink)
    return AQ_OK;
  aq_run_device row = {.source_id = device->ordinal,
                       .name = device->model->product,
                       .gfx = device->model->gfx,
                       .cus = device->model->cus};
  return sink->device(sink, &row, &device->record, diag);
}

aq_status aqsim_devices_open(aqsim *sim, const aq_transport_options *options,
                             aq_diag *diag)
{
  const char *list = options->device ? options->device : AQSIM_DEFAULT_DEVICE;
  aq_status status =
      aqsim_device_set_load(list, options->edits, &sim->models, diag);
  if (status == AQ_OK)
    status = aqsim_links_init(&sim->links, &sim->models, diag);
  if (status == AQ_OK)
    status = aqsim_bandwidth_init(&sim->traffic, &sim->links, sim->now, diag);
  if (status != AQ_OK)
    return status;
  sim->device_count = sim->models.count;
  sim->devices = calloc(sim->device_count, sizeof *sim->devices);
  sim->infos = calloc(sim->device_count, sizeof *sim->infos);
  if (!sim->devices || !sim->infos)
    return aq_diag_no_memory(diag);
  for (uint32_t i = 0; status == AQ_OK && i < sim->device_count; i++)
    status = device_open(sim, i, diag);
  for (uint32_t i = 0;
       options->policy && status == AQ_OK && i < sim->device_count; i++)
    status =
        aqsim_policy_open(&sim->devices[i], options->policy, &device_ops, diag);
  for (uint32_t i = 0;
       options->policy && status == AQ_OK && i < sim->device_count; i++)
    aqsim_policy_attach(&sim->devices[i]);
  return status;
}

void aqsim_devices_close(aqsim *sim)
{
  for (uint32_t i = 0; sim->devices && i < sim->device_count; i++) {
    aqsim_policy_close(&sim->devices[i]);
    aqsim_kernel_dispatch_fini(&sim->devices[i]);
    aqsim_slots_fini(&sim->devices[i]);
  }
  aqsim_bandwidth_fini(&sim->traffic);
  aqsim_links_fini(&sim->links);
  aqsim_device_set_fini(&sim->models);
  free(sim->infos);
  free(sim->devices);
}
