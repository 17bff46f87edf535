/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/hwqueue/queues.h"

#include "backend_sim/hwqueue/pipes.h"
#include "backend_sim/hwqueue/slots.h"
#include "backend_sim/packet/processor.h"
#include "backend_sim/policy/device_policy.h"

/* ---- flights ---- */

static bool flight_available(const aqsim_queue *queue)
{
  return queue->free || queue->fresh < queue->ring.size;
}

/* ---- notice, map, fetch, retire ---- */

bool aqsim_queue_is_idle(const aqsim_queue *queue)
{
  return queue->noticed == queue->fetched && queue->waiting == 0 &&
         queue->active == 0;
}

/* Whether a doorbell told of packet `id`. */
static bool packet_is_rung(const aqsim_queue *queue, uint64_t id)
{
  uint64_t rung = __atomic_load_n(&queue->doorbell, __ATOMIC_ACQUIRE);
  return (int64_t)(rung - id) >= 0;
}

/* A header of 0 that no doorbell told of is being written. */
static bool packet_is_there(const aqsim_queue *queue, uint64_t id)
{
  uint32_t header = aq_packet_load_header(aq_ring_slot(&queue->ring, id));
  if (aq_header_type(header) == AQ_PACKET_VENDOR)
    return !aqsim_packet_is_strange(header) || packet_is_rung(queue, id);
  return aq_header_type(header) != AQ_PACKET_INVALID;
}

/* One past the last packet that may lie in the ring. A producer that reserves
 * by addition may be further: its slots still hold older packets. */
static uint64_t packets_end(const aqsim_queue *queue)
{
  uint64_t write = aq_ring_write_index(&queue->ring);
  uint64_t full = queue->amd.read_dispatch_id + queue->ring.size;
  return write < full ? write : full;
}

void aqsim_queue_notice(aqsim_queue *queue)
{
  uint64_t id = queue->noticed, end = packets_end(queue);
  if (id >= end || queue->state != AQSIM_QUEUE_ACTIVE ||
      !packet_is_there(queue, id))
    return;
  bool idle = aqsim_queue_is_idle(queue);
  uint64_t mask = queue->ring.size - 1;
  aq_time now = queue->sim->now;
  do
    queue->submitted[id++ & mask] = now;
  while (id < end && packet_is_there(queue, id));
  queue->noticed = id;
  if (idle)
    aqsim_queue_map(queue);
  aqsim_queue_fetch_more(queue);
}

void aqsim_queues_notice(aqsim *sim)
{
  for (aqsim_queue *q = sim->first_queue; q; q = q->next)
    aqsim_queue_notice(q);
}

bool aqsim_queues_have_news(const aqsim *sim)
{
  for (const aqsim_queue *q = sim->first_queue; q; q = q->next) {
    /* Orders with a doorbell that looks whether the device sleeps. */
    __atomic_load_n(q->ring.doorbell, __ATOMIC_SEQ_CST);
    if (q->state == AQSIM_QUEUE_ACTIVE && q->noticed < packets_end(q) &&
        packet_is_there(q, q->noticed))
      return true;
  }
  return false;
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

void aqsim_queue_read(const aqsim_queue *queue, uint64_t id, aq_packet *out)
{
  const aq_packet *slot = aq_ring_slot(&queue->ring, id);
  /* Acquire pairs with the producer's release: the body follows. */
  uint32_t header = aq_packet_load_header(slot);
  *out = *slot;
  out->header_setup = header;
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

static void packet_fetch(aqsim_queue *queue, aqsim_flight *flight,
                         aq_time decoded)
{
  uint64_t id = queue->fetched++;
  flight->id = id;
  flight->submit = queue->submitted[id & (queue->ring.size - 1)];
  flight->fetch = decoded;
  aqsim_queue_read(queue, id, &flight->packet);
  packet_hook(queue, flight);
  aqsim_flight_begin(flight);
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
    if (!packet_is_there(queue, queue->fetched)) {
      queue->noticed = queue->fetched;
      break;
    }
    aqsim_flight *flight = aqsim_flight_alloc(queue);
    if (!flight)
      break;
    decoded += model->packet_decode;
    packet_fetch(queue, flight, decoded);
  }
  queue->pipe->units[AQSIM_UNIT_FETCH].free = decoded;
  if (__builtin_expect(queue->device->policy != NULL, false))
    aqsim_policy_fetched(queue);
  aqsim_queue_pump(queue);
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

static void fetch_fire(aqsim_event *event)
{
  aqsim_queue_fetch(
      (aqsim_queue *)(void *)((char *)event -
                              offsetof(aqsim_queue, fetch_event)));
}

void aqsim_queue_begin(aqsim_queue *queue)
{
  queue->fetch_event.fire = fetch_fire;
}

void aqsim_queue_retire(aqsim_queue *queue, uint64_t id)
{
  uint64_t mask = queue->ring.size - 1;
  uint64_t read = queue->amd.read_dispatch_id;
  queue->completed[id & mask] = 1;
  while (queue->completed[read & mask]) {
    queue->completed[read & mask] = 0;
    __atomic_store_n(&queue->ring.packets[read & mask].header_setup,
                     (uint32_t)AQ_PACKET_INVALID, __ATOMIC_RELAXED);
    read++;
  }
  /* Release: the slots are INVALID before a producer may take them. */
  __atomic_store_n(&queue->amd.read_dispatch_id, read, __ATOMIC_RELEASE);
  /* Live: a host that goes to sleep just now looks again a little later. */
  if (__atomic_load_n(&queue->sleepers, __ATOMIC_RELAXED))
    queue->sim->signals.awake(queue->sim->signals.awake_user, UINT32_MAX);
}

/* Frees what was decoded and not launched. */
static void decoded_drop(aqsim_queue *queue)
{
  while (queue->turn_first) {
    aqsim_flight *flight = queue->turn_first;
    queue->turn_first = flight->next;
    if (flight->sleeping)
      aqsim_calendar_forget(&queue->sim->calendar, &flight->event,
                            sizeof flight->event);
    flight->sleeping = false;
    aqsim_flight_free(flight);
  }
  queue->turn_last = NULL;
  queue->waiting = 0;
  if (queue->fetch_pending)
    aqsim_calendar_forget(&queue->sim->calendar, &queue->fetch_event,
                          sizeof queue->fetch_event);
  queue->fetch_pending = false;
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
  decoded_drop(queue);
  if (!begun)
    return;
  begun->next = NULL;
  queue->turn_first = queue->turn_last = begun;
  queue->waiting = 1;
}

void aqsim_queue_stop(aqsim_queue *queue, aqsim_queue_state state)
{
  queue->state = state;
  decoded_drop(queue);
  aqsim_queue_unmap(queue);
}
