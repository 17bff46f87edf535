/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/packet/packet_types.h"

#include <stdio.h>
#include <string.h>

#include "backend_sim/client.h"
#include "backend_sim/code/modules.h"
#include "backend_sim/completion.h"
#include "backend_sim/model/cost.h"
#include "backend_sim/packet/execution.h"
#include "backend_sim/packet/fetch.h"
#include "backend_sim/packet/kernel_dispatch.h"
#include "backend_sim/packet/kernel_launch.h"
#include "backend_sim/packet/memory_fault.h"
#include "backend_sim/policy/device_policy.h"
#include "common/spin.h"

/* ---- kernels ---- */

/* How much sooner than dispatch_setup says a back-to-back kernel starts whose
 * measured duration, which contains its launch, is shorter than a launch: the
 * measured device launched it in that time. */
aq_time aqsim_launch_excess(const aqsim_inflight *inflight)
{
  aqsim_queue *queue = inflight->queue;
  const aqsim_model *model = queue->device->model;
  const aq_kernel_packet *packet = &inflight->packet.kernel;
  const uint64_t workgroups = queue->line.shape.workgroups;
  uint64_t unmapped;
  if (workgroups == 0 || !aqsim_start_is_back_to_back(inflight) ||
      aqsim_kernargs_are_missing(queue, inflight->kernel, packet, workgroups,
                                 &unmapped))
    return 0;
  return aq_time_min(aqsim_cost_launch_excess(model,
                                              &inflight->kernel->desc.cost,
                                              packet, queue->sim->allocations),
                     model->dispatch_setup);
}

/* The gap to the next kernel that a spin kernel's arguments state, or 0. */
static aq_time gap_behind(const aqsim *sim, const aqsim_kernel *kernel,
                          const aq_kernel_packet *packet)
{
  if (!aq_cost_is_spin(kernel->desc.cost.kind) || !packet->kernarg_address)
    return 0;
  const aq_spin_args args = aqsim_cost_spin_args(packet, sim->allocations);
  return (aq_time)(args.flags >> AQ_SPIN_GAP_SHIFT) * AQ_NS;
}

/* One without a registration, which the client knows; NULL: it does not. */
__attribute__((noinline, cold)) static const aqsim_kernel *
kernel_ask(const aqsim_queue *queue, uint64_t object)
{
  aqsim *sim = queue->sim;
  aq_kernel_desc desc;
  aq_kernel_info info;
  return sim->client->kernel(sim->client->user, object, queue->device->ordinal,
                             &desc) &&
                 aqsim_kernel_add(sim, &desc, &info, NULL) == AQ_OK
             ? aqsim_kernel_from(&sim->kernels, object)
             : NULL;
}

const aqsim_kernel *aqsim_kernel_find_again(aqsim_queue *queue, uint64_t object)
{
  queue->line.kernel = aqsim_kernel_from(&queue->sim->kernels, object);
  if (!queue->line.kernel && queue->sim->client)
    queue->line.kernel = kernel_ask(queue, object);
  aqsim_queue_shape_forget(queue);
  return queue->line.kernel;
}

/* Remembers mapped pages; when new ones follow on them, looks at more and more
 * pages at once, for arguments mostly lie in a ring. */
static void kernargs_remember(aqsim_queue *queue, uint64_t first, uint64_t end)
{
  if (first != queue->kernargs.end) {
    queue->kernargs.first = first;
    queue->kernargs.end = end;
    queue->kernargs.ahead = 1;
    return;
  }
  if (queue->kernargs.ahead < AQSIM_PAGES_AT_ONCE)
    queue->kernargs.ahead *= 2;
  queue->kernargs.end = end + aqsim_pages_readable(end, queue->kernargs.ahead);
}

bool aqsim_kernargs_are_missing(aqsim_queue *queue, const aqsim_kernel *kernel,
                                const aq_kernel_packet *packet,
                                uint64_t workgroups, uint64_t *unmapped)
{
  const uint64_t address =
      aq_allocations_reach(queue->sim->allocations, packet->kernarg_address);
  uint64_t first = address / AQSIM_PAGE;
  uint64_t end = (address + sizeof(aq_spin_args) - 1) / AQSIM_PAGE + 1;
  if (!aq_cost_is_spin(kernel->desc.cost.kind) || workgroups == 0 ||
      (first >= queue->kernargs.first && end <= queue->kernargs.end &&
       first < end))
    return false;
  if (aqsim_memory_unmapped(AQSIM_READ, address, sizeof(aq_spin_args),
                            unmapped)) {
    *unmapped += packet->kernarg_address - address;
    return true;
  }
  kernargs_remember(queue, first, end);
  return false;
}

