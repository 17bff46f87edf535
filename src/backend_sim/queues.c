/* SPDX-License-Identifier: MIT */
#include "backend_sim/queues.h"

#include <stdlib.h>
#include <string.h>

#include "backend_sim/processor.h"

/* ---- flights ---- */

aqsim_flight *aqsim_flight_alloc(aqsim_queue *queue)
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

void aqsim_flight_free(aqsim_flight *flight)
{
  flight->in_use = false;
  flight->next = flight->queue->free;
  flight->queue->free = flight;
}

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

/* A doorbell on a queue that had nothing to do: the scheduler may have taken
 * its hardware slot away. */
static void queue_map(aqsim_queue *queue)
{
  const aqsim_model *model = queue->device->model;
  aq_time now = queue->sim->now;
  if (queue->mapped_once && now - queue->idle_since < model->unmap_after)
    return;
  queue->mapped_once = true;
  queue->mapped_at = now + model->remap_latency;
}

static bool packet_is_there(const aqsim_queue *queue, uint64_t id)
{
  uint32_t header = aq_packet_load_header(aq_ring_slot(&queue->ring, id));
  return aq_header_type(header) != AQ_PACKET_INVALID;
}

void aqsim_queue_notice(aqsim_queue *queue)
{
  uint64_t write = aq_ring_write_index(&queue->ring);
  uint64_t id = queue->noticed;
  if (id >= write || queue->state != AQSIM_QUEUE_ACTIVE ||
      !packet_is_there(queue, id))
    return;
  if (aqsim_queue_is_idle(queue))
    queue_map(queue);
  uint64_t mask = queue->ring.size - 1;
  uint64_t end = queue->amd.read_dispatch_id + queue->ring.size;
  end = write < end ? write : end;
  aq_time now = queue->sim->now;
  do
    queue->submitted[id++ & mask] = now;
  while (id < end && packet_is_there(queue, id));
  queue->noticed = id;
  aqsim_queue_fetch_more(queue);
}

void aqsim_queues_notice(aqsim *sim)
{
  for (aqsim_queue *q = sim->first_queue; q; q = q->next)
    aqsim_queue_notice(q);
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
  if (queue->state != AQSIM_QUEUE_ACTIVE || !flight_available(queue))
    return;
  aq_time time = packet_known(queue, queue->fetched);
  time = aq_time_max(time, aq_time_max(queue->fetch_free, queue->sim->now));
  queue->fetch_pending = true;
  aqsim_calendar_push(&queue->sim->calendar, &queue->fetch_event, time,
                      AQSIM_AT_FETCH);
}

static void packet_fetch(aqsim_queue *queue, aqsim_flight *flight,
                         aq_time decoded)
{
  uint64_t id = queue->fetched++;
  flight->id = id;
  flight->submit = queue->submitted[id & (queue->ring.size - 1)];
  flight->fetch = decoded;
  flight->packet = *aq_ring_slot(&queue->ring, id);
  aqsim_flight_begin(flight);
}

/* Reads one batch out of the ring. What the slots hold now counts: a header
 * that became INVALID again stalls the queue until the next look. */
static void queue_fetch(aqsim_event *event)
{
  aqsim_queue *queue =
      (aqsim_queue *)(void *)((char *)event -
                              offsetof(aqsim_queue, fetch_event));
  const aqsim_model *model = queue->device->model;
  aq_time now = queue->sim->now, decoded = now + model->packet_fetch;
  queue->fetch_pending = false;
  for (int64_t i = 0; i < model->fetch_batch; i++) {
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
  queue->fetch_free = decoded;
  aqsim_queue_pump(queue);
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
}

void aqsim_queue_stop(aqsim_queue *queue, aqsim_queue_state state)
{
  queue->state = state;
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

/* ---- life ---- */

static aq_status queue_check(const aqsim *sim, const aq_queue_desc *desc,
                             aq_diag *diag)
{
  if (desc->device >= sim->device_count)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "queue_create: device %u; expected less than %u",
                       desc->device, sim->device_count);
  const aqsim_device *device = &sim->devices[desc->device];
  const aqsim_model *model = device->model;
  if (desc->size == 0 || (desc->size & (desc->size - 1)) ||
      desc->size < model->queue_size_min)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "queue_create: size %u; expected a power of two, at "
                       "least %lld",
                       desc->size, (long long)model->queue_size_min);
  if (desc->size > model->queue_size_max)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY,
                       "queue_create: size %u; %s has at most %lld", desc->size,
                       model->name, (long long)model->queue_size_max);
  if (desc->type != AQ_QUEUE_MULTI && desc->type != AQ_QUEUE_SINGLE)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "queue_create: type %d; expected MULTI or SINGLE",
                       (int)desc->type);
  if (device->queue_count >= model->queues_max)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY,
                       "queue_create: %s has at most %lld queues", model->name,
                       (long long)model->queues_max);
  return AQ_OK;
}

static void queue_free(aqsim_queue *queue)
{
  free(queue->ring.packets);
  free(queue->submitted);
  free(queue->completed);
  free(queue->flights);
  free(queue);
}

static uint64_t queue_events(const aqsim_queue *queue)
{
  return 1 + (uint64_t)queue->ring.size * AQSIM_FLIGHT_EVENTS;
}

