/* SPDX-License-Identifier: MIT */
/* Fills, copies and updates: by builtin kernels, by engines, or by the host. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "queue/core/queue_priv.h"
#include "queue/core/submit_hooks_priv.h"
#include "queue/ops/host_operation.h"
#include "queue/ring/packet_batch.h"

enum {
  /* Assumed: a kernel that reads over the link has ended before an engine has
   * started. */
  KERNEL_BYTES = 16384,
};

/* Bytes of one packet: its grid is counted in 32 bits. */
#define PART_BYTES (UINT64_C(1) << 34)
#define MOST_BYTES (32 * PART_BYTES) /* every ring has room for it */

/* The bytes to move, for every mover. */
typedef struct transfer {
  aq_operation kind;
  unsigned char *target;
  const unsigned char *source; /* copy, update */
  uint64_t size;
  uint64_t pattern; /* fill */
  uint32_t pattern_size;
} transfer;

static uint64_t smaller(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

/* ---- by a kernel ---- */

typedef struct kernel_task {
  aq_task task; /* first */
  transfer transfer;
  uint64_t object;
} kernel_task;

static uint32_t args_size(const transfer *t)
{
  if (t->kind == AQ_OPERATION_FILL)
    return sizeof(aq_fill_args);
  if (t->kind == AQ_OPERATION_COPY)
    return sizeof(aq_copy_args);
  return (uint32_t)(sizeof(aq_update_args) + t->size);
}

static void kernel_demand(const aq_task *task, uint32_t most, uint32_t *packets,
                          uint32_t *kernargs)
{
  const transfer *t = &((const kernel_task *)task)->transfer;
  (void)most;
  *packets = (uint32_t)((t->size + PART_BYTES - 1) / PART_BYTES);
  *kernargs = *packets * aq_kernarg_round(args_size(t));
}

/* Only the first packet waits for earlier ones, and only the last one is
 * waited for: barrier bits do not express that, so each has one. */
static void kernel_packet(const kernel_task *task, uint64_t at, uint16_t carry,
                          aq_packet_span *span)
{
  const transfer *t = &task->transfer;
  const uint64_t size = smaller(t->size - at, PART_BYTES);
  unsigned char *kernarg = span->kernarg + span->kernarg_used;
  if (t->kind == AQ_OPERATION_FILL) {
    const aq_fill_args args = {t->target + at, size, t->pattern,
                               t->pattern_size};
    memcpy(kernarg, &args, sizeof args);
  } else if (t->kind == AQ_OPERATION_COPY) {
    const aq_copy_args args = {t->target + at, t->source + at, size};
    memcpy(kernarg, &args, sizeof args);
  } else {
    const aq_update_args args = {t->target, size};
    memcpy(kernarg, &args, sizeof args);
    memcpy(kernarg + sizeof args, t->source, size);
  }
  span->kernarg_used += aq_kernarg_round(args_size(t));
  aq_kernel_packet *packet =
      &aq_ring_slot(span->ring, span->first + span->packets)->kernel;
  packet->workgroup_size[0] = AQ_BUILTIN_WORKGROUP;
  packet->workgroup_size[1] = packet->workgroup_size[2] = 1;
  packet->reserved0 = 0;
  packet->grid_size[0] =
      (uint32_t)((size + AQ_BUILTIN_BYTES - 1) / AQ_BUILTIN_BYTES);
  packet->grid_size[1] = packet->grid_size[2] = 1;
  packet->private_segment_size = packet->group_segment_size = 0;
  packet->kernel_object = task->object;
  packet->kernarg_address = (uint64_t)(uintptr_t)kernarg;
  packet->reserved2 = 0;
  packet->completion_signal.handle = 0;
  span->headers[span->packets++] =
      carry | AQ_PACKET_KERNEL_DISPATCH | UINT32_C(1) << 16;
}

static aq_walk kernel_fill(aq_task *task, uint16_t carry, aq_packet_span *span)
{
  const kernel_task *k = (const kernel_task *)task;
  for (uint64_t at = 0; at < k->transfer.size; at += PART_BYTES)
    kernel_packet(k, at, carry, span);
  return AQ_WALK_END;
}

static aq_status update_keep(aq_task *task, aq_diag *diag)
{
  transfer *t = &((kernel_task *)task)->transfer;
  unsigned char *copy = malloc(t->size);
  if (!copy)
    return aq_diag_no_memory(diag);
  t->source = memcpy(copy, t->source, t->size);
  /* cppcheck-suppress memleak; the task frees its source */
  return AQ_OK;
}

static void update_drop(aq_task *task)
{
  free((void *)(uintptr_t)((kernel_task *)task)->transfer.source);
}

static const aq_task_class fill_class = {.kind = AQ_OPERATION_FILL,
                                         .size = sizeof(kernel_task),
                                         .demand = kernel_demand,
                                         .fill = kernel_fill};
static const aq_task_class copy_class = {.kind = AQ_OPERATION_COPY,
                                         .size = sizeof(kernel_task),
                                         .demand = kernel_demand,
                                         .fill = kernel_fill};
static const aq_task_class update_class = {.kind = AQ_OPERATION_UPDATE,
                                           .size = sizeof(kernel_task),
                                           .demand = kernel_demand,
                                           .fill = kernel_fill,
                                           .keep = update_keep,
                                           .drop = update_drop};

static uint64_t kernel_of(const aq_queue *queue, aq_operation kind)
{
  const aq_builtins *b = &queue->context->builtins[queue->options.device];
  return b->objects[kind == AQ_OPERATION_FILL   ? AQ_BUILTIN_FILL
                    : kind == AQ_OPERATION_COPY ? AQ_BUILTIN_COPY
                                                : AQ_BUILTIN_UPDATE];
}

static aq_status kernel_submit(aq_queue *queue, const aq_sync *sync,
                               const transfer *t, aq_diag *diag)
{
  kernel_task task = {aq_task_init(t->kind == AQ_OPERATION_FILL ? &fill_class
                                   : t->kind == AQ_OPERATION_COPY
                                       ? &copy_class
                                       : &update_class,
                                   sync),
                      *t, kernel_of(queue, t->kind)};
  task.task.bytes = t->size;
  task.task.way = AQ_COPY_KERNEL;
  return aq_task_submit(queue, &task.task, diag);
}

/* ---- by an engine ----
 *
 * [barrier, completes `ready`] ─▶ engine, completes `moved` ─▶ [waits for it]
 *
 * All of it is submitted at once; the host has no part in it. */

typedef struct engine_task {
  aq_task task; /* first */
  transfer transfer;
  aq_queue *queue;
  aq_epoch_signal *ready, *moved; /* taken when it is put */
} engine_task;

/* The resources to release at the end. */
typedef struct engine_flags {
  aq_context *context;
  aq_epoch_signal *ready, *moved;
} engine_flags;

static void engine_demand(const aq_task *task, uint32_t most, uint32_t *packets,
                          uint32_t *kernargs)
{
  (void)task, (void)most;
  *packets = 2;
  *kernargs = 0;
}

static aq_status engine_prepare(aq_task *task, aq_queue *queue, aq_diag *diag)
{
  engine_task *e = (engine_task *)task;
  engine_flags *flags = task->on_done_user;
  aq_context *context = queue->context;
  aq_status status =
      aq_epoch_signal_acquire(context->sync_domain, &flags->ready, diag);
  if (status != AQ_OK)
    return status;
  status = aq_epoch_signal_acquire(context->sync_domain, &flags->moved, diag);
  if (status == AQ_OK) {
    const aq_copy_desc copy = {.device = e->queue->options.device,
                               .engine = AQ_COPY_ENGINE_ANY,
                               .to_device = AQ_DEVICE_OF_ADDRESS,
                               .from_device = AQ_DEVICE_OF_ADDRESS,
                               .to = e->transfer.target,
                               .from = e->transfer.source,
                               .size = e->transfer.size,
                               .dependencies = &flags->ready->signal,
                               .dependency_count = 1,
                               .completion = flags->moved->signal};
    status = e->queue->ops->copy_submit(e->queue->transport, &copy, diag);
    if (status == AQ_OK) {
      e->ready = flags->ready;
      e->moved = flags->moved;
      return AQ_OK;
    }
    aq_epoch_signal_release(context->sync_domain, flags->moved);
  }
  aq_epoch_signal_release(context->sync_domain, flags->ready);
  flags->ready = flags->moved = NULL;
  return status;
}

static aq_barrier_packet *engine_packet(aq_packet_span *span,
                                        aq_fence_scope acquire,
                                        aq_fence_scope release)
{
  return &aq_packet_batch_next(span, aq_packet_header(AQ_PACKET_BARRIER_AND, 1,
                                                      acquire, release))
              ->barrier;
}

static aq_walk engine_fill(aq_task *task, uint16_t carry, aq_packet_span *span)
{
  const engine_task *e = (const engine_task *)task;
  (void)carry; /* both scopes are as wide as can be */
  engine_packet(span, AQ_SCOPE_SYSTEM, AQ_SCOPE_SYSTEM)->completion_signal =
      e->ready->signal;
  engine_packet(span, AQ_SCOPE_SYSTEM, AQ_SCOPE_NONE)->dependency[0] =
      e->moved->signal;
  return AQ_WALK_END;
}

static aq_epoch_signal *engine_first(const aq_task *task)
{
  return ((const engine_task *)task)->ready;
}

static void engine_done(aq_status status, const char *cause, void *user)
{
  engine_flags *flags = user;
  (void)cause;
  /* When the queue stopped, the copy may still wait for one of them or write
   * the other: then they stay as they are until the context ends. */
  if (status == AQ_OK && flags->ready) {
    aq_epoch_signal_release(flags->context->sync_domain, flags->ready);
    aq_epoch_signal_release(flags->context->sync_domain, flags->moved);
  }
  free(flags);
}

static const aq_task_class engine_class = {.kind = AQ_OPERATION_COPY,
                                           .size = sizeof(engine_task),
                                           .demand = engine_demand,
                                           .prepare = engine_prepare,
                                           .fill = engine_fill,
                                           .first_signal = engine_first};

static aq_status engine_submit(aq_queue *queue, const aq_sync *sync,
                               const transfer *t, aq_diag *diag)
{
  engine_flags *flags = calloc(1, sizeof *flags);
  if (!flags)
    return aq_diag_no_memory(diag);
  flags->context = queue->context;
  engine_task task = {aq_task_init(&engine_class, sync), *t, queue, NULL, NULL};
  task.task.bytes = t->size;
  task.task.way = AQ_COPY_ENGINE;
  task.task.on_done = engine_done;
  task.task.on_done_user = flags;
  aq_status status = aq_task_submit(queue, &task.task, diag);
  if (status != AQ_OK)
    free(flags);
  return status;
}

/* ---- by the host ---- */

typedef struct host_transfer {
  aq_host_operation work; /* first */
  transfer transfer;
  unsigned char bytes[]; /* of an update */
} host_transfer;

static aq_status host_start(aq_host_operation *work, aq_diag *diag)
{
  const transfer *t = &((host_transfer *)work)->transfer;
  (void)diag;
  if (t->kind == AQ_OPERATION_FILL)
    for (uint64_t at = 0; at < t->size; at += t->pattern_size)
      memcpy(t->target + at, &t->pattern, t->pattern_size);
  else
    memcpy(t->target, t->source, t->size);
  aq_host_operation_publish(work, t->target, t->size);
  return AQ_OK;
}

static void host_free(aq_host_operation *work)
{
  free(work);
}

static aq_status host_submit(aq_queue *queue, const aq_sync *sync,
                             const transfer *t, aq_diag *diag)
{
  const size_t kept = t->kind == AQ_OPERATION_UPDATE ? t->size : 0;
  host_transfer *h = calloc(1, sizeof *h + kept);
  if (!h)
    return aq_diag_no_memory(diag);
  h->work = (aq_host_operation){.queue = queue,
                                .context = queue->context,
                                .kind = t->kind,
                                .way = AQ_COPY_HOST,
                                .bytes = t->size,
                                .start = host_start,
                                .free = host_free};
  h->transfer = *t;
  if (kept > 0)
    h->transfer.source = memcpy(h->bytes, t->source, kept);
  aq_status status = aq_host_operation_submit(&h->work, sync, diag);
  if (status != AQ_OK)
    free(h);
  return status;
}

/* ---- the choice ---- */

static bool host_has_way(const aq_queue *queue, const transfer *t)
{
  return queue->ops->mem_visible(queue->transport, t->target, t->size) &&
         (t->kind != AQ_OPERATION_COPY ||
          queue->ops->mem_visible(queue->transport, t->source, t->size));
}

static bool has_way(const aq_queue *queue, const transfer *t, aq_copy_way way)
{
  if (way == AQ_COPY_KERNEL)
    return kernel_of(queue, t->kind) != 0;
  if (way == AQ_COPY_ENGINE)
    return t->kind == AQ_OPERATION_COPY &&
           queue->context->info.caps & AQ_CAP_COPY;
  return way == AQ_COPY_HOST && host_has_way(queue, t);
}

static aq_status transfer_submit(aq_queue *queue, const aq_sync *sync,
                                 const transfer *t, aq_copy_way wanted,
                                 aq_copy_way best, aq_diag *diag)
{
  const aq_copy_way ways[] = {best, AQ_COPY_KERNEL, AQ_COPY_ENGINE,
                              AQ_COPY_HOST};
  aq_copy_way way = wanted;
  for (int i = 0; i < 4 && way == AQ_COPY_CHOOSE; i++)
    if (has_way(queue, t, ways[i]))
      way = ways[i];
  if (!has_way(queue, t, way))
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "%s: device %u of %s does not support this way",
                       aq_operation_name(t->kind), queue->options.device,
                       queue->ops->name);
  if (way == AQ_COPY_ENGINE)
    return engine_submit(queue, sync, t, diag);
  return way == AQ_COPY_KERNEL ? kernel_submit(queue, sync, t, diag)
                               : host_submit(queue, sync, t, diag);
}

