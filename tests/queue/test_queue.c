/* SPDX-License-Identifier: MIT */
/* The host queue on every ground: its promises to a runtime. */
#include "queue/ground.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "queue/operations.h"

enum { STEPS = 40, LARGE = 3000001 /* three pieces of staging */ };

static void operations_run_in_order(ground *g)
{
  aq_queue *queue = ground_queue(g, NULL);
  aq_semaphore *done = ground_semaphore(g, 0);
  uint64_t cell = 1, expected = 1;
  ground_sync s;
  for (uint64_t i = 0; i < STEPS; i++) {
    ck_assert_ok(g, ground_dispatch(g, queue,
                                    i + 1 == STEPS
                                        ? ground_sync_make(&s, NULL, 0, done, 1)
                                        : NULL,
                                    &cell, i));
    expected = ground_stepped(expected, i);
  }
  ground_wait(g, done, 1);
  ck_assert_uint_eq(cell, expected);
  aq_queue_stats stats;
  aq_queue_stats_get(queue, &stats);
  ck_assert_uint_eq(stats.operations, STEPS);
  ck_assert_uint_eq(stats.packets, STEPS);
  aq_queue_destroy(queue);
  aq_semaphore_release(done);
}

static void a_barrier_alone_signals(ground *g)
{
  aq_queue *queue = ground_queue(g, NULL);
  aq_semaphore *done = ground_semaphore(g, 5);
  ground_sync s;
  ck_assert_ok(g, aq_queue_barrier(
                      queue, ground_sync_make(&s, NULL, 0, done, 9), &g->diag));
  ground_wait(g, done, 9);
  uint64_t value;
  ck_assert_ok(g, aq_semaphore_query(done, &value, &g->diag));
  ck_assert_uint_eq(value, 9);
  ck_assert_int_eq(aq_semaphore_signal(done, 9, &g->diag), AQ_ERR_INVALID);
  ck_assert_int_eq(
      aq_queue_barrier(queue, ground_sync_make(&s, NULL, 0, done, 9), &g->diag),
      AQ_ERR_INVALID);
  aq_queue_destroy(queue);
  aq_semaphore_release(done);
}

/* Two entries a wait, one a signal, five for the operation itself: as many as
 * can be due at once when its epoch retires. */
static void
an_operation_that_could_overflow_the_notifications_is_refused(ground *g)
{
  enum { ENTRIES = 64, FIT = (ENTRIES - 5 - 1) / 3 };
  aq_queue *from = ground_queue(g, NULL);
  aq_queue *queue = ground_queue(
      g, &(aq_queue_options){.size = 64, .notifications = ENTRIES});
  aq_semaphore *done = ground_semaphore(g, 0);
  aq_point waits[FIT + 1];
  ground_sync s;
  for (uint32_t i = 0; i <= FIT; i++) {
    waits[i] = (aq_point){ground_semaphore(g, 0), 1};
    ck_assert_ok(g,
                 aq_queue_barrier(
                     from, ground_sync_make(&s, NULL, 0, waits[i].semaphore, 1),
                     &g->diag));
  }
  aq_sync sync = *ground_sync_make(&s, NULL, 0, done, 1);
  sync.waits = waits;
  sync.wait_count = FIT + 1;
  ck_assert_int_eq(aq_queue_barrier(queue, &sync, &g->diag), AQ_ERR_INVALID);
  ck_assert_str_eq(g->diag.text,
                   "20 waits and 1 signals: the queue has 64 notifications");
  sync.wait_count = FIT;
  ck_assert_ok(g, aq_queue_barrier(queue, &sync, &g->diag));
  ground_wait(g, done, 1);
  aq_queue_destroy(queue);
  aq_queue_destroy(from);
  for (uint32_t i = 0; i <= FIT; i++)
    aq_semaphore_release(waits[i].semaphore);
  aq_semaphore_release(done);
}

/* A ball thrown between queues: each throw waits for the one before. */
static void queues_wait_for_each_other(ground *g)
{
  enum { QUEUES = 3 };
  aq_queue *queues[QUEUES];
  for (int i = 0; i < QUEUES; i++)
    queues[i] = ground_queue(g, NULL);
  aq_semaphore *ball = ground_semaphore(g, 0);
  uint64_t cell = 7, expected = 7;
  for (uint64_t i = 0; i < STEPS; i++) {
    ground_sync s;
    ck_assert_ok(g, ground_dispatch(g, queues[i % QUEUES],
                                    ground_sync_make(&s, ball, i, ball, i + 1),
                                    &cell, i));
    expected = ground_stepped(expected, i);
  }
  ground_wait(g, ball, STEPS);
  ck_assert_uint_eq(cell, expected);
  for (int i = 0; i < QUEUES; i++)
    aq_queue_destroy(queues[i]);
  aq_semaphore_release(ball);
}

