/* SPDX-License-Identifier: MIT */
/* Callbacks and host functions: no lock is held while they run, and they may do
 * the same as a client, also end the process. Tests that end it, or whose
 * failure would be a hang, run in a child. */
#include "config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "backend_sim/thread_yield.h"
#include "common/hsa_sim.h"
#include "common/wall_clock.h"
#include "dropin/hsa/client.h"

static void bad_submit(hsa_queue_t *queue)
{
  const aq_packet packet = {0};
  client_submit(queue, &packet, 99);
}

static hsa_queue_t *
queue_with(const client *c,
           void (*callback)(hsa_status_t, hsa_queue_t *, void *), void *data)
{
  hsa_queue_t *queue;
  ck_assert_done(hsa_queue_create(c->device, 64, HSA_QUEUE_TYPE_MULTI, callback,
                                  data, UINT32_MAX, UINT32_MAX, &queue));
  return queue;
}

/* A wait that nothing but the end of the runtime ends. */
static void wait_long(hsa_signal_t never)
{
  hsa_signal_wait_scacquire(never, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
                            HSA_WAIT_STATE_BLOCKED);
}

/* ---- other threads continue ---- */

/* What another thread does while a callback or a host function waits for it. */
typedef struct meeting {
  uint32_t begun, done; /* atomic */
} meeting;

static void meeting_wait(const uint32_t *word)
{
  while (!__atomic_load_n(word, __ATOMIC_ACQUIRE))
    usleep(1000);
}

static void *meeting_work(void *argument)
{
  meeting *m = argument;
  client c;
  hsa_queue_t *queue;
  meeting_wait(&m->begun);
  client_open(&c);
  queue = client_queue(&c, 64);
  ck_assert_done(hsa_signal_destroy(client_signal(3)));
  ck_assert_done(hsa_queue_destroy(queue));
  ck_assert_done(hsa_shut_down());
  __atomic_store_n(&m->done, 1, __ATOMIC_RELEASE);
  return NULL;
}

static void meeting_hold(meeting *m)
{
  __atomic_store_n(&m->begun, 1, __ATOMIC_RELEASE);
  meeting_wait(&m->done);
}

static void error_meets(hsa_status_t status, hsa_queue_t *queue, void *data)
{
  (void)status, (void)queue;
  meeting_hold(data);
}

static void error_body(void)
{
  static meeting m;
  pthread_t other;
  client c;
  client_open(&c);
  hsa_queue_t *queue = queue_with(&c, error_meets, &m);
  pthread_create(&other, NULL, meeting_work, &m);
  bad_submit(queue);
  hsa_signal_wait_scacquire(client_signal(1), HSA_SIGNAL_CONDITION_LT, 1,
                            1000000, HSA_WAIT_STATE_BLOCKED);
  pthread_join(other, NULL);
  ck_assert_done(hsa_shut_down());
  _exit(7);
}

START_TEST(other_threads_go_on_while_an_error_callback_runs)
{
  ck_assert_int_eq(client_child(error_body), 7);
}
END_TEST

/* No thread reads the report about a packet without a doorbell. */
static void report_body(void)
{
  enum { SOON_NS = 300000000 };
  char at[32], block[4096] = {0};
  int ends[2];
  client c;
  snprintf(at, sizeof at, "%" PRId64, aq_wall_ns() + SOON_NS);
  ck_assert_int_eq(setenv("AQUEDUCT_REPORT_AT", at, 1), 0);
  client_open(&c);
  hsa_queue_t *queue = client_queue(&c, 64);
  hsa_queue_store_write_index_relaxed(queue, 1);
  aq_packet_publish(queue->base,
                    aq_packet_header(AQ_PACKET_BARRIER_AND, 0, 0, 0), 0);
  ck_assert_int_eq(pipe2(ends, O_NONBLOCK), 0);
  while (write(ends[1], block, sizeof block) > 0)
    ;
  ck_assert_int_eq(fcntl(ends[1], F_SETFL, 0), 0);
  ck_assert_int_eq(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
  while (aq_wall_ns() < strtoll(at, NULL, 10) + SOON_NS)
    usleep(10000);
  client_signal(1); /* takes the lock of the runtime */
  /* TSan's _exit() flushes stderr, whose lock the thread of the report has. */
  syscall(SYS_exit_group, 12);
}

START_TEST(other_threads_go_on_while_a_report_is_printed)
{
  ck_assert_int_eq(client_child(report_body), 12);
}
END_TEST

static hsa_signal_t kernel_start(const client *c,
                                 void (*function)(const aq_kernel_call *call),
                                 void *user)
{
  aq_hsa_sim sim;
  uint64_t object;
  ck_assert_done(hsa_system_get_major_extension_table(
      AQ_HSA_EXTENSION_SIM, AQ_HSA_SIM_MAJOR, sizeof sim, &sim));
  const aq_kernel_desc desc = {
      .name = "callback", .function = function, .user = user};
  ck_assert_done(sim.kernel_register(&desc, &object));
  aq_packet packet = {.kernel = {.workgroup_size = {64, 1, 1},
                                 .grid_size = {64, 1, 1},
                                 .kernel_object = object,
                                 .completion_signal = client_signal(1)}};
  packet.setup = 1;
  client_submit(client_queue(c, 64), &packet,
                aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 1, AQ_SCOPE_SYSTEM,
                                 AQ_SCOPE_SYSTEM));
  return packet.kernel.completion_signal;
}

