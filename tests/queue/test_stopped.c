/* SPDX-License-Identifier: MIT */
/* Packets that the device had begun when their queue failed, and end later. */
#include "queue/ground.h"

#include <sched.h>

#include "queue/operations.h"

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
  ground_wait(&g, first, 1);
  const aq_point point = {last, 1};
  ck_assert_int_eq(
      aq_semaphore_wait(&point, 1, AQ_WAIT_ALL, AQ_TIME_MAX, NULL, &g.diag),
      AQ_ERR_QUEUE);
  ck_assert_str_eq(g.diag.text, "a memory fault");
  aq_queue_destroy(stops);
  aq_queue_destroy(other);
  aq_queue_destroy(t.queue);
  aq_semaphore_release(failed);
  aq_semaphore_release(first);
  aq_semaphore_release(last);
  aq_semaphore_release(t.done);
  ground_close(&g);
}

START_TEST(queues_go_on_behind_packets_that_ended_after_their_failure)
{
  for (unsigned i = 0; i < ground_kind_count; i++)
    if (ground_kinds[i].mode == AQ_MODE_LIVE)
      a_queue_goes_on_behind_packets_that_ended_after_their_failure(
          &ground_kinds[i]);
}
END_TEST

AQ_TEST_MAIN("queue/stopped",
             queues_go_on_behind_packets_that_ended_after_their_failure)
