/* SPDX-License-Identifier: MIT */
/*
 * Clients that break rules, or use what hardware allows and few runtimes
 * expect: handles of nothing, signals of their own, memory that goes, indices
 * beyond the ring. The answer is a status, a callback, or a line; the process
 * lives, and other queues work. Each runs in a child.
 */
#include "config.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dropin/hsa/client.h"

enum { DONE = 7, NOWHERE = 0x1000, PAGE = 4096 };

/* Long enough for a device that sleeps to look at memory several times. */
static void settle(void)
{
  usleep(30000);
}

static uint16_t barrier_header(void)
{
  return aq_packet_header(AQ_PACKET_BARRIER_AND, 1, AQ_SCOPE_SYSTEM,
                          AQ_SCOPE_SYSTEM);
}

static void barrier_submit(hsa_queue_t *queue, uint64_t dependency,
                           uint64_t completion)
{
  aq_packet packet = {.barrier = {.dependency = {{dependency}},
                                  .completion_signal = {completion}}};
  client_submit(queue, &packet, barrier_header());
}

/* A queue, the device and other threads still do their work. */
static void others_go_on(const client *c)
{
  hsa_queue_t *queue = client_queue(c, 64);
  hsa_signal_t done = client_signal(1);
  barrier_submit(queue, 0, done.handle);
  client_wait_zero(done);
  ck_assert_done(hsa_queue_destroy(queue));
  ck_assert_done(hsa_signal_destroy(done));
}

static void *thread_create(void *argument)
{
  (void)argument;
  ck_assert_done(hsa_signal_destroy(client_signal(0)));
  return NULL;
}

/* The device thread drives from now on. */
static void second_thread(void)
{
  pthread_t other;
  ck_assert_int_eq(pthread_create(&other, NULL, thread_create, NULL), 0);
  pthread_join(other, NULL);
}

/* ---- signals that the client made itself ---- */

static aq_amd_signal *raw_signal(const client *c, int64_t value)
{
  void *at;
  ck_assert_done(hsa_amd_memory_pool_allocate(c->host_fine, PAGE, 0, &at));
  aq_amd_signal *raw = at;
  *raw = (aq_amd_signal){.kind = AQ_AMD_SIGNAL_USER, .value = value};
  return raw;
}

static void raw_await(const aq_amd_signal *raw, int64_t value)
{
  for (int i = 0; i < 10000; i++) {
    if (__atomic_load_n(&raw->value, __ATOMIC_ACQUIRE) == value)
      return;
    usleep(1000);
  }
  ck_abort_msg("the signal never became %lld", (long long)value);
}

/* The last bytes of the page: what lies behind a raw signal is not ours. */
static void raw_completion_body(void)
{
  client c;
  client_open(&c);
  hsa_queue_t *queue = client_queue(&c, 64);
  aq_amd_signal *raw = raw_signal(&c, 1);
  raw += PAGE / sizeof *raw - 1;
  uint64_t mailbox = 0;
  *raw = (aq_amd_signal){.kind = AQ_AMD_SIGNAL_USER,
                         .value = 2,
                         .mailbox = (uintptr_t)&mailbox,
                         .event_id = 33};
  ck_assert_done(hsa_amd_profiling_set_profiler_enabled(queue, 1));
  barrier_submit(queue, 0, (uintptr_t)raw);
  barrier_submit(queue, 0, (uintptr_t)raw);
  raw_await(raw, 0);
  settle();
  ck_assert_uint_eq(__atomic_load_n(&mailbox, __ATOMIC_ACQUIRE), 33);
  ck_assert_uint_ne(raw->end_ts, 0);
  ck_assert_uint_le(raw->start_ts, raw->end_ts);
  others_go_on(&c);
  ck_assert_done(hsa_shut_down());
  _exit(DONE);
}

START_TEST(packets_complete_a_signal_that_the_client_made_itself)
{
  ck_assert_int_eq(client_child(raw_completion_body), DONE);
}
END_TEST

