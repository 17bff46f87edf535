/* SPDX-License-Identifier: MIT */
/* The table of kinds, and the smallest of them: agent dispatches. */
#include "config.h"

#include "backend_sim/packet/packet_types.h"

/* ---- agent dispatches ---- */

static aqsim_flow launch_agent(aqsim_inflight *inflight)
{
  aqsim_queue *queue = inflight->queue;
  queue->line.kernel_before = queue->line.barrier_before = false;
  inflight->back_to_back = false;
  inflight->start = inflight->stamp = inflight->end =
      queue->sim->now + aqsim_acquire(queue->device, inflight->packet.header);
  aqsim_queue_launch_until(queue, inflight->start);
  return aqsim_inflight_sleep(inflight, AQSIM_STEP_RUN, inflight->start,
                              AQSIM_AT_END);
}

static aqsim_flow run_agent(aqsim_inflight *inflight)
{
  aqsim_queue *queue = inflight->queue;
  aqsim *sim = queue->sim;
  aq_agent_packet packet = inflight->packet.agent;
  sim->touched = true;
  if (sim->outside_begin)
    sim->outside_begin(sim->live, queue);
  uint64_t result = queue->agent(&packet, queue->error.user);
  if (sim->outside_begin)
    sim->outside_end(sim->live);
  /* Release pairs with whoever acquires the completion or polls the word. */
  if (packet.return_address)
    __atomic_store_n((uint64_t *)(uintptr_t)packet.return_address, result,
                     __ATOMIC_RELEASE);
  sim->queue_ops->notice(sim);
  return queue->destroyed ? AQSIM_GONE : aqsim_inflight_finish(inflight);
}

static const aqsim_packet_type_ops aqsim_agent_kind = {.record = AQ_KIND_AGENT,
                                                       .host = true,
                                                       .launch = launch_agent,
                                                       .run = run_agent};

/* ---- the table ---- */

static const aqsim_packet_type_ops *kind_find(const aq_packet *packet)
{
  switch (aq_header_type(packet->header)) {
  case AQ_PACKET_KERNEL_DISPATCH:
    return &aqsim_kernel_kind;
  case AQ_PACKET_BARRIER_AND:
    return &aqsim_barrier_and_kind;
  case AQ_PACKET_BARRIER_OR:
    return &aqsim_barrier_or_kind;
  case AQ_PACKET_AGENT_DISPATCH:
    return &aqsim_agent_kind;
  case AQ_PACKET_VENDOR:
    return packet->pm4_ib.format == AQ_AMD_FORMAT_PM4_IB ? &aqsim_pm4_kind
           : packet->barrier_value.format == AQ_AMD_FORMAT_BARRIER_VALUE
               ? &aqsim_barrier_value_kind
               : NULL;
  default:
    return NULL;
  }
}

const aqsim_packet_type_ops *aqsim_inflight_type(const aqsim_inflight *inflight)
{
  const aqsim_packet_type_ops *kind = kind_find(&inflight->packet);
  if (!kind || !(inflight->queue->host ? kind->host : kind->device))
    return NULL;
  return kind;
}

aqsim_flow aqsim_step_run(aqsim_inflight *inflight)
{
  return inflight->kind->run(inflight);
}
