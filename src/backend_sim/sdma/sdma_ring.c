/* SPDX-License-Identifier: MIT */
/*
 * Rings of copy engines.
 *
 * States, and what ends them:
 *
 *   idle      nothing announced is left, the last packet has words to come, or
 *             the ring is suspended. A doorbell, or the end of the suspension
 *   reads     the engine reads the packet at the read index. Its event,
 *             copy_packet later
 *   copies    its copy is at its engine: in line, setting up, moving
 *             (transfer/copies.c). The copy's end
 *   polls     a word of memory does not fulfil a condition so far. A change
 *             of the word, seen dependency_poll later
 *   failed    for good; `failure` says at which packet and why
 *
 * A packet is executed whole before the next is read, in the order of the ring:
 * a fence behind a copy is stored when all bytes have arrived. The read index
 * moves behind each packet. The doorbell alone announces packets, never the
 * write index; a packet whose last words are not announced waits for them.
 * A packet may continue at the beginning of the ring.
 *
 * Engines. A ring belongs to one; an engine serves one copy at a time, in the
 * order in which they became ready, whichever ring or call they come from. So
 * rings of one engine take turns by packet, rings of several overlap, and share
 * the links of their paths. A ring that polls leaves its engine to others. A
 * copy directly behind another one of its ring was read ahead: its bytes
 * follow without copy_latency and the path's.
 *
 * Owners. Ring, indices and doorbell are the client's; the engine writes the
 * read index alone, and the doorbell once, when the ring is made. The state,
 * the copy and the dependency wait are the ring's, under the simulator's lock.
 * No lock of its own. Loads of words are relaxed behind an acquire of the
 * doorbell; the read index is a release, so that a client that reuses the space
 * comes behind the engine's loads.
 *
 * Memory that a packet names must be allowed to the device by the allocation
 * map, where there is one, and mapped; a copy's pages are asked for when its
 * bytes move. Engines change signals as plain memory: watchers find the change
 * by polling.
 *
 * Failures; all are one line with device, engine, ring, packet and byte:
 *
 *   cause                                       the ring    reported by
 *   opcode, flag or field that is refused       failed      system event
 *   packet larger than the ring                 failed      system event
 *   memory of blocks that lie apart here        failed      system event
 *   doorbell off words, back, beyond the ring   failed      system event
 *   memory that is not there or not allowed     failed      system event
 *   ring destroyed with packets left            gone        nothing
 *   no memory when it is made                   not made    the call
 */
#include "config.h"

#include "backend_sim/sdma/sdma_ring.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend_sim/client.h"
#include "backend_sim/completion.h"
#include "backend_sim/engine/memory_ops.h"
#include "backend_sim/sdma/sdma_packet.h"
#include "backend_sim/transfer/copies.h"
#include "common/allocations.h"

enum {
  WORD = 4,
  RING_EVENTS = 2 + AQSIM_COPY_EVENTS, /* its own, the poll's, the copy's */
  LINE = 200 + AQSIM_SDMA_TEXT_MAX,
};

typedef enum ring_state {
  RING_IDLE,
  RING_READS,
  RING_COPIES,
  RING_POLLS,
  RING_FAILED,
} ring_state;

struct aqsim_sdma {
  aqsim_event event; /* first */
  aqsim_dep_wait wait;
  aqsim_dep dep;
  aqsim_sdma *next, *previous; /* in the order of creation */
  aqsim *sim;
  aqsim_device *device;
  aqsim_sdma_desc desc;
  aq_sdma_form form;
  uint32_t number; /* of the ring in its transport */
  ring_state state;
  bool suspended;
  bool copied; /* the packet before was a copy, and ended just now */
  uint64_t read, announced; /* bytes since the beginning */
  uint64_t packets;         /* executed so far */
  aq_time rung;             /* when the doorbell was noticed last */
  aqsim_sdma_packet packet;
  char failure[LINE];
  aqsim_copy copy; /* last: it ends with no dependencies */
};

/* ---- failures ---- */

static void ring_fail(aqsim_sdma *ring, const char *text)
{
  ring->state = RING_FAILED;
  snprintf(ring->failure, sizeof ring->failure,
           "copy ring %" PRIu32 " of device %" PRIu32 ", engine %" PRIu32
           ": packet %" PRIu64 " at byte %" PRIu64 " (%s): %s",
           ring->number, ring->device->ordinal, ring->desc.engine,
           ring->packets, ring->read,
           ring->packet.name ? ring->packet.name : "none", text);
}

