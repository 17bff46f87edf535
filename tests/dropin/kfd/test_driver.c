/* SPDX-License-Identifier: MIT */
/* Clocks and events of the driver, on the core itself. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dropin/kfd/client.h"
#include "gpu/codeobj/code_object.h"

/* An event whose slot lies in a page of the client: the slots. */
static uint64_t *slots_create(client *c, aqkfd_create_event_args *args)
{
  const client_block page = client_allocate(c, 32768, CLIENT_PLAIN);
  *args = (aqkfd_create_event_args){.event_type = AQKFD_EVENT_SIGNAL,
                                    .auto_reset = 1,
                                    .event_page_offset = page.handle};
  ck_assert_int_eq(CALL(c, 0x08, args), 0);
  return (void *)page.at;
}

START_TEST(the_clocks_always_move_on_and_their_ratio_is_exact)
{
  client c;
  client_open(&c, "mi210", NULL);
  aqkfd_get_clock_counters_args last = {.gpu_id = 2}, now = last;
  ck_assert_int_eq(CALL(&c, 0x05, &last), 0);
  for (int i = 0; i < 100; i++) {
    ck_assert_int_eq(CALL(&c, 0x05, &now), 0);
    const uint64_t gpu = now.gpu_clock_counter - last.gpu_clock_counter;
    ck_assert_uint_gt(gpu, 0);
    /* 100 MHz against ns, to the step of the timestamps */
    ck_assert_uint_le(now.system_clock_counter - last.system_clock_counter,
                      gpu * 10 + 1000);
    last = now;
  }
  now.gpu_id = 77;
  ck_assert_int_eq(CALL(&c, 0x05, &now), -EINVAL);
  client_close(&c);
}
END_TEST

START_TEST(a_program_that_slept_reads_so_much_more_of_the_clock)
{
  client c;
  client_open(&c, "mi210", NULL);
  aqkfd_get_clock_counters_args before = {.gpu_id = 2}, after = before;
  ck_assert_int_eq(CALL(&c, 0x05, &before), 0);
  usleep(20000);
  ck_assert_int_eq(CALL(&c, 0x05, &after), 0);
  ck_assert_uint_ge(after.system_clock_counter - before.system_clock_counter,
                    20000000);
  client_close(&c);
}
END_TEST

/* ---- events ---- */

typedef struct waiter {
  client *c;
  uint32_t event;
  int result;
} waiter;

static void *waiter_run(void *user)
{
  waiter *w = user;
  w->result = client_wait(w->c, w->event, 10000, NULL);
  return NULL;
}

START_TEST(an_event_wakes_all_that_wait_and_then_resets_itself)
{
  client c;
  pthread_t threads[2];
  client_open(&c, "mi210", NULL);
  const uint32_t event = client_event(&c, AQKFD_EVENT_SIGNAL, true);
  waiter waiters[2] = {{&c, event, -1}, {&c, event, -1}};
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, waiter_run, &waiters[i]);
  usleep(50000);
  aqkfd_event_args set = {event, 0};
  ck_assert_int_eq(CALL(&c, 0x0a, &set), 0);
  for (int i = 0; i < 2; i++) {
    pthread_join(threads[i], NULL);
    ck_assert_int_eq(waiters[i].result, AQKFD_WAIT_COMPLETE);
  }
  ck_assert_int_eq(client_wait(&c, event, 0, NULL), AQKFD_WAIT_TIMEOUT);
  ck_assert_int_eq(CALL(&c, 0x0a, &set), 0); /* no thread waits: it stays */
  ck_assert_int_eq(client_wait(&c, event, 0, NULL), AQKFD_WAIT_COMPLETE);
  ck_assert_int_eq(client_wait(&c, event, 0, NULL), AQKFD_WAIT_TIMEOUT);
  client_close(&c);
}
END_TEST

static void *setter_run(void *user)
{
  const waiter *w = user;
  aqkfd_event_args set = {w->event, 0};
  ck_assert_int_eq(CALL(w->c, 0x0a, &set), 0);
  return waiter_run(user);
}

/* AMD's runtime of ROCm 5.2 waits for one event in several threads, which have
 * read their signals before the event was set. */
