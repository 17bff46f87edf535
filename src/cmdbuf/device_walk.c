/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cmdbuf/device_walk.h"

#include <string.h>

void aq_device_walk_prepare(aq_device_walk *walk, uint64_t object, void *args)
{
  memcpy(args, &walk, sizeof walk);
  walk->again = (aq_packet){
      .kernel = {.header = aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 1,
                                            AQ_SCOPE_SYSTEM, AQ_SCOPE_SYSTEM),
                 .setup = 1,
                 .workgroup_size = {1, 1, 1},
                 .grid_size = {1, 1, 1},
                 .kernel_object = object,
                 .kernarg_address = (uint64_t)(uintptr_t)args}};
  walk->packets = 0;
}

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

static void walk_run(const aq_kernel_call *call)
{
  aq_device_walk *walk;
  memcpy(&walk, call->kernarg, sizeof walk);
  aq_ring *ring = walk->ring;
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
  /* The only producer: there is room. */
  aq_ring_try_reserve_single(ring, span.packets, &span.first);
  aq_packet_span_publish(&span);
  /* Release: the packets, before whoever polls the doorbell. */
  __atomic_store_n(ring->doorbell, span.first + span.packets - 1,
                   __ATOMIC_RELEASE);
}

aq_status aq_device_walk_register(aq_transport *transport, uint64_t *object,
                                  aq_diag *diag)
{
  aq_kernel_info kernel;
  aq_transport_info info;
  transport->ops->info(transport, &info);
  if (!(info.caps & AQ_CAP_HOST_KERNELS))
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "%s: no programs are walked on its devices",
                       transport->ops->name);
  aq_status status = transport->ops->kernel_register(
      transport,
      &(aq_kernel_desc){.name = "aq.walk",
                        .function = walk_run,
                        .kernarg_size = sizeof(aq_device_walk *)},
      &kernel, diag);
  if (status == AQ_OK)
    *object = kernel.object;
  return status;
}
