/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/observe/state_dump.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend_sim/packet/packet_text.h"
#include "backend_sim/packet/processor.h"
#include "backend_sim/sdma/sdma_ring.h"
#include "backend_sim/transfer/copies.h"

enum {
  STATE = AQSIM_FAULT_TEXT_MAX + 40,
  LINE = AQSIM_PACKET_TEXT_MAX + STATE + 60,
  PLACE_WORDS = 24
};

typedef struct teller {
  const aqsim *sim;
  void (*line)(const char *text, void *user);
  void *user;
} teller;

__attribute__((format(printf, 2, 3))) static void tell(const teller *t,
                                                       const char *fmt, ...)
{
  char text[LINE];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  t->line(text, t->user);
}

/* ---- packets ---- */

static void turn_describe(const aqsim_inflight *inflight, char *text)
{
  const aqsim_queue *queue = inflight->queue;
  if (inflight != queue->line.first)
    snprintf(text, STATE, "waits for the packet before it");
  else if (queue->line.hold & AQSIM_HOLD_CLIENT)
    snprintf(text, STATE, "its queue is suspended");
  else if (queue->line.hold & AQSIM_HOLD_SLOT)
    snprintf(text, STATE, "waits for a hardware queue");
  else if (queue->line.hold & AQSIM_HOLD_PACKET)
    snprintf(text, STATE, "waits for the packet that blocks the queue");
  else if (aq_header_barrier(inflight->packet.header) && queue->line.active > 0)
    snprintf(text, STATE,
             "barrier bit: waits for %" PRIu32 " packets to "
             "complete",
             queue->line.active);
  else
    snprintf(text, STATE, "launches next");
}

static void flight_describe(const aqsim_inflight *inflight, char *text)
{
  char words[AQSIM_SIGNAL_TEXT];
  if (inflight->step == AQSIM_STEP_TURN) {
    turn_describe(inflight, text);
  } else if (inflight->queue->wait.inflight == inflight &&
             inflight->queue->wait.dep_wait.armed) {
    aqsim_dep_wait_describe(&inflight->queue->wait.dep_wait, words);
    snprintf(text, STATE, "waits for %s", words);
  } else if (inflight->grid) {
    aq_resource limit;
    uint32_t room = aqsim_grid_room(inflight->grid, &limit);
    snprintf(text, STATE,
             "active, step %s: %" PRIu32 " workgroups fit on a compute unit, "
             "limited by its %s",
             aqsim_step_texts[inflight->step].name, room,
             aq_resource_name(limit));
  } else {
    snprintf(text, STATE, "active, step %s",
             aqsim_step_texts[inflight->step].name);
  }
}

/* A slot that no packet in flight is about. */
static void slot_describe(const aqsim_queue *queue, uint64_t id,
                          const aq_packet *packet, char *text)
{
  if (queue->state != AQSIM_QUEUE_SOFT &&
      queue->fetch_state.completed[id & (queue->ring.size - 1)])
    snprintf(text, STATE, "complete, its slot waits for those before it");
  else if (aq_header_type(packet->header) == AQ_PACKET_INVALID)
    snprintf(text, STATE, "reserved, not published");
  else if (queue->state == AQSIM_QUEUE_SOFT)
    snprintf(text, STATE, "for the application to serve");
  else if (queue->state == AQSIM_QUEUE_FAILED && id == queue->error.packet)
    snprintf(text, STATE, "stopped the queue: %s", queue->error.text);
  else if (queue->state != AQSIM_QUEUE_ACTIVE)
    snprintf(text, STATE, "ignored: the queue is inactive");
  else
    snprintf(text, STATE, "published, not fetched");
}

static void slot_print(const teller *t, const aqsim_queue *queue, uint64_t id,
                       const aqsim_inflight *inflight)
{
  char decoded[AQSIM_PACKET_TEXT_MAX], state[STATE];
  aq_packet packet;
  const aq_packet *slot = aq_ring_slot(&queue->ring, id);
  packet.header_setup = aq_packet_load_header(slot);
  if (inflight)
    packet = inflight->packet;
  else if (aq_header_type(packet.header) != AQ_PACKET_INVALID)
    packet = *slot;
  if (inflight)
    flight_describe(inflight, state);
  else
    slot_describe(queue, id, &packet, state);
  aqsim_packet_decode(t->sim, &packet, decoded);
  tell(t, "  packet %" PRIu64 ": %s (%s)", id, state, decoded);
}

/* ---- queues ---- */

static const char *state_name(const aqsim_queue *queue)
{
  static const char *const names[] = {[AQSIM_QUEUE_ACTIVE] = "active",
                                      [AQSIM_QUEUE_INACTIVE] = "inactive",
                                      [AQSIM_QUEUE_FAILED] = "failed",
                                      [AQSIM_QUEUE_SOFT] = "soft"};
  return names[queue->state];
}

static const char *rank_name(aqsim_rank rank)
{
  return rank == AQSIM_RANK_HIGH  ? "high"
         : rank == AQSIM_RANK_LOW ? "low"
                                  : "normal";
}

