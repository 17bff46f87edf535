/* SPDX-License-Identifier: MIT */
/* PM4 buffers: commands that run one after the other, between waits, dispatches
 * and fences. pm4.c reads the commands. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/completion.h"
#include "backend_sim/model/cost.h"
#include "backend_sim/packet/execution.h"
#include "backend_sim/packet/fetch.h"
#include "backend_sim/packet/kernel_dispatch.h"
#include "backend_sim/packet/memory_fault.h"
#include "backend_sim/packet/packet_types.h"

static aqsim_flow launch_pm4(aqsim_inflight *inflight)
{
  aqsim_queue *queue = inflight->queue;
  const aqsim_device *device = queue->device;
  if (!queue->pm4)
    queue->pm4 = malloc(sizeof *queue->pm4);
  if (!queue->pm4)
    return aqsim_inflight_fail(inflight, AQSIM_FAULT_VENDOR_FORMAT,
                               "out of memory for PM4");
  const aqsim_pm4 *pm4 = queue->pm4;
  if (!aqsim_pm4_begin(queue->pm4, queue->sim->infos[device->ordinal].gfx,
                       &inflight->packet.pm4_ib, queue->sim->allocations))
    return pm4->missing
               ? aqsim_inflight_memory_fault(inflight, AQSIM_STEP_LAUNCH,
                                             pm4->unmapped, pm4->text)
               : aqsim_inflight_fail(inflight, AQSIM_FAULT_VENDOR_FORMAT,
                                     pm4->text);
  queue->line.hold |= AQSIM_HOLD_PACKET;
  queue->line.kernel_before = queue->line.barrier_before = false;
  inflight->back_to_back = false;
  inflight->start = inflight->stamp =
      queue->sim->now + device->model->barrier_process +
      aqsim_acquire(device, inflight->packet.header);
  inflight->end = inflight->start;
  aqsim_queue_launch_until(queue, inflight->start);
  return aqsim_inflight_sleep(inflight, AQSIM_STEP_RUN, inflight->start,
                              AQSIM_AT_LAUNCH);
}

/* Names the kernel of the code that the registers point to. One that is no code
 * is its object, and finds its arguments in the first two words. False, with
 * `text`: the address is that of a descriptor. */
static bool kernel_name(const aqsim_queue *queue, char *text)
{
  aq_kernel_packet *packet = &queue->pm4->dispatch;
  const uint32_t *user = queue->pm4->registers.user_data;
  const aqsim_kernels *kernels = &queue->sim->kernels;
  const aqsim_kernel *kernel =
      aqsim_kernel_at(kernels, queue->pm4->registers.entry);
  if (kernel) {
    const uint32_t word = kernel->desc.kernarg_word;
    packet->kernel_object = kernel->desc.object;
    packet->kernarg_address = 0;
    if (word + 1 < AQ_KERNEL_NO_ARGS)
      memcpy(&packet->kernarg_address, &user[word], sizeof(uint64_t));
    return true;
  }
  kernel = aqsim_kernel_from(kernels, packet->kernel_object);
  if (!kernel || !kernel->desc.entry)
    return true;
  snprintf(text, AQSIM_FAULT_TEXT_MAX,
           "PM4 DISPATCH_DIRECT: %#" PRIx64 " is the descriptor of kernel "
           "%.60s; expected its code at %#" PRIx64,
           packet->kernel_object, kernel->desc.name, kernel->desc.entry);
  return false;
}

/* Starts a dispatch; the buffer continues when it has started or, if it is a
 * host function, executed code or shares the device, when it has ended. */
static aqsim_flow pm4_dispatch(aqsim_inflight *inflight)
{
  aqsim_queue *queue = inflight->queue;
  const aqsim_device *device = queue->device;
  const aq_kernel_packet *packet = &queue->pm4->dispatch;
  char text[AQSIM_FAULT_TEXT_MAX];
  uint64_t unmapped;
  if (!kernel_name(queue, text))
    return aqsim_inflight_fault(inflight, AQSIM_FAULT_KERNEL_OBJECT, text);
  const aqsim_kernel *kernel = aqsim_kernel_of(queue, packet->kernel_object);
  uint32_t fault =
      aqsim_kernel_packet_check(packet, kernel, &device->limits, text);
  if (fault)
    return aqsim_inflight_fault(inflight, fault, text);
  uint64_t workgroups = aqsim_packet_workgroups(packet);
  if (aqsim_kernargs_are_missing(queue, kernel, packet, workgroups, &unmapped))
    return aqsim_inflight_memory_fault(inflight, AQSIM_STEP_RUN, unmapped,
                                       AQSIM_KERNARGS_MISSING);
  aq_time start = queue->sim->now + device->model->dispatch_setup;
  const bool acts =
      kernel->desc.function || aqsim_kernel_is_executed(queue->sim, kernel);
  if (aqsim_cost_is_dispatched(&kernel->desc.cost) && workgroups > 0) {
    inflight->kernel = acts ? kernel : NULL;
    return aqsim_kernel_dispatch_begin(inflight, kernel, packet, start);
  }
  aq_time end = aq_time_add(
      start,
      aqsim_cost_duration(device->model, &kernel->desc.cost, packet, workgroups,
                          queue->cus.count, queue->sim->allocations));
  inflight->end = aq_time_max(inflight->end, end);
  if (!acts || workgroups == 0)
    return aqsim_inflight_sleep(inflight, AQSIM_STEP_RUN, start,
                                AQSIM_AT_LAUNCH);
  inflight->kernel = kernel;
  return aqsim_inflight_sleep(inflight, AQSIM_STEP_RUN, end, AQSIM_AT_END);
}

