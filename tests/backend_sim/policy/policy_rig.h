/* SPDX-License-Identifier: MIT */
/* What tests of device policies share. */
#ifndef AQ_TESTS_BACKEND_SIM_POLICY_RIG_H
#define AQ_TESTS_BACKEND_SIM_POLICY_RIG_H

#include "backend_sim/rig.h"
#include "backend_sim/sim.h"
#include "common/policy.h"

/* A device of 4 compute units with room for 2 workgroups each, on which nothing
 * but workgroups takes time. */
#define IDEAL                                                                  \
  "doorbell_to_fetch=0 ns", "packet_fetch=0 ns", "packet_decode=0 ns",         \
      "acquire_agent=0 ns", "acquire_system=0 ns", "dispatch_setup=0 ns",      \
      "workgroup_interval=0 ns", "end_of_pipe=0 ns", "release_agent=0 ns",     \
      "release_system=0 ns", "signal_write=0 ns", "remap_latency=0 ns",        \
      "queue_switch=0 ns", "kernel_reset=0 ns", "wave_state=0 B", "cus=4",     \
      "xccs=1", "simds_per_cu=1", "waves_per_simd=2", "barrier_process=0 ns"

#define D (10 * AQ_US)

/* Publishes a kernel of so many workgroups of D each, barrier bit set. */
void policy_put(rig *r, aq_ring *queue, uint32_t workgroups);

/* The same in a queue of its own. */
aq_ring *policy_start(rig *r, uint32_t workgroups);

/* Of a binding: each packet is a job of its own, idempotent. */
bool policy_identify(void *user, uint32_t ring, uint64_t packet, uint64_t *job,
                     uint32_t *command, bool *idempotent);

#endif
