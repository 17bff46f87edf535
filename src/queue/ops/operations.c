/* SPDX-License-Identifier: MIT */
/* The operations that are packets and nothing else: a class each. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmdbuf/kernel_check.h"
#include "cmdbuf/kernel_occupancy.h"
#include "cmdbuf/link_image.h"
#include "queue/core/queue_priv.h"
#include "queue/core/submit_hooks_priv.h"
#include "queue/ops/device_walk_execute.h"
#include "queue/ops/packet_timestamps.h"
#include "queue/ops/pm4.h"

/* ---- barrier ---- */

static const aq_task_class barrier_class = {.kind = AQ_OPERATION_BARRIER,
                                            .size = sizeof(aq_task)};

static aq_status barrier_submit(aq_queue *queue, const aq_sync *sync,
                                aq_diag *diag)
{
  aq_task task;
  aq_task_start(&task, &barrier_class, sync);
  return aq_task_submit(queue, &task, diag);
}

aq_status aq_queue_barrier(aq_queue *queue, const aq_sync *sync, aq_diag *diag)
{
  const uint64_t token =
      aq_submit_hooks_begin(queue, AQ_OPERATION_BARRIER, sync, NULL);
  return aq_submit_hooks_end(queue->context, token,
                             barrier_submit(queue, sync, diag));
}

/* ---- dispatch ---- */

typedef struct dispatch_task {
  aq_task task;            /* first */
  const aq_launch *launch; /* the caller's, or a copy before its arguments */
} dispatch_task;

static void dispatch_demand(const aq_task *task, uint32_t most,
                            uint32_t *packets, uint32_t *kernargs)
{
  (void)most;
  *packets = 1;
  *kernargs =
      aq_kernarg_round(((const dispatch_task *)task)->launch->kernarg_size);
}

static aq_walk dispatch_fill(aq_task *task, uint16_t carry,
                             aq_packet_span *span)
{
  const aq_launch *launch = ((dispatch_task *)task)->launch;
  aq_kernel_packet *packet =
      &aq_ring_slot(span->ring, span->first + span->packets)->kernel;
  unsigned char *kernarg = span->kernarg + span->kernarg_used;
  uint16_t setup = 3;
  memcpy(packet->workgroup_size, launch->workgroup, sizeof launch->workgroup);
  packet->reserved0 = 0;
  memcpy(packet->grid_size, launch->grid, sizeof launch->grid);
  packet->private_segment_size = launch->private_size;
  packet->group_segment_size = launch->group_size;
  packet->kernel_object = launch->object;
  packet->kernarg_address =
      launch->kernarg_size ? (uint64_t)(uintptr_t)kernarg : 0;
  packet->reserved2 = 0;
  packet->completion_signal.handle = 0;
  if (launch->kernarg_size > 0) {
    memcpy(kernarg, launch->kernargs, launch->kernarg_size);
    span->kernarg_used += aq_kernarg_round(launch->kernarg_size);
  }
  while (setup > 1 && launch->grid[setup - 1] == 1)
    setup--;
  span->headers[span->packets++] =
      carry | AQ_PACKET_KERNEL_DISPATCH | (uint32_t)setup << 16;
  return AQ_WALK_END;
}

static aq_status dispatch_keep(aq_task *task, aq_diag *diag)
{
  dispatch_task *dispatch = (dispatch_task *)task;
  const aq_launch *launch = dispatch->launch;
  aq_launch *copy = malloc(sizeof *copy + launch->kernarg_size);
  if (!copy)
    return aq_diag_no_memory(diag);
  *copy = *launch;
  if (launch->kernarg_size > 0)
    copy->kernargs = memcpy(copy + 1, launch->kernargs, launch->kernarg_size);
  dispatch->launch = copy;
  return AQ_OK;
}

static void dispatch_drop(aq_task *task)
{
  free((void *)(uintptr_t)((dispatch_task *)task)->launch);
}

static const aq_task_class dispatch_class = {.kind = AQ_OPERATION_DISPATCH,
                                             .size = sizeof(dispatch_task),
                                             .demand = dispatch_demand,
                                             .fill = dispatch_fill,
                                             .keep = dispatch_keep,
                                             .drop = dispatch_drop};

aq_status aq_queue_check_kernargs(const aq_queue *queue, uint64_t size,
                                  aq_diag *diag)
{
  const uint64_t limit = aq_kernarg_ring_limit(&queue->aql_queue->kernargs);
  if (size + AQ_PLAN_KERNARG <= limit)
    return AQ_OK;
  return aq_diag_set(diag, AQ_ERR_INVALID,
                     "%llu bytes of kernel arguments: the queue takes at most "
                     "%llu",
                     (unsigned long long)size,
                     (unsigned long long)(limit - AQ_PLAN_KERNARG));
}