static void a_wait_may_come_before_its_signal(ground *g)
{
  aq_queue *first = ground_queue(g, NULL), *second = ground_queue(g, NULL);
  aq_semaphore *go = ground_semaphore(g, 0), *done = ground_semaphore(g, 0);
  uint64_t cell = 1;
  ground_sync s;
  ck_assert_ok(g,
               ground_dispatch(g, second, ground_sync_make(&s, go, 2, done, 1),
                               &cell, 2));
  ck_assert_ok(g, ground_dispatch(g, second,
                                  ground_sync_make(&s, NULL, 0, done, 2), &cell,
                                  3));
  ck_assert_ok(g,
               ground_dispatch(g, first, ground_sync_make(&s, NULL, 0, go, 1),
                               &cell, 1));
  ground_wait(g, go, 1);
  ck_assert_uint_eq(cell, ground_stepped(1, 1));
  ck_assert_ok(g, aq_semaphore_signal(go, 2, &g->diag));
  ground_wait(g, done, 2);
  ck_assert_uint_eq(cell,
                    ground_stepped(ground_stepped(ground_stepped(1, 1), 2), 3));
  aq_queue_stats stats;
  aq_queue_stats_get(second, &stats);
  ck_assert_uint_eq(stats.rules[AQ_WAIT_DEFERRED], 1);
  ck_assert_uint_eq(stats.parked, 2);
  aq_queue_destroy(first);
  aq_queue_destroy(second);
  aq_semaphore_release(go);
  aq_semaphore_release(done);
}

static void a_full_queue_takes_more_later(ground *g)
{
  enum { MANY = 3000 };
  aq_queue *queue = ground_queue(
      g, &(aq_queue_options){.size = 64, .notifications = 64, .parked = 16});
  aq_semaphore *done = ground_semaphore(g, 0);
  uint64_t cell = 1, expected = 1;
  ground_sync s;
  for (uint64_t i = 0; i < MANY; i++) {
    ground_sync_make(&s, NULL, 0, done, i + 1)->flags =
        i % 3 == 0 ? AQ_SYNC_DEFER : 0;
    ck_assert_ok(g, ground_dispatch(g, queue, &s.sync, &cell, i));
    expected = ground_stepped(expected, i);
  }
  ground_wait(g, done, MANY);
  ck_assert_uint_eq(cell, expected);
  aq_queue_destroy(queue);
  aq_semaphore_release(done);
}

static void who_only_tries_is_told_that_there_is_no_room(ground *g)
{
  aq_queue *queue =
      ground_queue(g, &(aq_queue_options){.size = 64, .notifications = 64});
  aq_semaphore *go = ground_semaphore(g, 0), *done = ground_semaphore(g, 0);
  uint64_t cell = 1;
  ground_sync s;
  /* Held back by the host, so that nothing completes. */
  ck_assert_ok(g, aq_queue_barrier(queue, ground_sync_make(&s, go, 1, NULL, 0),
                                   &g->diag));
  aq_sync try = {.flags = AQ_SYNC_TRY};
  ck_assert_int_eq(ground_dispatch(g, queue, &try, &cell, 1), AQ_ERR_AGAIN);
  ck_assert_ok(g, aq_semaphore_signal(go, 1, &g->diag));
  ck_assert_ok(g, aq_queue_wait_idle(queue, AQ_TIME_MAX, &g->diag));
  unsigned taken = 0;
  try.flags |= AQ_SYNC_MORE; /* no doorbell: the ring can only fill */
  while (taken < 1000 && ground_dispatch(g, queue, &try, &cell, 1) == AQ_OK)
    taken++;
  ck_assert_uint_ge(taken, 30);
  ck_assert_uint_lt(taken, 1000);
  aq_queue_flush(queue);
  ck_assert_ok(g, aq_queue_wait_idle(queue, AQ_TIME_MAX, &g->diag));
  ck_assert_ok(g, ground_dispatch(g, queue, &try, &cell, 1));
  aq_queue_destroy(queue);
  aq_semaphore_release(go);
  aq_semaphore_release(done);
}

