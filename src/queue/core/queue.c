/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "queue/queue.h"

#include <stdlib.h>
#include <string.h>

#include "queue/core/operation_rows.h"
#include "queue/core/queue_priv.h"
#include "queue/core/submit_hooks_priv.h"

enum {
  RING_DEFAULT = 4096,   /* packets */
  RING_MIN = 64,         /* packets: the edges of one operation fit */
  NOTIFICATIONS = 1024,  /* entries */
  PARKED_DEFAULT = 1024, /* operations */
};

/* ---- life ---- */

/* On a logical device a queue takes the place with the fewest. `bit`: that of
 * its place, or AQ_AFFINITY_BITS. */
static aq_status device_choose(aq_context *context, aq_queue_options *options,
                               uint32_t *bit, aq_diag *diag)
{
  aq_queue_place place;
  *bit = AQ_AFFINITY_BITS;
  if (!context->devices && options->affinity == 0)
    return AQ_OK;
  if (!context->devices || options->device != 0)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "queue options: expected an affinity on a logical "
                       "device, else the number of a device");
  aq_lock(context->sync_domain, &context->sync_domain->lock);
  aq_status status = aq_logical_device_spread(
      context->devices, options->affinity ? options->affinity : AQ_AFFINITY_ANY,
      context->placed, &place, diag);
  if (status == AQ_OK) {
    options->device = place.device;
    *bit = aq_logical_device_bit(context->devices, &place);
    context->placed[*bit]++;
  }
  aq_unlock(context->sync_domain, &context->sync_domain->lock);
  return status;
}

static void place_release(aq_context *context, uint32_t bit)
{
  if (bit == AQ_AFFINITY_BITS)
    return;
  aq_lock(context->sync_domain, &context->sync_domain->lock);
  context->placed[bit]--;
  aq_unlock(context->sync_domain, &context->sync_domain->lock);
}

static aq_status options_choose(const aq_context *context,
                                aq_queue_options *options, aq_diag *diag)
{
  if (options->device >= context->info.device_count)
    return aq_diag_set(diag, AQ_ERR_INVALID, "device %u; %s has %u",
                       options->device, context->ops->name,
                       context->info.device_count);
  const aq_device_info *device = &context->info.devices[options->device];
  if (options->size == 0)
    options->size = device->queue_size_max < RING_DEFAULT
                        ? device->queue_size_max
                        : RING_DEFAULT;
  if (options->notifications == 0)
    options->notifications = NOTIFICATIONS;
  if (options->parked == 0)
    options->parked = PARKED_DEFAULT;
  if (options->size < RING_MIN)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "a queue of %u packets; expected at least %d",
                       options->size, RING_MIN);
  if (options->notifications < 16 ||
      (options->notifications & (options->notifications - 1)) != 0)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "%u notifications; expected a power of two, at least 16",
                       options->notifications);
  if (options->kernarg_size == 0)
    options->kernarg_size = UINT64_C(2) * AQ_KERNARG_ALIGN * options->size;
  if (options->kernarg_size < UINT64_C(4) * AQ_PLAN_KERNARG)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "%llu bytes of kernel arguments; expected at least %d",
                       (unsigned long long)options->kernarg_size,
                       4 * AQ_PLAN_KERNARG);
  if (context->rows && context->info.caps & AQ_CAP_PROFILING)
    options->profile = true;
  if (options->profile && !(context->info.caps & AQ_CAP_PROFILING))
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED, "%s: it has no timestamps",
                       context->ops->name);
  return AQ_OK;
}

static uint32_t wanted_caps(const aq_queue_options *options)
{
  return (options->priority ? AQ_CAP_PRIORITY : 0u) |
         (options->cu_mask ? AQ_CAP_CU_MASK : 0u) |
         (options->cooperative ? AQ_CAP_COOPERATIVE : 0u);
}

