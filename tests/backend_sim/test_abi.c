/* SPDX-License-Identifier: MIT */
/* Queues of the simulator as clients find them in memory. */
#include "backend_sim/rig.h"

#include <string.h>

#include "backend_sim/sim.h"

/* The amd_queue_t that a ring's write index lies in. */
static const aq_amd_queue *queue_memory(const aq_ring *ring)
{
  return (const aq_amd_queue *)(const void *)((const char *)ring->write_index -
                                              offsetof(aq_amd_queue,
                                                       write_dispatch_id));
}

START_TEST(a_queue_begins_with_hsa_queue_in_a_real_amd_queue)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *ring = rig_queue(&r, 128);
  const aq_amd_queue *queue = queue_memory(ring);
  ck_assert_ptr_eq(queue->hsa.base, ring->packets);
  ck_assert_uint_eq(queue->hsa.size, 128);
  ck_assert_uint_eq(queue->hsa.id, ring->id);
  ck_assert_uint_eq(queue->hsa.type, AQ_QUEUE_MULTI);
  ck_assert_uint_eq(queue->hsa.features, 1);
  ck_assert_uint_eq(queue->read_dispatch_id_offset, 128);
  ck_assert_ptr_eq((const char *)queue + queue->read_dispatch_id_offset,
                   (const char *)ring->read_index);
  rig_close(&r);
}
END_TEST

START_TEST(the_doorbell_signal_points_to_the_raw_cell)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *ring = rig_queue(&r, 64);
  const aq_amd_queue *queue = queue_memory(ring);
  const aq_amd_signal *doorbell =
      (const aq_amd_signal *)(uintptr_t)queue->hsa.doorbell.handle;
  ck_assert_int_eq(doorbell->kind, AQ_AMD_SIGNAL_DOORBELL);
  ck_assert_ptr_eq((void *)(uintptr_t)doorbell->value, ring->doorbell);
  ck_assert_ptr_eq((void *)(uintptr_t)doorbell->queue, queue);
  rig_close(&r);
}
END_TEST

AQ_TEST_MAIN("backend_sim/abi",
             a_queue_begins_with_hsa_queue_in_a_real_amd_queue,
             the_doorbell_signal_points_to_the_raw_cell)