static void raw_chain_body(void)
{
  client c;
  client_open(&c);
  hsa_queue_t *first = client_queue(&c, 64), *second = client_queue(&c, 64);
  aq_amd_signal *raw = raw_signal(&c, 1);
  aq_amd_signal *gate = raw_signal(&c, 1);
  hsa_signal_t done = client_signal(1);
  barrier_submit(second, (uintptr_t)raw, done.handle);
  barrier_submit(first, (uintptr_t)gate, (uintptr_t)raw);
  settle();
  ck_assert_int_eq(hsa_signal_load_scacquire(done), 1);
  __atomic_store_n(&gate->value, 0, __ATOMIC_RELEASE);
  client_wait_zero(done);
  ck_assert_int_eq(raw->value, 0);
  ck_assert_done(hsa_shut_down());
  _exit(DONE);
}

START_TEST(barriers_wait_for_signals_that_the_client_made_itself)
{
  ck_assert_int_eq(client_child(raw_chain_body), DONE);
}
END_TEST

/* ---- handles of nothing ---- */

static uint32_t events; /* atomic */
static uint64_t event_address;

static hsa_status_t event_note(const hsa_amd_event_t *event, void *data)
{
  (void)data;
  event_address = event->address;
  __atomic_fetch_add(&events, 1, __ATOMIC_RELEASE);
  return HSA_STATUS_SUCCESS;
}

static void event_await(uint32_t count)
{
  for (int i = 0; i < 10000; i++) {
    if (__atomic_load_n(&events, __ATOMIC_ACQUIRE) == count)
      return;
    usleep(1000);
  }
  ck_abort_msg("event %u never came", count);
}

static void nothing_body(void)
{
  client c;
  client_open(&c);
  ck_assert_done(hsa_amd_register_system_event_handler(event_note, NULL));
  barrier_submit(client_queue(&c, 64), 0, 0xdead000);
  event_await(1);
  ck_assert_uint_eq(event_address, 0xdead000);
  barrier_submit(client_queue(&c, 64), 0xdead000, 0);
  event_await(2);
  second_thread();
  barrier_submit(client_queue(&c, 64), 0, 0xbeef001); /* misaligned too */
  event_await(3);
  barrier_submit(client_queue(&c, 64), NOWHERE, 0);
  event_await(4);
  others_go_on(&c);
  ck_assert_done(hsa_shut_down());
  _exit(DONE);
}

START_TEST(a_packet_that_names_no_signal_is_a_memory_fault)
{
  ck_assert_int_eq(client_child(nothing_body), DONE);
}
END_TEST

static void gone_body(void)
{
  client c;
  client_open(&c);
  ck_assert_done(hsa_amd_register_system_event_handler(event_note, NULL));
  aq_amd_signal *raw = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert_ptr_ne(raw, MAP_FAILED);
  *raw = (aq_amd_signal){.kind = AQ_AMD_SIGNAL_USER, .value = 1};
  second_thread();
  barrier_submit(client_queue(&c, 64), (uintptr_t)raw, 0);
  settle();
  ck_assert_uint_eq(__atomic_load_n(&events, __ATOMIC_ACQUIRE), 0);
  ck_assert_int_eq(munmap(raw, PAGE), 0);
  event_await(1);
  others_go_on(&c);
  ck_assert_done(hsa_shut_down());
  _exit(DONE);
}

START_TEST(a_signal_whose_memory_goes_while_a_barrier_waits_is_a_memory_fault)
{
  ck_assert_int_eq(client_child(gone_body), DONE);
}
END_TEST

static void event_locked(pthread_mutex_t *lock)
{
  pthread_mutex_lock(lock);
  pthread_mutex_unlock(lock);
}

static hsa_status_t event_waits(const hsa_amd_event_t *event, void *data)
{
  (void)event;
  event_locked(data);
  __atomic_fetch_add(&events, 1, __ATOMIC_RELEASE);
  return HSA_STATUS_SUCCESS;
}

