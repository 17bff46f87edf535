/* SPDX-License-Identifier: MIT */
/* Barrier packets: they look at their dependencies, wait at a dependency wait,
 * and see. */
#include "config.h"

#include <stddef.h>
#include <stdio.h>

#include "backend_sim/model/cost.h"
#include "backend_sim/packet/fetch.h"
#include "backend_sim/packet/memory_fault.h"
#include "backend_sim/packet/packet_types.h"

static bool has_dependencies(const aq_packet *packet)
{
  if (aq_header_type(packet->header) == AQ_PACKET_VENDOR)
    return packet->barrier_value.signal.handle != 0;
  for (int i = 0; i < AQ_BARRIER_DEPENDENCIES; i++)
    if (packet->barrier.dependency[i].handle)
      return true;
  return false;
}

static aqsim_flow launch_barrier(aqsim_inflight *inflight)
{
  aqsim_queue *queue = inflight->queue;
  const aq_time look =
      queue->sim->now + aqsim_barrier_time(queue->device->model,
                                           has_dependencies(&inflight->packet),
                                           queue->line.barrier_before);
  queue->line.hold |= AQSIM_HOLD_PACKET;
  aqsim_queue_launch_until(queue, look);
  queue->line.kernel_before = false;
  queue->line.barrier_before = true;
  inflight->back_to_back = false;
  return aqsim_inflight_sleep(inflight, AQSIM_STEP_LOOK, look, AQSIM_AT_LAUNCH);
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
static uint32_t barrier_needs(const aqsim_inflight *inflight,
                              const aq_signal **dependencies,
                              aqsim_dep_wait_test *test)
{
  const aq_packet *packet = &inflight->packet;
  unsigned type = aq_header_type(packet->header);
  if (type == AQ_PACKET_VENDOR) {
    *dependencies = &packet->barrier_value.signal;
    *test = (aqsim_dep_wait_test){
        .compare = conditions[packet->barrier_value.condition],
        .mask = packet->barrier_value.mask,
        .memory = true,
        .reference = packet->barrier_value.value};
    return 1;
  }
  *dependencies = packet->barrier.dependency;
  *test = type == AQ_PACKET_BARRIER_OR ? aqsim_dep_wait_any_zero
                                       : aqsim_dep_wait_all_zero;
  test->negative_ends =
      inflight->queue->sim->semantics == AQ_SEMANTICS_FOUNDATION;
  return AQ_BARRIER_DEPENDENCIES;
}

static aqsim_flow launch_barrier_value(aqsim_inflight *inflight)
{
  uint32_t condition = inflight->packet.barrier_value.condition;
  char text[AQSIM_FAULT_TEXT_MAX];
  if (condition < sizeof conditions / sizeof *conditions)
    return launch_barrier(inflight);
  const uint32_t fault = aqsim_barrier_value_fault(condition, text);
  return aqsim_inflight_fail(inflight, fault, text);
}

aqsim_flow aqsim_dep_wait_packet(aqsim_queue *queue, bool open)
{
  if (open)
    return AQSIM_GO;
  if (queue->device->slots.contended)
    queue->sim->queue_ops->progress(queue);
  return AQSIM_WAIT;
}

aqsim_flow aqsim_step_check(aqsim_inflight *inflight)
{
  const aq_signal *dependencies;
  aqsim_dep_wait_test test;
  uint32_t count = barrier_needs(inflight, &dependencies, &test);
  inflight->step = AQSIM_STEP_SEEN;
  aqsim_queue *queue = inflight->queue;
  queue->wait.inflight = inflight;
  bool open =
      aqsim_dep_wait_arm(&queue->wait.dep_wait, queue->wait.deps, dependencies,
                         count, &test, queue->device->model->dependency_poll);
  return aqsim_dep_wait_packet(queue, open);
}

aqsim_flow aqsim_dependency_fault(aqsim_inflight *inflight)
{
  return aqsim_inflight_memory_fault(
      inflight, AQSIM_STEP_RUN, inflight->queue->wait.dep_wait.unmapped,
      "its dependency lies in memory that is not there");
}

aqsim_flow aqsim_step_seen(aqsim_inflight *inflight)
{
  const aqsim_queue *queue = inflight->queue;
  if (queue->wait.dep_wait.unmapped)
    return aqsim_dependency_fault(inflight);
  if (queue->sim->order) {
    const aq_order_packet order = aqsim_inflight_order(inflight);
    const aq_signal signal = inflight->packet.barrier_value.signal;
    if (aq_header_type(inflight->packet.header) == AQ_PACKET_VENDOR &&
        signal.handle && !aqsim_signals_find(&queue->sim->signals, signal))
      queue->sim->order->memory_seen(queue->sim->order->user, &order,
                                     signal.handle +
                                         offsetof(aq_amd_signal, value));
    else
      queue->sim->order->seen(queue->sim->order->user, &order);
  }
  inflight->negative = queue->wait.dep_wait.negative;
  inflight->start = inflight->stamp = queue->sim->now;
  inflight->end =
      inflight->start + aqsim_acquire(queue->device, inflight->packet.header);
  return aqsim_inflight_finish(inflight);
}

const aqsim_packet_type_ops aqsim_barrier_and_kind = {.record =
                                                          AQ_KIND_BARRIER_AND,
                                                      .blocks = true,
                                                      .device = true,
                                                      .host = true,
                                                      .launch = launch_barrier};

const aqsim_packet_type_ops aqsim_barrier_or_kind = {.record =
                                                         AQ_KIND_BARRIER_OR,
                                                     .blocks = true,
                                                     .device = true,
                                                     .host = true,
                                                     .launch = launch_barrier};

const aqsim_packet_type_ops aqsim_barrier_value_kind = {
    .record = AQ_KIND_VENDOR,
    .blocks = true,
    .device = true,
    .launch = launch_barrier_value};
