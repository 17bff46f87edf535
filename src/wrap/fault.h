/* SPDX-License-Identifier: MIT */
/*
 * The wrapping transport "fault": injects faults into whatever it wraps, as a
 * schedule or a seed says (doc/formats/faults.md).
 *
 * Settings: file=PATH (a schedule) or seed=N; none means no faults, and then
 * nothing differs from what is wrapped. It needs options.layer->inner.
 *
 * Clients publish into a shadow ring that has the ids, indices and size of the
 * inner queue; packets are copied to the inner ring, into the same slot, when a
 * doorbell rings, when time is about to move, and when a host function returns.
 * What a client changes of a packet afterwards is not seen. Slots come back
 * INVALID as soon as the inner transport hands them back. Late things happen
 * inside the operations of the time group, which are split at those times.
 *
 * One thread drives it, whatever the inner transport allows.
 */
#ifndef AQ_WRAP_FAULT_H
#define AQ_WRAP_FAULT_H

#include "common/transport.h"

extern const aq_transport_ops aq_fault_transport_ops;

#endif
