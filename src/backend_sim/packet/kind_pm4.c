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
#include "backend_sim/packet/kinds.h"
#include "backend_sim/packet/memory_fault.h"
#include "backend_sim/packet/waves.h"

static aqsim_flow launch_pm4(aqsim_flight *flight)
{
  aqsim_queue *queue = flight->queue;
  const aqsim_device *device = queue->device;
  if (!queue->pm4)
    queue->pm4 = malloc(sizeof *queue->pm4);
  if (!queue->pm4)
    return aqsim_flight_fail(flight, AQSIM_FAULT_VENDOR_FORMAT,
                             "out of memory for PM4");
  const aqsim_pm4 *pm4 = queue->pm4;
  if (!aqsim_pm4_begin(queue->pm4, queue->sim->infos[device->ordinal].gfx,
                       &flight->packet.pm4_ib, queue->sim->allocations))
    return pm4->missing ? aqsim_flight_memory_fault(flight, AQSIM_STEP_LAUNCH,
                                                    pm4->unmapped, pm4->text)
                        : aqsim_flight_fail(flight, AQSIM_FAULT_VENDOR_FORMAT,
                                            pm4->text);
  queue->line.hold |= AQSIM_HOLD_PACKET;
  queue->line.kernel_before = queue->line.barrier_before = false;
  flight->back_to_back = false;
  flight->start = flight->stamp = queue->sim->now +
                                  device->model->barrier_process +
                                  aqsim_acquire(device, flight->packet.header);
  flight->end = flight->start;
  aqsim_queue_launch_until(queue, flight->start);
  return aqsim_flight_sleep(flight, AQSIM_STEP_RUN, flight->start,
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
static aqsim_flow pm4_dispatch(aqsim_flight *flight)
{
  aqsim_queue *queue = flight->queue;
  const aqsim_device *device = queue->device;
  const aq_kernel_packet *packet = &queue->pm4->dispatch;
  char text[AQSIM_FAULT_TEXT_MAX];
  uint64_t unmapped;
  if (!kernel_name(queue, text))
    return aqsim_flight_fault(flight, AQSIM_FAULT_KERNEL_OBJECT, text);
  const aqsim_kernel *kernel = aqsim_kernel_of(queue, packet->kernel_object);
  uint32_t fault =
      aqsim_kernel_packet_check(packet, kernel, &device->limits, text);
  if (fault)
    return aqsim_flight_fault(flight, fault, text);
  uint64_t workgroups = aqsim_packet_workgroups(packet);
  if (aqsim_kernargs_are_missing(queue, kernel, packet, workgroups, &unmapped))
    return aqsim_flight_memory_fault(flight, AQSIM_STEP_RUN, unmapped,
                                     AQSIM_KERNARGS_MISSING);
  aq_time start = queue->sim->now + device->model->dispatch_setup;
  const bool acts =
      kernel->desc.function || aqsim_kernel_is_executed(queue->sim, kernel);
  if (aqsim_cost_is_dispatched(&kernel->desc.cost) && workgroups > 0) {
    flight->kernel = acts ? kernel : NULL;
    return aqsim_waves_begin(flight, kernel, packet, start);
  }
  aq_time end = aq_time_add(
      start,
      aqsim_cost_duration(device->model, &kernel->desc.cost, packet, workgroups,
                          queue->cus.count, queue->sim->allocations));
  flight->end = aq_time_max(flight->end, end);
  if (!acts || workgroups == 0)
    return aqsim_flight_sleep(flight, AQSIM_STEP_RUN, start, AQSIM_AT_LAUNCH);
  flight->kernel = kernel;
  return aqsim_flight_sleep(flight, AQSIM_STEP_RUN, end, AQSIM_AT_END);
}

static aqsim_flow pm4_wait(aqsim_flight *flight)
{
  aqsim_queue *queue = flight->queue;
  const aqsim_pm4 *pm4 = queue->pm4;
  queue->wait.flight = flight;
  bool open =
      aqsim_gate_arm_memory(&queue->wait.gate, queue->wait.legs, pm4->address,
                            &pm4->test, queue->device->model->dependency_poll);
  return aqsim_gate_wait(queue, open);
}

/* Runs to the next command that takes time. */
static aqsim_flow pm4_step(aqsim_flight *flight)
{
  aqsim_queue *queue = flight->queue;
  const aqsim_model *model = queue->device->model;
  aqsim *sim = queue->sim;
  aqsim_pm4 *pm4 = queue->pm4;
  if (queue->wait.flight == flight && queue->wait.gate.unmapped)
    return aqsim_dependency_fault(flight);
  pm4->ticks = aqsim_clock_ticks(queue->device, sim->now);
  pm4->stored = false;
  aqsim_pm4_result result = aqsim_pm4_run(pm4);
  sim->touched |= pm4->stored;
  aq_time idle = aq_time_max(sim->now, flight->end);
  switch (result) {
  case AQSIM_PM4_ACQUIRE:
    return aqsim_flight_sleep(flight, AQSIM_STEP_RUN,
                              sim->now + model->acquire_system,
                              AQSIM_AT_LAUNCH);
  case AQSIM_PM4_RELEASE:
    return aqsim_flight_sleep(flight, AQSIM_STEP_RUN,
                              idle + model->release_system, AQSIM_AT_COMPLETE);
  case AQSIM_PM4_FLUSH:
    return aqsim_flight_sleep(flight, AQSIM_STEP_RUN, idle, AQSIM_AT_COMPLETE);
  case AQSIM_PM4_WAIT:
    return pm4_wait(flight);
  case AQSIM_PM4_DISPATCH:
    return pm4_dispatch(flight);
  case AQSIM_PM4_DONE:
    flight->end = idle;
    return aqsim_flight_finish(flight);
  case AQSIM_PM4_FAULT:
    break;
  }
  if (pm4->missing)
    return aqsim_flight_memory_fault(flight, AQSIM_STEP_RUN, pm4->unmapped,
                                     pm4->text);
  return aqsim_flight_fault(flight, AQSIM_FAULT_VENDOR_FORMAT, pm4->text);
}

/* Executes the code of a dispatch at the end of its time; true: it ended. */
static bool pm4_execute(aqsim_flight *flight, aqsim_flow *flow)
{
  switch (aqsim_code_step(flight, flow)) {
  case AQ_EXECUTION_MORE:
    *flow = aqsim_flight_yield(flight, AQSIM_STEP_RUN, AQSIM_AT_END);
    return false;
  case AQ_EXECUTION_WAITS:
    *flow = aqsim_flight_sleep(flight, AQSIM_STEP_RUN, aqsim_code_poll(flight),
                               AQSIM_AT_END);
    return false;
  case AQ_EXECUTION_FAULT:
    return false;
  case AQ_EXECUTION_DONE:
    break;
  }
  flight->executes = false;
  flight->end = aq_time_max(aq_time_max(flight->end, flight->executed),
                            flight->queue->sim->now);
  return true;
}

static aqsim_flow run_pm4(aqsim_flight *flight)
{
  const aqsim_kernel *kernel = flight->kernel;
  aqsim_flow flow;
  if (kernel && aqsim_kernel_is_executed(flight->queue->sim, kernel)) {
    if (!pm4_execute(flight, &flow))
      return flow;
    kernel = NULL;
  }
  flight->kernel = NULL;
  char error[AQ_KERNEL_ERROR_SIZE] = "";
  if (kernel &&
      !aqsim_kernel_call(flight, kernel, &flight->queue->pm4->dispatch, error))
    return AQSIM_GONE;
  if (error[0])
    return aqsim_kernel_fault(flight, kernel, error);
  return pm4_step(flight);
}

const aqsim_kind aqsim_pm4_kind = {.record = AQ_KIND_VENDOR,
                                   .blocks = true,
                                   .device = true,
                                   .launch = launch_pm4,
                                   .run = run_pm4};