typedef struct release_note {
  unsigned calls;
  aq_status status;
} release_note;

static void release_noted(aq_status status, void *user)
{
  release_note *note = user;
  note->calls++;
  note->status = status;
}

static void a_failure_reaches_all_that_wait_for_it(ground *g)
{
  aq_queue *first = ground_queue(g, NULL), *second = ground_queue(g, NULL);
  aq_semaphore *a = ground_semaphore(g, 0), *b = ground_semaphore(g, 0),
               *c = ground_semaphore(g, 0);
  release_note note = {0};
  uint64_t cell = 1;
  ground_sync s;
  ck_assert_ok(
      g, ground_dispatch(g, first, ground_sync_make(&s, a, 1, b, 1), &cell, 1));
  ground_sync_make(&s, b, 1, c, 1);
  s.sync.release = release_noted;
  s.sync.user = &note;
  ck_assert_ok(g, ground_dispatch(g, second, &s.sync, &cell, 2));
  aq_semaphore_fail(a, AQ_ERR_IO, "the disk is gone");
  const aq_point last = {c, 1};
  ck_assert_int_eq(
      aq_semaphore_wait(&last, 1, AQ_WAIT_ALL, AQ_TIME_MAX, NULL, &g->diag),
      AQ_ERR_IO);
  ck_assert_str_eq(g->diag.text, "the disk is gone");
  ck_assert_uint_eq(note.calls, 1);
  ck_assert_int_eq(note.status, AQ_ERR_IO);
  ck_assert_uint_eq(cell, 1);
  /* The queues themselves are well. */
  aq_semaphore *d = ground_semaphore(g, 0);
  ck_assert_ok(g,
               ground_dispatch(g, second, ground_sync_make(&s, NULL, 0, d, 1),
                               &cell, 5));
  ground_wait(g, d, 1);
  ck_assert_uint_eq(cell, ground_stepped(1, 5));
  aq_queue_destroy(first);
  aq_queue_destroy(second);
  aq_semaphore_release(a);
  aq_semaphore_release(b);
  aq_semaphore_release(c);
  aq_semaphore_release(d);
}

static void a_stopped_queue_fails_what_is_pending(ground *g)
{
  aq_queue *bad = ground_queue(g, NULL), *other = ground_queue(g, NULL);
  aq_semaphore *a = ground_semaphore(g, 0), *b = ground_semaphore(g, 0);
  uint64_t cell = 1;
  ground_sync s;
  const aq_launch broken = {
      .object = 0, .grid = {1, 1, 1}, .workgroup = {1, 1, 1}};
  ck_assert_ok(g, aq_queue_dispatch(bad, NULL, &broken, &g->diag));
  aq_status status =
      ground_dispatch(g, bad, ground_sync_make(&s, NULL, 0, a, 1), &cell, 1);
  if (status == AQ_OK) {
    ck_assert_ok(g, ground_dispatch(g, other, ground_sync_make(&s, a, 1, b, 1),
                                    &cell, 2));
    const aq_point point = {b, 1};
    ck_assert_int_eq(
        aq_semaphore_wait(&point, 1, AQ_WAIT_ALL, AQ_TIME_MAX, NULL, &g->diag),
        AQ_ERR_QUEUE);
    uint64_t value;
    ck_assert_int_eq(aq_semaphore_query(a, &value, &g->diag), AQ_ERR_QUEUE);
    ck_assert_uint_eq(value, 0);
  } else {
    ck_assert_int_eq(status, AQ_ERR_QUEUE); /* it had stopped at once */
  }
  ck_assert_int_eq(ground_dispatch(g, bad, NULL, &cell, 1), AQ_ERR_QUEUE);
  ck_assert_ptr_nonnull(strstr(g->diag.text, "kernel"));
  aq_queue_destroy(bad);
  aq_queue_destroy(other);
  aq_semaphore_release(a);
  aq_semaphore_release(b);
}