static aq_status range_check(aq_operation kind, const void *address,
                             uint64_t size, aq_copy_way way, aq_diag *diag)
{
  if (!address || size == 0)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "%s: %llu bytes at %p; expected a size and an address",
                       aq_operation_name(kind), (unsigned long long)size,
                       address);
  if (size > MOST_BYTES || (uintptr_t)address > UINTPTR_MAX - size)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "%s: %llu bytes at %p; at most %llu expected",
                       aq_operation_name(kind), (unsigned long long)size,
                       address, (unsigned long long)MOST_BYTES);
  if ((unsigned)way >= AQ_COPY_WAY_COUNT)
    return aq_diag_set(diag, AQ_ERR_INVALID, "%s: unknown way %u",
                       aq_operation_name(kind), (unsigned)way);
  return AQ_OK;
}

static aq_status fill_submit(aq_queue *queue, const aq_sync *sync,
                             const aq_fill *fill, aq_diag *diag)
{
  aq_status status =
      range_check(AQ_OPERATION_FILL, fill->target, fill->size, fill->way, diag);
  if (status != AQ_OK)
    return status;
  const uint32_t pattern = fill->pattern_size;
  if (pattern == 0 || pattern > 8 || (pattern & (pattern - 1)) != 0 ||
      fill->size % pattern != 0)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "fill: %llu bytes with a pattern of %u; expected a "
                       "pattern of 1, 2, 4 or 8 and a multiple of it",
                       (unsigned long long)fill->size, pattern);
  return transfer_submit(queue, sync,
                         &(transfer){.kind = AQ_OPERATION_FILL,
                                     .target = fill->target,
                                     .size = fill->size,
                                     .pattern = fill->pattern,
                                     .pattern_size = pattern},
                         fill->way, AQ_COPY_KERNEL, diag);
}