static void ring_stop(aqsim_sdma *ring, const char *text)
{
  const aq_system_event event = {.kind = AQSIM_EVENT_STOPPED,
                                 .device = ring->device->ordinal,
                                 .queue = AQ_QUEUE_NONE,
                                 .packet_id = ring->packets,
                                 .text = ring->failure};
  ring_fail(ring, text);
  aqsim_system_event_report(ring->sim, &event);
}

static void ring_fault(aqsim_sdma *ring, const char *what, uint64_t address,
                       aq_fault_reason reason)
{
  char text[AQSIM_SDMA_TEXT_MAX];
  snprintf(text, sizeof text, "memory fault, %s %#" PRIx64, what, address);
  ring_fail(ring, text);
  const aq_system_event event = {.kind = AQ_EVENT_MEMORY_FAULT,
                                 .device = ring->device->ordinal,
                                 .queue = AQ_QUEUE_NONE,
                                 .packet_id = ring->packets,
                                 .address = address,
                                 .text = ring->failure,
                                 .reasons = reason};
  aqsim_system_event_report(ring->sim, &event);
}

/* ---- memory ---- */

/* Memory that a packet names. */
typedef struct place {
  uint64_t missing;       /* the first byte that is not allowed */
  aq_fault_reason reason; /* why */
  uint32_t device;        /* in whose memory the first byte lies */
  uint64_t shift;         /* of an address to where this process reaches it */
} place;

/* Whether an access is allowed from `at` on, and where that ends. Of memory
 * that no allocation covers, an open map leaves it to the pages. */
static bool byte_find(const aqsim_sdma *ring, uint64_t at, aq_access access,
                      uint64_t *end, place *out)
{
  const aq_allocations *map = ring->sim->allocations;
  aq_allocation a;
  if (aq_allocations_find(map, at, ring->device->ordinal, access, &a)) {
    *end = aq_allocation_end(&a);
    out->device = a.device;
    out->shift = a.shift;
    return true;
  }
  if (aq_allocations_are_open(map) && !aq_allocations_cover(map, at)) {
    *end = (at | (AQ_ALLOCATION_PAGE - 1)) + 1;
    out->device = AQ_DEVICE_OF_ADDRESS;
    out->shift = 0;
    return true;
  }
  out->missing = at;
  out->reason = access == AQ_ACCESS_WRITE &&
                        aq_allocations_find(map, at, ring->device->ordinal,
                                            AQ_ACCESS_READ, &a)
                    ? AQ_FAULT_READ_ONLY
                    : AQ_FAULT_NOT_PRESENT;
  return false;
}

static const char *access_text(aq_access access)
{
  return access == AQ_ACCESS_WRITE ? "write to" : "read of";
}

/* Whether the device may access all rows of a box, and this process reaches
 * them where its first byte says; false: the ring failed. Without a map, the
 * pages decide. */
static bool box_find(aqsim_sdma *ring, uint64_t at, const aqsim_copy_rect *box,
                     const aq_copy_pitch *pitch, aq_access access, place *out)
{
  uint64_t begin = 1, end = 0; /* of the allocation found last */
  char text[AQSIM_SDMA_TEXT_MAX];
  *out = (place){.device = AQ_DEVICE_OF_ADDRESS};
  if (!ring->sim->allocations)
    return true;
  for (uint32_t z = 0; z < box->slices; z++)
    for (uint32_t y = 0; y < box->rows; y++) {
      const uint64_t row = at + z * pitch->slice + y * pitch->row;
      for (uint64_t done = 0; done < box->width; done = end - row) {
        const uint64_t byte = row + done; /* addresses wrap, `done` does not */
        place found;
        if (byte >= begin && byte < end)
          continue;
        if (!byte_find(ring, byte, access, &end, &found)) {
          ring_fault(ring, access_text(access), found.missing, found.reason);
          return false;
        }
        begin = byte;
        if (done == 0 && y == 0 && z == 0)
          *out = found;
        if (found.shift == out->shift)
          continue;
        snprintf(text, sizeof text,
                 "blocks that lie apart in this process, from %#" PRIx64
                 " to %#" PRIx64,
                 at, byte);
        ring_stop(ring, text);
        return false;
      }
    }
  return true;
}

/* Where this process reaches a word, or a run of them; NULL: the ring failed.
 */
