/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/packet/execute.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/completion.h"
#include "backend_sim/model/cost.h"
#include "backend_sim/packet/execution.h"
#include "backend_sim/packet/fetch.h"
#include "backend_sim/packet/memory_fault.h"
#include "backend_sim/packet/waves.h"
#include "backend_sim/policy/device_policy.h"

/* ---- kernels ---- */

/* A kernel that waited for the one before it by the barrier bit, and was
 * decoded early enough, gets that one's end as its start. */
static bool start_is_glued(const aqsim_flight *flight)
{
  const aqsim_queue *queue = flight->queue;
  const aqsim_model *model = queue->device->model;
  return model->start_stamp == AQSIM_START_GLUED && queue->line.kernel_before &&
         aq_header_barrier(flight->packet.header) &&
         queue->line.last_end != AQ_TIME_NONE &&
         flight->fetch + model->glue_lead <= queue->line.last_end;
}

static const aqsim_kernel *kernel_find(aqsim_queue *queue, uint64_t object)
{
  if (!queue->line.kernel || queue->line.kernel->desc.object != object ||
      queue->line.kernel->retired) {
    queue->line.kernel = aqsim_kernel_from(&queue->sim->kernels, object);
    aqsim_queue_shape_forget(queue);
  }
  return queue->line.kernel;
}

#define KERNARGS_MISSING "memory fault, the kernel arguments are not mapped"

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

/* A spin kernel reads its arguments. */
static bool kernargs_are_missing(aqsim_queue *queue, const aqsim_kernel *kernel,
                                 const aq_kernel_packet *packet,
                                 uint64_t workgroups, uint64_t *hole)
{
  uint64_t address = packet->kernarg_address;
  uint64_t first = address / AQSIM_PAGE;
  uint64_t end = (address + sizeof(aq_spin_args) - 1) / AQSIM_PAGE + 1;
  if (!aq_cost_is_spin(kernel->desc.cost.kind) || workgroups == 0 ||
      (first >= queue->kernargs.first && end <= queue->kernargs.end &&
       first < end))
    return false;
  if (aqsim_memory_unmapped(AQSIM_READ, address, sizeof(aq_spin_args), hole))
    return true;
  kernargs_remember(queue, first, end);
  return false;
}

/* Charges the time that the kernel takes from `start` on. */
static aqsim_flow kernel_charge(aqsim_flight *flight)
{
  const aqsim_queue *queue = flight->queue;
  const aqsim_kernel *kernel = flight->kernel;
  const aq_kernel_packet *packet = &flight->packet.kernel;
  if (aqsim_cost_is_dispatched(&kernel->desc.cost) && flight->workgroups > 0)
    return aqsim_waves_begin(flight, kernel, packet, flight->start);
  flight->end = aq_time_add(
      flight->start,
      aqsim_cost_duration(queue->device->model, &kernel->desc.cost, packet,
                          flight->workgroups, queue->cus.count));
  if (!aqsim_flight_acts(flight) || flight->workgroups == 0)
    return aqsim_kernel_finish(flight);
  return aqsim_flight_sleep(flight, AQSIM_STEP_RUN, flight->end, AQSIM_AT_END);
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
                             queue->cus.count);
}

/* Checks the packet, unless it is like the last one of its queue. */
static uint32_t shape_check(aqsim_queue *queue, const aqsim_kernel *kernel,
                            const aq_kernel_packet *packet,
                            char text[AQSIM_FAULT_TEXT_MAX])
{
  aqsim_shape *shape = &queue->line.shape;
  uint64_t words[4];
  memcpy(words, packet, sizeof words);
  words[0] >>= 16; /* the header says nothing of it */
  if (__builtin_expect(memcmp(words, shape->words, sizeof words) == 0, true))
    return AQSIM_FAULT_NONE;
  uint32_t fault =
      aqsim_kernel_packet_check(packet, kernel, &queue->device->limits, text);
  if (fault)
    return fault;
  memcpy(shape->words, words, sizeof words);
  shape->workgroups = aqsim_packet_workgroups(packet);
  shape->duration = shape_duration(queue, kernel, packet, shape->workgroups);
  return AQSIM_FAULT_NONE;
}