/* The first epoch that failed, not only those behind it. */
static void the_operation_that_stops_a_queue_fails_its_waiters(ground *g)
{
  aq_queue *bad = ground_queue(g, NULL), *other = ground_queue(g, NULL);
  aq_semaphore *a = ground_semaphore(g, 0), *b = ground_semaphore(g, 0);
  uint64_t cell = 1;
  ground_sync s;
  const aq_launch broken = {
      .object = 0, .grid = {1, 1, 1}, .workgroup = {1, 1, 1}};
  ck_assert_ok(g, ground_dispatch(g, bad, NULL, &cell, 1));
  ck_assert_ok(g, aq_queue_dispatch(bad, ground_sync_make(&s, NULL, 0, a, 1),
                                    &broken, &g->diag));
  ck_assert_ok(
      g, ground_dispatch(g, other, ground_sync_make(&s, a, 1, b, 1), &cell, 2));
  const aq_point point = {b, 1};
  ck_assert_int_eq(
      aq_semaphore_wait(&point, 1, AQ_WAIT_ALL, AQ_TIME_MAX, NULL, &g->diag),
      AQ_ERR_QUEUE);
  aq_queue_destroy(bad);
  aq_queue_destroy(other);
  aq_semaphore_release(a);
  aq_semaphore_release(b);
}

static void told(aq_status status, const char *cause, void *user)
{
  (void)cause;
  __atomic_store_n((int *)user, 100 + (int)status, __ATOMIC_RELEASE);
}

static void hosts_are_called_back_and_descriptors_become_readable(ground *g)
{
  aq_queue *queue = ground_queue(g, NULL);
  aq_semaphore *s1 = ground_semaphore(g, 0), *s2 = ground_semaphore(g, 0);
  int called = 0, failed = 0, fd;
  uint64_t cell = 1;
  ground_sync s;
  ck_assert_ok(g, aq_semaphore_notify(s1, 1, told, &called, &g->diag));
  ck_assert_ok(g, aq_semaphore_notify(s2, 1, told, &failed, &g->diag));
  ck_assert_ok(g, aq_semaphore_export(s1, 1, &fd, &g->diag));
  struct pollfd look = {.fd = fd, .events = POLLIN};
  ck_assert_int_eq(poll(&look, 1, 0), 0);
  ck_assert_ok(g,
               ground_dispatch(g, queue, ground_sync_make(&s, NULL, 0, s1, 1),
                               &cell, 1));
  ground_wait(g, s1, 1);
  ck_assert_int_eq(poll(&look, 1, 5000), 1);
  ck_assert_int_eq(__atomic_load_n(&called, __ATOMIC_ACQUIRE), 100);
  close(fd);
  aq_semaphore_fail(s2, AQ_ERR_IO, "gone");
  ck_assert_int_eq(failed, 100 + AQ_ERR_IO);
  aq_queue_destroy(queue);
  aq_semaphore_release(s1);
  aq_semaphore_release(s2);
}

static void hosts_wait_for_any_and_until_a_deadline(ground *g)
{
  aq_queue *queue = ground_queue(g, NULL);
  aq_semaphore *a = ground_semaphore(g, 0), *b = ground_semaphore(g, 0);
  uint64_t cell = 1;
  uint32_t index = 9;
  ground_sync s;
  ck_assert_ok(g, ground_dispatch(g, queue, ground_sync_make(&s, NULL, 0, b, 3),
                                  &cell, 1));
  const aq_point points[] = {{a, 1}, {b, 2}};
  ck_assert_ok(g, aq_semaphore_wait(points, 2, AQ_WAIT_ANY, AQ_TIME_MAX, &index,
                                    &g->diag));
  ck_assert_uint_eq(index, 1);
  ck_assert_int_eq(aq_semaphore_wait(points, 2, AQ_WAIT_ALL,
                                     g->ops->now(g->t) + AQ_MS, NULL, &g->diag),
                   AQ_ERR_TIMEOUT);
  if (g->kind->mode == AQ_MODE_VIRTUAL)
    ck_assert_int_eq(
        aq_semaphore_wait(points, 1, AQ_WAIT_ALL, AQ_TIME_MAX, NULL, &g->diag),
        AQ_ERR_DEADLOCK);
  /* One that is reached is enough, wherever one stands that has failed. */
  aq_semaphore_fail(a, AQ_ERR_IO, "it was not to be");
  ck_assert_ok(g, aq_semaphore_wait(points, 2, AQ_WAIT_ANY, AQ_TIME_MAX, &index,
                                    &g->diag));
  ck_assert_uint_eq(index, 1);
  ck_assert_int_eq(
      aq_semaphore_wait(points, 2, AQ_WAIT_ALL, AQ_TIME_MAX, NULL, &g->diag),
      AQ_ERR_IO);
  aq_queue_destroy(queue);
  aq_semaphore_release(a);
  aq_semaphore_release(b);
}

