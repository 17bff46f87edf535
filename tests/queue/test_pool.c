/* SPDX-License-Identifier: MIT */
/* Memory that is freed and allocated again while operations of other threads
 * and queues are under way. What another thread would do at the worst moment,
 * while an operation is being submitted and no lock is held, is done by a
 * transport whose clock is read then. */
#include "queue/ground.h"

#include <string.h>

#include "queue/operations.h"

enum { SIZE = 4096 };

static const aq_memory_request request = {AQ_MEMORY_DEVICE, SIZE};

/* ---- a transport that calls back while an operation is submitted ---- */

static const aq_transport_ops *real;
static aq_transport_ops hooked;
static void (*meanwhile)(void);

static aq_time now_hooked(aq_transport *t)
{
  void (*const call)(void) = meanwhile;
  meanwhile = NULL;
  if (call)
    call();
  return real->now(t);
}

static ground g;
static aq_context *context;
static aq_queue *queue;
static void *mine, *theirs;

static void report_ignore(const aq_operation_report *report, void *user)
{
  (void)report, (void)user;
}

static aq_queue *queue_make(void)
{
  aq_queue *made;
  ck_assert_ok(&g, aq_queue_create(
                       context,
                       &(aq_queue_options){.size_of = sizeof(aq_queue_options),
                                           .report = report_ignore},
                       &made, &g.diag));
  return made;
}

static void open_hooked(void)
{
  ground_open(&g, &ground_kinds[0], NULL, NULL);
  real = g.t->ops;
  hooked = *real;
  hooked.now = now_hooked;
  aq_context_destroy(g.context);
  g.context = NULL;
  g.t->ops = &hooked;
  ck_assert_ok(&g, aq_context_create(
                       &(aq_context_options){.size = sizeof(aq_context_options),
                                             .transport = g.t,
                                             .way = g.kind->way},
                       &context, &g.diag));
  queue = queue_make();
}

static void close_hooked(void)
{
  aq_queue_destroy(queue);
  aq_context_destroy(context);
  g.t->ops = real;
  ground_close(&g);
}

static aq_semaphore *semaphore_make(void)
{
  aq_semaphore *made;
  ck_assert_ok(&g, aq_semaphore_create(context, 0, 0, &made, &g.diag));
  return made;
}

static aq_memory_stats memory_of(void)
{
  aq_memory_stats memory;
  aq_context_memory(context, 0, &memory);
  return memory;
}

static bool is_reached(aq_semaphore *semaphore)
{
  uint64_t value = 0;
  aq_semaphore_query(semaphore, &value, NULL);
  return value > 0;
}

static void alloca_theirs(void)
{
  const aq_sync sync = {.flags = AQ_SYNC_DEFER};
  ck_assert_ok(&g, aq_queue_alloca(queue, &sync, &request, &theirs, &g.diag));
}

/* ---- cases ---- */

START_TEST(an_alloca_does_not_wait_for_a_dealloca_that_comes_behind_it)
{
  open_hooked();
  ck_assert_ok(&g, aq_queue_alloca(queue, NULL, &request, &mine, &g.diag));
  meanwhile = alloca_theirs;
  ck_assert_ok(&g, aq_queue_dealloca(queue, NULL, mine, &g.diag));
  ck_assert_ptr_null(meanwhile);
  ck_assert_ok(&g, aq_queue_wait_idle(queue, AQ_TIME_MAX, &g.diag));
  ck_assert_ptr_ne(mine, theirs);
  ck_assert_uint_eq(memory_of().used, SIZE);
  close_hooked();
}
END_TEST

START_TEST(a_refused_dealloca_leaves_the_memory_to_its_owner)
{
  open_hooked();
  aq_semaphore *never = semaphore_make();
  ground_sync s;
  ck_assert_ok(&g, aq_queue_alloca(queue, NULL, &request, &mine, &g.diag));
  ck_assert_ok(&g, aq_queue_wait_idle(queue, AQ_TIME_MAX, &g.diag));
  ck_assert_ok(&g,
               aq_queue_barrier(queue, ground_sync_make(&s, never, 1, NULL, 0),
                                &g.diag));
  meanwhile = alloca_theirs;
  ck_assert_int_eq(
      aq_queue_dealloca(queue, &(aq_sync){.flags = AQ_SYNC_TRY}, mine, &g.diag),
      AQ_ERR_AGAIN);
  ck_assert_ptr_null(meanwhile);
  ck_assert_ptr_ne(mine, theirs);
  ck_assert_uint_eq(memory_of().used, 2 * SIZE);
  ck_assert_ok(&g, aq_semaphore_signal(never, 1, &g.diag));
  /* It is still allocated, so it can be freed. */
  ck_assert_ok(&g, aq_queue_dealloca(queue, NULL, mine, &g.diag));
  ck_assert_ok(&g, aq_queue_dealloca(queue, NULL, theirs, &g.diag));
  ck_assert_ok(&g, aq_queue_wait_idle(queue, AQ_TIME_MAX, &g.diag));
  ck_assert_uint_eq(memory_of().used, 0);
  aq_semaphore_release(never);
  close_hooked();
}
END_TEST

