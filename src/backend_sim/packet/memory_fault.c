/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/packet/memory_fault.h"

#include <inttypes.h>
#include <stdio.h>

#include "backend_sim/completion.h"
#include "backend_sim/packet/decode.h"

enum {
  WORDS = AQSIM_FAULT_TEXT_MAX + AQSIM_DECODE_MAX + 100,
};

aqsim_flow aqsim_flight_access_fault(aqsim_flight *flight, aqsim_step step,
                                     uint64_t address, aq_fault_reason reason,
                                     const char *text)
{
  aqsim_queue *queue = flight->queue;
  aq_system_event event = {.kind = AQ_EVENT_MEMORY_FAULT,
                           .device = queue->device->ordinal,
                           .queue = queue->ring.id,
                           .packet_id = flight->id,
                           .address = address,
                           .reasons = reason};
  char words[WORDS], decoded[AQSIM_DECODE_MAX];
  aqsim_packet_decode(queue->sim, &flight->packet, decoded);
  snprintf(words, sizeof words,
           "queue %" PRIu32 ": packet %" PRIu64 " (%s): %s", event.queue,
           event.packet_id, decoded, text);
  event.text = words;
  bool first = queue->state != AQSIM_QUEUE_FAILED;
  if (first)
    queue->error.packet = flight->id;
  /* A queue that has failed reports no further error. */
  aqsim_queue_stop(queue, AQSIM_QUEUE_FAILED);
  aqsim_flow flow = step == AQSIM_STEP_RUN ? aqsim_flight_fault(flight, 0, text)
                                           : aqsim_flight_fail(flight, 0, text);
  if (first)
    aqsim_system_event_report(queue->sim, &event);
  return queue->destroyed ? AQSIM_GONE : flow;
}

aqsim_flow aqsim_flight_memory_fault(aqsim_flight *flight, aqsim_step step,
                                     uint64_t unmapped, const char *text)
{
  return aqsim_flight_access_fault(flight, step, unmapped, AQ_FAULT_NOT_PRESENT,
                                   text);
}
