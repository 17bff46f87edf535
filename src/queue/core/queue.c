/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "queue/queue.h"

#include <stdlib.h>
#include <string.h>

#include "queue/core/operation_rows.h"
#include "queue/core/queue_priv.h"
#include "queue/core/tap_priv.h"

enum {
  RING_DEFAULT = 4096,   /* packets */
  RING_MIN = 64,         /* packets: the edges of one operation fit */
  NOTIFICATIONS = 1024,  /* entries */
  PARKED_DEFAULT = 1024, /* operations */
};

/* ---- life ---- */

/* On the thread that drives time: takes no lock that may be held while time
 * moves. */
static void queue_stopped(const aq_queue_error *error, void *user)
{
  aq_queue_fail(user, AQ_ERR_QUEUE, error->text ? error->text : "queue error");
}

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
                       "a queue is placed by its affinity on a logical device, "
                       "else by the number of a device");
  aq_lock(context->hub, &context->hub->lock);
  aq_status status = aq_logical_device_spread(
      context->devices, options->affinity ? options->affinity : AQ_AFFINITY_ANY,
      context->placed, &place, diag);
  if (status == AQ_OK) {
    options->device = place.device;
    *bit = aq_logical_device_bit(context->devices, &place);
    context->placed[*bit]++;
  }
  aq_unlock(context->hub, &context->hub->lock);
  return status;
}

