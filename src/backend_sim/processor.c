/* SPDX-License-Identifier: MIT */
#include "backend_sim/processor.h"

#include <inttypes.h>
#include <stdio.h>

#include "backend_sim/cost.h"
#include "backend_sim/queues.h"

/* What a step tells the loop. */
typedef enum flow {
  FLOW_GO,   /* on to the step that the flight now has */
  FLOW_WAIT, /* an event or another packet will go on */
  FLOW_GONE, /* the flight is free, or its queue is destroyed */
} flow;

/* How the types of packets differ. A type without a row is a queue error. */
typedef struct packet_kind {
  aq_record_kind record;
  bool blocks; /* nothing later launches before it completes */
  flow (*launch)(aqsim_flight *flight);
} packet_kind;

static flow launch_kernel(aqsim_flight *flight);
static flow launch_barrier(aqsim_flight *flight);

static const packet_kind kinds[] = {
    [AQ_PACKET_KERNEL_DISPATCH] = {AQ_KIND_KERNEL, false, launch_kernel},
    [AQ_PACKET_BARRIER_AND] = {AQ_KIND_BARRIER_AND, true, launch_barrier},
    [AQ_PACKET_BARRIER_OR] = {AQ_KIND_BARRIER_OR, true, launch_barrier},
};

static const packet_kind *kind_of(const aqsim_flight *flight)
{
  unsigned type = aq_header_type(flight->packet.header);
  if (type >= sizeof kinds / sizeof *kinds || !kinds[type].launch)
    return NULL;
  return &kinds[type];
}

/* The step happens at `time`: now, or when the event comes. */
static flow flight_sleep(aqsim_flight *flight, aqsim_step step, aq_time time,
                         aqsim_priority priority)
{
  aqsim *sim = flight->queue->sim;
  flight->step = step;
  if (time <= sim->now)
    return FLOW_GO;
  flight->sleeping = true;
  aqsim_calendar_push(&sim->calendar, &flight->event, time, priority);
  return FLOW_WAIT;
}

/* Release fence and decrement follow the end. */
static flow flight_finish(aqsim_flight *flight)
{
  const aqsim_device *device = flight->queue->device;
  return flight_sleep(flight, AQSIM_STEP_COMPLETE,
                      flight->end +
                          aqsim_release(device, flight->packet.header) +
                          device->model->signal_write,
                      AQSIM_AT_COMPLETE);
}

/* ---- records and errors ---- */

static void flight_record(const aqsim_flight *flight, const packet_kind *kind,
                          int64_t flags, aq_time complete, aq_time observe)
{
  const aqsim_queue *queue = flight->queue;
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
  if (!kind || kind->record != AQ_KIND_KERNEL)
    return;
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
  row->sgpr = flight->kernel->desc.sgprs;
}

/* The queue stops at this packet: its error callback is told once. The flight
 * is gone afterwards. */
static flow flight_fail(aqsim_flight *flight, uint32_t fault, const char *text)
{
  aqsim_queue *queue = flight->queue;
  aq_packet packet = flight->packet;
  aq_queue_error error = {.queue = queue->ring.id,
                          .packet_id = flight->id,
                          .packet = &packet,
                          .reason = fault};
  char words[AQSIM_FAULT_TEXT_MAX + 100];
  snprintf(words, sizeof words,
           "queue %" PRIu32 ": packet %" PRIu64 " (%s, header 0x%04x): %s",
           error.queue, error.packet_id,
           aqsim_packet_type_name(aq_header_type(packet.header)), packet.header,
           text);
  error.text = words;
  flight->stamp = flight->end = AQ_TIME_NONE;
  if (aqsim_recorder_on(&queue->sim->recorder))
    flight_record(flight, kind_of(flight), AQ_FLAG_ERROR, AQ_TIME_NONE,
                  AQ_TIME_NONE);
  queue->active--;
  queue->failed_packet = flight->id;
  snprintf(queue->failure, sizeof queue->failure, "%s", text);
  aqsim_flight_free(flight);
  aqsim_queue_stop(queue, AQSIM_QUEUE_FAILED);
  if (queue->error)
    queue->error(&error, queue->user);
  return FLOW_GONE;
}

/* ---- steps ---- */

