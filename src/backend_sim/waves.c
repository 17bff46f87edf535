/* SPDX-License-Identifier: MIT */
#include "backend_sim/waves.h"

#include <stddef.h>
#include <stdlib.h>

#include "backend_sim/cost.h"
#include "backend_sim/processor.h"

/* A kernel with a roofline that runs, or will. */
struct aqsim_load {
  aqsim_bytes bytes; /* first */
  aqsim_flight *flight;
  aqsim_load *next; /* free ones */
  aq_time time;     /* it takes when nothing holds it up */
  aq_time start;    /* AQ_TIME_NONE: it has not started */
};

/* ---- what the dispatcher is asked for ---- */

static aqsim_resources workgroup_need(const aqsim_model *model,
                                      const aqsim_kernel *kernel,
                                      const aq_kernel_packet *packet)
{
  const aq_kernel_desc *desc = &kernel->desc;
  aqsim_workgroup_shape shape = {.items = (uint64_t)packet->workgroup_size[0] *
                                          packet->workgroup_size[1] *
                                          packet->workgroup_size[2],
                                 .wave_size = desc->wave_size,
                                 .vgprs = desc->vgprs,
                                 .agprs = desc->agprs,
                                 .sgprs = desc->sgprs,
                                 .lds = packet->group_segment_size};
  if (desc->cost.kind == AQ_COST_OCCUPANCY)
    shape.most = desc->cost.detail->latency_count;
  return aqsim_workgroup_resources(model, &shape);
}

static aqsim_flow waves_wait(aqsim_flight *flight)
{
  return aqsim_flight_sleep(flight, AQSIM_STEP_WAVES,
                            aqsim_grid_next(flight->grid), AQSIM_AT_END);
}

static aqsim_flow waves_fail(aqsim_flight *flight)
{
  return aqsim_flight_fail(flight, AQSIM_FAULT_PACKET_FORMAT,
                           "out of memory for a dispatch");
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

static void load_done(aqsim_bytes *bytes)
{
  aqsim_flight_resume(((aqsim_load *)bytes)->flight);
}

static aqsim_flow load_begin(aqsim_flight *flight, const aq_cost *cost,
                             uint64_t workgroups, aq_time start)
{
  const aqsim_queue *queue = flight->queue;
  aqsim_load *load = load_alloc(queue->device);
  if (!load)
    return waves_fail(flight);
  *load = (aqsim_load){
      .bytes = {.done = load_done}, .flight = flight, .start = AQ_TIME_NONE};
  load->time =
      aqsim_cost_roofline(queue->device->model, cost->detail, workgroups,
                          queue->cus.count, &load->bytes.rate);
  flight->load = load;
  return aqsim_flight_sleep(flight, AQSIM_STEP_WAVES, start, AQSIM_AT_END);
}

/* True: it has ended. */
static bool load_look(aqsim_flight *flight, aq_time *first)
{
  aqsim_load *load = flight->load;
  aqsim_device *device = flight->queue->device;
  if (load->start == AQ_TIME_NONE) {
    load->start = device->sim->now;
    aqsim_bytes_begin(&device->memory, &load->bytes, load->time);
    return false;
  }
  *first = load->start;
  flight->load = NULL;
  load_free(device, load);
  return true;
}

static void load_cancel(aqsim_flight *flight)
{
  aqsim_load *load = flight->load;
  aqsim_device *device = flight->queue->device;
  if (load->start != AQ_TIME_NONE)
    aqsim_bytes_cancel(&device->memory, &load->bytes);
  load_free(device, load);
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
  const aq_time run = aqsim_cost_workgroup(cost, packet);
  const bool table = cost->kind == AQ_COST_OCCUPANCY;
  const aqsim_grid_desc desc = {
      .start = start,
      .workgroups = aqsim_packet_workgroups(packet),
      .need = workgroup_need(device->model, kernel, packet),
      .rank = queue->rank,
      .cus = &queue->cus,
      .latency = table ? cost->detail->latency : &run,
      .latency_count = table ? cost->detail->latency_count : 1,
      .contained = table ? cost->detail->contained : 0};
  flight->grid = aqsim_grid_submit(device->dispatcher, &desc);
  if (!flight->grid)
    return waves_fail(flight);
  return waves_wait(flight);
}

aqsim_flow aqsim_step_waves(aqsim_flight *flight)
{
  const aq_time now = flight->queue->sim->now;
  aq_time first;
  if (flight->load) {
    if (!load_look(flight, &first))
      return AQSIM_WAIT;
  } else {
    if (!aqsim_grid_look(flight->grid, now, &first))
      return waves_wait(flight);
    flight->grid = NULL;
  }
  flight->step = AQSIM_STEP_RUN;
  if (flight->kind->record != AQ_KIND_KERNEL) {
    flight->end = aq_time_max(flight->end, now);
    return AQSIM_GO;
  }
  flight->start = first;
  if (!flight->glued)
    flight->stamp = first;
  flight->end = now;
  return flight->kernel->desc.function ? AQSIM_GO : aqsim_flight_finish(flight);
}

/* ---- changes ---- */

void aqsim_waves_mask(aqsim_queue *queue)
{
  aqsim *sim = queue->sim;
  for (uint32_t i = 0; i < queue->fresh; i++) {
    aqsim_flight *flight = &queue->flights[i];
    if (!flight->grid)
      continue;
    aqsim_grid_mask(flight->grid, sim->now, &queue->cus);
    aqsim_calendar_forget(&sim->calendar, &flight->event, sizeof flight->event);
    aqsim_queue_push(queue, &flight->event,
                     aq_time_max(aqsim_grid_next(flight->grid), sim->now),
                     AQSIM_AT_END);
  }
}

void aqsim_waves_cancel(aqsim_queue *queue)
{
  for (uint32_t i = 0; i < queue->fresh; i++) {
    aqsim_flight *flight = &queue->flights[i];
    if (flight->grid)
      aqsim_grid_cancel(flight->grid, queue->sim->now);
    if (flight->load)
      load_cancel(flight);
    flight->grid = NULL;
    flight->load = NULL;
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