/* The failure of a queue passes through other queues that are well. */
static void a_failure_passes_through_the_queues_between(ground *g)
{
  enum { QUEUES = 4 };
  aq_queue *bad = ground_queue(g, NULL), *queues[QUEUES];
  aq_semaphore *semaphores[QUEUES + 1];
  uint64_t cell = 1;
  ground_sync s;
  const aq_launch broken = {
      .object = 0, .grid = {1, 1, 1}, .workgroup = {1, 1, 1}};
  semaphores[0] = ground_semaphore(g, 0);
  ck_assert_ok(g, ground_dispatch(g, bad, NULL, &cell, 1));
  ck_assert_ok(
      g, aq_queue_dispatch(bad, ground_sync_make(&s, NULL, 0, semaphores[0], 1),
                           &broken, &g->diag));
  for (int i = 0; i < QUEUES; i++) {
    queues[i] = ground_queue(g, NULL);
    semaphores[i + 1] = ground_semaphore(g, 0);
    ck_assert_ok(g, aq_queue_barrier(queues[i],
                                     ground_sync_make(&s, semaphores[i], 1,
                                                      semaphores[i + 1], 1),
                                     &g->diag));
  }
  /* The last one first: the others are looked at because of it. */
  for (int i = QUEUES; i >= 0; i--) {
    const aq_point point = {semaphores[i], 1};
    ck_assert_int_eq(
        aq_semaphore_wait(&point, 1, AQ_WAIT_ALL, AQ_TIME_MAX, NULL, &g->diag),
        AQ_ERR_QUEUE);
    ck_assert_int_eq(aq_semaphore_query(semaphores[i], NULL, &g->diag),
                     AQ_ERR_QUEUE);
  }
  aq_queue_destroy(bad);
  for (int i = 0; i < QUEUES; i++)
    aq_queue_destroy(queues[i]);
  for (int i = 0; i <= QUEUES; i++)
    aq_semaphore_release(semaphores[i]);
}

static aq_status waited(ground *g, aq_semaphore *semaphore)
{
  const aq_point point = {semaphore, 1};
  return aq_semaphore_wait(&point, 1, AQ_WAIT_ALL, AQ_TIME_MAX, NULL, &g->diag);
}

/* The engine belongs to no queue: all queues of its device fail, queues of
 * another device continue. */
