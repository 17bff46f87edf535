/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/hwqueue/context_switch.h"

#include "backend_sim/packet/inflight.h"
#include "backend_sim/packet/kernel_dispatch.h"
#include "backend_sim/packet/processor.h"

/* A kernel whose end is still to come; its completion, or the host function
 * that stands for it, is on the way. */
static bool is_running(const aqsim_inflight *inflight)
{
  return inflight->in_use && inflight->sleeping && inflight->kernel &&
         inflight->kind->record == AQ_KIND_KERNEL &&
         (inflight->step == AQSIM_STEP_COMPLETE ||
          inflight->step == AQSIM_STEP_RUN) &&
         inflight->end > inflight->queue->sim->now;
}

static void flight_freeze(aqsim_inflight *inflight)
{
  aqsim_queue *queue = inflight->queue;
  if (queue->map.frozen == 0)
    queue->map.frozen_at = queue->sim->now;
  inflight->frozen = true;
  queue->map.frozen++;
}

void aqsim_context_save(aqsim_queue *queue)
{
  for (uint32_t i = 0; i < queue->pool.fresh; i++) {
    aqsim_inflight *inflight = &queue->pool.inflights[i];
    if (inflight->stopped || inflight->frozen)
      continue;
    if (aqsim_kernel_dispatch_is_running(inflight))
      aqsim_kernel_dispatch_hold(inflight);
    else if (is_running(inflight))
      aqsim_inflight_event_forget(inflight);
    else
      continue;
    flight_freeze(inflight);
  }
}

/* A kernel between two budgets of its code, which take no virtual time. */
static bool is_executing(const aqsim_inflight *inflight)
{
  return inflight->in_use && inflight->sleeping && inflight->kernel &&
         inflight->kind->record == AQ_KIND_KERNEL &&
         (inflight->step == AQSIM_STEP_EXECUTE ||
          (inflight->step == AQSIM_STEP_RUN && inflight->execution &&
           inflight->end <= inflight->queue->sim->now));
}

void aqsim_context_save_code(aqsim_queue *queue)
{
  for (uint32_t i = 0; i < queue->pool.fresh; i++) {
    aqsim_inflight *inflight = &queue->pool.inflights[i];
    if (inflight->stopped || inflight->frozen || !is_executing(inflight))
      continue;
    aqsim_inflight_event_forget(inflight);
    flight_freeze(inflight);
    inflight->paused = true;
  }
}

/* Its next budget is due at once, and its time begins or ends later. */
static void code_thaw(aqsim_inflight *inflight, aq_time away)
{
  const bool begins = inflight->step == AQSIM_STEP_EXECUTE;
  inflight->paused = false;
  inflight->executed = aq_time_add(inflight->executed, away);
  if (begins)
    inflight->start = aq_time_add(inflight->start, away);
  else
    inflight->end = aq_time_add(inflight->end, away);
  aqsim_inflight_yield(inflight, inflight->step,
                       begins ? AQSIM_AT_LAUNCH : AQSIM_AT_END);
}

static void flight_thaw(aqsim_inflight *inflight, aq_time since, aq_time away)
{
  inflight->frozen = false;
  inflight->queue->map.frozen--;
  if (inflight->paused) {
    code_thaw(inflight, away);
    return;
  }
  if (inflight->step == AQSIM_STEP_WAVES) {
    aqsim_kernel_dispatch_release(inflight);
    return;
  }
  if (inflight->start > since) {
    inflight->start += away;
    inflight->stamp =
        inflight->back_to_back ? inflight->stamp : inflight->start;
  }
  inflight->end = aq_time_add(inflight->end, away);
  aqsim_inflight_end_move(inflight);
}

void aqsim_context_restore(aqsim_queue *queue)
{
  aq_time away = queue->sim->now - queue->map.frozen_at;
  for (uint32_t i = 0; i < queue->pool.fresh && queue->map.frozen; i++)
    if (queue->pool.inflights[i].frozen)
      flight_thaw(&queue->pool.inflights[i], queue->map.frozen_at, away);
}

/* Bytes of one wave: as its registers say, or as the model assumes. */
static uint64_t wave_bytes(const aqsim_model *model, const aq_kernel_desc *desc)
{
  if (desc->vgprs <= 0)
    return (uint64_t)model->wave_state;
  uint64_t sgprs = desc->sgprs > 0 ? (uint64_t)desc->sgprs : 0;
  return ((uint64_t)desc->vgprs * (uint64_t)model->wave_size + sgprs) * 4;
}

/* Waves of a kernel, as many as fit on the compute units of its queue. */
static uint64_t resident_waves(const aqsim_inflight *inflight)
{
  const aqsim_queue *queue = inflight->queue;
  const aqsim_model *model = queue->device->model;
  const aq_kernel_packet *packet = &inflight->packet.kernel;
  uint64_t items = (uint64_t)packet->workgroup_size[0] *
                   packet->workgroup_size[1] * packet->workgroup_size[2];
  uint64_t size = (uint64_t)model->wave_size;
  uint64_t waves = (items + size - 1) / size;
  uint64_t room = (uint64_t)queue->cus.count * (uint64_t)model->simds_per_cu *
                  (uint64_t)model->waves_per_simd;
  if (waves == 0 || inflight->workgroups > room / waves)
    return room;
  return waves * inflight->workgroups;
}

aq_time aqsim_context_move_time(const aqsim_queue *queue)
{
  const aqsim_model *model = queue->device->model;
  unsigned __int128 bytes = 0;
  for (uint32_t i = 0; i < queue->pool.fresh && queue->map.frozen; i++) {
    const aqsim_inflight *inflight = &queue->pool.inflights[i];
    if (inflight->frozen)
      bytes += (unsigned __int128)resident_waves(inflight) *
               wave_bytes(model, &inflight->kernel->desc);
  }
  unsigned __int128 time =
      bytes * (uint64_t)AQ_S / (uint64_t)model->context_bandwidth;
  return time < (unsigned __int128)AQ_TIME_MAX / 4 ? (aq_time)time
                                                   : AQ_TIME_MAX / 4;
}
