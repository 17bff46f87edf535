/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "transport/testbed/testbed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory_sink.h"
#include "common/transports.h"

typedef struct bed_queue {
  aqsim_testbed *bed;
  aq_ring *ring;
  struct bed_queue *next;
  char fault[AQ_DIAG_TEXT_MAX]; /* why it stopped, or "" */
} bed_queue;

struct aqsim_testbed {
  aq_transport_stack *stack;
  aq_transport *t;
  aq_memory_sink sink;
  aq_diag problem; /* the first one */
  bed_queue *queues;
};

static bool bed_is_well(const aqsim_testbed *bed)
{
  return bed->problem.status == AQ_OK;
}

static void bed_free(aqsim_testbed *bed)
{
  while (bed->queues) {
    bed_queue *queue = bed->queues;
    bed->queues = queue->next;
    free(queue);
  }
  aq_memory_sink_fini(&bed->sink);
  aq_transport_stack_destroy(bed->stack);
  free(bed);
}

aq_status aqsim_testbed_open(const char *device, const char *const *edits,
                             uint64_t seed, aqsim_testbed **out, aq_diag *diag)
{
  aqsim_testbed *bed = calloc(1, sizeof *bed);
  if (!bed)
    return aq_diag_no_memory(diag);
  aq_memory_sink_init(&bed->sink);
  aq_transport_options options = {.size = sizeof options,
                                  .device = device,
                                  .edits = edits,
                                  .seed = seed,
                                  .records = &bed->sink.sink};
  aq_status status = aq_transport_stack_create("sim", NULL, &bed->stack, diag);
  if (status == AQ_OK)
    status = aq_transport_stack_open(bed->stack, &options, &bed->t, diag);
  if (status != AQ_OK) {
    bed_free(bed);
    return status;
  }
  *out = bed;
  return AQ_OK;
}

void aqsim_testbed_close(aqsim_testbed *bed)
{
  if (!bed)
    return;
  bed->t->ops->close(bed->t);
  bed_free(bed);
}

const char *aqsim_testbed_problem(const aqsim_testbed *bed)
{
  return bed_is_well(bed) ? NULL : bed->problem.text;
}

aq_transport *aqsim_testbed_transport(aqsim_testbed *bed)
{
  return bed->t;
}

/* ---- what packets need ---- */

static void fault_note(const aq_queue_error *error, void *user)
{
  bed_queue *queue = user;
  snprintf(queue->fault, sizeof queue->fault, "%s", error->text);
}

aq_ring *aqsim_testbed_queue(aqsim_testbed *bed, uint32_t size)
{
  return aqsim_testbed_queue_on(bed, 0, size);
}

aq_ring *aqsim_testbed_queue_on(aqsim_testbed *bed, uint32_t device,
                                uint32_t size)
{
  if (!bed_is_well(bed))
    return NULL;
  bed_queue *queue = calloc(1, sizeof *queue);
  if (!queue) {
    aq_diag_no_memory(&bed->problem);
    return NULL;
  }
  aq_queue_desc desc = {
      .device = device, .size = size, .error = fault_note, .user = queue};
  if (bed->t->ops->queue_create(bed->t, &desc, &queue->ring, &bed->problem) !=
      AQ_OK) {
    free(queue);
    return NULL;
  }
  queue->next = bed->queues;
  bed->queues = queue;
  return queue->ring;
}

uint64_t aqsim_testbed_kernel(aqsim_testbed *bed, const char *name,
                              aq_time duration,
                              void (*function)(const aq_kernel_call *call),
                              void *user)
{
  aq_kernel_desc desc = {.name = name,
                         .function = function,
                         .user = user,
                         .cost = {.kind = AQ_COST_FIXED, .base = duration}};
  aq_kernel_info info = {0};
  if (bed_is_well(bed))
    bed->t->ops->kernel_register(bed->t, &desc, &info, &bed->problem);
  return info.object;
}

uint64_t aqsim_testbed_code(aqsim_testbed *bed, const void *image, size_t size,
                            const char *name)
{
  const aq_transport_ops *ops = bed->t->ops;
  aq_kernel_info info = {0};
  uint64_t module;
  if (bed_is_well(bed) &&
      ops->module_load(bed->t, 0, image, size, &module, &bed->problem) == AQ_OK)
    ops->kernel_lookup(bed->t, module, name, &info, &bed->problem);
  return info.object;
}

aq_signal aqsim_testbed_signal(aqsim_testbed *bed, int64_t value)
{
  aq_signal signal = {0};
  if (bed_is_well(bed))
    bed->t->ops->signal_create(bed->t, &(aq_signal_desc){.value = value},
                               &signal, &bed->problem);
  return signal;
}

int64_t aqsim_testbed_value(aqsim_testbed *bed, aq_signal signal)
{
  return signal.handle ? bed->t->ops->signal_load(bed->t, signal, AQ_ACQUIRE)
                       : 0;
}