static void event_lock_body(void)
{
  static pthread_mutex_t callers = PTHREAD_MUTEX_INITIALIZER;
  client c;
  client_open(&c);
  ck_assert_done(hsa_amd_register_system_event_handler(event_waits, &callers));
  second_thread();
  pthread_mutex_lock(&callers);
  barrier_submit(client_queue(&c, 64), 0, 0xdead000);
  settle();
  others_go_on(&c);
  pthread_mutex_unlock(&callers);
  event_await(1);
  ck_assert_done(hsa_shut_down());
  _exit(DONE);
}

START_TEST(the_device_goes_on_while_an_event_handler_waits_for_a_lock)
{
  ck_assert_int_eq(client_child(event_lock_body), DONE);
}
END_TEST

static hsa_status_t event_exits(const hsa_amd_event_t *event, void *data)
{
  (void)event, (void)data;
  exit(DONE);
}

static void at_exit(void)
{
  hsa_shut_down();
}

/* Waits for a signal until the handler ends the process. */
static void event_exit(uint64_t attributes)
{
  client c;
  hsa_signal_t waited;
  atexit(at_exit);
  client_open(&c);
  ck_assert_done(hsa_amd_register_system_event_handler(event_exits, NULL));
  ck_assert_done(hsa_amd_signal_create(1, 0, NULL, attributes, &waited));
  barrier_submit(client_queue(&c, 64), 0, 0xdead000);
  hsa_signal_wait_scacquire(waited, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
                            HSA_WAIT_STATE_BLOCKED);
}

static void event_exit_body(void)
{
  event_exit(0);
}

static void event_exit_shared_body(void)
{
  event_exit(HSA_AMD_SIGNAL_IPC);
}

START_TEST(an_event_handler_may_exit)
{
  ck_assert_int_eq(client_child(event_exit_body), DONE);
}
END_TEST

START_TEST(an_event_handler_may_exit_while_a_thread_waits_for_a_shared_signal)
{
  ck_assert_int_eq(client_child(event_exit_shared_body), DONE);
}
END_TEST

/* Destroyed, inside of one, in no memory, in memory of something else. */
static void strangers_body(void)
{
  client c;
  int64_t something[16] = {0};
  client_open(&c);
  hsa_signal_t destroyed = client_signal(4), live = client_signal(5);
  ck_assert_done(hsa_signal_destroy(destroyed));
  const uint64_t handles[] = {destroyed.handle, live.handle + 8, NOWHERE,
                              UINT64_MAX, (uintptr_t)something};
  for (size_t i = 0; i < sizeof handles / sizeof *handles; i++) {
    hsa_signal_t s = {handles[i]};
    volatile hsa_signal_value_t *value;
    uint32_t condition = HSA_SIGNAL_CONDITION_LT;
    hsa_signal_value_t one = 1;
    hsa_signal_store_screlease(s, 9);
    hsa_signal_add_scacq_screl(s, 9);
    hsa_signal_silent_store_relaxed(s, 9);
    ck_assert_int_eq(hsa_signal_load_scacquire(s), 0);
    ck_assert_int_eq(hsa_signal_cas_scacq_screl(s, 0, 9), 0);
    ck_assert_int_eq(hsa_signal_wait_scacquire(s, HSA_SIGNAL_CONDITION_EQ, 3,
                                               1000, HSA_WAIT_STATE_BLOCKED),
                     0);
    ck_assert_uint_eq(hsa_amd_signal_wait_any(1, &s, &condition, &one, 1000,
                                              HSA_WAIT_STATE_BLOCKED, NULL),
                      UINT32_MAX);
    ck_assert_hsa(hsa_signal_destroy(s), HSA_STATUS_ERROR_INVALID_SIGNAL);
    ck_assert_hsa(hsa_amd_signal_value_pointer(s, &value),
                  HSA_STATUS_ERROR_INVALID_SIGNAL);
  }
  for (size_t i = 0; i < sizeof something / sizeof *something; i++)
    ck_assert_int_eq(something[i], 0);
  ck_assert_int_eq(hsa_signal_load_relaxed(live), 5);
  others_go_on(&c);
  ck_assert_done(hsa_shut_down());
  hsa_signal_store_relaxed(live, 3); /* nothing is open any more */
  _exit(DONE);
}

