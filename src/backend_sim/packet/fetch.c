/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/packet/fetch.h"

#include "backend_sim/packet/inflight.h"
#include "backend_sim/packet/pipes.h"
#include "backend_sim/packet/processor.h"
#include "backend_sim/packet/ring.h"
#include "backend_sim/policy/device_policy.h"

static bool flight_available(const aqsim_queue *queue)
{
  return queue->pool.free || queue->pool.fresh < queue->ring.size;
}

/* NULL when all are in use. */
static inline aqsim_inflight *flight_alloc(aqsim_queue *queue)
{
  aqsim_inflight *inflight = queue->pool.free;
  if (inflight) {
    queue->pool.free = inflight->next;
  } else if (queue->pool.fresh < queue->ring.size) {
    inflight = &queue->pool.inflights[queue->pool.fresh++];
    aqsim_inflight_init(inflight, queue);
  } else {
    return NULL;
  }
  inflight->in_use = true;
  return inflight;
}

static aq_time packet_submitted(const aqsim_queue *queue, uint64_t id)
{
  return queue->fetch_state.submitted[id & (queue->ring.size - 1)];
}

/* When the processor can know of a packet that was noticed. */
static aq_time packet_known(const aqsim_queue *queue, aq_time submitted)
{
  return aq_time_max(aq_time_max(submitted, queue->map.usable),
                     queue->map.awake) +
         queue->device->model->doorbell_to_fetch;
}

void aqsim_queue_fetch_schedule(aqsim_queue *queue)
{
  if (queue->state != AQSIM_QUEUE_ACTIVE ||
      (queue->line.hold & AQSIM_HOLD_SLOT) || !flight_available(queue))
    return;
  aqsim_unit *unit = &queue->map.pipe->units[AQSIM_UNIT_FETCH];
  aq_time time =
      packet_known(queue, packet_submitted(queue, queue->fetch_state.fetched));
  __builtin_prefetch(aq_ring_slot(&queue->ring, queue->fetch_state.fetched));
  queue->fetch_state.pending = true;
  if (!aqsim_pipe_is_shared(queue->map.pipe))
    time = aq_time_max(time, aq_time_max(unit->free, queue->sim->now));
  else if (!aqsim_unit_is_early(unit, time)) {
    aqsim_unit_want(unit, queue);
    return;
  }
  aqsim_queue_push(queue, &queue->fetch_state.event, time, AQSIM_AT_FETCH);
}

/* Lets the device hooks delay, change or fail the packet. */
static void packet_hook(const aqsim_queue *queue, aqsim_inflight *inflight)
{
  const aq_device_hooks *hooks = queue->sim->hooks;
  if (!hooks->packet)
    return;
  inflight->hooked = true;
  const uint32_t header = inflight->packet.header_setup;
  aq_packet_fate fate = hooks->packet(hooks->user, queue->ring.id, inflight->id,
                                      &inflight->packet);
  inflight->fetch = aq_time_add(inflight->fetch, fate.delay);
  inflight->injected = fate.reason;
  inflight->changed = inflight->packet.header_setup != header;
}

/* Puts a packet that was fetched into the waiting line of its queue. */
static inline void line_add(aqsim_queue *queue, aqsim_inflight *inflight)
{
  inflight->step = AQSIM_STEP_TURN;
  /* It lay in the ring before its queue had a slot. */
  inflight->stalls = queue->map.usable > inflight->submit ? AQ_STALL_SLOT : 0;
  inflight->next = NULL;
  if (queue->line.last)
    queue->line.last->next = inflight;
  else
    queue->line.first = inflight;
  queue->line.last = inflight;
  queue->line.waiting++;
}

static inline void packet_fetch(aqsim_queue *queue, aqsim_inflight *inflight,
                                uint64_t id, aq_time submitted, aq_time decoded)
{
  inflight->id = id;
  inflight->submit = submitted;
  inflight->fetch = decoded;
  inflight->rare = 0;
  aqsim_ring_read(queue, id, &inflight->packet);
  if (__builtin_expect(queue->sim->hooks != NULL, false))
    packet_hook(queue, inflight);
  inflight->barrier = aq_header_barrier(inflight->packet.header);
  line_add(queue, inflight);
}

/* A unit that is alone with its queue is there at the right time, unless it has
 * just become so. */
static bool fetch_may_begin(aqsim_queue *queue)
{
  aqsim_unit *unit = &queue->map.pipe->units[AQSIM_UNIT_FETCH];
  return (!aqsim_pipe_is_shared(queue->map.pipe) &&
          unit->free <= queue->sim->now) ||
         aqsim_unit_acquire(unit, queue);
}

void aqsim_queue_pass_evicted(aqsim_queue *queue)
{
  const uint64_t mask = queue->ring.size - 1;
  while (queue->policy.evicted &&
         queue->fetch_state.fetched < queue->fetch_state.noticed &&
         (queue->fetch_state.fetched < queue->fetch_state.read ||
          queue->fetch_state.completed[queue->fetch_state.fetched & mask])) {
    queue->fetch_state.fetched++;
    queue->policy.evicted--;
  }
}

/* The slots' present contents count: a header that became INVALID again stalls
 * the queue until the next look. */
void aqsim_queue_fetch(aqsim_queue *queue)
{
  const aqsim_model *model = queue->device->model;
  aq_time now = queue->sim->now, decoded = now + model->packet_fetch;
  if (!fetch_may_begin(queue))
    return;
  queue->fetch_state.pending = false;
  for (int64_t i = 0; i < model->fetch_batch; i++) {
    if (__builtin_expect(queue->policy.evicted > 0, false))
      aqsim_queue_pass_evicted(queue);
    const uint64_t id = queue->fetch_state.fetched;
    if (id == queue->fetch_state.noticed ||
        queue->line.waiting >= model->fetch_window)
      break;
    const aq_time submitted = packet_submitted(queue, id);
    if (packet_known(queue, submitted) > now)
      break;
    if (!aqsim_ring_has(queue, id)) {
      queue->fetch_state.noticed = id;
      break;
    }
    aqsim_inflight *inflight = flight_alloc(queue);
    if (!inflight)
      break;
    decoded += model->packet_decode;
    queue->fetch_state.fetched = id + 1;
    packet_fetch(queue, inflight, id, submitted, decoded);
  }
  queue->map.pipe->units[AQSIM_UNIT_FETCH].free = decoded;
  if (__builtin_expect(queue->device->policy != NULL, false))
    aqsim_policy_fetched(queue);
  aqsim_queue_pump(queue);
}

static void fetch_fire(aqsim_event *event)
{
  aqsim_queue_fetch(
      (aqsim_queue *)(void *)((char *)event -
                              offsetof(aqsim_queue, fetch_state.event)));
}

void aqsim_fetch_init(aqsim_queue *queue)
{
  queue->fetch_state.event.fire = fetch_fire;
}

/* A kernel between two of its slices stays in line. */
void aqsim_queue_unfetch(aqsim_queue *queue)
{
  aqsim_inflight *begun = queue->line.first;
  if (begun && !begun->run)
    begun = NULL;
  if (begun) {
    queue->line.first = begun->next;
    queue->line.waiting--;
  }
  if (queue->line.first) {
    /* Passes over the packets that were taken off between them again. */
    const uint64_t first = queue->line.first->id;
    queue->policy.evicted +=
        (uint32_t)(queue->fetch_state.fetched - first) - queue->line.waiting;
    queue->fetch_state.fetched = first;
  }
  aqsim_launch_drop(queue);
  if (!begun)
    return;
  begun->next = NULL;
  queue->line.first = queue->line.last = begun;
  queue->line.waiting = 1;
}
