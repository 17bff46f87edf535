/* SPDX-License-Identifier: MIT */
/* Stopping kernels and putting them back. */
#include "config.h"

#include <stdlib.h>

#include "backend_sim/policy/policy_priv.h"

/* ---- its cost ---- */

static aq_time bytes_time(const aqsim_device *device, unsigned __int128 bytes)
{
  const unsigned __int128 time =
      bytes * (uint64_t)AQ_S / (uint64_t)device->model->context_bandwidth;
  return time < (unsigned __int128)AQ_TIME_MAX / 4 ? (aq_time)time
                                                   : AQ_TIME_MAX / 4;
}

/* Its workgroups that run, all or on some compute units, and when they end. */
static uint64_t running_count(const aqsim_policy_kernel *run,
                              const aqsim_cu_set *where, aq_time *drained)
{
  const aqsim_inflight *inflight = run->inflight;
  const aq_time now = inflight->queue->sim->now;
  aqsim_grid_state state;
  *drained = aq_time_max(inflight->end, now);
  if (!inflight->grid) {
    const uint64_t room = (uint64_t)run->cus.count * run->most;
    return inflight->workgroups < room ? inflight->workgroups : room;
  }
  if (where)
    return aqsim_grid_count_on(inflight->grid, now, where, drained);
  aqsim_grid_state_get(inflight->grid, now, &state);
  *drained = state.drained;
  return state.running;
}

aq_time aqsim_policy_kernel_stop_cost(const aqsim_policy_kernel *run,
                                      aq_preempt_mode mode,
                                      const aqsim_cu_set *where)
{
  const aqsim_device *device = run->policy->device;
  aq_time drained;
  const uint64_t running = running_count(run, where, &drained);
  if (mode == AQ_PREEMPT_DRAIN)
    return drained - device->sim->now;
  if (mode == AQ_PREEMPT_SWITCH)
    return bytes_time(device, (unsigned __int128)running * run->state_size);
  if (mode == AQ_PREEMPT_RESET && !run->idempotent)
    return AQ_TIME_MAX;
  return device->model->kernel_reset;
}

/* ---- stopping ---- */

/* Without workgroups of its own: it continues for the time it had left. */
static void fixed_stop(aqsim_policy_kernel *run)
{
  aqsim_inflight *inflight = run->inflight;
  const aq_time now = inflight->queue->sim->now;
  run->policy->act->sleep_end(inflight);
  run->used += aq_time_max(now - run->since, 0);
  run->left = inflight->end - aq_time_max(now, run->since);
  if (run->mode != AQ_PREEMPT_SWITCH)
    run->left += run->used;
}

/* The time that it used is to be repeated. */
static void run_waste(aqsim_policy_kernel *run, aq_time amount)
{
  run->lost += amount;
  aqsim_policy_charge(run->policy, run->inflight->queue, amount, true);
}

static bool grid_stop(aqsim_policy_kernel *run, const aqsim_cu_set *where,
                      aq_time until)
{
  aqsim_inflight *inflight = run->inflight;
  const aq_time now = inflight->queue->sim->now;
  aqsim_stopped stopped;
  if (!where) {
    aqsim_grid_hold(inflight->grid, now);
    run->policy->act->sleep_end(inflight);
  }
  if (run->mode == AQ_PREEMPT_DRAIN)
    return true;
  const aq_time used = aqsim_policy_kernel_used(run);
  if (!aqsim_grid_stop(inflight->grid, now, where,
                       run->mode == AQ_PREEMPT_SWITCH, until, &stopped))
    return false;
  run->workgroups += (uint32_t)stopped.workgroups;
  if (run->mode != AQ_PREEMPT_SWITCH)
    run_waste(run, where ? stopped.ran : used);
  return true;
}

