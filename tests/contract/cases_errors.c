/* SPDX-License-Identifier: MIT */
#include "contract/contract.h"

#include <string.h>

/* Bits of the inactive signal that ROCr gives. */
enum {
  BAD_DIMENSIONS = 2,
  BAD_GROUP_SEGMENT = 4,
  BAD_KERNEL_OBJECT = 8,
  BAD_FORMAT = 32,
  BAD_WORKGROUP = 64,
  BAD_VENDOR = 256,
};

/* Submits a good packet, `bad`, and a good one: the first is complete, `bad`
 * is reported once with `reason`, and the queue takes no more. */
static void stops_at(contract *c, const aq_packet *bad, uint32_t reason)
{
  uint64_t kernel = contract_kernel(c, AQ_US);
  aq_ring *queue = contract_queue_sized(c, 64);
  c->ran_count = c->error_count = 0;
  aq_signal before = contract_signal(c, 1), after = contract_signal(c, 1);
  aq_packet good = contract_dispatch(kernel, 1, false, before);
  contract_submit(c, queue, &good);
  contract_wait_zero(c, before);
  uint64_t id = contract_submit(c, queue, bad);
  good = contract_dispatch(kernel, 2, false, after);
  contract_submit(c, queue, &good);
  contract_settle(c);
  contract_check_ran(c, "1");
  ck_assert_int_eq(contract_value(c, after), 1);
  ck_assert_uint_eq(c->error_count, 1);
  ck_assert_uint_eq(c->errors[0].queue, queue->id);
  ck_assert_uint_eq(c->errors[0].packet_id, id);
  ck_assert_uint_eq(c->errors[0].reason, reason);
  ck_assert_uint_eq(c->errors[0].packet.header, bad->header);
  ck_assert_str_ne(c->errors[0].text, "");
  c->ops->queue_destroy(c->t, queue);
}

static void unknown_types_stop(contract *c)
{
  static const unsigned types[] = {6, 7, 42, 128, 255};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    aq_packet bad = {.header = (uint16_t)types[i]};
    stops_at(c, &bad, BAD_FORMAT);
  }
}

static void unknown_vendor_formats_stop(contract *c)
{
  static const uint8_t formats[] = {3, 77, 255};
  for (size_t i = 0; i < sizeof formats; i++) {
    aq_packet bad = {
        .barrier_value = {.header = AQ_PACKET_VENDOR, .format = formats[i]}};
    stops_at(c, &bad, BAD_VENDOR);
  }
}

static void vendor_packets_match_caps(contract *c)
{
  aq_packet bad = {.barrier_value = {.header = AQ_PACKET_VENDOR,
                                     .format = AQ_AMD_FORMAT_BARRIER_VALUE}};
  if (!contract_can(c, AQ_CAP_BARRIER_VALUE))
    stops_at(c, &bad, BAD_VENDOR);
  bad.barrier_value.format = AQ_AMD_FORMAT_PM4_IB;
  if (!contract_can(c, AQ_CAP_PM4))
    stops_at(c, &bad, BAD_VENDOR);
}

static void agent_dispatch_on_a_gpu_queue(contract *c)
{
  aq_packet bad = {.agent = {.header = AQ_PACKET_AGENT_DISPATCH, .type = 1}};
  stops_at(c, &bad, BAD_FORMAT);
}

static void bad_dimensions_stop(contract *c)
{
  static const uint16_t dimensions[] = {0, 4, 0xffff};
  for (int i = 0; i < 3; i++) {
    aq_packet bad =
        contract_dispatch(contract_kernel(c, 0), 9, false, rig_none);
    bad.setup = dimensions[i];
    stops_at(c, &bad, BAD_DIMENSIONS);
  }
}

static void unknown_kernel_objects_stop(contract *c)
{
  uint64_t kernel = contract_kernel(c, 0);
  const uint64_t objects[] = {0, 1, kernel + 1, UINT64_MAX};
  for (int i = 0; i < 4; i++) {
    aq_packet bad = contract_dispatch(objects[i], 9, false, rig_none);
    stops_at(c, &bad, BAD_KERNEL_OBJECT);
  }
}

static void large_group_segments_stop(contract *c)
{
  aq_packet bad = contract_dispatch(contract_kernel(c, 0), 9, false, rig_none);
  bad.kernel.group_segment_size = UINT32_MAX;
  stops_at(c, &bad, BAD_GROUP_SEGMENT);
}

static void large_workgroups_stop(contract *c)
{
  static const uint16_t sizes[][3] = {{2048, 1, 1}, {64, 64, 1}, {32, 32, 2}};
  for (int i = 0; i < 3; i++) {
    aq_packet bad =
        contract_dispatch(contract_kernel(c, 0), 9, false, rig_none);
    bad.setup = 3;
    memcpy(bad.kernel.workgroup_size, sizes[i], sizeof sizes[i]);
    stops_at(c, &bad, BAD_WORKGROUP);
  }
}