static void a_copy_engine_that_faults_fails_the_queues_of_its_device(ground *g)
{
  if (!(g->info.caps & AQ_CAP_EVENTS)) {
    aqtest_leave_out("%s: it reports no memory faults", g->kind->label);
    return;
  }
  aq_queue *queue = ground_queue(g, NULL), *beside = ground_queue(g, NULL);
  aq_semaphore *copied = ground_semaphore(g, 0),
               *never = ground_semaphore(g, 0),
               *pending = ground_semaphore(g, 0),
               *later = ground_semaphore(g, 0);
  void *gone = mmap(NULL, LARGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void *to = NULL;
  uint64_t cell = 1;
  ground_sync s;
  ck_assert_ok(
      g, g->ops->mem_alloc(g->t, 0, AQ_MEMORY_DEVICE, LARGE, &to, &g->diag));
  ck_assert_ok(g, ground_dispatch(g, beside,
                                  ground_sync_make(&s, never, 1, pending, 1),
                                  &cell, 1));
  ck_assert_ok(g, aq_queue_copy(
                      queue, ground_sync_make(&s, NULL, 0, copied, 1),
                      &(aq_copy){to, gone, LARGE, AQ_PATH_HOST, AQ_COPY_ENGINE},
                      &g->diag));
  ck_assert_int_eq(waited(g, copied), AQ_ERR_QUEUE);
  ck_assert_msg(strstr(g->diag.text, "memory fault") != NULL, "%s",
                g->diag.text);
  ck_assert_int_eq(waited(g, pending), AQ_ERR_QUEUE);
  aq_status status = ground_dispatch(
      g, beside, ground_sync_make(&s, NULL, 0, later, 1), &cell, 1);
  ck_assert_int_eq(status == AQ_OK ? waited(g, later) : status, AQ_ERR_QUEUE);
  ck_assert_uint_eq(cell, 1);
  if (g->info.device_count > 1) {
    aq_queue *far = ground_queue(g, &(aq_queue_options){.device = 1});
    aq_semaphore *done = ground_semaphore(g, 0);
    ck_assert_ok(g,
                 ground_dispatch(g, far, ground_sync_make(&s, NULL, 0, done, 1),
                                 &cell, 1));
    ground_wait(g, done, 1);
    aq_queue_destroy(far);
    aq_semaphore_release(done);
  }
  aq_queue_destroy(queue);
  aq_queue_destroy(beside);
  aq_semaphore_release(copied);
  aq_semaphore_release(never);
  aq_semaphore_release(pending);
  aq_semaphore_release(later);
  munmap(gone, LARGE);
}

/* ---- doorbells ---- */

static uint64_t doorbells_of(aq_queue *queue)
{
  aq_queue_stats stats;
  aq_queue_stats_get(queue, &stats);
  return stats.doorbells;
}

static void an_operation_that_parks_rings_for_those_before_it(ground *g)
{
  aq_queue *queue = ground_queue(g, NULL);
  aq_semaphore *done = ground_semaphore(g, 0), *host = ground_semaphore(g, 0);
  uint64_t cell = 1;
  ground_sync s;
  ground_sync_make(&s, NULL, 0, done, 1);
  s.sync.flags = AQ_SYNC_MORE;
  ck_assert_ok(g, ground_dispatch(g, queue, &s.sync, &cell, 1));
  ck_assert_uint_eq(doorbells_of(queue), 0);
  ck_assert_ok(g,
               ground_dispatch(g, queue, ground_sync_make(&s, host, 1, NULL, 0),
                               &cell, 2));
  ck_assert_uint_eq(doorbells_of(queue), 1);
  ground_wait(g, done, 1);
  ck_assert_ok(g, aq_semaphore_signal(host, 1, &g->diag));
  ck_assert_ok(g, aq_queue_wait_idle(queue, AQ_TIME_MAX, &g->diag));
  ck_assert_uint_eq(cell, ground_stepped(ground_stepped(1, 1), 2));
  aq_queue_destroy(queue);
  aq_semaphore_release(done);
  aq_semaphore_release(host);
}

/* Two operations that resume, without a doorbell of their own, and one that
 * stays. */
static void operations_that_resume_ring_before_the_next_one_waits(ground *g)
{
  aq_queue *queue = ground_queue(g, NULL);
  aq_semaphore *first = ground_semaphore(g, 0), *done = ground_semaphore(g, 0),
               *second = ground_semaphore(g, 0);
  uint64_t cell = 1;
  ground_sync s;
  ground_sync_make(&s, first, 1, NULL, 0);
  s.sync.flags = AQ_SYNC_MORE;
  ck_assert_ok(g, ground_dispatch(g, queue, &s.sync, &cell, 1));
  ground_sync_make(&s, NULL, 0, done, 1);
  s.sync.flags = AQ_SYNC_MORE;
  ck_assert_ok(g, ground_dispatch(g, queue, &s.sync, &cell, 2));
  ck_assert_ok(g, ground_dispatch(g, queue,
                                  ground_sync_make(&s, second, 1, NULL, 0),
                                  &cell, 3));
  ck_assert_uint_eq(doorbells_of(queue), 0);
  ck_assert_ok(g, aq_semaphore_signal(first, 1, &g->diag));
  ck_assert_uint_eq(doorbells_of(queue), 1);
  ground_wait(g, done, 1);
  ck_assert_ok(g, aq_semaphore_signal(second, 1, &g->diag));
  ck_assert_ok(g, aq_queue_wait_idle(queue, AQ_TIME_MAX, &g->diag));
  aq_queue_destroy(queue);
  aq_semaphore_release(first);
  aq_semaphore_release(second);
  aq_semaphore_release(done);
}

/* ---- callbacks ---- */

/* The calls that a callback may make: all that do not wait. */
typedef struct busy {
  ground *g;
  aq_queue *queue, *other;
  aq_semaphore *done, *failed, *counted;
  unsigned calls; /* atomic */
  aq_status submitted;
} busy;

static void busy_told(aq_status status, const char *cause, void *user)
{
  busy *b = user;
  (void)status, (void)cause;
  __atomic_fetch_add(&b->calls, 1, __ATOMIC_RELEASE);
}

static void busy_released(aq_status status, void *user)
{
  busy *b = user;
  aq_diag diag;
  aq_queue_stats stats;
  const aq_sync park = {.flags = AQ_SYNC_DEFER};
  void *memory = NULL;
  (void)status;
  b->submitted = aq_queue_barrier(b->queue, &park, &diag);
  aq_queue_barrier(b->other, &park, &diag);
  if (aq_queue_alloca(b->other, &park,
                      &(aq_memory_request){AQ_MEMORY_DEVICE, 256}, &memory,
                      &diag) == AQ_OK)
    aq_queue_dealloca(b->other, &park, memory, &diag);
  aq_queue_flush(b->queue);
  aq_queue_poll(b->queue);
  aq_queue_poll(b->other);
  aq_queue_stats_get(b->queue, &stats);
  aq_semaphore_query(b->done, NULL, NULL);
  aq_semaphore_notify(b->counted, 1, busy_told, b, &diag);
  aq_semaphore_signal(b->counted, 1, &diag);
  aq_semaphore_fail(b->failed, AQ_ERR_IO, "on purpose");
  __atomic_fetch_add(&b->calls, 1, __ATOMIC_RELEASE);
}

static void busy_open(ground *g, busy *b)
{
  *b = (busy){.g = g,
              .queue = ground_queue(g, NULL),
              .other = ground_queue(g, NULL),
              .done = ground_semaphore(g, 0),
              .failed = ground_semaphore(g, 0),
              .counted = ground_semaphore(g, 0)};
}

static void busy_close(busy *b)
{
  aq_queue_destroy(b->queue);
  aq_queue_destroy(b->other);
  aq_semaphore_release(b->done);
  aq_semaphore_release(b->failed);
  aq_semaphore_release(b->counted);
}

static void callbacks_may_do_whatever_does_not_wait(ground *g)
{
  busy b;
  uint64_t cell = 1;
  ground_sync s;
  busy_open(g, &b);
  ground_sync_make(&s, NULL, 0, b.done, 1);
  s.sync.release = busy_released;
  s.sync.user = &b;
  ck_assert_ok(g, ground_dispatch(g, b.queue, &s.sync, &cell, 1));
  ck_assert_ok(g, aq_queue_wait_idle(b.queue, AQ_TIME_MAX, &g->diag));
  ck_assert_ok(g, aq_queue_wait_idle(b.other, AQ_TIME_MAX, &g->diag));
  ck_assert_uint_eq(b.calls, 2);
  ck_assert_int_eq(b.submitted, AQ_OK);
  busy_close(&b);
}

static void callbacks_of_a_stopped_queue_may_do_the_same(ground *g)
{
  busy b;
  ground_sync s;
  aq_semaphore *never = ground_semaphore(g, 0);
  busy_open(g, &b);
  ground_sync_make(&s, never, 1, NULL, 0);
  s.sync.release = busy_released;
  s.sync.user = &b;
  for (int i = 0; i < 3; i++)
    ck_assert_ok(g, aq_queue_barrier(b.queue, &s.sync, &g->diag));
  aq_context_event(g->context,
                   &(aq_system_event){.device = 0,
                                      .queue = aq_queue_ring(b.queue)->id,
                                      .text = "a memory fault"});
  ck_assert_ok(g, aq_queue_wait_idle(b.queue, AQ_TIME_MAX, &g->diag));
  ck_assert_ok(g, aq_queue_wait_idle(b.other, AQ_TIME_MAX, &g->diag));
  ck_assert_uint_eq(b.calls, 6);
  ck_assert_int_eq(b.submitted, AQ_ERR_QUEUE);
  busy_close(&b);
  aq_semaphore_release(never);
}

static void parked_operations_fail_with_their_queue(ground *g)
{
  aq_queue *queue = ground_queue(g, NULL);
  aq_semaphore *never = ground_semaphore(g, 0), *done = ground_semaphore(g, 0);
  release_note note = {0};
  uint64_t cell = 1;
  ground_sync s;
  ground_sync_make(&s, never, 1, done, 1);
  s.sync.release = release_noted;
  s.sync.user = &note;
  ck_assert_ok(g, ground_dispatch(g, queue, &s.sync, &cell, 1));
  aq_queue_destroy(queue);
  ck_assert_uint_eq(note.calls, 1);
  ck_assert_int_eq(aq_semaphore_query(done, NULL, &g->diag), AQ_ERR_QUEUE);
  ck_assert_uint_eq(cell, 1);
  aq_semaphore_release(never);
  aq_semaphore_release(done);
}

/* A context of a logical device of all there are, the last one first. */
static void queues_are_placed_by_their_affinity(ground *g)
{
  ground own = *g;
  aq_driver *driver;
  aq_logical_device *logical;
  uint32_t which[8];
  const uint32_t count = g->info.device_count < 8 ? g->info.device_count : 8;
  for (uint32_t i = 0; i < count; i++)
    which[i] = count - 1 - i;
  ck_assert_ok(
      g, aq_driver_open(g->t,
                        &(aq_driver_options){.size = sizeof(aq_driver_options),
                                             .all = true},
                        &driver, &g->diag));
  ck_assert_ok(
      g, aq_logical_device_open(driver, which, count, 2, &logical, &g->diag));
  ck_assert_ok(g, aq_context_create(
                      &(aq_context_options){.size = sizeof(aq_context_options),
                                            .transport = g->t,
                                            .way = g->kind->way,
                                            .devices = logical},
                      &own.context, &g->diag));
  aq_semaphore *done = ground_semaphore(&own, 0);
  uint64_t cell = 1, expected = 1;
  ground_sync s;
  for (uint32_t i = 0; i < count; i++) {
    aq_queue *queue = ground_queue(
        &own, &(aq_queue_options){
                  .affinity = aq_logical_device_affinity_of(logical, i)});
    ck_assert_uint_eq(aq_queue_device(queue), which[i]);
    ck_assert_ok(g, ground_dispatch(g, queue,
                                    ground_sync_make(&s, done, i, done, i + 1),
                                    &cell, i));
    ground_wait(&own, done, i + 1);
    expected = ground_stepped(expected, i);
    aq_queue_destroy(queue);
  }
  ck_assert_uint_eq(cell, expected);
  aq_queue *two[2] = {ground_queue(&own, NULL), ground_queue(&own, NULL)};
  if (count > 1) /* they spread */
    ck_assert_uint_ne(aq_queue_device(two[0]), aq_queue_device(two[1]));
  aq_queue_destroy(two[0]);
  aq_queue_destroy(two[1]);
  aq_queue *none = NULL;
  const aq_queue_options nowhere = {.size_of = sizeof nowhere,
                                    .affinity =
                                        ~aq_logical_device_affinity(logical)};
  ck_assert_status(aq_queue_create(own.context, &nowhere, &none, &g->diag),
                   AQ_ERR_INVALID, &g->diag);
  ck_assert_status(aq_queue_create(g->context, &nowhere, &none, &g->diag),
                   AQ_ERR_INVALID, &g->diag);
  aq_semaphore_release(done);
  aq_context_destroy(own.context);
  aq_logical_device_close(logical);
  aq_driver_close(driver);
}

/* ---- the suite on each ground ---- */

static const ground_case cases[] = {
    GROUND_CASE(operations_run_in_order),
    GROUND_CASE(a_barrier_alone_signals),
    GROUND_CASE(an_operation_that_could_overflow_the_notifications_is_refused),
    GROUND_CASE(queues_wait_for_each_other),
    GROUND_CASE(a_wait_may_come_before_its_signal),
    GROUND_CASE(a_full_queue_takes_more_later),
    GROUND_CASE(who_only_tries_is_told_that_there_is_no_room),
    GROUND_CASE(a_failure_reaches_all_that_wait_for_it),
    GROUND_CASE(a_stopped_queue_fails_what_is_pending),
    GROUND_CASE(the_operation_that_stops_a_queue_fails_its_waiters),
    GROUND_CASE(hosts_are_called_back_and_descriptors_become_readable),
    GROUND_CASE(hosts_wait_for_any_and_until_a_deadline),
    GROUND_CASE(parked_operations_fail_with_their_queue),
    GROUND_CASE(a_failure_passes_through_the_queues_between),
    GROUND_CASE(an_operation_that_parks_rings_for_those_before_it),
    GROUND_CASE(operations_that_resume_ring_before_the_next_one_waits),
    GROUND_CASE(callbacks_may_do_whatever_does_not_wait),
    GROUND_CASE(callbacks_of_a_stopped_queue_may_do_the_same),
    GROUND_CASE(queues_are_placed_by_their_affinity),
    GROUND_CASE(a_copy_engine_that_faults_fails_the_queues_of_its_device),
};

int main(void)
{
  return ground_main("queue/queue", cases, sizeof cases / sizeof *cases);
}