static void kernel_meets(const aq_kernel_call *call)
{
  meeting_hold(call->user);
}

static void kernel_body(void)
{
  static meeting m;
  pthread_t other;
  client c;
  client_open(&c);
  hsa_signal_t done = kernel_start(&c, kernel_meets, &m);
  pthread_create(&other, NULL, meeting_work, &m);
  client_wait_zero(done);
  pthread_join(other, NULL);
  ck_assert_done(hsa_shut_down());
  _exit(7);
}

START_TEST(other_threads_go_on_while_a_host_function_runs)
{
  ck_assert_int_eq(client_child(kernel_body), 7);
}
END_TEST

/* ---- the end, from inside ---- */

/* Before a callback closes the runtime: whoever caused it is out of that call
 * of HSA and in its wait. */
static void caller_wait(void)
{
  usleep(50000);
}

static void error_exits(hsa_status_t status, hsa_queue_t *queue, void *data)
{
  (void)status, (void)queue, (void)data;
  caller_wait();
  exit(4);
}

static void shut_down_at_exit(void)
{
  hsa_shut_down();
}

static void exit_body(void)
{
  client c;
  atexit(shut_down_at_exit);
  client_open(&c);
  hsa_signal_t never = client_signal(1);
  bad_submit(queue_with(&c, error_exits, NULL));
  wait_long(never);
}

START_TEST(an_error_callback_may_exit)
{
  ck_assert_int_eq(client_child(exit_body), 4);
}
END_TEST

static bool handler_exits(hsa_signal_value_t value, void *data)
{
  (void)value, (void)data;
  caller_wait();
  exit(5);
}

static void exit_handler_body(void)
{
  client c;
  atexit(shut_down_at_exit);
  client_open(&c);
  hsa_signal_t signal = client_signal(1), never = client_signal(1);
  ck_assert_done(hsa_amd_signal_async_handler(signal, HSA_SIGNAL_CONDITION_EQ,
                                              0, handler_exits, NULL));
  hsa_signal_store_relaxed(signal, 0);
  wait_long(never);
}

START_TEST(a_signal_handler_may_exit)
{
  ck_assert_int_eq(client_child(exit_handler_body), 5);
}
END_TEST

static void kernel_exits(const aq_kernel_call *call)
{
  (void)call;
  exit(6);
}

static void exit_kernel_body(void)
{
  client c;
  atexit(shut_down_at_exit);
  client_open(&c);
  client_wait_zero(kernel_start(&c, kernel_exits, NULL));
}

START_TEST(a_host_function_may_exit)
{
  ck_assert_int_eq(client_child(exit_kernel_body), 6);
}
END_TEST

static void error_shuts_down(hsa_status_t status, hsa_queue_t *queue,
                             void *data)
{
  (void)status, (void)queue;
  caller_wait();
  const hsa_status_t got = hsa_shut_down();
  __atomic_store_n((hsa_status_t *)data, got, __ATOMIC_RELEASE);
}

/* The wait ends, the runtime is gone, and there may be another one. */
static void shut_down_body(void)
{
  static hsa_status_t got = HSA_STATUS_ERROR;
  client c;
  client_open(&c);
  hsa_signal_t never = client_signal(1);
  bad_submit(queue_with(&c, error_shuts_down, &got));
  wait_long(never);
  while (__atomic_load_n(&got, __ATOMIC_ACQUIRE) != HSA_STATUS_SUCCESS)
    usleep(1000); /* the wait ends while the runtime closes */
  ck_assert_hsa(hsa_shut_down(), HSA_STATUS_ERROR_NOT_INITIALIZED);
  client_open(&c);
  ck_assert_done(hsa_queue_destroy(client_queue(&c, 64)));
  ck_assert_done(hsa_shut_down());
  _exit(8);
}