void aqsim_testbed_store(aqsim_testbed *bed, aq_signal signal, int64_t value)
{
  if (signal.handle)
    bed->t->ops->signal_store(bed->t, signal, value, AQ_RELEASE);
}

/* ---- packets ---- */

uint64_t aqsim_testbed_push(aqsim_testbed *bed, aq_ring *queue,
                            const aq_packet *packet)
{
  uint64_t id;
  if (!bed_is_well(bed) ||
      bed->t->ops->queue_wait_space(bed->t, queue, 1, AQ_TIME_MAX,
                                    &bed->problem) != AQ_OK ||
      !aq_ring_try_reserve(queue, 1, &id))
    return AQSIM_TESTBED_NO_PACKET;
  aq_packet *slot = aq_ring_slot(queue, id);
  size_t behind = sizeof slot->header_setup;
  memcpy((char *)slot + behind, (const char *)packet + behind,
         sizeof *packet - behind);
  aq_packet_publish(slot, packet->header, packet->setup);
  bed->t->ops->queue_doorbell(bed->t, queue, id);
  return id;
}

uint64_t aqsim_testbed_dispatch(aqsim_testbed *bed, aq_ring *queue,
                                uint64_t kernel, void *kernarg, bool barrier,
                                aq_signal completion)
{
  aq_packet packet = {
      .kernel = {.header = aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, barrier,
                                            AQ_SCOPE_AGENT, AQ_SCOPE_AGENT),
                 .setup = 1,
                 .workgroup_size = {1, 1, 1},
                 .grid_size = {1, 1, 1},
                 .kernel_object = kernel,
                 .kernarg_address = (uintptr_t)kernarg,
                 .completion_signal = completion}};
  return aqsim_testbed_push(bed, queue, &packet);
}

uint64_t aqsim_testbed_barrier(aqsim_testbed *bed, aq_ring *queue,
                               aq_packet_type type,
                               const aq_signal *dependencies, uint32_t count,
                               aq_signal completion)
{
  aq_packet packet = {.barrier = {.header = aq_packet_header(
                                      type, 0, AQ_SCOPE_NONE, AQ_SCOPE_NONE),
                                  .completion_signal = completion}};
  if (bed_is_well(bed) && count > AQ_BARRIER_DEPENDENCIES)
    aq_diag_set(&bed->problem, AQ_ERR_INVALID,
                "a barrier of %u signals; expected at most %d", count,
                AQ_BARRIER_DEPENDENCIES);
  if (!bed_is_well(bed))
    return AQSIM_TESTBED_NO_PACKET;
  for (uint32_t i = 0; i < count; i++)
    packet.barrier.dependency[i] = dependencies[i];
  return aqsim_testbed_push(bed, queue, &packet);
}

/* ---- time ---- */

aq_time aqsim_testbed_now(const aqsim_testbed *bed)
{
  return bed->t->ops->now(bed->t);
}

void aqsim_testbed_run_until(aqsim_testbed *bed, aq_time until)
{
  if (bed_is_well(bed))
    bed->t->ops->sleep_until(bed->t, until, false, &bed->problem);
}

void aqsim_testbed_run(aqsim_testbed *bed)
{
  aqsim_testbed_run_until(bed, AQ_TIME_MAX);
}

void aqsim_testbed_wait(aqsim_testbed *bed, aq_signal signal)
{
  aq_wait_item item = {signal, AQ_EQ, 0};
  if (bed_is_well(bed))
    bed->t->ops->wait(
        bed->t,
        &(aq_wait_request){.items = &item, .count = 1, .deadline = AQ_TIME_MAX},
        NULL, &bed->problem);
}

/* ---- what became of them ---- */

const aq_record *aqsim_testbed_timeline(const aqsim_testbed *bed, size_t *count)
{
  *count = bed->sink.count;
  return bed->sink.rows;
}

const aq_record *aqsim_testbed_record(const aqsim_testbed *bed,
                                      const aq_ring *queue, uint64_t packet)
{
  for (size_t i = 0; i < bed->sink.count; i++) {
    const aq_record *row = &bed->sink.rows[i];
    if (row->packet == (int64_t)packet && row->queue != AQ_NONE &&
        bed->sink.queues[row->queue].source_id == queue->id)
      return row;
  }
  return NULL;
}

const char *aqsim_testbed_name(const aqsim_testbed *bed,
                               const aq_record *record)
{
  return aq_names_text(&bed->sink.names, record->name);
}

const char *aqsim_testbed_fault(const aqsim_testbed *bed, const aq_ring *queue)
{
  for (const bed_queue *q = bed->queues; q; q = q->next)
    if (q->ring == queue)
      return q->fault[0] ? q->fault : NULL;
  return NULL;
}
