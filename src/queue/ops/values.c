/* SPDX-License-Identifier: MIT */
/*
 * Atomics and waits for values in memory, as operations of a queue.
 *
 * Each is packets of an ordinary task: waits, room, deferring, epochs and
 * failure are the same as everywhere (task.h), and the task has no states or
 * locks of its own. All that it needs is in the copy that is deferred.
 *
 *   barrier-value, PM4   the packet processor changes or polls the value; a
 *                        wait holds back everything behind it in the ring
 *   kernel               one work-item does; behind a kernel that waits comes a
 *                        barrier that acquires, for all of the device
 *
 * Order. A barrier packet before an atomic releases everything before it to the
 * system, so that is in memory when the value changes. A wait acquires from the
 * system all that the value's writer released. Each has the barrier bit.
 *
 * Failure. A wait whose value never comes holds the queue as a semaphore on the
 * device would: virtual time finds the deadlock, elsewhere deadlines end host
 * waits, and a queue that fails fails it. Memory that is not there is a memory
 * fault of the packet.
 */
#include "config.h"

#include <string.h>

#include "cmdbuf/value_check.h"
#include "cmdbuf/value_packets.h"
#include "common/pm4.h"
#include "queue/core/queue_priv.h"
#include "queue/core/submit_hooks_priv.h"
#include "queue/ring/packet_batch.h"

typedef struct value_task {
  aq_task task; /* first */
  aq_value_way way;
  uint64_t object; /* of the kernel */
  union {
    aq_atomic_args atomic;
    aq_wait_args wait;
  };
} value_task;

/* ---- packets ---- */

static void atomic_demand(const aq_task *task, uint32_t most, uint32_t *packets,
                          uint32_t *kernargs)
{
  (void)task, (void)most;
  *packets = 2;
  *kernargs = AQ_VALUE_KERNARG;
}

static void wait_demand(const aq_task *task, uint32_t most, uint32_t *packets,
                        uint32_t *kernargs)
{
  (void)most;
  *packets = ((const value_task *)task)->way == AQ_VALUE_KERNEL ? 2 : 1;
  *kernargs = AQ_VALUE_KERNARG;
}

/* Where the next packet goes; its arguments lie in `*kernarg`. */
static aq_packet *packet_take(aq_packet_span *span, unsigned char **kernarg)
{
  *kernarg = span->kernarg + span->kernarg_used;
  span->kernarg_used += AQ_VALUE_KERNARG;
  return aq_ring_slot(span->ring, span->first + span->packets);
}

static aq_walk atomic_fill(aq_task *task, uint16_t carry, aq_packet_span *span)
{
  const value_task *v = (const value_task *)task;
  unsigned char *kernarg;
  aq_packet_batch_next(span, aq_packet_header(AQ_PACKET_BARRIER_AND, 1,
                                              AQ_SCOPE_NONE, AQ_SCOPE_SYSTEM));
  aq_packet *slot = packet_take(span, &kernarg);
  const uint32_t word =
      v->way == AQ_VALUE_PM4
          ? aq_atomic_pm4_write(&v->atomic, slot, kernarg, 0)
          : aq_atomic_packet_write(&v->atomic, v->object, slot, kernarg, 0);
  span->headers[span->packets++] = carry | word;
  return AQ_WALK_END;
}

static aq_walk wait_fill(aq_task *task, uint16_t carry, aq_packet_span *span)
{
  const value_task *v = (const value_task *)task;
  unsigned char *kernarg;
  aq_packet *slot = packet_take(span, &kernarg);
  (void)carry; /* nothing is wider than this */
  span->headers[span->packets++] =
      aq_wait_packet_write(&v->wait, v->way, v->object, slot, kernarg, 0) |
      aq_packet_header((aq_packet_type)0, 1, AQ_SCOPE_SYSTEM, AQ_SCOPE_NONE);
  if (v->way == AQ_VALUE_KERNEL)
    aq_packet_batch_next(span,
                         aq_packet_header(AQ_PACKET_BARRIER_AND, 1,
                                          AQ_SCOPE_SYSTEM, AQ_SCOPE_NONE));
  return AQ_WALK_END;
}

static const aq_task_class atomic_class = {.kind = AQ_OPERATION_ATOMIC,
                                           .size = sizeof(value_task),
                                           .demand = atomic_demand,
                                           .fill = atomic_fill};
static const aq_task_class wait_class = {.kind = AQ_OPERATION_WAIT_VALUE,
                                         .size = sizeof(value_task),
                                         .demand = wait_demand,
                                         .fill = wait_fill};

/* ---- the choice ---- */

static const aq_builtins *builtins_of(const aq_queue *queue)
{
  return &queue->context->builtins[queue->options.device];
}

static unsigned generation_of(const aq_queue *queue)
{
  const aq_transport_info *info = &queue->context->info;
  return aq_pm4_generation(info->devices[queue->options.device].gfx);
}

static bool has_pm4(const aq_queue *queue)
{
  return aq_device_caps(&queue->context->info, queue->options.device) &
             AQ_CAP_PM4 &&
         generation_of(queue) > 0;
}

static bool atomic_has_way(const aq_queue *queue, const aq_atomic *atomic,
                           aq_value_way way)
{
  if (way == AQ_VALUE_PM4)
    return has_pm4(queue) && !atomic->result;
  return way == AQ_VALUE_KERNEL &&
         builtins_of(queue)->objects[AQ_BUILTIN_ATOMIC];
}

/* The packet compares 8 bytes with a sign, so 32 bits in the upper half would
 * be compared with one too, but in the lower half without. */
static bool packet_adds_sign(const aq_wait_args *wait)
{
  return wait->size == 4 && (uintptr_t)wait->address & 4 &&
         wait->condition >= AQ_LT && wait->mask & UINT32_C(1) << 31;
}

