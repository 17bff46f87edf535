/* SPDX-License-Identifier: MIT */
/* Packets that hold a queue back until epochs of other queues are complete. */
#include "config.h"

#include "cmdbuf/value_packets.h"
#include "common/pm4.h"
#include "queue/core/queue_priv.h"
#include "queue/ring/packet_batch.h"

uint32_t aq_wait_packets_count(aq_edge_way way, uint32_t edges)
{
  if (edges == 0)
    return 0;
  if (way == AQ_EDGE_BARRIER_VALUE)
    return edges;
  if (way == AQ_EDGE_PM4)
    return 1;
  return (edges + AQ_BARRIER_DEPENDENCIES - 1) / AQ_BARRIER_DEPENDENCIES;
}

uint32_t aq_wait_packets_kernarg(aq_edge_way way, uint32_t edges)
{
  return way == AQ_EDGE_PM4
             ? aq_kernarg_round(edges * AQ_VALUE_WORDS * sizeof(uint32_t))
             : 0;
}

/* The next packet; it waits for those before it. */
static aq_packet *packet_begin(aq_packet_span *span, aq_packet_type type)
{
  return aq_packet_batch_next(
      span, aq_packet_header(type, 1, AQ_SCOPE_NONE, AQ_SCOPE_NONE));
}

static void barrier_and_fill(const aq_plan *plan, aq_packet_span *span)
{
  aq_barrier_packet *packet = NULL;
  uint32_t used = AQ_BARRIER_DEPENDENCIES;
  for (uint32_t i = 0; i < plan->edge_count; i++) {
    if (plan->edges[i].implied)
      continue;
    if (used == AQ_BARRIER_DEPENDENCIES) {
      packet = &packet_begin(span, AQ_PACKET_BARRIER_AND)->barrier;
      used = 0;
    }
    packet->dependency[used++] = plan->edges[i].edge.flag->signal;
  }
}

static void barrier_value_fill(const aq_plan *plan, aq_packet_span *span)
{
  for (uint32_t i = 0; i < plan->edge_count; i++) {
    if (plan->edges[i].implied)
      continue;
    const aq_wait_item item = aq_epoch_item(&plan->edges[i].edge);
    aq_barrier_value_packet *packet =
        &packet_begin(span, AQ_PACKET_VENDOR)->barrier_value;
    span->headers[span->packets - 1] |= (uint32_t)AQ_AMD_FORMAT_BARRIER_VALUE
                                        << 16;
    packet->signal = item.signal;
    packet->value = item.value;
    packet->mask = -1;
    packet->condition = item.condition;
  }
}

/* One jump to commands in kernarg memory, a wait each. */
static void pm4_fill(const aq_plan *plan, aq_packet_span *span)
{
  uint32_t *words = (uint32_t *)(void *)(span->kernarg + span->kernarg_used);
  const uint64_t at = (uint64_t)(uintptr_t)words;
  uint32_t count = 0;
  for (uint32_t i = 0; i < plan->edge_count; i++) {
    if (plan->edges[i].implied)
      continue;
    const aq_wait_item item = aq_epoch_item(&plan->edges[i].edge);
    const aq_wait_args wait = {
        .address = (void *)(uintptr_t)(item.signal.handle +
                                       offsetof(aq_amd_signal, value)),
        .value = (uint64_t)item.value,
        .mask = UINT64_MAX,
        .condition = AQ_LT,
        .size = 8};
    count += aq_wait_words(&wait, words + count);
  }
  span->kernarg_used +=
      aq_wait_packets_kernarg(AQ_EDGE_PM4, plan->needs_packet);
  aq_pm4_ib_packet *packet = &packet_begin(span, AQ_PACKET_VENDOR)->pm4_ib;
  span->headers[span->packets - 1] |= (uint32_t)AQ_AMD_FORMAT_PM4_IB << 16;
  aq_pm4_jump(packet, at, count);
}

void aq_wait_packets_fill(aq_edge_way way, const aq_plan *plan,
                          aq_packet_span *span)
{
  if (plan->needs_packet == 0)
    return;
  if (way == AQ_EDGE_BARRIER_VALUE)
    barrier_value_fill(plan, span);
  else if (way == AQ_EDGE_PM4)
    pm4_fill(plan, span);
  else
    barrier_and_fill(plan, span);
}
