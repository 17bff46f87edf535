/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/transfer/copies.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/completion.h"
#include "backend_sim/policy/device_policy.h"
#include "common/allocations.h"

enum { COPY_TEXT = 100 };

_Static_assert(AQSIM_COPY_EVENTS == 2, "its own and the dependency wait's");

/* It is under way no more. */
static void copy_unlink(aqsim_copy *copy)
{
  aqsim *sim = copy->device->sim;
  if (copy->previous)
    copy->previous->next = copy->next;
  else
    sim->copies = copy->next;
  if (copy->next)
    copy->next->previous = copy->previous;
  copy->next = copy->previous = NULL;
}

static void copy_free(aqsim_copy *copy)
{
  copy_unlink(copy);
  aqsim_calendar_release(&copy->device->sim->calendar, AQSIM_COPY_EVENTS);
  free(copy);
}

/* ---- engines ---- */

static aqsim_engine *copy_engine(const aqsim_copy *copy)
{
  return &copy->device->engines[copy->engine];
}

static uint32_t engine_count(const aqsim_device *device)
{
  return (uint32_t)(device->model->copy_engines +
                    device->model->copy_engines_peer);
}

/* Bits for the engines of the device that may serve the path of a copy, unless
 * one is chosen: the first for copies from the host, the second for copies
 * to it, all engines for copies within the device, one a neighbour. */
static uint32_t engines_for(const aqsim_device *device, uint32_t from,
                            uint32_t to)
{
  uint32_t own = (uint32_t)device->model->copy_engines;
  uint32_t peer = (uint32_t)device->model->copy_engines_peer;
  if (from == AQ_DEVICE_HOST)
    return 1;
  if (to == AQ_DEVICE_HOST)
    return 1u << (own > 1);
  if (from == to || peer == 0)
    return (uint32_t)((UINT64_C(1) << own) - 1);
  uint32_t other = to != device->ordinal ? to : from;
  uint32_t rank = other < device->ordinal ? other : other - 1;
  return 1u << (own + rank % peer);
}

static bool engine_is_idle(const aqsim_engine *engine)
{
  return !engine->copying && !engine->first;
}

uint32_t aqsim_copy_engines_idle(const aqsim_device *device)
{
  uint32_t bits = 0;
  for (uint32_t i = 0; i < engine_count(device); i++)
    bits |= (uint32_t)engine_is_idle(&device->engines[i]) << i;
  return bits;
}

/* The first that is idle, or the first at all. */
static uint32_t engine_choose(const aqsim_copy *copy)
{
  uint32_t bits = engines_for(copy->device, copy->from_device, copy->to_device);
  uint32_t idle = bits & aqsim_copy_engines_idle(copy->device);
  return (uint32_t)__builtin_ctz(idle ? idle : bits);
}

/* The copy that an engine serves next, out of its line; NULL: none now. */
static aqsim_copy *engine_take(aqsim_device *device, aqsim_engine *engine)
{
  aqsim_ready **at = &engine->first, *before = NULL;
  uint32_t index = aqsim_policy_copy_pick(
      device, (uint32_t)(engine - device->engines), engine->first);
  if (index == AQ_POLICY_NONE)
    return NULL;
  for (; index > 0; index--) {
    before = *at;
    at = &before->next;
  }
  aqsim_ready *taken = *at;
  *at = taken->next;
  if (engine->last == taken)
    engine->last = before;
  return (aqsim_copy *)(void *)((char *)taken - offsetof(aqsim_copy, line));
}

static void engine_next(aqsim_device *device, aqsim_engine *engine)
{
  if (engine->copying || !engine->first)
    return;
  aqsim_copy *copy = engine_take(device, engine);
  if (!copy)
    return;
  engine->copying = copy;
  copy->state = AQSIM_COPY_SETS_UP;
  copy->start = device->sim->now;
  if (!copy->follows)
    copy->start += device->model->copy_latency + copy->transfer.route.latency;
  const aq_device_hooks *hooks = device->sim->hooks;
  aq_time late = hooks ? hooks->copy_start(hooks->user, copy->size) : 0;
  aqsim_calendar_push(&device->sim->calendar, &copy->event, copy->start + late,
                      AQSIM_AT_END);
}

