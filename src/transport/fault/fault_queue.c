/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/fault/fault_core.h"

enum { TYPE_UNKNOWN = 255 };

static aq_faulty_queue *queue_from(aq_ring *ring)
{
  return (aq_faulty_queue *)(void *)ring;
}

static uint8_t *slot_state(const aq_faulty_queue *queue, uint64_t id)
{
  return &queue->slots[id & (queue->ring.size - 1)];
}

/* Behind the last id whose slot belongs to a client now: a producer that
 * advances the write index before the ring has room does not own its slot. */
static uint64_t queue_end(const aq_faulty_queue *queue)
{
  uint64_t write = aq_ring_write_index(&queue->ring);
  uint64_t end = aq_ring_read_index(&queue->ring) + queue->ring.size;
  return write < end ? write : end;
}

/* ---- packets ---- */

static aq_fault_state *find(const aq_faulty_queue *queue, aq_fault_kind kind,
                            uint64_t at)
{
  return aq_faulty_find(queue->owner, kind, queue->number, at);
}

static void begin(aq_fault_state *state, aq_faulty_queue *queue, uint64_t id,
                  const aq_packet *packet)
{
  state->stage = AQ_FAULT_ACTING;
  state->queue = queue;
  state->id = id;
  if (packet)
    state->packet = *packet;
}

/* The signal that never changes; a handle of 0 when there is no memory. */
static aq_signal never_signal(aq_faulty *f)
{
  if (!f->never.handle &&
      f->ops->signal_create(f->inner,
                            &(aq_signal_desc){.value = 1, .user = UINT64_MAX},
                            &f->never, NULL) != AQ_OK)
    f->never.handle = 0;
  return f->never;
}

static bool is_barrier_value(const aq_packet *packet)
{
  return aq_header_type(packet->header) == AQ_PACKET_VENDOR &&
         packet->barrier_value.format == AQ_AMD_FORMAT_BARRIER_VALUE;
}

/* A barrier-OR waits for nothing else, or the others would open it. */
static void dependency_replace(aq_packet *packet, aq_signal never)
{
  aq_barrier_packet *barrier = &packet->barrier;
  if (is_barrier_value(packet)) {
    packet->barrier_value.signal = never;
    packet->barrier_value.value = 0;
    packet->barrier_value.mask = -1;
    packet->barrier_value.condition = AQ_EQ;
    return;
  }
  bool any = aq_header_type(barrier->header) == AQ_PACKET_BARRIER_OR;
  barrier->dependency[0] = never;
  for (int i = 1; i < AQ_BARRIER_DEPENDENCIES && any; i++)
    barrier->dependency[i].handle = 0;
}

/* Applies the faults to a packet. */
static void packet_spoil(aq_faulty_queue *queue, uint64_t id, aq_packet *packet)
{
  aq_faulty *f = queue->owner;
  const aq_packet client = *packet;
  aq_fault_state *state;
  unsigned type = aq_header_type(packet->header);
  if (type == AQ_PACKET_BARRIER_AND || type == AQ_PACKET_BARRIER_OR ||
      is_barrier_value(packet)) {
    state = find(queue, AQ_FAULT_DEPENDENCY_MISSING, queue->barriers++);
    if (state && never_signal(f).handle) {
      begin(state, queue, id, &client);
      dependency_replace(packet, f->never);
    }
  }
  state = find(queue, AQ_FAULT_HEADER_CORRUPTED, id);
  if (state) {
    begin(state, queue, id, &client);
    packet->header = (uint16_t)((packet->header & ~AQ_HEADER_TYPE_MASK) |
                                aq_faulty_fault(f, state)->type);
  }
  state = find(queue, AQ_FAULT_QUEUE_ERROR, id);
  if (state) {
    begin(state, queue, id, &client);
    packet->header |= TYPE_UNKNOWN;
  }
}

/* Whether the header of a packet that was published comes late. */
static bool packet_is_late(aq_faulty_queue *queue, uint64_t id)
{
  aq_faulty *f = queue->owner;
  aq_fault_state *state = find(queue, AQ_FAULT_HEADER_LATE, id);
  if (!state)
    return false;
  begin(state, queue, id, NULL);
  state->stage = AQ_FAULT_DUE;
  state->due =
      aq_time_add(f->ops->now(f->inner), aq_faulty_fault(f, state)->delay);
  *slot_state(queue, id) = AQ_SLOT_LATE;
  return true;
}