static void *run_reach(aqsim_sdma *ring, uint64_t address, uint64_t size,
                       aq_access access)
{
  const aqsim_copy_rect box = {.width = size, .rows = 1, .slices = 1};
  const uint64_t at = aq_allocations_reach(ring->sim->allocations, address);
  uint64_t unmapped;
  place where;
  if (!box_find(ring, address, &box, &box.to, access, &where))
    return NULL;
  if (aqsim_memory_unmapped(access == AQ_ACCESS_WRITE ? AQSIM_WRITE
                                                      : AQSIM_READ,
                            at, size, &unmapped)) {
    ring_fault(ring, access_text(access), unmapped - at + address,
               AQ_FAULT_NOT_PRESENT);
    return NULL;
  }
  return (void *)(uintptr_t)at;
}

/* A word of the ring. The doorbell orders it; the acquire shows that to tools
 * which take the client's mapping of the doorbell for other memory. */
static uint32_t word_at(const aqsim_sdma *ring, uint64_t byte)
{
  return __atomic_load_n(
      &ring->desc.words[(byte & (ring->desc.size - 1)) / WORD],
      __ATOMIC_ACQUIRE);
}

/* ---- from packet to packet ---- */

static void ring_read(aqsim_sdma *ring)
{
  ring->state = RING_READS;
  aqsim_calendar_push(&ring->sim->calendar, &ring->event,
                      ring->sim->now + ring->device->model->copy_packet,
                      AQSIM_AT_FETCH);
}

/* Continues if there is something to read. */
static void ring_wake(aqsim_sdma *ring)
{
  if (ring->state != RING_IDLE)
    return;
  ring->copied = false;
  if (!ring->suspended && ring->read < ring->announced)
    ring_read(ring);
}

static void packet_done(aqsim_sdma *ring)
{
  const bool copied = ring->state == RING_COPIES;
  ring->read += (uint64_t)ring->packet.words * WORD;
  ring->packets++;
  __atomic_store_n(ring->desc.read_index, ring->read, __ATOMIC_RELEASE);
  ring->state = RING_IDLE;
  ring_wake(ring);
  ring->copied = copied && ring->state == RING_READS;
}

/* ---- copies ---- */

static aqsim_sdma *ring_of_copy(aqsim_copy *copy)
{
  return (aqsim_sdma *)(void *)((char *)copy - offsetof(aqsim_sdma, copy));
}

static void copy_moved(aqsim_copy *copy)
{
  packet_done(ring_of_copy(copy));
}

static void copy_failed(aqsim_copy *copy, const char *what, uint64_t unmapped)
{
  ring_fault(ring_of_copy(copy), what, unmapped, AQ_FAULT_NOT_PRESENT);
}

static const aqsim_copy_owner copy_owner = {copy_moved, copy_failed};

static void copy_begin(aqsim_sdma *ring)
{
  const aqsim_sdma_packet *p = &ring->packet;
  const bool fills = p->kind == AQSIM_SDMA_SET;
  const aq_copy_box box = {.width = (uint32_t)p->box.width,
                           .rows = p->box.rows,
                           .slices = p->box.slices,
                           .to = p->box.to,
                           .from = p->box.from};
  const aqsim_copy_fill fill = {fills ? p->unit : 0, (uint32_t)p->value};
  place to, from;
  if (!box_find(ring, p->to, &p->box, &p->box.to, AQ_ACCESS_WRITE, &to))
    return;
  if (fills)
    from.device = ring->device->ordinal;
  else if (!box_find(ring, p->from, &p->box, &p->box.from, AQ_ACCESS_READ,
                     &from))
    return;
  const bool rows = p->box.rows > 1 || p->box.slices > 1;
  const aq_copy_desc desc = {.device = ring->device->ordinal,
                             .engine = ring->desc.engine,
                             .to_device = to.device,
                             .from_device = from.device,
                             .to = (void *)(uintptr_t)p->to,
                             .from = (const void *)(uintptr_t)p->from,
                             .size = p->size,
                             .box = rows ? &box : NULL};
  ring->state = RING_COPIES;
  ring->copy.owner = &copy_owner;
  ring->copy.follows = ring->copied;
  aqsim_copy_start(&ring->copy, ring->sim, &desc, &fill);
  ring->copy.submit = ring->rung;
}

/* ---- other packets ---- */

/* A checker sees a plain store as a copy without a source, which takes no time.
 * Atomics are not among them: as of signals, they order, and unwritten memory
 * stays unwritten. */