/* Workgroups that wait for each other have to run at once. */
static aq_status cooperative_check(const aq_queue *queue,
                                   const aq_launch *launch,
                                   const aq_kernel_info *kernel, aq_diag *diag)
{
  const uint64_t items = (uint64_t)launch->workgroup[0] * launch->workgroup[1] *
                         launch->workgroup[2];
  uint64_t groups = 1;
  aq_occupancy fit;
  for (int i = 0; i < 3; i++)
    if (__builtin_mul_overflow(
            groups,
            (launch->grid[i] + (uint64_t)launch->workgroup[i] - 1) /
                launch->workgroup[i],
            &groups))
      return aq_diag_set(diag, AQ_ERR_INVALID,
                         "kernel %.100s: cooperative launch of 2^64 "
                         "workgroups or more",
                         kernel->name);
  aq_status status = aq_kernel_occupancy(
      queue->transport, queue->options.device, launch->object,
      items < UINT32_MAX ? (uint32_t)items : UINT32_MAX,
      launch->group_size - kernel->group_size, &fit, diag);
  if (status != AQ_OK || groups <= fit.workgroups)
    return status;
  return aq_diag_set(diag, AQ_ERR_INVALID,
                     "kernel %.100s: cooperative launch of %" PRIu64
                     " workgroups; %" PRIu64
                     " fit on the device at once, %u on a compute unit (%s)",
                     kernel->name, groups, fit.workgroups,
                     fit.workgroups_per_cu, aq_resource_name(fit.limit));
}

static aq_status dispatch_submit(aq_queue *queue, const aq_sync *sync,
                                 const aq_launch *launch, aq_diag *diag)
{
  for (int i = 0; i < 3; i++)
    if (launch->grid[i] == 0 || launch->workgroup[i] == 0)
      return aq_diag_set(diag, AQ_ERR_INVALID,
                         "dispatch: dimension %d of grid or workgroup is 0", i);
  /* A kernel that the transport does not know is for the device to refuse. */
  const aq_kernel_given given = {launch->workgroup, launch->kernarg_size,
                                 launch->group_size, launch->private_size};
  aq_kernel_info kernel;
  const bool known =
      queue->ops->kernel_describe(queue->transport, launch->object, &kernel);
  aq_status status = known ? aq_kernel_check(&kernel, &given, diag) : AQ_OK;
  if (status == AQ_OK && queue->options.cooperative)
    status = known ? cooperative_check(queue, launch, &kernel, diag)
                   : aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                                 "cooperative launch: the transport does not "
                                 "know the kernel's resources");
  if (status == AQ_OK)
    status = aq_queue_check_kernargs(queue, launch->kernarg_size, diag);
  if (status != AQ_OK)
    return status;
  dispatch_task task;
  aq_task_start(&task.task, &dispatch_class, sync);
  task.launch = launch;
  return aq_task_submit(queue, &task.task, diag);
}

aq_status aq_queue_dispatch(aq_queue *queue, const aq_sync *sync,
                            const aq_launch *launch, aq_diag *diag)
{
  const uint64_t token =
      aq_submit_hooks_begin(queue, AQ_OPERATION_DISPATCH, sync, launch);
  return aq_submit_hooks_end(queue->context, token,
                             dispatch_submit(queue, sync, launch, diag));
}

/* ---- execute ---- */

typedef struct execute_task {
  aq_task task; /* first */
  aq_processor processor;
  uint32_t binding_count;
  aq_packet_timestamps *times; /* or NULL */
} execute_task;

static void execute_demand(const aq_task *task, uint32_t most,
                           uint32_t *packets, uint32_t *kernargs)
{
  uint64_t count, bytes;
  aq_processor_demand(&((const execute_task *)task)->processor, most, &count,
                      &bytes);
  *packets = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
  *kernargs = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
}

static aq_walk execute_fill(aq_task *task, uint16_t carry, aq_packet_span *span)
{
  execute_task *execute = (execute_task *)task;
  aq_processor *processor = &execute->processor;
  /* Behind it the epoch's own completion lies on it: nothing else to do. */
  static const aq_packet drain = {
      .barrier = {.header = AQ_PACKET_BARRIER_AND |
                            1 << AQ_HEADER_BARRIER_SHIFT |
                            AQ_SCOPE_SYSTEM << AQ_HEADER_RELEASE_SHIFT}};
  span->drain = &drain;
  processor->carry |= carry;
  return execute->times ? aq_packet_timestamps_fill(execute->times, processor,
                                                    task->number, span)
                        : aq_processor_fill(processor, span);
}