static void place_give(aq_context *context, uint32_t bit)
{
  if (bit == AQ_AFFINITY_BITS)
    return;
  aq_lock(context->hub, &context->hub->lock);
  context->placed[bit]--;
  aq_unlock(context->hub, &context->hub->lock);
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

static aq_status queue_init(aq_queue *queue, aq_diag *diag)
{
  const aq_queue_options *options = &queue->options;
  queue->due.entries = calloc(options->notifications, sizeof(aq_due));
  queue->due.size = options->notifications;
  const bool flagged = queue->context->flagged || options->profile;
  if (flagged)
    queue->flags = calloc(options->notifications, sizeof *queue->flags);
  if (options->profile)
    queue->starts = calloc(options->notifications, sizeof *queue->starts);
  queue->began = AQ_TIME_NONE;
  const bool reported = options->report || queue->context->rows;
  if (reported)
    queue->reports = calloc(options->notifications, sizeof *queue->reports);
  if (!queue->due.entries || (flagged && !queue->flags) ||
      (reported && !queue->reports) || (options->profile && !queue->starts))
    return aq_diag_no_memory(diag);
  aq_status status = aq_axis_create(queue->hub, queue, aq_queue_poll, !flagged,
                                    &queue->axis, diag);
  if (status == AQ_OK)
    status = aq_seat_take(queue->hub, &queue->seat, diag);
  if (status != AQ_OK)
    return status;
  status =
      aq_feed_create(&(aq_feed_options){.transport = queue->transport,
                                        .device = options->device,
                                        .size = options->size,
                                        .kernarg_size = options->kernarg_size,
                                        .error = queue_stopped,
                                        .user = queue},
                     &queue->feed, diag);
  if (status != AQ_OK)
    return status;
  /* Release: an event may find the queue from now on. */
  __atomic_store_n(&queue->ring, queue->feed->ring, __ATOMIC_RELEASE);
  if (!queue->context->rows)
    return AQ_OK;
  return aq_operation_rows_queue(queue->context->rows,
                                 &queue->context->info.devices[options->device],
                                 options->device, queue->ring->id,
                                 &queue->row_device, &queue->row_queue, diag);
}

/* No thread finds it any more: handlers look with the gate, events with the
 * lock of the hub. */
static void queue_hide(aq_queue *queue)
{
  aq_lock(queue->hub, &queue->axis->gate);
  aq_lock(queue->hub, &queue->hub->lock);
  queue->axis->queue = NULL;
  aq_unlock(queue->hub, &queue->hub->lock);
  aq_unlock(queue->hub, &queue->axis->gate);
}

static void queue_free(aq_queue *queue)
{
  if (queue->axis)
    queue_hide(queue);
  for (uint32_t i = 0; queue->flags && i < queue->due.size; i++)
    if (queue->flags[i])
      aq_flag_release(queue->hub, queue->flags[i]);
  aq_seat_give(queue->hub, queue->seat);
  aq_feed_destroy(queue->feed);
  if (queue->axis)
    aq_axis_release(queue->axis);
  place_give(queue->context, queue->place);
  pthread_mutex_destroy(&queue->lock);
  free(queue->reports);
  free(queue->starts);
  free(queue->flags);
  free(queue->due.entries);
  free(queue);
}

aq_status aq_queue_create(aq_context *context, const aq_queue_options *options,
                          aq_queue **out, aq_diag *diag)
{
  aq_queue_options chosen = *options;
  uint32_t place;
  aq_status status = device_choose(context, &chosen, &place, diag);
  if (status == AQ_OK)
    status = options_choose(context, &chosen, diag);
  aq_queue *queue = status == AQ_OK
                        ? aligned_alloc(64, (sizeof *queue + 63) & ~(size_t)63)
                        : NULL;
  if (!queue) {
    place_give(context, place);
    return status == AQ_OK ? aq_diag_no_memory(diag) : status;
  }
  memset(queue, 0, sizeof *queue);
  queue->context = context;
  queue->hub = context->hub;
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
  aq_tap_tell(context, &(aq_tap_event){.kind = AQ_TAP_QUEUE,
                                       .queue = queue,
                                       .detail = &queue->options});
  return AQ_OK;
}

/* ---- the end ---- */

static bool is_idle(aq_queue *queue)
{
  aq_lock(queue->hub, &queue->lock);
  const bool idle = !queue->parked_first && !queue->resuming &&
                    queue->undecided == 0 &&
                    aq_queue_retired(queue) == queue->epoch;
  aq_unlock(queue->hub, &queue->lock);
  return idle;
}

/* The first parked task waits for a host or for another queue: it fails, and
 * the tasks behind it. False: there is none, or the queue is ending already. */
static bool parked_end(aq_queue *queue)
{
  aq_lock(queue->hub, &queue->lock);
  const bool held = !queue->ending && queue->parked_first &&
                    queue->parked_first->parking->pending > 0;
  queue->ending |= held;
  aq_unlock(queue->hub, &queue->lock);
  if (held)
    aq_queue_resume(queue);
  return held;
}

void aq_queue_flush(aq_queue *queue)
{
  aq_lock(queue->hub, &queue->lock);
  aq_queue_ring_bell(queue);
  aq_unlock(queue->hub, &queue->lock);
}

aq_status aq_queue_wait_idle(aq_queue *queue, aq_time deadline, aq_diag *diag)
{
  aq_status status = AQ_OK;
  aq_queue_flush(queue);
  aq_queue_poll(queue);
  while (status == AQ_OK && !is_idle(queue))
    status = aq_queue_progress(queue, deadline, diag);
  if (!is_idle(queue))
    return status;
  aq_tap_tell(queue->context,
              &(aq_tap_event){.kind = AQ_TAP_IDLE, .queue = queue});
  return AQ_OK;
}

void aq_queue_destroy(aq_queue *queue)
{
  if (!queue)
    return;
  aq_tap_tell(queue->context,
              &(aq_tap_event){.kind = AQ_TAP_QUEUE_END, .queue = queue});
  aq_queue_flush(queue);
  aq_queue_poll(queue);
  while (!is_idle(queue))
    if (!parked_end(queue) &&
        aq_queue_progress(queue, AQ_TIME_MAX, NULL) != AQ_OK) {
      aq_queue_fail(queue, AQ_ERR_QUEUE, "the queue was destroyed");
      aq_queue_poll(queue);
    }
  queue_free(queue);
}

/* ---- queries ---- */

void aq_queue_stats_get(aq_queue *queue, aq_queue_stats *out)
{
  aq_lock(queue->hub, &queue->lock);
  *out = queue->stats;
  out->publishing = !queue->frontier.overflow;
  out->depth = (uint32_t)(queue->epoch - aq_queue_retired(queue));
  aq_unlock(queue->hub, &queue->lock);
  out->failed = __atomic_load_n(&queue->failures, __ATOMIC_RELAXED);
  out->published = __atomic_load_n(&queue->published, __ATOMIC_RELAXED);
}

/* An event without a queue may concern a copy of any queue of the device. */
static bool is_hit(const aq_queue *queue, const aq_system_event *event)
{
  const aq_ring *ring = __atomic_load_n(&queue->ring, __ATOMIC_ACQUIRE);
  if (!ring)
    return false;
  return event->queue == AQ_QUEUE_NONE ? queue->options.device == event->device
                                       : ring->id == event->queue;
}

/* On the thread that drives time, as queue_stopped: no other thread calls the
 * transport with the hub's lock. */
void aq_context_event(aq_context *context, const aq_system_event *event)
{
  aq_hub *hub = context->hub;
  aq_lock(hub, &hub->lock);
  for (aq_axis *axis = hub->axes; axis; axis = axis->next)
    if (axis->queue && is_hit(axis->queue, event))
      aq_queue_fail_locked(axis->queue, AQ_ERR_QUEUE, event->text);
  aq_unlock(hub, &hub->lock);
  /* No handler looks at a queue without work in flight: waiting hosts
   * have to, for its parked tasks. */
  __atomic_store_n(&hub->deaf, true, __ATOMIC_RELEASE);
  aq_seats_ring(hub);
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
