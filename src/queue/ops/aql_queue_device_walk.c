/* SPDX-License-Identifier: MIT */
/* Submissions whose program is walked on the device. */
#include "config.h"

#include <string.h>

#include "queue/ring/packet_batch.h"

/* The device reads and writes the walk, its header words and the bindings, one
 * after the other in memory of the transport. */
static size_t headers_at(void)
{
  return (sizeof(aq_device_walk) + 63) & ~(size_t)63;
}

static size_t slots_at(const aq_aql_queue *queue)
{
  return headers_at() + queue->ring->size * sizeof(uint32_t);
}

static aq_status memory_make(aq_aql_queue *queue, uint32_t slots, aq_diag *diag)
{
  aq_transport *t = queue->options.transport;
  void *memory;
  if (queue->walk && queue->walk_slots >= slots)
    return AQ_OK;
  if (queue->ring->size < AQ_DEVICE_WALK_RING_MIN)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "a queue of %u packets: programs are walked on the "
                       "device in %d or more",
                       queue->ring->size, AQ_DEVICE_WALK_RING_MIN);
  aq_status status = queue->ops->mem_alloc(
      t, queue->options.device, AQ_MEMORY_HOST,
      slots_at(queue) + slots * sizeof(aq_binding), &memory, diag);
  if (status != AQ_OK)
    return status;
  if (queue->walk)
    queue->ops->mem_free(t, queue->walk);
  queue->walk = memory;
  queue->walk_slots = slots;
  return AQ_OK;
}

aq_status aq_walk_ready(aq_aql_queue *queue, const aq_link *link,
                        uint32_t slots, aq_diag *diag)
{
  aq_transport *t = queue->options.transport;
  aq_status status = AQ_OK;
  if (!queue->walker.kernel.object)
    status =
        aq_device_walker_open(t, queue->options.device, &queue->walker, diag);
  if (status == AQ_OK)
    status = memory_make(queue, slots, diag);
  aq_walk_end(queue);
  return status == AQ_OK ? aq_link_image_make(link, t, queue->options.device,
                                              &queue->walk_image, diag)
                         : status;
}

void aq_walk_begin(aq_aql_queue *queue, const aq_walk_ask *ask)
{
  unsigned char *memory = (unsigned char *)queue->walk;
  aq_binding *slots = (void *)(memory + slots_at(queue));
  aq_device_walk *walk = queue->walk;
  if (ask->binding_count > 0)
    memcpy(slots, ask->bindings, ask->binding_count * sizeof *slots);
  *walk = (aq_device_walk){.ring = *queue->ring,
                           .headers = (void *)(memory + headers_at()),
                           .kernarg = ask->kernarg + AQ_KERNARG_ALIGN,
                           .kernarg_size = ask->kernarg_size - AQ_KERNARG_ALIGN,
                           .completion = ask->completion,
                           .done = ask->done};
  aq_processor_start(&walk->walk, queue->walk_image.link, slots, ask->carry,
                     ask->visits);
  aq_device_walk_prepare(walk, &queue->walker, ask->kernarg);
}

void aq_walk_end(aq_aql_queue *queue)
{
  aq_link_image_free(queue->options.transport, &queue->walk_image);
}

void aq_walk_close(aq_aql_queue *queue)
{
  aq_transport *t = queue->options.transport;
  aq_walk_end(queue);
  aq_device_walker_close(t, &queue->walker);
  if (queue->walk_done.handle)
    queue->ops->signal_destroy(t, queue->walk_done);
  if (queue->walk)
    queue->ops->mem_free(t, queue->walk);
  queue->walk = NULL;
}

aq_status aq_aql_queue_finish(aq_aql_queue *queue, aq_diag *diag)
{
  if (!queue->walking)
    return AQ_OK;
  queue->walking = false;
  aq_status status = aq_aql_queue_await(queue, queue->walk_done, diag);
  aq_walk_end(queue);
  if (status != AQ_OK) {
    queue->broken = true;
    return status;
  }
  queue->carry = queue->walk->walk.carry;
  if (queue->walk->result == AQ_WALK_BUDGET)
    return aq_diag_set(diag, AQ_ERR_RESOURCES,
                       "the program entered too many blocks on the device");
  if (queue->walk->result == AQ_WALK_DEPTH)
    return aq_diag_set(diag, AQ_ERR_RESOURCES,
                       "the program has more than %d calls within calls on the "
                       "device",
                       AQ_CALL_DEPTH);
  return AQ_OK;
}

/* The kernarg memory of a whole walk: the state it reads to find itself, and
 * the arguments that its packets use again and again. */
static aq_status walk_start(aq_aql_queue *queue, aq_submit *submit,
                            aq_diag *diag)
{
  const aq_submission *submission = submit->submission;
  const uint64_t size = aq_kernarg_ring_limit(&queue->kernargs);
  const uint32_t most = submit->link->program->kernarg_max;
  if (most + AQ_KERNARG_ALIGN > size)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "%u bytes of kernel arguments: on the device the queue "
                       "takes at most %llu",
                       most, (unsigned long long)(size - AQ_KERNARG_ALIGN));
  aq_packet_span part;
  aq_packet_batch_begin(&part, queue);
  part.kernarg_size = (uint32_t)size;
  aq_status status = aq_submit_room(queue, submit, &part, diag);
  if (status != AQ_OK)
    return status;
  queue->ops->signal_store(queue->options.transport, queue->walk_done, 1,
                           AQ_RELEASE);
  aq_walk_begin(queue,
                &(aq_walk_ask){.bindings = submission->bindings,
                               .binding_count = submission->binding_count,
                               .carry = submit->processor.carry,
                               .visits = submission->visits,
                               .kernarg = part.kernarg,
                               .kernarg_size = part.kernarg_size,
                               .completion = submission->completion,
                               .done = queue->walk_done});
  return AQ_OK;
}

aq_status aq_walk_submit(aq_aql_queue *queue, aq_submit *submit, aq_diag *diag)
{
  aq_status status = aq_aql_queue_signal(queue, &queue->walk_done, diag);
  if (status == AQ_OK)
    status = aq_walk_ready(queue, submit->link,
                           submit->submission->binding_count, diag);
  /* Nothing else may be in the ring that the device fills. */
  if (status == AQ_OK)
    status = walk_start(queue, submit, diag);
  if (status == AQ_OK)
    status = aq_submit_waits(queue, submit, &queue->walk->again, diag);
  queue->walking = status == AQ_OK;
  if (!queue->walking)
    aq_walk_end(queue);
  return status;
}