START_TEST(functions_of_signals_leave_other_memory_alone)
{
  ck_assert_int_eq(client_child(strangers_body), DONE);
}
END_TEST

static void queues_body(void)
{
  client c;
  uint64_t something[64] = {0};
  client_open(&c);
  hsa_queue_t *destroyed = client_queue(&c, 64);
  hsa_signal_t doorbell = destroyed->doorbell;
  hsa_queue_store_write_index_relaxed(destroyed, 3);
  ck_assert_done(hsa_queue_destroy(destroyed));
  const uintptr_t queues[] = {(uintptr_t)destroyed, NOWHERE,
                              (uintptr_t)something};
  for (size_t i = 0; i < sizeof queues / sizeof *queues; i++) {
    hsa_queue_t *queue = (hsa_queue_t *)queues[i];
    hsa_queue_store_write_index_screlease(queue, 5);
    ck_assert_uint_eq(hsa_queue_add_write_index_relaxed(queue, 1), 0);
    ck_assert_uint_eq(hsa_queue_cas_write_index_scacq_screl(queue, 0, 1), 0);
    ck_assert_uint_eq(hsa_queue_load_write_index_scacquire(queue), 0);
    ck_assert_uint_eq(hsa_queue_load_read_index_relaxed(queue), 0);
    ck_assert_hsa(hsa_queue_destroy(queue), HSA_STATUS_ERROR_INVALID_QUEUE);
    ck_assert_hsa(hsa_queue_inactivate(queue), HSA_STATUS_ERROR_INVALID_QUEUE);
  }
  hsa_signal_store_relaxed(doorbell, 1);
  for (size_t i = 0; i < sizeof something / sizeof *something; i++)
    ck_assert_uint_eq(something[i], 0);
  others_go_on(&c);
  ck_assert_done(hsa_shut_down());
  _exit(DONE);
}

START_TEST(functions_of_queues_leave_other_memory_alone)
{
  ck_assert_int_eq(client_child(queues_body), DONE);
}
END_TEST

/* A client destroys the signal of a packet under way: the packet completes all
 * the same, and the next owner of the memory does not notice. */
static void destroyed_body(void)
{
  client c;
  client_open(&c);
  hsa_queue_t *queue = client_queue(&c, 64);
  hsa_signal_t gate = client_signal(1), early = client_signal(1);
  hsa_signal_t late = client_signal(1);
  barrier_submit(queue, gate.handle, early.handle);
  barrier_submit(queue, 0, late.handle);
  second_thread();
  settle();
  ck_assert_done(hsa_signal_destroy(early));
  hsa_signal_store_screlease(gate, 0);
  client_wait_zero(late);
  others_go_on(&c);
  ck_assert_done(hsa_shut_down());
  _exit(DONE);
}

START_TEST(a_completion_signal_may_be_destroyed_too_early)
{
  ck_assert_int_eq(client_child(destroyed_body), DONE);
}
END_TEST

/* ---- memory ---- */