/* Some clients store a header of 0 and then OR the rest in: without a doorbell
 * it says nothing. */
static bool packet_is_there(const aq_faulty_queue *queue, uint64_t id)
{
  uint32_t header = aq_packet_load_header(aq_ring_slot(&queue->ring, id));
  if (header == 0)
    return queue->announced != UINT64_MAX && id <= queue->announced;
  return aq_header_type(header) != AQ_PACKET_INVALID;
}

static void queue_pass(aq_faulty_queue *queue)
{
  const uint64_t end = queue_end(queue);
  for (uint64_t id = queue->next_id; id < end; id++)
    if (*slot_state(queue, id) == AQ_SLOT_CLIENT &&
        packet_is_there(queue, id) && !packet_is_late(queue, id)) {
      aq_packet *from = aq_ring_slot(&queue->ring, id);
      aq_packet *to = aq_ring_slot(queue->inner, id);
      aq_packet packet = *from;
      if (queue->owner->schedule.count > 0)
        packet_spoil(queue, id, &packet);
      memcpy((char *)to + sizeof to->header_setup,
             (const char *)&packet + sizeof packet.header_setup,
             sizeof packet - sizeof packet.header_setup);
      aq_packet_publish(to, packet.header, packet.setup);
      *slot_state(queue, id) = AQ_SLOT_PASSED;
    }
  while (queue->next_id < end &&
         *slot_state(queue, queue->next_id) == AQ_SLOT_PASSED)
    *slot_state(queue, queue->next_id++) = AQ_SLOT_CLIENT;
}

/* ---- doorbells ---- */

/* Every id up to `id` changes from one state to another. */
static void slots_change(aq_faulty_queue *queue, uint64_t id,
                         aq_slot_state from, aq_slot_state to)
{
  const uint64_t end = queue_end(queue);
  for (uint64_t i = queue->next_id; i < end && i <= id; i++)
    if (*slot_state(queue, i) == from)
      *slot_state(queue, i) = to;
}

/* A doorbell that gets through also delivers the packets of lost ones. */
static void doorbell_arrive(aq_faulty_queue *queue, uint64_t id)
{
  aq_faulty *f = queue->owner;
  for (size_t i = 0; i < f->schedule.count; i++) {
    aq_fault_state *state = &f->states[i];
    if (state->stage == AQ_FAULT_ACTING && state->queue == queue &&
        f->schedule.faults[i].kind == AQ_FAULT_DOORBELL_LOST && state->id <= id)
      state->stage = AQ_FAULT_OVER;
  }
  slots_change(queue, id, AQ_SLOT_UNTOLD, AQ_SLOT_CLIENT);
  if (queue->announced == UINT64_MAX || queue->announced < id)
    queue->announced = id;
  queue_pass(queue);
}

static void doorbell_announce(aq_faulty_queue *queue, uint64_t id)
{
  aq_faulty *f = queue->owner;
  doorbell_arrive(queue, id);
  f->ops->queue_doorbell(f->inner, queue->inner, id);
  aq_faulty_settle(f);
}

/* Whether a doorbell that the client rings now is lost or late. */
static bool doorbell_is_held(aq_faulty_queue *queue, uint64_t number,
                             uint64_t id)
{
  aq_faulty *f = queue->owner;
  aq_fault_state *state = find(queue, AQ_FAULT_DOORBELL_LOST, number);
  if (!state) {
    state = find(queue, AQ_FAULT_DOORBELL_LATE, number);
    if (!state)
      return false;
    state->due =
        aq_time_add(f->ops->now(f->inner), aq_faulty_fault(f, state)->delay);
  }
  bool lost = aq_faulty_fault(f, state)->kind == AQ_FAULT_DOORBELL_LOST;
  begin(state, queue, id, NULL);
  state->stage = lost ? AQ_FAULT_ACTING : AQ_FAULT_DUE;
  slots_change(queue, id, AQ_SLOT_CLIENT, AQ_SLOT_UNTOLD);
  return true;
}

