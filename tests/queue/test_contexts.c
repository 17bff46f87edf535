/* SPDX-License-Identifier: MIT */
/* Semaphores between contexts of one transport, on every transport. */
#include "config.h"

#include <malloc.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "queue/ground.h"
#include "queue/operations.h"
#include "queue/sync/context_priv.h"

/* Another context of the same transport, whose queues may wait in another way
 * where the transport can. */
static ground beside(ground *g, aq_edge_way way)
{
  ground other = *g;
  aq_context_options options = {
      .size = sizeof options, .transport = g->t, .way = way};
  if (aq_context_create(&options, &other.context, &g->diag) ==
      AQ_ERR_UNSUPPORTED) {
    options.way = AQ_EDGE_CHOOSE;
    ck_assert_ok(g, aq_context_create(&options, &other.context, &g->diag));
  }
  return other;
}

/* A chain of steps, alternately on the queues of two contexts: the cell shows
 * the order. The semaphore is the first context's. */
static void chain(ground *g, aq_edge_way way)
{
  enum { STEPS = 200 };
  ground other = beside(g, way);
  aq_queue *queues[2] = {ground_queue(g, NULL), ground_queue(&other, NULL)};
  aq_semaphore *done = ground_semaphore(g, 0);
  uint64_t cell = 1, expected = 1;
  for (uint64_t i = 0; i < STEPS; i++) {
    ground_sync s;
    aq_sync *sync = ground_sync_make(&s, done, i, done, i + 1);
    sync->flags |= AQ_SYNC_DEFER;
    ck_assert_ok(
        g, ground_dispatch(i % 2 ? &other : g, queues[i % 2], sync, &cell, i));
    expected = ground_stepped(expected, i);
  }
  ground_wait(&other, done, STEPS);
  if (g->info.caps & AQ_CAP_HOST_KERNELS)
    ck_assert_uint_eq(cell, expected);
  aq_queue_destroy(queues[0]);
  aq_queue_destroy(queues[1]);
  aq_semaphore_release(done);
  aq_context_destroy(other.context);
}

static void steps_of_two_contexts_run_in_order(ground *g)
{
  chain(g, g->kind->way);
}

static void contexts_that_wait_in_different_ways_run_in_order(ground *g)
{
  chain(g, AQ_EDGE_BARRIER_AND);
  chain(g, AQ_EDGE_BARRIER_VALUE);
  chain(g, AQ_EDGE_PM4);
  chain(g, AQ_EDGE_DEFER);
}

/* A waiting operation precedes the promise of its point; the host waits for
 * semaphores of both. */
static void a_wait_may_come_before_the_other_context_promises(ground *g)
{
  ground other = beside(g, g->kind->way);
  aq_queue *first = ground_queue(g, NULL), *second = ground_queue(&other, NULL);
  aq_semaphore *a = ground_semaphore(g, 0), *b = ground_semaphore(&other, 0);
  uint64_t cell = 1;
  ground_sync s;
  aq_sync *sync = ground_sync_make(&s, a, 1, b, 1);
  sync->flags |= AQ_SYNC_DEFER;
  ck_assert_ok(g, ground_dispatch(&other, second, sync, &cell, 2));
  ck_assert_ok(g, ground_dispatch(g, first, ground_sync_make(&s, NULL, 0, a, 1),
                                  &cell, 1));
  const aq_point both[] = {{a, 1}, {b, 1}};
  ck_assert_ok(
      g, aq_semaphore_wait(both, 2, AQ_WAIT_ALL, AQ_TIME_MAX, NULL, &g->diag));
  if (g->info.caps & AQ_CAP_HOST_KERNELS)
    ck_assert_uint_eq(cell, ground_stepped(ground_stepped(1, 1), 2));
  aq_queue_destroy(first);
  aq_queue_destroy(second);
  aq_semaphore_release(a);
  aq_semaphore_release(b);
  aq_context_destroy(other.context);
}

/* An edge to a queue whose context is gone. */
static void a_context_may_go_before_who_waited_for_it(ground *g)
{
  aq_queue *second = ground_queue(g, NULL);
  aq_semaphore *done = ground_semaphore(g, 0);
  uint64_t cell = 1, expected = 1;
  for (uint64_t i = 0; i < 20; i++) {
    ground other = beside(g, g->kind->way);
    aq_queue *first = ground_queue(&other, NULL);
    ground_sync s;
    ck_assert_ok(
        g, ground_dispatch(&other, first,
                           ground_sync_make(&s, done, 2 * i, done, 2 * i + 1),
                           &cell, 1));
    ck_assert_ok(g, ground_dispatch(
                        g, second,
                        ground_sync_make(&s, done, 2 * i + 1, done, 2 * i + 2),
                        &cell, 2));
    ground_wait(g, done, 2 * i + 1);
    aq_queue_destroy(first);
    aq_context_destroy(other.context);
    expected = ground_stepped(ground_stepped(expected, 1), 2);
  }
  ground_wait(g, done, 40);
  if (g->info.caps & AQ_CAP_HOST_KERNELS)
    ck_assert_uint_eq(cell, expected);
  aq_queue_destroy(second);
  aq_semaphore_release(done);
}

/* Bytes that the process has allocated, as far as malloc knows. */
static size_t allocated(void)
{
  return mallinfo2().uordblks + mallinfo2().hblkhd;
}

/* Contexts and their queues come and go, as of a library that opens one for
 * each of its models. */