/* Called for the first packet in line only. */
static flow step_turn(aqsim_flight *flight)
{
  aqsim_queue *queue = flight->queue;
  if (flight->sleeping || queue->blocked)
    return FLOW_WAIT;
  if (queue->active > 0 && aq_header_barrier(flight->packet.header))
    return FLOW_WAIT;
  aq_time time = aq_time_max(flight->fetch, queue->launch_free);
  if (time > queue->sim->now)
    return flight_sleep(flight, AQSIM_STEP_TURN, time, AQSIM_AT_LAUNCH);
  queue->turn_first = flight->next;
  if (!queue->turn_first)
    queue->turn_last = NULL;
  queue->waiting--;
  queue->active++;
  queue->launched++;
  flight->step = AQSIM_STEP_LAUNCH;
  return FLOW_GO;
}

static flow step_launch(aqsim_flight *flight)
{
  aqsim_queue *queue = flight->queue;
  const packet_kind *kind = kind_of(flight);
  flight->launch = queue->sim->now;
  flight->kernel = NULL;
  if (!kind) {
    char text[AQSIM_FAULT_TEXT_MAX];
    uint32_t fault = aqsim_packet_type_fault(&flight->packet, text);
    return flight_fail(flight, fault, text);
  }
  flow next = kind->launch(flight);
  if (next != FLOW_GONE &&
      queue->device->model->read_index_advance == AQSIM_ADVANCE_LAUNCH)
    aqsim_queue_retire(queue, flight->id);
  return next;
}

/* A kernel that waited for the one before it by the barrier bit, and was
 * decoded early enough, gets that one's end as its start. */
static bool start_is_glued(const aqsim_flight *flight)
{
  const aqsim_queue *queue = flight->queue;
  const aqsim_model *model = queue->device->model;
  return model->start_stamp == AQSIM_START_GLUED && queue->kernel_before &&
         aq_header_barrier(flight->packet.header) &&
         queue->last_end != AQ_TIME_NONE &&
         flight->fetch + model->glue_lead <= queue->last_end;
}

static const aqsim_kernel *kernel_find(aqsim_queue *queue, uint64_t object)
{
  if (!queue->kernel || (uintptr_t)queue->kernel != object)
    queue->kernel = aqsim_kernel_from(&queue->sim->kernels, object);
  return queue->kernel;
}

static flow launch_kernel(aqsim_flight *flight)
{
  aqsim_queue *queue = flight->queue;
  const aqsim_device *device = queue->device;
  const aq_kernel_packet *packet = &flight->packet.kernel;
  char text[AQSIM_FAULT_TEXT_MAX];
  const aqsim_kernel *kernel = kernel_find(queue, packet->kernel_object);
  uint32_t fault =
      aqsim_kernel_packet_check(packet, kernel, &device->limits, text);
  if (fault)
    return flight_fail(flight, fault, text);
  flight->kernel = kernel;
  flight->start = queue->sim->now + aqsim_acquire(device, packet->header) +
                  device->model->dispatch_setup;
  flight->glued = start_is_glued(flight);
  flight->stamp = flight->glued ? queue->last_end : flight->start;
  queue->launch_free = flight->start;
  queue->kernel_before = true;
  flight->workgroups = aqsim_packet_workgroups(packet);
  flight->end = aq_time_add(
      flight->start,
      aqsim_cost_duration(device->model, kernel, packet, flight->workgroups));
  /* Without a host function nothing happens at the end that anyone sees. */
  if (!kernel->desc.function || flight->workgroups == 0)
    return flight_finish(flight);
  return flight_sleep(flight, AQSIM_STEP_END, flight->end, AQSIM_AT_END);
}

static flow launch_barrier(aqsim_flight *flight)
{
  aqsim_queue *queue = flight->queue;
  aq_time look = queue->sim->now + queue->device->model->barrier_process;
  queue->blocked = true;
  queue->launch_free = look;
  queue->kernel_before = false;
  flight->glued = false;
  return flight_sleep(flight, AQSIM_STEP_LOOK, look, AQSIM_AT_LAUNCH);
}

static flow step_look(aqsim_flight *flight)
{
  bool any = aq_header_type(flight->packet.header) == AQ_PACKET_BARRIER_OR;
  flight->step = AQSIM_STEP_SEEN;
  bool open =
      aqsim_gate_arm(&flight->gate, flight->legs,
                     flight->packet.barrier.dependency, AQ_BARRIER_DEPENDENCIES,
                     any, flight->queue->device->model->dependency_poll);
  return open ? FLOW_GO : FLOW_WAIT;
}