static void store_check(aqsim_sdma *ring, uint64_t to, uint64_t size)
{
  aqsim *sim = ring->sim;
  const aq_order_hooks *order = sim->order;
  const aq_copy_desc desc = {.device = ring->device->ordinal,
                             .engine = ring->desc.engine,
                             .to_device = AQ_DEVICE_OF_ADDRESS,
                             .from_device = ring->device->ordinal,
                             .to = (void *)(uintptr_t)to,
                             .size = size};
  if (!order)
    return;
  const uint64_t number = sim->copies_created++;
  order->copy_submit(order->user, number, &desc, ring->packet.name);
  order->copy_ready(order->user, number);
  order->copy_move(order->user, number);
  order->copy_complete(order->user, number);
}

static bool run_store(aqsim_sdma *ring)
{
  const aqsim_sdma_packet *p = &ring->packet;
  uint32_t *to = run_reach(ring, p->to, p->size, AQ_ACCESS_WRITE);
  const uint64_t first = ring->read + p->words * (uint64_t)WORD - p->size;
  if (!to)
    return false;
  store_check(ring, p->to, p->size);
  for (uint64_t i = 0; i < p->size; i += WORD)
    __atomic_store_n(to + i / WORD, word_at(ring, first + i), __ATOMIC_RELAXED);
  return true;
}

static bool run_word(aqsim_sdma *ring)
{
  const aqsim_sdma_packet *p = &ring->packet;
  const uint64_t low = p->unit == 4 ? UINT32_MAX : UINT64_MAX;
  void *to = run_reach(ring, p->to, p->unit, AQ_ACCESS_WRITE);
  char text[AQSIM_SDMA_TEXT_MAX];
  if (!to)
    return false;
  if (p->kind != AQSIM_SDMA_CHANGE)
    store_check(ring, p->to, p->unit);
  if (p->kind == AQSIM_SDMA_FENCE) {
    __atomic_store_n((uint32_t *)to, (uint32_t)p->value, __ATOMIC_SEQ_CST);
  } else if (p->kind == AQSIM_SDMA_STAMP) {
    __atomic_store_n((uint64_t *)to,
                     (uint64_t)aqsim_clock_ticks(ring->device, ring->sim->now),
                     __ATOMIC_RELEASE);
  } else if (!aqsim_memory_change(to, p->unit,
                                  p->operation & ~(uint32_t)AQ_PM4_ATOMIC_64,
                                  p->value & low, p->compare & low)) {
    snprintf(text, sizeof text, "operation %#" PRIx32 " is not served",
             p->operation);
    ring_stop(ring, text);
    return false;
  }
  return true;
}

static void poll_opened(aqsim_dep_wait *wait)
{
  aqsim_sdma *ring =
      (aqsim_sdma *)(void *)((char *)wait - offsetof(aqsim_sdma, wait));
  if (wait->unmapped)
    ring_fault(ring, "read of", ring->packet.from, AQ_FAULT_NOT_PRESENT);
  else
    packet_done(ring);
}

static void poll_begin(aqsim_sdma *ring)
{
  const aqsim_sdma_packet *p = &ring->packet;
  const void *at = run_reach(ring, p->from, WORD, AQ_ACCESS_READ);
  const aqsim_dep_wait_test test = {.compare = aqsim_compares[p->function],
                                    .mask = (int64_t)p->mask,
                                    .reference = (int64_t)p->value,
                                    .narrow = true};
  if (!at)
    return;
  ring->state = RING_POLLS;
  if (aqsim_dep_wait_arm_memory(&ring->wait, &ring->dep, at, &test,
                                ring->device->model->dependency_poll))
    poll_opened(&ring->wait);
}

static void packet_execute(aqsim_sdma *ring)
{
  const aqsim_client *client = ring->sim->client;
  bool done = true;
  switch (ring->packet.kind) {
  case AQSIM_SDMA_MOVE:
  case AQSIM_SDMA_SET:
    copy_begin(ring);
    return;
  case AQSIM_SDMA_POLL:
    poll_begin(ring);
    return;
  case AQSIM_SDMA_STORE:
    done = run_store(ring);
    break;
  case AQSIM_SDMA_FENCE:
  case AQSIM_SDMA_STAMP:
  case AQSIM_SDMA_CHANGE:
    done = run_word(ring);
    break;
  case AQSIM_SDMA_TRAP:
    if (client)
      client->interrupt(client->user, (uint32_t)ring->packet.value);
    break;
  case AQSIM_SDMA_NOTHING:
    break;
  }
  if (!done)
    return;
  ring->sim->touched = true;
  packet_done(ring);
}

