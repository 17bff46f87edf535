/* SPDX-License-Identifier: MIT */
#include "backend_sim/deadlock.h"

#include <inttypes.h>
#include <stdio.h>

#include "backend_sim/copies.h"
#include "backend_sim/decode.h"
#include "backend_sim/queues.h"

enum { WORDS = 256 };

/* A packet whose gate is closed. */
static bool packet_words(const aqsim_queue *queue, char *text, size_t size)
{
  const aqsim_flight *flight = queue->gated;
  if (!flight || !queue->gate.armed)
    return false;
  char signal[AQSIM_SIGNAL_WORDS];
  aqsim_gate_words(&queue->gate, signal);
  snprintf(text, size, "queue %u: packet %" PRIu64 " (%s) waits for %s",
           queue->ring.id, flight->id,
           aqsim_packet_type_name(aq_header_type(flight->packet.header)),
           signal);
  return true;
}

static bool queue_words(const aqsim_queue *queue, char *text, size_t size)
{
  if (queue->state == AQSIM_QUEUE_FAILED) {
    snprintf(text, size, "queue %u: stopped at packet %" PRIu64 ": %s",
             queue->ring.id, queue->failed_packet, queue->failure);
    return true;
  }
  if (packet_words(queue, text, size))
    return true;
  if (queue->noticed >= aq_ring_write_index(&queue->ring))
    return false;
  if (queue->state == AQSIM_QUEUE_INACTIVE)
    snprintf(text, size, "queue %u: inactive, so packet %" PRIu64 " is ignored",
             queue->ring.id, queue->noticed);
  else
    snprintf(text, size,
             "queue %u: packet %" PRIu64
             " is reserved but not published (INVALID)",
             queue->ring.id, queue->noticed);
  return true;
}

static bool copy_words(const aqsim *sim, char *text, size_t size)
{
  const aqsim_copy *copy = sim->copies;
  if (!copy || !copy->gate.armed)
    return false;
  char signal[AQSIM_SIGNAL_WORDS];
  aqsim_gate_words(&copy->gate, signal);
  snprintf(text, size, "copy %" PRIu64 " waits for %s", copy->number, signal);
  return true;
}

/* The first thing that blocks; there always is something to say. */
static void blocker_words(const aqsim *sim, char *text, size_t size)
{
  for (const aqsim_queue *q = sim->first_queue; q; q = q->next)
    if (queue_words(q, text, size))
      return;
  if (!copy_words(sim, text, size))
    snprintf(text, size, "no packet or copy is left that would change it");
}

aq_status aqsim_wait_deadlock(const aqsim *sim, const aq_wait_item *items,
                              uint32_t count, aq_diag *diag)
{
  char signal[AQSIM_SIGNAL_WORDS] = "", blocker[WORDS];
  for (uint32_t i = count; i-- > 0;) {
    const aqsim_signal *s = aqsim_signal_from(items[i].signal);
    if (!aq_condition_holds(items[i].condition, aqsim_signal_load(s),
                            items[i].value))
      aqsim_signal_words(s, signal);
  }
  blocker_words(sim, blocker, sizeof blocker);
  return aq_diag_set(diag, AQ_ERR_DEADLOCK, "wait for %s never ends: %s",
                     signal, blocker);
}

aq_status aqsim_missed_deadlock(const aq_wait_item *item, aq_diag *diag)
{
  char signal[AQSIM_SIGNAL_WORDS];
  aqsim_signal_words(aqsim_signal_from(item->signal), signal);
  return aq_diag_set(diag, AQ_ERR_DEADLOCK,
                     "wait for %s never ends: its interrupt was lost", signal);
}

aq_status aqsim_space_deadlock(const aqsim_queue *queue, uint32_t count,
                               aq_diag *diag)
{
  char blocker[WORDS];
  if (!queue_words(queue, blocker, sizeof blocker))
    blocker_words(queue->sim, blocker, sizeof blocker);
  return aq_diag_set(diag, AQ_ERR_DEADLOCK,
                     "queue %u: room for %u packets never comes: %s",
                     queue->ring.id, count, blocker);
}

aq_status aqsim_queue_explain(const aqsim_queue *queue, aq_diag *diag)
{
  if (queue->state == AQSIM_QUEUE_FAILED)
    return aq_diag_set(diag, AQ_ERR_QUEUE,
                       "queue %u stopped at packet %" PRIu64 ": %s",
                       queue->ring.id, queue->failed_packet, queue->failure);
  return aq_diag_set(diag, AQ_ERR_QUEUE, "queue %u is inactive",
                     queue->ring.id);
}
