/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"
#include "support/fake_transport.h"

#include "study/loop/inflight_jobs.h"

static aq_diag diag = AQ_DIAG_INIT;

static aq_transport *open_fake(void)
{
  aq_transport *t;
  aq_transport_options options = {.size = sizeof options};
  fake_reset();
  fake_transport.open(&options, &t, &diag);
  return t;
}

static uint32_t take(aq_inflight_jobs *jobs, uint64_t id)
{
  uint32_t index;
  ck_assert_status(aq_inflight_jobs_add(jobs, id, 0, &index, &diag), AQ_OK,
                   &diag);
  return index;
}

START_TEST(signals_are_recycled_so_that_memory_is_bounded)
{
  aq_transport *t = open_fake();
  aq_inflight_jobs jobs;
  aq_inflight_jobs_init(&jobs, t);
  for (uint64_t id = 0; id < 100000; id++) {
    uint32_t index = take(&jobs, id);
    ck_assert_int_eq(
        fake_transport.signal_load(t, jobs.jobs[index].signal, AQ_ACQUIRE), 1);
    if (id >= 10)
      aq_inflight_jobs_complete(&jobs, aq_inflight_jobs_find(&jobs, id - 10));
  }
  ck_assert_uint_le(jobs.count, 11);
  ck_assert_uint_le(jobs.order_capacity, 256);
  aq_inflight_jobs_fini(&jobs);
  fake_transport.close(t);
}
END_TEST

START_TEST(one_job_that_never_ends_does_not_make_the_list_grow)
{
  aq_transport *t = open_fake();
  aq_inflight_jobs jobs;
  aq_inflight_jobs_init(&jobs, t);
  uint32_t stuck = take(&jobs, 5);
  for (uint64_t id = 6; id < 100000; id++)
    aq_inflight_jobs_complete(&jobs, take(&jobs, id));
  ck_assert_uint_eq(aq_inflight_jobs_find(&jobs, 5), stuck);
  ck_assert_uint_le(jobs.order_capacity, 256);
  aq_inflight_jobs_fini(&jobs);
  fake_transport.close(t);
}
END_TEST

START_TEST(a_signal_is_not_armed_again_while_others_wait_for_it)
{
  aq_transport *t = open_fake();
  aq_inflight_jobs jobs;
  aq_inflight_jobs_init(&jobs, t);
  uint32_t first = take(&jobs, 1), second = take(&jobs, 2);
  aq_inflight_jobs_depend(&jobs, second, first);
  aq_inflight_jobs_complete(&jobs, first);
  ck_assert_uint_eq(aq_inflight_jobs_find(&jobs, 1), AQ_JOB_NO_INDEX);
  uint32_t third = take(&jobs, 3);
  ck_assert_uint_ne(third, first);
  aq_inflight_jobs_complete(&jobs, second);
  uint32_t fourth = take(&jobs, 4), fifth = take(&jobs, 5);
  ck_assert(fourth == first || fifth == first);
  ck_assert_uint_eq(jobs.live, 3);
  ck_assert_uint_eq(aq_inflight_jobs_find(&jobs, 99), AQ_JOB_NO_INDEX);
  aq_inflight_jobs_fini(&jobs);
  fake_transport.close(t);
}
END_TEST

AQ_TEST_MAIN("study/loop/jobs", signals_are_recycled_so_that_memory_is_bounded,
             one_job_that_never_ends_does_not_make_the_list_grow,
             a_signal_is_not_armed_again_while_others_wait_for_it)