aqsim_flow aqsim_launch_kernel(aqsim_flight *flight)
{
  aqsim_queue *queue = flight->queue;
  const aqsim_device *device = queue->device;
  const aq_kernel_packet *packet = &flight->packet.kernel;
  char text[AQSIM_FAULT_TEXT_MAX];
  uint64_t hole;
  const aqsim_kernel *kernel = kernel_find(queue, packet->kernel_object);
  uint32_t fault = shape_check(queue, kernel, packet, text);
  if (__builtin_expect(fault != 0, false))
    return aqsim_flight_fail(flight, fault, text);
  flight->kernel = kernel;
  flight->start = queue->sim->now + aqsim_acquire(device, packet->header) +
                  device->model->dispatch_setup;
  flight->glued = start_is_glued(flight);
  flight->stamp = flight->glued ? queue->line.last_end : flight->start;
  aqsim_queue_launch_until(queue, flight->start);
  queue->line.kernel_before = true;
  flight->workgroups = queue->line.shape.workgroups;
  if (__builtin_expect(device->policy != NULL, false) && !flight->run) {
    if (!aqsim_policy_launch(flight))
      return aqsim_flight_fail(flight, AQSIM_FAULT_PACKET_FORMAT,
                               "out of memory for a policy");
    aqsim_queue_launch_until(queue, flight->start);
  }
  if (queue->line.shape.duration != AQ_TIME_NONE) {
    flight->end = aq_time_add(flight->start, queue->line.shape.duration);
    return aqsim_kernel_finish(flight);
  }
  if (kernargs_are_missing(queue, kernel, packet, flight->workgroups, &hole))
    return aqsim_flight_memory_fault(flight, AQSIM_STEP_LAUNCH, hole,
                                     KERNARGS_MISSING);
  if (aqsim_kernel_is_executed(queue->sim, kernel) && flight->workgroups > 0 &&
      !flight->executes)
    return aqsim_flight_sleep(flight, AQSIM_STEP_EXECUTE, flight->start,
                              AQSIM_AT_LAUNCH);
  return kernel_charge(flight);
}

/* ---- code ---- */

static aqsim_flow code_fault(aqsim_flight *flight,
                             const aq_execution_fault *fault)
{
  switch (fault->kind) {
  case AQ_EXECUTION_FAULT_MEMORY:
    return aqsim_flight_memory_fault(flight, AQSIM_STEP_RUN, fault->address,
                                     fault->text);
  case AQ_EXECUTION_FAULT_ILLEGAL:
    return aqsim_flight_fault(flight, AQSIM_FAULT_ILLEGAL, fault->text);
  case AQ_EXECUTION_FAULT_TRAP:
    break;
  }
  return aqsim_flight_fault(flight, AQSIM_FAULT_EXCEPTION, fault->text);
}

/* Executes a budget of the kernel's code, from its begin on. After FAULT the
 * flight continues with `*stopped`. */
static aq_execution_state code_step(aqsim_flight *flight, aqsim_flow *stopped)
{
  const aqsim_device *device = flight->queue->device;
  aqsim *sim = flight->queue->sim;
  aq_diag diag = AQ_DIAG_INIT;
  aq_execution_fault fault;
  if (!flight->executes && aqsim_execution_begin(flight, &diag) != AQ_OK) {
    *stopped = aqsim_flight_fault(flight, AQSIM_FAULT_ILLEGAL, diag.text);
    return AQ_EXECUTION_FAULT;
  }
  const aq_execution_state state = aqsim_execution_step(
      flight, (uint64_t)aqsim_clock_ticks(device, sim->now), &fault);
  sim->interrupt = device->model->interrupt_to_host;
  sim->touched = true;
  sim->queue_ops->notice(sim);
  if (state == AQ_EXECUTION_FAULT)
    *stopped = code_fault(flight, &fault);
  return state;
}

