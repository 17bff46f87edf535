/* SPDX-License-Identifier: MIT */
/*
 * The launch of a kernel packet that is like the one before it in its queue and
 * does nothing but take its time: inline, since most packets are so. The rest
 * is in type_kernel.c.
 */
#ifndef AQSIM_KERNEL_LAUNCH_H
#define AQSIM_KERNEL_LAUNCH_H

#include <string.h>

#include "backend_sim/packet/inflight.h"
#include "backend_sim/packet/packet_types.h"

/* ---- the rare parts: type_kernel.c ---- */

/* How much sooner a spin kernel starts whose measured duration is shorter than
 * a launch. */
aq_time aqsim_launch_excess(const aqsim_inflight *inflight);

/* Checks a packet that is not like the last one; false: its queue stopped. */
bool aqsim_shape_renew(aqsim_inflight *inflight, const aqsim_kernel *kernel);

/* The device's policy has it; false: out of memory, its queue stopped. */
bool aqsim_kernel_policy_launch(aqsim_inflight *inflight);

/* Its waves share the device, its code or host function runs, or its arguments
 * have the duration. */
aqsim_flow aqsim_launch_acting(aqsim_inflight *inflight);

/* ---- its start ---- */

/* A kernel that waited for the one before it by the barrier bit, and was
 * decoded early enough, gets that one's end as its start. */
__attribute__((always_inline)) static inline bool
aqsim_start_is_back_to_back(const aqsim_inflight *inflight)
{
  const aqsim_queue *queue = inflight->queue;
  const aqsim_model *model = queue->device->model;
  return model->start_stamp == AQSIM_START_BACK_TO_BACK &&
         queue->line.kernel_before &&
         aq_header_barrier(inflight->packet.header) &&
         queue->line.last_end != AQ_TIME_NONE &&
         inflight->fetch + model->glue_lead <= queue->line.last_end;
}

/* The first wave's time. Behind a kernel with a gap of its own, that gap is
 * from its end to a packet that waited for it, and the least to a later one. */
static inline aq_time aqsim_kernel_start(const aqsim_inflight *inflight)
{
  const aqsim_queue *queue = inflight->queue;
  const aqsim_launch_state *line = &queue->line;
  const aqsim_model *model = queue->device->model;
  const aq_time now = queue->sim->now;
  const uint16_t header = inflight->packet.header;
  const aq_time start =
      now + aqsim_acquire(queue->device, header) + model->dispatch_setup;
  if (line->gap == 0 || !line->kernel_before || !aq_header_barrier(header) ||
      line->last_end == AQ_TIME_NONE || model->start_stamp != AQSIM_START_WAVE)
    return start;
  const aq_time behind = aq_time_max(now, line->last_end + line->gap);
  return inflight->fetch <= line->last_end ? behind
                                           : aq_time_max(start, behind);
}

/* ---- its shape ---- */

/* The shape of a packet: all but its header. */
static inline void aqsim_shape_words(const aq_kernel_packet *packet,
                                     uint64_t words[4])
{
  memcpy(words, packet, 4 * sizeof *words);
  words[0] >>= 16;
}

/* Whether the packet is like the last one of its queue, which was checked. */
static inline bool aqsim_shape_is_last(const aqsim_dispatch_shape *shape,
                                       const aq_kernel_packet *packet)
{
  uint64_t words[4];
  aqsim_shape_words(packet, words);
  return ((words[0] ^ shape->words[0]) | (words[1] ^ shape->words[1]) |
          (words[2] ^ shape->words[2]) | (words[3] ^ shape->words[3])) == 0;
}

/* ---- the launch ---- */

__attribute__((always_inline)) static inline aqsim_flow
aqsim_kernel_launch(aqsim_inflight *inflight)
{
  aqsim_queue *queue = inflight->queue;
  const aq_kernel_packet *packet = &inflight->packet.kernel;
  const aqsim_kernel *kernel = aqsim_kernel_of(queue, packet->kernel_object);
  if (__builtin_expect(!aqsim_shape_is_last(&queue->line.shape, packet),
                       false) &&
      !aqsim_shape_renew(inflight, kernel))
    return AQSIM_GONE;
  inflight->kernel = kernel;
  inflight->start = aqsim_kernel_start(inflight);
  if (aq_cost_is_spin(kernel->desc.cost.kind))
    inflight->start -= aqsim_launch_excess(inflight);
  inflight->back_to_back = aqsim_start_is_back_to_back(inflight);
  inflight->stamp =
      inflight->back_to_back ? queue->line.last_end : inflight->start;
  aqsim_queue_launch_until(queue, inflight->start);
  queue->line.kernel_before = true;
  queue->line.barrier_before = false;
  queue->line.gap = 0;
  inflight->workgroups = queue->line.shape.workgroups;
  if (__builtin_expect(queue->device->policy != NULL, false) &&
      !inflight->run && !aqsim_kernel_policy_launch(inflight))
    return AQSIM_GONE;
  if (queue->line.shape.duration == AQ_TIME_NONE)
    return aqsim_launch_acting(inflight);
  inflight->end = aq_time_add(inflight->start, queue->line.shape.duration);
  return aqsim_kernel_finish(inflight);
}

#endif
