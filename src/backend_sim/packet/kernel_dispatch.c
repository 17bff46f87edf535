/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/packet/kernel_dispatch.h"

#include <stddef.h>
#include <stdlib.h>

#include "backend_sim/model/cost.h"
#include "backend_sim/packet/packet_validate.h"
#include "backend_sim/policy/device_policy.h"

/* A kernel with a roofline that runs, or will. */
struct aqsim_roofline_load {
  aqsim_transfer transfer; /* first */
  aqsim_inflight *inflight;
  aqsim_roofline_load *next; /* free ones */
  uint64_t size;             /* bytes that it still has to move */
  aq_time time;              /* it takes yet when nothing holds it up */
  aq_time start; /* of the kernel; AQ_TIME_NONE: it has not started */
  aq_time since; /* it runs */
  bool moves;    /* bytes, now */
  bool pending;  /* the event of its end */
};

/* ---- the request to the dispatcher ---- */

static aqsim_flow waves_wait(aqsim_inflight *inflight)
{
  return aqsim_inflight_sleep(inflight, AQSIM_STEP_WAVES,
                              aqsim_grid_next(inflight->grid), AQSIM_AT_END);
}

static aqsim_flow waves_fail(aqsim_inflight *inflight)
{
  static const char text[] = "out of memory for a dispatch";
  return inflight->kind->record == AQ_KIND_KERNEL
             ? aqsim_inflight_fail(inflight, AQSIM_FAULT_PACKET_FORMAT, text)
             : aqsim_inflight_fault(inflight, AQSIM_FAULT_PACKET_FORMAT, text);
}

/* ---- rooflines ---- */

static void load_free(aqsim_device *device, aqsim_roofline_load *load)
{
  load->next = device->loads;
  device->loads = load;
}

static aqsim_roofline_load *load_alloc(aqsim_device *device)
{
  aqsim_roofline_load *load = device->loads;
  if (!load)
    return malloc(sizeof *load);
  device->loads = load->next;
  return load;
}

/* Puts the end where the rate puts it, never before the work is done. */
static void load_changed(aqsim_transfer *transfer)
{
  aqsim_roofline_load *load = (aqsim_roofline_load *)transfer;
  aqsim_inflight *inflight = load->inflight;
  aqsim *sim = inflight->queue->sim;
  if (load->pending)
    aqsim_calendar_forget(&sim->calendar, &inflight->event,
                          sizeof inflight->event);
  load->pending = true;
  const aq_time end = aq_time_max(aqsim_transfer_end(&sim->traffic, transfer),
                                  load->since + load->time);
  inflight->sleeping = true;
  aqsim_queue_push(inflight->queue, &inflight->event, end, AQSIM_AT_END);
}

static aqsim_flow load_begin(aqsim_inflight *inflight, const aq_cost *cost,
                             uint64_t workgroups, aq_time start)
{
  const aqsim_queue *queue = inflight->queue;
  const aqsim_device *device = queue->device;
  aqsim_roofline_load *load = load_alloc(queue->device);
  if (!load)
    return waves_fail(inflight);
  *load = (aqsim_roofline_load){.transfer = {.changed = load_changed},
                                .inflight = inflight,
                                .start = AQ_TIME_NONE};
  aqsim_links_memory(&queue->sim->links, device->ordinal,
                     &load->transfer.route);
  const aqsim_roofline roofline = aqsim_cost_roofline(
      device->model, cost->detail, workgroups, queue->cus.count);
  load->size = roofline.bytes;
  load->time = roofline.time;
  load->transfer.most = roofline.rate;
  inflight->load = load;
  return aqsim_inflight_sleep(inflight, AQSIM_STEP_WAVES, start, AQSIM_AT_END);
}