/* When code that waits for memory looks at it again. */
static aq_time code_poll(const aqsim_flight *flight)
{
  const aqsim_queue *queue = flight->queue;
  return queue->sim->now +
         aq_time_max(queue->device->model->dependency_poll, AQ_NS);
}

/* The code runs at the kernel's start, before its time is charged: the
 * dispatcher then holds the compute units for the rest of the execution. */
aqsim_flow aqsim_step_execute(aqsim_flight *flight)
{
  aqsim_flow stopped;
  switch (code_step(flight, &stopped)) {
  case AQ_EXECUTION_MORE:
    return aqsim_flight_yield(flight, AQSIM_STEP_EXECUTE, AQSIM_AT_LAUNCH);
  case AQ_EXECUTION_FAULT:
    return stopped;
  case AQ_EXECUTION_DONE:
  case AQ_EXECUTION_WAITS:
    break;
  }
  return kernel_charge(flight);
}

/* The kernel's time has ended; its waves may still run. */
static aqsim_flow run_executed(aqsim_flight *flight)
{
  const aq_time now = flight->queue->sim->now;
  aqsim_flow stopped = AQSIM_GONE;
  aq_time end = aq_time_max(aq_time_max(flight->end, flight->executed), now);
  switch (flight->execution ? code_step(flight, &stopped) : AQ_EXECUTION_DONE) {
  case AQ_EXECUTION_MORE:
    return aqsim_flight_yield(flight, AQSIM_STEP_RUN, AQSIM_AT_END);
  case AQ_EXECUTION_FAULT:
    return stopped;
  case AQ_EXECUTION_WAITS:
    end = aq_time_max(end, code_poll(flight));
    break;
  case AQ_EXECUTION_DONE:
    end = aq_time_max(end, flight->executed);
    break;
  }
  flight->end = end;
  return end > now || flight->execution
             ? aqsim_flight_sleep(flight, AQSIM_STEP_RUN, end, AQSIM_AT_END)
             : aqsim_kernel_finish(flight);
}

/* Calls the host function of a kernel. It may store to memory, publish
 * packets and destroy queues, this one too: then it is false. */
static bool kernel_call(aqsim_flight *flight, const aqsim_kernel *kernel,
                        const aq_kernel_packet *packet,
                        char error[AQ_KERNEL_ERROR_SIZE])
{
  error[0] = 0;
  aqsim *sim = flight->queue->sim;
  aq_kernel_call call = {
      packet, (void *)(uintptr_t)packet->kernarg_address, kernel->desc.user,
      (uint64_t)aqsim_clock_ticks(flight->queue->device, sim->now), error};
  sim->interrupt = flight->queue->device->model->interrupt_to_host;
  sim->touched = true;
  if (sim->outside_begin)
    sim->outside_begin(sim->live, flight->queue);
  kernel->desc.function(&call);
  if (sim->outside_begin)
    sim->outside_end(sim->live);
  sim->queue_ops->notice(sim);
  return !flight->queue->destroyed;
}

/* A host function that could not do its work. */
static aqsim_flow kernel_fault(aqsim_flight *flight, const aqsim_kernel *kernel,
                               const char *error)
{
  char text[AQSIM_FAULT_TEXT_MAX];
  snprintf(text, sizeof text, "kernel %.60s: %s", kernel->desc.name, error);
  return aqsim_flight_fault(flight, AQSIM_FAULT_EXCEPTION, text);
}

static aqsim_flow run_kernel(aqsim_flight *flight)
{
  char error[AQ_KERNEL_ERROR_SIZE];
  if (flight->executes)
    return run_executed(flight);
  if (!kernel_call(flight, flight->kernel, &flight->packet.kernel, error))
    return AQSIM_GONE;
  return error[0] ? kernel_fault(flight, flight->kernel, error)
                  : aqsim_kernel_finish(flight);
}

/* ---- barriers ---- */

