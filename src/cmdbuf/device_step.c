/* SPDX-License-Identifier: MIT */
/* One run of the walk on the device. The same source is compiled for the host
 * and for GPUs (device/blocks.c). */
#include "config.h"

#include <string.h>

#include "cmdbuf/device_walk.h"

static void packet_add(aq_packet_span *span, const aq_packet *packet)
{
  aq_packet *slot = aq_ring_slot(span->ring, span->first + span->packets);
  memcpy((unsigned char *)slot + sizeof slot->header_setup,
         (const unsigned char *)packet + sizeof slot->header_setup,
         sizeof *slot - sizeof slot->header_setup);
  span->headers[span->packets++] = packet->header_setup;
}

/* A barrier behind everything, for a signal. */
static void signal_add(aq_packet_span *span, aq_signal signal)
{
  if (signal.handle == 0)
    return;
  packet_add(span, &(aq_packet){.barrier = {.header = aq_packet_header(
                                                AQ_PACKET_BARRIER_AND, 1,
                                                AQ_SCOPE_NONE, AQ_SCOPE_SYSTEM),
                                            .completion_signal = signal}});
}

void aq_device_walk_step(aq_device_walk *walk)
{
  aq_ring *ring = &walk->ring;
  const uint32_t room = aq_ring_space(ring) / 2;
  aq_packet_span span = {.ring = ring,
                         .first = aq_ring_write_index(ring),
                         .slots = room,
                         .headers = walk->headers,
                         .kernarg = walk->kernarg,
                         .kernarg_size = walk->kernarg_size,
                         .drain = &walk->again};
  const aq_walk result = aq_processor_fill(&walk->walk, &span);
  if (result == AQ_WALK_FULL) {
    packet_add(&span, &walk->again);
  } else if (result != AQ_WALK_DRAIN) {
    walk->result = result;
    signal_add(&span, walk->completion);
    signal_add(&span, walk->done);
  }
  walk->packets += span.packets;
  walk->runs++;
  /* The only producer: there is room. */
  aq_ring_try_reserve_single(ring, span.packets, &span.first);
  aq_packet_span_publish(&span);
  /* Release: the packets, before whoever polls the doorbell. */
  __atomic_store_n(ring->doorbell, span.first + span.packets - 1,
                   __ATOMIC_RELEASE);
}