static void queue_print(const teller *t, const aqsim_queue *queue)
{
  uint64_t read = aq_ring_read_index(&queue->ring);
  uint64_t write = aq_ring_write_index(&queue->ring);
  uint64_t rung = __atomic_load_n(queue->ring.doorbell, __ATOMIC_ACQUIRE);
  tell(t,
       "queue %" PRIu32 ": %s, %s %" PRIu32 ", size %" PRIu32 ", read %" PRIu64
       ", write %" PRIu64 ", doorbell %" PRId64 ", fetched %" PRIu64
       ", %" PRIu32 " decoded, %" PRIu32 " active, priority %s, %" PRIu32
       " CUs",
       queue->ring.id, state_name(queue), queue->host ? "host" : "device",
       queue->host ? 0 : queue->device->ordinal, queue->ring.size, read, write,
       (int64_t)rung, queue->fetch_state.fetched, queue->line.waiting,
       queue->line.active, rank_name(queue->rank), queue->cus.count);
  uint64_t end =
      write - read < queue->ring.size ? write : read + queue->ring.size;
  /* Without memory the slots are listed all the same, as the ring has them. */
  const aqsim_inflight **inflights =
      calloc(queue->ring.size, sizeof *inflights);
  for (uint32_t i = 0; inflights && i < queue->pool.fresh; i++)
    if (queue->pool.inflights[i].in_use)
      inflights[queue->pool.inflights[i].id & (queue->ring.size - 1)] =
          &queue->pool.inflights[i];
  for (uint64_t id = read; id < end; id++) {
    const aqsim_inflight *inflight =
        inflights ? inflights[id & (queue->ring.size - 1)] : NULL;
    slot_print(t, queue, id, inflight && inflight->id == id ? inflight : NULL);
  }
  free(inflights);
}

static void place_describe(uint32_t device, char words[PLACE_WORDS])
{
  if (device == AQ_DEVICE_HOST)
    snprintf(words, PLACE_WORDS, "host");
  else
    snprintf(words, PLACE_WORDS, "device %" PRIu32, device);
}

static void copy_state_describe(const aqsim_copy *copy, char *words,
                                size_t size)
{
  switch (copy->state) {
  case AQSIM_COPY_WAITS:
    snprintf(words, size, "waits for engine %" PRIu32, copy->engine);
    break;
  case AQSIM_COPY_SETS_UP:
    snprintf(words, size, "begins on engine %" PRIu32, copy->engine);
    break;
  case AQSIM_COPY_MOVES:
    snprintf(words, size, "moves at %" PRId64 " B/s on engine %" PRIu32,
             copy->transfer.rate, copy->engine);
    break;
  case AQSIM_COPY_COMPLETES:
    snprintf(words, size, "completes");
    break;
  }
}

/* Only while there is some. */
static void bandwidth_print(const teller *t, const aqsim_device *device)
{
  int64_t rate = aqsim_copies_bandwidth(device);
  if (rate > 0)
    tell(t, "device %" PRIu32 ": copies use %" PRId64 " B/s of its memory",
         device->ordinal, rate);
}

void aqsim_inspect(const aqsim *sim, void (*line)(const char *text, void *user),
                   void *user)
{
  const teller t = {sim, line, user};
  tell(&t, "time %" PRId64 " ps, %zu events pending", sim->now,
       aqsim_calendar_count(&sim->calendar));
  for (const aqsim_queue *q = sim->first_queue; q; q = q->next)
    queue_print(&t, q);
  for (const aqsim_sdma *ring = sim->first_sdma; ring;
       ring = aqsim_sdma_next(ring)) {
    char state[AQSIM_SDMA_STATE_TEXT];
    aqsim_sdma_describe(ring, state);
    tell(&t, "%s", state);
  }
  for (const aqsim_copy *c = sim->copies; c; c = c->next) {
    char words[AQSIM_SIGNAL_TEXT + 64], from[PLACE_WORDS], to[PLACE_WORDS];
    place_describe(c->from_device, from);
    place_describe(c->to_device, to);
    if (c->dep_wait.armed) {
      size_t used = (size_t)snprintf(words, sizeof words, "waits for ");
      aqsim_dep_wait_describe(&c->dep_wait, words + used);
    } else {
      copy_state_describe(c, words, sizeof words);
    }
    tell(&t, "copy %" PRIu64 " of device %" PRIu32 ": %zu bytes, %s to %s, %s",
         c->line.number, c->device->ordinal, c->size, from, to, words);
  }
  for (uint32_t i = 0; i < sim->device_count; i++) {
    /* Only while there are some. */
    const aqsim_device *device = &sim->devices[i];
    aqsim_dispatcher_sample sample;
    aqsim_dispatcher_scan(device->dispatcher, device->sim->now, &sample);
    if (sample.running > 0)
      tell(&t,
           "device %" PRIu32 ": %" PRIu64 " workgroups, %" PRIu64
           " waves, run on %" PRIu32 " of %" PRId64 " compute units",
           device->ordinal, sample.running, sample.waves, sample.busy,
           device->model->cus);
    bandwidth_print(&t, &sim->devices[i]);
  }
}