aq_status aqsim_policy_kernel_stop(aqsim_policy_kernel *run,
                                   aq_preempt_mode mode,
                                   const aqsim_cu_set *where)
{
  aqsim_policy *p = run->policy;
  aqsim_inflight *inflight = run->inflight;
  const aq_time now = inflight->queue->sim->now;
  aq_time drained;
  const aq_time cost = aqsim_policy_kernel_stop_cost(run, mode, where);
  run->mode = mode;
  run->partly = where != NULL;
  run->asked = now;
  run->lost = 0;
  run->state = AQSIM_RUN_STOPS;
  run->anew = mode == AQ_PREEMPT_RESET && !where;
  run->workgroups = 0;
  run->restore = mode == AQ_PREEMPT_SWITCH ? cost : 0;
  if (mode == AQ_PREEMPT_DRAIN) {
    aqsim_grid_state state = {0};
    if (inflight->grid)
      aqsim_grid_state_get(inflight->grid, now, &state);
    /* All of it runs: it drains by ending. */
    if (!where && (!inflight->grid || state.issued == state.workgroups))
      return AQ_OK;
    running_count(run, where, &drained);
  }
  if (!where)
    inflight->stopped = true;
  if (inflight->grid) {
    if (!grid_stop(run, where, now + cost))
      return aqsim_policy_fail(p, "no memory for saved workgroups");
  } else if (inflight->load) {
    run->used += aq_time_max(now - run->since, 0);
    p->act->hold(inflight);
    if (mode != AQ_PREEMPT_SWITCH)
      run_waste(run, run->used);
  } else {
    fixed_stop(run);
    run->workgroups = (uint32_t)running_count(run, NULL, &drained);
    if (mode != AQ_PREEMPT_SWITCH)
      run_waste(run, run->used);
  }
  if (run->anew || mode == AQ_PREEMPT_KILL)
    run->used = 0;
  p->act->rescan(p->device);
  if (cost == 0) {
    aqsim_policy_kernel_stopped(run);
    return AQ_OK;
  }
  aqsim_policy_item_add(p, &(aqsim_item){.kind = AQSIM_ITEM_STOPPED,
                                         .time = aq_time_add(now, cost),
                                         .handle = run->handle});
  return AQ_OK;
}

/* ---- the end ---- */

static void run_kill(aqsim_policy_kernel *run)
{
  aqsim_inflight *inflight = run->inflight;
  run->policy->act->drop(inflight);
  inflight->killed = true;
  inflight->stopped = false;
  inflight->end = inflight->queue->sim->now;
  inflight->start = aq_time_min(inflight->start, inflight->end);
  inflight->stamp = aq_time_min(inflight->stamp, inflight->end);
  run->state = AQSIM_RUN_GOES;
  run->since = inflight->end;
  inflight->step = AQSIM_STEP_COMPLETE;
  run->policy->act->end_move(inflight);
}

void aqsim_policy_kernel_stopped(aqsim_policy_kernel *run)
{
  aqsim_policy *p = run->policy;
  aqsim_inflight *inflight = run->inflight;
  aqsim_queue *queue = inflight->queue;
  if (run->state != AQSIM_RUN_STOPS)
    return;
  if (!run->by_queue)
    aqsim_policy_kernel_preempted(run, p->device->sim->now);
  if (run->partly) {
    run->state = AQSIM_RUN_GOES;
    return;
  }
  if (run->mode == AQ_PREEMPT_KILL) {
    run_kill(run);
    return;
  }
  if (run->anew)
    p->act->drop(inflight);
  p->act->rescan(p->device);
  run->state = AQSIM_RUN_STOPPED;
  queue->policy.stopped++;
  if (queue->map.state == AQSIM_MAP_LEAVING)
    p->act->slot_progress(queue);
}

/* ---- continuing ---- */

static void fixed_resume(aqsim_policy_kernel *run)
{
  aqsim_inflight *inflight = run->inflight;
  const aq_time now = inflight->queue->sim->now;
  run->since = now;
  if (run->anew || inflight->start > now) {
    inflight->start = now;
    if (!inflight->back_to_back)
      inflight->stamp = now;
  }
  inflight->end = aq_time_add(now, run->left);
  run->policy->act->end_move(inflight);
}

void aqsim_policy_kernel_resumed(aqsim_policy_kernel *run)
{
  aqsim_inflight *inflight = run->inflight;
  const aq_time now = inflight->queue->sim->now;
  if (run->state != AQSIM_RUN_RESUMES)
    return;
  run->state = AQSIM_RUN_GOES;
  run->by_queue = false;
  inflight->stopped = false;
  inflight->queue->policy.stopped--;
  if (inflight->step != AQSIM_STEP_WAVES) {
    fixed_resume(run);
  } else if (run->anew) {
    run->since = now;
    inflight->start = now;
    run->policy->act->restart(inflight);
  } else {
    run->since = now;
    run->policy->act->release(inflight);
  }
  run->anew = false;
  aqsim_policy_step(run->policy);
}