static void contexts_leave_nothing_behind(ground *g)
{
  enum { WARM = 20, CONTEXTS = 200, MOST = 256 /* bytes a context */ };
  size_t before = 0;
  for (int i = 0; i < WARM + CONTEXTS; i++) {
    if (i == WARM)
      before = allocated();
    ground other = beside(g, g->kind->way);
    aq_queue_destroy(ground_queue(&other, NULL));
    aq_context_destroy(other.context);
  }
  const size_t after = allocated();
  ck_assert_msg(after <= before + CONTEXTS * MOST,
                "%zu bytes before, %zu after %d contexts", before, after,
                CONTEXTS);
}

static void a_failure_crosses_contexts(ground *g)
{
  ground other = beside(g, g->kind->way);
  aq_queue *queue = ground_queue(&other, NULL);
  aq_semaphore *bad = ground_semaphore(g, 0),
               *after = ground_semaphore(&other, 0);
  uint64_t cell = 1;
  ground_sync s;
  aq_sync *sync = ground_sync_make(&s, bad, 1, after, 1);
  sync->flags |= AQ_SYNC_DEFER;
  ck_assert_ok(g, ground_dispatch(&other, queue, sync, &cell, 1));
  aq_semaphore_fail(bad, AQ_ERR_IO, "the disk is full");
  const aq_point point = {after, 1};
  ck_assert_status(
      aq_semaphore_wait(&point, 1, AQ_WAIT_ALL, AQ_TIME_MAX, NULL, &g->diag),
      AQ_ERR_IO, &g->diag);
  ck_assert_uint_eq(cell, 1);
  aq_queue_destroy(queue);
  aq_semaphore_release(bad);
  aq_semaphore_release(after);
  aq_context_destroy(other.context);
}

static void semaphores_of_another_transport_are_refused(ground *g)
{
  ground other;
  uint64_t cell = 1;
  ground_sync s;
  ground_open(&other, &ground_kinds[0], NULL, NULL);
  aq_queue *queue = ground_queue(g, NULL);
  aq_semaphore *own = ground_semaphore(g, 0);
  aq_semaphore *foreign = ground_semaphore(&other, 0);
  ck_assert_status(ground_dispatch(g, queue,
                                   ground_sync_make(&s, foreign, 1, NULL, 0),
                                   &cell, 1),
                   AQ_ERR_INVALID, &g->diag);
  const aq_point both[] = {{own, 1}, {foreign, 1}};
  ck_assert_status(
      aq_semaphore_wait(both, 2, AQ_WAIT_ANY, AQ_TIME_MAX, NULL, &g->diag),
      AQ_ERR_INVALID, &g->diag);
  aq_queue_destroy(queue);
  aq_semaphore_release(own);
  aq_semaphore_release(foreign);
  ground_close(&other);
}

/* What stays of it, and what that may still touch. */
static aq_context *given_up;

/* A write whose copy meets a memory fault never ends. The context stays in
 * memory with all that the copy may touch, but the next transport may lie at
 * the same address, and has nothing of it. */
static void a_context_that_gives_up_shares_nothing_any_more(ground *g)
{
  enum { SIZE = 4096 };
  if (g->info.caps & AQ_CAP_LIVE || !(g->info.caps & AQ_CAP_EVENTS)) {
    aqtest_leave_out("%s: it waits longer, or reports no memory faults",
                     g->kind->label);
    return;
  }
  void *gone = mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const int fd = memfd_create("file", MFD_CLOEXEC);
  aq_sync_domain *domain = g->context->sync_domain, *next;
  aq_queue *queue = ground_queue(g, NULL);
  ck_assert_ok(g, aq_queue_write(
                      queue, NULL,
                      &(aq_file_range){.fd = fd, .memory = gone, .size = SIZE},
                      &g->diag));
  aq_queue_wait_idle(queue, AQ_TIME_MAX, &g->diag);
  aq_queue_destroy(queue);
  given_up = g->context;
  g->context = NULL;
  aq_context_destroy(given_up);
  ck_assert_ok(g, aq_sync_domain_acquire(g->t, &g->info, &next, &g->diag));
  ck_assert_ptr_ne(next, domain);
  aq_sync_domain_release(next);
  close(fd);
  munmap(gone, SIZE);
}

static void options_of_an_older_caller_end_where_its_struct_does(ground *g)
{
  aq_context_options options;
  ground other = *g;
  memset(&options, 0x41, sizeof options);
  options.size = offsetof(aq_context_options, records);
  options.transport = g->t;
  options.way = g->kind->way;
  ck_assert_ok(g, aq_context_create(&options, &other.context, &g->diag));
  aq_queue_destroy(ground_queue(&other, NULL));
  aq_context_destroy(other.context);
}

static const ground_case cases[] = {
    GROUND_CASE(a_context_that_gives_up_shares_nothing_any_more),
    GROUND_CASE(options_of_an_older_caller_end_where_its_struct_does),
    GROUND_CASE(steps_of_two_contexts_run_in_order),
    GROUND_CASE(contexts_that_wait_in_different_ways_run_in_order),
    GROUND_CASE(a_wait_may_come_before_the_other_context_promises),
    GROUND_CASE(a_context_may_go_before_who_waited_for_it),
    GROUND_CASE(contexts_leave_nothing_behind),
    GROUND_CASE(a_failure_crosses_contexts),
    GROUND_CASE(semaphores_of_another_transport_are_refused),
};

int main(void)
{
  return ground_main("queue/contexts", cases, sizeof cases / sizeof *cases);
}
