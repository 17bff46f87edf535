/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/hwqueue/context.h"

#include "backend_sim/packet/flight.h"
#include "backend_sim/packet/processor.h"
#include "backend_sim/packet/waves.h"

/* A kernel whose end is still to come; its completion, or the host function
 * that stands for it, is on the way. */
static bool is_running(const aqsim_flight *flight)
{
  return flight->in_use && flight->sleeping && flight->kernel &&
         flight->kind->record == AQ_KIND_KERNEL &&
         (flight->step == AQSIM_STEP_COMPLETE ||
          flight->step == AQSIM_STEP_RUN) &&
         flight->end > flight->queue->sim->now;
}

void aqsim_context_save(aqsim_queue *queue)
{
  if (queue->map.frozen == 0)
    queue->map.frozen_at = queue->sim->now;
  for (uint32_t i = 0; i < queue->pool.fresh; i++) {
    aqsim_flight *flight = &queue->pool.flights[i];
    if (flight->stopped)
      continue;
    if (aqsim_waves_are_running(flight) && !flight->frozen) {
      aqsim_waves_hold(flight);
    } else if (is_running(flight)) {
      aqsim_flight_event_forget(flight);
    } else {
      continue;
    }
    flight->frozen = true;
    queue->map.frozen++;
  }
}

static void flight_thaw(aqsim_flight *flight, aq_time since, aq_time away)
{
  flight->frozen = false;
  flight->queue->map.frozen--;
  if (flight->step == AQSIM_STEP_WAVES) {
    aqsim_waves_release(flight);
    return;
  }
  if (flight->start > since) {
    flight->start += away;
    flight->stamp = flight->back_to_back ? flight->stamp : flight->start;
  }
  flight->end = aq_time_add(flight->end, away);
  aqsim_flight_end_move(flight);
}

void aqsim_context_restore(aqsim_queue *queue)
{
  aq_time away = queue->sim->now - queue->map.frozen_at;
  for (uint32_t i = 0; i < queue->pool.fresh && queue->map.frozen; i++)
    if (queue->pool.flights[i].frozen)
      flight_thaw(&queue->pool.flights[i], queue->map.frozen_at, away);
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
static uint64_t resident_waves(const aqsim_flight *flight)
{
  const aqsim_queue *queue = flight->queue;
  const aqsim_model *model = queue->device->model;
  const aq_kernel_packet *packet = &flight->packet.kernel;
  uint64_t items = (uint64_t)packet->workgroup_size[0] *
                   packet->workgroup_size[1] * packet->workgroup_size[2];
  uint64_t size = (uint64_t)model->wave_size;
  uint64_t waves = (items + size - 1) / size;
  uint64_t room = (uint64_t)queue->cus.count * (uint64_t)model->simds_per_cu *
                  (uint64_t)model->waves_per_simd;
  if (waves == 0 || flight->workgroups > room / waves)
    return room;
  return waves * flight->workgroups;
}

aq_time aqsim_context_move_time(const aqsim_queue *queue)
{
  const aqsim_model *model = queue->device->model;
  unsigned __int128 bytes = 0;
  for (uint32_t i = 0; i < queue->pool.fresh && queue->map.frozen; i++) {
    const aqsim_flight *flight = &queue->pool.flights[i];
    if (flight->frozen)
      bytes += (unsigned __int128)resident_waves(flight) *
               wave_bytes(model, &flight->kernel->desc);
  }
  unsigned __int128 time =
      bytes * (uint64_t)AQ_S / (uint64_t)model->context_bandwidth;
  return time < (unsigned __int128)AQ_TIME_MAX / 4 ? (aq_time)time
                                                   : AQ_TIME_MAX / 4;
}