/* The engine has read the packet at the read index. */
static void ring_fire(aqsim_event *event)
{
  aqsim_sdma *ring = (aqsim_sdma *)event;
  const uint64_t count = (ring->announced - ring->read) / WORD;
  uint32_t words[AQSIM_SDMA_WORDS_MAX] = {0};
  char text[AQSIM_SDMA_TEXT_MAX];
  if (ring->suspended) {
    ring->state = RING_IDLE;
    return;
  }
  for (uint64_t i = 0; i < count && i < AQSIM_SDMA_WORDS_MAX; i++)
    words[i] = word_at(ring, ring->read + i * WORD);
  switch (aqsim_sdma_decode(&ring->form, words, count, &ring->packet, text)) {
  case AQSIM_SDMA_OK:
    packet_execute(ring);
    break;
  case AQSIM_SDMA_BAD:
    ring_stop(ring, text);
    break;
  case AQSIM_SDMA_MORE:
    ring->state = RING_IDLE;
    if (ring->packet.words > ring->desc.size / WORD) {
      snprintf(text, sizeof text, "%" PRIu32 " words; the ring has %" PRIu64,
               ring->packet.words, ring->desc.size / WORD);
      ring_stop(ring, text);
    }
    break;
  }
}

/* ---- doorbells ---- */

static void ring_notice(aqsim_sdma *ring)
{
  const uint64_t rung = __atomic_load_n(ring->desc.doorbell, __ATOMIC_ACQUIRE);
  char text[AQSIM_SDMA_TEXT_MAX];
  if (rung == ring->announced || ring->state == RING_FAILED)
    return;
  if (rung % WORD || rung < ring->announced ||
      rung - ring->read > ring->desc.size) {
    snprintf(text, sizeof text,
             "doorbell %" PRIu64 "; expected a multiple of 4 from %" PRIu64
             " to %" PRIu64,
             rung, ring->announced, ring->read + ring->desc.size);
    aqsim_calendar_forget(&ring->sim->calendar, &ring->event,
                          sizeof ring->event);
    if (ring->state == RING_COPIES)
      aqsim_copy_cancel(&ring->copy);
    aqsim_dep_wait_disarm(&ring->wait);
    aqsim_calendar_forget(&ring->sim->calendar, &ring->wait, sizeof ring->wait);
    ring->packet.name = NULL;
    ring_stop(ring, text);
    return;
  }
  ring->announced = rung;
  ring->rung = ring->sim->now;
  ring_wake(ring);
}

void aqsim_sdmas_notice(aqsim *sim)
{
  for (aqsim_sdma *ring = sim->first_sdma; ring; ring = ring->next)
    ring_notice(ring);
}

bool aqsim_sdmas_have_changes(const aqsim *sim)
{
  for (const aqsim_sdma *ring = sim->first_sdma; ring; ring = ring->next)
    /* Orders with a doorbell that looks whether the device sleeps. */
    if (__atomic_load_n(ring->desc.doorbell, __ATOMIC_SEQ_CST) !=
            ring->announced &&
        ring->state != RING_FAILED)
      return true;
  return false;
}

/* ---- life ---- */

static aq_status desc_check(const aqsim *sim, const aqsim_sdma_desc *desc,
                            uint64_t read, aq_diag *diag)
{
  const aqsim_model *model = sim->devices[desc->device].model;
  const uint64_t engines =
      (uint64_t)(model->copy_engines + model->copy_engines_peer);
  if (desc->size < AQSIM_SDMA_SIZE_MIN || desc->size & (desc->size - 1))
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "copy ring of %" PRIu64 " bytes; expected a power of "
                       "two from %d on",
                       desc->size, AQSIM_SDMA_SIZE_MIN);
  if (read % WORD)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "copy ring whose read index is %" PRIu64
                       "; expected a multiple of 4",
                       read);
  if (desc->engine >= engines)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "copy engine %" PRIu32 " of device %" PRIu32
                       ": model %s has %" PRIu64,
                       desc->engine, desc->device, model->name, engines);
  if (aq_sdma_form_of(model->gfx).generation == 0)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "copy ring of model %s: the packets of %s's engines are "
                       "not known; expected gfx9 to gfx120x",
                       model->name, model->gfx);
  return AQ_OK;
}

