/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/packet/waves.h"

#include <stddef.h>
#include <stdlib.h>

#include "backend_sim/model/cost.h"
#include "backend_sim/packet/packets.h"
#include "backend_sim/policy/device_policy.h"

/* A kernel with a roofline that runs, or will. */
struct aqsim_load {
  aqsim_transfer transfer; /* first */
  aqsim_flight *flight;
  aqsim_load *next; /* free ones */
  uint64_t size;    /* bytes that it still has to move */
  aq_time time;     /* it takes yet when nothing holds it up */
  aq_time start;    /* of the kernel; AQ_TIME_NONE: it has not started */
  aq_time since;    /* it runs */
  bool moves;       /* bytes, now */
  bool pending;     /* the event of its end */
};

/* ---- the request to the dispatcher ---- */

static aqsim_flow waves_wait(aqsim_flight *flight)
{
  return aqsim_flight_sleep(flight, AQSIM_STEP_WAVES,
                            aqsim_grid_next(flight->grid), AQSIM_AT_END);
}

static aqsim_flow waves_fail(aqsim_flight *flight)
{
  static const char text[] = "out of memory for a dispatch";
  return flight->kind->record == AQ_KIND_KERNEL
             ? aqsim_flight_fail(flight, AQSIM_FAULT_PACKET_FORMAT, text)
             : aqsim_flight_fault(flight, AQSIM_FAULT_PACKET_FORMAT, text);
}

/* ---- rooflines ---- */

static void load_free(aqsim_device *device, aqsim_load *load)
{
  load->next = device->loads;
  device->loads = load;
}

static aqsim_load *load_alloc(aqsim_device *device)
{
  aqsim_load *load = device->loads;
  if (!load)
    return malloc(sizeof *load);
  device->loads = load->next;
  return load;
}

/* Puts the end where the rate puts it, never before the work is done. */
static void load_changed(aqsim_transfer *transfer)
{
  aqsim_load *load = (aqsim_load *)transfer;
  aqsim_flight *flight = load->flight;
  aqsim *sim = flight->queue->sim;
  if (load->pending)
    aqsim_calendar_forget(&sim->calendar, &flight->event, sizeof flight->event);
  load->pending = true;
  const aq_time end = aq_time_max(aqsim_transfer_end(&sim->traffic, transfer),
                                  load->since + load->time);
  flight->sleeping = true;
  aqsim_queue_push(flight->queue, &flight->event, end, AQSIM_AT_END);
}

static aqsim_flow load_begin(aqsim_flight *flight, const aq_cost *cost,
                             uint64_t workgroups, aq_time start)
{
  const aqsim_queue *queue = flight->queue;
  const aqsim_device *device = queue->device;
  aqsim_load *load = load_alloc(queue->device);
  if (!load)
    return waves_fail(flight);
  *load = (aqsim_load){.transfer = {.changed = load_changed},
                       .flight = flight,
                       .start = AQ_TIME_NONE};
  aqsim_links_memory(&queue->sim->links, device->ordinal,
                     &load->transfer.route);
  const aqsim_roofline roofline = aqsim_cost_roofline(
      device->model, cost->detail, workgroups, queue->cus.count);
  load->size = roofline.bytes;
  load->time = roofline.time;
  load->transfer.most = roofline.rate;
  flight->load = load;
  return aqsim_flight_sleep(flight, AQSIM_STEP_WAVES, start, AQSIM_AT_END);
}

/* It runs, from its start or from where it was held. */
static aqsim_flow load_run(aqsim_flight *flight)
{
  aqsim_load *load = flight->load;
  aqsim *sim = flight->queue->sim;
  load->since = sim->now;
  load->pending = false;
  load->moves = load->size > 0;
  if (!load->moves)
    return aqsim_flight_sleep(flight, AQSIM_STEP_WAVES, sim->now + load->time,
                              AQSIM_AT_END);
  aqsim_traffic_join(&sim->traffic, &load->transfer, load->size, sim->now);
  aqsim_traffic_tell(&sim->traffic);
  return AQSIM_WAIT;
}

