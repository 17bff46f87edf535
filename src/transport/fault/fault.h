/* SPDX-License-Identifier: MIT */
/*
 * The wrapping transport "fault": injects the faults of a schedule or a seed
 * into the wrapped transport (doc/formats/faults.md).
 *
 * Settings: file=PATH (a schedule) or seed=N; none means no faults: then it
 * behaves as the wrapped transport. It needs options.layer->inner.
 *
 * Clients publish into a shadow ring that has the ids, indices and size of the
 * inner queue; the wrapper copies packets to the same slot of the inner ring
 * when a doorbell rings, before time advances, and when a host function
 * returns. It does not see later changes of a packet. Slots come back INVALID
 * as soon as the inner transport hands them back. Delayed faults happen inside
 * the operations of the time group, which are split at their times.
 *
 * One thread drives it, whatever the inner transport allows.
 */
#ifndef AQ_TRANSPORT_FAULT_FAULT_H
#define AQ_TRANSPORT_FAULT_FAULT_H

#include "common/transport.h"

extern const aq_transport_ops aq_fault_transport_ops;

#endif
