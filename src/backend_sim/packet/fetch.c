/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/packet/fetch.h"

#include "backend_sim/packet/flight.h"
#include "backend_sim/packet/pipes.h"
#include "backend_sim/packet/processor.h"
#include "backend_sim/packet/ring.h"
#include "backend_sim/policy/device_policy.h"

static bool flight_available(const aqsim_queue *queue)
{
  return queue->free || queue->fresh < queue->ring.size;
}

/* NULL when all are in use. */
static inline aqsim_flight *flight_alloc(aqsim_queue *queue)
{
  aqsim_flight *flight = queue->free;
  if (flight) {
    queue->free = flight->next;
  } else if (queue->fresh < queue->ring.size) {
    flight = &queue->flights[queue->fresh++];
    flight->queue = queue;
    aqsim_flight_init(flight);
  } else {
    return NULL;
  }
  flight->in_use = true;
  return flight;
}

/* When the processor can know of a packet that was noticed. */
static aq_time packet_known(const aqsim_queue *queue, uint64_t id)
{
  aq_time submitted = queue->submitted[id & (queue->ring.size - 1)];
  return aq_time_max(submitted, queue->mapped_at) +
         queue->device->model->doorbell_to_fetch;
}

void aqsim_queue_fetch_schedule(aqsim_queue *queue)
{
  if (queue->state != AQSIM_QUEUE_ACTIVE || (queue->hold & AQSIM_HOLD_SLOT) ||
      !flight_available(queue))
    return;
  aqsim_unit *unit = &queue->pipe->units[AQSIM_UNIT_FETCH];
  aq_time time = packet_known(queue, queue->fetched);
  queue->fetch_pending = true;
  if (!aqsim_pipe_is_shared(queue->pipe))
    time = aq_time_max(time, aq_time_max(unit->free, queue->sim->now));
  else if (!aqsim_unit_is_early(unit, time)) {
    aqsim_unit_want(unit, queue);
    return;
  }
  aqsim_queue_push(queue, &queue->fetch_event, time, AQSIM_AT_FETCH);
}

/* What happens to the packet from outside. */
static void packet_hook(const aqsim_queue *queue, aqsim_flight *flight)
{
  const aq_device_hooks *hooks = queue->sim->hooks;
  flight->changed = false;
  flight->injected = 0;
  if (!hooks || !hooks->packet)
    return;
  const uint32_t header = flight->packet.header_setup;
  aq_packet_fate fate =
      hooks->packet(hooks->user, queue->ring.id, flight->id, &flight->packet);
  flight->fetch = aq_time_add(flight->fetch, fate.delay);
  flight->injected = fate.reason;
  flight->changed = flight->packet.header_setup != header;
}

/* Puts a packet that was fetched into the waiting line of its queue. */
static void line_add(aqsim_flight *flight)
{
  aqsim_queue *queue = flight->queue;
  flight->step = AQSIM_STEP_TURN;
  flight->reread = false;
  flight->executes = false;
  /* It lay in the ring before its queue had a slot. */
  flight->stalls = queue->mapped_at > flight->submit ? AQ_STALL_SLOT : 0;
  flight->next = NULL;
  if (queue->turn_last)
    queue->turn_last->next = flight;
  else
    queue->turn_first = flight;
  queue->turn_last = flight;
  queue->waiting++;
}

static void packet_fetch(aqsim_queue *queue, aqsim_flight *flight,
                         aq_time decoded)
{
  uint64_t id = queue->fetched++;
  flight->id = id;
  flight->submit = queue->submitted[id & (queue->ring.size - 1)];
  flight->fetch = decoded;
  aqsim_ring_read(queue, id, &flight->packet);
  packet_hook(queue, flight);
  line_add(flight);
}

/* A unit that is alone with its queue is there at the right time, unless it has
 * just become so. */
static bool fetch_may_begin(aqsim_queue *queue)
{
  aqsim_unit *unit = &queue->pipe->units[AQSIM_UNIT_FETCH];
  return (!aqsim_pipe_is_shared(queue->pipe) &&
          unit->free <= queue->sim->now) ||
         aqsim_unit_take(unit, queue);
}

void aqsim_queue_pass_evicted(aqsim_queue *queue)
{
  const uint64_t mask = queue->ring.size - 1;
  while (queue->policy.evicted && queue->fetched < queue->noticed &&
         (queue->fetched < queue->amd.read_dispatch_id ||
          queue->completed[queue->fetched & mask])) {
    queue->fetched++;
    queue->policy.evicted--;
  }
}

/* What the slots hold now counts: a header that became INVALID again stalls the
 * queue until the next look. */
void aqsim_queue_fetch(aqsim_queue *queue)
{
  const aqsim_model *model = queue->device->model;
  aq_time now = queue->sim->now, decoded = now + model->packet_fetch;
  if (!fetch_may_begin(queue))
    return;
  queue->fetch_pending = false;
  for (int64_t i = 0; i < model->fetch_batch; i++) {
    if (__builtin_expect(queue->policy.evicted > 0, false))
      aqsim_queue_pass_evicted(queue);
    if (queue->fetched == queue->noticed ||
        packet_known(queue, queue->fetched) > now ||
        queue->waiting >= model->fetch_window)
      break;
    if (!aqsim_ring_has(queue, queue->fetched)) {
      queue->noticed = queue->fetched;
      break;
    }
    aqsim_flight *flight = flight_alloc(queue);
    if (!flight)
      break;
    decoded += model->packet_decode;
    packet_fetch(queue, flight, decoded);
  }
  queue->pipe->units[AQSIM_UNIT_FETCH].free = decoded;
  aqsim_policy_fetched(queue);
  aqsim_queue_pump(queue);
}

static void fetch_fire(aqsim_event *event)
{
  aqsim_queue_fetch(
      (aqsim_queue *)(void *)((char *)event -
                              offsetof(aqsim_queue, fetch_event)));
}

void aqsim_fetch_init(aqsim_queue *queue)
{
  queue->fetch_event.fire = fetch_fire;
}

/* A kernel between two of its slices stays in line. */
void aqsim_queue_unfetch(aqsim_queue *queue)
{
  aqsim_flight *begun = queue->turn_first;
  if (begun && !begun->run)
    begun = NULL;
  if (begun) {
    queue->turn_first = begun->next;
    queue->waiting--;
  }
  if (queue->turn_first) {
    /* Those that were taken off between them are passed over again. */
    const uint64_t first = queue->turn_first->id;
    queue->policy.evicted +=
        (uint32_t)(queue->fetched - first) - queue->waiting;
    queue->fetched = first;
  }
  aqsim_line_drop(queue);
  if (!begun)
    return;
  begun->next = NULL;
  queue->turn_first = queue->turn_last = begun;
  queue->waiting = 1;
}