static aqsim_flow launch_barrier(aqsim_flight *flight)
{
  aqsim_queue *queue = flight->queue;
  aq_time look = queue->sim->now + queue->device->model->barrier_process;
  queue->line.hold |= AQSIM_HOLD_PACKET;
  aqsim_queue_launch_until(queue, look);
  queue->line.kernel_before = false;
  flight->glued = false;
  return aqsim_flight_sleep(flight, AQSIM_STEP_LOOK, look, AQSIM_AT_LAUNCH);
}

static bool is_equal(int64_t a, int64_t b)
{
  return a == b;
}

static bool is_not_equal(int64_t a, int64_t b)
{
  return a != b;
}

static bool is_less(int64_t a, int64_t b)
{
  return a < b;
}

static bool is_greater_equal(int64_t a, int64_t b)
{
  return a >= b;
}

static aqsim_compare *const conditions[] = {
    [AQ_EQ] = is_equal,
    [AQ_NE] = is_not_equal,
    [AQ_LT] = is_less,
    [AQ_GE] = is_greater_equal,
};

/* The wait of a barrier packet: its dependencies, their number, when they
 * are satisfied. */
static uint32_t barrier_needs(const aqsim_flight *flight,
                              const aq_signal **dependencies,
                              aqsim_gate_test *test)
{
  const aq_packet *packet = &flight->packet;
  unsigned type = aq_header_type(packet->header);
  if (type == AQ_PACKET_VENDOR) {
    *dependencies = &packet->barrier_value.signal;
    *test = (aqsim_gate_test){.compare =
                                  conditions[packet->barrier_value.condition],
                              .mask = packet->barrier_value.mask,
                              .reference = packet->barrier_value.value};
    return 1;
  }
  *dependencies = packet->barrier.dependency;
  *test =
      type == AQ_PACKET_BARRIER_OR ? aqsim_gate_any_zero : aqsim_gate_all_zero;
  test->negative_ends =
      flight->queue->sim->semantics == AQ_SEMANTICS_FOUNDATION;
  return AQ_BARRIER_DEPENDENCIES;
}

static aqsim_flow launch_barrier_value(aqsim_flight *flight)
{
  uint32_t condition = flight->packet.barrier_value.condition;
  char text[AQSIM_FAULT_TEXT_MAX];
  if (condition < sizeof conditions / sizeof *conditions)
    return launch_barrier(flight);
  snprintf(text, sizeof text,
           "barrier-value condition %u; expected 0 to 3 (==, !=, <, >=)",
           condition);
  return aqsim_flight_fail(flight, AQSIM_FAULT_VENDOR_FORMAT, text);
}

/* A packet that waits at a closed gate needs no slot. */
static aqsim_flow gate_wait(aqsim_queue *queue, bool open)
{
  if (open)
    return AQSIM_GO;
  if (queue->device->slots.contended)
    queue->sim->queue_ops->progress(queue);
  return AQSIM_WAIT;
}

aqsim_flow aqsim_step_look(aqsim_flight *flight)
{
  const aq_signal *dependencies;
  aqsim_gate_test test;
  uint32_t count = barrier_needs(flight, &dependencies, &test);
  flight->step = AQSIM_STEP_SEEN;
  aqsim_queue *queue = flight->queue;
  queue->wait.flight = flight;
  bool open =
      aqsim_gate_arm(&queue->wait.gate, queue->wait.legs, dependencies, count,
                     &test, queue->device->model->dependency_poll);
  return gate_wait(queue, open);
}

/* The memory of a dependency is not mapped, or not any more. */
static aqsim_flow dependency_fault(aqsim_flight *flight)
{
  return aqsim_flight_memory_fault(
      flight, AQSIM_STEP_RUN, flight->queue->wait.gate.hole,
      "its dependency lies in memory that is not there");
}

aqsim_flow aqsim_step_seen(aqsim_flight *flight)
{
  const aqsim_queue *queue = flight->queue;
  if (queue->wait.gate.hole)
    return dependency_fault(flight);
  flight->negative = queue->wait.gate.negative;
  flight->start = flight->stamp = queue->sim->now;
  flight->end =
      flight->start + aqsim_acquire(queue->device, flight->packet.header);
  return aqsim_flight_finish(flight);
}