START_TEST(an_error_callback_may_shut_down)
{
  ck_assert_int_eq(client_child(shut_down_body), 8);
}
END_TEST

static void kernel_shuts_down(const aq_kernel_call *call)
{
  *(hsa_status_t *)call->user = hsa_shut_down();
}

START_TEST(a_host_function_cannot_shut_down)
{
  static hsa_status_t got;
  client c;
  client_open(&c);
  client_wait_zero(kernel_start(&c, kernel_shuts_down, &got));
  ck_assert_hsa(got, HSA_STATUS_ERROR);
  ck_assert_done(hsa_shut_down());
}
END_TEST

/* ---- while the runtime closes ---- */

static void error_is_slow(hsa_status_t status, hsa_queue_t *queue, void *data)
{
  (void)status, (void)queue, (void)data;
  usleep(100);
}

static void *nothing(void *argument)
{
  (void)argument;
  ck_assert_done(hsa_signal_destroy(client_signal(0)));
  return NULL;
}

static void closing_body(void)
{
  for (int i = 0; i < 60; i++) {
    hsa_queue_t *queues[8];
    pthread_t other;
    client c;
    client_open(&c);
    pthread_create(&other, NULL, nothing, NULL); /* ends the lockstep */
    pthread_join(other, NULL);
    for (int q = 0; q < 8; q++)
      queues[q] = queue_with(&c, error_is_slow, NULL);
    for (int q = 8; q-- > 0;)
      bad_submit(queues[q]);
    for (volatile int pause = 0; pause < i * 400; pause++)
      ;
    ck_assert_done(hsa_shut_down());
  }
  _exit(9);
}

START_TEST(queues_that_fail_while_the_runtime_closes_harm_nobody)
{
  ck_assert_int_eq(client_child(closing_body), 9);
}
END_TEST

/* A thread that waits for one signal, named often, so that the wait's end
 * takes long. */
typedef struct waiter {
  hsa_signal_t *signals;
  uint32_t *conditions, found;
  hsa_signal_value_t *values, *seen;
} waiter;

enum { WAITER_SIGNALS = 1 << 18, WAITER_VALUE = 7 };

static void *waiter_run(void *argument)
{
  waiter *w = argument;
  w->found = hsa_amd_signal_wait_all(WAITER_SIGNALS, w->signals, w->conditions,
                                     w->values, UINT64_MAX,
                                     HSA_WAIT_STATE_ACTIVE, w->seen);
  return NULL;
}

static void waiter_init(waiter *w)
{
  w->signals = calloc(WAITER_SIGNALS, sizeof *w->signals);
  w->conditions = calloc(WAITER_SIGNALS, sizeof *w->conditions);
  w->values = calloc(WAITER_SIGNALS, sizeof *w->values);
  w->seen = calloc(WAITER_SIGNALS, sizeof *w->seen);
  ck_assert(w->signals && w->conditions && w->values && w->seen);
  for (int i = 0; i < WAITER_SIGNALS; i++)
    w->values[i] = WAITER_VALUE; /* conditions: EQ is 0 */
}

/* The runtime closes `pause` us after the signal changed. */
static void waiter_meets_the_end(waiter *w, unsigned pause)
{
  pthread_t thread;
  client c;
  client_open(&c);
  const hsa_signal_t signal = client_signal(0);
  for (int i = 0; i < WAITER_SIGNALS; i++)
    w->signals[i] = signal;
  pthread_create(&thread, NULL, waiter_run, w);
  usleep(30000);
  hsa_signal_store_relaxed(signal, WAITER_VALUE);
  usleep(pause);
  ck_assert_done(hsa_shut_down());
  pthread_join(thread, NULL);
  for (int i = 0; w->found == 0 && i < WAITER_SIGNALS; i++)
    ck_assert_int_eq(w->seen[i], WAITER_VALUE);
}

static void waiter_body(void)
{
  static waiter w;
  waiter_init(&w);
  for (unsigned i = 0; i < 24; i++)
    waiter_meets_the_end(&w, i * 1000);
  _exit(11);
}

START_TEST(a_wait_that_succeeds_gives_its_values_while_the_runtime_closes)
{
  ck_assert_int_eq(client_child(waiter_body), 11);
}
END_TEST

static pthread_mutex_t callers = PTHREAD_MUTEX_INITIALIZER;
static uint32_t entered; /* atomic */

static bool handler_locks(hsa_signal_value_t value, void *data)
{
  (void)value, (void)data;
  __atomic_store_n(&entered, 1, __ATOMIC_RELEASE);
  pthread_mutex_lock(&callers);
  pthread_mutex_unlock(&callers);
  return false;
}