/* Charges the time that the kernel takes from `start` on. */
static aqsim_flow kernel_charge(aqsim_inflight *inflight)
{
  const aqsim_queue *queue = inflight->queue;
  const aqsim_kernel *kernel = inflight->kernel;
  const aq_kernel_packet *packet = &inflight->packet.kernel;
  const bool predicted =
      aqsim_inflight_is_predicted(inflight) && !inflight->told;
  if (!predicted && aqsim_cost_is_dispatched(&kernel->desc.cost) &&
      inflight->workgroups > 0)
    return aqsim_kernel_dispatch_begin(inflight, kernel, packet,
                                       inflight->start);
  inflight->end = inflight->start;
  if (!predicted)
    inflight->end = aq_time_add(
        inflight->start,
        aqsim_cost_duration(queue->device->model, &kernel->desc.cost, packet,
                            inflight->workgroups, queue->cus.count,
                            queue->sim->allocations));
  if (!aqsim_inflight_acts(inflight) || inflight->workgroups == 0)
    return aqsim_kernel_finish(inflight);
  return aqsim_inflight_sleep(inflight, AQSIM_STEP_RUN, inflight->end,
                              AQSIM_AT_END);
}

/* How long a dispatch takes that does nothing but take its time; AQ_TIME_NONE
 * if its waves share the device, its code or host function runs, or its
 * arguments have the duration. */
static aq_time shape_duration(const aqsim_queue *queue,
                              const aqsim_kernel *kernel,
                              const aq_kernel_packet *packet,
                              uint64_t workgroups)
{
  const aq_cost *cost = &kernel->desc.cost;
  if (workgroups > 0 &&
      (aqsim_cost_is_dispatched(cost) || aq_cost_is_spin(cost->kind) ||
       kernel->desc.function || aqsim_kernel_is_executed(queue->sim, kernel)))
    return AQ_TIME_NONE;
  return aqsim_cost_duration(queue->device->model, cost, packet, workgroups,
                             queue->cus.count, queue->sim->allocations);
}

static uint32_t shape_check(aqsim_queue *queue, const aqsim_kernel *kernel,
                            const aq_kernel_packet *packet,
                            char text[AQSIM_FAULT_TEXT_MAX])
{
  aqsim_dispatch_shape *shape = &queue->line.shape;
  uint32_t fault =
      aqsim_kernel_packet_check(packet, kernel, &queue->device->limits, text);
  if (fault)
    return fault;
  aqsim_shape_words(packet, shape->words);
  shape->workgroups = aqsim_packet_workgroups(packet);
  shape->duration = shape_duration(queue, kernel, packet, shape->workgroups);
  return AQSIM_FAULT_NONE;
}

/* A packet of another shape: false if it is malformed, and its queue stops. */
bool aqsim_shape_renew(aqsim_inflight *inflight, const aqsim_kernel *kernel)
{
  char text[AQSIM_FAULT_TEXT_MAX];
  const uint32_t fault =
      shape_check(inflight->queue, kernel, &inflight->packet.kernel, text);
  if (fault)
    aqsim_inflight_fail(inflight, fault, text);
  return fault == AQSIM_FAULT_NONE;
}

/* A policy may delay the start. */
bool aqsim_kernel_policy_launch(aqsim_inflight *inflight)
{
  if (!aqsim_policy_launch(inflight)) {
    aqsim_inflight_fail(inflight, AQSIM_FAULT_PACKET_FORMAT,
                        "out of memory for a policy");
    return false;
  }
  aqsim_queue_launch_until(inflight->queue, inflight->start);
  return true;
}

/* A kernel whose waves share the device, whose code or host function runs, or
 * whose arguments have the duration. */
aqsim_flow aqsim_launch_acting(aqsim_inflight *inflight)
{
  aqsim_queue *queue = inflight->queue;
  const aqsim_kernel *kernel = inflight->kernel;
  const aq_kernel_packet *packet = &inflight->packet.kernel;
  uint64_t unmapped;
  if (aqsim_kernargs_are_missing(queue, kernel, packet, inflight->workgroups,
                                 &unmapped))
    return aqsim_inflight_memory_fault(inflight, AQSIM_STEP_LAUNCH, unmapped,
                                       AQSIM_KERNARGS_MISSING);
  queue->line.gap =
      inflight->workgroups ? gap_behind(queue->sim, kernel, packet) : 0;
  if (aqsim_kernel_is_executed(queue->sim, kernel) &&
      inflight->workgroups > 0 && !inflight->executes)
    return aqsim_inflight_sleep(inflight, AQSIM_STEP_EXECUTE, inflight->start,
                                AQSIM_AT_LAUNCH);
  return kernel_charge(inflight);
}

static aqsim_flow launch_kernel(aqsim_inflight *inflight)
{
  return aqsim_kernel_launch(inflight);
}

/* ---- code ---- */