/* ---- agent dispatches ---- */

static aqsim_flow launch_agent(aqsim_flight *flight)
{
  aqsim_queue *queue = flight->queue;
  queue->line.kernel_before = false;
  flight->glued = false;
  flight->start = flight->stamp = flight->end =
      queue->sim->now + aqsim_acquire(queue->device, flight->packet.header);
  aqsim_queue_launch_until(queue, flight->start);
  return aqsim_flight_sleep(flight, AQSIM_STEP_RUN, flight->start,
                            AQSIM_AT_END);
}

static aqsim_flow run_agent(aqsim_flight *flight)
{
  aqsim_queue *queue = flight->queue;
  aqsim *sim = queue->sim;
  aq_agent_packet packet = flight->packet.agent;
  sim->touched = true;
  if (sim->outside_begin)
    sim->outside_begin(sim->live, queue);
  uint64_t result = queue->agent(&packet, queue->error.user);
  if (sim->outside_begin)
    sim->outside_end(sim->live);
  /* Release pairs with whoever acquires the completion or polls the word. */
  if (packet.return_address)
    __atomic_store_n((uint64_t *)(uintptr_t)packet.return_address, result,
                     __ATOMIC_RELEASE);
  sim->queue_ops->notice(sim);
  return queue->destroyed ? AQSIM_GONE : aqsim_flight_finish(flight);
}

/* ---- PM4 ---- */

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
  if (!aqsim_pm4_begin(queue->pm4, &flight->packet.pm4_ib))
    return pm4->missing ? aqsim_flight_memory_fault(flight, AQSIM_STEP_LAUNCH,
                                                    pm4->hole, pm4->text)
                        : aqsim_flight_fail(flight, AQSIM_FAULT_VENDOR_FORMAT,
                                            pm4->text);
  queue->line.hold |= AQSIM_HOLD_PACKET;
  queue->line.kernel_before = false;
  flight->glued = false;
  flight->start = flight->stamp = queue->sim->now +
                                  device->model->barrier_process +
                                  aqsim_acquire(device, flight->packet.header);
  flight->end = flight->start;
  aqsim_queue_launch_until(queue, flight->start);
  return aqsim_flight_sleep(flight, AQSIM_STEP_RUN, flight->start,
                            AQSIM_AT_LAUNCH);
}

/* Starts a dispatch; the buffer continues when it has started or, if it is a
 * host function, executed code or shares the device, when it has ended. */
static aqsim_flow pm4_dispatch(aqsim_flight *flight)
{
  aqsim_queue *queue = flight->queue;
  const aqsim_device *device = queue->device;
  const aq_kernel_packet *packet = &queue->pm4->dispatch;
  char text[AQSIM_FAULT_TEXT_MAX];
  uint64_t hole;
  const aqsim_kernel *kernel = kernel_find(queue, packet->kernel_object);
  uint32_t fault =
      aqsim_kernel_packet_check(packet, kernel, &device->limits, text);
  if (fault)
    return aqsim_flight_fault(flight, fault, text);
  uint64_t workgroups = aqsim_packet_workgroups(packet);
  if (kernargs_are_missing(queue, kernel, packet, workgroups, &hole))
    return aqsim_flight_memory_fault(flight, AQSIM_STEP_RUN, hole,
                                     KERNARGS_MISSING);
  aq_time start = queue->sim->now + device->model->dispatch_setup;
  const bool acts =
      kernel->desc.function || aqsim_kernel_is_executed(queue->sim, kernel);
  if (aqsim_cost_is_dispatched(&kernel->desc.cost) && workgroups > 0) {
    flight->kernel = acts ? kernel : NULL;
    return aqsim_waves_begin(flight, kernel, packet, start);
  }
  aq_time end = aq_time_add(
      start, aqsim_cost_duration(device->model, &kernel->desc.cost, packet,
                                 workgroups, queue->cus.count));
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
  return gate_wait(queue, open);
}