static flow step_seen(aqsim_flight *flight)
{
  const aqsim_queue *queue = flight->queue;
  flight->start = flight->stamp = queue->sim->now;
  flight->end =
      flight->start + aqsim_acquire(queue->device, flight->packet.header);
  return flight_finish(flight);
}

static flow step_end(aqsim_flight *flight)
{
  aqsim *sim = flight->queue->sim;
  const aq_kernel_desc *desc = &flight->kernel->desc;
  const aq_kernel_packet *packet = &flight->packet.kernel;
  aq_kernel_call call = {packet, (void *)(uintptr_t)packet->kernarg_address,
                         desc->user};
  sim->interrupt = flight->queue->device->model->interrupt_to_host;
  desc->function(&call);
  /* It may have published packets, and destroyed queues. */
  aqsim_queues_notice(sim);
  return flight->queue->destroyed ? FLOW_GONE : flight_finish(flight);
}

static flow step_complete(aqsim_flight *flight)
{
  aqsim_queue *queue = flight->queue;
  aqsim *sim = queue->sim;
  const packet_kind *kind = kind_of(flight);
  aq_time observe = aqsim_signal_complete(
      sim, queue->device, flight->packet.kernel.completion_signal,
      flight->stamp, flight->end);
  if (aqsim_recorder_on(&sim->recorder))
    flight_record(flight, kind, flight->glued ? AQ_FLAG_GLUED : 0, sim->now,
                  observe);
  if (queue->device->model->read_index_advance == AQSIM_ADVANCE_COMPLETION)
    aqsim_queue_retire(queue, flight->id);
  if (kind->blocks)
    queue->blocked = false;
  else
    queue->last_end = aq_time_max(queue->last_end, flight->end);
  queue->active--;
  aqsim_flight_free(flight);
  if (aqsim_queue_is_idle(queue))
    queue->idle_since = sim->now;
  else
    aqsim_queue_pump(queue);
  return FLOW_GONE;
}

/* ---- the loop ---- */

static flow (*const step_functions[AQSIM_STEP_COUNT])(aqsim_flight *) = {
#define S(name, function, waits, then) [AQSIM_STEP_##name] = function,
#include "backend_sim/lifecycle.def"
#undef S
};

const aqsim_step_text aqsim_step_texts[AQSIM_STEP_COUNT] = {
#define S(name, function, waits, then) {#name, waits, then},
#include "backend_sim/lifecycle.def"
#undef S
};

static void flight_run(aqsim_flight *flight)
{
  while (step_functions[flight->step](flight) == FLOW_GO)
    ;
}

void aqsim_queue_pump(aqsim_queue *queue)
{
  if (queue->pumping)
    return;
  queue->pumping = true;
  uint64_t launched;
  do {
    launched = queue->launched;
    if (queue->turn_first)
      flight_run(queue->turn_first);
  } while (queue->launched != launched);
  queue->pumping = false;
  aqsim_queue_fetch_more(queue);
}

static void flight_fire(aqsim_event *event)
{
  aqsim_flight *flight = (aqsim_flight *)event;
  flight->sleeping = false;
  if (flight->step == AQSIM_STEP_TURN)
    aqsim_queue_pump(flight->queue);
  else
    flight_run(flight);
}

static void gate_opened(aqsim_gate *gate)
{
  flight_run(
      (aqsim_flight *)(void *)((char *)gate - offsetof(aqsim_flight, gate)));
}

void aqsim_flight_init(aqsim_flight *flight)
{
  aqsim *sim = flight->queue->sim;
  flight->event.fire = flight_fire;
  aqsim_gate_init(&flight->gate, &sim->calendar, &sim->now, gate_opened);
}

void aqsim_flight_begin(aqsim_flight *flight)
{
  aqsim_queue *queue = flight->queue;
  flight->step = AQSIM_STEP_TURN;
  flight->next = NULL;
  if (queue->turn_last)
    queue->turn_last->next = flight;
  else
    queue->turn_first = flight;
  queue->turn_last = flight;
  queue->waiting++;
}