/* It runs, from its start or from where it was held. */
static aqsim_flow load_run(aqsim_inflight *inflight)
{
  aqsim_roofline_load *load = inflight->load;
  aqsim *sim = inflight->queue->sim;
  load->since = sim->now;
  load->pending = false;
  load->moves = load->size > 0;
  if (!load->moves)
    return aqsim_inflight_sleep(inflight, AQSIM_STEP_WAVES,
                                sim->now + load->time, AQSIM_AT_END);
  aqsim_bandwidth_join(&sim->traffic, &load->transfer, load->size, sim->now);
  aqsim_bandwidth_notify(&sim->traffic);
  return AQSIM_WAIT;
}

static void load_leave(aqsim_inflight *inflight)
{
  aqsim_roofline_load *load = inflight->load;
  aqsim *sim = inflight->queue->sim;
  if (!load->moves)
    return;
  load->moves = false;
  aqsim_bandwidth_leave(&sim->traffic, &load->transfer, sim->now);
  aqsim_bandwidth_notify(&sim->traffic);
}

static void load_hold(aqsim_inflight *inflight)
{
  aqsim_roofline_load *load = inflight->load;
  if (load->start == AQ_TIME_NONE)
    return;
  const aq_time ran = inflight->queue->sim->now - load->since;
  load_leave(inflight);
  load->time = aq_time_max(load->time - ran, 0);
  if (load->size > 0)
    load->size =
        (uint64_t)((load->transfer.left + (uint64_t)AQ_S - 1) / (uint64_t)AQ_S);
}

static void load_end(aqsim_inflight *inflight)
{
  load_leave(inflight);
  load_free(inflight->queue->device, inflight->load);
  inflight->load = NULL;
}

/* ---- the step ---- */

aqsim_flow aqsim_kernel_dispatch_begin(aqsim_inflight *inflight,
                                       const aqsim_kernel *kernel,
                                       const aq_kernel_packet *packet,
                                       aq_time start)
{
  const aqsim_queue *queue = inflight->queue;
  const aqsim_device *device = queue->device;
  const aq_cost *cost = &kernel->desc.cost;
  if (cost->kind == AQ_COST_ROOFLINE)
    return load_begin(inflight, cost, aqsim_packet_workgroups(packet), start);
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
  if (inflight->run) {
    aqsim_policy_grid(inflight, &desc);
    desc.user = inflight;
  }
  inflight->grid = aqsim_grid_submit(device->dispatcher, &desc);
  if (!inflight->grid)
    return waves_fail(inflight);
  if (inflight->run)
    aqsim_policy_grid_begun(queue->device);
  return waves_wait(inflight);
}

/* True: it has ended. */
static bool load_scan(aqsim_inflight *inflight, aq_time *first,
                      aqsim_flow *flow)
{
  aqsim_roofline_load *load = inflight->load;
  *first = load->start;
  if (load->start != AQ_TIME_NONE) {
    load_end(inflight);
    return true;
  }
  load->start = inflight->queue->sim->now;
  *flow = load_run(inflight);
  return false;
}

/* The kernel is first in line again: it is launched once more. */
static aqsim_flow slice_next(aqsim_inflight *inflight, aq_time first)
{
  aqsim_queue *queue = inflight->queue;
  aqsim_policy_first(inflight, first);
  inflight->step = AQSIM_STEP_TURN;
  inflight->next = queue->line.first;
  queue->line.first = inflight;
  if (!queue->line.last)
    queue->line.last = inflight;
  queue->line.waiting++;
  aqsim_queue_active_add(queue, -1);
  return AQSIM_GO;
}

aqsim_flow aqsim_step_waves(aqsim_inflight *inflight)
{
  aq_time first, end = inflight->queue->sim->now;
  if (inflight->load) {
    aqsim_flow flow;
    if (!load_scan(inflight, &first, &flow))
      return flow;
  } else {
    if (!aqsim_grid_scan(inflight->grid, end, &first, &end))
      return waves_wait(inflight);
    inflight->grid = NULL;
    if (inflight->run && aqsim_policy_grid_ended(inflight))
      return slice_next(inflight, first);
  }
  inflight->step = AQSIM_STEP_RUN;
  if (inflight->kind->record != AQ_KIND_KERNEL) {
    inflight->end = aq_time_max(inflight->end, end);
    return AQSIM_GO;
  }
  if (inflight->run)
    first = aqsim_policy_first(inflight, first);
  if (first > inflight->start)
    inflight->stalls |= AQ_STALL_ROOM;
  inflight->start = first;
  if (!inflight->back_to_back)
    inflight->stamp = first;
  inflight->end = end;
  return aqsim_inflight_acts(inflight) ? AQSIM_GO
                                       : aqsim_kernel_finish(inflight);
}

