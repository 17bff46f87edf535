/* SPDX-License-Identifier: MIT */
/*
 * Flights: what all steps of a packet's life have in common. The steps
 * themselves are in processor.c and in the files of the kinds (kinds.h).
 */
#ifndef AQSIM_FLIGHT_H
#define AQSIM_FLIGHT_H

#include "backend_sim/core.h"

/* The result of a step, for the loop. */
typedef enum aqsim_flow {
  AQSIM_GO,   /* on to the step that the flight now has */
  AQSIM_WAIT, /* an event or another packet will continue it */
  AQSIM_GONE, /* the flight is free, or its queue is destroyed */
} aqsim_flow;

/* How the types of packets differ. */
struct aqsim_kind {
  aq_record_kind record;
  bool blocks;       /* nothing later launches before it completes */
  bool device, host; /* which agent's queues serve it */
  aqsim_flow (*launch)(aqsim_flight *flight);
  aqsim_flow (*run)(aqsim_flight *flight); /* what RUN does, or NULL */
};

/* Looks up the kind of its packet; NULL when its queue does not serve such
 * packets. */
const aqsim_kind *aqsim_flight_kind(const aqsim_flight *flight);

/* The step happens at `time`: now, or when the event comes. */
__attribute__((always_inline)) static inline aqsim_flow
aqsim_flight_sleep(aqsim_flight *flight, aqsim_step step, aq_time time,
                   aqsim_priority priority)
{
  flight->step = step;
  if (time <= flight->queue->sim->now)
    return AQSIM_GO;
  flight->sleeping = true;
  aqsim_queue_push(flight->queue, &flight->event, time, priority);
  return AQSIM_WAIT;
}

/* The step happens at this instant, after all that is due already. */
static inline aqsim_flow aqsim_flight_yield(aqsim_flight *flight,
                                            aqsim_step step,
                                            aqsim_priority priority)
{
  flight->step = step;
  flight->sleeping = true;
  aqsim_queue_push(flight->queue, &flight->event, flight->queue->sim->now,
                   priority);
  return AQSIM_WAIT;
}

/* Whether its kernel does something at its end that anyone sees. */
static inline bool aqsim_flight_acts(const aqsim_flight *flight)
{
  return flight->executes || flight->kernel->desc.function;
}

/* The change that it sleeps for does not come. */
void aqsim_flight_event_forget(aqsim_flight *flight);

/* Release fence and decrement follow the end. */
__attribute__((always_inline)) static inline aqsim_flow
aqsim_flight_finish(aqsim_flight *flight)
{
  const aqsim_device *device = flight->queue->device;
  return aqsim_flight_sleep(flight, AQSIM_STEP_COMPLETE,
                            flight->end +
                                aqsim_release(device, flight->packet.header) +
                                device->model->signal_write,
                            AQSIM_AT_COMPLETE);
}

/* Of a kernel: its end has to come through first. */
__attribute__((always_inline)) static inline aqsim_flow
aqsim_kernel_finish(aqsim_flight *flight)
{
  const aqsim_device *device = flight->queue->device;
  unsigned scope = aq_header_release(flight->packet.header);
  return aqsim_flight_sleep(flight, AQSIM_STEP_COMPLETE,
                            flight->end + device->finish[scope],
                            AQSIM_AT_COMPLETE);
}

/* Frees the execution of its kernel's code, if there is one. */
void aqsim_execution_end(aqsim_flight *flight);

static inline void aqsim_flight_free(aqsim_flight *flight)
{
  if (__builtin_expect(flight->executes, false))
    aqsim_execution_end(flight);
  flight->in_use = false;
  flight->next = flight->queue->pool.free;
  flight->queue->pool.free = flight;
}

/* Frees decoded packets that have not launched, and forgets the next fetch. */
void aqsim_line_drop(aqsim_queue *queue);

/* Ignores packets that have not launched and all later packets. */
void aqsim_queue_stop(aqsim_queue *queue, aqsim_queue_state state);

/* The queue stops at this packet: its error callback is called once. The flight
 * is gone afterwards. */
aqsim_flow aqsim_flight_fail(aqsim_flight *flight, uint32_t fault,
                             const char *text);

/* An active packet went wrong: the same, after its release fence. */
aqsim_flow aqsim_flight_fault(aqsim_flight *flight, uint32_t fault,
                              const char *text);

/* Its row in the records. */
void aqsim_flight_record(const aqsim_flight *flight, int64_t flags,
                         aq_time complete, aq_time observe);

/* The packet as hooks of the order see it. */
static inline aq_order_packet aqsim_flight_order(const aqsim_flight *flight)
{
  const aqsim_queue *queue = flight->queue;
  return (aq_order_packet){.queue = &queue->amd,
                           .queue_id = queue->ring.id,
                           .device = queue->device->ordinal,
                           .id = flight->id,
                           .packet = &flight->packet,
                           .blocks = flight->kind && flight->kind->blocks};
}

#endif
