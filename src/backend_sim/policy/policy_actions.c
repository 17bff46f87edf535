/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/policy/policy_priv.h"

enum { TEXT_SIZE = 512 };

static aqsim_policy *policy_of(aq_policy_device *device)
{
  return (aqsim_policy *)device;
}

/* ---- legality ---- */

enum {
  IN_ATTACH = 1 << AQSIM_PHASE_ATTACH,
  IN_FIRMWARE = 1 << AQSIM_PHASE_FIRMWARE | 1 << AQSIM_PHASE_NONE,
  IN_HARDWARE = 1 << AQSIM_PHASE_HARDWARE,
};

static bool is_legal(aqsim_policy *p, const char *action, unsigned phases,
                     uint32_t need)
{
  static const char *const names[] = {
      [AQSIM_PHASE_NONE] = "outside of device hooks",
      [AQSIM_PHASE_ATTACH] = "in attach",
      [AQSIM_PHASE_FIRMWARE] = "in hooks of the firmware side",
      [AQSIM_PHASE_HARDWARE] = "in hooks of the hardware side",
  };
  if (p->failed)
    return false;
  if (!(phases & 1u << p->phase)) {
    aqsim_policy_fail(p, "%s is not legal %s", action, names[p->phase]);
    return false;
  }
  if (p->watch.placing) {
    aqsim_policy_fail(p, "%s is not legal in place", action);
    return false;
  }
  if ((p->ops.needs & need) != need) {
    aqsim_policy_fail(p, "%s is not legal, since needs does not say it",
                      action);
    return false;
  }
  return true;
}

/* The queue of an action that is legal; NULL: it failed the policy. */
static aqsim_queue *queue_act(aqsim_policy *p, uint32_t number,
                              const char *action, unsigned phases,
                              uint32_t need)
{
  if (!is_legal(p, action, phases, need))
    return NULL;
  aqsim_queue *queue = aqsim_policy_queue(p, number);
  if (!queue)
    aqsim_policy_fail(p, "there is no queue %u in the device", number);
  return queue;
}

static aqsim_policy_kernel *run_get(aqsim_policy *p, uint32_t handle)
{
  aqsim_policy_kernel *run = aqsim_policy_run(p, handle);
  if (!run)
    aqsim_policy_fail(p, "there is no kernel %u", handle);
  return run;
}

static aqsim_policy_kernel *run_act(aqsim_policy *p, uint32_t handle,
                                    const char *action, unsigned phases,
                                    uint32_t need)
{
  return is_legal(p, action, phases, need) ? run_get(p, handle) : NULL;
}

/* ---- views ---- */

static aq_time device_now(aq_policy_device *device)
{
  return policy_of(device)->device->sim->now;
}

static uint64_t device_random(aq_policy_device *device)
{
  return aq_rng_bits(&policy_of(device)->rng);
}

static bool device_queue(aq_policy_device *device, uint32_t number,
                         aq_device_queue *out)
{
  const aqsim_policy *p = policy_of(device);
  const aqsim_queue *queue = aqsim_policy_queue(p, number);
  if (!queue)
    return false;
  const uint64_t unread = queue->fetch_state.noticed -
                          queue->fetch_state.fetched - queue->policy.evicted;
  const uint64_t oldest =
      queue->line.first ? queue->line.first->id : queue->fetch_state.fetched;
  *out = (aq_device_queue){
      .queue = number,
      .host_queue =
          p->binding->host_queue
              ? p->binding->host_queue(p->binding->user, queue->ring.id)
              : AQ_POLICY_NONE,
      .priority = AQSIM_RANK_NORMAL - (int32_t)queue->rank,
      .slot = queue->map.slot
                  ? (uint32_t)(queue->map.slot - queue->device->slots.slots)
                  : AQ_POLICY_NONE,
      .ready = queue->line.waiting + (uint32_t)unread,
      .running = queue->line.active,
      .ready_since =
          queue->line.waiting + unread
              ? queue->fetch_state.submitted[oldest & (queue->ring.size - 1)]
              : AQ_TIME_NONE,
      .mapped_at = queue->map.slot ? queue->map.usable : AQ_TIME_NONE,
      .used = queue->policy.used};
  return true;
}

