/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/packet/memory_fault.h"

#include <inttypes.h>
#include <stdio.h>

#include "backend_sim/completion.h"
#include "backend_sim/packet/packet_text.h"

enum {
  WORDS = AQSIM_FAULT_TEXT_MAX + AQSIM_PACKET_TEXT_MAX + 100,
};

aqsim_flow aqsim_inflight_access_fault(aqsim_inflight *inflight,
                                       aqsim_step step, uint64_t address,
                                       aq_fault_reason reason, const char *text)
{
  aqsim_queue *queue = inflight->queue;
  aq_system_event event = {.kind = AQ_EVENT_MEMORY_FAULT,
                           .device = queue->device->ordinal,
                           .queue = queue->ring.id,
                           .packet_id = inflight->id,
                           .address = address,
                           .reasons = reason};
  char words[WORDS], decoded[AQSIM_PACKET_TEXT_MAX];
  aqsim_packet_decode(queue->sim, &inflight->packet, decoded);
  snprintf(words, sizeof words,
           "queue %" PRIu32 ": packet %" PRIu64 " (%s): %s", event.queue,
           event.packet_id, decoded, text);
  event.text = words;
  bool first = queue->state != AQSIM_QUEUE_FAILED;
  if (first)
    queue->error.packet = inflight->id;
  /* A queue that has failed reports no further error. */
  aqsim_queue_stop(queue, AQSIM_QUEUE_FAILED);
  aqsim_flow flow = step == AQSIM_STEP_RUN
                        ? aqsim_inflight_fault(inflight, 0, text)
                        : aqsim_inflight_fail(inflight, 0, text);
  if (first)
    aqsim_system_event_report(queue->sim, &event);
  return queue->destroyed ? AQSIM_GONE : flow;
}

aqsim_flow aqsim_inflight_memory_fault(aqsim_inflight *inflight,
                                       aqsim_step step, uint64_t unmapped,
                                       const char *text)
{
  return aqsim_inflight_access_fault(inflight, step, unmapped,
                                     AQ_FAULT_NOT_PRESENT, text);
}
