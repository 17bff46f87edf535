/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/deadlock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backend_sim/packet/packet_text.h"
#include "backend_sim/packet/ring.h"
#include "backend_sim/sdma/sdma_ring.h"
#include "backend_sim/transfer/copies.h"

enum {
  WORDS = AQSIM_FAULT_TEXT_MAX + 200,
  HOLDER = 3 * WORDS + 8,
  HOPS = 64, /* from signal to signal, before it must be a circle */
};

/* A packet whose dependency wait is closed. */
static bool packet_describe(const aqsim_queue *queue, char *text, size_t size)
{
  const aqsim_inflight *inflight = queue->wait.inflight;
  if (!inflight || !queue->wait.dep_wait.armed)
    return false;
  char signal[AQSIM_SIGNAL_TEXT];
  aqsim_dep_wait_describe(&queue->wait.dep_wait, signal);
  snprintf(text, size, "queue %u: packet %" PRIu64 " (%s) waits for %s",
           queue->ring.id, inflight->id,
           aqsim_packet_type_name(aq_header_type(inflight->packet.header)),
           signal);
  return true;
}

/* Why the device does not see the next packet. */
static const char *unnoticed_describe(const aqsim_queue *queue)
{
  uint64_t id;
  return aqsim_ring_unrung(queue, &id) && id == queue->fetch_state.noticed
             ? "published, but no doorbell announced it"
             : "reserved but not published (INVALID)";
}

static bool queue_describe(const aqsim_queue *queue, char *text, size_t size)
{
  if (queue->state == AQSIM_QUEUE_FAILED) {
    snprintf(text, size, "queue %u: stopped at packet %" PRIu64 ": %s",
             queue->ring.id, queue->error.packet, queue->error.text);
    return true;
  }
  if (packet_describe(queue, text, size))
    return true;
  if (queue->fetch_state.noticed >= aq_ring_write_index(&queue->ring))
    return false;
  if (queue->state == AQSIM_QUEUE_INACTIVE)
    snprintf(text, size, "queue %u: inactive, so packet %" PRIu64 " is ignored",
             queue->ring.id, queue->fetch_state.noticed);
  else
    snprintf(text, size, "queue %u: packet %" PRIu64 " is %s", queue->ring.id,
             queue->fetch_state.noticed, unnoticed_describe(queue));
  return true;
}

static bool copy_describe(const aqsim_copy *copy, char *text, size_t size)
{
  if (!copy || !copy->dep_wait.armed)
    return false;
  char signal[AQSIM_SIGNAL_TEXT];
  aqsim_dep_wait_describe(&copy->dep_wait, signal);
  snprintf(text, size, "copy %" PRIu64 " waits for %s", copy->line.number,
           signal);
  return true;
}

/* The first thing that blocks; there always is something to say. */
static void blocker_describe(const aqsim *sim, char *text, size_t size)
{
  for (const aqsim_queue *q = sim->first_queue; q; q = q->next)
    if (queue_describe(q, text, size))
      return;
  for (const aqsim_sdma *ring = sim->first_sdma; ring;
       ring = aqsim_sdma_next(ring))
    if (aqsim_sdma_is_busy(ring)) {
      char state[AQSIM_SDMA_STATE_TEXT];
      aqsim_sdma_describe(ring, state);
      snprintf(text, size, "%s", state);
      return;
    }
  if (!copy_describe(sim->copies, text, size))
    snprintf(text, size, "no packet or copy is left that would change it");
}

/* ---- the packet that would complete a signal ---- */

/* The id of the first packet of a queue that is not complete and will decrement
 * the signal: a slot of its ring, or in flight after its slot went back. */
static bool completer_find(const aqsim_queue *queue, uint64_t signal,
                           uint64_t *out)
{
  uint64_t read = aq_ring_read_index(&queue->ring);
  uint64_t write = aq_ring_write_index(&queue->ring);
  uint64_t size = queue->ring.size, none = UINT64_MAX, found = none;
  for (uint32_t i = 0; i < queue->pool.fresh; i++) {
    const aqsim_inflight *inflight = &queue->pool.inflights[i];
    if (inflight->in_use && inflight->id < found &&
        inflight->packet.kernel.completion_signal.handle == signal)
      found = inflight->id;
  }
  for (uint64_t id = read; id < write && id - read < size && id < found; id++) {
    const aq_packet *slot = aq_ring_slot(&queue->ring, id);
    aq_packet head = {.header_setup = aq_packet_load_header(slot)};
    bool served = queue->state == AQSIM_QUEUE_SOFT;
    if (aq_header_type(head.header) != AQ_PACKET_INVALID &&
        (served || !queue->fetch_state.completed[id & (size - 1)]) &&
        slot->kernel.completion_signal.handle == signal)
      found = id;
  }
  *out = found;
  return found != none;
}

