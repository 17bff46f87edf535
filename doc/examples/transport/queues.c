/* SPDX-License-Identifier: MIT */
#include "fixed.h"

#include <stdlib.h>
#include <string.h>

static fixed_queue *queue_from(aq_ring *ring)
{
  return (fixed_queue *)(void *)ring;
}

static void queue_free(fixed_queue *queue)
{
  free(queue->ring.packets);
  free(queue->submitted);
  free(queue);
}

static aq_status queue_check(const aq_queue_desc *desc, aq_diag *diag)
{
  if (desc->device != 0)
    return aq_diag_set(diag, AQ_ERR_INVALID, "device %u; expected 0",
                       desc->device);
  if (desc->size < FIXED_QUEUE_MIN || (desc->size & (desc->size - 1)))
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "queue of %u packets; expected a power of two, at "
                       "least %d",
                       desc->size, FIXED_QUEUE_MIN);
  if (desc->size > FIXED_QUEUE_MAX)
    return aq_diag_set(diag, AQ_ERR_RESOURCES,
                       "queue of %u packets; expected at most %d", desc->size,
                       FIXED_QUEUE_MAX);
  if (desc->type != AQ_QUEUE_MULTI && desc->type != AQ_QUEUE_SINGLE)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "queue of type %d; expected MULTI or SINGLE",
                       (int)desc->type);
  return AQ_OK;
}

aq_status fixed_queue_create(aq_transport *t, const aq_queue_desc *desc,
                             aq_ring **out, aq_diag *diag)
{
  fixed *f = fixed_from(t);
  aq_status status = queue_check(desc, diag);
  if (status != AQ_OK)
    return status;
  fixed_queue *queue = calloc(1, sizeof *queue), **link = &f->queues;
  uint32_t count = 0;
  for (; *link; link = &(*link)->next)
    count += !(*link)->destroyed;
  if (queue && count < FIXED_QUEUES) {
    queue->ring.packets =
        aligned_alloc(AQ_PACKET_SIZE, (size_t)desc->size * AQ_PACKET_SIZE);
    queue->submitted = calloc(desc->size, sizeof *queue->submitted);
  }
  if (!queue || !queue->ring.packets || !queue->submitted) {
    if (queue)
      queue_free(queue);
    return count < FIXED_QUEUES
               ? aq_diag_set(diag, AQ_ERR_NO_MEMORY,
                             "out of memory for a queue")
               : aq_diag_set(diag, AQ_ERR_RESOURCES,
                             "there are %d queues, the most there may be",
                             FIXED_QUEUES);
  }
  memset(queue->ring.packets, 0, (size_t)desc->size * AQ_PACKET_SIZE);
  for (uint32_t i = 0; i < desc->size; i++)
    queue->ring.packets[i].header = AQ_PACKET_INVALID;
  queue->ring.size = desc->size;
  queue->ring.id = f->queues_created;
  queue->ring.write_index = &queue->write_index;
  queue->ring.read_index = &queue->read_index;
  queue->ring.doorbell = &queue->doorbell;
  queue->doorbell = UINT64_MAX;
  queue->desc = *desc;
  queue->record = AQ_NONE;
  if (f->records) {
    aq_run_queue row = {f->record_device, queue->ring.id};
    status = f->records->queue(f->records, &row, &queue->record, diag);
  }
  if (status != AQ_OK) {
    queue_free(queue);
    return status;
  }
  f->queues_created++;
  *link = queue;
  *out = &queue->ring;
  return AQ_OK;
}

/* Frees the queues that are destroyed, outside of callbacks. */
void fixed_queues_sweep(fixed *f)
{
  fixed_queue **link = &f->queues;
  while (f->depth == 0 && *link) {
    fixed_queue *queue = *link;
    if (queue->destroyed) {
      *link = queue->next;
      queue_free(queue);
    } else {
      link = &queue->next;
    }
  }
}

void fixed_queue_destroy(aq_transport *t, aq_ring *ring)
{
  queue_from(ring)->destroyed = true;
  fixed_queues_sweep(fixed_from(t));
}

aq_status fixed_queue_control(aq_transport *t, aq_ring *ring,
                              aq_queue_control control,
                              const aq_queue_control_args *args, aq_diag *diag)
{
  (void)t, (void)args;
  if (control != AQ_CONTROL_INACTIVATE)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "fixed: queue %u: %s cannot be set", ring->id,
                       control == AQ_CONTROL_PRIORITY ? "priority" : "CU mask");
  queue_from(ring)->stopped = true;
  return AQ_OK;
}
