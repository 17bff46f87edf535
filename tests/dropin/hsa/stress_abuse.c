/* SPDX-License-Identifier: MIT */
/*
 * Eight threads that do at random what clients may do and must not do: queues,
 * signals, handlers and memory come and go, packets name live, destroyed and
 * raw signals or nothing, queues fail, children are forked, callbacks wait for
 * a lock that the caller holds.
 *
 * AQ_ABUSE_SEED and AQ_ABUSE_OPERATIONS (of each thread) choose them. It fails
 * by crashing, by a report of a sanitizer, or by an alarm: each operation ends.
 * Seeds name operations, not their order among threads. Values are not
 * compared: a handle that one thread destroyed may be another's by then.
 */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/rng.h"
#include "dropin/hsa/client.h"

enum { THREADS = 8, MOST = 16, SIGNALS = 10000, ALARM_S = 300 };

static client c;
static uint32_t callbacks; /* atomic */
static pthread_mutex_t callers = PTHREAD_MUTEX_INITIALIZER;

/* One thread, and the objects that are its own. */
typedef struct worker {
  aq_rng rng;
  uint64_t operations;
  hsa_queue_t *queues[MOST];
  hsa_signal_t signals[MOST];
  aq_amd_signal *raw;
  pthread_t thread;
} worker;

static uint32_t below(worker *w, uint32_t bound)
{
  return (uint32_t)(aq_rng_bits(&w->rng) % bound);
}

/* Every callback waits for a lock that callers hold now and then. */
static void callback_count(void)
{
  pthread_mutex_lock(&callers);
  pthread_mutex_unlock(&callers);
  __atomic_fetch_add(&callbacks, 1, __ATOMIC_RELAXED);
}

static void queue_failed(hsa_status_t status, hsa_queue_t *queue, void *data)
{
  (void)status, (void)queue, (void)data;
  callback_count();
}

static bool handler_called(hsa_signal_value_t value, void *data)
{
  (void)data;
  callback_count();
  return value > 0;
}

static hsa_status_t event_heard(const hsa_amd_event_t *event, void *data)
{
  (void)event, (void)data;
  callback_count();
  return HSA_STATUS_SUCCESS;
}

/* ---- operations ---- */

static hsa_queue_t **some_queue(worker *w)
{
  hsa_queue_t **queue = &w->queues[below(w, MOST)];
  if (!*queue && hsa_queue_create(c.device, 64, below(w, 8) ? 0 : 2,
                                  below(w, 2) ? queue_failed : NULL, NULL,
                                  UINT32_MAX, UINT32_MAX, queue) != 0)
    *queue = NULL;
  return queue;
}

static hsa_signal_t *some_signal(worker *w)
{
  hsa_signal_t *signal = &w->signals[below(w, MOST)];
  if (!signal->handle)
    *signal = client_signal(below(w, 3));
  return signal;
}

/* Destroyed handles race with whoever gets them next, by the client's fault;
 * the thread sanitizer reports that, and has no threads in forked children. */
#ifdef __SANITIZE_THREAD__
enum { FIRST_CASE = 5, FORKS = 0 };
#else
enum { FIRST_CASE = 0, FORKS = 1 };
#endif

/* A handle for a packet: mostly a good one. */
static uint64_t some_handle(worker *w)
{
  static uint64_t destroyed; /* atomic: of any thread */
  switch (FIRST_CASE + below(w, 64)) {
  case 0:
    return 0xdead000;
  case 1:
    return some_signal(w)->handle + below(w, 64);
  case 2:
  case 3: {
    hsa_signal_t gone = client_signal(0);
    hsa_signal_destroy(gone);
    __atomic_store_n(&destroyed, gone.handle, __ATOMIC_RELAXED);
    return gone.handle;
  }
  case 4:
    return __atomic_load_n(&destroyed, __ATOMIC_RELAXED);
  case 5:
  case 6:
  case 7:
  case 8:
    return (uintptr_t)&w->raw[below(w, 8)];
  default:
    return some_signal(w)->handle;
  }
}

static void packet_submit(worker *w)
{
  hsa_queue_t *queue = *some_queue(w);
  if (!queue || hsa_queue_load_write_index_relaxed(queue) -
                        hsa_queue_load_read_index_relaxed(queue) >
                    32)
    return;
  aq_packet packet = {.barrier = {.completion_signal = {some_handle(w)}}};
  if (below(w, 4) == 0)
    packet.barrier.dependency[below(w, 5)].handle = some_handle(w);
  const uint16_t type =
      below(w, 50) ? AQ_PACKET_BARRIER_AND : (uint16_t)below(w, 256);
  client_submit(
      queue, &packet,
      aq_packet_header(type, below(w, 2), AQ_SCOPE_SYSTEM, AQ_SCOPE_SYSTEM));
}

static void queue_destroy(worker *w)
{
  hsa_queue_t **queue = &w->queues[below(w, MOST)];
  if (*queue)
    ck_assert_done(hsa_queue_destroy(*queue));
  *queue = NULL;
}

static void signal_destroy(worker *w)
{
  hsa_signal_t *signal = &w->signals[below(w, MOST)];
  if (signal->handle)
    ck_assert_done(hsa_signal_destroy(*signal));
  signal->handle = 0;
}

