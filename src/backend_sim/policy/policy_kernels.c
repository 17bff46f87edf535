/* SPDX-License-Identifier: MIT */
/* Kernels that a policy decides about, and the workgroups of theirs that it
 * places or watches. */
#include "config.h"

#include <stdlib.h>

#include "backend_sim/model/cost.h"
#include "backend_sim/policy/policy_priv.h"

enum { MASK_BITS = 32 };

/* ---- workgroups ---- */

uint32_t aqsim_policy_place(void *watcher, aqsim_grid *grid, void *user)
{
  aqsim_policy *p = watcher;
  const aqsim_inflight *inflight = user;
  aqsim_policy_kernel *run = inflight->run;
  aq_device_kernel view;
  (void)grid;
  if (!run)
    return UINT32_MAX;
  aqsim_policy_kernel_view(run, &view);
  p->api.free_slots(&p->api, run->handle, p->cus);
  const aqsim_policy_phase before = p->phase;
  p->phase = AQSIM_PHASE_HARDWARE;
  const uint32_t cu =
      p->ops.place(p->state, &p->api, &view, p->cus, p->api.cus);
  p->phase = before;
  if (cu != AQ_POLICY_NONE && (cu >= p->api.cus || p->cus[cu].free == 0)) {
    aqsim_policy_fail(p, "place answers compute unit %u, without room", cu);
    return UINT32_MAX;
  }
  return cu;
}

/* Reports workgroups that started or ended. */
static void notes_report(aqsim_policy *p)
{
  aqsim_watch *watch = &p->watch;
  if (watch->lost)
    aqsim_policy_fail(p, "no memory for workgroups");
  for (size_t i = 0; i < watch->count; i++) {
    const aqsim_workgroup_note note = watch->notes[i];
    const aqsim_inflight *inflight = note.user;
    if (!inflight->run)
      continue;
    aqsim_item item = {.kind = AQSIM_ITEM_WORKGROUP,
                       .handle = inflight->run->handle,
                       .cookie = note.cu,
                       .flag = note.started};
    aqsim_policy_kernel_view(inflight->run, &item.kernel);
    aqsim_policy_notify_hardware(p, &item);
  }
  watch->count = 0;
}

void aqsim_policy_step(aqsim_policy *p)
{
  if (!p->watch.single || p->stepping)
    return;
  const aq_time next =
      aqsim_dispatcher_next(p->device->dispatcher, p->device->sim->now);
  if (p->watch.count)
    notes_report(p);
  if (next == AQ_TIME_MAX)
    return;
  p->stepping = true;
  p->step_item = aqsim_policy_item_add(
      p, &(aqsim_item){.kind = AQSIM_ITEM_STEP,
                       .time = aq_time_max(next, p->device->sim->now + 1)});
}

void aqsim_policy_ask_again(aqsim_policy *p)
{
  aqsim_slots *s = &p->device->slots;
  for (uint32_t i = 0; i < s->pipe_count; i++)
    p->act->unit_ask(&s->pipes[i].units[AQSIM_UNIT_LAUNCH]);
  if (p->ops.copy_pick || p->failed)
    p->act->copies_ask(p->device);
  if (p->watch.place) {
    aqsim_dispatcher_ask(p->device->dispatcher, p->device->sim->now);
    aqsim_policy_step(p);
  }
}

/* ---- kernels ---- */

aqsim_policy_kernel *aqsim_policy_run(const aqsim_policy *p, uint32_t handle)
{
  aqsim_policy_kernel *run = p->runs;
  while (run && run->handle != handle)
    run = run->next;
  return run;
}

bool aqsim_policy_mask(const aqsim_policy *p, const uint32_t *mask,
                       uint32_t count, aqsim_cu_set *out)
{
  aqsim_cu_set set = {0};
  for (uint32_t cu = 0; mask && cu < count && cu < p->api.cus; cu++)
    if (mask[cu / MASK_BITS] >> cu % MASK_BITS & 1)
      aqsim_cu_set_add(p->device->model, &set, cu);
  if (set.count)
    *out = set;
  return set.count > 0;
}

