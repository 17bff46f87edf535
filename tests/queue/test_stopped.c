/* SPDX-License-Identifier: MIT */
/* Packets that the device had begun when their queue failed, and end later. */
#include "queue/ground.h"

#include <sched.h>

#include "queue/operations.h"

/* Half of the time of a case: a queue that nothing wakes is a failure that
 * says which wait it was. */
#define SOON (60 * AQ_S)

/* Turns of the host, each of which blocks until it is let go. */
typedef struct turns {
  aq_queue *queue;
  aq_semaphore *done;
  uint64_t turn;    /* of the one that has it */
  uint64_t allowed; /* atomic */
} turns;

static aq_status turn_await(void *user, aq_diag *diag)
{
  turns *t = user;
  (void)diag;
  t->turn++;
  while (__atomic_load_n(&t->allowed, __ATOMIC_ACQUIRE) < t->turn)
    sched_yield();
  return AQ_OK;
}

/* Signals the number behind it, from the device: queues wait there for it. */
static void turn_make(ground *g, turns *t, uint64_t number)
{
  ground_sync s;
  ck_assert_ok(
      g, aq_queue_host_call(t->queue, NULL,
                            &(aq_host_call){.function = turn_await, .user = t},
                            &g->diag));
  ck_assert_ok(g, aq_queue_barrier(
                      t->queue, ground_sync_make(&s, NULL, 0, t->done, number),
                      &g->diag));
}

static void turn_allow(turns *t, uint64_t number)
{
  __atomic_store_n(&t->allowed, number, __ATOMIC_RELEASE);
}

static void barrier_make(ground *g, aq_queue *queue, aq_semaphore *wait,
                         uint64_t value, aq_semaphore *signal)
{
  ground_sync s;
  ck_assert_ok(g, aq_queue_barrier(queue,
                                   ground_sync_make(&s, wait, value, signal, 1),
                                   &g->diag));
}

static aq_status outcome_of(ground *g, aq_semaphore *semaphore)
{
  const aq_point point = {semaphore, 1};
  return aq_semaphore_wait(&point, 1, AQ_WAIT_ALL, g->ops->now(g->t) + SOON,
                           NULL, &g->diag);
}

/* By the failure of the queue that stops. */
static void wait_fails(ground *g, aq_semaphore *semaphore)
{
  ck_assert_int_eq(outcome_of(g, semaphore), AQ_ERR_QUEUE);
  ck_assert_str_eq(g->diag.text, "a memory fault");
}

/* All of its packets have ended. */
static void ring_await(const aq_queue *queue)
{
  const aq_ring *ring = aq_queue_ring(queue);
  while (aq_ring_space(ring) < ring->size)
    sched_yield();
}

/*
 * The queue that stops waits on the device for turn 1, and fails there; then
 * its packets end after all. The other waits on the device for turn 2 and then,
 * with a packet that the device first looks at after that, for the failed one.
 */
static void a_queue_goes_on_behind_packets_that_ended_after_their_failure(
    const ground_kind *kind)
{
  ground g;
  ground_open(&g, kind, NULL, NULL);
  turns t = {.queue = ground_queue(&g, NULL), .done = ground_semaphore(&g, 0)};
  aq_queue *stops = ground_queue(&g, NULL), *other = ground_queue(&g, NULL);
  aq_semaphore *failed = ground_semaphore(&g, 0),
               *first = ground_semaphore(&g, 0),
               *last = ground_semaphore(&g, 0);
  turn_make(&g, &t, 1);
  turn_make(&g, &t, 2);
  barrier_make(&g, stops, t.done, 1, failed);
  barrier_make(&g, other, t.done, 2, first);
  barrier_make(&g, other, failed, 1, last);
  aq_context_event(g.context,
                   &(aq_system_event){.device = 0,
                                      .queue = aq_queue_ring(stops)->id,
                                      .text = "a memory fault"});
  turn_allow(&t, 1);
  ring_await(stops);
  turn_allow(&t, 2);
  ck_assert_ok(&g, outcome_of(&g, first));
  wait_fails(&g, last);
  aq_queue_destroy(stops);
  aq_queue_destroy(other);
  aq_queue_destroy(t.queue);
  aq_semaphore_release(failed);
  aq_semaphore_release(first);
  aq_semaphore_release(last);
  aq_semaphore_release(t.done);
  ground_close(&g);
}