void aqsim_copies_ask(aqsim_device *device)
{
  for (uint32_t i = 0; i < engine_count(device); i++)
    engine_next(device, &device->engines[i]);
}

static void copy_ready(aqsim_copy *copy)
{
  if (copy->engine == AQ_COPY_ENGINE_ANY)
    copy->engine = engine_choose(copy);
  aqsim_engine *engine = copy_engine(copy);
  const aq_order_hooks *order = copy->device->sim->order;
  copy->ready = copy->device->sim->now;
  if (order)
    order->copy_ready(order->user, copy->line.number);
  copy->line.next = NULL;
  if (engine->first)
    engine->last->next = &copy->line;
  else
    engine->first = &copy->line;
  engine->last = &copy->line;
  engine_next(copy->device, engine);
}

static void engine_release(aqsim_copy *copy)
{
  copy_engine(copy)->copying = NULL;
  engine_next(copy->device, copy_engine(copy));
}

static void copy_fault(aqsim_copy *copy, const char *what, uint64_t unmapped);

static void gate_opened(aqsim_dep_wait *dep_wait)
{
  aqsim_copy *copy =
      (aqsim_copy *)(void *)((char *)dep_wait - offsetof(aqsim_copy, dep_wait));
  if (dep_wait->unmapped)
    copy_fault(copy, "wait for a signal at", dep_wait->unmapped);
  else
    copy_ready(copy);
}

/* ---- bytes ---- */

static aqsim_copy *copy_of(aqsim_transfer *transfer)
{
  return (aqsim_copy *)(void *)((char *)transfer -
                                offsetof(aqsim_copy, transfer));
}

/* Puts the end where the rate puts it. */
static void copy_changed(aqsim_transfer *transfer)
{
  aqsim_copy *copy = copy_of(transfer);
  aqsim *sim = copy->device->sim;
  if (copy->end != AQ_TIME_NONE)
    aqsim_calendar_forget(&sim->calendar, &copy->event, sizeof copy->event);
  copy->end = aqsim_transfer_end(&sim->traffic, transfer);
  aqsim_calendar_push(&sim->calendar, &copy->event, copy->end, AQSIM_AT_END);
}

static void copy_begin(aqsim_copy *copy)
{
  aqsim *sim = copy->device->sim;
  copy->state = AQSIM_COPY_MOVES;
  copy->transfer.most = copy->device->model->copy_bandwidth;
  copy->transfer.changed = copy_changed;
  copy->end = AQ_TIME_NONE;
  aqsim_bandwidth_join(&sim->traffic, &copy->transfer, copy->size, sim->now);
  aqsim_bandwidth_notify(&sim->traffic);
}

int64_t aqsim_copies_bandwidth(const aqsim_device *device)
{
  int64_t sum = 0;
  for (aqsim_transfer *t = device->sim->traffic.first; t; t = t->next) {
    if (t->changed != copy_changed)
      continue;
    const aqsim_copy *copy = copy_of(t);
    sum += t->rate * ((copy->from_device == device->ordinal) +
                      (copy->to_device == device->ordinal));
  }
  return sum;
}

/* ---- the end ---- */

/* The name of its direction, as rocprofv3 has it; fills have none there. */
static int64_t direction_name(aqsim *sim, const aqsim_copy *copy)
{
  enum { FILL = AQSIM_DIRECTIONS - 1 };
  static const char *const names[AQSIM_DIRECTIONS] = {
      "MEMORY_COPY_DEVICE_TO_DEVICE", "MEMORY_COPY_HOST_TO_DEVICE",
      "MEMORY_COPY_DEVICE_TO_HOST", "MEMORY_COPY_HOST_TO_HOST", "MEMORY_FILL"};
  unsigned direction = (unsigned)(copy->from_device == AQ_DEVICE_HOST) |
                       (unsigned)(copy->to_device == AQ_DEVICE_HOST) << 1;
  if (copy->fill.unit)
    direction = FILL;
  int64_t *name = &sim->copy_names[direction];
  aq_record_sink *sink = sim->recorder.sink;
  aq_diag diag = AQ_DIAG_INIT;
  if (*name == AQ_NONE &&
      sink->name(sink, names[direction], strlen(names[direction]), name,
                 &diag) != AQ_OK)
    *name = AQ_NONE; /* the row goes without */
  return *name;
}

