/* SPDX-License-Identifier: MIT */
#include "model/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "backend_sim/sim.h"
#include "common/memory_sink.h"

typedef struct driver driver;

/* The user of a queue's callback. */
typedef struct queue_user {
  driver *driver;
  unsigned index;
} queue_user;

struct driver {
  const model_program *program;
  model_timeline *out;
  aq_transport *t;
  const aq_transport_ops *ops;
  aq_memory_sink sink;
  aq_ring *queues[MODEL_QUEUES];
  aq_signal signals[MODEL_SIGNALS];
  uint64_t kernel, host_kernel;
  aq_spin_args args[MODEL_PACKETS]; /* kernargs */
  uint16_t setups[MODEL_PACKETS];   /* the word beside the header */
  queue_user users[MODEL_QUEUES];
  aq_diag diag;
};

static bool good(driver *d, aq_status status, const char *what)
{
  if (status == AQ_OK)
    return true;
  snprintf(d->out->failure, sizeof d->out->failure, "%s: %.200s", what,
           d->diag.text);
  return false;
}

/* ---- setting up ---- */

enum { EDITS = 32, EDIT_SIZE = 64 };

static bool transport_open(driver *d)
{
  const model_device *device = &d->program->device;
  char texts[EDITS][EDIT_SIZE];
  const char *edits[EDITS + 1];
  unsigned count = 0;
#define EDIT(...)                                                              \
  snprintf(texts[count], EDIT_SIZE, __VA_ARGS__);                              \
  edits[count] = texts[count];                                                 \
  count++;
#define T(name) EDIT(#name "=%" PRId64 " ps", device->name)
  MODEL_TIMES(T)
#undef T
  EDIT("idle_ramp=%" PRId64 " ps", device->idle_ramp)
  EDIT("wait_process=%" PRId64 " ps", device->wait_process)
  EDIT("remap_ramp=%" PRId64 " ps", device->remap_ramp)
  EDIT("fetch_batch=%u", device->fetch_batch)
  EDIT("fetch_window=%u", device->fetch_window)
  EDIT("pipes=%u", device->pipes)
  EDIT("slots_per_pipe=%u", device->slots)
  EDIT("queue_quantum=%" PRId64 " ps", device->quantum)
  EDIT("preemption=%s", device->drain ? "drain" : "switch")
  EDIT("start_stamp=%s", device->back_to_back ? "glued" : "wave")
  EDIT("read_index_advance=%s",
       device->advance_at_launch ? "launch" : "completion")
  EDIT("workgroup_interval=0 ps")
  EDIT("queue_size_min=2")
#undef EDIT
  edits[count] = NULL;
  aq_transport_options options = {
      .size = sizeof options, .edits = edits, .records = &d->sink.sink};
  if (!good(d, d->ops->open(&options, &d->t, &d->diag), "open"))
    return false;
  /* The rules let packets execute without a doorbell. */
  if (d->ops == &aqsim_transport_ops)
    aqsim_queues_poll(d->t);
  return true;
}

static void kernel_note(const aq_kernel_call *call)
{
  driver *d = call->user;
  d->out->calls[(const aq_spin_args *)call->kernarg - d->args]++;
}

static bool kernels_make(driver *d)
{
  aq_kernel_desc desc = {.name = "spin", .cost = {.kind = AQ_COST_SPIN}};
  aq_kernel_info info;
  if (!good(d, d->ops->kernel_register(d->t, &desc, &info, &d->diag), "kernel"))
    return false;
  d->kernel = info.object;
  desc.function = kernel_note;
  desc.user = d;
  if (!good(d, d->ops->kernel_register(d->t, &desc, &info, &d->diag), "kernel"))
    return false;
  d->host_kernel = info.object;
  return true;
}

static void error_note(const aq_queue_error *error, void *user)
{
  (void)error;
  queue_user *q = user;
  q->driver->out->errors[q->index]++;
}

/* Agent dispatches have their packet in the first argument. */
static uint64_t agent_note(const aq_agent_packet *packet, void *user)
{
  queue_user *q = user;
  q->driver->out->calls[packet->argument[0]]++;
  return 0;
}

