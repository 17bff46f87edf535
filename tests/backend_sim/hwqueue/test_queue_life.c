/* SPDX-License-Identifier: MIT */
/* Kinds of queues, and their settings. */
#include "backend_sim/rig.h"

#include <string.h>

#include "backend_sim/sim.h"

static aq_status create(rig *r, const aq_queue_desc *desc, aq_ring **out)
{
  return r->t->ops->queue_create(r->t, desc, out, &r->diag);
}

static aq_status control(rig *r, aq_ring *queue, aq_queue_control what,
                         aq_queue_control_args args)
{
  return r->t->ops->queue_control(r->t, queue, what, &args, &r->diag);
}

/* Conformance 13. */
START_TEST(a_ring_that_is_too_small_is_refused_or_raised)
{
  for (int i = 0; i < 2; i++) {
    rig r;
    rig_open_with(&r, &aqsim_transport_ops,
                  &(aq_transport_options){.semantics = (aq_semantics)i});
    aq_ring *queue = NULL;
    ck_assert_status(create(&r, &(aq_queue_desc){.size = 16}, &queue),
                     i ? AQ_OK : AQ_ERR_INVALID, &r.diag);
    if (i)
      ck_assert_uint_eq(queue->size, 64);
    rig_close(&r);
  }
}
END_TEST

/* Conformance 17, 20, 21. */
START_TEST(what_an_agent_does_not_offer_is_refused)
{
  static const char *const single[] = {"multi_producer_queues=no", NULL};
  static const struct {
    aq_queue_desc desc;
    aq_status status;
  } cases[] = {
      {{.size = 64, .type = AQ_QUEUE_MULTI}, AQ_ERR_UNSUPPORTED},
      {{.size = 64, .type = AQ_QUEUE_COOPERATIVE}, AQ_ERR_UNSUPPORTED},
      {{.size = 64, .type = AQ_QUEUE_SINGLE}, AQ_OK},
      {{.size = 64, .device = AQ_DEVICE_HOST}, AQ_ERR_UNSUPPORTED},
      {{.size = 64, .type = AQ_QUEUE_SOFT}, AQ_ERR_INVALID},
      {{.size = 64, .type = AQ_QUEUE_SINGLE, .private_segment_hint = 262129},
       AQ_ERR_RESOURCES},
      {{.size = 64, .type = AQ_QUEUE_SINGLE, .private_segment_hint = 262128},
       AQ_OK},
      {{.size = 64,
        .type = AQ_QUEUE_SINGLE,
        .private_segment_hint = AQ_SEGMENT_NO_HINT,
        .group_segment_hint = AQ_SEGMENT_NO_HINT},
       AQ_OK},
  };
  rig r;
  rig_open(&r, &aqsim_transport_ops, single);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    aq_ring *queue;
    ck_assert_status(create(&r, &cases[i].desc, &queue), cases[i].status,
                     &r.diag);
  }
  rig_close(&r);
}
END_TEST

/* Conformance 18. */
START_TEST(the_cooperative_queue_is_one_and_counts_references)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_queue_desc desc = {.size = 64, .type = AQ_QUEUE_COOPERATIVE};
  aq_ring *a, *b, *c;
  ck_assert_status(create(&r, &desc, &a), AQ_OK, &r.diag);
  ck_assert_status(create(&r, &desc, &b), AQ_OK, &r.diag);
  ck_assert_ptr_eq(a, b);
  r.t->ops->queue_destroy(r.t, a);
  aq_signal done = rig_signal(&r, 1, 0);
  aq_packet packet = rig_dispatch(rig_kernel(&r, "k", AQ_US), true, done);
  rig_submit(&r, b, &packet);
  rig_run(&r);
  ck_assert_int_eq(rig_load(&r, done), 0);
  uint32_t id = b->id;
  r.t->ops->queue_destroy(r.t, b);
  ck_assert_status(create(&r, &desc, &c), AQ_OK, &r.diag);
  ck_assert_uint_ne(c->id, id);
  ck_assert_status(create(&r, &desc, &b), AQ_OK, &r.diag);
  rig_close(&r); /* with two references */
}
END_TEST

