/* SPDX-License-Identifier: MIT */
#include "backend_sim/rig.h"

#include <stdio.h>
#include <string.h>

#include "transport/null/null.h"

static int calls;

static void count_call(const aq_kernel_call *call)
{
  (void)call;
  calls++;
}

START_TEST(a_packet_is_complete_when_its_doorbell_returns)
{
  rig r;
  rig_open(&r, &aqsim_null_transport_ops, NULL);
  aq_ring *queue = rig_queue(&r, 4);
  aq_signal done = rig_signal(&r, 20, AQ_SIGNAL_DRAIN);
  aq_kernel_desc desc = {.name = "k", .function = count_call};
  aq_packet packet = rig_dispatch(rig_kernel_with(&r, &desc), true, done);
  aq_completion out[32];
  calls = 0;
  for (int i = 0; i < 10; i++)
    rig_submit(&r, queue, &packet);
  ck_assert_int_eq(calls, 10);
  ck_assert_int_eq(rig_load(&r, done), 10);
  ck_assert_uint_eq(aq_ring_read_index(queue), 10);
  ck_assert_uint_eq(r.t->ops->drain(r.t, out, 32), 10);
  ck_assert_uint_eq(r.sink.count, 0);
  rig_close(&r);
}
END_TEST

START_TEST(dependencies_hold_a_queue_back_until_their_signals_are_zero)
{
  rig r;
  rig_open(&r, &aqsim_null_transport_ops, NULL);
  aq_ring *a = rig_queue(&r, 4), *b = rig_queue(&r, 4);
  uint64_t object = rig_kernel(&r, "k", 0);
  aq_signal edge = rig_signal(&r, 1, 0), gate = rig_signal(&r, 1, 0),
            done = rig_signal(&r, 1, 0);
  char from = 7, to = 0;
  aq_packet wait_gate = rig_barrier(AQ_PACKET_BARRIER_OR, &gate, 1, rig_none);
  aq_packet wait_edge = rig_barrier(AQ_PACKET_BARRIER_AND, &edge, 1, rig_none);
  aq_packet tell = rig_dispatch(object, true, edge);
  aq_packet last = rig_dispatch(object, true, done);
  rig_submit(&r, b, &wait_edge);
  rig_submit(&r, b, &last);
  rig_submit(&r, a, &wait_gate);
  rig_submit(&r, a, &tell);
  ck_assert_status(
      r.t->ops->copy_async(r.t, 0, &to, &from, 1, &done, 1, rig_none, &r.diag),
      AQ_OK, &r.diag);
  aq_wait_item item = {done, AQ_EQ, 0};
  ck_assert_status(rig_wait(&r, &item, 1, AQ_WAIT_ALL, AQ_TIME_MAX),
                   AQ_ERR_DEADLOCK, &r.diag);
  ck_assert_status(rig_wait(&r, &item, 1, AQ_WAIT_ALL, AQ_US), AQ_ERR_TIMEOUT,
                   &r.diag);
  ck_assert_time_eq(r.t->ops->now(r.t), AQ_US);
  r.t->ops->signal_store(r.t, gate, 0, AQ_RELEASE);
  ck_assert_int_eq(rig_load(&r, done), 0);
  ck_assert_int_eq(to, 7);
  ck_assert_status(rig_wait(&r, &item, 1, AQ_WAIT_ANY, AQ_TIME_MAX), AQ_OK,
                   &r.diag);
  rig_close(&r);
}
END_TEST

START_TEST(a_wait_that_times_out_gives_the_signal_that_is_missing)
{
  rig r;
  rig_open(&r, &aqsim_null_transport_ops, NULL);
  const aq_wait_item items[] = {{rig_signal(&r, 0, 0), AQ_EQ, 0},
                                {rig_signal(&r, 5, 0), AQ_EQ, 0}};
  aq_wait_result result = {0};
  const aq_wait_request request = {
      .items = items, .count = 2, .mode = AQ_WAIT_ALL, .deadline = AQ_US};
  ck_assert_status(r.t->ops->wait(r.t, &request, &result, &r.diag),
                   AQ_ERR_TIMEOUT, &r.diag);
  ck_assert_uint_eq(result.index, 1);
  ck_assert_int_eq(result.value, 5);
  rig_close(&r);
}
END_TEST