static bool objects_make(driver *d)
{
  const model_program *p = d->program;
  for (unsigned i = 0; i < p->queue_count; i++) {
    d->users[i] = (queue_user){d, i};
    aq_queue_desc desc = {.device = p->queue_host[i] ? AQ_DEVICE_HOST : 0,
                          .size = p->queue_size[i],
                          .error = error_note,
                          .agent = p->queue_host[i] ? agent_note : NULL,
                          .user = &d->users[i]};
    if (!good(d, d->ops->queue_create(d->t, &desc, &d->queues[i], &d->diag),
              "queue") ||
        !good(d,
              d->ops->queue_control(
                  d->t, d->queues[i], AQ_CONTROL_PRIORITY,
                  &(aq_queue_control_args){.value = p->queue_priority[i]},
                  &d->diag),
              "priority"))
      return false;
  }
  for (unsigned i = 0; i < p->signal_count; i++)
    if (!good(d,
              d->ops->signal_create(
                  d->t,
                  &(aq_signal_desc){.value = p->signals[i].initial, .user = i},
                  &d->signals[i], &d->diag),
              "signal"))
      return false;
  return kernels_make(d);
}

/* ---- actions of the host ---- */

static aq_signal signal_of(const driver *d, int index)
{
  return index == MODEL_NONE ? (aq_signal){0} : d->signals[index];
}

static aq_packet barrier_body(const driver *d, const model_packet *packet)
{
  aq_packet body = {0};
  for (int i = 0; i < AQ_BARRIER_DEPENDENCIES; i++)
    body.barrier.dependency[i] = signal_of(d, packet->dependency[i]);
  return body;
}

static aq_packet value_body(const driver *d, const model_packet *packet)
{
  aq_packet body = {
      .barrier_value = {.format = AQ_AMD_FORMAT_BARRIER_VALUE,
                        .signal = signal_of(d, packet->dependency[0]),
                        .value = packet->value,
                        .mask = packet->mask,
                        .condition = packet->condition}};
  return body;
}

/* An INDIRECT_BUFFER command that names no commands. */
static aq_packet pm4_body(const driver *d)
{
  uintptr_t address = (uintptr_t)d->args; /* valid, and not read */
  aq_packet body = {.pm4_ib = {.format = AQ_AMD_FORMAT_PM4_IB,
                               .ib_jump = {0xc0023f00, (uint32_t)address,
                                           (uint32_t)(address >> 32), 0},
                               .remaining = 0xa}};
  return body;
}

static aq_packet kernel_body(driver *d, unsigned index)
{
  const model_packet *packet = &d->program->packets[index];
  d->args[index].duration = packet->duration;
  aq_packet body = {
      .kernel = {.setup = 1,
                 .workgroup_size = {1, 1, 1},
                 .grid_size = {1, 1, 1},
                 .kernel_object = packet->host ? d->host_kernel : d->kernel,
                 .kernarg_address = (uintptr_t)&d->args[index]}};
  return body;
}

/* A packet but for its header, which is left INVALID. */
static aq_packet body_make(driver *d, unsigned index)
{
  const model_packet *packet = &d->program->packets[index];
  switch (packet->type) {
  case AQ_PACKET_BARRIER_AND:
  case AQ_PACKET_BARRIER_OR:
    return barrier_body(d, packet);
  case MODEL_VALUE_TYPE:
    return value_body(d, packet);
  case MODEL_PM4_TYPE:
    return pm4_body(d);
  case AQ_PACKET_AGENT_DISPATCH:
    return (aq_packet){.agent = {.type = 1, .argument = {index}}};
  default:
    return kernel_body(d, index);
  }
}

static void body_write(driver *d, unsigned index)
{
  const model_packet *packet = &d->program->packets[index];
  aq_packet body = body_make(d, index);
  body.kernel.completion_signal = signal_of(d, packet->completion);
  d->setups[index] = body.setup;
  aq_packet *slot = aq_ring_slot(d->queues[packet->queue], packet->id);
  memcpy((char *)slot + 4, (const char *)&body + 4, sizeof body - 4);
}

static void header_write(driver *d, unsigned index)
{
  const model_packet *packet = &d->program->packets[index];
  bool vendor =
      packet->type == MODEL_VALUE_TYPE || packet->type == MODEL_PM4_TYPE;
  aq_packet_type type =
      vendor ? AQ_PACKET_VENDOR : (aq_packet_type)packet->type;
  uint16_t header =
      aq_packet_header(type, packet->barrier, (aq_fence_scope)packet->acquire,
                       (aq_fence_scope)packet->release);
  aq_packet_publish(aq_ring_slot(d->queues[packet->queue], packet->id), header,
                    d->setups[index]);
}

