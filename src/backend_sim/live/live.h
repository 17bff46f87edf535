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

#endif
