/* SPDX-License-Identifier: MIT */
/* Waits, sleeps, drain, deadlocks and timestamps. */
#include "backend_sim/rig.h"

#include <string.h>

#include "backend_sim/sim.h"
#include "common/policy.h"

enum { INTERRUPT = 4900000 };

static aq_status wait_for(rig *r, const aq_signal *signals, uint32_t count,
                          aq_wait_mode mode, aq_time deadline,
                          uint32_t *satisfied)
{
  aq_wait_item items[8];
  for (uint32_t i = 0; i < count; i++)
    items[i] = (aq_wait_item){signals[i], AQ_EQ, 0};
  aq_status status = rig_wait(r, items, count, mode, deadline);
  if (status == AQ_OK && satisfied)
    *satisfied = r->seen.index;
  return status;
}

/* Two kernels on two queues; the second ends first. */
typedef struct pair {
  rig r;
  aq_ring *queues[2];
  aq_signal signals[2];
} pair;

static void pair_open(pair *p, uint32_t flags)
{
  rig_open(&p->r, &aqsim_transport_ops, NULL);
  for (int i = 0; i < 2; i++) {
    p->queues[i] = rig_queue(&p->r, 64);
    p->signals[i] = rig_signal(&p->r, 1, flags);
    aq_packet packet = rig_dispatch(
        rig_kernel(&p->r, "k", (20 - i * 10) * AQ_US), true, p->signals[i]);
    rig_submit(&p->r, p->queues[i], &packet);
  }
}

static aq_time completed(pair *p, int i)
{
  return rig_record(&p->r, p->queues[i], 0)->complete;
}

START_TEST(a_blocked_wait_returns_an_interrupt_after_the_decrement)
{
  pair p;
  uint32_t satisfied = 9;
  pair_open(&p, 0);
  ck_assert_status(
      wait_for(&p.r, p.signals, 2, AQ_WAIT_ANY, AQ_TIME_MAX, &satisfied), AQ_OK,
      &p.r.diag);
  ck_assert_uint_eq(satisfied, 1);
  ck_assert_time_eq(p.r.t->ops->now(p.r.t), completed(&p, 1) + INTERRUPT);
  ck_assert_time_eq(rig_record(&p.r, p.queues[1], 0)->observe,
                    completed(&p, 1) + INTERRUPT);
  rig_close(&p.r);
}
END_TEST

START_TEST(a_wait_for_all_returns_after_the_last)
{
  pair p;
  uint32_t satisfied = 9;
  pair_open(&p, 0);
  ck_assert_status(
      wait_for(&p.r, p.signals, 2, AQ_WAIT_ALL, AQ_TIME_MAX, &satisfied), AQ_OK,
      &p.r.diag);
  ck_assert_uint_eq(satisfied, 0);
  for (int i = 0; i < 2; i++)
    ck_assert_time_eq(rig_record(&p.r, p.queues[i], 0)->observe,
                      completed(&p, i) + INTERRUPT);
  ck_assert_time_eq(p.r.t->ops->now(p.r.t), completed(&p, 0) + INTERRUPT);
  rig_close(&p.r);
}
END_TEST

START_TEST(a_wait_that_holds_already_takes_no_time)
{
  pair p;
  uint32_t satisfied = 9;
  pair_open(&p, 0);
  rig_run(&p.r);
  aq_time now = p.r.t->ops->now(p.r.t);
  ck_assert_status(wait_for(&p.r, p.signals, 2, AQ_WAIT_ANY, now, &satisfied),
                   AQ_OK, &p.r.diag);
  ck_assert_uint_eq(satisfied, 0);
  ck_assert_time_eq(p.r.t->ops->now(p.r.t), now);
  ck_assert_time_eq(rig_record(&p.r, p.queues[0], 0)->observe, AQ_NONE);
  rig_close(&p.r);
}
END_TEST

