/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/packet/inflight.h"

#include <inttypes.h>
#include <stdio.h>

#include "backend_sim/completion.h"
#include "backend_sim/packet/packet_text.h"
#include "backend_sim/policy/device_policy.h"

enum { WORDS = AQSIM_FAULT_TEXT_MAX + AQSIM_PACKET_TEXT_MAX + 100 };

void aqsim_inflight_event_forget(aqsim_inflight *inflight)
{
  if (inflight->sleeping)
    aqsim_calendar_forget(&inflight->queue->sim->calendar, &inflight->event,
                          sizeof inflight->event);
  inflight->sleeping = false;
}

void aqsim_execution_end(aqsim_inflight *inflight)
{
  if (inflight->execution)
    inflight->queue->sim->executor->end(inflight->execution);
  inflight->execution = NULL;
}

void aqsim_launch_drop(aqsim_queue *queue)
{
  while (queue->line.first) {
    aqsim_inflight *inflight = queue->line.first;
    queue->line.first = inflight->next;
    aqsim_inflight_event_forget(inflight);
    aqsim_inflight_free(inflight);
  }
  queue->line.last = NULL;
  queue->line.waiting = 0;
  if (queue->fetch_state.pending)
    aqsim_calendar_forget(&queue->sim->calendar, &queue->fetch_state.event,
                          sizeof queue->fetch_state.event);
  queue->fetch_state.pending = false;
}

void aqsim_queue_stop(aqsim_queue *queue, aqsim_queue_state state)
{
  if (queue->state == AQSIM_QUEUE_ACTIVE && !queue->host)
    queue->device->orphaned += queue->line.active;
  queue->state = state;
  aqsim_launch_drop(queue);
  queue->sim->queue_ops->unmap(queue);
}

static void record_kernel(const aqsim_inflight *inflight, aq_record *row)
{
  const aq_kernel_packet *packet = &inflight->packet.kernel;
  row->grid_x = packet->grid_size[0];
  row->grid_y = packet->grid_size[1];
  row->grid_z = packet->grid_size[2];
  row->wg_x = packet->workgroup_size[0];
  row->wg_y = packet->workgroup_size[1];
  row->wg_z = packet->workgroup_size[2];
  row->lds = packet->group_segment_size;
  row->scratch = packet->private_segment_size;
  if (!inflight->kernel)
    return;
  row->name = inflight->kernel->record_name;
  row->vgpr = inflight->kernel->desc.vgprs;
  row->agpr = inflight->kernel->desc.agprs;
  row->sgpr = inflight->kernel->desc.sgprs;
}

void aqsim_inflight_record(const aqsim_inflight *inflight, int64_t flags,
                           aq_time complete, aq_time observe)
{
  const aqsim_queue *queue = inflight->queue;
  const aqsim_packet_type_ops *kind = inflight->kind;
  aq_record *row = aqsim_recorder_row(&queue->sim->recorder);
  row->kind = kind ? kind->record : AQ_KIND_VENDOR;
  row->flags = flags;
  row->device = queue->device->record;
  row->queue = queue->record;
  row->packet = (int64_t)inflight->id;
  row->header = inflight->packet.header_setup;
  row->submit = inflight->submit;
  row->fetch = inflight->fetch;
  row->launch = inflight->launch;
  row->start = inflight->stamp;
  row->end = inflight->end;
  row->complete = complete;
  row->observe = observe;
  row->stalls = inflight->stalls;
  if (!(inflight->stalls & ~AQ_STALL_SLOT) &&
      inflight->launch > inflight->fetch)
    row->stalls |= AQ_STALL_ORDER;
  if (row->kind == AQ_KIND_KERNEL)
    record_kernel(inflight, row);
}

/* To the callback or, without one, to whoever opened the transport. */
static void error_report(const aqsim_queue *queue, const aq_queue_error *error)
{
  aqsim *sim = queue->sim;
  if (queue->error.tell && sim->error_defer &&
      sim->error_defer(sim->live, queue, error))
    return;
  if (queue->error.tell)
    queue->error.tell(error, queue->error.user);
  else
    aqsim_launch_report(sim, error->text);
}

aqsim_flow aqsim_inflight_fail(aqsim_inflight *inflight, uint32_t fault,
                               const char *text)
{
  aqsim_queue *queue = inflight->queue;
  aq_packet packet = inflight->packet;
  aq_queue_error error = {.queue = queue->ring.id,
                          .packet_id = inflight->id,
                          .packet = &packet,
                          .reason = fault};
  char words[WORDS], decoded[AQSIM_PACKET_TEXT_MAX];
  aqsim_packet_decode(queue->sim, &packet, decoded);
  snprintf(words, sizeof words,
           "queue %" PRIu32 ": packet %" PRIu64 " (%s): %s", error.queue,
           error.packet_id, decoded, text);
  error.text = words;
  inflight->stamp = inflight->end = AQ_TIME_NONE;
  if (aqsim_recorder_on(&queue->sim->recorder))
    aqsim_inflight_record(inflight, AQ_FLAG_ERROR, AQ_TIME_NONE, AQ_TIME_NONE);
  aqsim_queue_active_add(queue, -1);
  if (inflight->run)
    aqsim_policy_forget(inflight);
  if (queue->state != AQSIM_QUEUE_FAILED)
    queue->error.packet = inflight->id;
  if (text != queue->error.text)
    snprintf(queue->error.text, sizeof queue->error.text, "%s", text);
  aqsim_inflight_free(inflight);
  bool first = queue->state != AQSIM_QUEUE_FAILED;
  aqsim_queue_stop(queue, AQSIM_QUEUE_FAILED);
  if (first)
    error_report(queue, &error);
  return AQSIM_GONE;
}

aqsim_flow aqsim_inflight_fault(aqsim_inflight *inflight, uint32_t fault,
                                const char *text)
{
  aqsim_queue *queue = inflight->queue;
  snprintf(queue->error.text, sizeof queue->error.text, "%s", text);
  queue->error.reason = fault;
  return aqsim_inflight_sleep(
      inflight, AQSIM_STEP_FAULT,
      queue->sim->now + aqsim_release(queue->device, inflight->packet.header),
      AQSIM_AT_COMPLETE);
}
