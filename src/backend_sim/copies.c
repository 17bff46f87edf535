/* SPDX-License-Identifier: MIT */
#include "backend_sim/copies.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/memory_fault.h"

enum {
  COPY_EVENTS = 2, /* its own and the gate's */
  COPY_TEXT = 100,
};

static void copy_unlink(aqsim *sim, aqsim_copy *copy)
{
  if (copy->previous)
    copy->previous->next = copy->next;
  else
    sim->copies = copy->next;
  if (copy->next)
    copy->next->previous = copy->previous;
}

static void copy_free(aqsim_copy *copy)
{
  aqsim *sim = copy->device->sim;
  copy_unlink(sim, copy);
  aqsim_calendar_release(&sim->calendar, COPY_EVENTS);
  free(copy);
}

static aq_time move_time(const aqsim_model *model, size_t size)
{
  unsigned __int128 ps = (unsigned __int128)size * (uint64_t)AQ_S;
  uint64_t rate = (uint64_t)model->copy_bandwidth;
  return (aq_time)((ps + rate - 1) / rate);
}

/* Gives the free engine to the first copy in line. */
static void engine_next(aqsim_device *device)
{
  aqsim_copy *copy = device->copy_first;
  if (device->copying || !copy)
    return;
  device->copy_first = copy->next_ready;
  device->copying = copy;
  copy->start = device->sim->now + device->model->copy_latency;
  copy->end = copy->start + move_time(device->model, copy->size);
  const aq_device_hooks *hooks = device->sim->hooks;
  if (hooks)
    copy->end += hooks->copy_start(hooks->user, copy->size);
  aqsim_calendar_push(&device->sim->calendar, &copy->event, copy->end,
                      AQSIM_AT_END);
}

static void copy_ready(aqsim_copy *copy)
{
  aqsim_device *device = copy->device;
  copy->ready = device->sim->now;
  copy->next_ready = NULL;
  if (device->copy_first)
    device->copy_last->next_ready = copy;
  else
    device->copy_first = copy;
  device->copy_last = copy;
  engine_next(device);
}

static void gate_opened(aqsim_gate *gate)
{
  copy_ready((aqsim_copy *)(void *)((char *)gate - offsetof(aqsim_copy, gate)));
}

static void copy_record(const aqsim_copy *copy, aq_time observe)
{
  aqsim *sim = copy->device->sim;
  aq_record *row = aqsim_recorder_row(&sim->recorder);
  row->kind = AQ_KIND_COPY;
  row->flags = 0;
  row->device = copy->device->record;
  row->bytes = (int64_t)copy->size;
  row->submit = copy->submit;
  row->launch = copy->ready;
  row->start = copy->start;
  row->end = copy->end;
  row->complete = sim->now;
  row->observe = observe;
}

/* It ends here, and never completes. */
static void copy_fault(aqsim_copy *copy, bool writes, uint64_t hole)
{
  aqsim_device *device = copy->device;
  aq_system_event event = {.kind = AQ_EVENT_MEMORY_FAULT,
                           .device = device->ordinal,
                           .queue = AQ_QUEUE_NONE,
                           .packet_id = copy->number,
                           .address = hole};
  char text[COPY_TEXT];
  snprintf(text, sizeof text, "copy %" PRIu64 ": memory fault, %s %#" PRIx64,
           copy->number, writes ? "write to" : "read of", hole);
  event.text = text;
  device->copying = NULL;
  copy_free(copy);
  engine_next(device);
  aqsim_system_event_tell(device->sim, &event);
}

static bool copy_is_possible(aqsim_copy *copy)
{
  uint64_t hole;
  if (aqsim_memory_hole(AQSIM_READ, (uintptr_t)copy->from, copy->size, &hole))
    copy_fault(copy, false, hole);
  else if (aqsim_memory_hole(AQSIM_WRITE, (uintptr_t)copy->to, copy->size,
                             &hole))
    copy_fault(copy, true, hole);
  else
    return true;
  return false;
}

/* First the end of the bytes, then the decrement. */
static void copy_fire(aqsim_event *event)
{
  aqsim_copy *copy = (aqsim_copy *)event;
  aqsim_device *device = copy->device;
  aqsim *sim = device->sim;
  if (!copy->moved) {
    if (!copy_is_possible(copy))
      return;
    copy->moved = true;
    memmove(copy->to, copy->from, copy->size);
    sim->touched = true;
    device->copying = NULL;
    aqsim_calendar_push(&sim->calendar, &copy->event,
                        copy->end + device->model->signal_write,
                        AQSIM_AT_COMPLETE);
    engine_next(device);
    return;
  }
  aq_time observe = aqsim_signal_complete(sim, device, copy->completion,
                                          copy->start, copy->end, false, 0);
  if (aqsim_recorder_on(&sim->recorder))
    copy_record(copy, observe);
  copy_free(copy);
}

aq_status aqsim_copy_check(const aq_signal *dependencies, uint32_t count,
                           aq_diag *diag)
{
  if ((count == 0) == (dependencies == NULL))
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_INVALID,
                     "copy_async: %u dependencies %s a list", count,
                     dependencies ? "with" : "without");
}

aq_status aqsim_copy_submit(aqsim_device *device, void *to, const void *from,
                            size_t size, const aq_signal *dependencies,
                            uint32_t count, aq_signal completion, aq_diag *diag)
{
  aqsim *sim = device->sim;
  aq_status status = aqsim_copy_check(dependencies, count, diag);
  if (status != AQ_OK || size == 0)
    return status;
  aqsim_copy *copy = calloc(1, sizeof *copy + count * sizeof copy->legs[0]);
  if (!copy || !aqsim_calendar_reserve(&sim->calendar, COPY_EVENTS)) {
    free(copy);
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "out of memory for a copy");
  }
  copy->event.fire = copy_fire;
  copy->device = device;
  copy->number = sim->copies_created++;
  copy->to = to;
  copy->from = from;
  copy->size = size;
  copy->completion = completion;
  copy->submit = sim->now;
  copy->next = sim->copies;
  if (copy->next)
    copy->next->previous = copy;
  sim->copies = copy;
  aqsim_gate_init(&copy->gate, &sim->gates, gate_opened);
  if (aqsim_gate_arm(&copy->gate, copy->legs, dependencies, count,
                     &aqsim_gate_all_zero, device->model->dependency_poll))
    copy_ready(copy);
  return AQ_OK;
}

void aqsim_copies_fini(aqsim *sim)
{
  while (sim->copies)
    copy_free(sim->copies);
}