/* Conformance 26, 16: the application is the consumer. */
START_TEST(a_soft_queue_is_served_by_the_application)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_signal bell = rig_signal(&r, -1, 0);
  aq_queue_desc desc = {.size = 64, .type = AQ_QUEUE_SOFT, .doorbell = bell};
  aq_ring *queue, *other = rig_queue(&r, 64);
  ck_assert_status(create(&r, &desc, &queue), AQ_OK, &r.diag);
  ck_assert_uint_ne(queue->id, other->id);
  aq_packet packet = rig_dispatch(1, true, rig_none);
  uint64_t first;
  rig_submit(&r, queue, &packet);
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  ck_assert_int_eq(rig_load(&r, bell), 1);
  ck_assert_uint_eq(aq_ring_read_index(queue), 0);
  ck_assert_uint_eq(queue->packets[1].header, packet.header);
  ck_assert_uint_eq(r.sink.count, 0);
  ck_assert(aq_ring_try_reserve(queue, 62, &first));
  ck_assert_status(
      r.t->ops->queue_wait_space(r.t, queue, 1, AQ_TIME_MAX, &r.diag),
      AQ_ERR_DEADLOCK, &r.diag);
  __atomic_store_n(queue->read_index, 2, __ATOMIC_RELEASE);
  ck_assert_status(
      r.t->ops->queue_wait_space(r.t, queue, 2, AQ_TIME_MAX, &r.diag), AQ_OK,
      &r.diag);
  r.t->ops->queue_destroy(r.t, queue);
  rig_close(&r);
}
END_TEST

/* Conformance 25, 67. */
START_TEST(after_an_error_a_queue_can_only_be_inactivated)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = rig_queue(&r, 64);
  aq_packet packet = rig_dispatch(0, true, rig_none);
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  ck_assert_status(
      control(&r, queue, AQ_CONTROL_PRIORITY, (aq_queue_control_args){0}),
      AQ_ERR_QUEUE, &r.diag);
  ck_assert_status(
      control(&r, queue, AQ_CONTROL_INACTIVATE, (aq_queue_control_args){0}),
      AQ_OK, &r.diag);
  rig_close(&r);
}
END_TEST

static aq_time empty_grid_time(rig *r, aq_ring *queue, uint64_t object)
{
  aq_packet packet = rig_dispatch(object, true, rig_none);
  packet.kernel.workgroup_size[0] = 64;
  packet.kernel.grid_size[0] = 64 * 100000;
  uint64_t id = rig_submit(r, queue, &packet);
  rig_run(r);
  const aq_record *row = rig_record(r, queue, id);
  return row->end - row->start;
}

/* Conformance 77. */
START_TEST(a_cu_mask_slows_the_dispatcher_and_is_clipped)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = rig_queue(&r, 64);
  uint64_t object = rig_kernel(&r, "k", 0);
  uint32_t mask[10], beyond[11] = {0};
  memset(mask, 0, sizeof mask);
  mask[0] = mask[1] = mask[2] = mask[3] = 0xffffffff; /* 128 + 24 of 304 */
  mask[4] = 0x00ffffff;
  beyond[0] = beyond[10] = 3;
  aq_time all = empty_grid_time(&r, queue, object);
  ck_assert_status(control(&r, queue, AQ_CONTROL_CU_MASK,
                           (aq_queue_control_args){.count = 320, .mask = mask}),
                   AQ_OK, &r.diag);
  ck_assert_time_eq(empty_grid_time(&r, queue, object), 2 * all);
  ck_assert_status(
      control(&r, queue, AQ_CONTROL_CU_MASK,
              (aq_queue_control_args){.count = 352, .mask = beyond}),
      AQ_REDUCED, &r.diag);
  ck_assert_time_eq(empty_grid_time(&r, queue, object), 152 * all);
  static const aq_queue_control_args bad[] = {{.count = 31}, {.count = 32}};
  for (int i = 0; i < 2; i++)
    ck_assert_status(control(&r, queue, AQ_CONTROL_CU_MASK, bad[i]),
                     AQ_ERR_INVALID, &r.diag);
  mask[0] = 0;
  ck_assert_status(control(&r, queue, AQ_CONTROL_CU_MASK,
                           (aq_queue_control_args){.count = 32, .mask = mask}),
                   AQ_ERR_INVALID, &r.diag);
  ck_assert_status(control(&r, queue, AQ_CONTROL_CU_MASK,
                           (aq_queue_control_args){.count = 0}),
                   AQ_OK, &r.diag);
  ck_assert_time_eq(empty_grid_time(&r, queue, object), all);
  rig_close(&r);
}
END_TEST