/* Conformance 73: a wait that times out leaves the value as it is. */
START_TEST(a_wait_ends_at_its_deadline)
{
  pair p;
  uint32_t satisfied = 9;
  pair_open(&p, 0);
  ck_assert_status(
      wait_for(&p.r, p.signals, 2, AQ_WAIT_ALL, 12 * AQ_US, &satisfied),
      AQ_ERR_TIMEOUT, &p.r.diag);
  ck_assert_time_eq(p.r.t->ops->now(p.r.t), 12 * AQ_US);
  ck_assert_uint_eq(satisfied, 9);
  ck_assert_status(wait_for(&p.r, p.signals, 2, AQ_WAIT_ALL, 0, NULL),
                   AQ_ERR_TIMEOUT, &p.r.diag);
  ck_assert_time_eq(p.r.t->ops->now(p.r.t), 12 * AQ_US);
  /* A deadline between the decrement and the interrupt cuts the latter. */
  rig_run(&p.r);
  pair q;
  pair_open(&q, 0);
  aq_time deadline = completed(&p, 1) + AQ_US;
  ck_assert_status(
      wait_for(&q.r, &q.signals[1], 1, AQ_WAIT_ALL, deadline, NULL), AQ_OK,
      &q.r.diag);
  ck_assert_time_eq(q.r.t->ops->now(q.r.t), deadline);
  rig_close(&q.r);
  rig_close(&p.r);
}
END_TEST

START_TEST(waits_compare_in_all_four_ways)
{
  static const aq_wait_item cases[] = {{.condition = AQ_EQ, .value = 1},
                                       {.condition = AQ_NE, .value = 3},
                                       {.condition = AQ_LT, .value = 2},
                                       {.condition = AQ_GE, .value = 4}};
  for (int i = 0; i < 4; i++) {
    rig r;
    rig_open(&r, &aqsim_transport_ops, NULL);
    aq_ring *queue = rig_queue(&r, 64);
    aq_wait_item item = cases[i];
    item.signal = rig_signal(&r, 3, 0);
    aq_packet packet =
        rig_dispatch(rig_kernel(&r, "k", AQ_US), true, item.signal);
    rig_submit(&r, queue, &packet);
    rig_submit(&r, queue, &packet);
    aq_status status = rig_wait(&r, &item, 1, AQ_WAIT_ANY, AQ_TIME_MAX);
    ck_assert_status(status, item.condition == AQ_GE ? AQ_ERR_DEADLOCK : AQ_OK,
                     &r.diag);
    rig_close(&r);
  }
}
END_TEST

START_TEST(a_wait_needs_signals)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  ck_assert_status(wait_for(&r, NULL, 0, AQ_WAIT_ALL, AQ_TIME_MAX, NULL),
                   AQ_ERR_INVALID, &r.diag);
  ck_assert_status(wait_for(&r, &rig_none, 1, AQ_WAIT_ALL, AQ_TIME_MAX, NULL),
                   AQ_ERR_INVALID, &r.diag);
  rig_close(&r);
}
END_TEST

START_TEST(completions_are_drained_in_the_order_they_happened)
{
  pair p;
  aq_completion out[4];
  pair_open(&p, AQ_SIGNAL_DRAIN);
  ck_assert_uint_eq(p.r.t->ops->drain(p.r.t, out, 4), 0);
  rig_run(&p.r);
  p.r.t->ops->signal_update(p.r.t, p.signals[0], AQ_UPDATE_ADD, -1, 0,
                            AQ_ACQ_REL);
  p.r.t->ops->signal_update(p.r.t, p.signals[0], AQ_UPDATE_ADD, 1, 0,
                            AQ_ACQ_REL);
  p.r.t->ops->signal_store(p.r.t, p.signals[0], 0, AQ_RELEASE);
  ck_assert_uint_eq(p.r.t->ops->drain(p.r.t, out, 1), 1);
  ck_assert_uint_eq(p.r.t->ops->drain(p.r.t, out + 1, 3), 2);
  ck_assert_uint_eq(out[0].signal.handle, p.signals[1].handle);
  ck_assert_uint_eq(out[1].signal.handle, p.signals[0].handle);
  ck_assert_uint_eq(out[2].signal.handle, p.signals[0].handle);
  ck_assert_time_eq(out[0].time, completed(&p, 1));
  ck_assert_time_eq(out[1].time, completed(&p, 0));
  rig_close(&p.r);
}
END_TEST