static bool device_kernel(aq_policy_device *device, uint32_t handle,
                          aq_device_kernel *out)
{
  aqsim_policy_kernel *run = aqsim_policy_run(policy_of(device), handle);
  if (run)
    aqsim_policy_kernel_view(run, out);
  return run != NULL;
}

static void device_free_slots(aq_policy_device *device, uint32_t handle,
                              aq_device_cu *out)
{
  aqsim_policy *p = policy_of(device);
  const aqsim_policy_kernel *run = run_get(p, handle);
  for (uint32_t cu = 0; cu < device->cus; cu++)
    out[cu] = (aq_device_cu){.cu = cu};
  if (!run)
    return;
  const uint32_t most = run->limits.per_cu && run->limits.per_cu < run->most
                            ? run->limits.per_cu
                            : run->most;
  aqsim_dispatcher_rooms(p->device->dispatcher, p->device->sim->now,
                         run->inflight->grid, &run->need, most, &run->cus,
                         p->rooms);
  for (uint32_t cu = 0; cu < device->cus; cu++)
    out[cu] = (aq_device_cu){.cu = cu,
                             .free = p->rooms[cu].free,
                             .mine = p->rooms[cu].mine,
                             .other = p->rooms[cu].other};
}

/* ---- kernels ---- */

static aq_status device_kernel_cu_mask(aq_policy_device *device,
                                       uint32_t handle, const uint32_t *mask,
                                       uint32_t count)
{
  aqsim_policy *p = policy_of(device);
  aqsim_policy_kernel *run = run_act(p, handle, "kernel_cu_mask",
                                     IN_FIRMWARE | IN_HARDWARE, AQ_NEED_REMASK);
  if (!run)
    return AQ_ERR_INVALID;
  if (!aqsim_policy_mask(p, mask, count, &run->cus))
    return aqsim_policy_fail(p, "a mask without compute units");
  if (run->inflight->grid) {
    aqsim_grid_mask(run->inflight->grid, p->device->sim->now, &run->cus);
    p->act->rescan(p->device);
    aqsim_policy_step(p);
  }
  return AQ_OK;
}

static aq_status device_kernel_budget(aq_policy_device *device, uint32_t handle,
                                      uint32_t workgroups)
{
  aqsim_policy *p = policy_of(device);
  aqsim_policy_kernel *run =
      run_act(p, handle, "kernel_budget", IN_FIRMWARE | IN_HARDWARE, 0);
  if (!run)
    return AQ_ERR_INVALID;
  run->limits.budget = workgroups;
  if (run->inflight->grid) {
    aqsim_grid_budget(run->inflight->grid, p->device->sim->now, workgroups);
    p->act->rescan(p->device);
    aqsim_policy_step(p);
  }
  return AQ_OK;
}

/* ---- queues ---- */

static aq_status device_queue_priority(aq_policy_device *device,
                                       uint32_t number, int32_t priority)
{
  aqsim_policy *p = policy_of(device);
  aqsim_queue *queue =
      queue_act(p, number, "queue_priority", IN_ATTACH | IN_FIRMWARE, 0);
  if (!queue)
    return AQ_ERR_INVALID;
  if (priority < -1 || priority > 1)
    return aqsim_policy_fail(p, "priority %d; expected -1, 0 or 1", priority);
  p->act->rank_set(queue, (aqsim_rank)(AQSIM_RANK_NORMAL - priority));
  return AQ_OK;
}

static aq_status device_queue_quantum(aq_policy_device *device, uint32_t number,
                                      aq_time quantum)
{
  aqsim_policy *p = policy_of(device);
  aqsim_queue *queue =
      queue_act(p, number, "queue_quantum", IN_ATTACH | IN_FIRMWARE, 0);
  if (!queue)
    return AQ_ERR_INVALID;
  if (quantum < 0)
    return aqsim_policy_fail(p, "a quantum below 0");
  queue->policy.quantum = quantum;
  p->act->slots_review(p->device);
  return AQ_OK;
}