START_TEST(what_a_client_set_wakes_each_other_thread_once)
{
  client c;
  pthread_t thread;
  client_open(&c, "mi210", NULL);
  const uint32_t event = client_event(&c, AQKFD_EVENT_SIGNAL, true);
  for (int round = 0; round < 3; round++) {
    waiter other = {&c, event, -1};
    pthread_create(&thread, NULL, setter_run, &other);
    pthread_join(thread, NULL);
    ck_assert_int_eq(other.result, AQKFD_WAIT_COMPLETE);
    ck_assert_int_eq(client_wait(&c, event, 0, NULL), AQKFD_WAIT_COMPLETE);
    ck_assert_int_eq(client_wait(&c, event, 0, NULL), AQKFD_WAIT_TIMEOUT);
  }
  aqkfd_event_args set = {event, 0};
  ck_assert_int_eq(CALL(&c, 0x0a, &set), 0);
  ck_assert_int_eq(CALL(&c, 0x0b, &set), 0); /* reset: no thread takes it */
  ck_assert_int_eq(client_wait(&c, event, 0, NULL), AQKFD_WAIT_TIMEOUT);
  client_close(&c);
}
END_TEST

/* Sets the event on a thread that takes it at once. */
static void set_and_take(client *c, uint32_t event)
{
  pthread_t thread;
  waiter other = {c, event, -1};
  pthread_create(&thread, NULL, setter_run, &other);
  pthread_join(thread, NULL);
  ck_assert_int_eq(other.result, AQKFD_WAIT_COMPLETE);
}

START_TEST(a_wait_with_an_age_or_for_all_of_several_misses_nothing)
{
  client c;
  client_open(&c, "mi210", NULL);
  const uint32_t first = client_event(&c, AQKFD_EVENT_SIGNAL, true),
                 second = client_event(&c, AQKFD_EVENT_SIGNAL, true);
  set_and_take(&c, first);
  set_and_take(&c, second);
  aqkfd_event_data both[2] = {{.event_id = first}, {.event_id = second}};
  aqkfd_wait_events_args all = {
      .events_ptr = (uintptr_t)both, .num_events = 2, .wait_for_all = 1};
  ck_assert_int_eq(CALL(&c, 0x0c, &all), 0);
  ck_assert_uint_eq(all.wait_result, AQKFD_WAIT_TIMEOUT);
  aqkfd_event_data aged = {.age = 2}; /* made with 1, set once */
  ck_assert_int_eq(client_wait(&c, first, 0, &aged), AQKFD_WAIT_TIMEOUT);
  /* A thread that gives the age has the setting. */
  ck_assert_int_eq(client_wait(&c, first, 0, NULL), AQKFD_WAIT_TIMEOUT);
  /* All of one event: so AMD's runtime of ROCm 5.2 waits. */
  all.events_ptr = (uintptr_t)&both[1];
  all.num_events = 1;
  for (int i = 0; i < 2; i++) {
    ck_assert_int_eq(CALL(&c, 0x0c, &all), 0);
    ck_assert_uint_eq(all.wait_result,
                      i == 0 ? AQKFD_WAIT_COMPLETE : AQKFD_WAIT_TIMEOUT);
  }
  client_close(&c);
}
END_TEST

static void *taker_run(void *user)
{
  waiter *w = user;
  w->result = client_wait(w->c, w->event, 0, NULL);
  return NULL;
}

static int take_apart(client *c, uint32_t event)
{
  pthread_t thread;
  waiter w = {c, event, -1};
  pthread_create(&thread, NULL, taker_run, &w);
  pthread_join(thread, NULL);
  return w.result;
}

/* None of them has the id of another: those come again much later. */
START_TEST(any_number_of_threads_take_what_a_client_set)
{
  enum { THREADS = 40 };
  client c;
  pthread_t threads[THREADS];
  waiter waiters[THREADS];
  client_open(&c, "mi210", NULL);
  const uint32_t event = client_event(&c, AQKFD_EVENT_SIGNAL, true);
  set_and_take(&c, event);
  for (int i = 0; i < THREADS; i++) {
    waiters[i] = (waiter){&c, event, -1};
    pthread_create(&threads[i], NULL, taker_run, &waiters[i]);
  }
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < THREADS; i++)
    ck_assert_int_eq(waiters[i].result, AQKFD_WAIT_COMPLETE);
  client_close(&c);
}
END_TEST

START_TEST(a_device_leaves_a_clients_setting_to_the_threads_that_it_is_new_to)
{
  client c;
  client_open(&c, "mi210", NULL);
  aqkfd_create_event_args args;
  uint64_t *slots = slots_create(&c, &args);
  set_and_take(&c, args.event_id);
  slots[args.event_slot_index] = args.event_id;
  ck_assert_int_eq(take_apart(&c, args.event_id), AQKFD_WAIT_COMPLETE);
  ck_assert_int_eq(client_wait(&c, args.event_id, 0, NULL),
                   AQKFD_WAIT_COMPLETE);
  ck_assert_int_eq(client_wait(&c, args.event_id, 0, NULL), AQKFD_WAIT_TIMEOUT);
  client_close(&c);
}
END_TEST

