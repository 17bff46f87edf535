/* SPDX-License-Identifier: MIT */
/* Signals through the table, and handlers in virtual time. */
#include "backend_sim/rig.h"

#include "backend_sim/sim.h"

enum { INTERRUPT = 4900000 };

/* Conformance 70. */
START_TEST(updates_return_the_value_before_in_every_order)
{
  static const struct {
    aq_signal_op op;
    int64_t before, operand, expected, after;
  } cases[] = {
      {AQ_UPDATE_ADD, 5, 7, 0, 12},
      {AQ_UPDATE_ADD, INT64_MAX, 1, 0, INT64_MIN},
      {AQ_UPDATE_SUB, 5, 7, 0, -2},
      {AQ_UPDATE_AND, 12, 10, 0, 8},
      {AQ_UPDATE_OR, 12, 10, 0, 14},
      {AQ_UPDATE_XOR, 12, 10, 0, 6},
      {AQ_UPDATE_EXCHANGE, 3, -4, 0, -4},
      {AQ_UPDATE_CAS, 3, 9, 3, 9},
      {AQ_UPDATE_CAS, 3, 9, 4, 3},
      {AQ_UPDATE_STORE_SILENT, 3, 8, 0, 8},
  };
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_signal s = rig_signal(&r, 0, 0);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (aq_order order = AQ_RELAXED; order <= AQ_ACQ_REL; order++) {
      r.t->ops->signal_store(r.t, s, cases[i].before, order);
      ck_assert_int_eq(r.t->ops->signal_update(r.t, s, cases[i].op,
                                               cases[i].operand,
                                               cases[i].expected, order),
                       cases[i].before);
      ck_assert_int_eq(r.t->ops->signal_load(r.t, s, order), cases[i].after);
    }
  rig_close(&r);
}
END_TEST

static aq_status create(rig *r, const aq_signal_desc *desc, aq_signal *out)
{
  return r->t->ops->signal_create(r->t, desc, out, &r->diag);
}

/* Conformance 71. */
START_TEST(consumers_must_differ_and_exist)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  const uint32_t twice[] = {0, AQ_DEVICE_HOST, 0}, unknown[] = {4};
  aq_signal s = rig_none;
  ck_assert_status(
      create(&r, &(aq_signal_desc){.consumers = twice, .consumer_count = 3},
             &s),
      AQ_ERR_INVALID, &r.diag);
  ck_assert_status(
      create(&r, &(aq_signal_desc){.consumers = unknown, .consumer_count = 1},
             &s),
      AQ_ERR_INVALID, &r.diag);
  ck_assert_status(create(&r, &(aq_signal_desc){.consumer_count = 1}, &s),
                   AQ_ERR_INVALID, &r.diag);
  ck_assert_uint_eq(s.handle, 0);
  ck_assert_status(
      create(&r, &(aq_signal_desc){.consumers = twice, .consumer_count = 2},
             &s),
      AQ_OK, &r.diag);
  rig_close(&r);
}
END_TEST

/* Conformance 72: how long after the decrement a wait returns. */
START_TEST(polled_signals_and_active_waits_need_no_interrupt)
{
  static const uint32_t device[] = {0}, both[] = {0, AQ_DEVICE_HOST};
  const struct {
    aq_signal_desc desc;
    aq_wait_hint hint;
    aq_time delay;
  } cases[] = {
      {{.value = 1}, AQ_WAIT_BLOCKED, INTERRUPT},
      {{.value = 1}, AQ_WAIT_ACTIVE, 0},
      {{.value = 1, .flags = AQ_SIGNAL_IPC}, AQ_WAIT_BLOCKED, 0},
      {{.value = 1, .flags = AQ_SIGNAL_GPU_ONLY}, AQ_WAIT_BLOCKED, 0},
      {{.value = 1, .consumers = device, .consumer_count = 1},
       AQ_WAIT_BLOCKED,
       0},
      {{.value = 1, .consumers = both, .consumer_count = 2},
       AQ_WAIT_BLOCKED,
       INTERRUPT},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rig r;
    rig_open(&r, &aqsim_transport_ops, NULL);
    aq_ring *queue = rig_queue(&r, 64);
    aq_signal done;
    ck_assert_status(create(&r, &cases[i].desc, &done), AQ_OK, &r.diag);
    aq_packet packet = rig_dispatch(rig_kernel(&r, "k", AQ_US), true, done);
    rig_submit(&r, queue, &packet);
    aq_wait_item item = {done, AQ_LT, 1};
    aq_wait_request request = {.items = &item,
                               .count = 1,
                               .hint = cases[i].hint,
                               .deadline = AQ_TIME_MAX};
    ck_assert_status(r.t->ops->wait(r.t, &request, NULL, &r.diag), AQ_OK,
                     &r.diag);
    ck_assert_time_eq(r.t->ops->now(r.t) - rig_record(&r, queue, 0)->complete,
                      cases[i].delay);
    rig_close(&r);
  }
}
END_TEST