static aq_status device_queue_limit(aq_policy_device *device, uint32_t number,
                                    uint32_t packets)
{
  aqsim_policy *p = policy_of(device);
  aqsim_queue *queue = queue_act(p, number, "queue_limit",
                                 IN_ATTACH | IN_FIRMWARE, AQ_NEED_LIMIT);
  if (!queue)
    return AQ_ERR_INVALID;
  queue->policy.limit = packets;
  queue->line.hold &= (uint8_t)~AQSIM_HOLD_LIMIT;
  if (packets && queue->line.active >= packets)
    queue->line.hold |= AQSIM_HOLD_LIMIT;
  p->act->pump(queue);
  return AQ_OK;
}

static aq_status device_queue_suspend(aq_policy_device *device, uint32_t number,
                                      bool suspended)
{
  aqsim_policy *p = policy_of(device);
  aqsim_queue *queue =
      queue_act(p, number, "queue_suspend", IN_FIRMWARE, AQ_NEED_SUSPEND);
  if (!queue)
    return AQ_ERR_INVALID;
  aqsim_policy_suspend(queue, suspended);
  return AQ_OK;
}

static uint32_t device_queue_evict(aq_policy_device *device, uint32_t number,
                                   uint32_t keep)
{
  aqsim_policy *p = policy_of(device);
  aqsim_queue *queue =
      queue_act(p, number, "queue_evict", IN_FIRMWARE, AQ_NEED_EVICT);
  return queue ? aqsim_policy_evict(p, queue, keep) : 0;
}

/* ---- preemption ---- */

static aq_preemption preemption_of(const aq_preemption *given)
{
  aq_preemption own = {0};
  memcpy(&own, given, given->size < sizeof own ? given->size : sizeof own);
  return own;
}

static aq_time device_preempt_cost(aq_policy_device *device,
                                   const aq_preemption *given)
{
  const aqsim_policy *p = policy_of(device);
  const aq_preemption what = preemption_of(given);
  aqsim_cu_set where;
  if (what.scope == AQ_PREEMPT_QUEUE) {
    const aqsim_queue *queue = aqsim_policy_queue(p, what.target);
    return queue ? aqsim_policy_queue_cost(p, queue, what.mode) : AQ_TIME_MAX;
  }
  const aqsim_policy_kernel *run = aqsim_policy_run(p, what.target);
  const bool part = what.scope == AQ_PREEMPT_CUS;
  if (!run ||
      (part && !aqsim_policy_mask(p, what.mask, what.mask_count, &where)))
    return AQ_TIME_MAX;
  return aqsim_policy_kernel_stop_cost(run, what.mode, part ? &where : NULL);
}

static aq_status preempt_do(aqsim_policy *p, const aq_preemption *what)
{
  if (what->scope == AQ_PREEMPT_QUEUE) {
    aqsim_queue *queue = aqsim_policy_queue(p, what->target);
    if (!queue)
      return aqsim_policy_fail(p, "there is no queue %u in the device",
                               what->target);
    return aqsim_policy_queue_preempt(p, queue, what);
  }
  aqsim_policy_kernel *run = aqsim_policy_run(p, what->target);
  if (!run)
    return aqsim_policy_fail(p, "there is no kernel %u", what->target);
  return aqsim_policy_kernel_preempt(p, run, what);
}

static aq_status device_preempt(aq_policy_device *device,
                                const aq_preemption *given)
{
  static const uint32_t needs[] = {[AQ_PREEMPT_DRAIN] = AQ_NEED_DRAIN,
                                   [AQ_PREEMPT_SWITCH] = AQ_NEED_SWITCH,
                                   [AQ_PREEMPT_RESET] = AQ_NEED_RESET,
                                   [AQ_PREEMPT_KILL] = AQ_NEED_KILL};
  aqsim_policy *p = policy_of(device);
  const aq_preemption preemption = preemption_of(given);
  if ((unsigned)preemption.mode > AQ_PREEMPT_KILL ||
      (unsigned)preemption.scope > AQ_PREEMPT_CUS)
    return aqsim_policy_fail(p, "a preemption of mode %d and scope %d",
                             (int)preemption.mode, (int)preemption.scope);
  if (!is_legal(p, "preempt", IN_FIRMWARE, needs[preemption.mode]))
    return AQ_ERR_INVALID;
  const aq_status status = preempt_do(p, &preemption);
  aqsim_policy_ask_again(p);
  return status;
}

