/* SPDX-License-Identifier: MIT */
/*
 * Pipes: the packet processors of a device. A pipe has two units that work side
 * by side: one fetches batches of packets, one launches packets. A unit works
 * for one queue at a time; the queues of a pipe that want it are served by
 * priority, those of the same priority round robin by slot, a batch or a packet
 * each. A queue alone on its pipe never gets here.
 */
#ifndef AQSIM_PIPES_H
#define AQSIM_PIPES_H

#include "backend_sim/core.h"

/* `slots` are those of the pipe, set up already. */
void aqsim_pipe_init(aqsim_pipe *pipe, aqsim_device *device, aqsim_slot *slots,
                     uint32_t slot_count);

static inline bool aqsim_pipe_is_shared(const aqsim_pipe *pipe)
{
  return pipe->mapped > 1;
}

/* A mapped queue takes a unit of a shared pipe, and says by `free` until when;
 * false: it is in line, and is called (fetch or pump) when its turn comes. */
bool aqsim_unit_take(aqsim_unit *unit, aqsim_queue *queue);

/* Puts it in line. */
void aqsim_unit_want(aqsim_unit *unit, const aqsim_queue *queue);

/* A queue that is ready at `ready` need not be in line before. */
static inline bool aqsim_unit_is_early(const aqsim_unit *unit, aq_time ready)
{
  return ready > unit->free && ready > unit->pipe->device->sim->now;
}

/* A policy that had no packet for it is to be asked again. */
void aqsim_unit_ask(aqsim_unit *unit);

/* A mapped queue wants nothing more. */
void aqsim_pipe_leave(aqsim_pipe *pipe, const aqsim_queue *queue);

/* The queue in a slot is about to change its priority. */
void aqsim_pipe_rank(aqsim_pipe *pipe, const aqsim_queue *queue,
                     aqsim_rank rank);

#endif