/*
 * The epoch that the other queue waits for is the first that fails. A host has
 * raised its semaphore by then: the value alone does not say that the work
 * behind which the other queue's is ordered was lost.
 */
static void
the_first_epoch_that_fails_fails_its_waiters(const ground_kind *kind)
{
  ground g;
  ground_open(&g, kind, NULL, NULL);
  turns t = {.queue = ground_queue(&g, NULL), .done = ground_semaphore(&g, 0)};
  aq_queue *stops = ground_queue(&g, NULL), *other = ground_queue(&g, NULL);
  aq_semaphore *failed = ground_semaphore(&g, 0),
               *last = ground_semaphore(&g, 0);
  turn_make(&g, &t, 1);
  barrier_make(&g, stops, t.done, 1, failed);
  barrier_make(&g, other, failed, 1, last);
  ck_assert_ok(&g, aq_semaphore_signal(failed, 1, &g.diag));
  aq_context_event(g.context,
                   &(aq_system_event){.device = 0,
                                      .queue = aq_queue_ring(stops)->id,
                                      .text = "a memory fault"});
  turn_allow(&t, 1);
  wait_fails(&g, last);
  aq_queue_destroy(stops);
  aq_queue_destroy(other);
  aq_queue_destroy(t.queue);
  aq_semaphore_release(failed);
  aq_semaphore_release(last);
  aq_semaphore_release(t.done);
  ground_close(&g);
}

START_TEST(a_wait_for_the_first_epoch_that_fails_fails_at_a_reached_value)
{
  for (unsigned i = 0; i < ground_kind_count; i++)
    if (ground_kinds[i].mode == AQ_MODE_LIVE &&
        ground_kinds[i].way != AQ_EDGE_DEFER)
      the_first_epoch_that_fails_fails_its_waiters(&ground_kinds[i]);
}
END_TEST

/* Nothing moves the transport's time while its hosts sleep, and hosts sleep a
 * little at a time once a queue failed. */
static void deadlines_hold_where_a_queue_failed(const ground_kind *kind)
{
  ground g;
  ground_open(&g, kind, NULL, NULL);
  aq_queue *stops = ground_queue(&g, NULL), *other = ground_queue(&g, NULL);
  aq_semaphore *never = ground_semaphore(&g, 0),
               *last = ground_semaphore(&g, 0);
  const aq_point point = {last, 1};
  aq_context_event(g.context,
                   &(aq_system_event){.device = 0,
                                      .queue = aq_queue_ring(stops)->id,
                                      .text = "a memory fault"});
  barrier_make(&g, other, never, 1, last);
  ck_assert_int_eq(aq_semaphore_wait(&point, 1, AQ_WAIT_ALL,
                                     g.ops->now(g.t) + 30 * AQ_MS, NULL,
                                     &g.diag),
                   AQ_ERR_TIMEOUT);
  ck_assert_int_eq(
      aq_queue_wait_idle(other, g.ops->now(g.t) + 30 * AQ_MS, &g.diag),
      AQ_ERR_TIMEOUT);
  ck_assert_ok(&g, aq_semaphore_signal(never, 1, &g.diag));
  ck_assert_ok(&g, outcome_of(&g, last));
  aq_queue_destroy(stops);
  aq_queue_destroy(other);
  aq_semaphore_release(never);
  aq_semaphore_release(last);
  ground_close(&g);
}

START_TEST(waits_of_hosts_end_at_their_deadline_after_a_queue_failed)
{
  for (unsigned i = 0; i < ground_kind_count; i++)
    if (ground_kinds[i].mode == AQ_MODE_LIVE)
      deadlines_hold_where_a_queue_failed(&ground_kinds[i]);
}
END_TEST

START_TEST(queues_go_on_behind_packets_that_ended_after_their_failure)
{
  for (unsigned i = 0; i < ground_kind_count; i++)
    if (ground_kinds[i].mode == AQ_MODE_LIVE)
      a_queue_goes_on_behind_packets_that_ended_after_their_failure(
          &ground_kinds[i]);
}
END_TEST

AQ_TEST_MAIN("queue/stopped",
             queues_go_on_behind_packets_that_ended_after_their_failure,
             a_wait_for_the_first_epoch_that_fails_fails_at_a_reached_value,
             waits_of_hosts_end_at_their_deadline_after_a_queue_failed)