static void copy_record(const aqsim_copy *copy, aq_time observe)
{
  aqsim *sim = copy->device->sim;
  int64_t name = direction_name(sim, copy);
  aq_record *row = aqsim_recorder_row(&sim->recorder);
  row->kind = AQ_KIND_COPY;
  row->flags = 0;
  row->name = name;
  row->device = copy->device->record;
  row->engine = copy->engine;
  row->bytes = (int64_t)copy->size;
  row->submit = copy->submit;
  row->launch = copy->ready;
  row->start = copy->start;
  row->end = copy->end;
  row->complete = sim->now;
  row->observe = observe;
}

/* It ends here, and never completes. */
static void copy_fault(aqsim_copy *copy, const char *what, uint64_t unmapped)
{
  aqsim_device *device = copy->device;
  aq_system_event event = {.kind = AQ_EVENT_MEMORY_FAULT,
                           .device = device->ordinal,
                           .queue = AQ_QUEUE_NONE,
                           .packet_id = copy->line.number,
                           .address = unmapped,
                           .reasons = AQ_FAULT_NOT_PRESENT};
  char text[COPY_TEXT];
  snprintf(text, sizeof text, "copy %" PRIu64 ": memory fault, %s %#" PRIx64,
           copy->line.number, what, unmapped);
  event.text = text;
  if (copy->state == AQSIM_COPY_MOVES)
    engine_release(copy);
  if (copy->owner) {
    copy_unlink(copy);
    copy->owner->failed(copy, what, unmapped);
    return;
  }
  copy_free(copy);
  aqsim_system_event_report(device->sim, &event);
}

/* Where the engine reaches a side of a copy: memory may be protected from the
 * host. */
static char *side_reach(const aqsim_copy *copy, const void *side)
{
  return (char *)(uintptr_t)aq_allocations_reach(copy->device->sim->allocations,
                                                 (uintptr_t)side);
}

/* Whether a side cannot be accessed; *unmapped is the first address of it, as
 * the copy names it. */
static bool side_is_missing(const aqsim_copy *copy, const aq_copy_pitch *pitch,
                            aqsim_access access, const void *side,
                            uint64_t *unmapped)
{
  const uint64_t at = (uintptr_t)side_reach(copy, side);
  if (!aqsim_copy_rect_unmapped(&copy->box, pitch, access, at, unmapped))
    return false;
  *unmapped += (uintptr_t)side - at;
  return true;
}

static bool copy_is_possible(aqsim_copy *copy)
{
  uint64_t unmapped;
  if (copy->lost)
    copy_fault(copy, "freed before it ended:", copy->lost);
  else if (!copy->fill.unit &&
           side_is_missing(copy, &copy->box.from, AQSIM_READ, copy->from,
                           &unmapped))
    copy_fault(copy, "read of", unmapped);
  else if (side_is_missing(copy, &copy->box.to, AQSIM_WRITE, copy->to,
                           &unmapped))
    copy_fault(copy, "write to", unmapped);
  else
    return true;
  return false;
}

static void bytes_move(const aqsim_copy *copy)
{
  char *const to = side_reach(copy, copy->to);
  if (copy->fill.unit == 0)
    aqsim_copy_rect_move(&copy->box, to, side_reach(copy, copy->from));
  else if (copy->fill.unit == 1)
    memset(to, (int)copy->fill.value, copy->size);
  else
    for (size_t i = 0; i < copy->size; i += sizeof copy->fill.value)
      memcpy(to + i, &copy->fill.value, sizeof copy->fill.value);
}

/* An owner's copy is done with its bytes. */
static void owned_end(aqsim_copy *copy)
{
  const aqsim *sim = copy->device->sim;
  if (sim->order)
    sim->order->copy_complete(sim->order->user, copy->line.number);
  if (aqsim_recorder_on(&sim->recorder))
    copy_record(copy, AQ_TIME_NONE);
  engine_release(copy);
  copy_unlink(copy);
  copy->owner->moved(copy);
}

