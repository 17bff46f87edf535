/* SPDX-License-Identifier: MIT */
/*
 * Packets in flight: what all steps of a packet's life have in common. The
 * steps themselves are in processor.c and in the files of the kinds
 * (packet_types.h).
 */
#ifndef AQSIM_INFLIGHT_H
#define AQSIM_INFLIGHT_H

#include "backend_sim/queue_state.h"

/* The result of a step, for the loop. */
typedef enum aqsim_flow {
  AQSIM_GO,   /* on to the step that the packet in flight now has */
  AQSIM_WAIT, /* an event or another packet will continue it */
  AQSIM_GONE, /* the packet in flight is free, or its queue is destroyed */
} aqsim_flow;

/* How the types of packets differ. */
struct aqsim_packet_type_ops {
  aq_record_kind record;
  bool blocks;       /* nothing later launches before it completes */
  bool device, host; /* which agent's queues serve it */
  aqsim_flow (*launch)(aqsim_inflight *inflight);
  aqsim_flow (*run)(aqsim_inflight *inflight); /* what RUN does, or NULL */
};

/* Looks up the kind of its packet; NULL when its queue does not serve such
 * packets. */
const aqsim_packet_type_ops *
aqsim_inflight_type(const aqsim_inflight *inflight);

/* The step happens at `time`: now, or when the event comes. */
__attribute__((always_inline)) static inline aqsim_flow
aqsim_inflight_sleep(aqsim_inflight *inflight, aqsim_step step, aq_time time,
                     aqsim_priority priority)
{
  inflight->step = step;
  if (time <= inflight->queue->sim->now)
    return AQSIM_GO;
  inflight->sleeping = true;
  aqsim_queue_push(inflight->queue, &inflight->event, time, priority);
  return AQSIM_WAIT;
}

/* The step happens at this instant, after all that is due already. */
static inline aqsim_flow aqsim_inflight_yield(aqsim_inflight *inflight,
                                              aqsim_step step,
                                              aqsim_priority priority)
{
  inflight->step = step;
  inflight->sleeping = true;
  aqsim_queue_push(inflight->queue, &inflight->event, inflight->queue->sim->now,
                   priority);
  return AQSIM_WAIT;
}

/* Whether its kernel does something at its end that anyone sees. */
static inline bool aqsim_inflight_acts(const aqsim_inflight *inflight)
{
  return inflight->executes || inflight->kernel->desc.function;
}

/* The change that it sleeps for does not come. */
void aqsim_inflight_event_forget(aqsim_inflight *inflight);

/* Release fence and decrement follow the end. */
__attribute__((always_inline)) static inline aqsim_flow
aqsim_inflight_finish(aqsim_inflight *inflight)
{
  const aqsim_device *device = inflight->queue->device;
  return aqsim_inflight_sleep(
      inflight, AQSIM_STEP_COMPLETE,
      inflight->end + aqsim_release(device, inflight->packet.header) +
          device->model->signal_write,
      AQSIM_AT_COMPLETE);
}

/* Of a kernel: its end has to come through first. */
__attribute__((always_inline)) static inline aqsim_flow
aqsim_kernel_finish(aqsim_inflight *inflight)
{
  const aqsim_device *device = inflight->queue->device;
  unsigned scope = aq_header_release(inflight->packet.header);
  return aqsim_inflight_sleep(inflight, AQSIM_STEP_COMPLETE,
                              inflight->end + device->finish[scope],
                              AQSIM_AT_COMPLETE);
}

/* Frees the execution of its kernel's code, if there is one. */
void aqsim_execution_end(aqsim_inflight *inflight);

static inline void aqsim_inflight_free(aqsim_inflight *inflight)
{
  if (__builtin_expect(inflight->executes, false))
    aqsim_execution_end(inflight);
  inflight->in_use = false;
  inflight->next = inflight->queue->pool.free;
  inflight->queue->pool.free = inflight;
}

/* Frees decoded packets that have not launched, and forgets the next fetch. */
void aqsim_launch_drop(aqsim_queue *queue);

/* Ignores packets that have not launched and all later packets. */
void aqsim_queue_stop(aqsim_queue *queue, aqsim_queue_state state);

/* The queue stops at this packet: its error callback is called once. The packet
 * in flight is gone afterwards. */
aqsim_flow aqsim_inflight_fail(aqsim_inflight *inflight, uint32_t fault,
                               const char *text);

/* An active packet went wrong: the same, after its release fence. */
aqsim_flow aqsim_inflight_fault(aqsim_inflight *inflight, uint32_t fault,
                                const char *text);

/* Its row in the records. */
void aqsim_inflight_record(const aqsim_inflight *inflight, int64_t flags,
                           aq_time complete, aq_time observe);

/* The packet as hooks of the order see it. */
static inline aq_order_packet
aqsim_inflight_order(const aqsim_inflight *inflight)
{
  const aqsim_queue *queue = inflight->queue;
  return (aq_order_packet){.queue = queue->abi,
                           .queue_id = queue->ring.id,
                           .device = queue->device->ordinal,
                           .id = inflight->id,
                           .packet = &inflight->packet,
                           .blocks = inflight->kind && inflight->kind->blocks};
}

#endif
