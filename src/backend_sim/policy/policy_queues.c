/* SPDX-License-Identifier: MIT */
/* Queues as policies see them: preempted and mapped, suspended, and their
 * packets taken off. */
#include "config.h"

#include <stdlib.h>

#include "backend_sim/policy/policy_priv.h"

aqsim_queue *aqsim_policy_queue(const aqsim_policy *p, uint32_t number)
{
  aqsim_queue *q = p->device->sim->first_queue;
  while (q && (q->device != p->device || q->host || q->number != number))
    q = q->next;
  return q;
}

aq_time aqsim_policy_queue_cost(const aqsim_policy *p, const aqsim_queue *queue,
                                aq_preempt_mode mode)
{
  aq_time cost = 0;
  for (const aqsim_policy_kernel *run = p->runs; run; run = run->next)
    if (run->inflight->queue == queue && run->state == AQSIM_RUN_GOES &&
        aqsim_policy_kernel_is_running(run))
      cost = aq_time_max(cost, aqsim_policy_kernel_stop_cost(run, mode, NULL));
  return cost;
}

/* ---- preemption ---- */

void aqsim_policy_queue_stop(aqsim_queue *queue, aq_preempt_mode mode)
{
  const aqsim_policy *p = queue->device->policy;
  for (aqsim_policy_kernel *run = p ? p->runs : NULL, *next; run; run = next) {
    next = run->next;
    if (run->inflight->queue != queue)
      continue;
    if (run->state == AQSIM_RUN_GOES && aqsim_policy_kernel_is_running(run)) {
      run->by_queue = true;
      aqsim_policy_kernel_stop(run, mode, NULL);
      queue->policy.wasted += run->lost;
      queue->policy.workgroups += run->workgroups;
    } else if (run->state == AQSIM_RUN_RESUMES) {
      run->state = AQSIM_RUN_STOPPED;
      run->by_queue = true;
    }
  }
}

void aqsim_policy_queue_left(aqsim_queue *queue)
{
  if (queue->device->policy)
    aqsim_queue_preempted(queue);
}

void aqsim_policy_queue_mapped(aqsim_queue *queue)
{
  const aqsim_policy *p = queue->device->policy;
  for (aqsim_policy_kernel *run = p ? p->runs : NULL, *next; run; run = next) {
    next = run->next;
    if (run->inflight->queue == queue && run->by_queue &&
        run->state == AQSIM_RUN_STOPPED)
      aqsim_policy_kernel_resume(run);
  }
}

/* Its kernels and packets are thrown away. */
static aq_status queue_reset(aqsim_policy *p, aqsim_queue *queue, aq_time cost)
{
  if (cost == AQ_TIME_MAX)
    return aqsim_policy_fail(
        p, "it resets queue %u, which runs a kernel that is not idempotent",
        queue->number);
  queue->line.hold |= AQSIM_HOLD_RESET;
  aqsim_policy_queue_stop(queue, queue->policy.mode);
  if (cost == 0) {
    aqsim_policy_queue_cleared(queue);
    return AQ_OK;
  }
  aqsim_policy_item_add(
      p, &(aqsim_item){.kind = AQSIM_ITEM_CLEARED,
                       .time = aq_time_add(p->device->sim->now, cost),
                       .handle = queue->number});
  return AQ_OK;
}

aq_status aqsim_policy_queue_preempt(aqsim_policy *p, aqsim_queue *queue,
                                     const aq_preemption *what)
{
  aqsim_queue_policy *own = &queue->policy;
  if (own->preempting)
    return aqsim_policy_fail(
        p, "it preempts queue %u again before the end of the first preemption",
        queue->number);
  own->preempting = true;
  own->mode = what->mode;
  own->cookie = what->cookie;
  own->asked = p->device->sim->now;
  own->wasted = 0;
  own->workgroups = 0;
  own->returned = 0;
  own->worked = aqsim_policy_queue_runs(p, queue);
  own->suspending = false;
  if (what->mode == AQ_PREEMPT_RESET || what->mode == AQ_PREEMPT_KILL)
    return queue_reset(p, queue, aqsim_policy_queue_cost(p, queue, what->mode));
  if (!queue->map.slot) {
    aqsim_queue_preempted(queue);
    return AQ_OK;
  }
  if (queue->map.state != AQSIM_MAP_LEAVING)
    p->act->preempt(queue, what->mode == AQ_PREEMPT_SWITCH
                               ? AQSIM_PREEMPT_SWITCH
                               : AQSIM_PREEMPT_DRAIN);
  return AQ_OK;
}

void aqsim_policy_suspend(aqsim_queue *queue, bool suspended)
{
  const aqsim_device_ops *act = queue->device->policy->act;
  if (suspended) {
    queue->line.hold |= AQSIM_HOLD_SUSPEND;
    act->slot_decline(queue);
    aqsim_policy_suspend_begun(queue);
    return;
  }
  aqsim_policy_suspend_done(queue, AQ_TIME_NONE);
  queue->line.hold &= (uint8_t)~AQSIM_HOLD_SUSPEND;
  if (!queue->map.slot)
    act->slot_want(queue);
  act->pump(queue);
}

/* ---- eviction ---- */

typedef struct eviction {
  uint64_t *ids; /* falling */
  uint32_t count;
} eviction;