static void lock_body(void)
{
  client c;
  client_open(&c);
  hsa_signal_t signal = client_signal(1);
  pthread_mutex_lock(&callers);
  ck_assert_done(hsa_amd_signal_async_handler(signal, HSA_SIGNAL_CONDITION_EQ,
                                              0, handler_locks, NULL));
  hsa_signal_store_relaxed(signal, 0);
  meeting_wait(&entered);
  ck_assert_done(hsa_signal_destroy(signal));
  ck_assert_done(hsa_shut_down());
  pthread_mutex_unlock(&callers);
  usleep(10000);
  _exit(10);
}

START_TEST(a_handler_may_wait_for_a_lock_of_who_shuts_down)
{
  ck_assert_int_eq(client_child(lock_body), 10);
}
END_TEST

static bool handler_counts(hsa_signal_value_t value, void *data)
{
  (void)value;
  __atomic_fetch_add((uint32_t *)data, 1, __ATOMIC_RELEASE);
  return false;
}

/* A wait that returns lets the handler of the same signal go first: programs
 * end after their last wait and delete the handler's data. */
START_TEST(a_wait_returns_after_the_handler_of_its_signal)
{
  enum { TRIES = 100, MOST = 90 };
  uint32_t called = 0, before = 0;
  client c;
  client_open(&c);
  hsa_queue_t *queue = client_queue(&c, 64);
  for (int i = 0; i < TRIES; i++) {
    hsa_signal_t signal = client_signal(1);
    ck_assert_done(hsa_amd_signal_async_handler(signal, HSA_SIGNAL_CONDITION_EQ,
                                                0, handler_counts, &called));
    aq_packet packet = {.barrier = {.completion_signal = signal}};
    client_submit(queue, &packet,
                  aq_packet_header(AQ_PACKET_BARRIER_AND, 1, AQ_SCOPE_SYSTEM,
                                   AQ_SCOPE_SYSTEM));
    client_wait_zero(signal);
    before += __atomic_load_n(&called, __ATOMIC_ACQUIRE) > (uint32_t)i;
    while (__atomic_load_n(&called, __ATOMIC_ACQUIRE) <= (uint32_t)i)
      usleep(100);
    ck_assert_done(hsa_signal_destroy(signal));
  }
  ck_assert_uint_ge(before, MOST); /* 10 ms may pass on a busy machine */
  ck_assert_done(hsa_shut_down());
}
END_TEST

/* A thread notes it after it rang, as HIP until 6.1 does with the times of a
 * command, and its handler reads it. */
typedef struct note {
  uint32_t noted, seen; /* atomic */
} note;

static bool handler_reads(hsa_signal_value_t value, void *argument)
{
  note *n = argument;
  (void)value;
  __atomic_store_n(&n->seen,
                   __atomic_load_n(&n->noted, __ATOMIC_ACQUIRE) ? 1 : 2,
                   __ATOMIC_RELEASE);
  return false;
}

static void *calls_once(void *argument)
{
  (void)argument;
  ck_assert_done(hsa_signal_destroy(client_signal(1)));
  return NULL;
}

START_TEST(a_handler_comes_after_what_its_thread_does_when_it_rang)
{
  enum { TRIES = 200, NOTING_NS = 20000 };
  pthread_t other;
  client c;
  client_open(&c);
  hsa_queue_t *queue = client_queue(&c, 64);
  /* A second thread: the device no longer waits for this one. */
  ck_assert_int_eq(pthread_create(&other, NULL, calls_once, NULL), 0);
  ck_assert_int_eq(pthread_join(other, NULL), 0);
  for (int i = 0; i < TRIES; i++) {
    note n = {0};
    hsa_signal_t signal = client_signal(1);
    ck_assert_done(hsa_amd_signal_async_handler(signal, HSA_SIGNAL_CONDITION_EQ,
                                                0, handler_reads, &n));
    aq_packet packet = {.barrier = {.completion_signal = signal}};
    client_submit(queue, &packet,
                  aq_packet_header(AQ_PACKET_BARRIER_AND, 1, AQ_SCOPE_SYSTEM,
                                   AQ_SCOPE_SYSTEM));
    sched_yield(); /* preempted there, too */
    for (int64_t end = aq_wall_ns() + NOTING_NS; aq_wall_ns() < end;)
      ;
    __atomic_store_n(&n.noted, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&n.seen, __ATOMIC_ACQUIRE))
      usleep(100);
    ck_assert_uint_eq(n.seen, 1);
    ck_assert_done(hsa_signal_destroy(signal));
  }
  ck_assert_done(hsa_shut_down());
}
END_TEST