START_TEST(many_completions_are_kept_until_somebody_drains)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  uint64_t got = 0;
  aq_completion out[7];
  for (uint64_t i = 0; i < 3000; i++) {
    aq_signal signal;
    aq_signal_desc desc = {.value = 1, .flags = AQ_SIGNAL_DRAIN, .user = i};
    ck_assert_status(r.t->ops->signal_create(r.t, &desc, &signal, &r.diag),
                     AQ_OK, &r.diag);
    r.t->ops->signal_update(r.t, signal, AQ_UPDATE_ADD, -1, 0, AQ_ACQ_REL);
    r.t->ops->signal_destroy(r.t, signal);
    if (i % 11 == 0)
      for (uint32_t n = r.t->ops->drain(r.t, out, 7), j = 0; j < n; j++)
        ck_assert_uint_eq(out[j].user, got++);
  }
  uint32_t n;
  while ((n = r.t->ops->drain(r.t, out, 7)) > 0)
    for (uint32_t j = 0; j < n; j++)
      ck_assert_uint_eq(out[j].user, got++);
  ck_assert_uint_eq(got, 3000);
  rig_close(&r);
}
END_TEST

START_TEST(a_sleep_wakes_at_the_first_completion_that_is_to_be_drained)
{
  pair p;
  aq_completion out[4];
  pair_open(&p, AQ_SIGNAL_DRAIN);
  const aq_transport_ops *ops = p.r.t->ops;
  ck_assert_status(ops->sleep_until(p.r.t, AQ_S, true, &p.r.diag), AQ_OK,
                   &p.r.diag);
  ck_assert_time_eq(ops->now(p.r.t), completed(&p, 1));
  /* Not drained yet: it does not sleep again. */
  ck_assert_status(ops->sleep_until(p.r.t, AQ_S, true, &p.r.diag), AQ_OK,
                   &p.r.diag);
  ck_assert_time_eq(ops->now(p.r.t), completed(&p, 1));
  ck_assert_uint_eq(ops->drain(p.r.t, out, 4), 1);
  ck_assert_status(ops->sleep_until(p.r.t, AQ_S, true, &p.r.diag), AQ_OK,
                   &p.r.diag);
  ck_assert_time_eq(ops->now(p.r.t), completed(&p, 0));
  ck_assert_uint_eq(ops->drain(p.r.t, out, 4), 1);
  ck_assert_status(ops->sleep_until(p.r.t, AQ_S, true, &p.r.diag), AQ_OK,
                   &p.r.diag);
  ck_assert_time_eq(ops->now(p.r.t), AQ_S);
  rig_close(&p.r);
}
END_TEST