static aqsim_flow pm4_wait(aqsim_inflight *inflight)
{
  aqsim_queue *queue = inflight->queue;
  const aqsim_pm4 *pm4 = queue->pm4;
  queue->wait.inflight = inflight;
  queue->pm4->waited = (uintptr_t)pm4->address;
  bool open = aqsim_dep_wait_arm_memory(&queue->wait.dep_wait, queue->wait.deps,
                                        pm4->address, &pm4->test,
                                        queue->device->model->dependency_poll);
  return aqsim_dep_wait_packet(queue, open);
}

/* Runs to the next command that takes time. */
static aqsim_flow pm4_step(aqsim_inflight *inflight)
{
  aqsim_queue *queue = inflight->queue;
  const aqsim_model *model = queue->device->model;
  aqsim *sim = queue->sim;
  aqsim_pm4 *pm4 = queue->pm4;
  if (queue->wait.inflight == inflight && queue->wait.dep_wait.unmapped)
    return aqsim_dependency_fault(inflight);
  if (pm4->waited && sim->order) {
    const aq_order_packet order = aqsim_inflight_order(inflight);
    sim->order->memory_seen(sim->order->user, &order, pm4->waited);
  }
  pm4->waited = 0;
  pm4->ticks = aqsim_clock_ticks(queue->device, sim->now);
  pm4->stored = false;
  aqsim_pm4_result result = aqsim_pm4_run(pm4);
  sim->touched |= pm4->stored;
  aq_time idle = aq_time_max(sim->now, inflight->end);
  switch (result) {
  case AQSIM_PM4_ACQUIRE:
    return aqsim_inflight_sleep(inflight, AQSIM_STEP_RUN,
                                sim->now + model->acquire_system,
                                AQSIM_AT_LAUNCH);
  case AQSIM_PM4_RELEASE:
    return aqsim_inflight_sleep(inflight, AQSIM_STEP_RUN,
                                idle + model->release_system,
                                AQSIM_AT_COMPLETE);
  case AQSIM_PM4_FLUSH:
    return aqsim_inflight_sleep(inflight, AQSIM_STEP_RUN, idle,
                                AQSIM_AT_COMPLETE);
  case AQSIM_PM4_WAIT:
    return pm4_wait(inflight);
  case AQSIM_PM4_DISPATCH:
    return pm4_dispatch(inflight);
  case AQSIM_PM4_DONE:
    inflight->end = idle;
    return aqsim_inflight_finish(inflight);
  case AQSIM_PM4_FAULT:
    break;
  }
  if (pm4->missing)
    return aqsim_inflight_memory_fault(inflight, AQSIM_STEP_RUN, pm4->unmapped,
                                       pm4->text);
  return aqsim_inflight_fault(inflight, AQSIM_FAULT_VENDOR_FORMAT, pm4->text);
}

/* Executes the code of a dispatch at the end of its time; true: it ended. */
static bool pm4_execute(aqsim_inflight *inflight, aqsim_flow *flow)
{
  switch (aqsim_code_step(inflight, flow)) {
  case AQ_EXECUTION_MORE:
    *flow = aqsim_inflight_yield(inflight, AQSIM_STEP_RUN, AQSIM_AT_END);
    return false;
  case AQ_EXECUTION_WAITS:
    *flow = aqsim_inflight_sleep(inflight, AQSIM_STEP_RUN,
                                 aqsim_code_poll(inflight), AQSIM_AT_END);
    return false;
  case AQ_EXECUTION_FAULT:
    return false;
  case AQ_EXECUTION_DONE:
    break;
  }
  inflight->executes = false;
  inflight->end = aq_time_max(aq_time_max(inflight->end, inflight->executed),
                              inflight->queue->sim->now);
  return true;
}

static aqsim_flow run_pm4(aqsim_inflight *inflight)
{
  const aqsim_kernel *kernel = inflight->kernel;
  aqsim_flow flow;
  if (kernel && aqsim_kernel_is_executed(inflight->queue->sim, kernel)) {
    if (!pm4_execute(inflight, &flow))
      return flow;
    kernel = NULL;
  }
  inflight->kernel = NULL;
  char error[AQ_KERNEL_ERROR_SIZE] = "";
  if (kernel && !aqsim_kernel_call(inflight, kernel,
                                   &inflight->queue->pm4->dispatch, error))
    return AQSIM_GONE;
  if (error[0])
    return aqsim_kernel_fault(inflight, kernel, error);
  return pm4_step(inflight);
}

const aqsim_packet_type_ops aqsim_pm4_kind = {.record = AQ_KIND_VENDOR,
                                              .blocks = true,
                                              .device = true,
                                              .launch = launch_pm4,
                                              .run = run_pm4};