START_TEST(from_gfx10_on_a_cu_mask_comes_in_pairs)
{
  static const char *const edits[] = {"gfx=gfx1100", NULL};
  rig r;
  rig_open(&r, &aqsim_transport_ops, edits);
  aq_ring *queue = rig_queue(&r, 64);
  const uint32_t odd = 0x7, even = 0xc3;
  ck_assert_status(control(&r, queue, AQ_CONTROL_CU_MASK,
                           (aq_queue_control_args){.count = 32, .mask = &odd}),
                   AQ_ERR_INVALID, &r.diag);
  ck_assert_status(control(&r, queue, AQ_CONTROL_CU_MASK,
                           (aq_queue_control_args){.count = 32, .mask = &even}),
                   AQ_OK, &r.diag);
  rig_close(&r);
}
END_TEST

/* Conformance 78: at the same instant, the higher priority goes first. */
START_TEST(priority_decides_who_is_first_at_the_same_time)
{
  for (int32_t first = -1; first <= 1; first++) {
    rig r;
    rig_open(&r, &aqsim_transport_ops, NULL);
    aq_ring *a = rig_queue(&r, 64), *b = rig_queue(&r, 64);
    ck_assert_status(control(&r, a, AQ_CONTROL_PRIORITY,
                             (aq_queue_control_args){.value = first}),
                     AQ_OK, &r.diag);
    aq_packet packet = rig_dispatch(rig_kernel(&r, "k", AQ_US), true, rig_none);
    rig_submit(&r, a, &packet);
    rig_submit(&r, b, &packet);
    rig_run(&r);
    uint64_t expected = first < 0 ? b->id : a->id;
    ck_assert_uint_eq(r.sink.queues[r.sink.rows[0].queue].source_id, expected);
    ck_assert_time_eq(r.sink.rows[0].complete, r.sink.rows[1].complete);
    ck_assert_status(control(&r, a, AQ_CONTROL_PRIORITY,
                             (aq_queue_control_args){.value = 2}),
                     AQ_ERR_INVALID, &r.diag);
    rig_close(&r);
  }
}
END_TEST

/* Conformance 76. */
START_TEST(timestamps_are_kept_only_when_profiling_is_on)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = rig_queue(&r, 64);
  aq_signal off = rig_signal(&r, 1, 0), on = rig_signal(&r, 1, 0);
  uint64_t object = rig_kernel(&r, "k", 10 * AQ_US);
  aq_time start = -1, end = -1;
  aq_packet packet = rig_dispatch(object, true, off);
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  ck_assert_int_eq(r.t->ops->dispatch_times(r.t, off, &start, &end),
                   AQ_ERR_INVALID);
  ck_assert_status(control(&r, queue, AQ_CONTROL_PROFILE,
                           (aq_queue_control_args){.value = 1}),
                   AQ_OK, &r.diag);
  packet = rig_dispatch(object, true, on);
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  ck_assert_int_eq(r.t->ops->dispatch_times(r.t, on, &start, &end), AQ_OK);
  const aq_record *row = rig_record(&r, queue, 1);
  ck_assert_int_le(row->start - start, 40 * AQ_NS);
  ck_assert_int_le(row->end - end, 40 * AQ_NS);
  ck_assert_int_gt(end, start);
  /* Raw ticks of 100 MHz lie in the signal. */
  const aq_amd_signal *abi = (const aq_amd_signal *)(uintptr_t)on.handle;
  ck_assert_time_eq((aq_time)abi->start_ts * 10 * AQ_NS, start);
  rig_close(&r);
}
END_TEST

AQ_TEST_MAIN("backend_sim/hwqueue/queue_life",
             a_ring_that_is_too_small_is_refused_or_raised,
             what_an_agent_does_not_offer_is_refused,
             the_cooperative_queue_is_one_and_counts_references,
             a_soft_queue_is_served_by_the_application,
             after_an_error_a_queue_can_only_be_inactivated,
             a_cu_mask_slows_the_dispatcher_and_is_clipped,
             from_gfx10_on_a_cu_mask_comes_in_pairs,
             priority_decides_who_is_first_at_the_same_time,
             timestamps_are_kept_only_when_profiling_is_on)