static void run_describe(aqsim_policy_kernel *run)
{
  const aqsim_inflight *inflight = run->inflight;
  const aqsim_model *model = inflight->queue->device->model;
  const aq_kernel_desc *desc = &inflight->kernel->desc;
  const aq_kernel_packet *packet = &inflight->packet.kernel;
  const uint64_t items = (uint64_t)packet->workgroup_size[0] *
                         packet->workgroup_size[1] * packet->workgroup_size[2];
  const uint64_t size = (uint64_t)model->wave_size;
  const aq_resources empty = aqsim_cu_resources(model);
  run->waves = (uint32_t)((items + size - 1) / size);
  run->need = aqsim_workgroup_need(model, desc, packet);
  run->most = aq_resources_count(&empty, &run->need, NULL);
  const uint64_t wave = desc->vgprs > 0
                            ? ((uint64_t)desc->vgprs * size +
                               (desc->sgprs > 0 ? (uint64_t)desc->sgprs : 0)) *
                                  4
                            : (uint64_t)model->wave_state;
  run->state_size = run->waves * wave;
  run->workgroup_time = AQ_TIME_NONE;
  if (desc->cost.kind == AQ_COST_OCCUPANCY)
    run->workgroup_time =
        desc->cost.detail->latency[desc->cost.detail->latency_count - 1] -
        desc->cost.detail->contained;
  else if (aqsim_cost_is_dispatched(&inflight->kernel->desc.cost) &&
           desc->cost.kind != AQ_COST_ROOFLINE)
    run->workgroup_time = aqsim_cost_workgroup(
        &desc->cost, packet, inflight->queue->sim->allocations);
  else if (desc->cost.kind != AQ_COST_ROOFLINE)
    run->workgroup_time = aqsim_cost_duration(
        model, &inflight->kernel->desc.cost, packet, inflight->workgroups,
        run->cus.count, inflight->queue->sim->allocations);
}

static aqsim_policy_kernel *run_alloc(aqsim_policy *p)
{
  aqsim_policy_kernel *run = p->spare;
  if (run)
    p->spare = run->next;
  else
    run = malloc(sizeof *run);
  if (!run)
    return NULL;
  *run = (aqsim_policy_kernel){
      .policy = p, .handle = p->handle_last++, .first = AQ_TIME_MAX};
  aqsim_policy_kernel **at = &p->runs;
  while (*at)
    at = &(*at)->next;
  *at = run;
  return run;
}

static void run_free(aqsim_policy_kernel *run)
{
  aqsim_policy *p = run->policy;
  aqsim_policy_kernel **at = &p->runs;
  while (*at != run)
    at = &(*at)->next;
  *at = run->next;
  run->next = p->spare;
  p->spare = run;
}

void aqsim_policy_kernel_view(aqsim_policy_kernel *run, aq_device_kernel *out)
{
  const aqsim_inflight *inflight = run->inflight;
  aqsim_grid_state state = {.workgroups = inflight->workgroups};
  if (inflight->grid) {
    aqsim_grid_state_get(inflight->grid, inflight->queue->sim->now, &state);
    const uint64_t before = inflight->workgroups - run->workgroups_left;
    state.issued += before;
    state.finished += before;
  } else if (inflight->end <= inflight->queue->sim->now)
    state.issued = state.finished = inflight->workgroups;
  *out = (aq_device_kernel){.kernel = run->handle,
                            .queue = inflight->queue->number,
                            .packet = inflight->id,
                            .job = run->job,
                            .command = run->command,
                            .workgroups = (uint32_t)inflight->workgroups,
                            .issued = (uint32_t)state.issued,
                            .finished = (uint32_t)state.finished,
                            .waves_per_workgroup = run->waves,
                            .per_cu_max = run->most,
                            .state_size = (uint32_t)run->state_size,
                            .idempotent = run->idempotent,
                            .started = inflight->start,
                            .workgroup_time = run->workgroup_time};
}

/* Asks for limits, and takes them if they are legal. */
static void launch_ask(aqsim_policy *p, aqsim_policy_kernel *run)
{
  aq_device_kernel view;
  aq_device_launch launch = {0};
  aqsim_policy_kernel_view(run, &view);
  view.issued = view.finished = 0;
  const aqsim_policy_phase before = p->phase;
  p->phase = AQSIM_PHASE_HARDWARE;
  p->ops.launch(p->state, &p->api, &view, &launch);
  p->phase = before;
  if (p->failed)
    return;
  if (launch.mask_count &&
      !aqsim_policy_mask(p, launch.cu_mask, launch.mask_count, &run->cus))
    aqsim_policy_fail(p, "launch answers a mask without compute units");
  else if ((launch.padding || launch.slice) && !(p->ops.needs & AQ_NEED_SLICE))
    aqsim_policy_fail(p, "launch slices or pads, which needs does not say");
  run->limits = (aqsim_grid_limits){.per_cu = launch.per_cu,
                                    .budget = launch.budget,
                                    .padding = launch.padding};
  run->slice = launch.slice;
}