static void memory_body(void)
{
  client c;
  char bytes[16] = "0123456789abcde";
  void *text = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void *pool;
  client_open(&c);
  void *nowhere = (void *)(uintptr_t)NOWHERE;
  ck_assert_done(hsa_amd_memory_pool_allocate(c.host_fine, PAGE, 0, &pool));
  ck_assert_hsa(hsa_memory_copy(nowhere, bytes, sizeof bytes),
                HSA_STATUS_ERROR_INVALID_ALLOCATION);
  ck_assert_hsa(hsa_memory_copy(bytes, nowhere, sizeof bytes),
                HSA_STATUS_ERROR_INVALID_ALLOCATION);
  ck_assert_hsa(hsa_memory_copy(text, bytes, 4),
                HSA_STATUS_ERROR_INVALID_ALLOCATION);
  ck_assert_done(hsa_memory_copy(nowhere, bytes, 0));
  ck_assert_done(hsa_memory_copy(pool, bytes, sizeof bytes));
  ck_assert_mem_eq(pool, bytes, sizeof bytes);
  ck_assert_done(hsa_shut_down());
  _exit(DONE);
}

START_TEST(a_copy_by_the_host_checks_memory_that_it_does_not_know)
{
  ck_assert_int_eq(client_child(memory_body), DONE);
}
END_TEST

