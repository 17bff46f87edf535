/* SPDX-License-Identifier: MIT */
/*
 * The simplest transport that keeps the contract: for tests of the layers above
 * it. Each queue runs its packets one after the other; a dispatch takes the
 * duration in its aq_spin_args (or its fixed cost), a barrier-AND waits for its
 * signals and takes no time. Time moves in the time group only.
 *
 * It keeps a copy of every packet it consumed, with the kernel arguments as
 * they were at that moment. One may be open at a time.
 */
#ifndef AQ_TESTS_FAKE_TRANSPORT_H
#define AQ_TESTS_FAKE_TRANSPORT_H

#include "common/transport.h"

typedef struct fake_packet {
  uint32_t queue;
  uint64_t id;
  aq_time doorbell, start, end;
  aq_packet packet; /* header included */
  unsigned char kernarg[64];
} fake_packet;

enum { FAKE_LOG_MAX = 4096, FAKE_KERNELS_MAX = 1024 };

/* State that a test may set before open and read at any time, also after close.
 * */
typedef struct fake_state {
  uint32_t queue_size_max; /* 0: none */
  uint32_t device_count;   /* 0: one */
  uint64_t fail_at;        /* consumed packets before a queue error; 0: never */
  bool fault;              /* it is a memory fault instead */
  fake_packet log[FAKE_LOG_MAX]; /* the first ones */
  uint64_t consumed, doorbells, signals_made, space_waits;
  uint64_t memory_live, queues_live;
  uint64_t kernels;
  char kernel_names[FAKE_KERNELS_MAX][64];
} fake_state;

extern const aq_transport_ops fake_transport;

/* The state of the next or current transport. */
fake_state *fake_reset(void);

#endif
