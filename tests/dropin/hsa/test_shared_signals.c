/* SPDX-License-Identifier: MIT */
/* Signals that processes share. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dropin/hsa/client.h"

static hsa_signal_t shared_make(int64_t value, hsa_amd_ipc_memory_t *handle)
{
  hsa_signal_t signal;
  ck_assert_done(
      hsa_amd_signal_create(value, 0, NULL, HSA_AMD_SIGNAL_IPC, &signal));
  ck_assert_done(hsa_amd_ipc_signal_create(signal, handle));
  return signal;
}

/* Another program, with a handle. */
static pid_t peer_start(const hsa_amd_ipc_memory_t *handle)
{
  char text[2 * sizeof *handle + 1];
  for (size_t i = 0; i < sizeof *handle; i++)
    sprintf(text + 2 * i, "%02x", ((const unsigned char *)handle)[i]);
  pid_t peer = fork();
  ck_assert_int_ge(peer, 0);
  if (peer == 0) {
    execl(TEST_PEER, TEST_PEER, text, (char *)NULL);
    _exit(127);
  }
  return peer;
}

static void wait_for(hsa_signal_t signal, int64_t value)
{
  const uint64_t minute = UINT64_C(60000000000);
  ck_assert_int_eq(hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ,
                                             value, minute,
                                             HSA_WAIT_STATE_BLOCKED),
                   value);
}

static void barrier_submit(hsa_queue_t *queue, hsa_signal_t dependency,
                           hsa_signal_t completion)
{
  aq_packet packet = {0};
  packet.barrier.dependency[0] = dependency;
  packet.barrier.completion_signal = completion;
  client_submit(queue, &packet,
                aq_packet_header(AQ_PACKET_BARRIER_AND, 0, AQ_SCOPE_SYSTEM,
                                 AQ_SCOPE_SYSTEM));
}

START_TEST(hosts_and_devices_of_two_processes_wake_each_other)
{
  client c;
  hsa_amd_ipc_memory_t handle;
  int status;
  client_open(&c);
  hsa_signal_t shared = shared_make(3, &handle), done = client_signal(1);
  hsa_queue_t *queue = client_queue(&c, 64);
  pid_t peer = peer_start(&handle);
  hsa_signal_store_screlease(shared, 2);
  wait_for(shared, 1);
  barrier_submit(queue, (hsa_signal_t){0}, shared);
  wait_for(shared, 5);
  barrier_submit(queue, shared, done);
  hsa_signal_store_screlease(shared, 4);
  client_wait_zero(done);
  ck_assert_int_eq(hsa_signal_load_scacquire(shared), 0);
  ck_assert_int_eq(waitpid(peer, &status, 0), peer);
  ck_assert_int_eq(status, 0);
  ck_assert_done(hsa_signal_destroy(shared));
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(a_process_that_attaches_twice_has_one_signal)
{
  client c;
  hsa_amd_ipc_memory_t handle;
  hsa_signal_t again;
  volatile hsa_signal_value_t *value;
  client_open(&c);
  hsa_signal_t shared = shared_make(9, &handle);
  ck_assert_done(hsa_amd_ipc_signal_attach(&handle, &again));
  ck_assert_uint_eq(again.handle, shared.handle);
  ck_assert_done(hsa_signal_destroy(again));
  hsa_signal_subtract_relaxed(shared, 2);
  ck_assert_done(hsa_amd_signal_value_pointer(shared, &value));
  ck_assert_int_eq(*value, 7);
  ck_assert_done(hsa_signal_destroy(shared));
  ck_assert_hsa(hsa_signal_destroy(shared), HSA_STATUS_ERROR_INVALID_SIGNAL);
  ck_assert_hsa(hsa_amd_ipc_signal_attach(&handle, &again),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_shut_down());
}
END_TEST

START_TEST(only_a_signal_that_was_made_for_it_has_a_handle)
{
  client c;
  hsa_amd_ipc_memory_t handle = {{0}};
  hsa_signal_t signal;
  void *memory;
  client_open(&c);
  ck_assert_hsa(hsa_amd_ipc_signal_create(client_signal(1), &handle),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_hsa(hsa_amd_ipc_signal_attach(&handle, &signal),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(
      hsa_amd_memory_pool_allocate(c.device_coarse, 4096, 0, &memory));
  ck_assert_done(hsa_amd_ipc_memory_create(memory, 4096, &handle));
  ck_assert_hsa(hsa_amd_ipc_signal_attach(&handle, &signal),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  shared_make(1, &handle); /* is left to hsa_shut_down */
  ck_assert_hsa(hsa_amd_ipc_memory_attach(&handle, 4096, 0, NULL, &memory),
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
  ck_assert_done(hsa_shut_down());
}
END_TEST

typedef struct late {
  hsa_signal_t signals[2];
  bool all;
  int64_t seen;
} late;

/* Waits for a value that never comes, as long as the other thread needs. */
static void *late_wait(void *user)
{
  enum { LONG = 300000000 /* ns */ };
  late *l = user;
  uint32_t conditions[] = {HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_EQ};
  int64_t values[] = {0, 0};
  if (l->all)
    l->seen = hsa_amd_signal_wait_all(2, l->signals, conditions, values, LONG,
                                      HSA_WAIT_STATE_BLOCKED, NULL);
  else
    l->seen = hsa_signal_wait_scacquire(l->signals[0], HSA_SIGNAL_CONDITION_EQ,
                                        0, LONG, HSA_WAIT_STATE_ACTIVE);
  return NULL;
}

START_TEST(a_signal_may_be_destroyed_under_a_waiter)
{
  client c;
  hsa_amd_ipc_memory_t handle;
  client_open(&c);
  for (int all = 0; all < 2; all++) {
    pthread_t thread;
    late l = {{shared_make(5, &handle), shared_make(6, &handle)}, all, -1};
    ck_assert_int_eq(pthread_create(&thread, NULL, late_wait, &l), 0);
    usleep(30000);
    ck_assert_done(hsa_signal_destroy(l.signals[0]));
    ck_assert_done(hsa_signal_destroy(l.signals[1]));
    ck_assert_hsa(hsa_signal_destroy(l.signals[0]),
                  HSA_STATUS_ERROR_INVALID_SIGNAL);
    ck_assert_hsa(hsa_amd_ipc_signal_create(l.signals[0], &handle),
                  HSA_STATUS_ERROR_INVALID_SIGNAL);
    pthread_join(thread, NULL);
    ck_assert_int_eq(l.seen, all ? (int64_t)UINT32_MAX : 5);
  }
  ck_assert_done(hsa_shut_down());
}
END_TEST

AQ_TEST_MAIN("dropin/hsa/shared_signals",
             hosts_and_devices_of_two_processes_wake_each_other,
             a_process_that_attaches_twice_has_one_signal,
             a_signal_may_be_destroyed_under_a_waiter,
             only_a_signal_that_was_made_for_it_has_a_handle)
