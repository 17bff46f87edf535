/* SPDX-License-Identifier: MIT */
/*
 * Pipes: the packet processors of a device. A pipe has two units that work side
 * by side: one fetches batches of packets, one launches packets. A unit works
 * for one queue at a time; it serves the pipe's queues that want it by
 * priority, queues of the same priority round robin by slot, a batch or a
 * packet each. A queue alone on its pipe never gets here.
 */
#ifndef AQSIM_PIPES_H
#define AQSIM_PIPES_H

#include "backend_sim/policy/device_policy.h"
#include "backend_sim/queue_state.h"

/* `slots` are the slots of the pipe, set up already. */
void aqsim_pipe_init(aqsim_pipe *pipe, aqsim_device *device, aqsim_slot *slots,
                     uint32_t slot_count);

static inline bool aqsim_pipe_is_shared(const aqsim_pipe *pipe)
{
  return pipe->mapped > 1;
}

/* Whether a policy chooses the queue that the unit serves. */
static inline bool aqsim_unit_is_decided(const aqsim_unit *unit)
{
  return unit->kind == AQSIM_UNIT_LAUNCH &&
         aqsim_policy_picks(unit->pipe->device);
}

static inline bool aqsim_unit_is_wanted(const aqsim_unit *unit)
{
  uint64_t all = 0;
  for (int rank = 0; rank < AQSIM_RANKS; rank++)
    all |= unit->wanted[rank];
  return all != 0;
}

static inline uint64_t aqsim_slot_bit(const aqsim_queue *queue)
{
  return UINT64_C(1) << queue->map.slot->index;
}

/* Puts it in line. */
void aqsim_unit_want(aqsim_unit *unit, const aqsim_queue *queue);

/* A mapped queue takes a unit of a shared pipe, and says by `free` until when;
 * false: it is in line, and is called (fetch or pump) when its turn comes. */
static inline bool aqsim_unit_acquire(aqsim_unit *unit, aqsim_queue *queue)
{
  if (unit->offered != queue &&
      (unit->free > unit->sim->now || aqsim_unit_is_wanted(unit) ||
       aqsim_unit_is_decided(unit))) {
    aqsim_unit_want(unit, queue);
    return false;
  }
  unit->offered = NULL;
  unit->wanted[queue->rank] &= ~aqsim_slot_bit(queue);
  unit->last = queue->map.slot->index;
  return true;
}

/* A queue that is ready at `ready` need not be in line before. */
static inline bool aqsim_unit_is_early(const aqsim_unit *unit, aq_time ready)
{
  return ready > unit->free && ready > unit->sim->now;
}

/* A policy that had no packet for it is to be asked again. */
void aqsim_unit_ask(aqsim_unit *unit);

/* A mapped queue wants nothing more. */
void aqsim_pipe_leave(aqsim_pipe *pipe, const aqsim_queue *queue);

/* The queue in a slot is about to change its priority. */
void aqsim_pipe_rank(aqsim_pipe *pipe, const aqsim_queue *queue,
                     aqsim_rank rank);

#endif