static aq_status properties_check(const aq_context *context,
                                  const aq_queue_options *options,
                                  aq_diag *diag)
{
  const uint32_t cus = context->info.devices[options->device].cus;
  const uint32_t bits = options->cu_mask_bits;
  const uint32_t caps = aq_device_caps(&context->info, options->device);
  if (options->priority < -1 || options->priority > 1)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "priority %d of a queue; -1 to 1 expected",
                       options->priority);
  const uint32_t lacks = wanted_caps(options) & ~caps;
  if (lacks)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED, "%s: its queues have no %s",
                       context->ops->name,
                       aq_transport_cap_name(lacks & (0 - lacks)));
  if (options->cooperative && options->cu_mask)
    return aq_diag_set(
        diag, AQ_ERR_UNSUPPORTED,
        "cooperative queue with a CU mask: unknown how many workgroups fit at "
        "once");
  if (!options->cu_mask != (bits == 0) || bits % 32 != 0)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "CU mask of %u bits; expected a mask and a multiple of "
                       "32, or neither",
                       bits);
  bool some = bits == 0;
  for (uint32_t i = 0; i < bits; i++) {
    const bool set = options->cu_mask[i / 32] >> i % 32 & 1;
    if (set && i >= cus)
      return aq_diag_set(diag, AQ_ERR_INVALID,
                         "CU mask: sets compute unit %u, device %u has %u", i,
                         options->device, cus);
    some |= set;
  }
  return some ? AQ_OK
              : aq_diag_set(diag, AQ_ERR_INVALID,
                            "CU mask: sets no compute unit");
}

/* A mask that the device narrows would not be the one that was asked for. */
static aq_status properties_set(const aq_queue *queue, aq_diag *diag)
{
  const aq_queue_options *options = &queue->options;
  aq_status status = AQ_OK;
  if (options->priority)
    status = aq_aql_queue_change(
        queue->aql_queue, AQ_CONTROL_PRIORITY,
        &(aq_queue_control_args){.value = options->priority}, diag);
  if (status == AQ_OK && options->cu_mask)
    status = aq_aql_queue_change(
        queue->aql_queue, AQ_CONTROL_CU_MASK,
        &(aq_queue_control_args){.count = options->cu_mask_bits,
                                 .mask = options->cu_mask},
        diag);
  return status == AQ_REDUCED
             ? aq_diag_set(
                   diag, AQ_ERR_INVALID,
                   "CU mask: device %u does not allow all of its compute "
                   "units",
                   options->device)
             : status;
}

/* A transport gives every caller the one cooperative queue of a device; two
 * producers would not know of each other. */
static aq_status cooperative_claim(aq_queue *queue, aq_diag *diag)
{
  aq_sync_domain *domain = queue->sync_domain;
  const uint32_t device = queue->options.device;
  if (device >= AQ_COOPERATIVE_DEVICES)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "device %u: only the first %d have cooperative queues",
                       device, AQ_COOPERATIVE_DEVICES);
  aq_lock(domain, &domain->lock);
  queue->cooperative = !(domain->cooperative >> device & 1);
  domain->cooperative |= UINT64_C(1) << device;
  aq_unlock(domain, &domain->lock);
  return queue->cooperative
             ? AQ_OK
             : aq_diag_set(diag, AQ_ERR_RESOURCES,
                           "device %u: its only cooperative queue is in use",
                           device);
}

static void cooperative_release(const aq_queue *queue)
{
  aq_sync_domain *domain = queue->sync_domain;
  if (!queue->cooperative)
    return;
  aq_lock(domain, &domain->lock);
  domain->cooperative &= ~(UINT64_C(1) << queue->options.device);
  aq_unlock(domain, &domain->lock);
}