static void signal_change(worker *w)
{
  const hsa_signal_t signal = {some_handle(w)};
  if (below(w, 2))
    hsa_signal_store_screlease(signal, below(w, 3));
  else
    hsa_signal_subtract_scacq_screl(signal, 1);
  hsa_signal_load_scacquire(signal);
}

static void signal_wait(worker *w)
{
  const bool holds = below(w, 4) == 0;
  if (holds)
    pthread_mutex_lock(&callers);
  hsa_signal_wait_scacquire(
      *some_signal(w), HSA_SIGNAL_CONDITION_LT, 1, below(w, 200000),
      below(w, 2) ? HSA_WAIT_STATE_ACTIVE : HSA_WAIT_STATE_BLOCKED);
  if (holds)
    pthread_mutex_unlock(&callers);
}

static void handler_add(worker *w)
{
  hsa_amd_signal_async_handler(*some_signal(w), below(w, 4), below(w, 3),
                               handler_called, NULL);
}

static void memory_use(worker *w)
{
  enum { SIZE = 1 << 16 };
  void *from, *to;
  hsa_signal_t done = client_signal(1);
  if (hsa_amd_memory_pool_allocate(c.host_fine, SIZE, 0, &from) != 0)
    return;
  ck_assert_done(hsa_amd_memory_pool_allocate(c.device_coarse, SIZE, 0, &to));
  hsa_amd_memory_async_copy(to, c.device, from, c.host, SIZE, 0, NULL, done);
  hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, below(w, 10000),
                            HSA_WAIT_STATE_BLOCKED);
  /* The copy may be under way: it finds no memory. */
  ck_assert_done(hsa_amd_memory_pool_free(to));
  ck_assert_done(hsa_amd_memory_pool_free(from));
  ck_assert_done(hsa_signal_destroy(done));
  hsa_amd_memory_pool_free((void *)(uintptr_t)(below(w, 3) * 0x1000));
}

/* The child has no runtime, and opens one of its own. */
static void child_fork(worker *w)
{
  if (!FORKS || below(w, 200))
    return;
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    client own;
    client_open(&own);
    hsa_signal_t done = client_signal(1);
    aq_packet packet = {.barrier.completion_signal = done};
    client_submit(client_queue(&own, 64), &packet,
                  aq_packet_header(AQ_PACKET_BARRIER_AND, 1, AQ_SCOPE_SYSTEM,
                                   AQ_SCOPE_SYSTEM));
    client_wait_zero(done);
    ck_assert_done(hsa_shut_down());
    _exit(0);
  }
  int status = -1;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
}

static void many_signals(worker *w)
{
  if (below(w, 500))
    return;
  hsa_signal_t *all = calloc(SIGNALS, sizeof *all);
  for (int i = 0; i < SIGNALS; i++)
    all[i] = client_signal(i);
  for (int i = 0; i < SIGNALS; i++)
    ck_assert_done(hsa_signal_destroy(all[i]));
  free(all);
}

/* Counts references only: others have it open. */
static void runtime_reopen(worker *w)
{
  (void)w;
  ck_assert_done(hsa_init());
  ck_assert_done(hsa_shut_down());
}

static void nothing_destroy(worker *w)
{
  const uint64_t handle = (uint64_t)below(w, 1 << 20) << 4;
  ck_assert_int_ne(hsa_signal_destroy((hsa_signal_t){handle}), 0);
  ck_assert_int_ne(hsa_executable_destroy((hsa_executable_t){handle}), 0);
  ck_assert_int_ne(hsa_queue_destroy((hsa_queue_t *)(uintptr_t)handle), 0);
}

/* ---- the run ---- */

static void *work(void *argument)
{
  static void (*const operations[])(worker *) = {
      packet_submit, packet_submit,  packet_submit,  packet_submit,
      signal_change, signal_change,  signal_wait,    handler_add,
      queue_destroy, signal_destroy, memory_use,     child_fork,
      many_signals,  runtime_reopen, nothing_destroy};
  enum { KINDS = sizeof operations / sizeof *operations };
  worker *w = argument;
  for (uint64_t i = 0; i < w->operations; i++)
    operations[below(w, KINDS)](w);
  return NULL;
}

static void workers_run(uint64_t seed, uint64_t operations)
{
  static worker workers[THREADS];
  memset(workers, 0, sizeof workers);
  for (uint32_t i = 0; i < THREADS; i++) {
    void *raw;
    aq_rng_init(&workers[i].rng, seed, i);
    workers[i].operations = operations;
    ck_assert_done(hsa_amd_memory_pool_allocate(c.host_fine, 4096, 0, &raw));
    workers[i].raw = raw;
    ck_assert_int_eq(
        pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
  }
  for (uint32_t i = 0; i < THREADS; i++)
    pthread_join(workers[i].thread, NULL);
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
  const char *text = getenv(name);
  return text ? strtoull(text, NULL, 10) : otherwise;
}

START_TEST(eight_threads_survive_what_they_do_at_random)
{
  alarm(ALARM_S);
  client_open(&c);
  ck_assert_done(hsa_amd_register_system_event_handler(event_heard, NULL));
  workers_run(setting("AQ_ABUSE_SEED", 1),
              setting("AQ_ABUSE_OPERATIONS", 1000));
  ck_assert_done(hsa_shut_down()); /* with everything that is left */
}
END_TEST

AQ_TEST_MAIN("dropin/hsa/stress_abuse",
             eight_threads_survive_what_they_do_at_random)