/* A block that leaves `queue` when `held` is signalled, by a holder that waits
 * on the device for a word, and that an alloca of `other` has got, which waits
 * for `also` too. */
typedef struct chain {
  aq_queue *holder, *other;
  aq_semaphore *held, *also, *got, *next;
} chain;

static uint64_t word;

static void holder_let_go(void)
{
  __atomic_store_n(&word, 1, __ATOMIC_RELEASE);
}

static void chain_open(chain *c)
{
  ground_sync s;
  open_hooked();
  *c = (chain){queue_make(),     queue_make(),     semaphore_make(),
               semaphore_make(), semaphore_make(), semaphore_make()};
  word = 0;
  ck_assert_ok(&g, aq_queue_wait_value(
                       c->holder, ground_sync_make(&s, NULL, 0, c->held, 1),
                       &(aq_value_wait){
                           .address = &word, .value = 1, .size = sizeof word},
                       &g.diag));
  ck_assert_ok(&g, aq_queue_alloca(queue, NULL, &request, &mine, &g.diag));
  aq_context_memory_limit(context, 0, memory_of().reserved);
  ck_assert_ok(&g, aq_queue_dealloca(queue,
                                     ground_sync_make(&s, c->held, 1, NULL, 0),
                                     mine, &g.diag));
  ck_assert_ok(&g, aq_queue_alloca(c->other,
                                   ground_sync_make(&s, c->also, 1, c->got, 1),
                                   &request, &theirs, &g.diag));
  ck_assert_ptr_eq(mine, theirs);
}

static void chain_close(chain *c)
{
  aq_queue_destroy(c->other);
  aq_queue_destroy(c->holder);
  aq_semaphore_release(c->held);
  aq_semaphore_release(c->also);
  aq_semaphore_release(c->got);
  aq_semaphore_release(c->next);
  close_hooked();
}

/* The alloca fails before the dealloca that it would have waited for is
 * complete: memory that is still written is not given to a third. */
START_TEST(memory_of_a_failed_alloca_waits_for_the_dealloca_before_it)
{
  chain c;
  ground_sync s;
  chain_open(&c);
  aq_queue *third = queue_make();
  ck_assert_ok(&g, aq_queue_dealloca(third, NULL, theirs, &g.diag));
  aq_queue_destroy(c.other); /* its deferred alloca fails at once */
  c.other = queue_make();
  ck_assert_int_eq(aq_semaphore_query(c.got, NULL, &g.diag), AQ_ERR_QUEUE);
  ck_assert_ok(&g, aq_queue_alloca(c.other,
                                   ground_sync_make(&s, NULL, 0, c.next, 1),
                                   &request, &theirs, &g.diag));
  ck_assert_ptr_eq(mine, theirs);
  const aq_point point = {c.next, 1};
  ck_assert_int_eq(
      aq_semaphore_wait(&point, 1, AQ_WAIT_ALL, AQ_S, NULL, &g.diag),
      AQ_ERR_TIMEOUT);
  ck_assert(!is_reached(c.next));
  holder_let_go();
  ground_wait(&g, c.next, 1);
  ck_assert_uint_eq(memory_of().used, memory_of().reserved);
  aq_queue_destroy(third);
  chain_close(&c);
}
END_TEST