static void copy_end(aqsim_copy *copy)
{
  aqsim *sim = copy->device->sim;
  aqsim_bandwidth_leave(&sim->traffic, &copy->transfer, sim->now);
  aqsim_bandwidth_notify(&sim->traffic);
  if (!copy_is_possible(copy))
    return;
  copy->state = AQSIM_COPY_COMPLETES;
  if (sim->order)
    sim->order->copy_move(sim->order->user, copy->line.number);
  bytes_move(copy);
  sim->touched = true;
  if (copy->owner) {
    owned_end(copy);
    return;
  }
  aqsim_calendar_push(&sim->calendar, &copy->event,
                      copy->end + copy->device->model->signal_write,
                      AQSIM_AT_COMPLETE);
  engine_release(copy);
}

static void copy_complete(aqsim_copy *copy)
{
  aqsim *sim = copy->device->sim;
  uint64_t unmapped;
  if (aqsim_signal_is_missing(sim, copy->completion, &unmapped)) {
    copy_fault(copy, "decrement of the signal at", unmapped);
    return;
  }
  if (sim->order)
    sim->order->copy_complete(sim->order->user, copy->line.number);
  aq_time observe = aqsim_signal_complete(sim, copy->device, copy->completion,
                                          copy->start, copy->end, false, 0);
  if (aqsim_recorder_on(&sim->recorder))
    copy_record(copy, observe);
  copy_free(copy);
}

static void copy_fire(aqsim_event *event)
{
  aqsim_copy *copy = (aqsim_copy *)event;
  if (copy->state == AQSIM_COPY_SETS_UP)
    copy_begin(copy);
  else if (copy->state == AQSIM_COPY_MOVES)
    copy_end(copy);
  else
    copy_complete(copy);
}

/* ---- submission ---- */

static aq_status dependencies_check(const aq_signal *dependencies,
                                    uint32_t count, aq_diag *diag)
{
  if ((count == 0) == (dependencies == NULL))
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_INVALID,
                     "copy_async: %u dependencies %s a list", count,
                     dependencies ? "with" : "without");
}

static bool place_is_there(uint32_t device, uint32_t devices)
{
  return device < devices || device == AQ_DEVICE_HOST ||
         device == AQ_DEVICE_OF_ADDRESS;
}

aq_status aqsim_copy_desc_check(const aq_copy_desc *desc, uint32_t devices,
                                aq_diag *diag)
{
  if (desc->device >= devices)
    return aq_diag_set(diag, AQ_ERR_INVALID, "device %u; expected less than %u",
                       desc->device, devices);
  if (!place_is_there(desc->to_device, devices) ||
      !place_is_there(desc->from_device, devices))
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "copy_submit: memory of device %u to %u; expected less "
                       "than %u, the host, or the memory of the address",
                       desc->from_device, desc->to_device, devices);
  aq_status status = aqsim_copy_rect_check(desc, diag);
  return status == AQ_OK ? dependencies_check(desc->dependencies,
                                              desc->dependency_count, diag)
                         : status;
}

static uint32_t place(const aqsim *sim, uint32_t device, const void *address)
{
  return device == AQ_DEVICE_OF_ADDRESS
             ? aqsim_memory_device(&sim->memory, address)
             : device;
}

static void copy_init(aqsim_copy *copy, aqsim *sim, const aq_copy_desc *desc)
{
  aqsim_device *device = &sim->devices[desc->device];
  *copy = (aqsim_copy){
      .event = {copy_fire},
      .device = device,
      .engine = desc->engine,
      .to_device = place(sim, desc->to_device, desc->to),
      .from_device = place(sim, desc->from_device, desc->from),
      .line.number = sim->copies_created++,
      .to = desc->to,
      .from = desc->from,
      .size = desc->size,
      .box = aqsim_copy_rect_of(desc),
      .completion = desc->completion,
      .submit = sim->now,
      .next = sim->copies,
  };
  aqsim_route *route = &copy->transfer.route;
  aqsim_links_route(&sim->links, copy->from_device, device->ordinal, route);
  aqsim_links_route(&sim->links, device->ordinal, copy->to_device, route);
  aqsim_links_memory(&sim->links, copy->from_device, route);
  aqsim_links_memory(&sim->links, copy->to_device, route);
  if (copy->next)
    copy->next->previous = copy;
  sim->copies = copy;
}

