/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/chain/strategies.h"

#include <string.h>

#include "common/ring.h"
#include "study/loop/graph_batch.h"

enum { GROUP = 64 }; /* work-items */

/* ---- packets of the host, without a command buffer ---- */

static aq_status packet_put(aq_ring *ring, const aq_packet *packet,
                            uint64_t *id, aq_diag *diag)
{
  if (!aq_ring_try_reserve(ring, 1, id))
    return aq_diag_set(diag, AQ_ERR_RESOURCES, "the ring is full");
  aq_packet *slot = aq_ring_slot(ring, *id);
  memcpy((char *)slot + sizeof slot->header_setup,
         (const char *)packet + sizeof slot->header_setup,
         sizeof *slot - sizeof slot->header_setup);
  aq_packet_publish(slot, packet->header, packet->setup);
  return AQ_OK;
}

static aq_status kernel_put(const aq_chain_stage *stage, aq_ring *ring,
                            aq_signal done, uint64_t *id, aq_diag *diag)
{
  const aq_packet packet = {
      .kernel = {.header = aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 1,
                                            AQ_SCOPE_AGENT, AQ_SCOPE_AGENT),
                 .setup = 1,
                 .workgroup_size = {GROUP, 1, 1},
                 .grid_size = {GROUP, 1, 1},
                 .kernel_object = stage->object,
                 .completion_signal = done}};
  return packet_put(ring, &packet, id, diag);
}

static aq_status wait_put(aq_ring *ring, aq_signal dependency, aq_diag *diag)
{
  const aq_packet packet = {
      .barrier = {.header = aq_packet_header(AQ_PACKET_BARRIER_AND, 0,
                                             AQ_SCOPE_NONE, AQ_SCOPE_NONE),
                  .dependency = {dependency}}};
  uint64_t id;
  return packet_put(ring, &packet, &id, diag);
}

/* ---- strategies ---- */

static aq_status signals_submit(aq_chain_stage *stage, aq_diag *diag)
{
  const uint32_t length = stage->chain->length;
  aq_status status = AQ_OK;
  uint64_t last[2] = {0};
  for (uint32_t i = 0; i < length; i++)
    stage->t->ops->signal_store(stage->t, stage->signals[i], 1, AQ_RELAXED);
  for (uint32_t i = 0; i < length && status == AQ_OK; i++) {
    aq_ring *ring = stage->rings[i % 2];
    if (i > 0)
      status = wait_put(ring, stage->signals[i - 1], diag);
    if (status == AQ_OK)
      status = kernel_put(stage, ring, stage->signals[i], &last[i % 2], diag);
  }
  for (uint32_t i = 0; i < 2 && i < length && status == AQ_OK; i++)
    stage->t->ops->queue_doorbell(stage->t, stage->rings[i], last[i]);
  return status;
}

/* The host's part takes its time here, as HIP's does: packets between doorbells
 * are written while the device works. */
static aq_status graph_submit(aq_chain_stage *stage, aq_diag *diag)
{
  const aq_transport_ops *ops = stage->t->ops;
  const aq_device_info *device = &stage->device;
  const uint32_t length = stage->chain->length;
  const aq_time begin = ops->now(stage->t) + device->graph_launch;
  const aq_signal end = stage->signals[length - 1];
  uint32_t done = 0, size = 0;
  uint64_t id = 0;
  aq_status status = AQ_OK;
  if (device->graph_launch == 0 && device->graph_per_node == 0)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "the device model has no time of a graph launch "
                       "(graph_launch, graph_per_node)");
  ops->signal_store(stage->t, end, 1, AQ_RELAXED);
  while (done < length && status == AQ_OK) {
    size = aq_graph_batch(device->graph_head, device->graph_batch, size, done);
    const uint32_t until = size < length - done ? done + size : length;
    for (; done < until && status == AQ_OK; done++)
      status = kernel_put(stage, stage->rings[0],
                          done + 1 == length ? end : (aq_signal){0}, &id, diag);
    if (status == AQ_OK)
      status = ops->sleep_until(stage->t,
                                begin + (aq_time)done * device->graph_per_node,
                                false, diag);
    if (status == AQ_OK)
      ops->queue_doorbell(stage->t, stage->rings[0], id);
  }
  return status;
}

static uint32_t execute_flags(aq_chain_strategy strategy)
{
  return strategy == AQ_CHAIN_PM4      ? AQ_EXECUTE_PM4
         : strategy == AQ_CHAIN_DEVICE ? AQ_EXECUTE_ON_DEVICE
                                       : 0;
}

bool aq_chain_is_command_buffer(aq_chain_strategy strategy)
{
  return strategy != AQ_CHAIN_SIGNALS && strategy != AQ_CHAIN_GRAPH;
}

aq_status aq_chain_submit(aq_chain_stage *stage, aq_chain_strategy strategy,
                          aq_diag *diag)
{
  if (strategy == AQ_CHAIN_SIGNALS)
    return signals_submit(stage, diag);
  if (strategy == AQ_CHAIN_GRAPH)
    return graph_submit(stage, diag);
  return aq_queue_execute(
      stage->queue, NULL,
      &(aq_execution){.link = stage->link, .flags = execute_flags(strategy)},
      diag);
}

aq_status aq_chain_finish(aq_chain_stage *stage, aq_chain_strategy strategy,
                          aq_diag *diag)
{
  if (aq_chain_is_command_buffer(strategy))
    return aq_queue_wait_idle(stage->queue, AQ_TIME_MAX, diag);
  const aq_wait_item item = {stage->signals[stage->chain->length - 1], AQ_EQ,
                             0};
  const aq_wait_request request = {.items = &item,
                                   .count = 1,
                                   .hint = AQ_WAIT_ACTIVE,
                                   .deadline = AQ_TIME_MAX};
  return stage->t->ops->wait(stage->t, &request, NULL, diag);
}

aq_time aq_chain_host_model(const aq_chain_stage *stage,
                            aq_chain_strategy strategy)
{
  if (strategy != AQ_CHAIN_GRAPH)
    return AQ_TIME_NONE;
  return stage->device.graph_launch +
         (aq_time)stage->chain->length * stage->device.graph_per_node;
}