aq_status aq_queue_fill(aq_queue *queue, const aq_sync *sync,
                        const aq_fill *fill, aq_diag *diag)
{
  const uint64_t token =
      aq_submit_hooks_begin(queue, AQ_OPERATION_FILL, sync, fill);
  return aq_submit_hooks_end(queue->context, token,
                             fill_submit(queue, sync, fill, diag));
}

static aq_status copy_submit(aq_queue *queue, const aq_sync *sync,
                             const aq_copy *copy, aq_diag *diag)
{
  const uintptr_t to = (uintptr_t)copy->target, from = (uintptr_t)copy->source;
  aq_status status =
      range_check(AQ_OPERATION_COPY, copy->target, copy->size, copy->way, diag);
  if (status == AQ_OK)
    status = range_check(AQ_OPERATION_COPY, copy->source, copy->size, copy->way,
                         diag);
  if (status == AQ_OK && to < from + copy->size && from < to + copy->size)
    status = aq_diag_set(
        diag, AQ_ERR_INVALID, "copy: %llu bytes from %p to %p overlap",
        (unsigned long long)copy->size, copy->source, copy->target);
  if (status != AQ_OK)
    return status;
  const bool within = copy->path == AQ_PATH_OWN ||
                      copy->path == AQ_PATH_UNKNOWN ||
                      copy->size <= KERNEL_BYTES;
  return transfer_submit(queue, sync,
                         &(transfer){.kind = AQ_OPERATION_COPY,
                                     .target = copy->target,
                                     .source = copy->source,
                                     .size = copy->size},
                         copy->way, within ? AQ_COPY_KERNEL : AQ_COPY_ENGINE,
                         diag);
}