START_TEST(time_starts_at_the_epoch_and_never_goes_back)
{
  aq_transport *t;
  aq_diag diag = AQ_DIAG_INIT;
  aq_transport_options options = {.size = sizeof options, .epoch = AQ_S};
  ck_assert_status(aqsim_transport_ops.open(&options, &t, &diag), AQ_OK, &diag);
  ck_assert_time_eq(t->ops->now(t), AQ_S);
  ck_assert_status(t->ops->sleep_until(t, 5, false, &diag), AQ_OK, &diag);
  ck_assert_status(t->ops->sleep_until(t, AQ_TIME_MAX, false, &diag), AQ_OK,
                   &diag);
  ck_assert_time_eq(t->ops->now(t), AQ_S);
  t->ops->close(t);
  options.epoch = -AQ_S - 1;
  ck_assert_status(aqsim_transport_ops.open(&options, &t, &diag), AQ_OK, &diag);
  aq_clock_pair clocks;
  t->ops->clock_correlate(t, 0, &clocks);
  ck_assert_time_eq(clocks.host, -AQ_S - 1);
  ck_assert_time_eq(clocks.device, -AQ_S - 40 * AQ_NS);
  t->ops->close(t);
  options.epoch = AQ_TIME_MAX / 2;
  ck_assert_status(aqsim_transport_ops.open(&options, &t, &diag),
                   AQ_ERR_INVALID, &diag);
  options.epoch = 0;
  const aq_policy_ops needy = {.name = "needy", .needs = UINT32_C(1) << 31};
  const aq_policy_binding binding = {.size = sizeof binding, .ops = &needy};
  options.policy = &binding;
  ck_assert_status(aqsim_transport_ops.open(&options, &t, &diag),
                   AQ_ERR_UNSUPPORTED, &diag);
  options.policy = NULL;
  options.device = "nothing";
  ck_assert_status(aqsim_transport_ops.open(&options, &t, &diag), AQ_ERR_INPUT,
                   &diag);
}
END_TEST

/* Conformance 76: raw ticks of the device clock, in its granularity. */
START_TEST(dispatch_times_come_in_steps_of_the_device_clock)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = rig_queue(&r, 64);
  aq_signal done = rig_signal(&r, 1, AQ_SIGNAL_PROFILE);
  aq_packet packet = rig_dispatch(rig_kernel(&r, "k", 1234567), true, done);
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  aq_time start, end;
  ck_assert_status(r.t->ops->dispatch_times(r.t, done, &start, &end), AQ_OK,
                   &r.diag);
  ck_assert_time_eq(start, 9000 * AQ_NS); /* 9.03 us */
  ck_assert_time_eq(end, 10240 * AQ_NS);  /* 10.264567 us */
  const aq_amd_signal *signal = (const aq_amd_signal *)(uintptr_t)done.handle;
  ck_assert_uint_eq(signal->start_ts, 900);
  ck_assert_int_eq(
      r.t->ops->dispatch_times(r.t, rig_signal(&r, 1, 0), &start, &end),
      AQ_ERR_INVALID);
  aq_clock_pair clocks;
  r.t->ops->clock_correlate(r.t, 0, &clocks);
  ck_assert_time_eq(clocks.host, r.t->ops->now(r.t));
  ck_assert_time_eq(clocks.device, clocks.host - clocks.host % (40 * AQ_NS));
  rig_close(&r);
}
END_TEST

/* ---- deadlocks ---- */

static void no_report(const char *line, void *user)
{
  (void)line, (void)user;
}

static void expect_deadlock(rig *r, aq_signal signal, const char *said)
{
  ck_assert_status(wait_for(r, &signal, 1, AQ_WAIT_ALL, AQ_TIME_MAX, NULL),
                   AQ_ERR_DEADLOCK, &r->diag);
  ck_assert_msg(strstr(r->diag.text, said) != NULL, "%s", r->diag.text);
}