static aq_status device_resume(aq_policy_device *device, uint32_t kernel)
{
  aqsim_policy *p = policy_of(device);
  if (!is_legal(p, "resume", IN_FIRMWARE, 0))
    return AQ_ERR_INVALID;
  return aqsim_policy_resume(p, kernel);
}

/* ---- time and words ---- */

static uint64_t device_timer_add(aq_policy_device *device, aq_time at,
                                 uint64_t cookie)
{
  aqsim_policy *p = policy_of(device);
  if (!is_legal(p, "timer_add", IN_ATTACH | IN_FIRMWARE, 0))
    return 0;
  if (at < p->device->sim->now) {
    aqsim_policy_fail(p, "it sets a timer to a time that is past");
    return 0;
  }
  return aqsim_policy_item_add(
      p, &(aqsim_item){.kind = AQSIM_ITEM_TIMER, .time = at, .cookie = cookie});
}

static bool device_timer_cancel(aq_policy_device *device, uint64_t timer)
{
  aqsim_policy *p = policy_of(device);
  return is_legal(p, "timer_cancel", IN_ATTACH | IN_FIRMWARE, 0) &&
         aqsim_policy_item_drop(p, AQSIM_ITEM_TIMER, timer);
}

static void device_host_wake(aq_policy_device *device, uint64_t cookie)
{
  aqsim_policy *p = policy_of(device);
  if (!is_legal(p, "host_wake", IN_FIRMWARE | IN_HARDWARE, 0) ||
      !p->binding->woken)
    return;
  p->binding->woken(p->binding->user, cookie);
  p->device->sim->policy_notified = true;
}

static void device_fail_run(aq_policy_device *device, const char *fmt, ...)
{
  char text[TEXT_SIZE];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  aqsim_policy_fail(policy_of(device), "%s", text);
}

/* Quotes, backslashes and control characters become spaces. */
static void device_log(aq_policy_device *device, const char *fmt, ...)
{
  const aqsim_policy *p = policy_of(device);
  char text[TEXT_SIZE / 2];
  va_list args;
  if (!p->binding->logged)
    return;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  for (char *at = text; *at; at++)
    if (*at == '"' || *at == '\\' || (unsigned char)*at < ' ')
      *at = ' ';
  p->binding->logged(p->binding->user, p->device->sim->now, text);
}

void aqsim_policy_api_init(aqsim_policy *p)
{
  const aqsim_device *device = p->device;
  p->api = (aq_policy_device){
      .abi = AQ_POLICY_ABI,
      .size = sizeof p->api,
      .device = device->ordinal,
      .cus = (uint32_t)device->model->cus,
      .slots = device->slots.slot_count,
      .pipes = device->slots.pipe_count,
      .copy_engines = (uint32_t)device->model->copy_engines,
      .now = device_now,
      .random = device_random,
      .queue = device_queue,
      .kernel = device_kernel,
      .free_slots = device_free_slots,
      .kernel_cu_mask = device_kernel_cu_mask,
      .kernel_budget = device_kernel_budget,
      .queue_priority = device_queue_priority,
      .queue_quantum = device_queue_quantum,
      .queue_limit = device_queue_limit,
      .queue_suspend = device_queue_suspend,
      .queue_evict = device_queue_evict,
      .preempt_cost = device_preempt_cost,
      .preempt = device_preempt,
      .resume = device_resume,
      .timer_add = device_timer_add,
      .timer_cancel = device_timer_cancel,
      .fail_run = device_fail_run,
      .log = device_log,
      .host_wake = device_host_wake,
  };
}
