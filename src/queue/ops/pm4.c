/* SPDX-License-Identifier: MIT */
/* Executions as PM4: the walk fills packets in memory, which become the
 * commands of an indirect buffer; one packet of the ring names it. Arguments,
 * copies of packets and commands lie in kernarg memory, in this order. */
#include "config.h"

#include "queue/ops/pm4.h"

#include <stdlib.h>

#include "cmdbuf/pm4.h"
#include "queue/core/queue_priv.h"
#include "queue/ops/device_walk_execute.h"
#include "queue/ops/packet_timestamps.h"
#include "queue/ring/packet_batch.h"

enum {
  PART = 256, /* packets that become one buffer, at most; a power of two */
  LEAST = 8,  /* that there is always room for */
};

/* Where the walk puts the packets of a part. */
struct aq_pm4_part {
  aq_packet packets[PART];
  uint32_t headers[PART];
};

typedef struct pm4_task {
  aq_task task; /* first */
  aq_processor processor;
  aq_aql_queue *aql_queue;
  aq_pm4_code *code;           /* counted */
  aq_packet_timestamps *times; /* or NULL */
  uint32_t binding_count;
} pm4_task;

static uint32_t least_kernarg(const aq_link *link)
{
  return link->program->kernarg_max + LEAST * AQ_PM4_PACKET_SIZE;
}

static void pm4_demand(const aq_task *task, uint32_t most, uint32_t *packets,
                       uint32_t *kernargs)
{
  const aq_processor *processor = &((const pm4_task *)task)->processor;
  uint64_t count, bytes;
  (void)most;
  aq_processor_demand(processor, PART, &count, &bytes);
  count = count < PART ? count + 1 : PART; /* a drain */
  bytes += least_kernarg(processor->link) + 2 * count * AQ_PM4_PACKET_SIZE;
  *packets = 1;
  *kernargs = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
}

static aq_status pm4_prepare(aq_task *task, aq_queue *queue, aq_diag *diag)
{
  aq_aql_queue *aql_queue = queue->aql_queue;
  (void)task;
  if (!aql_queue->pm4)
    aql_queue->pm4 = aligned_alloc(64, sizeof *aql_queue->pm4);
  return aql_queue->pm4 ? AQ_OK : aq_diag_no_memory(diag);
}

/* The program's packets, as many as their commands have room for. */
static aq_walk part_walk(pm4_task *pm4, uint64_t id, aq_packet_span *part)
{
  static const aq_packet drain = {
      .barrier = {.header = AQ_PACKET_BARRIER_AND |
                            1 << AQ_HEADER_BARRIER_SHIFT |
                            AQ_SCOPE_SYSTEM << AQ_HEADER_RELEASE_SHIFT}};
  const uint32_t room =
      part->kernarg_size - pm4->processor.link->program->kernarg_max;
  const uint32_t fit = room / 4 * 3 / AQ_PM4_PACKET_SIZE;
  part->slots = fit < PART ? fit : PART;
  /* The arguments behind the commands begin at a multiple, too. */
  part->kernarg_size -= part->slots * AQ_PM4_PACKET_SIZE + AQ_KERNARG_ALIGN;
  part->drain = &drain;
  if (!pm4->times)
    return aq_processor_fill(&pm4->processor, part);
  const aq_walk walk = aq_packet_timestamps_fill(pm4->times, &pm4->processor,
                                                 pm4->task.number, part);
  aq_packet_timestamps_packet(pm4->times, id);
  return walk;
}

/* Says a part in commands behind its arguments; the bytes that all take, a
 * multiple of AQ_KERNARG_ALIGN. */
static uint32_t part_say(const pm4_task *pm4, uint64_t id,
                         const aq_packet_span *part, aq_pm4_ib_packet *jump)
{
  const uint32_t args = aq_kernarg_round(part->kernarg_used);
  aq_packet *seen = (aq_packet *)(void *)(part->kernarg + args);
  aq_pm4_buffer buffer = {.code = pm4->code,
                          .words = (uint32_t *)(void *)(seen + part->packets)};
  for (uint32_t i = 0; i < part->packets; i++)
    aq_pm4_put(&buffer, aq_ring_slot(part->ring, i), part->headers[i], id,
               seen + i);
  aq_pm4_end(&buffer);
  aq_pm4_jump(jump, (uintptr_t)buffer.words, buffer.count);
  return aq_kernarg_round(args + part->packets * (uint32_t)sizeof *seen +
                          buffer.count * (uint32_t)sizeof *buffer.words);
}

