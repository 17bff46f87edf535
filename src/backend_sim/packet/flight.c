/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/packet/flight.h"

#include <inttypes.h>
#include <stdio.h>

#include "backend_sim/completion.h"
#include "backend_sim/packet/decode.h"
#include "backend_sim/policy/device_policy.h"

enum { WORDS = AQSIM_FAULT_TEXT_MAX + AQSIM_DECODE_MAX + 100 };

void aqsim_flight_event_forget(aqsim_flight *flight)
{
  if (flight->sleeping)
    aqsim_calendar_forget(&flight->queue->sim->calendar, &flight->event,
                          sizeof flight->event);
  flight->sleeping = false;
}

void aqsim_execution_end(aqsim_flight *flight)
{
  if (flight->execution)
    flight->queue->sim->executor->end(flight->execution);
  flight->execution = NULL;
}

void aqsim_line_drop(aqsim_queue *queue)
{
  while (queue->line.first) {
    aqsim_flight *flight = queue->line.first;
    queue->line.first = flight->next;
    aqsim_flight_event_forget(flight);
    aqsim_flight_free(flight);
  }
  queue->line.last = NULL;
  queue->line.waiting = 0;
  if (queue->intake.pending)
    aqsim_calendar_forget(&queue->sim->calendar, &queue->intake.event,
                          sizeof queue->intake.event);
  queue->intake.pending = false;
}

void aqsim_queue_stop(aqsim_queue *queue, aqsim_queue_state state)
{
  if (queue->state == AQSIM_QUEUE_ACTIVE && !queue->host)
    queue->device->left_over += queue->line.active;
  queue->state = state;
  aqsim_line_drop(queue);
  queue->sim->queue_ops->unmap(queue);
}

static void record_kernel(const aqsim_flight *flight, aq_record *row)
{
  const aq_kernel_packet *packet = &flight->packet.kernel;
  row->grid_x = packet->grid_size[0];
  row->grid_y = packet->grid_size[1];
  row->grid_z = packet->grid_size[2];
  row->wg_x = packet->workgroup_size[0];
  row->wg_y = packet->workgroup_size[1];
  row->wg_z = packet->workgroup_size[2];
  row->lds = packet->group_segment_size;
  row->scratch = packet->private_segment_size;
  if (!flight->kernel)
    return;
  row->name = flight->kernel->record_name;
  row->vgpr = flight->kernel->desc.vgprs;
  row->agpr = flight->kernel->desc.agprs;
  row->sgpr = flight->kernel->desc.sgprs;
}

void aqsim_flight_record(const aqsim_flight *flight, int64_t flags,
                         aq_time complete, aq_time observe)
{
  const aqsim_queue *queue = flight->queue;
  const aqsim_kind *kind = flight->kind;
  aq_record *row = aqsim_recorder_row(&queue->sim->recorder);
  row->kind = kind ? kind->record : AQ_KIND_VENDOR;
  row->flags = flags;
  row->device = queue->device->record;
  row->queue = queue->record;
  row->packet = (int64_t)flight->id;
  row->header = flight->packet.header_setup;
  row->submit = flight->submit;
  row->fetch = flight->fetch;
  row->launch = flight->launch;
  row->start = flight->stamp;
  row->end = flight->end;
  row->complete = complete;
  row->observe = observe;
  row->stalls = flight->stalls;
  if (!(flight->stalls & ~AQ_STALL_SLOT) && flight->launch > flight->fetch)
    row->stalls |= AQ_STALL_ORDER;
  if (row->kind == AQ_KIND_KERNEL)
    record_kernel(flight, row);
}

/* To the callback or, without one, to whoever opened the transport. */
static void error_tell(const aqsim_queue *queue, const aq_queue_error *error)
{
  aqsim *sim = queue->sim;
  if (queue->error.tell && sim->error_defer &&
      sim->error_defer(sim->live, queue, error))
    return;
  if (queue->error.tell)
    queue->error.tell(error, queue->error.user);
  else
    aqsim_line_report(sim, error->text);
}

aqsim_flow aqsim_flight_fail(aqsim_flight *flight, uint32_t fault,
                             const char *text)
{
  aqsim_queue *queue = flight->queue;
  aq_packet packet = flight->packet;
  aq_queue_error error = {.queue = queue->ring.id,
                          .packet_id = flight->id,
                          .packet = &packet,
                          .reason = fault};
  char words[WORDS], decoded[AQSIM_DECODE_MAX];
  aqsim_packet_decode(queue->sim, &packet, decoded);
  snprintf(words, sizeof words,
           "queue %" PRIu32 ": packet %" PRIu64 " (%s): %s", error.queue,
           error.packet_id, decoded, text);
  error.text = words;
  flight->stamp = flight->end = AQ_TIME_NONE;
  if (aqsim_recorder_on(&queue->sim->recorder))
    aqsim_flight_record(flight, AQ_FLAG_ERROR, AQ_TIME_NONE, AQ_TIME_NONE);
  aqsim_queue_active_add(queue, -1);
  if (flight->run)
    aqsim_policy_forget(flight);
  if (queue->state != AQSIM_QUEUE_FAILED)
    queue->error.packet = flight->id;
  if (text != queue->error.text)
    snprintf(queue->error.text, sizeof queue->error.text, "%s", text);
  aqsim_flight_free(flight);
  bool first = queue->state != AQSIM_QUEUE_FAILED;
  aqsim_queue_stop(queue, AQSIM_QUEUE_FAILED);
  if (first)
    error_tell(queue, &error);
  return AQSIM_GONE;
}

aqsim_flow aqsim_flight_fault(aqsim_flight *flight, uint32_t fault,
                              const char *text)
{
  aqsim_queue *queue = flight->queue;
  snprintf(queue->error.text, sizeof queue->error.text, "%s", text);
  queue->error.reason = fault;
  return aqsim_flight_sleep(
      flight, AQSIM_STEP_FAULT,
      queue->sim->now + aqsim_release(queue->device, flight->packet.header),
      AQSIM_AT_COMPLETE);
}
