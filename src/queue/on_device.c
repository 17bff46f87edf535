/* SPDX-License-Identifier: MIT */
/* Submissions whose program is walked on the device. */
#include "config.h"

#include <stdlib.h>

#include "queue/part.h"

static aq_status walk_make(aq_feed *queue, aq_diag *diag)
{
  aq_transport *t = queue->options.transport;
  if (queue->ring->size < AQ_DEVICE_WALK_RING_MIN)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "a queue of %u packets: programs are walked on the "
                       "device in %d or more",
                       queue->ring->size, AQ_DEVICE_WALK_RING_MIN);
  aq_device_walk *walk = calloc(1, sizeof *walk);
  if (!walk)
    return aq_diag_no_memory(diag);
  aq_status status = aq_device_walk_register(t, &queue->walk_object, diag);
  if (status == AQ_OK)
    status = queue->ops->signal_create(t, &(aq_signal_desc){.value = 0},
                                       &walk->done, diag);
  if (status != AQ_OK) {
    free(walk);
    return status;
  }
  queue->walk = walk;
  return AQ_OK;
}

void aq_walk_close(aq_feed *queue)
{
  if (!queue->walk)
    return;
  aq_feed_finish(queue, NULL);
  queue->ops->signal_destroy(queue->options.transport, queue->walk->done);
  free(queue->walk);
  queue->walk = NULL;
}

aq_status aq_feed_finish(aq_feed *queue, aq_diag *diag)
{
  if (!queue->walking)
    return AQ_OK;
  queue->walking = false;
  aq_status status = aq_feed_await(queue, queue->walk->done, diag);
  if (status != AQ_OK) {
    queue->broken = true;
    return status;
  }
  queue->carry = queue->walk->walk.carry;
  if (queue->walk->result == AQ_WALK_BUDGET)
    return aq_diag_set(diag, AQ_ERR_RESOURCES,
                       "the program entered too many blocks on the device");
  return AQ_OK;
}

/* The kernarg memory of a whole walk: the state it reads to find itself, and
 * the arguments that its packets use again and again. */
static aq_status walk_start(aq_feed *queue, aq_submit *submit, aq_diag *diag)
{
  aq_device_walk *walk = queue->walk;
  const uint64_t size = aq_kernarg_ring_limit(&queue->kernargs);
  const uint32_t most = submit->link->program->kernarg_max;
  if (most + AQ_KERNARG_ALIGN > size)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "%u bytes of kernel arguments: on the device the queue "
                       "takes at most %llu",
                       most, (unsigned long long)(size - AQ_KERNARG_ALIGN));
  aq_packet_span part;
  aq_part_begin(&part, queue);
  part.kernarg_size = (uint32_t)size;
  aq_status status = aq_submit_room(queue, submit, &part, diag);
  if (status != AQ_OK)
    return status;
  walk->walk = submit->processor;
  if (submit->link == &submit->direct) {
    walk->direct = submit->direct;
    walk->walk.link = &walk->direct;
  }
  walk->ring = queue->ring;
  walk->headers = queue->headers;
  walk->kernarg = part.kernarg + AQ_KERNARG_ALIGN;
  walk->kernarg_size = (uint32_t)size - AQ_KERNARG_ALIGN;
  walk->completion = submit->submission->completion;
  queue->ops->signal_store(queue->options.transport, walk->done, 1, AQ_RELEASE);
  aq_device_walk_prepare(walk, queue->walk_object, part.kernarg);
  return AQ_OK;
}

aq_status aq_walk_submit(aq_feed *queue, aq_submit *submit, aq_diag *diag)
{
  aq_status status = AQ_OK;
  if (!queue->walk)
    status = walk_make(queue, diag);
  /* Nothing else may be in the ring that the device fills. */
  if (status == AQ_OK)
    status = walk_start(queue, submit, diag);
  if (status != AQ_OK)
    return status;
  status = aq_submit_waits(queue, submit, &queue->walk->again, diag);
  queue->walking = status == AQ_OK;
  return status;
}