aq_status aq_queue_copy(aq_queue *queue, const aq_sync *sync,
                        const aq_copy *copy, aq_diag *diag)
{
  const uint64_t token =
      aq_submit_hooks_begin(queue, AQ_OPERATION_COPY, sync, copy);
  return aq_submit_hooks_end(queue->context, token,
                             copy_submit(queue, sync, copy, diag));
}

static aq_status update_submit(aq_queue *queue, const aq_sync *sync,
                               const aq_update *update, aq_diag *diag)
{
  aq_status status = range_check(AQ_OPERATION_UPDATE, update->target,
                                 update->size, update->way, diag);
  if (status == AQ_OK)
    status = aq_queue_check_kernargs(
        queue, sizeof(aq_update_args) + UINT64_C(1) * update->size, diag);
  if (status != AQ_OK)
    return status;
  return transfer_submit(queue, sync,
                         &(transfer){.kind = AQ_OPERATION_UPDATE,
                                     .target = update->target,
                                     .source = update->bytes,
                                     .size = update->size},
                         update->way, AQ_COPY_KERNEL, diag);
}

aq_status aq_queue_update(aq_queue *queue, const aq_sync *sync,
                          const aq_update *update, aq_diag *diag)
{
  const uint64_t token =
      aq_submit_hooks_begin(queue, AQ_OPERATION_UPDATE, sync, update);
  return aq_submit_hooks_end(queue->context, token,
                             update_submit(queue, sync, update, diag));
}