/* A packet that will not be launched any more. */
static void packet_drop(aqsim_queue *queue, eviction *e, uint64_t id)
{
  e->ids[e->count++] = id;
  if (id >= queue->fetch_state.fetched)
    queue->policy.evicted++;
}

static bool is_dropped(const aqsim_queue *queue, uint64_t id)
{
  return id < queue->fetch_state.read ||
         queue->fetch_state.completed[id & (queue->ring.size - 1)];
}

static void evicted_finish(aqsim_policy *p, aqsim_queue *queue, eviction *e)
{
  const aqsim_device_ops *act = p->act;
  for (uint32_t i = e->count; i > 0; i--)
    act->retire(queue, e->ids[i - 1]);
  if (queue->policy.evicted)
    act->pass_evicted(queue);
  /* Ranges of ids, the newest first. */
  for (uint32_t i = 0; i < e->count;) {
    uint32_t n = 1;
    while (i + n < e->count && e->ids[i + n] + n == e->ids[i])
      n++;
    if (p->binding->evicted)
      p->binding->evicted(p->binding->user, queue->ring.id, e->ids[i + n - 1],
                          n);
    i += n;
  }
  free(e->ids);
  p->device->sim->policy_notified = true;
  if (aqsim_queue_is_idle(queue))
    queue->map.idle_since = queue->device->idle_since = queue->sim->now;
  if (queue->device->slots.contended)
    act->slot_progress(queue);
  act->pump(queue);
}

/* Unlaunched packets beyond the first `keep`. */
static void unlaunched_drop(aqsim_queue *queue, eviction *e, uint32_t keep)
{
  const aqsim_inflight *head = queue->line.first;
  const uint64_t begun = head && head->run; /* between two of its slices */
  const uint64_t there = queue->fetch_state.noticed -
                         queue->fetch_state.fetched - queue->policy.evicted +
                         queue->line.waiting - begun;
  uint64_t left = there > keep ? there - keep : 0,
           id = queue->fetch_state.noticed;
  if (left == 0)
    return;
  while (left > 0)
    if (!is_dropped(queue, --id)) {
      packet_drop(queue, e, id);
      left--;
    }
  /* Decoded packets from `first` on leave the line. */
  const aqsim_device_ops *act = queue->device->policy->act;
  aqsim_inflight **at = &queue->line.first;
  queue->line.last = NULL;
  while (*at) {
    aqsim_inflight *inflight = *at;
    if (inflight->id < id) {
      queue->line.last = inflight;
      at = &inflight->next;
      continue;
    }
    *at = inflight->next;
    act->sleep_end(inflight);
    if (inflight->run)
      aqsim_policy_forget(inflight);
    act->free(inflight);
    queue->line.waiting--;
  }
}

static bool eviction_begin(aqsim_policy *p, const aqsim_queue *queue,
                           eviction *e)
{
  *e = (eviction){.ids = malloc(queue->ring.size * sizeof *e->ids)};
  if (!e->ids)
    aqsim_policy_fail(p, "no memory for evicted packets");
  return e->ids != NULL;
}

uint32_t aqsim_policy_evict(aqsim_policy *p, aqsim_queue *queue, uint32_t keep)
{
  eviction e;
  if (!eviction_begin(p, queue, &e))
    return 0;
  unlaunched_drop(queue, &e, keep);
  const uint32_t count = e.count;
  evicted_finish(p, queue, &e);
  return count;
}

/* A kernel that was reset goes back with its packet. */
static void run_evict(aqsim_policy_kernel *run, eviction *e)
{
  const aqsim_device_ops *act = run->policy->act;
  aqsim_inflight *inflight = run->inflight;
  aqsim_queue *queue = inflight->queue;
  packet_drop(queue, e, inflight->id);
  act->sleep_end(inflight);
  act->drop(inflight);
  aqsim_policy_forget(inflight);
  aqsim_queue_active_add(queue, -1);
  act->free(inflight);
}

static aqsim_policy_kernel *run_newest(const aqsim_policy *p,
                                       const aqsim_queue *queue)
{
  aqsim_policy_kernel *newest = NULL;
  for (aqsim_policy_kernel *run = p->runs; run; run = run->next)
    if (run->inflight->queue == queue && run->state == AQSIM_RUN_STOPPED &&
        run->anew)
      newest = run;
  return newest;
}

void aqsim_policy_queue_cleared(aqsim_queue *queue)
{
  aqsim_policy *p = queue->device->policy;
  eviction e;
  if (queue->policy.mode == AQ_PREEMPT_RESET && eviction_begin(p, queue, &e)) {
    for (aqsim_policy_kernel *run = p->runs, *next; run; run = next) {
      next = run->next;
      if (run->inflight->queue == queue)
        aqsim_policy_kernel_stopped(run);
    }
    unlaunched_drop(queue, &e, 0);
    for (aqsim_policy_kernel *run; (run = run_newest(p, queue));)
      run_evict(run, &e);
    queue->line.hold &= (uint8_t)~AQSIM_HOLD_RESET;
    queue->policy.returned = e.count;
    evicted_finish(p, queue, &e);
  }
  queue->line.hold &= (uint8_t)~AQSIM_HOLD_RESET;
  p->act->pump(queue);
  aqsim_queue_preempted(queue);
}
