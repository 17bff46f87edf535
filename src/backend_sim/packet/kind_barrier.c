/* SPDX-License-Identifier: MIT */
/* Barrier packets: they look at their dependencies, wait at a gate, and see. */
#include "config.h"

#include <stdio.h>

#include "backend_sim/model/cost.h"
#include "backend_sim/packet/fetch.h"
#include "backend_sim/packet/kinds.h"
#include "backend_sim/packet/memory_fault.h"

static bool has_dependencies(const aq_packet *packet)
{
  if (aq_header_type(packet->header) == AQ_PACKET_VENDOR)
    return packet->barrier_value.signal.handle != 0;
  for (int i = 0; i < AQ_BARRIER_DEPENDENCIES; i++)
    if (packet->barrier.dependency[i].handle)
      return true;
  return false;
}

static aqsim_flow launch_barrier(aqsim_flight *flight)
{
  aqsim_queue *queue = flight->queue;
  const aq_time look =
      queue->sim->now + aqsim_barrier_time(queue->device->model,
                                           has_dependencies(&flight->packet),
                                           queue->line.barrier_before);
  queue->line.hold |= AQSIM_HOLD_PACKET;
  aqsim_queue_launch_until(queue, look);
  queue->line.kernel_before = false;
  queue->line.barrier_before = true;
  flight->back_to_back = false;
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

aqsim_flow aqsim_gate_wait(aqsim_queue *queue, bool open)
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
  return aqsim_gate_wait(queue, open);
}

aqsim_flow aqsim_dependency_fault(aqsim_flight *flight)
{
  return aqsim_flight_memory_fault(
      flight, AQSIM_STEP_RUN, flight->queue->wait.gate.unmapped,
      "its dependency lies in memory that is not there");
}

aqsim_flow aqsim_step_seen(aqsim_flight *flight)
{
  const aqsim_queue *queue = flight->queue;
  if (queue->wait.gate.unmapped)
    return aqsim_dependency_fault(flight);
  if (queue->sim->order) {
    const aq_order_packet order = aqsim_flight_order(flight);
    queue->sim->order->seen(queue->sim->order->user, &order);
  }
  flight->negative = queue->wait.gate.negative;
  flight->start = flight->stamp = queue->sim->now;
  flight->end =
      flight->start + aqsim_acquire(queue->device, flight->packet.header);
  return aqsim_flight_finish(flight);
}

const aqsim_kind aqsim_barrier_and_kind = {.record = AQ_KIND_BARRIER_AND,
                                           .blocks = true,
                                           .device = true,
                                           .host = true,
                                           .launch = launch_barrier};

const aqsim_kind aqsim_barrier_or_kind = {.record = AQ_KIND_BARRIER_OR,
                                          .blocks = true,
                                          .device = true,
                                          .host = true,
                                          .launch = launch_barrier};

const aqsim_kind aqsim_barrier_value_kind = {.record = AQ_KIND_VENDOR,
                                             .blocks = true,
                                             .device = true,
                                             .launch = launch_barrier_value};