static bool slots_reserve(driver *d, unsigned first, unsigned count)
{
  const model_program *p = d->program;
  for (unsigned q = 0; q < p->queue_count; q++) {
    uint32_t need = 0;
    for (unsigned i = first; i < first + count; i++)
      need += p->packets[i].queue == q && !p->packets[i].removed;
    if (need == 0)
      continue;
    uint64_t id;
    if (!good(d,
              d->ops->queue_wait_space(d->t, d->queues[q], need, AQ_TIME_MAX,
                                       &d->diag),
              "wait_space"))
      return false;
    if (!aq_ring_try_reserve(d->queues[q], need, &id))
      return good(d, AQ_ERR_INVALID, "no space after wait_space");
  }
  for (unsigned i = first; i < first + count; i++)
    if (!p->packets[i].removed)
      body_write(d, i);
  return true;
}

static void publish(driver *d, const model_action *action)
{
  const model_packet *packet = &d->program->packets[action->index];
  aq_ring *queue = d->queues[packet->queue];
  header_write(d, (unsigned)action->index);
  d->out->published[action->index] = d->ops->now(d->t);
  if (action->ring == MODEL_RING)
    d->ops->queue_doorbell(d->t, queue, packet->id);
  else if (action->ring == MODEL_RING_STALE)
    d->ops->queue_doorbell(d->t, queue, packet->id / 2);
}

static bool act(driver *d, const model_action *action)
{
  aq_time until = d->ops->now(d->t) + action->pause;
  if (action->pause > 0 &&
      !good(d, d->ops->sleep_until(d->t, until, false, &d->diag), "sleep"))
    return false;
  if (action->store) {
    d->out->stored[action->index] = d->ops->now(d->t);
    d->ops->signal_store(d->t, d->signals[action->index], 0, AQ_RELEASE);
  } else if (!d->program->packets[action->index].removed) {
    publish(d, action);
  }
  return true;
}

static bool bursts_run(driver *d)
{
  const model_program *p = d->program;
  unsigned packet = 0, action = 0;
  for (unsigned b = 0; b < p->burst_count; b++) {
    if (!slots_reserve(d, packet, p->bursts[b].packets))
      return false;
    packet += p->bursts[b].packets;
    for (unsigned i = 0; i < p->bursts[b].actions; i++)
      if (!act(d, &p->actions[action++]))
        return false;
  }
  return good(d, d->ops->sleep_until(d->t, AQ_TIME_MAX, false, &d->diag),
              "sleep");
}

/* ---- what became of it ---- */

static bool slots_are_free(const aq_ring *queue)
{
  uint64_t read = aq_ring_read_index(queue);
  for (uint64_t id = aq_ring_write_index(queue); id < read + queue->size; id++)
    if (aq_header_type(aq_packet_load_header(aq_ring_slot(queue, id))) !=
        AQ_PACKET_INVALID)
      return false;
  return true;
}

static void row_keep(driver *d, const aq_record *row)
{
  const model_program *p = d->program;
  int64_t id = d->sink.queues[row->queue].source_id;
  for (unsigned i = 0; i < p->packet_count; i++) {
    const model_packet *packet = &p->packets[i];
    if (packet->removed || packet->id != (uint64_t)row->packet ||
        d->queues[packet->queue]->id != id)
      continue;
    d->out->rows[i] = *row;
    d->out->records[i]++;
  }
}

static void outcome_read(driver *d)
{
  for (size_t i = 0; i < d->sink.count; i++)
    row_keep(d, &d->sink.rows[i]);
  for (unsigned i = 0; i < d->program->signal_count; i++)
    d->out->values[i] = d->ops->signal_load(d->t, d->signals[i], AQ_ACQUIRE);
  for (unsigned i = 0; i < d->program->queue_count; i++) {
    d->out->read_index[i] = aq_ring_read_index(d->queues[i]);
    if (!slots_are_free(d->queues[i]))
      snprintf(d->out->failure, sizeof d->out->failure,
               "queue %u: a free slot is not INVALID", i);
  }
}

void model_drive(const model_program *program, const aq_transport_ops *ops,
                 model_timeline *out)
{
  driver *d = calloc(1, sizeof *d);
  if (!d)
    abort();
  memset(out, 0, sizeof *out);
  d->program = program;
  d->out = out;
  d->ops = ops;
  aq_memory_sink_init(&d->sink);
  if (transport_open(d)) {
    if (objects_make(d) && bursts_run(d))
      outcome_read(d);
    ops->close(d->t);
  }
  aq_memory_sink_fini(&d->sink);
  free(d);
}