/* Why packet `id`, which would decrement the signal, does not. */
static void completer_describe(const aqsim_queue *queue, uint64_t id,
                               char *text, size_t size)
{
  char reason[WORDS] = "it is under way";
  const aqsim_inflight *waiting = queue->wait.inflight;
  if (queue->state == AQSIM_QUEUE_FAILED && id == queue->error.packet) {
    queue_describe(queue, text, size);
    return;
  }
  if (queue->state == AQSIM_QUEUE_FAILED)
    snprintf(reason, sizeof reason,
             "the queue stopped at packet %" PRIu64 ": %s", queue->error.packet,
             queue->error.text);
  else if (queue->state == AQSIM_QUEUE_INACTIVE)
    snprintf(reason, sizeof reason, "the queue is inactive");
  else if (queue->state == AQSIM_QUEUE_SOFT)
    snprintf(reason, sizeof reason, "the application has to serve it");
  else if (waiting && queue->wait.dep_wait.armed && waiting->id <= id) {
    char signal[AQSIM_SIGNAL_TEXT];
    if (waiting->id == id && packet_describe(queue, text, size))
      return;
    aqsim_dep_wait_describe(&queue->wait.dep_wait, signal);
    snprintf(
        reason, sizeof reason,
        "it is behind packet %" PRIu64 " (%s), which waits for %s", waiting->id,
        aqsim_packet_type_name(aq_header_type(waiting->packet.header)), signal);
  } else if (queue->fetch_state.noticed < id)
    snprintf(reason, sizeof reason, "packet %" PRIu64 " before it is %s",
             queue->fetch_state.noticed, unnoticed_describe(queue));
  else if (queue->fetch_state.noticed == id)
    snprintf(reason, sizeof reason, "it is %s", unnoticed_describe(queue));
  snprintf(text, size, "queue %u: packet %" PRIu64 " completes it, but %s",
           queue->ring.id, id, reason);
}

/* The packet of a queue, or the copy, that would complete a signal. */
typedef struct completer {
  const aqsim_queue *queue;
  uint64_t id;
  const aqsim_copy *copy;
} completer;

static bool completer_of(const aqsim *sim, const aqsim_signal *signal,
                         completer *out)
{
  uint64_t handle = aqsim_signal_handle(signal).handle;
  *out = (completer){0};
  for (const aqsim_queue *q = sim->first_queue; q; q = q->next)
    if (completer_find(q, handle, &out->id)) {
      out->queue = q;
      return true;
    }
  for (const aqsim_copy *copy = sim->copies; copy; copy = copy->next)
    if (copy->completion.handle == handle && copy->dep_wait.armed) {
      out->copy = copy;
      return true;
    }
  return false;
}

/* The signal that a completer waits for itself, or NULL. */
static const aqsim_signal *completer_waits_for(const completer *c)
{
  const aqsim_dep_wait *dep_wait =
      c->copy ? &c->copy->dep_wait : &c->queue->wait.dep_wait;
  if (c->queue && (c->queue->state != AQSIM_QUEUE_ACTIVE || !dep_wait->armed ||
                   c->queue->wait.inflight->id > c->id))
    return NULL;
  const aqsim_dep *dep = aqsim_dep_wait_blocker(dep_wait);
  return dep ? dep->signal : NULL;
}

static void one_holder_describe(const completer *c, char *text, size_t size)
{
  if (c->queue)
    completer_describe(c->queue, c->id, text, size);
  else
    copy_describe(c->copy, text, size);
}

/* A queue that stands still for a reason of its own: an unpublished packet has
 * no known completion signal. */
static bool root_describe(const aqsim *sim, char *text, size_t size)
{
  for (const aqsim_queue *q = sim->first_queue; q; q = q->next)
    if (!q->wait.dep_wait.armed && queue_describe(q, text, size))
      return true;
  return false;
}

/* Follows the chain of waits from a signal on, to the last known completer.
 * Returns the number of steps; a cycle of waits has no last one. *out is
 * changed unless that number is 0, *open is set when no known packet or copy
 * would complete the signal that the last one waits for. */