/* Conformance 48, 73. */
START_TEST(a_wait_tells_what_it_saw_also_when_it_timed_out)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_signal a = rig_signal(&r, 4, 0), b = rig_signal(&r, -7, 0);
  aq_wait_item items[2] = {{a, AQ_EQ, 4}, {b, AQ_GE, 0}};
  ck_assert_status(rig_wait(&r, items, 2, AQ_WAIT_ANY, AQ_TIME_MAX), AQ_OK,
                   &r.diag);
  ck_assert_uint_eq(r.seen.index, 0);
  ck_assert_int_eq(r.seen.value, 4);
  ck_assert_status(rig_wait(&r, items, 2, AQ_WAIT_ALL, 5 * AQ_US),
                   AQ_ERR_TIMEOUT, &r.diag);
  ck_assert_uint_eq(r.seen.index, 1);
  ck_assert_int_eq(r.seen.value, -7);
  ck_assert_time_eq(r.t->ops->now(r.t), 5 * AQ_US);
  rig_close(&r);
}
END_TEST

/* A store to memory that no call told of is seen when time moves. */
START_TEST(raw_stores_to_a_signal_release_barriers)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = rig_queue(&r, 64);
  aq_signal dep_wait = rig_signal(&r, 1, 0), done = rig_signal(&r, 1, 0);
  aq_packet packet = rig_barrier(AQ_PACKET_BARRIER_AND, &dep_wait, 1, done);
  rig_submit(&r, queue, &packet);
  rig_run(&r);
  ck_assert_int_eq(rig_load(&r, done), 1);
  __atomic_store_n(&((aq_amd_signal *)(uintptr_t)dep_wait.handle)->value, 0,
                   __ATOMIC_RELEASE);
  rig_run(&r);
  ck_assert_int_eq(rig_load(&r, done), 0);
  rig_close(&r);
}
END_TEST

typedef struct heard {
  rig *r;
  int calls;
  int64_t values[8];
  aq_time times[8];
  int stay;          /* calls for which it stays armed */
  aq_signal destroy; /* in the call */
} heard;

static bool hear(int64_t value, void *user)
{
  heard *h = user;
  h->times[h->calls] = h->r->t->ops->now(h->r->t);
  h->values[h->calls++] = value;
  if (h->destroy.handle)
    h->r->t->ops->signal_destroy(h->r->t, h->destroy);
  return h->calls <= h->stay;
}

static void handle(rig *r, aq_signal s, aq_condition condition, int64_t value,
                   heard *h)
{
  h->r = r;
  ck_assert_status(
      r->t->ops->signal_handler(r->t, s, condition, value, hear, h, &r->diag),
      AQ_OK, &r->diag);
}

/* Conformance 74. */
START_TEST(a_handler_stays_armed_while_it_returns_true)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_ring *queue = rig_queue(&r, 64);
  aq_signal done = rig_signal(&r, 5, 0);
  heard h = {.stay = 1}, never = {.stay = 9};
  handle(&r, done, AQ_LT, 4, &h);
  handle(&r, done, AQ_EQ, 100, &never);
  aq_packet packet = rig_dispatch(rig_kernel(&r, "k", 20 * AQ_US), true, done);
  for (int i = 0; i < 4; i++)
    rig_submit(&r, queue, &packet);
  rig_run(&r);
  ck_assert_int_eq(h.calls, 2);
  ck_assert_int_eq(h.values[0], 3);
  ck_assert_int_eq(h.values[1], 2);
  ck_assert_time_eq(h.times[0], rig_record(&r, queue, 1)->complete + INTERRUPT);
  ck_assert_time_eq(h.times[1], rig_record(&r, queue, 2)->complete + INTERRUPT);
  ck_assert_int_eq(never.calls, 0);
  rig_close(&r);
}
END_TEST

START_TEST(a_handler_hears_of_what_holds_already_and_of_raw_stores)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_signal s = rig_signal(&r, 0, 0);
  heard h = {.stay = 9};
  handle(&r, s, AQ_EQ, 0, &h);
  rig_run(&r);
  ck_assert_int_eq(h.calls, 1);
  int64_t *value = &((aq_amd_signal *)(uintptr_t)s.handle)->value;
  rig_run(&r);
  ck_assert_int_eq(h.calls, 1);
  r.t->ops->signal_store(r.t, s, 1, AQ_RELEASE);
  __atomic_store_n(value, 0, __ATOMIC_RELEASE);
  rig_run(&r);
  ck_assert_int_eq(h.calls, 2);
  rig_close(&r);
}
END_TEST

START_TEST(a_handler_may_destroy_its_signal)
{
  rig r;
  rig_open(&r, &aqsim_transport_ops, NULL);
  aq_signal s = rig_signal(&r, 1, 0);
  heard h = {.stay = 9, .destroy = s}, other = {.stay = 9};
  handle(&r, s, AQ_EQ, 0, &other);
  handle(&r, s, AQ_EQ, 0, &h);
  r.t->ops->signal_store(r.t, s, 0, AQ_RELEASE);
  rig_run(&r);
  ck_assert_int_eq(h.calls + other.calls, 2);
  rig_close(&r);
}
END_TEST

AQ_TEST_MAIN("backend_sim/signals",
             updates_return_the_value_before_in_every_order,
             consumers_must_differ_and_exist,
             polled_signals_and_active_waits_need_no_interrupt,
             a_wait_tells_what_it_saw_also_when_it_timed_out,
             raw_stores_to_a_signal_release_barriers,
             a_handler_stays_armed_while_it_returns_true,
             a_handler_hears_of_what_holds_already_and_of_raw_stores,
             a_handler_may_destroy_its_signal)