static aqsim_flow code_fault(aqsim_inflight *inflight,
                             const aq_execution_fault *fault)
{
  aq_fault_reason reason = AQ_FAULT_NOT_PRESENT;
  switch (fault->kind) {
  case AQ_EXECUTION_FAULT_READ_ONLY:
    reason = AQ_FAULT_READ_ONLY;
    break;
  case AQ_EXECUTION_FAULT_NO_EXECUTE:
    reason = AQ_FAULT_NO_EXECUTE;
    break;
  case AQ_EXECUTION_FAULT_MEMORY:
    break;
  case AQ_EXECUTION_FAULT_ILLEGAL:
    return aqsim_inflight_fault(inflight, AQSIM_FAULT_ILLEGAL, fault->text);
  case AQ_EXECUTION_FAULT_APERTURE:
    return aqsim_inflight_fault(inflight, AQSIM_FAULT_APERTURE, fault->text);
  case AQ_EXECUTION_FAULT_TRAP:
    return aqsim_inflight_fault(inflight, AQSIM_FAULT_EXCEPTION, fault->text);
  }
  return aqsim_inflight_access_fault(inflight, AQSIM_STEP_RUN, fault->address,
                                     reason, fault->text);
}

aq_execution_state aqsim_code_step(aqsim_inflight *inflight,
                                   aqsim_flow *stopped)
{
  const aqsim_device *device = inflight->queue->device;
  aqsim *sim = inflight->queue->sim;
  aq_diag diag = AQ_DIAG_INIT;
  aq_execution_fault fault;
  if (!inflight->executes && aqsim_execution_begin(inflight, &diag) != AQ_OK) {
    *stopped = aqsim_inflight_fault(inflight, AQSIM_FAULT_ILLEGAL, diag.text);
    return AQ_EXECUTION_FAULT;
  }
  const aq_execution_state state = aqsim_execution_step(
      inflight, (uint64_t)aqsim_clock_ticks(device, sim->now), &fault);
  sim->interrupt = device->model->interrupt_to_host;
  sim->touched = true;
  sim->executed = true;
  sim->queue_ops->notice(sim);
  if (state == AQ_EXECUTION_FAULT)
    *stopped = code_fault(inflight, &fault);
  return state;
}

aq_time aqsim_code_poll(const aqsim_inflight *inflight)
{
  const aqsim_queue *queue = inflight->queue;
  return queue->sim->now +
         aq_time_max(queue->device->model->dependency_poll, AQ_NS);
}

/* The code runs at the kernel's start, before its time is charged: the
 * dispatcher then holds the compute units for the rest of the execution. */
aqsim_flow aqsim_step_execute(aqsim_inflight *inflight)
{
  aqsim_flow stopped;
  switch (aqsim_code_step(inflight, &stopped)) {
  case AQ_EXECUTION_MORE:
    return aqsim_inflight_yield(inflight, AQSIM_STEP_EXECUTE, AQSIM_AT_LAUNCH);
  case AQ_EXECUTION_FAULT:
    return stopped;
  case AQ_EXECUTION_DONE:
  case AQ_EXECUTION_WAITS:
    break;
  }
  return kernel_charge(inflight);
}

/* The kernel's time has ended; its waves may still run. */
static aqsim_flow run_executed(aqsim_inflight *inflight)
{
  const aq_time now = inflight->queue->sim->now;
  aqsim_flow stopped = AQSIM_GONE;
  aq_time end =
      aq_time_max(aq_time_max(inflight->end, inflight->executed), now);
  switch (inflight->execution ? aqsim_code_step(inflight, &stopped)
                              : AQ_EXECUTION_DONE) {
  case AQ_EXECUTION_MORE:
    return aqsim_inflight_yield(inflight, AQSIM_STEP_RUN, AQSIM_AT_END);
  case AQ_EXECUTION_FAULT:
    return stopped;
  case AQ_EXECUTION_WAITS:
    end = aq_time_max(end, aqsim_code_poll(inflight));
    break;
  case AQ_EXECUTION_DONE:
    end = aq_time_max(end, inflight->executed);
    break;
  }
  inflight->outlasts |= end > inflight->end;
  inflight->end = end;
  return end > now || inflight->execution
             ? aqsim_inflight_sleep(inflight, AQSIM_STEP_RUN, end, AQSIM_AT_END)
             : aqsim_kernel_finish(inflight);
}

aqsim_flow aqsim_kernel_fault(aqsim_inflight *inflight,
                              const aqsim_kernel *kernel, const char *error)
{
  char text[AQSIM_FAULT_TEXT_MAX];
  snprintf(text, sizeof text, "kernel %.60s: %s", kernel->desc.name, error);
  return aqsim_inflight_fault(inflight, AQSIM_FAULT_EXCEPTION, text);
}

static aqsim_flow run_kernel(aqsim_inflight *inflight)
{
  char error[AQ_KERNEL_ERROR_SIZE];
  if (inflight->executes)
    return run_executed(inflight);
  if (!aqsim_kernel_call(inflight, inflight->kernel, &inflight->packet.kernel,
                         error))
    return AQSIM_GONE;
  return error[0] ? aqsim_kernel_fault(inflight, inflight->kernel, error)
                  : aqsim_kernel_finish(inflight);
}

const aqsim_packet_type_ops aqsim_kernel_kind = {.record = AQ_KIND_KERNEL,
                                                 .device = true,
                                                 .launch = launch_kernel,
                                                 .run = run_kernel};
