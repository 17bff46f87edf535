/* SPDX-License-Identifier: MIT */
/* Functions that live mode calls: handlers of signals, which run on a thread of
 * their own, and callbacks with the lock. */
#include "backend_sim/rig.h"

#include <sched.h>
#include <stdlib.h>

#include "backend_sim/sim.h"

typedef struct heard {
  rig *r;
  aq_signal signal, answer;
  int64_t last; /* atomic */
} heard;

/* It may wait: it has a thread of its own. */
static bool hear(int64_t value, void *user)
{
  heard *h = user;
  aq_diag diag = AQ_DIAG_INIT;
  aq_wait_item item = {h->signal, AQ_LT, 100};
  aq_wait_request request = {
      .items = &item, .count = 1, .deadline = AQ_TIME_MAX};
  if (h->r->t->ops->wait(h->r->t, &request, NULL, &diag) != AQ_OK)
    abort();
  __atomic_store_n(&h->last, value, __ATOMIC_RELEASE);
  h->r->t->ops->signal_store(h->r->t, h->answer, value, AQ_RELEASE);
  return value > 1;
}

/* Conformance 74. */
START_TEST(handlers_run_on_a_thread_of_their_own)
{
  rig r;
  rig_open_with(&r, &aqsim_transport_ops,
                &(aq_transport_options){.mode = AQ_MODE_LIVE});
  aq_ring *queue = rig_queue(&r, 64);
  heard h = {
      .r = &r, .signal = rig_signal(&r, 4, 0), .answer = rig_signal(&r, 99, 0)};
  ck_assert_status(
      r.t->ops->signal_handler(r.t, h.signal, AQ_LT, 4, hear, &h, &r.diag),
      AQ_OK, &r.diag);
  aq_packet packet = rig_dispatch(rig_kernel(&r, "k", AQ_US), true, h.signal);
  for (int64_t expected = 3; expected >= 0; expected--) {
    rig_submit(&r, queue, &packet);
    bool stays = expected > 0; /* it left at 1 */
    aq_wait_item item = {stays ? h.answer : h.signal, AQ_EQ, expected};
    ck_assert_status(rig_wait(&r, &item, 1, AQ_WAIT_ALL, AQ_TIME_MAX), AQ_OK,
                     &r.diag);
  }
  ck_assert_int_eq(__atomic_load_n(&h.last, __ATOMIC_ACQUIRE), 1);
  r.t->ops->signal_destroy(r.t, h.signal);
  rig_close(&r);
}
END_TEST

/* A pipeline: each completion submits the next kernel of the same signal. */
typedef struct pipeline {
  rig *r;
  aq_ring *queue;
  aq_packet packet;
  aq_signal step, over;
  int left; /* atomic */
} pipeline;

static bool pipeline_next(int64_t value, void *user)
{
  pipeline *p = user;
  (void)value;
  if (__atomic_sub_fetch(&p->left, 1, __ATOMIC_ACQ_REL) == 0) {
    p->r->t->ops->signal_store(p->r->t, p->over, 0, AQ_RELEASE);
    return false;
  }
  p->r->t->ops->signal_store(p->r->t, p->step, 1, AQ_RELEASE);
  rig_submit(p->r, p->queue, &p->packet);
  const int64_t *step = &((aq_amd_signal *)(uintptr_t)p->step.handle)->value;
  while (__atomic_load_n(step, __ATOMIC_ACQUIRE) != 0)
    sched_yield(); /* until it has its old value again */
  return true;
}

START_TEST(a_handler_is_called_again_for_a_value_that_it_had_before)
{
  rig r;
  rig_open_with(&r, &aqsim_transport_ops,
                &(aq_transport_options){.mode = AQ_MODE_LIVE});
  pipeline p = {.r = &r,
                .queue = rig_queue(&r, 64),
                .step = rig_signal(&r, 1, 0),
                .over = rig_signal(&r, 1, 0),
                .left = 5};
  p.packet = rig_dispatch(rig_kernel(&r, "k", AQ_US), true, p.step);
  ck_assert_status(r.t->ops->signal_handler(r.t, p.step, AQ_EQ, 0,
                                            pipeline_next, &p, &r.diag),
                   AQ_OK, &r.diag);
  rig_submit(&r, p.queue, &p.packet);
  aq_wait_item item = {p.over, AQ_EQ, 0};
  ck_assert_status(
      rig_wait(&r, &item, 1, AQ_WAIT_ALL, r.t->ops->now(r.t) + 20 * AQ_S),
      AQ_OK, &r.diag);
  ck_assert_int_eq(p.left, 0);
  rig_close(&r);
}
END_TEST

/* A line of an inspection, which has the lock of the simulator. */
static void wait_in_line(const char *line, void *user)
{
  pipeline *p = user;
  aq_diag diag = AQ_DIAG_INIT;
  const aq_wait_item item = {p->step, AQ_EQ, 0};
  const aq_wait_request request = {
      .items = &item, .count = 1, .deadline = AQ_TIME_MAX};
  (void)line;
  ck_assert_status(p->r->t->ops->wait(p->r->t, &request, NULL, &diag),
                   AQ_ERR_INVALID, &diag);
  p->left++;
}

START_TEST(a_callback_with_the_lock_may_not_wait)
{
  rig r;
  rig_open_with(&r, &aqsim_transport_ops,
                &(aq_transport_options){.mode = AQ_MODE_LIVE});
  pipeline p = {
      .r = &r, .queue = rig_queue(&r, 64), .step = rig_signal(&r, 1, 0)};
  p.packet = rig_dispatch(rig_kernel(&r, "k", AQ_US), true, p.step);
  rig_submit(&r, p.queue, &p.packet);
  r.t->ops->inspect(r.t, wait_in_line, &p);
  ck_assert_int_gt(p.left, 0);
  const aq_wait_item item = {p.step, AQ_EQ, 0};
  ck_assert_status(rig_wait(&r, &item, 1, AQ_WAIT_ALL, AQ_TIME_MAX), AQ_OK,
                   &r.diag);
  rig_close(&r);
}
END_TEST

AQ_TEST_MAIN("backend_sim/live/signal_handlers",
             handlers_run_on_a_thread_of_their_own,
             a_handler_is_called_again_for_a_value_that_it_had_before,
             a_callback_with_the_lock_may_not_wait)