static void load_leave(aqsim_flight *flight)
{
  aqsim_load *load = flight->load;
  aqsim *sim = flight->queue->sim;
  if (!load->moves)
    return;
  load->moves = false;
  aqsim_traffic_leave(&sim->traffic, &load->transfer, sim->now);
  aqsim_traffic_tell(&sim->traffic);
}

static void load_hold(aqsim_flight *flight)
{
  aqsim_load *load = flight->load;
  if (load->start == AQ_TIME_NONE)
    return;
  const aq_time ran = flight->queue->sim->now - load->since;
  load_leave(flight);
  load->time = aq_time_max(load->time - ran, 0);
  if (load->size > 0)
    load->size =
        (uint64_t)((load->transfer.left + (uint64_t)AQ_S - 1) / (uint64_t)AQ_S);
}

static void load_end(aqsim_flight *flight)
{
  load_leave(flight);
  load_free(flight->queue->device, flight->load);
  flight->load = NULL;
}

/* ---- the step ---- */

aqsim_flow aqsim_waves_begin(aqsim_flight *flight, const aqsim_kernel *kernel,
                             const aq_kernel_packet *packet, aq_time start)
{
  const aqsim_queue *queue = flight->queue;
  const aqsim_device *device = queue->device;
  const aq_cost *cost = &kernel->desc.cost;
  if (cost->kind == AQ_COST_ROOFLINE)
    return load_begin(flight, cost, aqsim_packet_workgroups(packet), start);
  const aq_time run =
      aqsim_cost_workgroup(cost, packet, queue->sim->allocations);
  const bool table = cost->kind == AQ_COST_OCCUPANCY;
  aqsim_grid_desc desc = {
      .start = start,
      .workgroups = aqsim_packet_workgroups(packet),
      .need = aqsim_workgroup_need(device->model, &kernel->desc, packet),
      .rank = queue->rank,
      .cus = &queue->cus,
      .latency = table ? cost->detail->latency : &run,
      .latency_count = table ? cost->detail->latency_count : 1,
      .contained = table ? cost->detail->contained : 0};
  if (flight->run) {
    aqsim_policy_grid(flight, &desc);
    desc.user = flight;
  }
  flight->grid = aqsim_grid_submit(device->dispatcher, &desc);
  if (!flight->grid)
    return waves_fail(flight);
  if (flight->run)
    aqsim_policy_grid_begun(queue->device);
  return waves_wait(flight);
}

/* True: it has ended. */
static bool load_look(aqsim_flight *flight, aq_time *first, aqsim_flow *flow)
{
  aqsim_load *load = flight->load;
  *first = load->start;
  if (load->start != AQ_TIME_NONE) {
    load_end(flight);
    return true;
  }
  load->start = flight->queue->sim->now;
  *flow = load_run(flight);
  return false;
}

/* The kernel is first in line again: it is launched once more. */
static aqsim_flow slice_next(aqsim_flight *flight, aq_time first)
{
  aqsim_queue *queue = flight->queue;
  aqsim_policy_first(flight, first);
  flight->step = AQSIM_STEP_TURN;
  flight->next = queue->line.first;
  queue->line.first = flight;
  if (!queue->line.last)
    queue->line.last = flight;
  queue->line.waiting++;
  aqsim_queue_active_add(queue, -1);
  return AQSIM_GO;
}

