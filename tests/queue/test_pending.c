/* SPDX-License-Identifier: MIT */
/* Operations that wait outside of the ring, and the hosts that wait for them,
 * on real threads. The transport counts the waits that begin. */
#include "queue/ground.h"

#include <poll.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

static const aq_transport_ops *real;
static aq_transport_ops counting;
static unsigned waits; /* atomic */

static aq_status wait_counted(aq_transport *t, const aq_wait_request *request,
                              aq_wait_result *out, aq_diag *diag)
{
  __atomic_fetch_add(&waits, 1, __ATOMIC_SEQ_CST);
  return real->wait(t, request, out, diag);
}

static void wait_beyond(unsigned count)
{
  while (__atomic_load_n(&waits, __ATOMIC_SEQ_CST) <= count)
    sched_yield();
}

typedef struct hosts {
  ground g;
  aq_context *context;
  aq_queue *queue;
  unsigned before; /* waits before the device stopped */
} hosts;

static hosts h;

/* The other host sleeps again before the first operation has failed. */
static void released(aq_status status, void *user)
{
  (void)user;
  ck_assert_int_eq(status, AQ_ERR_QUEUE);
  wait_beyond(h.before);
}

static void *idle_await(void *user)
{
  (void)user;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aq_queue_wait_idle(h.queue, AQ_TIME_MAX, &diag), AQ_OK,
                   &diag);
  return NULL;
}

START_TEST(a_host_that_sleeps_is_told_when_parked_operations_have_failed)
{
  const ground_kind live = {"sim live", "sim", AQ_MODE_LIVE,
                            AQ_EDGE_BARRIER_VALUE};
  ground *g = &h.g;
  ground_open(g, &live, NULL, NULL);
  real = g->t->ops;
  counting = *real;
  counting.wait = wait_counted;
  aq_context_destroy(g->context);
  g->context = NULL;
  g->t->ops = &counting;
  ck_assert_ok(g, aq_context_create(
                      &(aq_context_options){.size = sizeof(aq_context_options),
                                            .transport = g->t,
                                            .way = live.way},
                      &h.context, &g->diag));
  ck_assert_ok(g, aq_queue_create(
                      h.context,
                      &(aq_queue_options){.size_of = sizeof(aq_queue_options)},
                      &h.queue, &g->diag));
  aq_semaphore *never;
  ck_assert_ok(g, aq_semaphore_create(h.context, 0, 0, &never, &g->diag));
  ground_sync s;
  ground_sync_make(&s, never, 1, NULL, 0);
  s.sync.release = released;
  for (int i = 0; i < 3; i++)
    ck_assert_ok(g, aq_queue_barrier(h.queue, &s.sync, &g->diag));
  pthread_t other;
  ck_assert_int_eq(pthread_create(&other, NULL, idle_await, NULL), 0);
  wait_beyond(0);
  h.before = __atomic_load_n(&waits, __ATOMIC_SEQ_CST);
  aq_context_event(h.context, &(aq_system_event){.device = 0,
                                                 .queue = AQ_QUEUE_NONE,
                                                 .text = "a memory fault"});
  idle_await(NULL);
  pthread_join(other, NULL);
  aq_queue_destroy(h.queue);
  aq_semaphore_release(never);
  aq_context_destroy(h.context);
  g->t->ops = real;
  ground_close(g);
}
END_TEST

/* No host calls any more, and no epoch is in flight that a handler looks at:
 * the thread that reports a memory fault, or a packet that the device refuses,
 * looks at the queue. */
static void readable_check(bool refused)
{
  enum { MS = 30000 };
  const ground_kind live = {"sim live", "sim", AQ_MODE_LIVE,
                            AQ_EDGE_BARRIER_VALUE};
  const aq_launch broken = {
      .object = 0, .grid = {1, 1, 1}, .workgroup = {1, 1, 1}};
  ground own, *g = &own;
  ground_sync s;
  int fd;
  ground_open(g, &live, NULL, NULL);
  aq_queue *queue = ground_queue(g, NULL);
  aq_semaphore *never = ground_semaphore(g, 0), *done = ground_semaphore(g, 0);
  ck_assert_ok(g, aq_semaphore_export(done, 1, &fd, &g->diag));
  struct pollfd ready = {.fd = fd, .events = POLLIN};
  if (refused)
    ck_assert_ok(g, aq_queue_dispatch(queue, &(aq_sync){.flags = AQ_SYNC_MORE},
                                      &broken, &g->diag));
  ck_assert_ok(g,
               aq_queue_barrier(queue, ground_sync_make(&s, never, 1, done, 1),
                                &g->diag));
  if (!refused)
    aq_context_event(g->context, &(aq_system_event){.device = 0,
                                                    .queue = AQ_QUEUE_NONE,
                                                    .text = "a memory fault"});
  ck_assert_int_eq(poll(&ready, 1, MS), 1);
  ck_assert_int_eq(aq_semaphore_query(done, NULL, &g->diag), AQ_ERR_QUEUE);
  close(fd);
  aq_queue_destroy(queue);
  aq_semaphore_release(never);
  aq_semaphore_release(done);
  ground_close(g);
}

START_TEST(descriptors_are_readable_when_only_parked_operations_have_failed)
{
  readable_check(false);
  readable_check(true);
}
END_TEST

AQ_TEST_MAIN("queue/test_parked",
             descriptors_are_readable_when_only_parked_operations_have_failed,
             a_host_that_sleeps_is_told_when_parked_operations_have_failed)