static aq_status queue_init(aq_queue *queue, aq_diag *diag)
{
  const aq_queue_options *options = &queue->options;
  queue->notify_ring.entries =
      calloc(options->notifications, sizeof(aq_notification));
  queue->notify_ring.size = options->notifications;
  const bool flagged = queue->context->flagged || options->profile;
  if (flagged)
    queue->flags = calloc(options->notifications, sizeof *queue->flags);
  if (options->profile)
    queue->starts = calloc(options->notifications, sizeof *queue->starts);
  queue->began = AQ_TIME_NONE;
  const bool reported = options->report || queue->context->rows;
  if (reported)
    queue->reports = calloc(options->notifications, sizeof *queue->reports);
  if (!queue->notify_ring.entries || (flagged && !queue->flags) ||
      (reported && !queue->reports) || (options->profile && !queue->starts))
    return aq_diag_no_memory(diag);
  aq_status status =
      aq_queue_timeline_create(queue->sync_domain, queue, aq_queue_poll,
                               !flagged, &queue->timeline, diag);
  if (status == AQ_OK)
    status = aq_waiter_acquire(queue->sync_domain, &queue->waiter, diag);
  if (status == AQ_OK && options->cooperative)
    status = cooperative_claim(queue, diag);
  if (status != AQ_OK)
    return status;
  status = aq_aql_queue_create(
      &(aq_aql_queue_options){.transport = queue->transport,
                              .device = options->device,
                              .size = options->size,
                              .kernarg_size = options->kernarg_size,
                              .cooperative = options->cooperative,
                              .error = aq_queue_error_handle,
                              .user = queue},
      &queue->aql_queue, diag);
  if (status == AQ_OK)
    status = properties_set(queue, diag);
  if (status != AQ_OK)
    return status;
  /* Release: an event may find the queue from now on. */
  __atomic_store_n(&queue->ring, queue->aql_queue->ring, __ATOMIC_RELEASE);
  if (!queue->context->rows)
    return AQ_OK;
  return aq_operation_rows_queue(queue->context->rows,
                                 &queue->context->info.devices[options->device],
                                 options->device, queue->ring->id,
                                 &queue->row_device, &queue->row_queue, diag);
}

/* No thread finds it any more: handlers look with the retire lock, events with
 * the lock of the sync domain. */
static void queue_hide(aq_queue *queue)
{
  aq_lock(queue->sync_domain, &queue->timeline->retire_lock);
  aq_lock(queue->sync_domain, &queue->sync_domain->lock);
  queue->timeline->queue = NULL;
  aq_unlock(queue->sync_domain, &queue->sync_domain->lock);
  aq_unlock(queue->sync_domain, &queue->timeline->retire_lock);
}

/* The ring is gone: no packet touches them any more. */
static void flags_free(aq_queue *queue)
{
  if (!queue->flags)
    return;
  if (queue->timeline &&
      aq_queue_timeline_failed_from(queue->timeline) != AQ_EPOCH_NEVER)
    aq_queue_poison(queue, 0);
  for (uint32_t i = 0; i < queue->notify_ring.size; i++) {
    if (queue->flags[i])
      aq_epoch_signal_release(queue->sync_domain, queue->flags[i]);
    if (queue->starts && queue->starts[i])
      aq_epoch_signal_release(queue->sync_domain, queue->starts[i]);
  }
}

static void queue_free(aq_queue *queue)
{
  if (queue->timeline)
    queue_hide(queue);
  aq_waiter_release(queue->sync_domain, queue->waiter);
  aq_aql_queue_destroy(queue->aql_queue);
  flags_free(queue);
  if (queue->timeline)
    aq_queue_timeline_release(queue->timeline);
  place_release(queue->context, queue->place);
  cooperative_release(queue);
  pthread_mutex_destroy(&queue->lock);
  free(queue->reports);
  free(queue->starts);
  free(queue->flags);
  free(queue->notify_ring.entries);
  free(queue);
}

