/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/packet/pipes.h"

#include "backend_sim/packet/fetch.h"
#include "backend_sim/packet/processor.h"
#include "backend_sim/policy/device_policy.h"

static void unit_schedule(aqsim_unit *unit)
{
  if (unit->pending)
    return;
  unit->pending = true;
  aq_time time = aq_time_max(unit->free, unit->sim->now);
  if (__builtin_expect(aqsim_unit_is_decided(unit), false))
    time += aqsim_policy_pick_delay(unit->pipe->device);
  aqsim_calendar_push(&unit->sim->calendar, &unit->event, time,
                      unit->kind == AQSIM_UNIT_FETCH ? AQSIM_AT_FETCH
                                                     : AQSIM_AT_LAUNCH);
}

/* Of the highest priority that wants it, the next slot after the last one; it
 * leaves the line. */
static aqsim_queue *unit_next(aqsim_unit *unit)
{
  int rank = 0;
  while (!unit->wanted[rank])
    rank++;
  uint64_t wanted = unit->wanted[rank];
  uint64_t later = wanted & ~(UINT64_MAX >> (63 - unit->last));
  int slot = __builtin_ctzll(later ? later : wanted);
  unit->wanted[rank] = wanted & ~(UINT64_C(1) << slot);
  return unit->pipe->slots[slot].queue;
}

/* The same by a policy; NULL: none now. */
static aqsim_queue *unit_pick(aqsim_unit *unit)
{
  aqsim_queue *queue = aqsim_policy_pick(unit);
  if (queue)
    unit->wanted[queue->rank] &= ~aqsim_slot_bit(queue);
  return queue;
}

void aqsim_unit_want(aqsim_unit *unit, const aqsim_queue *queue)
{
  unit->wanted[queue->rank] |= aqsim_slot_bit(queue);
  unit_schedule(unit);
}

/* Offers the unit to the queues that want it, until one takes it. */
static void unit_fire(aqsim_event *event)
{
  aqsim_unit *unit = (aqsim_unit *)event;
  const bool decided = aqsim_unit_is_decided(unit);
  unit->pending = false;
  while (unit->free <= unit->sim->now && aqsim_unit_is_wanted(unit)) {
    aqsim_queue *queue = decided ? unit_pick(unit) : unit_next(unit);
    if (!queue)
      return; /* until it is asked again */
    unit->offered = queue;
    if (unit->kind == AQSIM_UNIT_FETCH)
      aqsim_queue_fetch(queue);
    else
      aqsim_queue_pump(queue);
    unit->offered = NULL;
  }
  if (aqsim_unit_is_wanted(unit))
    unit_schedule(unit);
}

void aqsim_unit_ask(aqsim_unit *unit)
{
  if (aqsim_unit_is_wanted(unit))
    unit_schedule(unit);
}

void aqsim_pipe_init(aqsim_pipe *pipe, aqsim_device *device, aqsim_slot *slots,
                     uint32_t slot_count)
{
  *pipe =
      (aqsim_pipe){.device = device, .slots = slots, .slot_count = slot_count};
  for (int i = 0; i < AQSIM_UNITS; i++)
    pipe->units[i] = (aqsim_unit){.event = {unit_fire},
                                  .sim = device->sim,
                                  .pipe = pipe,
                                  .kind = (aqsim_unit_kind)i,
                                  .last = slot_count - 1,
                                  .free = device->sim->now};
}

void aqsim_pipe_leave(aqsim_pipe *pipe, const aqsim_queue *queue)
{
  for (int i = 0; i < AQSIM_UNITS; i++) {
    aqsim_unit *unit = &pipe->units[i];
    unit->wanted[queue->rank] &= ~aqsim_slot_bit(queue);
    if (unit->offered == queue)
      unit->offered = NULL;
  }
}

void aqsim_pipe_rank(aqsim_pipe *pipe, const aqsim_queue *queue,
                     aqsim_rank rank)
{
  for (int i = 0; i < AQSIM_UNITS; i++) {
    uint64_t *wanted = pipe->units[i].wanted;
    uint64_t bit = wanted[queue->rank] & aqsim_slot_bit(queue);
    wanted[queue->rank] &= ~bit;
    wanted[rank] |= bit;
  }
}
