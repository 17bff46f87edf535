/* SPDX-License-Identifier: MIT */
/* Executions that the device walks: one packet starts the walk, which puts the
 * program's packets into the ring itself. Its epoch is complete when the walk's
 * last packet is; until then the host puts no packet. */
#include "config.h"

#include "queue/core/queue_priv.h"
#include "queue/ops/device_walk_execute.h"
#include "queue/ring/packet_batch.h"

typedef struct walk_task {
  aq_task task; /* first */
  aq_queue *queue;
  const aq_link *link;
  const aq_binding *bindings;
  uint32_t binding_count;
} walk_task;

/* Arguments of many packets: the fewer bytes, the more runs of the walk. */
static uint32_t kernarg_of(const walk_task *walk)
{
  const uint64_t quarter =
      aq_kernarg_ring_limit(&walk->queue->aql_queue->kernargs) / 4;
  const uint32_t least = walk->link->program->kernarg_max + AQ_WALK_KERNARG;
  return quarter < least ? least : (uint32_t)quarter;
}

static void walk_demand(const aq_task *task, uint32_t most, uint32_t *packets,
                        uint32_t *kernargs)
{
  (void)most;
  *packets = 1;
  *kernargs = task->begun ? 0 : kernarg_of((const walk_task *)task);
}

static aq_status walk_prepare(aq_task *task, aq_queue *queue, aq_diag *diag)
{
  const walk_task *walk = (const walk_task *)task;
  return aq_walk_ready(queue->aql_queue, walk->link, walk->binding_count, diag);
}

static aq_walk walk_fill(aq_task *task, uint16_t carry, aq_packet_span *span)
{
  const walk_task *walk = (const walk_task *)task;
  aq_aql_queue *aql_queue = walk->queue->aql_queue;
  const uint32_t used = aq_kernarg_round(span->kernarg_used);
  (void)carry; /* the walk's packet waits for all and acquires all */
  if (task->begun) {
    task->packets += aql_queue->walk->packets;
    aq_walk_end(aql_queue);
    return aql_queue->walk->result;
  }
  aq_walk_begin(aql_queue,
                &(aq_walk_ask){.bindings = walk->bindings,
                               .binding_count = walk->binding_count,
                               .kernarg = span->kernarg + used,
                               .kernarg_size = span->kernarg_size - used});
  span->kernarg_used = span->kernarg_size;
  aq_packet_batch_add(span, &aql_queue->walk->again);
  return AQ_WALK_DRAIN;
}

static void walk_complete(aq_task *task, aq_signal signal)
{
  ((const walk_task *)task)->queue->aql_queue->walk->completion = signal;
}

/* Bindings are copied into the walk when it begins; a task that is deferred
 * before needs its own. */
static aq_status walk_keep(aq_task *task, aq_diag *diag)
{
  walk_task *walk = (walk_task *)task;
  return aq_bindings_keep(&walk->bindings, walk->binding_count, diag);
}

static void walk_drop(aq_task *task)
{
  aq_bindings_drop(((walk_task *)task)->bindings);
}

static const aq_task_class walk_class = {.kind = AQ_OPERATION_EXECUTE,
                                         .size = sizeof(walk_task),
                                         .demand = walk_demand,
                                         .prepare = walk_prepare,
                                         .fill = walk_fill,
                                         .complete = walk_complete,
                                         .keep = walk_keep,
                                         .drop = walk_drop};

aq_status aq_queue_walk(aq_queue *queue, const aq_sync *sync,
                        const aq_execution *execution, aq_diag *diag)
{
  walk_task walk = {.queue = queue,
                    .link = execution->link,
                    .bindings = execution->bindings,
                    .binding_count = execution->binding_count};
  aq_status status = aq_queue_check_kernargs(
      queue, execution->link->program->kernarg_max + AQ_WALK_KERNARG, diag);
  if (status != AQ_OK)
    return status;
  aq_task_start(&walk.task, &walk_class, sync);
  return aq_task_submit(queue, &walk.task, diag);
}