/* The lead of a thread that calls nothing else is short. */
START_TEST(a_handler_comes_while_its_thread_computes)
{
  note n = {.noted = 1};
  client c;
  client_open(&c);
  hsa_signal_t signal = client_signal(0);
  ck_assert_done(hsa_amd_signal_async_handler(signal, HSA_SIGNAL_CONDITION_EQ,
                                              0, handler_reads, &n));
  while (!__atomic_load_n(&n.seen, __ATOMIC_ACQUIRE))
    ;
  ck_assert_done(hsa_signal_destroy(signal));
  ck_assert_done(hsa_shut_down());
}
END_TEST

/* Under a checker too, which observes each call of a handler. */
START_TEST(handlers_that_are_never_called_leave_no_memory_behind)
{
  enum { HANDLERS = 20000, SPARE = 1 << 18 /* bytes */ };
  note n = {.noted = 1};
  client c;
  char folder[] = "/tmp/aq-handlers-XXXXXX", command[64];
  ck_assert_ptr_nonnull(mkdtemp(folder));
  setenv("AQUEDUCT_SPOOL", folder, 1); /* where the checker's rows go */
  setenv("AQUEDUCT_CHECK", "race", 1);
  client_open(&c);
  size_t before = 0;
  for (int i = 0; i < 2 * HANDLERS; i++) {
    hsa_signal_t signal = client_signal(0);
    ck_assert_done(hsa_amd_signal_async_handler(signal, HSA_SIGNAL_CONDITION_EQ,
                                                1, handler_reads, &n));
    ck_assert_done(hsa_signal_destroy(signal));
    if (i + 1 == HANDLERS)
      before = mallinfo2().uordblks;
  }
  /* Their thread frees its own list. */
  for (int i = 0; i < 30000 && mallinfo2().uordblks > before + SPARE; i++)
    usleep(1000);
  ck_assert_uint_le(mallinfo2().uordblks, before + SPARE);
  ck_assert_uint_eq(n.seen, 0);
  ck_assert_done(hsa_shut_down());
  snprintf(command, sizeof command, "rm -r %s", folder);
  ck_assert_int_eq(system(command), 0);
}
END_TEST

/* As the preloaded library counts them. */
uint32_t aqueduct_yields[AQ_YIELDS];

static int64_t processor_ns(void)
{
  struct timespec ran;
  ck_assert_int_eq(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran), 0);
  return (int64_t)ran.tv_sec * 1000000000 + ran.tv_nsec;
}

START_TEST(a_handler_comes_soon_while_its_thread_yields)
{
  enum { TRIES = 40, LEAD_NS = 1000000 };
  pthread_t other;
  client c;
  client_open(&c);
  ck_assert_int_eq(pthread_create(&other, NULL, calls_once, NULL), 0);
  ck_assert_int_eq(pthread_join(other, NULL), 0);
  hsa_signal_t signal = client_signal(0);
  const int64_t begin = processor_ns();
  for (int i = 0; i < TRIES; i++) {
    note n = {.noted = 1};
    ck_assert_done(hsa_amd_signal_async_handler(signal, HSA_SIGNAL_CONDITION_EQ,
                                                0, handler_reads, &n));
    while (!__atomic_load_n(&n.seen, __ATOMIC_ACQUIRE)) {
      __atomic_fetch_add(aq_yields_of(gettid()), 1, __ATOMIC_RELAXED);
      sched_yield();
    }
  }
  ck_assert_int_lt(processor_ns() - begin, (int64_t)TRIES * LEAD_NS / 2);
  ck_assert_done(hsa_signal_destroy(signal));
  ck_assert_done(hsa_shut_down());
}
END_TEST

AQ_TEST_MAIN("dropin/hsa/callbacks",
             other_threads_go_on_while_an_error_callback_runs,
             other_threads_go_on_while_a_host_function_runs,
             other_threads_go_on_while_a_report_is_printed,
             an_error_callback_may_exit, a_signal_handler_may_exit,
             a_host_function_may_exit, an_error_callback_may_shut_down,
             a_host_function_cannot_shut_down,
             queues_that_fail_while_the_runtime_closes_harm_nobody,
             a_wait_that_succeeds_gives_its_values_while_the_runtime_closes,
             a_handler_may_wait_for_a_lock_of_who_shuts_down,
             a_wait_returns_after_the_handler_of_its_signal,
             a_handler_comes_after_what_its_thread_does_when_it_rang,
             a_handler_comes_while_its_thread_computes,
             handlers_that_are_never_called_leave_no_memory_behind,
             a_handler_comes_soon_while_its_thread_yields)
