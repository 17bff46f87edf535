/* SPDX-License-Identifier: MIT */
/*
 * The transport "sim": a simulated GPU in virtual time, or live (doc/live.md).
 *
 * options.device names a device model (device_model.h; default "mi300x"),
 * options.edits change its constants. Time starts at options.epoch and, in
 * virtual time, moves only in wait, sleep_until and queue_wait_space; one
 * thread drives it. The same calls always give the same records; nothing is
 * random but the draws of a policy inside the device, whose binding has a seed.
 *
 * Points that the contract leaves open, here:
 * - A packet executes once a doorbell announced it; where devices poll, once
 *   it is published. The device looks when a doorbell rings by a call, when
 * time is about to move, or when a host function returns, whichever comes
 * first. Raw stores to signals and to memory that packets wait for count from
 * the same moments.
 * - A wait that has to block returns interrupt_to_host after the decrement;
 *   records carry that time as `observe`. sleep_until returns at the decrement
 *   itself, and at once while completions are not drained.
 * - Without a deadline (AQ_TIME_MAX), wait and queue_wait_space return
 *   AQ_ERR_DEADLOCK when nothing is left to happen; with one, AQ_ERR_TIMEOUT.
 * - Host functions run at the end of their kernel, on the thread that drives
 *   time. They, and error callbacks, may use every operation except the
 *   operations that move time.
 * - A module lies in the memory of its device; the object of its kernels is the
 *   address of their descriptor there. Their code is run by options.executor; a
 *   host function that is registered for the object replaces it.
 * - kernel_lookup with module 0 finds what kernel_register registered; the
 *   latest of a name.
 * - Records of copies have no queue.
 */
#ifndef AQSIM_SIM_H
#define AQSIM_SIM_H

#include "common/transport.h"

#define AQSIM_DEFAULT_DEVICE "mi300x"

extern const aq_transport_ops aqsim_transport_ops;

/* Devices poll from now on: packets execute once they are published, without a
 * doorbell. Before the first queue. */
void aqsim_queues_poll(aq_transport *t);

#endif
