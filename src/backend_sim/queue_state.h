/* SPDX-License-Identifier: MIT */
/*
 * A queue: what clients hold, its packets, its place on the device, and what
 * kind it is. Each part has its owner's header.
 *
 * Thread rule: core.h; words that say "atomic" are read and written by any
 * thread.
 */
#ifndef AQSIM_QUEUE_STATE_H
#define AQSIM_QUEUE_STATE_H

#include "backend_sim/core.h"
#include "backend_sim/device_state.h"
#include "backend_sim/dispatch/dispatcher.h"
#include "backend_sim/packet/packet_state.h"
#include "backend_sim/packet/pm4.h"

typedef enum aqsim_queue_state {
  AQSIM_QUEUE_ACTIVE,
  AQSIM_QUEUE_INACTIVE, /* by queue_control */
  AQSIM_QUEUE_FAILED,   /* by a packet */
  AQSIM_QUEUE_SOFT,     /* active, but the application serves it */
} aqsim_queue_state;

struct aqsim_queue {
  aq_ring ring; /* first: what clients hold */
  aqsim *sim;
  aqsim_device *device;

  /* What every packet passes. */
  aqsim_fetch_state fetch_state;
  aqsim_queue_state state;
  aqsim_rank rank;
  aqsim_launch_state line;
  aqsim_inflight_pool pool;
  bool host; /* of the host agent; `device` lends it its constants */
  bool profile;
  aqsim_mapping map;

  /* What kind of queue it is. */
  aqsim_queue *next, *previous; /* in the order of creation */
  aq_queue_type type;
  uint32_t number; /* of the queue in its device */
  int64_t record;  /* ordinal in the record sink, or AQ_NONE */
  aq_agent_function *agent;
  aqsim_signal *bell;  /* doorbell of a soft queue */
  uint32_t references; /* of a cooperative queue */
  bool overrun;        /* a doorbell beyond the ring was reported */
  bool destroyed;      /* from inside an event: freed when the event ends */

  aqsim_queue_policy policy;
  aqsim_kernargs kernargs;
  aqsim_queue_wait wait;
  aqsim_pm4 *pm4; /* of the packet that runs PM4; made for the first one */
  aqsim_queue_failure error;
  aqsim_cu_set cus; /* compute units it may use */

  uint32_t sleepers;  /* atomic: hosts that sleep until slots are free (live) */
  uint64_t announced; /* atomic: doorbells rang for the packets below */
  uint64_t seen;      /* atomic: the doorbell, when the device last looked */
  bool stored;        /* atomic: some doorbells are stored without a call */
  uint64_t doorbell;  /* that clients see, unless theirs is another */
  aq_amd_queue *abi;  /* its own below, or a client's (aqsim_queue_place) */
  bool placed;        /* ring, indices and doorbell are the client's */
  _Alignas(64) aq_amd_signal doorbell_signal;
  _Alignas(64) aq_amd_queue amd;
};

/* Whether signals get start and end; a client sets it in its amd_queue_t. */
static inline bool aqsim_queue_profiles(const aqsim_queue *queue)
{
  enum { ENABLE_PROFILING = 1 << 3 };
  return queue->profile || (__builtin_expect(queue->placed, false) &&
                            (queue->abi->properties & ENABLE_PROFILING));
}

/* Nothing is published or in flight. */
static inline bool aqsim_queue_is_idle(const aqsim_queue *queue)
{
  return queue->fetch_state.noticed == queue->fetch_state.fetched &&
         queue->line.waiting == 0 && queue->line.active == 0;
}

/* One packet more or less of it is active: `by` is 1 or -1. */
static inline void aqsim_queue_active_add(aqsim_queue *queue, int by)
{
  queue->line.active += (uint32_t)by;
  if (queue->state != AQSIM_QUEUE_ACTIVE && !queue->host && !queue->destroyed)
    queue->device->orphaned += (uint32_t)by;
}

/* The pipe of a queue launches nothing more until then. */
static inline void aqsim_queue_launch_until(aqsim_queue *queue, aq_time time)
{
  queue->map.pipe->units[AQSIM_UNIT_LAUNCH].free = time;
}

/* The kernel or the compute units of a queue change: the next dispatch is
 * checked. */
static inline void aqsim_queue_shape_forget(aqsim_queue *queue)
{
  queue->line.shape = (aqsim_dispatch_shape){.words = {UINT64_MAX}};
}

/* Schedules an event of a queue, in the order of its priority. */
static inline void aqsim_queue_push(aqsim_queue *queue, aqsim_event *event,
                                    aq_time time, aqsim_priority priority)
{
  aqsim_calendar_push_ranked(&queue->sim->calendar, event, time, priority,
                             queue->rank);
}

#endif