aq_status aqsim_sdma_create(aqsim *sim, const aqsim_sdma_desc *desc,
                            aqsim_sdma **out, aq_diag *diag)
{
  const uint64_t read = __atomic_load_n(desc->read_index, __ATOMIC_ACQUIRE);
  const aq_status status = desc_check(sim, desc, read, diag);
  if (status != AQ_OK)
    return status;
  aqsim_sdma *ring = calloc(1, sizeof *ring);
  if (!ring || !aqsim_calendar_reserve(&sim->calendar, RING_EVENTS)) {
    free(ring);
    return aq_diag_no_memory(diag);
  }
  ring->event.fire = ring_fire;
  ring->sim = sim;
  ring->device = &sim->devices[desc->device];
  ring->desc = *desc;
  ring->form = aq_sdma_form_of(ring->device->model->gfx);
  ring->number = sim->sdma_created++;
  ring->read = ring->announced = read;
  aqsim_dep_wait_init(&ring->wait, &sim->dep_waits, poll_opened);
  __atomic_store_n(desc->doorbell, ring->read, __ATOMIC_RELEASE);
  ring->previous = sim->last_sdma;
  if (sim->last_sdma)
    sim->last_sdma->next = ring;
  else
    sim->first_sdma = ring;
  sim->last_sdma = ring;
  *out = ring;
  return AQ_OK;
}

void aqsim_sdma_destroy(aqsim_sdma *ring)
{
  aqsim *sim = ring->sim;
  if (ring->state == RING_COPIES)
    aqsim_copy_cancel(&ring->copy);
  aqsim_dep_wait_disarm(&ring->wait);
  aqsim_calendar_forget(&sim->calendar, ring, sizeof *ring);
  aqsim_calendar_release(&sim->calendar, RING_EVENTS);
  if (ring->previous)
    ring->previous->next = ring->next;
  else
    sim->first_sdma = ring->next;
  if (ring->next)
    ring->next->previous = ring->previous;
  else
    sim->last_sdma = ring->previous;
  free(ring);
}

void aqsim_sdma_suspend(aqsim_sdma *ring, bool suspended)
{
  ring->suspended = suspended;
  ring_wake(ring);
}

void aqsim_sdmas_fini(aqsim *sim)
{
  while (sim->first_sdma)
    aqsim_sdma_destroy(sim->first_sdma);
}

/* ---- for people ---- */

const aqsim_sdma *aqsim_sdma_next(const aqsim_sdma *ring)
{
  return ring->next;
}

bool aqsim_sdma_is_busy(const aqsim_sdma *ring)
{
  return ring->state != RING_IDLE || ring->read < ring->announced;
}

static void state_describe(const aqsim_sdma *ring, char *text, size_t size)
{
  switch (ring->state) {
  case RING_IDLE:
    snprintf(text, size, "%s",
             ring->suspended                ? "suspended"
             : ring->read < ring->announced ? "the packet there has words that "
                                              "no doorbell announced"
                                            : "idle");
    break;
  case RING_READS:
    snprintf(text, size, "reads the packet there");
    break;
  case RING_COPIES:
    snprintf(text, size, "%s, copy %" PRIu64, ring->packet.name,
             ring->copy.line.number);
    break;
  case RING_POLLS:
    snprintf(text, size,
             "%s of %#" PRIx64 ": function %" PRIu32 ", mask %#" PRIx64
             ", reference %#" PRIx64,
             ring->packet.name, ring->packet.from, ring->packet.function,
             ring->packet.mask, ring->packet.value);
    break;
  case RING_FAILED:
    break;
  }
}

void aqsim_sdma_describe(const aqsim_sdma *ring,
                         char text[AQSIM_SDMA_STATE_TEXT])
{
  char state[LINE];
  if (ring->state == RING_FAILED) {
    snprintf(text, AQSIM_SDMA_STATE_TEXT, "%s", ring->failure);
    return;
  }
  state_describe(ring, state, sizeof state);
  snprintf(text, AQSIM_SDMA_STATE_TEXT,
           "copy ring %" PRIu32 " of device %" PRIu32 ", engine %" PRIu32
           ": packet %" PRIu64 " at byte %" PRIu64 " of %" PRIu64
           " announced: %s",
           ring->number, ring->device->ordinal, ring->desc.engine,
           ring->packets, ring->read, ring->announced, state);
}