/* Conformance 52: null never satisfies an OR. */
START_TEST(a_deadlock_names_the_queue_the_packet_and_the_signal)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  rig_queue(&r, 64);
  aq_ring *queue = rig_queue(&r, 64);
  aq_signal never = rig_signal(&r, 2, 0), done = rig_signal(&r, 1, 0);
  expect_deadlock(&r, done,
                  "wait for signal 1 (user 0, value 1) never ends: "
                  "no packet or copy is left");
  aq_packet kernel = rig_dispatch(rig_kernel(&r, "k", AQ_US), true, rig_none);
  aq_packet barrier = rig_barrier(AQ_PACKET_BARRIER_AND, &never, 1, done);
  rig_submit(&r, queue, &kernel);
  rig_submit(&r, queue, &barrier);
  expect_deadlock(&r, done,
                  "queue 1: packet 1 (barrier-AND) waits for "
                  "signal 0 (user 0, value 2)");
  ck_assert_status(
      r.t->ops->queue_wait_space(r.t, queue, 64, AQ_TIME_MAX, &r.diag),
      AQ_ERR_DEADLOCK, &r.diag);
  ck_assert_ptr_nonnull(strstr(r.diag.text, "packet 1 (barrier-AND)"));
  rig_close(&r);

  rig_open(&r, &aqsim_transport_ops, NULL);
  queue = rig_queue(&r, 64);
  done = rig_signal(&r, 1, 0);
  barrier = rig_barrier(AQ_PACKET_BARRIER_OR, NULL, 0, done);
  rig_submit(&r, queue, &barrier);
  expect_deadlock(&r, done,
                  "queue 0: packet 0 (barrier-OR) waits for no signal at all");
  rig_close(&r);

  rig_open(&r, &aqsim_transport_ops, NULL);
  queue = rig_queue(&r, 64);
  done = rig_signal(&r, 1, 0);
  uint64_t id;
  ck_assert(aq_ring_try_reserve(queue, 1, &id));
  rig_ring(&r, queue, id);
  expect_deadlock(&r, done, "queue 0: packet 0 is reserved but not published");
  ck_assert_status(
      r.t->ops->queue_control(r.t, queue, AQ_CONTROL_INACTIVATE, NULL, &r.diag),
      AQ_OK, &r.diag);
  expect_deadlock(&r, done, "queue 0: inactive, so packet 0 is ignored");
  rig_close(&r);
}
END_TEST

START_TEST(a_deadlock_names_what_would_complete_the_signal)
{
  rig r;
  rig_open_with(&r, &aqsim_transport_ops,
                &(aq_transport_options){.report = no_report});
  aq_ring *stopped = rig_queue(&r, 64), *stuck = rig_queue(&r, 64);
  aq_ring *unpublished = rig_queue(&r, 64);
  aq_signal never = rig_signal(&r, 1, 0), held = rig_signal(&r, 1, 0);
  aq_signal behind = rig_signal(&r, 1, 0), dropped = rig_signal(&r, 1, 0);
  aq_signal bad = rig_signal(&r, 1, 0), hidden = rig_signal(&r, 1, 0);
  aq_signal copied = rig_signal(&r, 1, 0), nobody = rig_signal(&r, 1, 0);
  aq_signal far = rig_signal(&r, 1, 0);
  uint64_t kernel = rig_kernel(&r, "k", AQ_US);
  aq_packet packet = rig_dispatch(0, true, bad);
  rig_submit(&r, stopped, &packet);
  packet = rig_dispatch(kernel, true, dropped);
  rig_submit(&r, stopped, &packet);
  packet = rig_barrier(AQ_PACKET_BARRIER_AND, &never, 1, held);
  rig_submit(&r, stuck, &packet);
  packet = rig_dispatch(kernel, true, behind);
  rig_submit(&r, stuck, &packet);
  uint64_t hole;
  ck_assert(aq_ring_try_reserve(unpublished, 1, &hole));
  packet = rig_dispatch(kernel, true, hidden);
  rig_submit(&r, unpublished, &packet);
  char bytes[8] = "";
  ck_assert_status(r.t->ops->copy_async(r.t, 0, bytes, bytes + 4, 4, &never, 1,
                                        copied, &r.diag),
                   AQ_OK, &r.diag);
  expect_deadlock(&r, held,
                  "never ends: queue 1: packet 0 (barrier-AND) waits for "
                  "signal 0 (user 0, value 1)");
  expect_deadlock(&r, behind,
                  "never ends: queue 1: packet 1 completes it, but it is "
                  "behind packet 0 (barrier-AND), which waits for signal 0");
  expect_deadlock(&r, bad, "never ends: queue 0: stopped at packet 0: kernel");
  expect_deadlock(&r, dropped,
                  "never ends: queue 0: packet 1 completes it, but the queue "
                  "stopped at packet 0: kernel object 0");
  expect_deadlock(&r, hidden,
                  "never ends: queue 2: packet 1 completes it, but packet 0 "
                  "before it is reserved but not published (INVALID)");
  expect_deadlock(&r, copied, "never ends: copy 0 waits for signal 0");
  packet = rig_barrier(AQ_PACKET_BARRIER_OR, &behind, 1, far);
  rig_submit(&r, rig_queue(&r, 64), &packet);
  expect_deadlock(&r, far,
                  "never ends: queue 3: packet 0 (barrier-OR) waits for "
                  "signal 2 (user 0, value 1); queue 1: packet 1 completes "
                  "it, but it is behind packet 0");
  expect_deadlock(&r, nobody, "never ends: queue 0: stopped at packet 0");
  rig_close(&r);
}
END_TEST

