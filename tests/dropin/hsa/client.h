/* SPDX-License-Identifier: MIT */
/*
 * Helpers of the tests of the drop-in: clients that link it and see nothing
 * else of it. client_open ends with hsa_shut_down by the test.
 */
#ifndef AQ_TESTS_CLIENT_H
#define AQ_TESTS_CLIENT_H

#include "common/aql.h"
#include "dropin/hsa/base/hsa.h"
#include "support/aqtest.h"

typedef struct client {
  hsa_agent_t host, device;
  hsa_amd_memory_pool_t host_fine, host_kernarg, device_coarse, device_fine;
  hsa_region_t region; /* of host_fine */
} client;

/* hsa_init, and the agents and pools there are. */
void client_open(client *c);

#define ck_assert_hsa(call, expected)                                          \
  do {                                                                         \
    hsa_status_t got_ = (call);                                                \
    ck_assert_msg(got_ == (hsa_status_t)(expected), "%s: got %#x", #call,      \
                  got_);                                                       \
  } while (0)
#define ck_assert_done(call) ck_assert_hsa(call, HSA_STATUS_SUCCESS)

/* A signal with a value. */
hsa_signal_t client_signal(int64_t value);

/* Waits until a signal is 0; fails the test after a minute. */
void client_wait_zero(hsa_signal_t signal);

/* A queue of the device, and a packet published and rung on it. */
hsa_queue_t *client_queue(const client *c, uint32_t size);
uint64_t client_submit(hsa_queue_t *queue, const aq_packet *packet,
                       uint16_t header);

/* The memory fault that a queue reports. */
typedef struct client_fault {
  bool faulted;
  uint32_t reasons;
  uint64_t address;
} client_fault;
client_fault client_queue_fault(hsa_queue_t *queue);

/* Runs `body` in a child and returns its exit status; 256 and more: a signal
 * or, as 256 + SIGALRM, no end. */
int client_child(void (*body)(void));

#endif