static bool wait_has_way(const aq_queue *queue, aq_value_way way)
{
  if (way == AQ_VALUE_PACKET)
    return aq_device_caps(&queue->context->info, queue->options.device) &
           AQ_CAP_BARRIER_VALUE;
  if (way == AQ_VALUE_PM4)
    return has_pm4(queue);
  return way == AQ_VALUE_KERNEL && builtins_of(queue)->objects[AQ_BUILTIN_WAIT];
}

/* gfx12's packets are the last choice, as for edges. */
static aq_value_way atomic_way(const aq_queue *queue, const aq_atomic *atomic)
{
  if (atomic->way != AQ_VALUE_CHOOSE)
    return atomic->way;
  return generation_of(queue) < 12 &&
                 atomic_has_way(queue, atomic, AQ_VALUE_PM4)
             ? AQ_VALUE_PM4
             : AQ_VALUE_KERNEL;
}

static aq_value_way wait_way(const aq_queue *queue, const aq_wait_args *wait,
                             aq_value_way wanted)
{
  const aq_value_way best = builtins_of(queue)->wait;
  if (wanted != AQ_VALUE_CHOOSE)
    return wanted;
  if (best != AQ_VALUE_PACKET || !packet_adds_sign(wait))
    return best;
  return wait_has_way(queue, AQ_VALUE_PM4)      ? AQ_VALUE_PM4
         : wait_has_way(queue, AQ_VALUE_KERNEL) ? AQ_VALUE_KERNEL
                                                : best;
}

static aq_status way_refuse(const aq_queue *queue, aq_operation kind,
                            aq_value_way way, aq_diag *diag)
{
  const char *name = aq_value_way_name(way);
  if (!name)
    return aq_diag_set(diag, AQ_ERR_INVALID, "%s: unknown way %u",
                       aq_operation_name(kind), (unsigned)way);
  return aq_diag_set(
      diag, AQ_ERR_UNSUPPORTED, "%s: device %u of %s does not support way %s",
      aq_operation_name(kind), queue->options.device, queue->ops->name, name);
}

/* ---- calls ---- */

static aq_status atomic_submit(aq_queue *queue, const aq_sync *sync,
                               const aq_atomic *atomic, aq_diag *diag)
{
  const aq_atomic_args args = {.target = atomic->target,
                               .result = atomic->result,
                               .operand = atomic->operand,
                               .expected = atomic->expected,
                               .op = atomic->op,
                               .size = atomic->size};
  aq_status status = aq_atomic_args_check(&args, atomic->result, diag);
  if (status == AQ_OK && !atomic->target)
    status = aq_diag_set(diag, AQ_ERR_INVALID, "atomic: no address");
  if (status == AQ_OK)
    status = aq_queue_check_kernargs(queue, AQ_VALUE_KERNARG, diag);
  if (status != AQ_OK)
    return status;
  const aq_value_way way = atomic_way(queue, atomic);
  if (!atomic_has_way(queue, atomic, way))
    return way_refuse(queue, AQ_OPERATION_ATOMIC, way, diag);
  value_task task;
  aq_task_start(&task.task, &atomic_class, sync);
  task.way = way;
  task.object = builtins_of(queue)->objects[AQ_BUILTIN_ATOMIC];
  task.atomic = args;
  return aq_task_submit(queue, &task.task, diag);
}

aq_status aq_queue_atomic(aq_queue *queue, const aq_sync *sync,
                          const aq_atomic *atomic, aq_diag *diag)
{
  const uint64_t token =
      aq_submit_hooks_begin(queue, AQ_OPERATION_ATOMIC, sync, atomic);
  return aq_submit_hooks_end(queue->context, token,
                             atomic_submit(queue, sync, atomic, diag));
}

static aq_status wait_submit(aq_queue *queue, const aq_sync *sync,
                             const aq_value_wait *wait, aq_diag *diag)
{
  aq_wait_args args = {.address = wait->address,
                       .value = wait->value,
                       .mask = wait->mask,
                       .condition = wait->condition,
                       .size = wait->size};
  aq_wait_args_normalise(&args);
  aq_status status = aq_wait_args_check(&args, diag);
  if (status == AQ_OK && !wait->address)
    status = aq_diag_set(diag, AQ_ERR_INVALID, "wait value: no address");
  if (status == AQ_OK)
    status = aq_queue_check_kernargs(queue, AQ_VALUE_KERNARG, diag);
  if (status != AQ_OK)
    return status;
  const aq_value_way way = wait_way(queue, &args, wait->way);
  if (wait->way == AQ_VALUE_PACKET && packet_adds_sign(&args))
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "wait value: %s of 32 bits at 0x%llx: barrier-value "
                       "packets compare them with a sign there; a multiple of "
                       "8 expected",
                       aq_condition_name(args.condition),
                       (unsigned long long)(uintptr_t)args.address);
  if (!wait_has_way(queue, way))
    return way_refuse(queue, AQ_OPERATION_WAIT_VALUE, way, diag);
  value_task task;
  aq_task_start(&task.task, &wait_class, sync);
  task.way = way;
  task.object = builtins_of(queue)->objects[AQ_BUILTIN_WAIT];
  task.wait = args;
  return aq_task_submit(queue, &task.task, diag);
}

aq_status aq_queue_wait_value(aq_queue *queue, const aq_sync *sync,
                              const aq_value_wait *wait, aq_diag *diag)
{
  const uint64_t token =
      aq_submit_hooks_begin(queue, AQ_OPERATION_WAIT_VALUE, sync, wait);
  return aq_submit_hooks_end(queue->context, token,
                             wait_submit(queue, sync, wait, diag));
}