static aq_epoch_signal *timed_first(const aq_task *task)
{
  return aq_packet_timestamps_first(((const execute_task *)task)->times);
}

aq_status aq_bindings_keep(const aq_binding **bindings, uint32_t count,
                           aq_diag *diag)
{
  const size_t size = count * sizeof(aq_binding);
  aq_binding *copy = malloc(size ? size : 1);
  if (!copy)
    return aq_diag_no_memory(diag);
  if (size > 0)
    memcpy(copy, *bindings, size);
  *bindings = copy;
  return AQ_OK;
}

void aq_bindings_drop(const aq_binding *bindings)
{
  free((void *)(uintptr_t)bindings);
}

static aq_status execute_keep(aq_task *task, aq_diag *diag)
{
  execute_task *execute = (execute_task *)task;
  return aq_bindings_keep(&execute->processor.slots, execute->binding_count,
                          diag);
}

static void execute_drop(aq_task *task)
{
  aq_bindings_drop(((execute_task *)task)->processor.slots);
}

static const aq_task_class execute_class = {.kind = AQ_OPERATION_EXECUTE,
                                            .size = sizeof(execute_task),
                                            .demand = execute_demand,
                                            .fill = execute_fill,
                                            .keep = execute_keep,
                                            .drop = execute_drop};

static const aq_task_class timed_class = {.kind = AQ_OPERATION_EXECUTE,
                                          .size = sizeof(execute_task),
                                          .demand = execute_demand,
                                          .fill = execute_fill,
                                          .first_signal = timed_first,
                                          .keep = execute_keep,
                                          .drop = execute_drop};

static aq_status timed_submit(aq_queue *queue, execute_task *task,
                              const aq_link *link, aq_diag *diag)
{
  aq_status status = aq_packet_timestamps_make(queue, link, &task->times, diag);
  if (status != AQ_OK)
    return status;
  task->task.class = &timed_class;
  task->task.on_done = aq_packet_timestamps_done;
  task->task.on_done_user = task->times;
  task->task.parts = true;
  status = aq_task_submit(queue, &task->task, diag);
  if (status != AQ_OK)
    aq_packet_timestamps_free(task->times);
  return status;
}

static aq_status execute_submit(aq_queue *queue, const aq_sync *sync,
                                const aq_execution *execution, aq_diag *diag)
{
  const aq_program *program = execution->link->program;
  const uint32_t known = AQ_EXECUTE_ON_DEVICE | AQ_EXECUTE_PM4;
  if (queue->options.cooperative)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "cooperative queues execute no command buffers");
  if (execution->flags & ~known || (execution->flags & known) == known)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "flags %#x of an execution; expected one of %#x",
                       execution->flags, known);
  aq_status status = aq_link_check_slots(execution->link, execution->bindings,
                                         execution->binding_count, diag);
  if (status == AQ_OK && !execution->link->checked)
    status = aq_link_check_kernels(execution->link, queue->transport, diag);
  if (status == AQ_OK)
    status = aq_queue_check_kernargs(queue, program->kernarg_max, diag);
  if (status != AQ_OK)
    return status;
  if (program->packets == 0) {
    aq_task empty;
    aq_task_start(&empty, &barrier_class, sync);
    return aq_task_submit(queue, &empty, diag);
  }
  const bool visible = aq_link_is_visible(execution->link, execution->bindings,
                                          queue->transport);
  if (!visible && execution->flags & AQ_EXECUTE_PM4)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "the program's conditions lie in memory of %s that the "
                       "host cannot access, and the host tests them between "
                       "PM4 commands",
                       queue->ops->name);
  if (!visible || execution->flags & AQ_EXECUTE_ON_DEVICE)
    return aq_queue_walk(queue, sync, execution, diag);
  if (execution->flags & AQ_EXECUTE_PM4)
    return aq_queue_pm4(queue, sync, execution, diag);
  execute_task task;
  aq_task_start(&task.task, &execute_class, sync);
  task.binding_count = execution->binding_count;
  task.times = NULL;
  aq_processor_start(&task.processor, execution->link, execution->bindings, 0,
                     0);
  return aq_packet_timestamps_wanted(queue, program)
             ? timed_submit(queue, &task, execution->link, diag)
             : aq_task_submit(queue, &task.task, diag);
}

aq_status aq_queue_execute(aq_queue *queue, const aq_sync *sync,
                           const aq_execution *execution, aq_diag *diag)
{
  const uint64_t token =
      aq_submit_hooks_begin(queue, AQ_OPERATION_EXECUTE, sync, execution);
  return aq_submit_hooks_end(queue->context, token,
                             execute_submit(queue, sync, execution, diag));
}