static void callback_comes_once(contract *c)
{
  aq_ring *queue = contract_queue_sized(c, 64);
  aq_packet bad = {.header = 99};
  for (int i = 0; i < 5; i++)
    contract_submit(c, queue, &bad);
  contract_settle(c);
  contract_submit(c, queue, &bad);
  contract_settle(c);
  ck_assert_uint_eq(c->error_count, 1);
  ck_assert_uint_eq(c->errors[0].packet_id, 0);
}

static void null_callback_is_fine(contract *c)
{
  aq_queue_desc desc = {.size = c->size};
  aq_ring *queue;
  ck_assert_status(c->ops->queue_create(c->t, &desc, &queue, &c->rig.diag),
                   AQ_OK, &c->rig.diag);
  aq_packet bad = {.header = 99};
  contract_submit(c, queue, &bad);
  contract_settle(c);
}

static void after_an_error_only_the_end(contract *c)
{
  aq_ring *queue = contract_queue(c);
  aq_packet bad = {.header = 99};
  contract_submit(c, queue, &bad);
  contract_settle(c);
  uint64_t id;
  while (aq_ring_try_reserve(queue, 1, &id))
    ;
  ck_assert_status(
      c->ops->queue_wait_space(c->t, queue, 1, AQ_TIME_MAX, &c->rig.diag),
      AQ_ERR_QUEUE, &c->rig.diag);
  ck_assert_status(c->ops->queue_control(c->t, queue, AQ_CONTROL_INACTIVATE,
                                         NULL, &c->rig.diag),
                   AQ_OK, &c->rig.diag);
  c->ops->queue_destroy(c->t, queue);
}

static void others_go_on(contract *c)
{
  uint64_t kernel = contract_kernel(c, AQ_US);
  aq_ring *bad_queue = contract_queue(c), *queue = contract_queue(c);
  aq_signal done = contract_signal(c, 1);
  aq_packet bad = {.header = 99};
  aq_packet good = contract_dispatch(kernel, 1, false, done);
  contract_submit(c, bad_queue, &bad);
  contract_submit(c, queue, &good);
  contract_wait_zero(c, done);
  contract_settle(c); /* the callback may come later than the completion */
  ck_assert_uint_eq(c->error_count, 1);
}

/* The first packet that fails is late: what launched before it completes. */
static void packets_under_way_complete(contract *c)
{
  uint64_t kernel = contract_kernel(c, 200 * AQ_US);
  aq_ring *queue = contract_queue_sized(c, 64);
  aq_signal done = contract_signal(c, 1);
  aq_packet good = contract_dispatch(kernel, 1, false, done);
  aq_packet bad = {.header = 99};
  contract_put(queue, &good);
  contract_ring(c, queue, contract_put(queue, &bad));
  contract_settle(c);
  ck_assert_int_eq(contract_value(c, done), 0);
  contract_check_ran(c, "1");
  ck_assert_uint_eq(c->error_count, 1);
  ck_assert_uint_eq(c->errors[0].packet_id, 1);
}

static void failed_packets_complete_nothing(contract *c)
{
  aq_ring *queue = contract_queue(c);
  aq_signal done = contract_signal(c, 1);
  aq_packet bad = contract_dispatch(0, 1, false, done);
  contract_submit(c, queue, &bad);
  contract_settle(c);
  ck_assert_uint_eq(c->error_count, 1);
  ck_assert_int_eq(contract_value(c, done), 1);
}

const contract_case contract_errors[] = {
    {"a packet type outside 0 to 5 stops the queue", "8", AQ_CAP_HOST_KERNELS,
     unknown_types_stop},
    {"an unknown vendor format stops the queue", "8", AQ_CAP_HOST_KERNELS,
     unknown_vendor_formats_stop},
    {"vendor packets that it does not claim stop the queue", "8",
     AQ_CAP_HOST_KERNELS, vendor_packets_match_caps},
    {"agent dispatch on a kernel-dispatch queue is an error", "81",
     AQ_CAP_HOST_KERNELS, agent_dispatch_on_a_gpu_queue},
    {"dimensions outside 1 to 3 are reported with bit 2", "60, 66",
     AQ_CAP_HOST_KERNELS, bad_dimensions_stop},
    {"a group segment that is too large is reported with bit 4", "61, 66",
     AQ_CAP_HOST_KERNELS | AQ_CAP_TIMING, large_group_segments_stop},
    {"a kernel object that is none is reported with bit 8", "62, 66",
     AQ_CAP_HOST_KERNELS, unknown_kernel_objects_stop},
    {"a workgroup that is too large is reported with bit 64", "63, 66",
     AQ_CAP_HOST_KERNELS | AQ_CAP_TIMING, large_workgroups_stop},
    {"the callback comes once a queue", "67", 0, callback_comes_once},
    {"a queue without a callback fails quietly", NULL, 0,
     null_callback_is_fine},
    {"after an error a queue can be inactivated and destroyed, no more", "25",
     0, after_an_error_only_the_end},
    {"an error stops one queue only", "67", AQ_CAP_HOST_KERNELS, others_go_on},
    {"packets that launched before the bad one complete", "67",
     AQ_CAP_HOST_KERNELS, packets_under_way_complete},
    {"a packet in error does not complete its signal", NULL,
     AQ_CAP_HOST_KERNELS, failed_packets_complete_nothing},
    {NULL}};