START_TEST(the_age_of_an_event_shows_one_that_was_missed)
{
  client c;
  client_open(&c, "mi210", NULL);
  const uint32_t event = client_event(&c, AQKFD_EVENT_SIGNAL, true);
  aqkfd_event_args set = {event, 0};
  ck_assert_int_eq(CALL(&c, 0x0a, &set), 0);
  ck_assert_int_eq(client_wait(&c, event, 0, NULL), AQKFD_WAIT_COMPLETE);
  aqkfd_event_data data = {.age = 1}; /* seen before it was set */
  ck_assert_int_eq(client_wait(&c, event, 0, &data), AQKFD_WAIT_COMPLETE);
  ck_assert_uint_eq(data.age, 2);
  ck_assert_int_eq(client_wait(&c, event, 0, &data), AQKFD_WAIT_TIMEOUT);
  client_close(&c);
}
END_TEST

static void *cancelled_run(void *user)
{
  waiter *w = user;
  w->result = client_wait(w->c, w->event, 300, NULL);
  pthread_testcancel();
  return NULL;
}

START_TEST(a_thread_that_is_cancelled_in_a_wait_keeps_no_lock)
{
  client c;
  pthread_t thread;
  void *ended;
  client_open(&c, "mi210", NULL);
  waiter w = {&c, client_event(&c, AQKFD_EVENT_SIGNAL, false), -1};
  pthread_create(&thread, NULL, cancelled_run, &w);
  usleep(100000);
  pthread_cancel(thread);
  pthread_join(thread, &ended);
  ck_assert_ptr_eq(ended, PTHREAD_CANCELED);
  ck_assert_int_eq(w.result, AQKFD_WAIT_TIMEOUT);
  aqkfd_event_args set = {w.event, 0};
  ck_assert_int_eq(CALL(&c, 0x0a, &set), 0);
  ck_assert_int_eq(client_wait(&c, w.event, 1000, NULL), AQKFD_WAIT_COMPLETE);
  client_close(&c);
}
END_TEST

START_TEST(a_destroyed_event_fails_its_waiters)
{
  client c;
  pthread_t thread;
  client_open(&c, "mi210", NULL);
  const uint32_t event = client_event(&c, AQKFD_EVENT_SIGNAL, true);
  waiter w = {&c, event, -1};
  pthread_create(&thread, NULL, waiter_run, &w);
  usleep(50000);
  aqkfd_event_args gone = {event, 0};
  ck_assert_int_eq(CALL(&c, 0x09, &gone), 0);
  pthread_join(thread, NULL);
  ck_assert_int_eq(w.result, -EIO);
  ck_assert_int_eq(client_wait(&c, event, 0, NULL), -EINVAL);
  client_close(&c);
}
END_TEST

START_TEST(a_slot_that_a_kernel_wrote_raises_its_event)
{
  client c;
  client_open(&c, "mi210", NULL);
  aqkfd_create_event_args args;
  uint64_t *slots = slots_create(&c, &args);
  ck_assert_uint_ne(args.event_page_offset, 0); /* 0 is: it has no slot */
  ck_assert_int_eq(client_wait(&c, args.event_id, 0, NULL), AQKFD_WAIT_TIMEOUT);
  slots[args.event_slot_index] = args.event_id;
  ck_assert_int_eq(client_wait(&c, args.event_id, 5000, NULL),
                   AQKFD_WAIT_COMPLETE);
  client_close(&c);
}
END_TEST

AQ_TEST_MAIN("dropin/kfd/driver",
             the_clocks_always_move_on_and_their_ratio_is_exact,
             a_program_that_slept_reads_so_much_more_of_the_clock,
             an_event_wakes_all_that_wait_and_then_resets_itself,
             what_a_client_set_wakes_each_other_thread_once,
             a_wait_with_an_age_or_for_all_of_several_misses_nothing,
             any_number_of_threads_take_what_a_client_set,
             a_device_leaves_a_clients_setting_to_the_threads_that_it_is_new_to,
             the_age_of_an_event_shows_one_that_was_missed,
             a_thread_that_is_cancelled_in_a_wait_keeps_no_lock,
             a_destroyed_event_fails_its_waiters,
             a_slot_that_a_kernel_wrote_raises_its_event)