START_TEST(a_deadlock_of_packets_that_wait_for_one_another_is_worded)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_signal a = rig_signal(&r, 1, 0), b = rig_signal(&r, 1, 0);
  aq_packet one = rig_barrier(AQ_PACKET_BARRIER_AND, &a, 1, b);
  aq_packet two = rig_barrier(AQ_PACKET_BARRIER_AND, &b, 1, a);
  rig_submit(&r, rig_queue(&r, 64), &one);
  rig_submit(&r, rig_queue(&r, 64), &two);
  expect_deadlock(&r, a,
                  "never ends: queue 1: packet 0 (barrier-AND) waits for "
                  "signal 1 (user 0, value 1)");
  rig_close(&r);
}
END_TEST

START_TEST(what_can_still_happen_is_no_deadlock)
{
  pair p;
  pair_open(&p, 0);
  aq_signal never = rig_signal(&p.r, 1, 0);
  expect_deadlock(&p.r, never, "signal 2");
  /* Everything that could happen has happened first. */
  ck_assert_uint_eq(p.r.sink.count, 2);
  rig_close(&p.r);
}
END_TEST

/* ---- the record sink ---- */

static aq_status put_fails(aq_record_sink *sink, const aq_record *rows,
                           size_t count, aq_diag *diag)
{
  (void)sink, (void)rows, (void)count;
  return aq_diag_set(diag, AQ_ERR_IO, "disk full");
}

START_TEST(an_error_of_the_record_sink_comes_back_from_time)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = rig_queue(&r, 64);
  aq_packet packet = rig_dispatch(rig_kernel(&r, "k", AQ_US), true, rig_none);
  r.sink.sink.put = put_fails;
  rig_submit(&r, queue, &packet);
  for (int i = 0; i < 2; i++) {
    ck_assert_status(r.t->ops->sleep_until(r.t, AQ_TIME_MAX, false, &r.diag),
                     AQ_ERR_IO, &r.diag);
    ck_assert_str_eq(r.diag.text, "disk full");
  }
  rig_close(&r);
}
END_TEST

AQ_TEST_MAIN("backend_sim/clock",
             a_blocked_wait_returns_an_interrupt_after_the_decrement,
             a_wait_for_all_returns_after_the_last,
             a_wait_that_holds_already_takes_no_time,
             a_wait_ends_at_its_deadline, waits_compare_in_all_four_ways,
             a_wait_needs_signals,
             completions_are_drained_in_the_order_they_happened,
             many_completions_are_kept_until_somebody_drains,
             a_sleep_wakes_at_the_first_completion_that_is_to_be_drained,
             time_starts_at_the_epoch_and_never_goes_back,
             dispatch_times_come_in_steps_of_the_device_clock,
             a_deadlock_names_the_queue_the_packet_and_the_signal,
             a_deadlock_names_what_would_complete_the_signal,
             a_deadlock_of_packets_that_wait_for_one_another_is_worded,
             what_can_still_happen_is_no_deadlock,
             an_error_of_the_record_sink_comes_back_from_time)
