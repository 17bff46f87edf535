/* SPDX-License-Identifier: MIT */
/*
 * Which device's packet a signal completed: the runtime keeps the raw ticks of
 * the device that decremented it, and only its agent can say what time that
 * was.
 *
 * Packets are looked at before the doorbell announces them and again when times
 * are asked. They may be published in another order than they were reserved
 * in: the mark of a queue stays at the first unpublished one, and the packets
 * behind it are looked at once more when it is published.
 */
#include "config.h"

#include "backend_hsa/core.h"

static bool is_published(const aq_packet *packet)
{
  return aq_header_type(aq_packet_load_header(packet)) != AQ_PACKET_INVALID;
}

/* The processor takes the header of a packet back, and leaves the rest until a
 * producer has the slot again. */
static bool was_taken(const aqhsa_queue *queue, uint64_t id)
{
  return id < aq_ring_read_index(&queue->ring);
}

static void packet_mark(aqhsa *hsa, const aqhsa_queue *queue, uint64_t id)
{
  const aq_packet *packet = aq_ring_slot(&queue->ring, id);
  const uint64_t completion = __atomic_load_n(
      &packet->kernel.completion_signal.handle, __ATOMIC_ACQUIRE);
  /* Someone may be filling the slot with the packet a ring further on. */
  if (completion == 0 ||
      aq_ring_write_index(&queue->ring) > id + queue->ring.size)
    return;
  aqhsa_signal *signal =
      (aqhsa_signal *)aqhsa_table_get(&hsa->signals, completion);
  if (!signal)
    return;
  signal->device = queue->device;
  __atomic_store_n(&signal->copied, false, __ATOMIC_RELAXED);
}

static void queue_mark(aqhsa *hsa, aqhsa_queue *queue)
{
  const uint64_t end = aq_ring_write_index(&queue->ring);
  bool whole = true;
  if (end > queue->marked + queue->ring.size)
    queue->marked = end - queue->ring.size;
  for (uint64_t id = queue->marked; id < end; id++) {
    const bool there =
        is_published(aq_ring_slot(&queue->ring, id)) || was_taken(queue, id);
    if (there)
      packet_mark(hsa, queue, id);
    whole &= there;
    if (whole)
      queue->marked = id + 1;
  }
}

/* With one device there is nothing to distinguish. */
static bool is_needed(const aqhsa *hsa)
{
  return hsa->device_count > 1 &&
         (__atomic_load_n(&hsa->profiled, __ATOMIC_RELAXED) ||
          __atomic_load_n(&hsa->queue_profiled, __ATOMIC_RELAXED));
}

/* Other queues first: a signal may have come from there. */
static void queues_mark(aqhsa *hsa, aqhsa_queue *last)
{
  for (aqhsa_held *held = hsa->queues.first; held; held = held->next)
    if (aqhsa_queue_of(held) != last)
      queue_mark(hsa, aqhsa_queue_of(held));
  if (last)
    queue_mark(hsa, last);
}

void aqhsa_origins_note(aqhsa *hsa, aqhsa_queue *last)
{
  if (!is_needed(hsa))
    return;
  pthread_mutex_lock(&hsa->lock);
  queues_mark(hsa, last);
  pthread_mutex_unlock(&hsa->lock);
}

bool aqhsa_origins_times(aqhsa *hsa, const aqhsa_signal *signal,
                         hsa_amd_profiling_dispatch_time_t *out)
{
  const aq_signal handle = {signal->held.key};
  if (is_needed(hsa))
    queues_mark(hsa, NULL);
  if (__atomic_load_n(&signal->copied, __ATOMIC_RELAXED))
    return hsa->api->hsa_amd_profiling_get_async_copy_time(handle, out) ==
           HSA_STATUS_SUCCESS;
  return hsa->api->hsa_amd_profiling_get_dispatch_time(
             hsa->agents[signal->device], handle, out) == HSA_STATUS_SUCCESS;
}
