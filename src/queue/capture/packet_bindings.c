/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <string.h>

#include "common/array.h"
#include "common/spin.h"
#include "queue/capture/packet_player.h"

/* Memory that arguments lie in, one behind the other. */
enum { KERNARG_BLOCK = 1 << 20, KERNARG_ALIGN = 64 };

static aq_status unknown(const char *what, uint64_t number, aq_diag *diag)
{
  return aq_diag_set(diag, AQ_ERR_INPUT, "no %s %llu exists", what,
                     (unsigned long long)number);
}

/* ---- what stands for what ---- */

aq_status aq_packet_signal_find(const aq_packet_player *p, uint64_t handle,
                                aq_signal *out, aq_diag *diag)
{
  out->handle = 0;
  return handle == 0 || aq_map_get(&p->signals, handle, &out->handle)
             ? AQ_OK
             : unknown("signal", handle, diag);
}

aq_status aq_packet_queue_find(const aq_packet_player *p, int64_t number,
                               aq_ring **out, aq_diag *diag)
{
  uint64_t found, references = 0;
  aq_map_get(&p->references, (uint64_t)number, &references);
  if (references == 0 || !aq_map_get(&p->queues, (uint64_t)number, &found))
    return unknown("queue", (uint64_t)number, diag);
  *out = (aq_ring *)(uintptr_t)found;
  return AQ_OK;
}

aq_status aq_packet_memory_make(aq_packet_player *p, uint32_t device,
                                aq_memory_kind kind, size_t size, void **out,
                                aq_diag *diag)
{
  if (!AQ_ARRAY_RESERVE(p->memory, p->memory_capacity, p->memory_count + 1))
    return aq_diag_no_memory(diag);
  aq_status status = p->ops->mem_alloc(p->t, device, kind, size, out, diag);
  if (status == AQ_OK)
    p->memory[p->memory_count++] = *out;
  return status;
}

static aq_status kernarg_make(aq_packet_player *p, const void *bytes,
                              size_t used, uint64_t *out, aq_diag *diag)
{
  const size_t size = (used + KERNARG_ALIGN - 1) & ~(size_t)(KERNARG_ALIGN - 1);
  if (size == 0)
    return AQ_OK;
  if (!p->kernarg || p->kernarg_used + size > KERNARG_BLOCK) {
    void *block;
    aq_status status = aq_packet_memory_make(p, 0, AQ_MEMORY_KERNARG,
                                             KERNARG_BLOCK, &block, diag);
    if (status != AQ_OK)
      return status;
    p->kernarg = block;
    p->kernarg_used = 0;
  }
  char *at = p->kernarg + p->kernarg_used;
  memcpy(at, bytes, used);
  p->ops->mem_publish(p->t, at, used);
  p->kernarg_used += size;
  *out = (uintptr_t)at;
  return AQ_OK;
}

/* ---- packets ---- */

static aq_status kernel_fit(aq_packet_player *p, const aq_packet_event *event,
                            aq_kernel_packet *packet, aq_diag *diag)
{
  const aq_time duration =
      p->durations ? p->durations[event - p->file->events] : AQ_TIME_NONE;
  const bool predicted = duration != AQ_TIME_NONE;
  const aq_spin_args spin = {.duration = duration};
  uint64_t object;
  if (!aq_map_get(predicted ? &p->spins : &p->kernels, packet->kernel_object,
                  &object))
    return unknown("kernel", packet->kernel_object, diag);
  packet->kernel_object = object;
  packet->kernarg_address = 0;
  return predicted ? kernarg_make(p, &spin, sizeof spin,
                                  &packet->kernarg_address, diag)
                   : kernarg_make(p, event->blob, event->blob_size,
                                  &packet->kernarg_address, diag);
}

static aq_status barrier_fit(const aq_packet_player *p,
                             aq_barrier_packet *packet, aq_diag *diag)
{
  aq_status status = AQ_OK;
  for (int i = 0; i < AQ_BARRIER_DEPENDENCIES && status == AQ_OK; i++)
    status = aq_packet_signal_find(p, packet->dependency[i].handle,
                                   &packet->dependency[i], diag);
  return status;
}

static aq_status vendor_fit(const aq_packet_player *p,
                            aq_barrier_value_packet *packet, aq_diag *diag)
{
  if (packet->format != AQ_AMD_FORMAT_BARRIER_VALUE)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "AMD packet of format %u; expected a barrier-value: a "
                       "capture has no buffers of other formats",
                       packet->format);
  return aq_packet_signal_find(p, packet->signal.handle, &packet->signal, diag);
}

aq_status aq_packet_fit(aq_packet_player *p, const aq_packet_event *event,
                        aq_packet *packet, aq_diag *diag)
{
  aq_status status = AQ_OK;
  switch (aq_header_type(packet->header)) {
  case AQ_PACKET_KERNEL_DISPATCH:
    status = kernel_fit(p, event, &packet->kernel, diag);
    break;
  case AQ_PACKET_BARRIER_AND:
  case AQ_PACKET_BARRIER_OR:
    status = barrier_fit(p, &packet->barrier, diag);
    break;
  case AQ_PACKET_AGENT_DISPATCH:
    packet->agent.return_address = 0;
    break;
  case AQ_PACKET_VENDOR:
    status = vendor_fit(p, &packet->barrier_value, diag);
    break;
  default: /* the device will say */
    break;
  }
  return status == AQ_OK
             ? aq_packet_signal_find(p, packet->kernel.completion_signal.handle,
                                     &packet->kernel.completion_signal, diag)
             : status;
}