static void doorbell_repeat(aq_faulty_queue *queue, uint64_t number,
                            uint64_t id)
{
  aq_faulty *f = queue->owner;
  aq_fault_state *state = find(queue, AQ_FAULT_DOORBELL_DUPLICATED, number);
  if (!state)
    return;
  begin(state, queue, id, NULL);
  state->stage = AQ_FAULT_DUE;
  state->due =
      aq_time_add(f->ops->now(f->inner), aq_faulty_fault(f, state)->delay);
}

void aq_faulty_queue_doorbell(aq_transport *t, aq_ring *ring, uint64_t id)
{
  aq_faulty *f = aq_faulty_from(t);
  aq_faulty_queue *queue = queue_from(ring);
  aq_faulty_catch_up(f);
  if (queue->soft) {
    f->ops->queue_doorbell(f->inner, queue->inner, id);
    return;
  }
  /* Release: as the inner cell, which whoever reads it goes by. */
  __atomic_store_n(&queue->doorbell, id, __ATOMIC_RELEASE);
  queue->seen = id;
  uint64_t number = queue->doorbells++;
  if (doorbell_is_held(queue, number, id))
    return;
  doorbell_repeat(queue, number, id);
  doorbell_announce(queue, id); /* a kernel may destroy the queue */
}

/* A doorbell that was stored instead of rung is stored on. */
static void doorbell_notice(aq_faulty_queue *queue)
{
  uint64_t id = __atomic_load_n(&queue->doorbell, __ATOMIC_ACQUIRE);
  if (id == queue->seen)
    return;
  queue->seen = id;
  uint64_t number = queue->doorbells++;
  if (doorbell_is_held(queue, number, id))
    return;
  doorbell_arrive(queue, id);
  __atomic_store_n(queue->inner->doorbell, id, __ATOMIC_RELEASE);
  doorbell_repeat(queue, number, id);
}

void aq_faulty_notice(aq_faulty *f)
{
  for (aq_faulty_queue *q = f->first; q; q = q->next) {
    if (q->soft)
      continue;
    doorbell_notice(q);
    queue_pass(q);
  }
}

void aq_faulty_queue_due(aq_faulty *f, aq_fault_state *state)
{
  aq_faulty_queue *queue = state->queue;
  state->stage = AQ_FAULT_OVER;
  if (aq_faulty_fault(f, state)->kind != AQ_FAULT_HEADER_LATE) {
    doorbell_announce(queue, state->id);
    return;
  }
  if (*slot_state(queue, state->id) == AQ_SLOT_LATE)
    *slot_state(queue, state->id) = AQ_SLOT_CLIENT;
  queue_pass(queue);
  /* The processor looks again at a packet that was announced before. */
  if (queue->announced != UINT64_MAX)
    f->ops->queue_doorbell(f->inner, queue->inner, queue->announced);
  aq_faulty_settle(f);
}

void aq_faulty_settle(aq_faulty *f)
{
  for (aq_faulty_queue *q = f->first; q; q = q->next) {
    const uint64_t read = aq_ring_read_index(q->inner);
    if (q->read_index == read || q->soft)
      continue;
    for (uint64_t id = q->read_index; id < read; id++)
      __atomic_store_n(&aq_ring_slot(&q->ring, id)->header_setup,
                       (uint32_t)AQ_PACKET_INVALID, __ATOMIC_RELAXED);
    /* Release: the slots are INVALID before a producer may take them. */
    __atomic_store_n(&q->read_index, read, __ATOMIC_RELEASE);
  }
}

/* ---- errors ---- */

static aq_fault_state *find_error(const aq_faulty_queue *queue, uint64_t id)
{
  aq_faulty *f = queue->owner;
  for (size_t i = 0; i < f->schedule.count; i++)
    if (f->schedule.faults[i].kind == AQ_FAULT_QUEUE_ERROR &&
        f->states[i].stage == AQ_FAULT_ACTING && f->states[i].queue == queue &&
        f->states[i].id == id)
      return &f->states[i];
  return NULL;
}

/* Reports the error to the client by its own packet. */
static void queue_failed(const aq_queue_error *error, void *user)
{
  aq_faulty_queue *queue = user;
  aq_queue_error changed = *error;
  char words[128];
  aq_faulty_settle(queue->owner);
  const aq_fault_state *state = find_error(queue, error->packet_id);
  if (state) {
    changed.packet = &state->packet;
    changed.reason = aq_faulty_fault(queue->owner, state)->reason;
    snprintf(words, sizeof words,
             "queue %" PRIu32 ": packet %" PRIu64
             " (header 0x%04x): injected error, reason 0x%" PRIx32,
             changed.queue, changed.packet_id, changed.packet->header,
             changed.reason);
    changed.text = words;
  }
  queue->error(&changed, queue->user);
}