START_TEST(a_dealloca_that_fails_early_fails_no_alloca_before_it)
{
  chain c;
  ground_sync s;
  chain_open(&c);
  aq_semaphore_fail(c.next, AQ_ERR_IO, "it was not to be");
  ck_assert_ok(&g, aq_semaphore_signal(c.also, 1, &g.diag));
  aq_queue *third = queue_make();
  ck_assert_ok(&g, aq_queue_dealloca(third,
                                     ground_sync_make(&s, c.next, 1, NULL, 0),
                                     theirs, &g.diag));
  holder_let_go();
  ground_wait(&g, c.got, 1);
  ck_assert_ok(&g, aq_queue_wait_idle(queue, AQ_TIME_MAX, &g.diag));
  ck_assert_uint_eq(memory_of().used, memory_of().reserved);
  ck_assert_ok(&g, aq_queue_dealloca(third, NULL, theirs, &g.diag));
  ck_assert_ok(&g, aq_queue_wait_idle(third, AQ_TIME_MAX, &g.diag));
  ck_assert_uint_eq(memory_of().used, 0);
  aq_queue_destroy(third);
  chain_close(&c);
}
END_TEST

/* The alloca and the dealloca behind a dealloca that fails fail with it. */
START_TEST(a_failed_dealloca_keeps_the_memory_from_all_behind_it)
{
  chain c;
  ground_sync s;
  chain_open(&c);
  ck_assert_ok(&g, aq_semaphore_signal(c.also, 1, &g.diag));
  ck_assert_ok(&g, aq_queue_dealloca(c.other,
                                     ground_sync_make(&s, NULL, 0, c.next, 1),
                                     theirs, &g.diag));
  aq_context_event(context,
                   &(aq_system_event){.queue = aq_queue_ring(c.holder)->id,
                                      .text = "it was not to be"});
  ck_assert_ok(&g, aq_queue_wait_idle(queue, AQ_TIME_MAX, &g.diag));
  ck_assert_ok(&g, aq_queue_wait_idle(c.other, AQ_TIME_MAX, &g.diag));
  ck_assert_int_eq(aq_semaphore_query(c.got, NULL, &g.diag), AQ_ERR_QUEUE);
  ck_assert_int_eq(aq_semaphore_query(c.next, NULL, &g.diag), AQ_ERR_QUEUE);
  ck_assert_uint_eq(memory_of().used, memory_of().reserved);
  ck_assert_ok(&g, aq_queue_dealloca(queue, NULL, mine, &g.diag));
  ck_assert_ok(&g, aq_queue_wait_idle(queue, AQ_TIME_MAX, &g.diag));
  ck_assert_uint_eq(memory_of().used, 0);
  chain_close(&c);
}
END_TEST

/* An operation behind the alloca signals the point that the dealloca waits for:
 * with the block, both would wait for ever. */
START_TEST(an_alloca_gets_no_block_whose_dealloca_waits_for_the_host)
{
  open_hooked();
  aq_queue *other = queue_make();
  aq_semaphore *done = semaphore_make(), *refused = semaphore_make();
  ground_sync s;
  ck_assert_ok(&g, aq_queue_alloca(queue, NULL, &request, &mine, &g.diag));
  aq_context_memory_limit(context, 0, memory_of().reserved);
  ck_assert_ok(&g,
               aq_queue_dealloca(queue, ground_sync_make(&s, done, 1, NULL, 0),
                                 mine, &g.diag));
  ck_assert_ok(&g,
               aq_queue_alloca(other, ground_sync_make(&s, NULL, 0, refused, 1),
                               &request, &theirs, &g.diag));
  ck_assert_ptr_null(theirs);
  ck_assert_int_eq(aq_semaphore_query(refused, NULL, &g.diag),
                   AQ_ERR_NO_MEMORY);
  ck_assert_ok(&g, aq_queue_barrier(
                       other, ground_sync_make(&s, NULL, 0, done, 1), &g.diag));
  ck_assert_ok(&g, aq_queue_wait_idle(queue, AQ_TIME_MAX, &g.diag));
  ck_assert_ok(&g, aq_queue_alloca(other, NULL, &request, &theirs, &g.diag));
  ck_assert_ptr_eq(mine, theirs);
  aq_queue_destroy(other);
  aq_semaphore_release(done);
  aq_semaphore_release(refused);
  close_hooked();
}
END_TEST

AQ_TEST_MAIN("queue/test_pool",
             an_alloca_gets_no_block_whose_dealloca_waits_for_the_host,
             an_alloca_does_not_wait_for_a_dealloca_that_comes_behind_it,
             a_refused_dealloca_leaves_the_memory_to_its_owner,
             memory_of_a_failed_alloca_waits_for_the_dealloca_before_it,
             a_dealloca_that_fails_early_fails_no_alloca_before_it,
             a_failed_dealloca_keeps_the_memory_from_all_behind_it)