aq_status aqsim_copy_submit(aqsim *sim, const aq_copy_desc *desc, aq_diag *diag)
{
  aq_status status = aqsim_copy_desc_check(desc, sim->device_count, diag);
  if (status != AQ_OK)
    return status;
  const aqsim_device *device = &sim->devices[desc->device];
  if (desc->engine != AQ_COPY_ENGINE_ANY &&
      desc->engine >= engine_count(device))
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "copy_submit: engine %u of device %u; expected less "
                       "than %u",
                       desc->engine, desc->device, engine_count(device));
  if (desc->size == 0)
    return AQ_OK;
  uint32_t count = desc->dependency_count;
  aqsim_copy *copy = malloc(sizeof *copy + count * sizeof copy->deps[0]);
  if (!copy || !aqsim_calendar_reserve(&sim->calendar, AQSIM_COPY_EVENTS)) {
    free(copy);
    return aq_diag_no_memory(diag);
  }
  copy_init(copy, sim, desc);
  if (sim->order)
    sim->order->copy_submit(sim->order->user, copy->line.number, desc, NULL);
  memset(copy->deps, 0, count * sizeof copy->deps[0]);
  aqsim_dep_wait_init(&copy->dep_wait, &sim->dep_waits, gate_opened);
  if (aqsim_dep_wait_arm(&copy->dep_wait, copy->deps, desc->dependencies, count,
                         &aqsim_dep_wait_all_zero,
                         device->model->dependency_poll))
    gate_opened(&copy->dep_wait);
  return AQ_OK;
}

void aqsim_copy_start(aqsim_copy *copy, aqsim *sim, const aq_copy_desc *desc,
                      const aqsim_copy_fill *fill)
{
  const aqsim_copy_owner *owner = copy->owner;
  const bool follows = copy->follows;
  copy_init(copy, sim, desc);
  copy->owner = owner;
  copy->follows = follows;
  copy->fill = *fill;
  if (sim->order)
    sim->order->copy_submit(sim->order->user, copy->line.number, desc, NULL);
  copy_ready(copy);
}

/* Out of the line of its engine. */
static void line_leave(aqsim_copy *copy)
{
  aqsim_engine *engine = copy_engine(copy);
  aqsim_ready **at = &engine->first, *before = NULL;
  while (*at != &copy->line) {
    before = *at;
    at = &before->next;
  }
  *at = copy->line.next;
  if (engine->last == &copy->line)
    engine->last = before;
}

void aqsim_copy_cancel(aqsim_copy *copy)
{
  aqsim *sim = copy->device->sim;
  aqsim_calendar_forget(&sim->calendar, &copy->event, sizeof copy->event);
  if (copy->state == AQSIM_COPY_MOVES) {
    aqsim_bandwidth_leave(&sim->traffic, &copy->transfer, sim->now);
    aqsim_bandwidth_notify(&sim->traffic);
  }
  if (copy->state == AQSIM_COPY_WAITS)
    line_leave(copy);
  else
    engine_release(copy);
  if (sim->order)
    sim->order->copy_complete(sim->order->user, copy->line.number);
  copy_unlink(copy);
}

void aqsim_copies_lose(aqsim *sim, uint64_t address, uint64_t size)
{
  for (aqsim_copy *copy = sim->copies; copy; copy = copy->next)
    if ((!copy->fill.unit &&
         aqsim_copy_rect_touches(&copy->box, &copy->box.from,
                                 (uintptr_t)copy->from, address, size)) ||
        aqsim_copy_rect_touches(&copy->box, &copy->box.to, (uintptr_t)copy->to,
                                address, size))
      copy->lost = address;
}

void aqsim_copies_fini(aqsim *sim)
{
  while (sim->copies)
    copy_free(sim->copies);
}