aq_status aq_queue_create(aq_context *context, const aq_queue_options *options,
                          aq_queue **out, aq_diag *diag)
{
  const size_t given = options->size_of && options->size_of < sizeof *options
                           ? options->size_of
                           : sizeof *options;
  aq_queue_options chosen = {.priority = 0};
  uint32_t place;
  memcpy(&chosen, options, given); /* an older caller has fewer */
  aq_status status = device_choose(context, &chosen, &place, diag);
  if (status == AQ_OK)
    status = options_choose(context, &chosen, diag);
  if (status == AQ_OK)
    status = properties_check(context, &chosen, diag);
  aq_queue *queue = status == AQ_OK
                        ? aligned_alloc(64, (sizeof *queue + 63) & ~(size_t)63)
                        : NULL;
  if (!queue) {
    place_release(context, place);
    return status == AQ_OK ? aq_diag_no_memory(diag) : status;
  }
  memset(queue, 0, sizeof *queue);
  queue->context = context;
  queue->sync_domain = context->sync_domain;
  queue->transport = context->transport;
  queue->ops = context->ops;
  queue->options = chosen;
  queue->place = place;
  queue->way = context->ways[chosen.device];
  pthread_mutex_init(&queue->lock, NULL);
  status = queue_init(queue, diag);
  if (status != AQ_OK) {
    queue_free(queue);
    return status;
  }
  *out = queue;
  aq_submit_hooks_notify(context,
                         &(aq_submit_event){.kind = AQ_SUBMIT_QUEUE,
                                            .queue = queue,
                                            .detail = &queue->options});
  queue->options.cu_mask = NULL; /* the caller's */
  return AQ_OK;
}

/* ---- the end ---- */

static bool is_idle(aq_queue *queue)
{
  aq_lock(queue->sync_domain, &queue->lock);
  const bool idle = !queue->pending_first && !queue->resuming &&
                    queue->undecided == 0 &&
                    aq_queue_retired(queue) == queue->epoch;
  aq_unlock(queue->sync_domain, &queue->lock);
  return idle;
}

/* The first deferred task waits for a host or for another queue: it fails, and
 * the tasks behind it. False: there is none, or the queue is ending already. */
static bool pending_end(aq_queue *queue)
{
  aq_lock(queue->sync_domain, &queue->lock);
  const bool held = !queue->ending && queue->pending_first &&
                    queue->pending_first->waits_of_task->pending > 0;
  queue->ending |= held;
  aq_unlock(queue->sync_domain, &queue->lock);
  if (held)
    aq_queue_resume(queue);
  return held;
}

void aq_queue_flush(aq_queue *queue)
{
  aq_lock(queue->sync_domain, &queue->lock);
  aq_queue_ring_doorbell(queue);
  aq_unlock(queue->sync_domain, &queue->lock);
}

aq_status aq_queue_wait_idle(aq_queue *queue, aq_time deadline, aq_diag *diag)
{
  aq_status status = AQ_OK;
  aq_queue_flush(queue);
  aq_queue_poll(queue);
  while (status == AQ_OK && !is_idle(queue))
    status = aq_queue_progress(queue, &deadline, diag);
  if (!is_idle(queue))
    return status;
  aq_submit_hooks_notify(
      queue->context,
      &(aq_submit_event){.kind = AQ_SUBMIT_IDLE, .queue = queue});
  return AQ_OK;
}

void aq_queue_destroy(aq_queue *queue)
{
  if (!queue)
    return;
  aq_submit_hooks_notify(
      queue->context,
      &(aq_submit_event){.kind = AQ_SUBMIT_QUEUE_END, .queue = queue});
  aq_queue_flush(queue);
  aq_queue_poll(queue);
  aq_time never = AQ_TIME_MAX;
  while (!is_idle(queue))
    if (!pending_end(queue) &&
        aq_queue_progress(queue, &never, NULL) != AQ_OK) {
      aq_queue_fail(queue, AQ_ERR_QUEUE, "the queue was destroyed");
      aq_queue_poll(queue);
    }
  queue_free(queue);
}

/* ---- queries ---- */

void aq_queue_stats_get(aq_queue *queue, aq_queue_stats *out)
{
  aq_lock(queue->sync_domain, &queue->lock);
  *out = queue->stats;
  out->publishing = !queue->frontier.overflow;
  out->depth = (uint32_t)(queue->epoch - aq_queue_retired(queue));
  aq_unlock(queue->sync_domain, &queue->lock);
  out->failed = __atomic_load_n(&queue->failures, __ATOMIC_RELAXED);
  out->published = __atomic_load_n(&queue->published, __ATOMIC_RELAXED);
}

uint32_t aq_queue_device(const aq_queue *queue)
{
  return queue->options.device;
}

const aq_ring *aq_queue_ring(const aq_queue *queue)
{
  return queue->ring;
}

aq_context *aq_queue_context(const aq_queue *queue)
{
  return queue->context;
}
