/* SPDX-License-Identifier: MIT */
/*
 * The transport "null": packets retire at once, so that only host cost is left
 * to measure.
 *
 * A packet is complete when its doorbell call returns, unless it depends on a
 * signal that is not 0 yet; then its queue stops there until some signal
 * changes. Host functions run. Time stands still but for deadlines and sleeps.
 * There are no records. One thread drives it.
 */
#ifndef AQSIM_NULL_H
#define AQSIM_NULL_H

#include "common/transport.h"

extern const aq_transport_ops aqsim_null_transport_ops;

#endif
