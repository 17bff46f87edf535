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
  return queue->pool.free || queue->pool.fresh < queue->ring.size;
}

/* NULL when all are in use. */
static inline aqsim_flight *flight_alloc(aqsim_queue *queue)
{
  aqsim_flight *flight = queue->pool.free;
  if (flight) {
    queue->pool.free = flight->next;
  } else if (queue->pool.fresh < queue->ring.size) {
    flight = &queue->pool.flights[queue->pool.fresh++];
    aqsim_flight_init(flight, queue);
  } else {
    return NULL;
  }
  flight->in_use = true;
  return flight;
}

/* When the processor can know of a packet that was noticed. */
static aq_time packet_known(const aqsim_queue *queue, uint64_t id)
{
  aq_time submitted = queue->intake.submitted[id & (queue->ring.size - 1)];
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
  aq_time time = packet_known(queue, queue->intake.fetched);
  __builtin_prefetch(aq_ring_slot(&queue->ring, queue->intake.fetched));
  queue->intake.pending = true;
  if (!aqsim_pipe_is_shared(queue->map.pipe))
    time = aq_time_max(time, aq_time_max(unit->free, queue->sim->now));
  else if (!aqsim_unit_is_early(unit, time)) {
    aqsim_unit_want(unit, queue);
    return;
  }
  aqsim_queue_push(queue, &queue->intake.event, time, AQSIM_AT_FETCH);
}

/* Lets the device hooks delay, change or fail the packet. */
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
  flight->barrier = aq_header_barrier(flight->packet.header);
  flight->executes = false;
  /* It lay in the ring before its queue had a slot. */
  flight->stalls = queue->map.usable > flight->submit ? AQ_STALL_SLOT : 0;
  flight->next = NULL;
  if (queue->line.last)
    queue->line.last->next = flight;
  else
    queue->line.first = flight;
  queue->line.last = flight;
  queue->line.waiting++;
}

static void packet_fetch(aqsim_queue *queue, aqsim_flight *flight,
                         aq_time decoded)
{
  uint64_t id = queue->intake.fetched++;
  flight->id = id;
  flight->submit = queue->intake.submitted[id & (queue->ring.size - 1)];
  flight->fetch = decoded;
  aqsim_ring_read(queue, id, &flight->packet);
  packet_hook(queue, flight);
  line_add(flight);
}

/* A unit that is alone with its queue is there at the right time, unless it has
 * just become so. */
static bool fetch_may_begin(aqsim_queue *queue)
{
  aqsim_unit *unit = &queue->map.pipe->units[AQSIM_UNIT_FETCH];
  return (!aqsim_pipe_is_shared(queue->map.pipe) &&
          unit->free <= queue->sim->now) ||
         aqsim_unit_take(unit, queue);
}

void aqsim_queue_pass_evicted(aqsim_queue *queue)
{
  const uint64_t mask = queue->ring.size - 1;
  while (queue->policy.evicted &&
         queue->intake.fetched < queue->intake.noticed &&
         (queue->intake.fetched < queue->amd.read_dispatch_id ||
          queue->intake.completed[queue->intake.fetched & mask])) {
    queue->intake.fetched++;
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
  queue->intake.pending = false;
  for (int64_t i = 0; i < model->fetch_batch; i++) {
    if (__builtin_expect(queue->policy.evicted > 0, false))
      aqsim_queue_pass_evicted(queue);
    if (queue->intake.fetched == queue->intake.noticed ||
        packet_known(queue, queue->intake.fetched) > now ||
        queue->line.waiting >= model->fetch_window)
      break;
    if (!aqsim_ring_has(queue, queue->intake.fetched)) {
      queue->intake.noticed = queue->intake.fetched;
      break;
    }
    aqsim_flight *flight = flight_alloc(queue);
    if (!flight)
      break;
    decoded += model->packet_decode;
    packet_fetch(queue, flight, decoded);
  }
  queue->map.pipe->units[AQSIM_UNIT_FETCH].free = decoded;
  aqsim_policy_fetched(queue);
  aqsim_queue_pump(queue);
}

static void fetch_fire(aqsim_event *event)
{
  aqsim_queue_fetch(
      (aqsim_queue *)(void *)((char *)event -
                              offsetof(aqsim_queue, intake.event)));
}

void aqsim_fetch_init(aqsim_queue *queue)
{
  queue->intake.event.fire = fetch_fire;
}

/* A kernel between two of its slices stays in line. */
void aqsim_queue_unfetch(aqsim_queue *queue)
{
  aqsim_flight *begun = queue->line.first;
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
        (uint32_t)(queue->intake.fetched - first) - queue->line.waiting;
    queue->intake.fetched = first;
  }
  aqsim_line_drop(queue);
  if (!begun)
    return;
  begun->next = NULL;
  queue->line.first = queue->line.last = begun;
  queue->line.waiting = 1;
}