static aq_walk pm4_fill(aq_task *task, uint16_t carry, aq_packet_span *span)
{
  pm4_task *pm4 = (pm4_task *)task;
  struct aq_pm4_part *memory = pm4->aql_queue->pm4;
  uint64_t indices[3] = {0};
  aq_ring ring = {memory->packets, PART,        0,
                  &indices[0],     &indices[1], &indices[2]};
  const uint32_t used = aq_kernarg_round(span->kernarg_used);
  const uint64_t id = span->first + span->packets;
  aq_packet_span part = {.ring = &ring,
                         .headers = memory->headers,
                         .kernarg = span->kernarg + used,
                         .kernarg_size = span->kernarg_size - used};
  const aq_walk walk = part_walk(pm4, id, &part);
  if (part.packets == 0)
    return walk;
  aq_packet *packet = aq_packet_batch_next(
      span, aq_packet_header(AQ_PACKET_VENDOR, 1,
                             (aq_fence_scope)aq_header_acquire(carry),
                             AQ_SCOPE_NONE) |
                (uint32_t)AQ_AMD_FORMAT_PM4_IB << 16);
  span->kernarg_used = used + part_say(pm4, id, &part, &packet->pm4_ib);
  return walk;
}

static aq_status pm4_keep(aq_task *task, aq_diag *diag)
{
  pm4_task *pm4 = (pm4_task *)task;
  aq_status status =
      aq_bindings_keep(&pm4->processor.slots, pm4->binding_count, diag);
  if (status == AQ_OK)
    aq_pm4_code_retain(pm4->code);
  return status;
}

static void pm4_drop(aq_task *task)
{
  pm4_task *pm4 = (pm4_task *)task;
  aq_bindings_drop(pm4->processor.slots);
  aq_pm4_code_release(pm4->code);
}

static const aq_task_class pm4_class = {.kind = AQ_OPERATION_EXECUTE,
                                        .size = sizeof(pm4_task),
                                        .demand = pm4_demand,
                                        .prepare = pm4_prepare,
                                        .fill = pm4_fill,
                                        .keep = pm4_keep,
                                        .drop = pm4_drop};

/* The command processor stores ticks of its own device into signals, which the
 * transport reads as ticks of the device that completed them last. */
static aq_status clock_check(const aq_queue *queue, aq_diag *diag)
{
  aq_transport_info info;
  queue->ops->info(queue->transport, &info);
  const uint32_t device = aq_queue_device(queue);
  for (uint32_t i = 0; i < info.device_count; i++)
    if (info.devices[i].timestamp_hz != info.devices[device].timestamp_hz)
      return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                         "times of PM4 commands: the clocks of devices %u and "
                         "%u differ",
                         i, device);
  return AQ_OK;
}

static aq_status times_add(aq_queue *queue, pm4_task *task, const aq_link *link,
                           aq_diag *diag)
{
  if (!aq_packet_timestamps_wanted(queue, link->program))
    return AQ_OK;
  aq_status status = clock_check(queue, diag);
  if (status == AQ_OK)
    status = aq_packet_timestamps_make(queue, link, &task->times, diag);
  if (status != AQ_OK)
    return status;
  task->task.on_done = aq_packet_timestamps_done;
  task->task.on_done_user = task->times;
  task->task.parts = true;
  return AQ_OK;
}

aq_status aq_queue_pm4(aq_queue *queue, const aq_sync *sync,
                       const aq_execution *execution, aq_diag *diag)
{
  const aq_link *link = execution->link;
  pm4_task task = {.aql_queue = queue->aql_queue,
                   .binding_count = execution->binding_count};
  aq_status status = aq_queue_check_kernargs(queue, least_kernarg(link), diag);
  if (status == AQ_OK)
    status = aq_pm4_code_make(link, queue->transport, aq_queue_device(queue),
                              &task.code, diag);
  if (status != AQ_OK)
    return status;
  aq_task_start(&task.task, &pm4_class, sync);
  aq_processor_start(&task.processor, link, execution->bindings, 0, 0);
  status = times_add(queue, &task, link, diag);
  if (status == AQ_OK) {
    status = aq_task_submit(queue, &task.task, diag);
    if (status != AQ_OK && task.times)
      aq_packet_timestamps_free(task.times);
  }
  aq_pm4_code_release(task.code);
  return status;
}