/* ---- life ---- */

static void queue_free(aq_faulty_queue *queue)
{
  free(queue->ring.packets);
  free(queue->slots);
  free(queue);
}

/* The shadow ring, as large as the inner one. */
static bool queue_alloc_ring(aq_faulty_queue *queue)
{
  uint32_t size = queue->inner->size;
  queue->ring.packets =
      aligned_alloc(AQ_PACKET_SIZE, (size_t)size * AQ_PACKET_SIZE);
  queue->slots = calloc(size, 1);
  if (!queue->ring.packets || !queue->slots)
    return false;
  memset(queue->ring.packets, 0, (size_t)size * AQ_PACKET_SIZE);
  for (uint32_t i = 0; i < size; i++)
    queue->ring.packets[i].header = AQ_PACKET_INVALID;
  return true;
}

static uint64_t agent_call(const aq_agent_packet *packet, void *user)
{
  aq_faulty_queue *queue = user;
  return queue->agent(packet, queue->user);
}

static aq_faulty_queue *queue_of_inner(const aq_faulty *f, const aq_ring *inner)
{
  aq_faulty_queue *queue = f->first;
  while (queue && queue->inner != inner)
    queue = queue->next;
  return queue;
}

aq_status aq_faulty_queue_create(aq_transport *t, const aq_queue_desc *desc,
                                 aq_ring **out, aq_diag *diag)
{
  aq_faulty *f = aq_faulty_from(t);
  aq_faulty_queue *queue = calloc(1, sizeof *queue);
  if (!queue)
    return aq_diag_no_memory(diag);
  /* The inner queue, with this one in between. */
  aq_queue_desc own = *desc;
  own.error = desc->error ? queue_failed : NULL;
  own.agent = desc->agent ? agent_call : NULL;
  own.user = queue;
  queue->owner = f;
  queue->error = desc->error;
  queue->agent = desc->agent;
  queue->user = desc->user;
  queue->soft = desc->type == AQ_QUEUE_SOFT;
  aq_status status = f->ops->queue_create(f->inner, &own, &queue->inner, diag);
  if (status != AQ_OK) {
    queue_free(queue);
    return status;
  }
  aq_faulty_queue *known = queue_of_inner(f, queue->inner);
  if (known) {
    known->references++;
    queue_free(queue);
    *out = &known->ring;
    return AQ_OK;
  }
  if (!queue_alloc_ring(queue)) {
    f->ops->queue_destroy(f->inner, queue->inner);
    queue_free(queue);
    return aq_diag_no_memory(diag);
  }
  const aq_ring *inner = queue->inner;
  queue->announced = UINT64_MAX;
  queue->references = 1;
  queue->read_index = queue->next_id = aq_ring_read_index(inner);
  queue->doorbell = queue->seen = *inner->doorbell;
  queue->ring.size = inner->size;
  queue->ring.id = inner->id;
  queue->ring.write_index = inner->write_index;
  queue->ring.read_index = &queue->read_index;
  queue->ring.doorbell = queue->soft ? inner->doorbell : &queue->doorbell;
  queue->number = f->queues_created++;
  queue->previous = f->last;
  if (f->last)
    f->last->next = queue;
  else
    f->first = queue;
  f->last = queue;
  *out = &queue->ring;
  return AQ_OK;
}

void aq_faulty_queue_destroy(aq_transport *t, aq_ring *ring)
{
  aq_faulty *f = aq_faulty_from(t);
  aq_faulty_queue *queue = queue_from(ring);
  f->ops->queue_destroy(f->inner, queue->inner);
  if (--queue->references > 0)
    return;
  for (size_t i = 0; i < f->schedule.count; i++)
    if (f->states[i].queue == queue) {
      f->states[i].stage = AQ_FAULT_OVER;
      f->states[i].queue = NULL;
    }
  if (queue->previous)
    queue->previous->next = queue->next;
  else
    f->first = queue->next;
  if (queue->next)
    queue->next->previous = queue->previous;
  else
    f->last = queue->previous;
  queue_free(queue);
}