void aqsim_policy_kernel_resume(aqsim_policy_kernel *run)
{
  aqsim_policy *p = run->policy;
  run->state = AQSIM_RUN_RESUMES;
  if (run->restore == 0) {
    aqsim_policy_kernel_resumed(run);
    return;
  }
  aqsim_policy_item_add(
      p, &(aqsim_item){.kind = AQSIM_ITEM_RESUMED,
                       .time = aq_time_add(p->device->sim->now, run->restore),
                       .handle = run->handle});
}

aq_status aqsim_policy_resume(aqsim_policy *p, uint32_t kernel)
{
  aqsim_policy_kernel *run = aqsim_policy_run(p, kernel);
  if (!run)
    return aqsim_policy_fail(p, "there is no kernel %u", kernel);
  if (run->state == AQSIM_RUN_GOES || run->state == AQSIM_RUN_RESUMES)
    return AQ_OK;
  if (run->state == AQSIM_RUN_STOPS)
    return aqsim_policy_fail(p, "it resumes kernel %u, which is being stopped",
                             kernel);
  aqsim_queue *queue = run->inflight->queue;
  if (queue->map.slot || queue->host) {
    aqsim_policy_kernel_resume(run);
  } else {
    run->by_queue = true;
    p->act->slot_want(queue);
  }
  return AQ_OK;
}

/* ---- kernels ---- */

aq_status aqsim_policy_kernel_preempt(aqsim_policy *p, aqsim_policy_kernel *run,
                                      const aq_preemption *what)
{
  aqsim_cu_set where, rest;
  const bool part = what->scope == AQ_PREEMPT_CUS;
  if (run->state == AQSIM_RUN_STOPS)
    return aqsim_policy_fail(
        p, "it preempts kernel %u again before the end of the first preemption",
        run->handle);
  if (what->mode == AQ_PREEMPT_RESET && !run->idempotent)
    return aqsim_policy_fail(p, "it resets kernel %u, which is not idempotent",
                             run->handle);
  if (part && what->mode == AQ_PREEMPT_KILL)
    return aqsim_policy_fail(p, "it kills kernel %u on some compute units",
                             run->handle);
  if (part && !aqsim_policy_mask(p, what->mask, what->mask_count, &where))
    return aqsim_policy_fail(p, "a mask without compute units");
  run->cookie = what->cookie;
  run->by_queue = false;
  if (run->state == AQSIM_RUN_RESUMES)
    run->state = AQSIM_RUN_STOPPED;
  if (run->state == AQSIM_RUN_GOES && (!aqsim_policy_kernel_is_running(run) ||
                                       (part && !run->inflight->grid))) {
    /* It ends when the kernel is complete. */
    run->state = AQSIM_RUN_STOPS;
    run->mode = AQ_PREEMPT_DRAIN;
    run->partly = part;
    run->asked = p->device->sim->now;
    run->lost = 0;
    run->workgroups = 0;
    return AQ_OK;
  }
  if (run->state != AQSIM_RUN_GOES) {
    run->anew |= what->mode == AQ_PREEMPT_RESET;
    const aq_time now = p->device->sim->now;
    aqsim_policy_preempted_notify(p,
                                  &(aq_preempt_result){.cookie = what->cookie,
                                                       .target = run->handle,
                                                       .asked = now,
                                                       .freed = now});
    return AQ_OK;
  }
  if (!part)
    return aqsim_policy_kernel_stop(run, what->mode, NULL);
  if (!aqsim_cu_set_less(&run->cus, &where, &rest))
    return aqsim_policy_fail(p, "it takes the last compute unit from kernel %u",
                             run->handle);
  run->cus = rest;
  aqsim_grid_mask(run->inflight->grid, p->device->sim->now, &rest);
  run->where = where;
  return aqsim_policy_kernel_stop(run, what->mode, &where);
}