bool aqsim_policy_launch(aqsim_inflight *inflight)
{
  aqsim_queue *queue = inflight->queue;
  aqsim_policy *p = queue->device->policy;
  aqsim_policy_kernel *run = run_alloc(p);
  if (!run)
    return false;
  inflight->run = run;
  run->inflight = inflight;
  run->cus = queue->cus;
  run->job = AQ_POLICY_NO_JOB;
  inflight->end = AQ_TIME_MAX;
  inflight->killed = inflight->stopped = false;
  if (p->binding->identify)
    p->binding->identify(p->binding->user, queue->ring.id, inflight->id,
                         &run->job, &run->command, &run->idempotent);
  run_describe(run);
  run->workgroups_left = inflight->workgroups;
  if (p->ops.launch && !p->failed) {
    inflight->start =
        aq_time_add(inflight->start, aqsim_policy_pick_delay(queue->device));
    launch_ask(p, run);
  }
  run->since = inflight->start;
  run->dispatched = aqsim_cost_is_dispatched(&inflight->kernel->desc.cost) &&
                    inflight->workgroups > 0 &&
                    inflight->kernel->desc.cost.kind != AQ_COST_ROOFLINE;
  if (queue->policy.limit && queue->line.active >= queue->policy.limit)
    queue->line.hold |= AQSIM_HOLD_LIMIT;
  return true;
}

aq_time aqsim_policy_kernel_used(const aqsim_policy_kernel *run)
{
  const aqsim_inflight *inflight = run->inflight;
  const aq_time now = inflight->queue->sim->now;
  if (inflight->grid) {
    aqsim_grid_state state;
    aqsim_grid_state_get(inflight->grid, now, &state);
    return run->used + state.used;
  }
  if (run->dispatched || run->state == AQSIM_RUN_STOPPED)
    return run->used;
  return run->used +
         aq_time_max(aq_time_min(inflight->end, now) - run->since, 0);
}

void aqsim_policy_grid(const aqsim_inflight *inflight, aqsim_grid_desc *grid)
{
  const aqsim_policy_kernel *run = inflight->run;
  grid->cus = &run->cus;
  grid->limits = run->limits;
  grid->workgroups = run->workgroups_left;
  if (run->slice && run->slice < grid->workgroups)
    grid->workgroups = run->slice;
}

void aqsim_policy_grid_begun(aqsim_device *device)
{
  aqsim_policy *p = device->policy;
  if (p->stepping && p->watch.single) {
    /* It may come before the awaited time. */
    p->stepping = false;
    aqsim_policy_item_drop(p, AQSIM_ITEM_STEP, p->step_item);
  }
  aqsim_policy_step(p);
}

aq_time aqsim_policy_first(aqsim_inflight *inflight, aq_time start)
{
  aqsim_policy_kernel *run = inflight->run;
  run->first = aq_time_min(run->first, start);
  return run->first;
}

bool aqsim_policy_grid_ended(aqsim_inflight *inflight)
{
  aqsim_policy_kernel *run = inflight->run;
  aqsim_policy *p = run->policy;
  run->used += aqsim_dispatcher_used(p->device->dispatcher);
  if (p->watch.count)
    notes_report(p);
  if (run->slice && run->slice < run->workgroups_left) {
    run->workgroups_left -= run->slice;
    return true;
  }
  run->workgroups_left = 0;
  return false;
}

static void limit_release(aqsim_queue *queue)
{
  if (queue->policy.limit == 0 || queue->line.active <= queue->policy.limit)
    queue->line.hold &= (uint8_t)~AQSIM_HOLD_LIMIT;
}

void aqsim_policy_complete(aqsim_inflight *inflight)
{
  aqsim_policy_kernel *run = inflight->run;
  aqsim_policy *p = run->policy;
  aqsim_item item = {.kind = AQSIM_ITEM_COMPLETE};
  if (p->watch.count)
    notes_report(p);
  aqsim_policy_kernel_view(run, &item.kernel);
  item.kernel.issued = item.kernel.finished = item.kernel.workgroups;
  if (run->state == AQSIM_RUN_STOPS && !run->by_queue)
    aqsim_policy_kernel_preempted(run, inflight->end);
  aqsim_policy_charge(p, inflight->queue, aqsim_policy_kernel_used(run), false);
  run_free(run);
  inflight->run = NULL;
  aqsim_policy_queue_rests(inflight->queue);
  limit_release(inflight->queue);
  if (p->ops.complete)
    aqsim_policy_notify_hardware(p, &item);
  aqsim_policy_ask_again(p);
}

void aqsim_policy_forget(aqsim_inflight *inflight)
{
  if (inflight->stopped)
    inflight->queue->policy.stopped--;
  inflight->stopped = false;
  run_free(inflight->run);
  inflight->run = NULL;
  aqsim_policy_queue_rests(inflight->queue);
  limit_release(inflight->queue);
}