aqsim_flow aqsim_step_waves(aqsim_flight *flight)
{
  aq_time first, end = flight->queue->sim->now;
  if (flight->load) {
    aqsim_flow flow;
    if (!load_look(flight, &first, &flow))
      return flow;
  } else {
    if (!aqsim_grid_look(flight->grid, end, &first, &end))
      return waves_wait(flight);
    flight->grid = NULL;
    if (flight->run && aqsim_policy_grid_ended(flight))
      return slice_next(flight, first);
  }
  flight->step = AQSIM_STEP_RUN;
  if (flight->kind->record != AQ_KIND_KERNEL) {
    flight->end = aq_time_max(flight->end, end);
    return AQSIM_GO;
  }
  if (flight->run)
    first = aqsim_policy_first(flight, first);
  if (first > flight->start)
    flight->stalls |= AQ_STALL_ROOM;
  flight->start = first;
  if (!flight->back_to_back)
    flight->stamp = first;
  flight->end = end;
  return aqsim_flight_acts(flight) ? AQSIM_GO : aqsim_kernel_finish(flight);
}

/* ---- changes ---- */

static void waves_look_again(aqsim_flight *flight)
{
  aqsim *sim = flight->queue->sim;
  if (!flight->sleeping)
    return; /* it is held */
  aqsim_calendar_forget(&sim->calendar, &flight->event, sizeof flight->event);
  aqsim_queue_push(flight->queue, &flight->event,
                   aq_time_max(aqsim_grid_next(flight->grid), sim->now),
                   AQSIM_AT_END);
}

void aqsim_waves_mask(aqsim_queue *queue)
{
  aqsim *sim = queue->sim;
  for (uint32_t i = 0; i < queue->pool.fresh; i++) {
    aqsim_flight *flight = &queue->pool.flights[i];
    if (!flight->grid)
      continue;
    aqsim_grid_mask(flight->grid, sim->now, &queue->cus);
    waves_look_again(flight);
  }
}

void aqsim_waves_relook(aqsim_device *device)
{
  for (aqsim_queue *q = device->sim->first_queue; q; q = q->next)
    for (uint32_t i = 0; q->device == device && i < q->pool.fresh; i++)
      if (q->pool.flights[i].grid)
        waves_look_again(&q->pool.flights[i]);
}

void aqsim_waves_drop(aqsim_flight *flight)
{
  if (flight->grid)
    aqsim_grid_cancel(flight->grid, flight->queue->sim->now);
  if (flight->load)
    load_end(flight);
  flight->grid = NULL;
}

bool aqsim_waves_are_running(const aqsim_flight *flight)
{
  return flight->in_use && flight->step == AQSIM_STEP_WAVES &&
         flight->kind->record == AQ_KIND_KERNEL;
}

void aqsim_waves_hold(aqsim_flight *flight)
{
  aqsim *sim = flight->queue->sim;
  if (flight->load)
    load_hold(flight);
  else
    aqsim_grid_hold(flight->grid, sim->now);
  aqsim_calendar_forget(&sim->calendar, &flight->event, sizeof flight->event);
  flight->sleeping = false;
}

void aqsim_waves_release(aqsim_flight *flight)
{
  aqsim *sim = flight->queue->sim;
  aq_time next = sim->now;
  if (flight->grid) {
    aqsim_grid_release(flight->grid, sim->now);
    next = aq_time_max(next, aqsim_grid_next(flight->grid));
  } else if (flight->load->start != AQ_TIME_NONE) {
    if (load_run(flight) == AQSIM_WAIT)
      return;
  }
  flight->sleeping = true;
  aqsim_queue_push(flight->queue, &flight->event, next, AQSIM_AT_END);
}

void aqsim_waves_cancel(aqsim_queue *queue)
{
  for (uint32_t i = 0; i < queue->pool.fresh; i++) {
    aqsim_flight *flight = &queue->pool.flights[i];
    aqsim_waves_drop(flight);
    if (flight->run)
      aqsim_policy_forget(flight);
  }
}

void aqsim_waves_fini(aqsim_device *device)
{
  aqsim_dispatcher_destroy(device->dispatcher);
  while (device->loads) {
    aqsim_load *load = device->loads;
    device->loads = load->next;
    free(load);
  }
}