/* Runs to the next command that takes time. */
static aqsim_flow pm4_step(aqsim_flight *flight)
{
  aqsim_queue *queue = flight->queue;
  const aqsim_model *model = queue->device->model;
  aqsim *sim = queue->sim;
  aqsim_pm4 *pm4 = queue->pm4;
  if (queue->wait.flight == flight && queue->wait.gate.hole)
    return dependency_fault(flight);
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
    return aqsim_flight_memory_fault(flight, AQSIM_STEP_RUN, pm4->hole,
                                     pm4->text);
  return aqsim_flight_fault(flight, AQSIM_FAULT_VENDOR_FORMAT, pm4->text);
}

/* Executes the code of a dispatch at the end of its time; true: it ended. */
static bool pm4_execute(aqsim_flight *flight, aqsim_flow *flow)
{
  switch (code_step(flight, flow)) {
  case AQ_EXECUTION_MORE:
    *flow = aqsim_flight_yield(flight, AQSIM_STEP_RUN, AQSIM_AT_END);
    return false;
  case AQ_EXECUTION_WAITS:
    *flow = aqsim_flight_sleep(flight, AQSIM_STEP_RUN, code_poll(flight),
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
      !kernel_call(flight, kernel, &flight->queue->pm4->dispatch, error))
    return AQSIM_GONE;
  if (error[0])
    return kernel_fault(flight, kernel, error);
  return pm4_step(flight);
}

/* ---- the kinds ---- */

const aqsim_kind aqsim_kernel_kind = {.record = AQ_KIND_KERNEL,
                                      .device = true,
                                      .launch = aqsim_launch_kernel,
                                      .run = run_kernel};

static const aqsim_kind barrier_and_kind = {.record = AQ_KIND_BARRIER_AND,
                                            .blocks = true,
                                            .device = true,
                                            .host = true,
                                            .launch = launch_barrier};

static const aqsim_kind barrier_or_kind = {.record = AQ_KIND_BARRIER_OR,
                                           .blocks = true,
                                           .device = true,
                                           .host = true,
                                           .launch = launch_barrier};

static const aqsim_kind agent_kind = {.record = AQ_KIND_AGENT,
                                      .host = true,
                                      .launch = launch_agent,
                                      .run = run_agent};

static const aqsim_kind pm4_kind = {.record = AQ_KIND_VENDOR,
                                    .blocks = true,
                                    .device = true,
                                    .launch = launch_pm4,
                                    .run = run_pm4};

static const aqsim_kind barrier_value_kind = {.record = AQ_KIND_VENDOR,
                                              .blocks = true,
                                              .device = true,
                                              .launch = launch_barrier_value};

static const aqsim_kind *kind_find(const aq_packet *packet)
{
  switch (aq_header_type(packet->header)) {
  case AQ_PACKET_KERNEL_DISPATCH:
    return &aqsim_kernel_kind;
  case AQ_PACKET_BARRIER_AND:
    return &barrier_and_kind;
  case AQ_PACKET_BARRIER_OR:
    return &barrier_or_kind;
  case AQ_PACKET_AGENT_DISPATCH:
    return &agent_kind;
  case AQ_PACKET_VENDOR:
    return packet->pm4_ib.format == AQ_AMD_FORMAT_PM4_IB ? &pm4_kind
           : packet->barrier_value.format == AQ_AMD_FORMAT_BARRIER_VALUE
               ? &barrier_value_kind
               : NULL;
  default:
    return NULL;
  }
}

const aqsim_kind *aqsim_flight_kind(const aqsim_flight *flight)
{
  const aqsim_kind *kind = kind_find(&flight->packet);
  if (!kind || !(flight->queue->host ? kind->host : kind->device))
    return NULL;
  return kind;
}

aqsim_flow aqsim_step_run(aqsim_flight *flight)
{
  return flight->kind->run(flight);
}
