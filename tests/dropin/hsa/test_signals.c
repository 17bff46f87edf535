/* SPDX-License-Identifier: MIT */
/* Signals: every operation in every order, waits, handlers, groups. */
#include <malloc.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "dropin/hsa/client.h"

#define EVERY_ORDER(MACRO, verb)                                               \
  MACRO(verb, relaxed)                                                         \
  MACRO(verb, scacquire)                                                       \
  MACRO(verb, acquire)                                                         \
  MACRO(verb, screlease)                                                       \
  MACRO(verb, release)                                                         \
  MACRO(verb, scacq_screl)                                                     \
  MACRO(verb, acq_rel)
#define ROW(verb, order) {hsa_signal_##verb##_##order},

START_TEST(updates_change_the_value_in_every_order)
{
  typedef struct row {
    void (*update)(hsa_signal_t, hsa_signal_value_t);
  } row;
  static const row rows[5][7] = {{EVERY_ORDER(ROW, and)},
                                 {EVERY_ORDER(ROW, or)},
                                 {EVERY_ORDER(ROW, xor)},
                                 {EVERY_ORDER(ROW, add)},
                                 {EVERY_ORDER(ROW, subtract)}};
  static const int64_t expected[] = {12 & 10, 12 | 10, 12 ^ 10, 22, 2};
  ck_assert_done(hsa_init());
  hsa_signal_t signal = client_signal(0);
  for (int op = 0; op < 5; op++)
    for (int order = 0; order < 7; order++) {
      hsa_signal_store_relaxed(signal, 12);
      rows[op][order].update(signal, 10);
      ck_assert_int_eq(hsa_signal_load_relaxed(signal), expected[op]);
    }
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(exchanges_give_the_value_before_in_every_order)
{
  typedef struct exchange {
    hsa_signal_value_t (*call)(hsa_signal_t, hsa_signal_value_t);
  } exchange;
  typedef struct cas {
    hsa_signal_value_t (*call)(hsa_signal_t, hsa_signal_value_t,
                               hsa_signal_value_t);
  } cas;
  static const exchange exchanges[] = {EVERY_ORDER(ROW, exchange)};
  static const cas compares[] = {EVERY_ORDER(ROW, cas)};
  ck_assert_done(hsa_init());
  hsa_signal_t signal = client_signal(1);
  for (int i = 0; i < 7; i++) {
    ck_assert_int_eq(exchanges[i].call(signal, 5), 1);
    ck_assert_int_eq(compares[i].call(signal, 4, 9), 5);
    ck_assert_int_eq(hsa_signal_load_acquire(signal), 5);
    ck_assert_int_eq(compares[i].call(signal, 5, 1), 5);
    ck_assert_int_eq(hsa_signal_load_scacquire(signal), 1);
  }
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(stores_of_every_kind_lie_where_the_value_pointer_points)
{
  volatile int64_t *value;
  ck_assert_done(hsa_init());
  hsa_signal_t signal = client_signal(3);
  ck_assert_done(hsa_amd_signal_value_pointer(signal, &value));
  ck_assert_uint_eq((uintptr_t)value, signal.handle + 8);
  ck_assert_int_eq(*value, 3);
  hsa_signal_store_screlease(signal, 4);
  ck_assert_int_eq(*value, 4);
  hsa_signal_store_release(signal, 5);
  ck_assert_int_eq(*value, 5);
  hsa_signal_silent_store_relaxed(signal, 6);
  ck_assert_int_eq(*value, 6);
  hsa_signal_silent_store_screlease(signal, 7);
  ck_assert_int_eq(*value, 7);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(duplicate_consumers_are_invalid)
{
  client c;
  hsa_signal_t signal;
  client_open(&c);
  hsa_agent_t twice[] = {c.host, c.host}, both[] = {c.host, c.device};
  ck_assert_hsa(hsa_signal_create(1, 2, twice, &signal),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_hsa(hsa_signal_create(1, 2, NULL, &signal),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_signal_create(1, 2, both, &signal));
  ck_assert_done(hsa_signal_destroy(signal));
  ck_assert_hsa(hsa_signal_destroy(signal), HSA_STATUS_ERROR_INVALID_SIGNAL);
  ck_assert_done(
      hsa_amd_signal_create(2, 0, NULL, HSA_AMD_SIGNAL_IPC, &signal));
  ck_assert_int_eq(hsa_signal_load_relaxed(signal), 2);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(a_wait_that_times_out_gives_the_value_there_is)
{
  ck_assert_done(hsa_init());
  hsa_signal_t signal = client_signal(3);
  ck_assert_int_eq(hsa_signal_wait_relaxed(signal, HSA_SIGNAL_CONDITION_EQ, 0,
                                           1000, HSA_WAIT_STATE_BLOCKED),
                   3);
  ck_assert_int_eq(hsa_signal_wait_acquire(signal, HSA_SIGNAL_CONDITION_GTE, 3,
                                           UINT64_MAX, HSA_WAIT_STATE_ACTIVE),
                   3);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(any_gives_the_index_that_holds_and_leaves_out_null)
{
  ck_assert_done(hsa_init());
  hsa_signal_t signals[] = {{0}, client_signal(1), client_signal(5)};
  uint32_t conditions[] = {0, HSA_SIGNAL_CONDITION_LT, HSA_SIGNAL_CONDITION_NE};
  int64_t values[] = {0, 1, 4}, seen = 0;
  ck_assert_uint_eq(hsa_amd_signal_wait_any(3, signals, conditions, values,
                                            UINT64_MAX, HSA_WAIT_STATE_BLOCKED,
                                            &seen),
                    2);
  ck_assert_int_eq(seen, 5);
  hsa_signal_store_relaxed(signals[2], 4);
  ck_assert_uint_eq(hsa_amd_signal_wait_any(3, signals, conditions, values, 100,
                                            HSA_WAIT_STATE_BLOCKED, &seen),
                    UINT32_MAX);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(all_waits_for_every_condition)
{
  ck_assert_done(hsa_init());
  hsa_signal_t signals[] = {client_signal(0), client_signal(1)};
  uint32_t conditions[] = {HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_EQ};
  int64_t values[] = {0, 0}, seen[2] = {9, 9};
  ck_assert_uint_eq(hsa_amd_signal_wait_all(2, signals, conditions, values, 100,
                                            HSA_WAIT_STATE_BLOCKED, seen),
                    UINT32_MAX);
  hsa_signal_store_relaxed(signals[1], 0);
  ck_assert_uint_eq(hsa_amd_signal_wait_all(2, signals, conditions, values,
                                            UINT64_MAX, HSA_WAIT_STATE_BLOCKED,
                                            seen),
                    0);
  ck_assert_int_eq(seen[1], 0);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(a_group_gives_the_signal_that_holds)
{
  ck_assert_done(hsa_init());
  hsa_signal_t signals[] = {client_signal(1), client_signal(2)}, found;
  uint32_t conditions[] = {HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_EQ};
  int64_t values[] = {0, 2}, seen;
  hsa_signal_group_t group;
  ck_assert_done(hsa_signal_group_create(2, signals, 0, NULL, &group));
  ck_assert_done(hsa_signal_group_wait_any_scacquire(
      group, conditions, values, HSA_WAIT_STATE_BLOCKED, &found, &seen));
  ck_assert_uint_eq(found.handle, signals[1].handle);
  ck_assert_int_eq(seen, 2);
  values[0] = 1;
  ck_assert_done(hsa_signal_group_wait_any_relaxed(
      group, conditions, values, HSA_WAIT_STATE_ACTIVE, &found, &seen));
  ck_assert_uint_eq(found.handle, signals[0].handle);
  ck_assert_done(hsa_signal_group_destroy(group));
  ck_assert_hsa(hsa_signal_group_destroy(group),
                HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP);
  ck_assert_done(hsa_signal_group_create(2, signals, 0, NULL, &group));
  ck_assert_done(hsa_shut_down()); /* which frees it */
}
END_TEST

/* A thread that waits for a group of one signal. */
typedef struct member {
  hsa_signal_group_t group;
  hsa_signal_t found;
  hsa_status_t status;
} member;

static void *member_wait(void *argument)
{
  member *m = argument;
  const uint32_t condition = HSA_SIGNAL_CONDITION_EQ;
  const hsa_signal_value_t value = 0;
  m->status = hsa_signal_group_wait_any_scacquire(
      m->group, &condition, &value, HSA_WAIT_STATE_BLOCKED, &m->found, NULL);
  return NULL;
}

START_TEST(a_wait_for_a_group_outlives_the_group)
{
  enum { OF_GROUPS = 64 };
  pthread_t thread;
  member m = {.found = {0}};
  void *other[OF_GROUPS];
  ck_assert_done(hsa_init());
  const hsa_signal_t signal = client_signal(1);
  ck_assert_done(hsa_signal_group_create(1, &signal, 0, NULL, &m.group));
  ck_assert_int_eq(pthread_create(&thread, NULL, member_wait, &m), 0);
  usleep(50000);
  ck_assert_done(hsa_signal_group_destroy(m.group));
  for (int i = 0; i < OF_GROUPS; i++) /* one of them where the group was */
    memset(other[i] = malloc(24), 0x5a, 24);
  hsa_signal_store_screlease(signal, 0);
  ck_assert_int_eq(pthread_join(thread, NULL), 0);
  ck_assert_done(m.status);
  ck_assert_uint_eq(m.found.handle, signal.handle);
  for (int i = 0; i < OF_GROUPS; i++)
    free(other[i]);
  ck_assert_done(hsa_shut_down());
}
END_TEST

typedef struct calls {
  hsa_signal_t done;
  int left;
} calls;

static bool handler_count(int64_t value, void *arg)
{
  calls *c = arg;
  (void)value;
  bool again = --c->left > 0;
  hsa_signal_subtract_screlease(c->done, 1);
  return again;
}

START_TEST(a_handler_is_called_until_it_returns_false)
{
  ck_assert_done(hsa_init());
  hsa_signal_t signal = client_signal(1);
  calls c = {client_signal(1), 2};
  ck_assert_done(hsa_amd_signal_async_handler(signal, HSA_SIGNAL_CONDITION_LT,
                                              1, handler_count, &c));
  hsa_signal_store_screlease(signal, 0);
  client_wait_zero(c.done);
  hsa_signal_store_screlease(c.done, 1);
  hsa_signal_store_screlease(signal, -1);
  client_wait_zero(c.done);
  ck_assert_int_eq(c.left, 0);
  hsa_signal_store_screlease(signal, -2); /* no handler is called any more */
  ck_assert_done(hsa_signal_destroy(signal));
  ck_assert_int_eq(c.left, 0);
  ck_assert_done(hsa_shut_down());
}
END_TEST

static bool handler_once(int64_t value, void *arg)
{
  (void)value;
  hsa_signal_subtract_screlease(*(hsa_signal_t *)arg, 1);
  return false;
}

/* The size of the heap after `count` handlers that came and went. */
static size_t heap_after(hsa_signal_t signal, hsa_signal_t done, int count)
{
  for (int i = 0; i < count; i++) {
    hsa_signal_store_screlease(signal, 1);
    hsa_signal_store_screlease(done, 1);
    ck_assert_done(hsa_amd_signal_async_handler(signal, HSA_SIGNAL_CONDITION_EQ,
                                                0, handler_once, &done));
    hsa_signal_store_screlease(signal, 0);
    client_wait_zero(done);
  }
  return mallinfo2().uordblks;
}

START_TEST(handlers_that_are_gone_hold_no_memory)
{
  /* Bytes of lists that a busy machine makes longer; a handler takes 48 or
   * more. */
  enum { FEW = 100, MANY = 4000, SPARE = 65536 };
  ck_assert_done(hsa_init());
  hsa_signal_t signal = client_signal(1), done = client_signal(1);
  const size_t before = heap_after(signal, done, FEW);
  ck_assert_uint_lt(heap_after(signal, done, MANY), before + SPARE);
  ck_assert_done(hsa_shut_down());
}
END_TEST

static void function_note(void *arg)
{
  hsa_signal_subtract_screlease(*(hsa_signal_t *)arg, 1);
}

START_TEST(an_async_function_is_called_once)
{
  ck_assert_done(hsa_init());
  hsa_signal_t done = client_signal(1);
  ck_assert_done(hsa_amd_async_function(function_note, &done));
  client_wait_zero(done);
  ck_assert_done(hsa_shut_down());
}
END_TEST

typedef struct listener {
  hsa_signal_t signal;
  int rounds, changes, stop; /* atomic */
} listener;

static void *listen_for_changes(void *arg)
{
  enum { TIMEOUT = 4000000 /* ns */ };
  listener *l = arg;
  while (!__atomic_load_n(&l->stop, __ATOMIC_ACQUIRE)) {
    const int64_t value = hsa_signal_wait_scacquire(
        l->signal, HSA_SIGNAL_CONDITION_NE, 7, TIMEOUT, HSA_WAIT_STATE_BLOCKED);
    __atomic_fetch_add(&l->changes, value != 7, __ATOMIC_RELEASE);
    __atomic_fetch_add(&l->rounds, 1, __ATOMIC_RELEASE);
  }
  return NULL;
}

static void rounds_await(listener *l, int more)
{
  const int until = __atomic_load_n(&l->rounds, __ATOMIC_ACQUIRE) + more;
  while (__atomic_load_n(&l->rounds, __ATOMIC_ACQUIRE) < until)
    usleep(1000);
}

/* The thread of HIP that serves printf does so. */
START_TEST(a_wait_for_a_change_sees_none_when_the_runtime_ends)
{
  pthread_t thread;
  listener l = {{0}, 0, 0, 0};
  ck_assert_done(hsa_init());
  l.signal = client_signal(7);
  ck_assert_int_eq(pthread_create(&thread, NULL, listen_for_changes, &l), 0);
  rounds_await(&l, 2);
  ck_assert_done(hsa_shut_down());
  rounds_await(&l, 4);
  __atomic_store_n(&l.stop, 1, __ATOMIC_RELEASE);
  ck_assert_int_eq(pthread_join(thread, NULL), 0);
  ck_assert_int_eq(l.changes, 0);
}
END_TEST

AQ_TEST_MAIN("dropin/hsa/signals",
             a_wait_for_a_change_sees_none_when_the_runtime_ends,
             handlers_that_are_gone_hold_no_memory,
             updates_change_the_value_in_every_order,
             exchanges_give_the_value_before_in_every_order,
             stores_of_every_kind_lie_where_the_value_pointer_points,
             duplicate_consumers_are_invalid,
             a_wait_that_times_out_gives_the_value_there_is,
             any_gives_the_index_that_holds_and_leaves_out_null,
             all_waits_for_every_condition, a_group_gives_the_signal_that_holds,
             a_wait_for_a_group_outlives_the_group,
             a_handler_is_called_until_it_returns_false,
             an_async_function_is_called_once)
