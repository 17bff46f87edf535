/* SPDX-License-Identifier: MIT */
/* Timelines of the life cycle, to the picosecond, with the constants of the
 * mi300x model (lifecycle.def). */
#include "backend_sim/rig.h"

#include "backend_sim/sim.h"

enum {
  DECODE = 1470000,    /* doorbell_to_fetch + packet_fetch + packet_decode */
  NEXT_DECODE = 70000, /* of the next packet in the batch */
  BATCH = 4,
  SETUP = 3200000,   /* acquire_agent + dispatch_setup */
  LATENCY = 4670000, /* DECODE + SETUP */
  REMAP = 4800000,
  FINISH = 400000, /* release_agent + signal_write */
  FLOOR = 3600000, /* FINISH + SETUP */
  GLUE = 2530000,
  UNMAP = 105000000,
  BARRIER = 1000000, /* barrier_process */
  POLL = 500000,     /* dependency_poll */
  WRITE = 100000,    /* signal_write */
};

/* A rig with one queue that is mapped and idle at the returned time. */
static aq_time warm_open(rig *r, aq_ring **queue, uint64_t *object,
                         aq_time duration)
{
  rig_open(r, &aqsim_transport_ops, NULL);
  *queue = rig_queue(r, 64);
  *object = rig_kernel(r, "k", duration);
  aq_packet packet = rig_dispatch(*object, true, rig_none);
  rig_submit(r, *queue, &packet);
  rig_run(r);
  return r->t->ops->now(r->t);
}

START_TEST(a_fresh_queue_is_unmapped_and_pays_the_remap)
{
  rig r;
  aq_ring *queue;
  uint64_t object;
  warm_open(&r, &queue, &object, 10 * AQ_US);
  const aq_record *row = rig_record(&r, queue, 0);
  ck_assert_time_eq(row->submit, 0);
  ck_assert_time_eq(row->fetch, REMAP + DECODE);
  ck_assert_time_eq(row->launch, REMAP + DECODE);
  ck_assert_time_eq(row->start, REMAP + LATENCY);
  ck_assert_time_eq(row->end, row->start + 10 * AQ_US);
  ck_assert_time_eq(row->complete, row->end + FINISH);
  ck_assert_time_eq(row->observe, AQ_NONE);
  rig_close(&r);
}
END_TEST

START_TEST(an_idle_mapped_queue_starts_4_67_us_after_the_doorbell)
{
  rig r;
  aq_ring *queue;
  uint64_t object;
  aq_time begin = warm_open(&r, &queue, &object, 10 * AQ_US) + 50 * AQ_US;
  rig_sleep(&r, begin);
  aq_packet packet = rig_dispatch(object, true, rig_none);
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  const aq_record *row = rig_record(&r, queue, 1);
  ck_assert_time_eq(row->submit, begin);
  ck_assert_time_eq(row->fetch, begin + DECODE);
  ck_assert_time_eq(row->start, begin + LATENCY);
  ck_assert_time_eq(row->end, begin + LATENCY + 10 * AQ_US);
  ck_assert_int_eq(row->flags, 0);
  rig_close(&r);
}
END_TEST

START_TEST(queued_kernels_complete_3_60_us_apart_and_are_glued)
{
  rig r;
  aq_ring *queue;
  uint64_t object;
  aq_time begin = warm_open(&r, &queue, &object, 2 * AQ_US);
  for (int i = 0; i < 3; i++) {
    aq_packet packet = rig_dispatch(object, true, rig_none);
    rig_put(queue, &packet);
  }
  rig_ring(&r, queue, 3);
  rig_run(&r);
  const aq_record *a = rig_record(&r, queue, 1), *b = rig_record(&r, queue, 2),
                  *c = rig_record(&r, queue, 3);
  ck_assert_time_eq(a->start, begin + LATENCY);
  ck_assert_time_eq(b->fetch, begin + DECODE + NEXT_DECODE);
  ck_assert_time_eq(b->launch, a->complete);
  ck_assert_time_eq(b->start, a->end);
  ck_assert_time_eq(b->end, a->end + FLOOR + 2 * AQ_US);
  ck_assert_time_eq(b->complete - a->complete, FLOOR + 2 * AQ_US);
  ck_assert_time_eq(c->start, b->end);
  ck_assert_int_eq(a->flags, 0);
  ck_assert_int_eq(b->flags, AQ_FLAG_GLUED);
  ck_assert_int_eq(c->flags, AQ_FLAG_GLUED);
  rig_close(&r);
}
END_TEST

AQ_TEST_MAIN("backend_sim/lifecycle",
             a_fresh_queue_is_unmapped_and_pays_the_remap,
             an_idle_mapped_queue_starts_4_67_us_after_the_doorbell,
             queued_kernels_complete_3_60_us_apart_and_are_glued)