static void freed_body(void)
{
  client c;
  void *from, *to;
  hsa_signal_t gate, done;
  client_open(&c);
  ck_assert_done(hsa_amd_register_system_event_handler(event_note, NULL));
  gate = client_signal(1);
  done = client_signal(1);
  ck_assert_done(hsa_amd_memory_pool_allocate(c.device_coarse, PAGE, 0, &from));
  ck_assert_done(hsa_amd_memory_pool_allocate(c.device_coarse, PAGE, 0, &to));
  ck_assert_done(hsa_amd_memory_async_copy(to, c.device, from, c.device, PAGE,
                                           1, &gate, done));
  ck_assert_done(hsa_amd_memory_pool_free(to));
  /* Another owner of the same addresses keeps its bytes. */
  char *next = mmap(to, PAGE, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  ck_assert_ptr_eq(next, to);
  memset(next, 7, PAGE);
  hsa_signal_store_screlease(gate, 0);
  event_await(1);
  ck_assert_uint_eq(event_address, (uintptr_t)to);
  ck_assert_int_eq(hsa_signal_load_scacquire(done), 1);
  ck_assert_int_eq(next[0], 7);
  others_go_on(&c);
  ck_assert_done(hsa_shut_down());
  _exit(DONE);
}

START_TEST(a_copy_whose_memory_was_freed_is_a_memory_fault)
{
  ck_assert_int_eq(client_child(freed_body), DONE);
}
END_TEST

/* ---- beyond the ring ---- */

/* The child's standard error. */
static char *child_says(void (*body)(void))
{
  static char text[PAGE];
  FILE *file = tmpfile();
  ck_assert_ptr_nonnull(file);
  fflush(stderr);
  const int before = dup(STDERR_FILENO);
  ck_assert_int_ge(dup2(fileno(file), STDERR_FILENO), 0);
  const int status = client_child(body);
  ck_assert_int_ge(dup2(before, STDERR_FILENO), 0);
  close(before);
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  ck_assert_msg(status == DONE, "status %d: %s", status, text);
  return text;
}

static void overrun_body(void)
{
  client c;
  client_open(&c);
  hsa_queue_t *queue = client_queue(&c, 64);
  const uint64_t id = hsa_queue_add_write_index_relaxed(queue, 300);
  hsa_signal_store_relaxed(queue->doorbell, (int64_t)id + 299);
  hsa_signal_wait_scacquire(client_signal(1), HSA_SIGNAL_CONDITION_LT, 1,
                            50000000, HSA_WAIT_STATE_BLOCKED);
  ck_assert_done(hsa_queue_destroy(queue));
  others_go_on(&c);
  ck_assert_done(hsa_shut_down());
  _exit(DONE);
}

START_TEST(a_doorbell_beyond_the_ring_is_reported)
{
  const char *line = child_says(overrun_body);
  ck_assert_msg(strstr(line, "rang for packet 299") &&
                    strstr(line, "room up to packet 63"),
                "said: %s", line);
  ck_assert_ptr_eq(strchr(line, '\n'), line + strlen(line) - 1);
}
END_TEST

/* ---- threads ---- */

enum { THREADS = 8 };

static void threads_run(void *(*work)(void *), void *argument, uint32_t count)
{
  pthread_t threads[THREADS];
  for (uint32_t i = 0; i < count; i++)
    ck_assert_int_eq(pthread_create(&threads[i], NULL, work, argument), 0);
  for (uint32_t i = 0; i < count; i++)
    pthread_join(threads[i], NULL);
}

/* Producers that take turns, on one core: each waits for the other's step. */
typedef struct turns {
  hsa_queue_t *queue;
  uint32_t next; /* atomic */
} turns;

enum { STEPS = 20000 }; /* with a time slice each: more than a minute */

static void *turns_take(void *argument)
{
  turns *t = argument;
  for (uint64_t i = __atomic_fetch_add(&t->next, 1, __ATOMIC_RELAXED);
       i < STEPS; i += 2)
    while (hsa_queue_cas_write_index_scacq_screl(t->queue, i, i + 1) != i)
      ;
  return NULL;
}

static void turns_body(void)
{
  client c;
  cpu_set_t cores, first;
  client_open(&c);
  turns t = {.queue = client_queue(&c, 64)};
  CPU_ZERO(&first);
  ck_assert_int_eq(sched_getaffinity(0, sizeof cores, &cores), 0);
  for (int i = 0; CPU_COUNT(&first) == 0; i++)
    if (CPU_ISSET(i, &cores))
      CPU_SET(i, &first);
  ck_assert_int_eq(sched_setaffinity(0, sizeof first, &first), 0);
  threads_run(turns_take, &t, 2);
  ck_assert_uint_eq(hsa_queue_load_write_index_relaxed(t.queue), STEPS);
  ck_assert_done(hsa_shut_down());
  _exit(DONE);
}

START_TEST(producers_that_take_turns_leave_their_core_to_each_other)
{
  ck_assert_int_eq(client_child(turns_body), DONE);
}
END_TEST

static void *cooperative_use(void *argument)
{
  const client *c = argument;
  for (int i = 0; i < 200; i++) {
    hsa_queue_t *queue;
    hsa_signal_t done = client_signal(1);
    ck_assert_done(hsa_queue_create(c->device, 64, HSA_QUEUE_TYPE_COOPERATIVE,
                                    NULL, NULL, UINT32_MAX, UINT32_MAX,
                                    &queue));
    barrier_submit(queue, 0, done.handle);
    client_wait_zero(done);
    ck_assert_done(hsa_queue_destroy(queue));
    ck_assert_done(hsa_signal_destroy(done));
  }
  return NULL;
}

static void cooperative_body(void)
{
  client c;
  client_open(&c);
  threads_run(cooperative_use, &c, THREADS);
  ck_assert_done(hsa_shut_down());
  _exit(DONE);
}

START_TEST(eight_threads_make_and_destroy_the_cooperative_queue)
{
  ck_assert_int_eq(client_child(cooperative_body), DONE);
}
END_TEST

AQ_TEST_MAIN("dropin/hsa/abuse",
             packets_complete_a_signal_that_the_client_made_itself,
             barriers_wait_for_signals_that_the_client_made_itself,
             a_packet_that_names_no_signal_is_a_memory_fault,
             a_signal_whose_memory_goes_while_a_barrier_waits_is_a_memory_fault,
             the_device_goes_on_while_an_event_handler_waits_for_a_lock,
             an_event_handler_may_exit,
             an_event_handler_may_exit_while_a_thread_waits_for_a_shared_signal,
             functions_of_signals_leave_other_memory_alone,
             functions_of_queues_leave_other_memory_alone,
             a_completion_signal_may_be_destroyed_too_early,
             a_copy_by_the_host_checks_memory_that_it_does_not_know,
             a_copy_whose_memory_was_freed_is_a_memory_fault,
             a_doorbell_beyond_the_ring_is_reported,
             producers_that_take_turns_leave_their_core_to_each_other,
             eight_threads_make_and_destroy_the_cooperative_queue)
