/* SPDX-License-Identifier: MIT */
/* Packets that name memory which is not there (conformance 68). */
#ifndef AQSIM_MEMORY_FAULT_H
#define AQSIM_MEMORY_FAULT_H

#include "backend_sim/packet/flight.h"
#include "backend_sim/pages.h"

/* The packet touched an unmapped page: the queue stops, and the event is
 * reported instead of the queue's error. An active packet (step RUN) releases
 * before it goes. */
aqsim_flow aqsim_flight_memory_fault(aqsim_flight *flight, aqsim_step step,
                                     uint64_t unmapped, const char *text);

/* The same for a page that may be there, but does not allow the access. */
aqsim_flow aqsim_flight_access_fault(aqsim_flight *flight, aqsim_step step,
                                     uint64_t address, aq_fault_reason reason,
                                     const char *text);

#endif