START_TEST(a_sleep_that_may_be_woken_ends_at_a_completion_or_at_its_time)
{
  rig r;
  aq_completion out;
  rig_open(&r, &aqsim_null_transport_ops, NULL);
  aq_ring *queue = rig_queue(&r, 4);
  aq_signal done = rig_signal(&r, 1, AQ_SIGNAL_DRAIN);
  aq_packet packet = rig_dispatch(rig_kernel(&r, "k", 0), true, done);
  ck_assert_status(r.t->ops->sleep_until(r.t, AQ_US, true, &r.diag), AQ_OK,
                   &r.diag);
  ck_assert_time_eq(r.t->ops->now(r.t), AQ_US);
  rig_submit(&r, queue, &packet);
  ck_assert_status(r.t->ops->sleep_until(r.t, AQ_MS, true, &r.diag), AQ_OK,
                   &r.diag);
  ck_assert_time_eq(r.t->ops->now(r.t), AQ_US);
  ck_assert_uint_eq(r.t->ops->drain(r.t, &out, 1), 1);
  ck_assert_status(r.t->ops->sleep_until(r.t, AQ_MS, true, &r.diag), AQ_OK,
                   &r.diag);
  ck_assert_time_eq(r.t->ops->now(r.t), AQ_MS);
  rig_close(&r);
}
END_TEST

static void note_error(const aq_queue_error *error, void *user)
{
  snprintf(user, 100, "%s", error->text);
}

START_TEST(a_bad_packet_stops_its_queue)
{
  rig r;
  rig_open(&r, &aqsim_null_transport_ops, NULL);
  aq_ring *queue;
  char said[100] = "";
  aq_queue_desc desc = {.size = 4, .error = note_error, .user = said};
  ck_assert_status(r.t->ops->queue_create(r.t, &desc, &queue, &r.diag), AQ_OK,
                   &r.diag);
  aq_packet bad = rig_dispatch(0, true, rig_none);
  for (int i = 0; i < 4; i++)
    rig_submit(&r, queue, &bad);
  ck_assert_ptr_nonnull(strstr(said, "queue 0: packet 0 (kernel dispatch"));
  ck_assert_uint_eq(aq_ring_read_index(queue), 0);
  ck_assert_status(
      r.t->ops->queue_wait_space(r.t, queue, 1, AQ_TIME_MAX, &r.diag),
      AQ_ERR_QUEUE, &r.diag);
  rig_close(&r);
}
END_TEST

START_TEST(what_it_cannot_do_is_refused)
{
  rig r;
  aq_transport *none = NULL;
  const char *edits[] = {"packet_fetch=1 us", NULL};
  aq_transport_options options = {.size = sizeof options, .edits = edits};
  uint64_t module;
  aq_time time;
  rig_open(&r, &aqsim_null_transport_ops, NULL);
  ck_assert_status(aqsim_null_transport_ops.open(&options, &none, &r.diag),
                   AQ_ERR_INPUT, &r.diag);
  ck_assert_ptr_null(none);
  ck_assert_status(r.t->ops->module_load(r.t, 0, "", 0, &module, &r.diag),
                   AQ_ERR_UNSUPPORTED, &r.diag);
  ck_assert_int_eq(
      r.t->ops->dispatch_times(r.t, rig_signal(&r, 1, 0), &time, &time),
      AQ_ERR_UNSUPPORTED);
  aq_ring *queue = rig_queue(&r, 4);
  ck_assert_status(
      r.t->ops->queue_control(r.t, queue, AQ_CONTROL_CU_MASK, NULL, &r.diag),
      AQ_ERR_UNSUPPORTED, &r.diag);
  aq_queue_desc desc = {.size = 3};
  ck_assert_status(r.t->ops->queue_create(r.t, &desc, &queue, &r.diag),
                   AQ_ERR_INVALID, &r.diag);
  rig_close(&r);
}
END_TEST

AQ_TEST_MAIN("transport/null/null",
             a_packet_is_complete_when_its_doorbell_returns,
             dependencies_hold_a_queue_back_until_their_signals_are_zero,
             a_wait_that_times_out_gives_the_signal_that_is_missing,
             a_sleep_that_may_be_woken_ends_at_a_completion_or_at_its_time,
             a_bad_packet_stops_its_queue, what_it_cannot_do_is_refused)
