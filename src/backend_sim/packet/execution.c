/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/packet/execution.h"

/* Instructions a step: about a millisecond of this machine, after which other
 * packets, and in live mode the host, have their turn. */
enum { BUDGET = 1 << 16 };

/* The fields of dimensions that the packet does not use say nothing. */
static void dimensions_set(aq_kernel_packet *packet)
{
  for (uint32_t i = aqsim_packet_dimensions(packet); i < 3; i++) {
    packet->workgroup_size[i] = 1;
    packet->grid_size[i] = 1;
  }
}

aq_status aqsim_execution_begin(aqsim_inflight *inflight, aq_diag *diag)
{
  const aqsim_queue *queue = inflight->queue;
  const aqsim_device *device = queue->device;
  const aqsim_model *model = device->model;
  const aq_executor *executor = queue->sim->executor;
  const aq_device_info *info = &queue->sim->infos[device->ordinal];
  const aqsim_kernel *kernel = inflight->kernel;
  const bool pm4 = inflight->kind->record != AQ_KIND_KERNEL;
  uint32_t wave_size = kernel->desc.wave_size ? kernel->desc.wave_size
                                              : (uint32_t)model->wave_size;
  if (pm4) /* its initiator alone decides */
    wave_size = queue->pm4->wave32 ? 32 : 64;
  dimensions_set(&inflight->packet.kernel);
  const aq_execution_desc desc = {
      .packet = pm4 ? &queue->pm4->dispatch : &inflight->packet.kernel,
      .registers = pm4 ? &queue->pm4->registers : NULL,
      .kernel = kernel->desc.name,
      .gfx = info->gfx,
      .queue = queue->abi,
      .dispatch_id = inflight->id,
      .device = device->ordinal,
      .cus = queue->cus.count,
      .wave_size = wave_size,
      .timestamp_hz = info->timestamp_hz,
      .concurrent = queue->sim->live != NULL};
  inflight->executed = queue->sim->now;
  const aq_status status =
      executor->begin(executor->user, &desc, &inflight->execution, diag);
  inflight->executes = status == AQ_OK;
  return status;
}

aq_execution_state aqsim_execution_step(aqsim_inflight *inflight,
                                        uint64_t ticks,
                                        aq_execution_fault *fault)
{
  const aqsim *sim = inflight->queue->sim;
  aq_execution_step step = {0};
  const aq_execution_state state =
      sim->executor->step(inflight->execution, BUDGET, ticks, &step);
  inflight->executed = aq_time_add(inflight->executed, step.elapsed);
  inflight->told |= step.told;
  if (state == AQ_EXECUTION_DONE || state == AQ_EXECUTION_FAULT)
    aqsim_execution_end(inflight);
  if (state == AQ_EXECUTION_FAULT)
    *fault = step.fault;
  return state;
}