/* Allocates the queue, its ring and what the processor keeps beside it. */
static aqsim_queue *queue_alloc(aqsim *sim, uint32_t size)
{
  aqsim_queue *queue = aligned_alloc(_Alignof(aqsim_queue), sizeof *queue);
  if (!queue)
    return NULL;
  memset(queue, 0, sizeof *queue);
  queue->ring.size = size;
  queue->ring.packets =
      aligned_alloc(AQ_PACKET_SIZE, (size_t)size * AQ_PACKET_SIZE);
  queue->submitted = calloc(size, sizeof *queue->submitted);
  queue->completed = calloc(size, sizeof *queue->completed);
  /* Fresh pages of flights cost nothing until that many are in flight. */
  queue->flights = calloc(size, sizeof *queue->flights);
  if (queue->ring.packets && queue->submitted && queue->completed &&
      queue->flights &&
      aqsim_calendar_reserve(&sim->calendar, queue_events(queue)))
    return queue;
  queue_free(queue);
  return NULL;
}

/* The memory that clients and the processor share, as the HSA ABI has it. */
static void queue_init_abi(aqsim_queue *queue, const aq_queue_desc *desc)
{
  uint32_t size = queue->ring.size;
  memset(queue->ring.packets, 0, (size_t)size * AQ_PACKET_SIZE);
  for (uint32_t i = 0; i < size; i++)
    queue->ring.packets[i].header = AQ_PACKET_INVALID;
  queue->ring.write_index = &queue->amd.write_dispatch_id;
  queue->ring.read_index = &queue->amd.read_dispatch_id;
  queue->ring.doorbell = &queue->doorbell;
  queue->doorbell = UINT64_MAX;
  queue->doorbell_signal =
      (aq_amd_signal){.kind = AQ_AMD_SIGNAL_DOORBELL,
                      .value = (int64_t)(uintptr_t)&queue->doorbell,
                      .queue = (uintptr_t)&queue->amd};
  queue->amd.hsa =
      (aq_hsa_queue){.type = desc->type,
                     .features = 1, /* kernel dispatch */
                     .base = queue->ring.packets,
                     .doorbell = {(uintptr_t)&queue->doorbell_signal},
                     .size = size,
                     .id = queue->ring.id};
  queue->amd.read_dispatch_id_offset = offsetof(aq_amd_queue, read_dispatch_id);
}

static aq_status queue_announce(aqsim *sim, aqsim_queue *queue, aq_diag *diag)
{
  queue->record = AQ_NONE;
  if (!aqsim_recorder_on(&sim->recorder))
    return AQ_OK;
  aq_run_queue row = {queue->device->record, queue->ring.id};
  return sim->recorder.sink->queue(sim->recorder.sink, &row, &queue->record,
                                   diag);
}

aq_status aqsim_queue_create(aqsim *sim, const aq_queue_desc *desc,
                             aqsim_queue **out, aq_diag *diag)
{
  aq_status status = queue_check(sim, desc, diag);
  if (status != AQ_OK)
    return status;
  aqsim_queue *queue = queue_alloc(sim, desc->size);
  if (!queue)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY,
                       "out of memory for a queue of %u packets", desc->size);
  queue->sim = sim;
  queue->device = &sim->devices[desc->device];
  queue->ring.id = sim->queues_created;
  queue->error = desc->error;
  queue->user = desc->user;
  queue->mapped_at = queue->launch_free = queue->fetch_free = sim->now;
  queue->last_end = AQ_TIME_NONE;
  queue->fetch_event.fire = queue_fetch;
  queue_init_abi(queue, desc);
  status = queue_announce(sim, queue, diag);
  if (status != AQ_OK) {
    aqsim_calendar_release(&sim->calendar, queue_events(queue));
    queue_free(queue);
    return status;
  }
  sim->queues_created++;
  queue->device->queue_count++;
  queue->previous = sim->last_queue;
  if (sim->last_queue)
    sim->last_queue->next = queue;
  else
    sim->first_queue = queue;
  sim->last_queue = queue;
  *out = queue;
  return AQ_OK;
}

static void queue_unlink(aqsim *sim, aqsim_queue *queue)
{
  if (queue->previous)
    queue->previous->next = queue->next;
  else
    sim->first_queue = queue->next;
  if (queue->next)
    queue->next->previous = queue->previous;
  else
    sim->last_queue = queue->previous;
}

void aqsim_queue_destroy(aqsim_queue *queue)
{
  aqsim *sim = queue->sim;
  aqsim_queue_stop(queue, AQSIM_QUEUE_INACTIVE);
  for (uint32_t i = 0; i < queue->fresh; i++)
    aqsim_gate_disarm(&queue->flights[i].gate);
  aqsim_calendar_forget(&sim->calendar, queue->flights,
                        queue->fresh * sizeof *queue->flights);
  queue_unlink(sim, queue);
  queue->destroyed = true;
  queue->device->queue_count--;
  queue->next = sim->destroyed;
  sim->destroyed = queue;
  aqsim_queues_sweep(sim);
}

void aqsim_queues_sweep(aqsim *sim)
{
  while (sim->depth == 0 && sim->destroyed) {
    aqsim_queue *queue = sim->destroyed;
    sim->destroyed = queue->next;
    aqsim_calendar_release(&sim->calendar, queue_events(queue));
    queue_free(queue);
  }
}