/* ---- changes ---- */

static void waves_rescan(aqsim_inflight *inflight)
{
  aqsim *sim = inflight->queue->sim;
  if (!inflight->sleeping)
    return; /* it is held */
  aqsim_calendar_forget(&sim->calendar, &inflight->event,
                        sizeof inflight->event);
  aqsim_queue_push(inflight->queue, &inflight->event,
                   aq_time_max(aqsim_grid_next(inflight->grid), sim->now),
                   AQSIM_AT_END);
}

void aqsim_kernel_dispatch_mask(aqsim_queue *queue)
{
  aqsim *sim = queue->sim;
  for (uint32_t i = 0; i < queue->pool.fresh; i++) {
    aqsim_inflight *inflight = &queue->pool.inflights[i];
    if (!inflight->grid)
      continue;
    aqsim_grid_mask(inflight->grid, sim->now, &queue->cus);
    waves_rescan(inflight);
  }
}

void aqsim_kernel_dispatch_rescan(aqsim_device *device)
{
  for (aqsim_queue *q = device->sim->first_queue; q; q = q->next)
    for (uint32_t i = 0; q->device == device && i < q->pool.fresh; i++)
      if (q->pool.inflights[i].grid)
        waves_rescan(&q->pool.inflights[i]);
}

void aqsim_kernel_dispatch_drop(aqsim_inflight *inflight)
{
  if (inflight->grid)
    aqsim_grid_cancel(inflight->grid, inflight->queue->sim->now);
  if (inflight->load)
    load_end(inflight);
  inflight->grid = NULL;
}

bool aqsim_kernel_dispatch_is_running(const aqsim_inflight *inflight)
{
  return inflight->in_use && inflight->step == AQSIM_STEP_WAVES &&
         inflight->kind->record == AQ_KIND_KERNEL;
}

void aqsim_kernel_dispatch_hold(aqsim_inflight *inflight)
{
  aqsim *sim = inflight->queue->sim;
  if (inflight->load)
    load_hold(inflight);
  else
    aqsim_grid_hold(inflight->grid, sim->now);
  aqsim_calendar_forget(&sim->calendar, &inflight->event,
                        sizeof inflight->event);
  inflight->sleeping = false;
}

void aqsim_kernel_dispatch_release(aqsim_inflight *inflight)
{
  aqsim *sim = inflight->queue->sim;
  aq_time next = sim->now;
  if (inflight->grid) {
    aqsim_grid_release(inflight->grid, sim->now);
    next = aq_time_max(next, aqsim_grid_next(inflight->grid));
  } else if (inflight->load->start != AQ_TIME_NONE) {
    if (load_run(inflight) == AQSIM_WAIT)
      return;
  }
  inflight->sleeping = true;
  aqsim_queue_push(inflight->queue, &inflight->event, next, AQSIM_AT_END);
}

void aqsim_kernel_dispatch_cancel(aqsim_queue *queue)
{
  for (uint32_t i = 0; i < queue->pool.fresh; i++) {
    aqsim_inflight *inflight = &queue->pool.inflights[i];
    aqsim_kernel_dispatch_drop(inflight);
    if (inflight->run)
      aqsim_policy_forget(inflight);
  }
}

void aqsim_kernel_dispatch_fini(aqsim_device *device)
{
  aqsim_dispatcher_destroy(device->dispatcher);
  while (device->loads) {
    aqsim_roofline_load *load = device->loads;
    device->loads = load->next;
    free(load);
  }
}
