/* SPDX-License-Identifier: MIT */
/* Packets that name memory which is not there (conformance 68). */
#ifndef AQSIM_MEMORY_FAULT_H
#define AQSIM_MEMORY_FAULT_H

#include "backend_sim/engine/page_probe.h"
#include "backend_sim/packet/inflight.h"

/* The packet touched an unmapped page: the queue stops, and the event is
 * reported instead of the queue's error. An active packet (step RUN) releases
 * before it goes. */
aqsim_flow aqsim_inflight_memory_fault(aqsim_inflight *inflight,
                                       aqsim_step step, uint64_t unmapped,
                                       const char *text);

/* The same for a page that may be there, but does not allow the access. */
aqsim_flow aqsim_inflight_access_fault(aqsim_inflight *inflight,
                                       aqsim_step step, uint64_t address,
                                       aq_fault_reason reason,
                                       const char *text);

#endif
