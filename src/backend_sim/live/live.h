/* SPDX-License-Identifier: MIT */
/*
 * The transport "sim" in live mode: the same operations for many threads.
 * Operations that change the simulator take its lock; doorbells, signals and
 * the clock do not, once the device thread drives time. doc/live.md has the
 * rules.
 */
#ifndef AQSIM_LIVE_H
#define AQSIM_LIVE_H

#include "common/transport.h"

extern const aq_transport_ops aqsim_live_ops;

/* Whether the caller is a host function of a kernel, on the thread that drives
 * time: it must not close the transport. The transport is live. */
bool aqsim_live_is_driver(aq_transport *transport);

/* The transport is about to be closed: host threads leave their waits, and new
 * waits are refused, with AQ_ERR_QUEUE. Returns when none is inside. */
void aqsim_live_leave(aq_transport *transport);

/* Around the unmapping of [address, +size), which a packet or a copy under way
 * may name: the device touches no memory in between, and such copies end in a
 * memory fault, whatever is mapped there later. Size 0: only the device has to
 * leave memory alone, as while its protection changes. The transport is live.
 */
void aqsim_live_unmap_begin(aq_transport *transport, const void *address,
                            size_t size);
void aqsim_live_unmap_end(aq_transport *transport);

/* Whether a handle is that of a signal of the transport that is not placed in
 * memory of the client, live or destroyed: its memory stays. Any thread,
 * without a lock. The transport is live. */
bool aqsim_live_signal_is_own(aq_transport *transport, aq_signal signal);

/* The same for the amd_queue_t of a queue; one that is destroyed has no base.
 */
bool aqsim_live_queue_is_own(aq_transport *transport, const void *abi);

#endif