static unsigned completer_follow(const aqsim *sim, completer *out, bool *open)
{
  unsigned hops = 0;
  const aqsim_signal *signal;
  completer next;
  *open = false;
  while (hops < HOPS && (signal = completer_waits_for(out))) {
    if (!completer_of(sim, signal, &next)) {
      *open = true;
      break;
    }
    *out = next;
    hops++;
  }
  return hops;
}

static void words_append(char text[HOLDER], const char *words)
{
  const size_t used = strlen(text);
  snprintf(text + used, HOLDER - used, "; %s", words);
}

/* What keeps a signal from changing: the packet or copy that would complete it
 * and, if that waits for others, the last of those; or else the first thing
 * that blocks. */
static void holder_describe(const aqsim *sim, const aqsim_signal *signal,
                            char text[HOLDER])
{
  completer one;
  bool open;
  char last[WORDS], root[WORDS];
  if (!completer_of(sim, signal, &one)) {
    blocker_describe(sim, text, HOLDER);
    return;
  }
  one_holder_describe(&one, text, WORDS);
  unsigned hops = completer_follow(sim, &one, &open);
  if (hops > 0 && hops < HOPS) {
    one_holder_describe(&one, last, sizeof last);
    words_append(text, last);
  }
  if (open && root_describe(sim, root, sizeof root))
    words_append(text, root);
}

/* The first item that does not hold; all may hold by now. */
static const aqsim_signal *item_missing(const aq_wait_item *items,
                                        uint32_t count)
{
  for (uint32_t i = 0; i < count; i++) {
    const aqsim_signal *s = aqsim_signal_from(items[i].signal);
    if (!aq_condition_holds(items[i].condition, aqsim_signal_load(s),
                            items[i].value))
      return s;
  }
  return aqsim_signal_from(items[0].signal);
}

aq_status aqsim_wait_deadlock(const aqsim *sim, const aq_wait_item *items,
                              uint32_t count, aq_diag *diag)
{
  char words[AQSIM_SIGNAL_TEXT], holder[HOLDER];
  const aqsim_signal *signal = item_missing(items, count);
  aqsim_signal_describe(signal, words);
  holder_describe(sim, signal, holder);
  return aq_diag_set(diag, AQ_ERR_DEADLOCK, "wait for %s never ends: %s", words,
                     holder);
}

aq_status aqsim_wait_guess(const aqsim *sim, const aq_wait_item *items,
                           uint32_t count, aq_diag *diag)
{
  char words[AQSIM_SIGNAL_TEXT], holder[HOLDER];
  const aqsim_signal *signal = item_missing(items, count);
  aqsim_signal_describe(signal, words);
  holder_describe(sim, signal, holder);
  return aq_diag_set(diag, AQ_ERR_TIMEOUT,
                     "wait for %s: the deadline passed; it seems that %s",
                     words, holder);
}

aq_status aqsim_missed_deadlock(const aq_wait_item *item, aq_diag *diag)
{
  char signal[AQSIM_SIGNAL_TEXT];
  aqsim_signal_describe(aqsim_signal_from(item->signal), signal);
  return aq_diag_set(diag, AQ_ERR_DEADLOCK,
                     "wait for %s never ends: its interrupt was lost", signal);
}

aq_status aqsim_space_deadlock(const aqsim_queue *queue, uint32_t count,
                               aq_diag *diag)
{
  char blocker[WORDS];
  if (!queue_describe(queue, blocker, sizeof blocker))
    blocker_describe(queue->sim, blocker, sizeof blocker);
  return aq_diag_set(diag, AQ_ERR_DEADLOCK,
                     "queue %u: room for %u packets never comes: %s",
                     queue->ring.id, count, blocker);
}

aq_status aqsim_space_guess(const aqsim_queue *queue, uint32_t count,
                            aq_diag *diag)
{
  char blocker[WORDS] = "its packets are under way";
  queue_describe(queue, blocker, sizeof blocker);
  return aq_diag_set(diag, AQ_ERR_TIMEOUT,
                     "queue %u: no room for %u packets by the deadline; it "
                     "seems that %s",
                     queue->ring.id, count, blocker);
}

aq_status aqsim_queue_explain(const aqsim_queue *queue, aq_diag *diag)
{
  if (queue->state == AQSIM_QUEUE_FAILED)
    return aq_diag_set(diag, AQ_ERR_QUEUE,
                       "queue %u stopped at packet %" PRIu64 ": %s",
                       queue->ring.id, queue->error.packet, queue->error.text);
  return aq_diag_set(diag, AQ_ERR_QUEUE, "queue %u is inactive",
                     queue->ring.id);
}
