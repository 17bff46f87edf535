/* SPDX-License-Identifier: MIT */
/*
 * What tests of the simulator share: an open transport with a memory sink, and
 * short ways to publish packets and to look at what became of them. Everything
 * fails the test when it does not work.
 */
#ifndef AQ_TESTS_BACKEND_SIM_RIG_H
#define AQ_TESTS_BACKEND_SIM_RIG_H

#include "common/memory_sink.h"
#include "common/transport.h"
#include "support/aqtest.h"

typedef struct rig {
  aq_transport *t;
  aq_memory_sink sink;
  aq_diag diag;
  aq_wait_result seen; /* by the last rig_wait */
} rig;

/* Opens `ops` with the default device, the edits (NULL-terminated, may be
 * NULL) and a memory sink. */
void rig_open(rig *r, const aq_transport_ops *ops, const char *const *edits);

/* The same with more options; size and records are filled in. */
void rig_open_with(rig *r, const aq_transport_ops *ops,
                   const aq_transport_options *given);
void rig_close(rig *r);

aq_ring *rig_queue(rig *r, uint32_t size);
aq_signal rig_signal(rig *r, int64_t value, uint32_t flags);
int64_t rig_load(rig *r, aq_signal signal);

/* A kernel that takes `duration`, as the object that packets name. */
uint64_t rig_kernel(rig *r, const char *name, aq_time duration);
uint64_t rig_kernel_with(rig *r, const aq_kernel_desc *desc);

/* Packets, not published. */
aq_packet rig_dispatch(uint64_t object, bool barrier, aq_signal completion);
aq_packet rig_barrier(aq_packet_type type, const aq_signal *dependencies,
                      uint32_t count, aq_signal completion);

/* Reserves a slot, writes the packet and publishes it; rings no doorbell. */
uint64_t rig_put(aq_ring *queue, const aq_packet *packet);

/* The same, and rings. */
uint64_t rig_submit(rig *r, aq_ring *queue, const aq_packet *packet);

void rig_ring(rig *r, aq_ring *queue, uint64_t id);
aq_status rig_wait(rig *r, const aq_wait_item *items, uint32_t count,
                   aq_wait_mode mode, aq_time deadline);
void rig_sleep(rig *r, aq_time until);

/* Runs until nothing is left to happen. */
void rig_run(rig *r);

/* The record of a packet of a queue; fails when there is none. */
const aq_record *rig_record(rig *r, const aq_ring *queue, uint64_t id);
bool rig_has_record(rig *r, const aq_ring *queue, uint64_t id);

extern const aq_signal rig_none;

#define ck_assert_time_eq(got, expected)                                       \
  ck_assert_msg((got) == (expected), "%s: got %lld ps, expected %lld ps",      \
                #got, (long long)(got), (long long)(expected))

#endif
