/* SPDX-License-Identifier: MIT */
/*
 * What policies do to a device: kernels, queues, slots and engines, which lie
 * above this room or beside it. devices.c fills the table.
 */
#ifndef AQSIM_DEVICE_OPS_H
#define AQSIM_DEVICE_OPS_H

#include "backend_sim/queue_state.h"

typedef struct aqsim_device_ops {
  /* Kernels under dispatch: packet/kernel_dispatch.h. */
  void (*hold)(aqsim_inflight *inflight);
  void (*release)(aqsim_inflight *inflight);
  void (*drop)(aqsim_inflight *inflight);
  void (*rescan)(aqsim_device *device);

  /* Packets in flight: their event, a kernel's end that moved to flight->end,
   * a kernel that starts over now, a packet in flight that has ended. */
  void (*sleep_end)(aqsim_inflight *inflight);
  void (*end_move)(aqsim_inflight *inflight);
  void (*restart)(aqsim_inflight *inflight);
  void (*free)(aqsim_inflight *inflight);

  /* Queues: packets are launched, handed back, or passed over. */
  void (*pump)(aqsim_queue *queue);
  void (*retire)(aqsim_queue *queue, uint64_t id);
  void (*pass_evicted)(aqsim_queue *queue);

  /* Slots: hwqueue/slots.h. */
  void (*rank_set)(aqsim_queue *queue, aqsim_rank rank);
  bool (*preempt)(aqsim_queue *queue, aqsim_preempt_mode mode);
  void (*slot_want)(aqsim_queue *queue);
  void (*slot_decline)(aqsim_queue *queue);
  void (*slot_progress)(aqsim_queue *queue);
  void (*slots_review)(aqsim_device *device);
  void (*slots_map)(aqsim_device *device);

  /* Pipes and copy engines that a policy had nothing for ask it again. */
  void (*unit_ask)(aqsim_unit *unit);
  void (*copies_ask)(aqsim_device *device);
} aqsim_device_ops;

#endif
